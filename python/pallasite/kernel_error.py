"""The error of a kernel with a finding of level error."""

from __future__ import annotations

from pallasite import _compat
from pallasite.report import Finding, Report
from pallasite.session import is_marked, session


class KernelError(_compat.jax_runtime_error, ValueError):
  """A kernel did something that is undefined, or never ended. `str` of it is the whole report."""

  def __str__(self) -> str:
    # Set while the report is shown elsewhere.
    return self.__dict__.get("_brief") or super().__str__()

  @property
  def report(self) -> Report | None:
    known = self.__dict__.get("_report")
    return known if known is not None else session.report_of(str(self))

  @property
  def findings(self) -> list[Finding]:
    report = self.report
    return list(report.findings) if report is not None else []


def adopt(error: BaseException):
  """Turns the exception that XLA creates for a failed kernel into a KernelError."""
  if type(error) is _compat.jax_runtime_error and is_marked(str(error)):
    report = session.report_of(str(error))
    error.__class__ = KernelError
    error._report = report
    if report is not None:
      report.text = str(error)
