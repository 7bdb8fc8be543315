"""Where options come from, and which are refused."""

import pytest

from pallasite import chips, options
from pallasite.errors import UnsupportedError
from pallasite.options import Options


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  for name in options.OPTION_NAMES:
    monkeypatch.delenv(f"PALLASITE_{name.upper()}", raising=False)
  return tmp_path


def test_arguments_before_environment_before_pyproject(elsewhere, monkeypatch):
  (elsewhere / "pyproject.toml").write_text(
    '[tool.pallasite]\narch = "a100"\nseed = 3\nworkers = 2\n'
  )
  monkeypatch.setenv("PALLASITE_SEED", "4")
  monkeypatch.setenv("PALLASITE_ARCH", "h100")
  resolved = options.resolve({"arch": "b200", "seed": 0})
  assert (resolved.arch, resolved.seed, resolved.workers) == ("b200", 4, 2)


def test_an_unknown_key_of_pyproject_is_named(elsewhere):
  (elsewhere / "pyproject.toml").write_text("[tool.pallasite]\nsede = 3\n")
  with pytest.raises(ValueError, match="sede"):
    options.resolve({})


@pytest.mark.parametrize(
  "name, value",
  [
    ("numerics", "hardware"),
    ("numerics", "exact"),
    ("checks", "all"),
    ("checks", "default,races"),
  ],
)
def test_what_is_not_built_yet_is_unsupported(name, value):
  with pytest.raises(UnsupportedError, match="not built yet"):
    Options(**{name: value})


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


@pytest.mark.parametrize("arch", ["h200", "sm_120a", "mi300", ""])
def test_other_chips_are_refused_by_name(arch):
  with pytest.raises(UnsupportedError, match="h100"):
    chips.chip(arch)
