"""Options of a run: what `install` and `Params` state, the environment, pyproject.toml."""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import tomllib
from dataclasses import dataclass

from pallasite import chips
from pallasite.errors import UnsupportedError

# Values that the design names and this version can do. Another one is refused before anything runs.
_CHOICES = {
  "on_finding": ("raise", "warn", "record"),
  "schedule": ("fixed", "random"),
  "async_values": ("eager", "late"),
  "numerics": ("declared", "hardware", "exact"),
  "uninitialized_memory": ("nan", "zero"),
}
_BUILT = {
  "numerics": ("declared",),
}
_BUILT_CHECKS = ("none", "default")
_INTEGERS = ("num_sms", "seed", "max_steps", "workers")


@dataclass(frozen=True)
class Options:
  arch: str | None = None
  num_sms: int | None = None
  checks: str = "default"
  on_finding: str = "raise"
  seed: int = 0
  schedule: str = "fixed"
  async_values: str = "eager"
  max_steps: int | None = None
  workers: int | None = None
  numerics: str = "declared"
  uninitialized_memory: str = "nan"

  def __post_init__(self):
    for name, choices in _CHOICES.items():
      value = getattr(self, name)
      if value not in choices:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, choices))}")
      if value not in _BUILT.get(name, choices):
        raise UnsupportedError(f"{name}={value!r} is not built yet")
    for name in _INTEGERS:
      value = getattr(self, name)
      if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise ValueError(f"{name}={value!r}: expected an integer")
    for name in ("num_sms", "max_steps", "workers"):
      value = getattr(self, name)
      if value is not None and value < 1:
        raise ValueError(f"{name}={value}: expected at least 1")
    if not isinstance(self.checks, str):
      raise ValueError(f"checks={self.checks!r}: expected a string, names separated by commas")
    for name in self.checks.split(","):
      if name.strip() not in _BUILT_CHECKS:
        raise UnsupportedError(f"checks={name.strip()!r} is not built yet")
    if self.arch is not None:
      chips.chip(self.arch)

  @property
  def chip(self) -> chips.Chip | None:
    return chips.chip(self.arch) if self.arch is not None else None

  def compile_key(self) -> tuple:
    """What a traced or lowered program depends on; part of JAX's jit key."""
    return (self.chip.arch if self.chip else None, self.num_sms, self.uninitialized_memory)

  def run_options(self) -> dict:
    """What the engine reads when a kernel runs."""
    names = ("checks", "on_finding", "seed", "schedule", "async_values", "max_steps", "workers")
    return {name: getattr(self, name) for name in names}


OPTION_NAMES = tuple(field.name for field in dataclasses.fields(Options))
INSTALL_NAMES = tuple(name for name in OPTION_NAMES if name != "uninitialized_memory")


def resolve(stated: dict) -> Options:
  """Options from what a call states, then PALLASITE_* variables, then pyproject.toml.

  An argument at its default value counts as not stated.
  """
  defaults = Options()
  values = {**_from_pyproject(str(pathlib.Path.cwd())), **_from_environment()}
  for name, value in stated.items():
    if value != getattr(defaults, name):
      values[name] = value
  return Options(**values)


def _from_environment() -> dict:
  values = {}
  for name in OPTION_NAMES:
    text = os.environ.get(f"PALLASITE_{name.upper()}")
    if text:
      values[name] = _number(name, text, f"PALLASITE_{name.upper()}") if name in _INTEGERS else text
  return values


def _number(name: str, text: str, source: str) -> int:
  try:
    return int(text)
  except ValueError:
    raise ValueError(f"{source}={text!r}: expected an integer for {name}") from None


@functools.lru_cache(maxsize=8)
def _from_pyproject(folder: str) -> dict:
  start = pathlib.Path(folder)
  for candidate in (start, *start.parents):
    file = candidate / "pyproject.toml"
    if file.is_file():
      table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("pallasite", {})
      unknown = sorted(set(table) - set(OPTION_NAMES))
      if unknown:
        raise ValueError(f"{file}: [tool.pallasite] has unknown keys: {', '.join(unknown)}")
      return dict(table)
  return {}
