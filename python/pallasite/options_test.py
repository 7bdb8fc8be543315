"""Where options come from, and which are refused."""

import inspect
import json

import pytest

import pallasite
from pallasite import chips, options
from pallasite.errors import UnsupportedError
from pallasite.options import Options


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  for option in options.TABLE:
    monkeypatch.delenv(option.variable, raising=False)
  return tmp_path


# For each option two values that are not its default, and as a variable says the second.
VALUES = {
  "arch": ("a100", "h100", "h100"),
  "num_sms": (3, 4, "4"),
  "checks": ("none", "none", "none"),
  "on_finding": ("warn", "record", "record"),
  "seed": (3, 4, "4"),
  "schedule": ("random", "random", "random"),
  "schedules": (3, 20, "20"),
  "async_values": ("late", "late", "late"),
  "max_steps": (100, 200, "200"),
  "workers": (2, 3, "3"),
  # The others are not built yet.
  "numerics": ("declared", "declared", "declared"),
  "uninitialized_memory": ("zero", "zero", "zero"),
  "silence": (
    [{"code": "race.*", "reason": "known"}],
    [{"ref": "acc", "reason": "a.b"}],
    '[{"ref": "acc", "reason": "a.b"}]',
  ),
  "pytest": ("h100", "b200", "b200"),
  "baseline": ("known.json", "other.json", "other.json"),
  "allow_no_kernels": (True, True, "true"),
}


def toml(value) -> str:
  if isinstance(value, dict):
    return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
  if isinstance(value, (list, tuple)):
    return "[" + ", ".join(map(toml, value)) + "]"
  return json.dumps(value)


def write_pyproject(folder, **values):
  lines = [f"{name} = {toml(value)}" for name, value in values.items()]
  (folder / "pyproject.toml").write_text("\n".join(["[tool.pallasite]", *lines, ""]))
  return f"{folder / 'pyproject.toml'} [tool.pallasite]"


def state(name, **where):
  (found,) = [s for s in options.listing(**where) if s.name == name]
  return found


def test_the_values_above_are_of_all_options():
  assert list(VALUES) == [option.name for option in options.TABLE]


@pytest.mark.parametrize("name", VALUES)
def test_arguments_before_environment_before_pyproject_before_default(name, elsewhere, monkeypatch):
  default = state(name)
  assert (default.value, default.source) == (default.option.default, "default")
  in_file, in_variable, text = VALUES[name]
  source = write_pyproject(elsewhere, **{name: in_file})
  (elsewhere / "inner").mkdir()
  for folder in (None, elsewhere, elsewhere / "inner"):
    found = state(name, folder=folder)
    assert (found.value, found.source, found.key) == (in_file, source, name)
  assert options.value_of(name) == in_file
  monkeypatch.setenv(f"PALLASITE_{name.upper()}", text)
  found = state(name)
  assert (found.value, found.source) == (in_variable, found.variable)
  assert options.value_of(name) == in_variable
  if name in options.OPTION_NAMES:
    assert getattr(options.resolve({}), name) == in_variable
    # Also where the argument is what the option would be if nobody said anything.
    stated = options.resolve({name: default.value})
    assert getattr(stated, name) == default.value
    found = state(name, installed=stated)
    assert (found.value, found.source) == (default.value, "install(...)")


def test_an_empty_variable_is_none(monkeypatch):
  monkeypatch.setenv("PALLASITE_SEED", "")
  assert state("seed").source == "default"


def test_an_unknown_key_of_pyproject_is_named_with_what_may_be_meant(elsewhere):
  source = write_pyproject(elsewhere, sede=3)
  with pytest.raises(ValueError, match="unknown key 'sede'; did you mean 'seed'") as caught:
    options.resolve({})
  assert source in str(caught.value)


def test_what_is_not_toml_is_named(elsewhere):
  (elsewhere / "pyproject.toml").write_text("[tool.pallasite\n")
  with pytest.raises(ValueError, match="pyproject.toml"):
    options.resolve({})


@pytest.mark.parametrize(
  "variable, value", [("SEED", "x"), ("NUM_SMS", "0"), ("ON_FINDING", "rais"), ("ARCH", "h200")]
)
def test_a_bad_value_is_blamed_on_where_it_is_from(variable, value, elsewhere, monkeypatch):
  errors = (ValueError, UnsupportedError)
  monkeypatch.setenv(f"PALLASITE_{variable}", value)
  with pytest.raises(errors, match=f"PALLASITE_{variable}[=:]"):
    options.resolve({})
  monkeypatch.delenv(f"PALLASITE_{variable}")
  write_pyproject(elsewhere, **{variable.lower(): value})
  with pytest.raises(errors, match=rf"pyproject.toml \[tool.pallasite\] {variable.lower()}[=:]"):
    options.resolve({})


