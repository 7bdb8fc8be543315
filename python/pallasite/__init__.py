"""Runs JAX Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault."""

from pallasite import engine as _engine_interface
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
from pallasite.session import session as _session

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


def collect():
  """A context manager: the list of the reports of the kernels that run within."""
  return _session.collect()


def last_report() -> Report | None:
  """The report of the kernel that ran last; None if none did."""
  return _session.last


def explain(code: str) -> dict:
  """What a diagnostic means: cause, triggers, fix, and an example before and after."""
  return _engine_interface.explain(code)


def __getattr__(name: str):
  # The engine is loaded at first use: converting a kernel does not need it.
  if name == "__version__":
    return _engine_interface.native().version()
  raise AttributeError(f"module 'pallasite' has no attribute '{name}'")
