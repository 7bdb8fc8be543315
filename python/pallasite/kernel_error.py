"""The error of a kernel with a finding of level error."""

from __future__ import annotations

from pallasite import _compat
from pallasite.report import Finding, Report
from pallasite.session import is_marked, is_of_xla, plain_text, session


class KernelError(_compat.jax_runtime_error, _compat.ErrorWithPlace, ValueError):
  """A kernel did something that is undefined, or never ended. `str` of it is the whole report."""

  def __str__(self) -> str:
    # Set while the report is shown elsewhere.
    brief = self.__dict__.get("_brief")
    # JAX's class keeps the text that it was made with.
    return brief or (str(self.args[0]) if self.args else "")

  @property
  def report(self) -> Report | None:
    known = self.__dict__.get("_report")
    return known if known is not None else session.report_of(str(self))

  @property
  def findings(self) -> list[Finding]:
    report = self.report
    return list(report.findings) if report is not None else []

  def add_note(self, note: str):
    # What JAX leaves out of the traceback is of no interest to the author of a kernel.
    if not _compat.is_filter_note(note):
      super().add_note(note)


def make_error(text: str, report: Report) -> KernelError:
  error = KernelError(text.rstrip("\n"))
  error._report = report
  report.text = str(error)
  return error


def adopt(error: BaseException):
  """Turns the exception that XLA creates for a failed kernel into a KernelError."""
  text = str(error)
  if type(error) is _compat.jax_runtime_error and is_marked(text):
    report = session.report_of(text)
    error.__class__ = KernelError
    error._report = report
    if report is not None:
      report.text = text = plain_text(text)
      error.args = (text,)


def error_of(error: ValueError) -> Exception | None:
  """What JAX's native dispatch made a bare ValueError of, as JAX raises it elsewhere."""
  text = str(error)
  if type(error) is not ValueError or not is_of_xla(text):
    return None
  failure = _compat.jax_runtime_error(text)
  adopt(failure)
  return failure
