"""The examples of the catalogue do what they are examples of, with this JAX."""

import json
import os
import re
import subprocess
import sys
import warnings

import jax
import numpy as np
import pytest

import pallasite
from pallasite import engine

ENTRIES = {e["record"]["errorCode"]: e for e in json.loads(engine.native().catalogue())}
EXIT_CODES = {
  "clean": 0, "error": 3, "unsupported": 4, "resource": 5, "internal": 6, "incomplete": 7,
}


def codes(language):
  return [c for c, e in ENTRIES.items() if e["pallasite"]["exampleLanguage"] == language]


def example(code, which):
  return ENTRIES[code]["pallasite"]["exampleBefore" if which == "before" else "exampleAfter"]


def script(folder, code, which):
  """The function `run` of an example that lies in a file, as a user's would."""
  path = folder / f"{which}.py"
  path.write_text(example(code, which))
  names = {"__name__": "example"}
  exec(compile(path.read_text(), str(path), "exec"), names)
  return path, names["run"]


def is_in_kernel(path, line):
  lines = path.read_text().splitlines()
  first = next(i for i, text in enumerate(lines, 1) if text.startswith("def kernel("))
  return first <= line < lines.index("def run():")


def expect_only(code, findings):
  assert {finding.code for finding in findings} == {code}
  for finding in findings:
    assert re.search(ENTRIES[code]["record"]["messagePattern"], finding.message), finding.message


@pytest.mark.parametrize("code", codes("python"))
def test_a_script_triggers_its_code_at_a_line_of_its_kernel(code, tmp_path):
  path, run = script(tmp_path, code, "before")
  with pallasite.install(arch="h100", checks="default,compile"):
    report = pallasite.check(run)
  # JAX's compiler may refuse the kernel too, for the same fault.
  ours = [f for f in report.findings if f.code in (code, *set(ENTRIES) - {"compile.refused"})]
  expect_only(code, ours)
  assert report.verdict == ENTRIES[code]["pallasite"]["verdict"] or len(ours) < len(report.findings)
  for finding in report.findings:
    file, line = finding.locations[0]
    assert file == str(path)
    assert is_in_kernel(path, line), line


@pytest.mark.parametrize("code", codes("python"))
def test_a_script_raises_the_class_that_its_entry_names(code, tmp_path):
  path, run = script(tmp_path, code, "before")
  wanted = getattr(pallasite, ENTRIES[code]["record"]["errorClass"].removeprefix("pallasite."))
  with pallasite.install(arch="h100", checks="default,compile"), pytest.raises(wanted) as raised:
    jax.block_until_ready(run())
  assert isinstance(raised.value, wanted)
  assert f"{path}:" in str(raised.value)
  if wanted is pallasite.KernelError:
    expect_only(code, raised.value.findings)
    assert f"[{code}]" in str(raised.value)


@pytest.mark.parametrize("code", codes("python"))
def test_the_repaired_script_is_clean(code, tmp_path):
  _, run = script(tmp_path, code, "after")
  with pallasite.install(arch="h100", checks="default,compile"):
    report = pallasite.check(run)
    with warnings.catch_warnings():
      warnings.simplefilter("error")
      outputs = run()
  assert (report.verdict, report.findings) == ("clean", [])
  checked = jax.tree_util.tree_leaves(report.outputs)
  for output, again in zip(checked, jax.tree_util.tree_leaves(outputs), strict=True):
    # Fresh memory is NaN or the integer maximum, so these are values that the kernel wrote.
    values = np.asarray(output).astype(np.float64)
    assert np.isfinite(values).all()
    assert (values < np.iinfo(np.int32).max).all()
    np.testing.assert_array_equal(np.asarray(output), np.asarray(again))


@pytest.mark.parametrize("code", codes("pir"))
def test_a_module_triggers_its_code(code):
  module = pallasite.Module(example(code, "before"))
  assert [d["code"] for d in module.verify()] == [code]
  report = module.run()
  expect_only(code, report.findings)
  assert report.verdict == ENTRIES[code]["pallasite"]["verdict"]


@pytest.mark.parametrize("code", codes("pir"))
def test_the_repaired_module_is_clean(code):
  report = pallasite.Module(example(code, "after")).run()
  assert (report.verdict, report.findings) == ("clean", [])
  for output in report.outputs.values():
    assert (output < np.iinfo(np.int32).max).all()


