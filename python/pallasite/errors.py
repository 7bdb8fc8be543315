"""The errors of pallasite. One class per verdict that stops a kernel.

`KernelError` is not here but in `kernel_error.py`: it derives from a class of JAX, and these need none.
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


class KernelInterrupted(KeyboardInterrupt):
  """Ctrl-C while a kernel ran. `report` says how far it had come: its verdict is incomplete."""

  def __init__(self, report):
    self.report = report
    self.findings = list(report.findings)
    places = [finding.locations[0] for finding in self.findings if finding.locations]
    at = "".join(f"\n  at {file}:{line}" for file, line in places[:1])
    super().__init__(f"while kernel {', '.join(report.kernels) or '?'} ran{at}")


def raise_interrupt(interrupt: BaseException, report):
  """Raises what a signal handler raised while a kernel ran; of Ctrl-C with the report in it."""
  if type(interrupt) is KeyboardInterrupt and report is not None:
    raise KernelInterrupted(report) from None
  raise interrupt


class EngineMissingError(ImportError):
  """The native module is not installed; lowering works without it, running does not."""


class KernelWarning(UserWarning):
  """A finding of level warning or note, reported through `warnings`."""
