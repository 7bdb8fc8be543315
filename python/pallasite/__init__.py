"""Runs JAX Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
  from pallasite.checking import check, export
  from pallasite.errors import (
    EngineMissingError,
    KernelWarning,
    ResourceError,
    UnsupportedError,
  )
  from pallasite.hook import Installation, Params, install, uninstall
  from pallasite.kernel_error import KernelError
  from pallasite.module import Module, load
  from pallasite.report import Finding, Report

__all__ = [
  "EngineMissingError",
  "Finding",
  "Installation",
  "KernelError",
  "KernelWarning",
  "Module",
  "Params",
  "Report",
  "ResourceError",
  "UnsupportedError",
  "check",
  "collect",
  "explain",
  "export",
  "install",
  "last_report",
  "load",
  "uninstall",
]

# Which module has a name. Each is imported at first use: pytest loads the plugin in every session,
# and a command that only explains a diagnostic needs no JAX.
_HOMES = {
  "pallasite.checking": ("check", "export"),
  "pallasite.errors": ("EngineMissingError", "KernelWarning", "ResourceError", "UnsupportedError"),
  "pallasite.hook": ("Installation", "Params", "install", "uninstall"),
  "pallasite.kernel_error": ("KernelError",),
  "pallasite.module": ("Module", "load"),
  "pallasite.report": ("Finding", "Report"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def collect():
  """A context manager: the list of the reports of the kernels that run within."""
  from pallasite.session import session

  return session.collect()


def last_report() -> Report | None:
  """The report of the kernel that ran last; None if none did."""
  from pallasite.session import session

  return session.last


def explain(code: str) -> dict:
  """What a diagnostic means: cause, triggers, fix, and an example before and after."""
  from pallasite import engine

  return engine.explain(code)


def __getattr__(name: str):
  home = _HOME_OF.get(name)
  if home is not None:
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value
  if name == "__version__":
    from pallasite import engine

    return engine.native().version()
  raise AttributeError(f"module 'pallasite' has no attribute '{name}'")


def __dir__() -> list[str]:
  return sorted({*globals(), *__all__, "__version__"})
