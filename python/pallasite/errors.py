"""The errors of pallasite. One class per verdict that stops a kernel.

`KernelError` is not here: it derives from a class of JAX and lives in `_compat`.
"""

from __future__ import annotations


class UnsupportedError(Exception):
  """The kernel or an option needs something that pallasite cannot do.

  Deliberately not a NotImplementedError: libraries swallow those and fall back to other code, and
  the answer would then be about another kernel than the one asked for.
  """

  def __init__(self, message: str, location: tuple[str, int] | None = None, function: str = ""):
    self.location = location
    self.summary = message
    where = f"\n  at {location[0]}:{location[1]}" if location else ""
    if where and function:
      where += f" ({function})"
    super().__init__(message + where)


class ResourceError(ValueError):
  """The kernel asks more than the chip has."""


class EngineMissingError(ImportError):
  """The native module is not installed; lowering works without it, running does not."""


class KernelWarning(UserWarning):
  """A finding of level warning or note, reported through `warnings`."""