def test_a_misspelt_variable_is_found(monkeypatch):
  monkeypatch.setenv("PALLASITE_NUM_SM", "4")
  monkeypatch.setenv("PALLASITE_BLESS", "1")
  assert options.unknown_variables() == ["PALLASITE_NUM_SM"]


def test_checks_may_be_an_array_in_pyproject(elsewhere):
  write_pyproject(elsewhere, checks=["none", "default"])
  assert options.resolve({}).checks == "none,default"


def test_the_signatures_and_docs_are_those_of_the_table():
  parameters = inspect.signature(pallasite.install).parameters
  assert {name: p.default for name, p in parameters.items()} == {
    option.name: option.default for option in options.TABLE if option.taken_by == "install"
  }
  assert list(inspect.signature(pallasite.Params).parameters) == list(options.OPTION_NAMES)
  for option in options.RUN_OPTIONS:
    first_words = option.meaning[:40]
    assert first_words in pallasite.Params.__doc__
    assert (first_words in pallasite.install.__doc__) == (option.taken_by == "install")


def test_an_argument_that_is_no_option_is_a_type_error():
  with pytest.raises(TypeError, match="no option 'sede'; did you mean 'seed'"):
    pallasite.install(sede=1)
  with pytest.raises(TypeError):
    pallasite.install("h100")


@pytest.mark.parametrize(
  "name, value",
  [
    ("numerics", "hardware"),
    ("numerics", "exact"),
    ("checks", "races"),
    ("checks", "default,races"),
    ("checks", "definedness"),
    ("checks", "all"),
    ("checks", "compile, all"),
  ],
)
def test_what_is_not_built_yet_is_unsupported(name, value):
  with pytest.raises(UnsupportedError, match="not built yet"):
    Options(**{name: value})


def test_checks_that_are_not_built_are_refused_wherever_they_are_stated(elsewhere, monkeypatch):
  for refused in (pallasite.install, pallasite.Params):
    with pytest.raises(UnsupportedError, match="checks='all' is not built yet.*'default,compile'"):
      refused(checks="all")
  with pytest.raises(UnsupportedError, match="not built yet"):
    pallasite.check(lambda: None, checks="all")
  monkeypatch.setenv("PALLASITE_CHECKS", "races")
  with pytest.raises(UnsupportedError, match="PALLASITE_CHECKS='races' is not built yet"):
    pallasite.install()
  monkeypatch.delenv("PALLASITE_CHECKS")
  write_pyproject(elsewhere, checks=["default", "all"])
  with pytest.raises(UnsupportedError, match="checks='all' is not built yet"):
    pallasite.install()
  # A misspelt name is not one that will be built.
  with pytest.raises(ValueError, match="'defualt'.*did you mean 'default'"):
    pallasite.Params(checks="defualt")


@pytest.mark.parametrize(
  "name, value",
  [
    ("numerics", "exakt"),
    ("on_finding", "ignore"),
    ("num_sms", 0),
    ("workers", "2"),
    ("seed", 1.5),
    ("max_steps", True),
    ("checks", ["none"]),
    ("checks", "rases"),
    ("checks", "default,"),
    ("checks", ""),
  ],
)
def test_what_means_nothing_is_a_value_error(name, value):
  with pytest.raises(ValueError, match=name):
    Options(**{name: value})


@pytest.mark.parametrize(
  "arch, name",
  [
    ("h100", "h100"),
    ("H100", "h100"),
    ("sm_90a", "h100"),
    ("sm90", "h100"),
    ("sm_100a", "b200"),
    ("sm100", "b200"),
    ("sm_80", "a100"),
  ],
)
def test_names_of_chips(arch, name):
  assert chips.chip(arch).name == name


@pytest.mark.parametrize("arch", ["h200", "gb200", "sm_120a", "sm_103a", "mi300", ""])
def test_other_chips_are_refused_by_name(arch):
  with pytest.raises(UnsupportedError, match=f"arch '{arch}' is not modelled") as caught:
    chips.chip(arch)
  assert "known: h100 (sm_90a), b200 (sm_100a), a100 (sm_80)" in str(caught.value)


@pytest.mark.parametrize(
  "arch, advice", [("H200", "sm_90a: h100 runs"), ("gb200", "sm_100a: b200 runs")]
)
def test_a_chip_of_a_known_architecture_is_refused_with_that(arch, advice):
  with pytest.raises(UnsupportedError, match=advice):
    chips.chip(arch)
