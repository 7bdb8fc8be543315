"""The options of Python, of the command line and of the engine are the same: names, choices, ranges
and defaults. Each side states them by itself; here they are asked."""

import json
import re
import subprocess
import sys

import pallasite.options
import pytest
from pallasite import engine
from pallasite.errors import UnsupportedError

RUN_OPTIONS = {option.name: option for option in pallasite.options.RUN_OPTIONS}
INTEGERS = [name for name, option in RUN_OPTIONS.items() if option.kind == "integer"]
# What the command line has for itself, of a run or of what it shows.
OF_THE_COMMAND = {
  "--arg", "--out", "--record", "--replay", "--json", "--quiet", "--print-block", "--fail-on",
  "--no-run", "--help",
}
# What Python alone knows; the engine never hears of it.
OF_PYTHON = {"num_sms", "numerics"}
KERNEL = """pir 1

kernel @kernel {
  grid = [4] ["x"]
  output %0 "out": ref<gmem, i32[4]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = view.index %0, %1 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    memory.store %2, %1
    control.yield
  }
}
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  for option in pallasite.options.TABLE:
    monkeypatch.delenv(option.variable, raising=False)
  (tmp_path / "k.pir").write_text(KERNEL)
  return tmp_path


def run(*options):
  """Exit code of the command on the kernel, and its report."""
  code, request = engine.cli_main(["run", *options, "--quiet", "--json", "report.json", "k.pir"])
  assert request is None
  return code, json.loads(open("report.json").read()) if code == 0 else None


def flags_of_help(verb):
  """What the help says each option takes, by flag."""
  text = subprocess.run(
    [sys.executable, "-m", "pallasite", verb, "--help"], capture_output=True, text=True, check=True
  ).stdout
  found = re.findall(r"^ {2}(?:-h,)?(--[a-z-]+)(?: (\S+))?", text, re.MULTILINE)
  return {flag: value for flag, value in found}


@pytest.mark.parametrize("verb", ["run", "check"])
def test_names_and_choices(verb):
  flags = flags_of_help(verb)
  of_runs = {option.flag for option in RUN_OPTIONS.values()}
  assert set(flags) - of_runs <= OF_THE_COMMAND
  missing = of_runs - set(flags)
  # A check raises for nothing.
  assert missing == ({"--on-finding"} if verb == "check" else set())
  for option in RUN_OPTIONS.values():
    if option.choices and option.flag in flags:
      assert flags[option.flag] == "|".join(option.choices), option.name


def python_takes(name, value):
  try:
    pallasite.options.Options(**{name: value})
  except ValueError:
    return False
  return True


def engine_takes(name, value):
  try:
    engine.run(KERNEL, [], {name: value})
  except ValueError:
    return False
  return True


def variable_takes(name, value, monkeypatch):
  """Whether a kernel of a file takes the variable, as a program does."""
  variable = RUN_OPTIONS[name].variable
  with monkeypatch.context() as patch:
    patch.setenv(variable, str(value))
    code, _ = run("--workers=1") if name != "workers" else run()
    in_python = True
    try:
      pallasite.options.value_of(name)
    except ValueError:
      in_python = False
  assert (code == 2) == (not in_python), (variable, value, code)
  return code != 2


def flag_takes(name, value):
  if name not in OF_PYTHON:
    return run(f"{RUN_OPTIONS[name].flag}={value}")[0] != 2
  # Of a program; asking for one that is not there is as far as this goes.
  code, request = engine.cli_main(["run", f"{RUN_OPTIONS[name].flag}={value}", "none.py"])
  assert (code == 2) == (request is None)
  return code != 2


@pytest.mark.parametrize("name", INTEGERS)
def test_ranges(name, monkeypatch):
  option = RUN_OPTIONS[name]
  assert None not in (option.minimum, option.maximum)
  values = {
    option.minimum - 1: False, option.minimum: True, option.maximum: True, option.maximum + 1: False,
  }
  for value, expected in values.items():
    if name == "schedules" and value > 1:
      # It is taken, and would be done.
      continue
    assert python_takes(name, value) == expected, value
    assert flag_takes(name, value) == expected, value
    if name in OF_PYTHON:
      continue
    assert engine_takes(name, value) == expected, value
    assert variable_takes(name, value, monkeypatch) == expected, value


def test_as_many_schedules_as_python_takes_the_command_line_takes():
  most = RUN_OPTIONS["schedules"].maximum
  assert not python_takes("schedules", most + 1) and python_takes("schedules", most)
  assert not flag_takes("schedules", most + 1)
  with pytest.raises(ValueError, match=f"from 0 to {most}"):
    engine.run(KERNEL, [], {"schedules": most + 1})
  # Of a program, whose options Python reads.
  code, request = engine.cli_main(["run", f"--schedules={most}", "none.py"])
  assert (code, json.loads(request)["options"]["schedules"]) == (0, most)


def comparable(report):
  return {key: value for key, value in report.items() if key not in ("host", "id", "times", "stats")}


@pytest.mark.parametrize("name", [n for n in RUN_OPTIONS if n not in OF_PYTHON])
def test_defaults(name):
  option = RUN_OPTIONS[name]
  _, unstated = run("--workers=1") if name != "workers" else run()
  if option.default is None:
    # The kernel's own ops decide, or there is no limit, or the host decides: nothing to state.
    assert unstated["verdict"] == "clean"
    return
  if name == "on_finding":
    # Of programs on the command line; a kernel of a file has nobody to raise to.
    _, report, _ = engine.run(KERNEL, [], {})
    assert json.loads(report)["on_finding"] == option.default
    return
  _, stated = run("--workers=1", f"{option.flag}={option.default}")
  assert comparable(stated) == comparable(unstated)
  others = [c for c in option.choices if c != option.default]
  for other in others:
    _, changed = run("--workers=1", f"{option.flag}={other}")
    if name == "schedule":
      assert comparable(changed) != comparable(unstated)


def test_choices_are_refused_alike():
  for option in RUN_OPTIONS.values():
    if not option.choices or option.name in OF_PYTHON:
      continue
    assert not python_takes(option.name, "nonsense")
    assert not engine_takes(option.name, "nonsense")
    for choice in option.choices:
      assert python_takes(option.name, choice) and engine_takes(option.name, choice)


def test_checks_and_chips_are_refused_alike():
  for name, good, bad in [("checks", "none", "nonsense"), ("arch", "h100", "z80")]:
    assert engine_takes(name, good) and not engine_takes(name, bad)
    assert flag_takes(name, good) and not flag_takes(name, bad)
    pallasite.options.Options(**{name: good})
    with pytest.raises((ValueError, UnsupportedError)):
      pallasite.options.Options(**{name: bad})