def run_in_shell(folder, text):
  """A transcript of the command line, with this Python and this pallasite."""
  commands = folder / "bin"
  commands.mkdir(exist_ok=True)
  for name, words in (("python", ""), ("pallasite", "-m pallasite ")):
    (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
    (commands / name).chmod(0o755)
  packages = os.path.dirname(os.path.dirname(pallasite.__file__))
  environment = {
    **os.environ,
    "PYTHONPATH": f"{packages}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    "JAX_PLATFORMS": "cpu",
    "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
  }
  # No `-e`: the last command is the one that counts, and those before it must be silent.
  return subprocess.run(
    ["sh", "-c", text], capture_output=True, text=True, cwd=folder, env=environment, check=False
  )


@pytest.mark.parametrize("code", codes("shell"))
def test_a_command_triggers_its_code(code, tmp_path):
  ended = run_in_shell(tmp_path, example(code, "before"))
  found = re.findall(r"^\w+\[([a-z.-]+)\]: (.*)", ended.stderr, re.MULTILINE)
  assert {c for c, _ in found} == {code}, ended.stderr
  for _, message in found:
    assert re.search(ENTRIES[code]["record"]["messagePattern"], message)
  verdict = ENTRIES[code]["pallasite"]["verdict"]
  # What was typed is a usage error, and `timeout` has an exit code of its own.
  own = 2 if code == "module.argument" else EXIT_CODES[verdict]
  assert ended.returncode in (own, 124)


@pytest.mark.parametrize("code", codes("shell"))
def test_the_repaired_command_is_clean(code, tmp_path):
  ended = run_in_shell(tmp_path, example(code, "after"))
  assert ended.returncode == 0, ended.stderr
  assert "[" not in ended.stderr


@pytest.mark.parametrize("code", [c for c, e in ENTRIES.items() if e["record"]["validationCode"]])
def test_validation_code_runs_as_it_stands(code):
  exec(compile(ENTRIES[code]["record"]["validationCode"], code, "exec"), {"__name__": "example"})


@pytest.mark.parametrize("code", ENTRIES)
def test_explain_gives_the_entry(code):
  assert pallasite.explain(code) == ENTRIES[code]


def test_explain_of_an_unknown_code_says_what_is_near():
  with pytest.raises(KeyError, match="scope.collective-axes"):
    pallasite.explain("scope.collective_axes")


class TestCollectiveAxes:
  """One fault along its whole way: raised, kept in a module, explained."""

  code = "scope.collective-axes"
  text = "Scoped allocation must have the thread axis in its collective axes."
  hint = 'add `collective_axes="wg"` to this `run_scoped`'

  def script(self, folder):
    path, run = script(folder, self.code, "before")
    (line,) = (
      i for i, text in enumerate(path.read_text().splitlines(), 1) if "pl.run_scoped(" in text
    )
    return path, line, run

  def test_it_is_raised_while_jax_lowers(self, tmp_path):
    path, line, run = self.script(tmp_path)
    with pallasite.install(arch="h100"), pytest.raises(pallasite.KernelError) as raised:
      jax.jit(run).lower()
    assert isinstance(raised.value, ValueError)
    assert [f.code for f in raised.value.findings] == [self.code]
    assert raised.value.findings[0].locations[0] == (str(path), line)
    for part in (self.text, self.hint, f" --> {path}:{line}:"):
      assert part in str(raised.value)

  def test_a_saved_module_has_it_too(self, tmp_path):
    path, line, run = self.script(tmp_path)
    module = pallasite.export(run)
    module.save(tmp_path / "k.pir")
    (found,) = module.verify()
    assert (found["code"], found["message"]) == (self.code, self.text)
    assert found["labels"][0]["location"][0]["line"] == line
    ended = run_in_shell(tmp_path, "pallasite verify k.pir")
    assert ended.returncode == EXIT_CODES["error"]
    for part in (self.code, self.text, self.hint, f" --> {path}:{line}:"):
      assert part in ended.stderr

  def test_it_is_explained_on_the_command_line(self, tmp_path):
    ended = run_in_shell(tmp_path, f"pallasite explain {self.code}")
    assert ended.returncode == 0
    for part in (self.code, self.text, "what to do:", 'collective_axes="wg"'):
      assert part in ended.stdout
    ended = run_in_shell(tmp_path, f"pallasite explain {self.code} --json")
    assert json.loads(ended.stdout) == ENTRIES[self.code]
    record = ENTRIES[self.code]["record"]
    assert record["errorMessage"] == self.text
    assert record["slug"] == "scoped-allocation-must-have-the-thread-axis-in-its"
    assert record["severity"] == "error"
