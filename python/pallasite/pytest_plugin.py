"""The pytest plugin: `pytest --pallasite=h100`.

pytest loads this file in every session of an environment that has pallasite, so nothing here
imports JAX, or numpy, before it is asked for.
"""

from __future__ import annotations

import dataclasses
import os

import pytest

from pallasite import options
from pallasite.errors import UnsupportedError

_GROUP = "pallasite"
_OFF = ("", "off", "0", "no", "false")
# Without naming a chip: it comes from another option, or from the kernel's own ops.
_AUTO = ("auto", "on", "1", "yes", "true")
_MARKER = (
  "pallasite_expected(*codes): the test expects findings of these codes (globs); it fails if none "
  "occurs, and not because one does"
)


@dataclasses.dataclass(frozen=True)
class Settings:
  """What a session asks for."""

  # Empty: none is stated here.
  arch: str
  # Options of `install` that the command line states.
  stated: dict
  baseline: str
  write_baseline: bool
  allow_no_kernels: bool


def pytest_addoption(parser: pytest.Parser):
  group = parser.getgroup(_GROUP, "Pallas Mosaic GPU kernels on a CPU (pallasite)")
  group.addoption(
    "--pallasite",
    metavar="ARCH",
    help="run kernels as on this chip (h100, b200, ...); auto: let their ops decide; off: do not",
  )
  for option in options.RUN_OPTIONS:
    if option.name != "arch":
      group.addoption(
        f"--pallasite-{option.flag.removeprefix('--')}",
        dest=f"pallasite_{option.name}",
        type=int if option.kind == "integer" else str,
        choices=option.choices or None,
        help=option.meaning,
      )
  group.addoption(
    "--pallasite-baseline", metavar="FILE", help="known findings, which do not fail a test"
  )
  group.addoption(
    "--pallasite-write-baseline",
    action="store_true",
    help="write what is found to the file of --pallasite-baseline",
  )
  group.addoption(
    "--pallasite-allow-no-kernels",
    action="store_true",
    help="let a session pass in which no kernel ran",
  )


def _settings(given) -> Settings | None:
  """What the options ask for; None if it is nothing."""
  try:
    asked = given.pallasite if given.pallasite is not None else options.value_of("pytest")
    if asked.lower() in _OFF:
      return None
    stated = {
      option.name: getattr(given, f"pallasite_{option.name}")
      for option in options.RUN_OPTIONS
      if getattr(given, f"pallasite_{option.name}", None) is not None
    }
    if asked.lower() not in _AUTO:
      stated["arch"] = asked
    # Refuses what no run can have, before any test.
    chosen = options.resolve(stated, "pytest")
    baseline = given.pallasite_baseline or options.value_of("baseline")
    if given.pallasite_write_baseline and not baseline:
      raise ValueError("--pallasite-write-baseline needs --pallasite-baseline FILE")
    return Settings(
      chosen.arch or "",
      stated,
      baseline,
      given.pallasite_write_baseline,
      given.pallasite_allow_no_kernels or options.value_of("allow_no_kernels"),
    )
  except (ValueError, UnsupportedError) as error:
    raise pytest.UsageError(f"pallasite: {error}") from None


def _is_worker() -> bool:
  return "PYTEST_XDIST_WORKER" in os.environ


def _hands_out(given) -> bool:
  """Whether tests run in other processes, so that this one needs no JAX."""
  if _is_worker():
    return False
  return bool(getattr(given, "numprocesses", None)) or getattr(given, "dist", "no") != "no"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config):
  # Before any conftest.py: it may ask which device there is.
  given = early_config.known_args_namespace
  settings = _settings(given)
  if settings is not None and not _hands_out(given):
    _install(settings)


def _install(settings: Settings):
  from pallasite import pytest_session

  pytest_session.install(settings, one_worker=_is_worker())


def pytest_configure(config: pytest.Config):
  config.addinivalue_line("markers", _MARKER)
  settings = _settings(config.option)
  if settings is None:
    return
  from pallasite import pytest_session

  try:
    pytest_session.configure(config, settings, runs_tests=not _hands_out(config.option))
  except (OSError, ValueError) as error:
    raise pytest.UsageError(f"pallasite: {error}") from None
