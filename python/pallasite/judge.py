"""What is wrong with a kernel before it runs, raised where JAX lowers it."""

from __future__ import annotations

from typing import NamedTuple

from pallasite import engine
from pallasite.errors import EngineMissingError, ResourceError, UnsupportedError
from pallasite.kernel_error import KernelError
from pallasite.report import Finding, Report, worst_verdict
from pallasite.session import session


class Program(NamedTuple):
  """A kernel as the engine takes it: the module, the options of the call, and a hash of both."""

  text: str
  options: str
  key: int


def judge(program: Program, on_finding: str):
  """Raises the error of a kernel that cannot start.

  Where findings are only warned of or recorded, an error is left to the run, which reports it.
  """
  try:
    found = [Finding.from_json(d) for d in engine.verify(*program)]
  except EngineMissingError:
    # Without it there is nothing to judge by, nor to run with; the call will say so.
    return
  verdict = worst_verdict([finding.verdict for finding in found])
  if verdict in ("clean", "warning") or on_finding == "record":
    return
  if verdict == "error" and on_finding != "raise":
    return
  report = Report(verdict, found)
  session.add(report)
  text = report.text = engine.render_problems(*program)
  if verdict == "unsupported":
    error = UnsupportedError(text, found[0].locations[0] if found[0].locations else None)
  elif verdict == "resource":
    error = ResourceError(text)
  else:
    error = KernelError(text)
  error._report = report
  raise error


def judge_only(program: Program, name: str):
  """Reports what is known of a kernel that will not run; raises nothing."""
  found = [Finding.from_json(d) for d in engine.verify(*program)]
  verdict = worst_verdict([finding.verdict for finding in found])
  session.add(Report(verdict, found, kernels=[name], data={"checks": ["ir"]}))


def tell(error: UnsupportedError):
  """Counts a kernel that could not be converted: the caller may swallow the error."""
  session.totals.refused += 1
  places = [error.location] if error.location else []
  finding = Finding(
    "run.unsupported", "error", error.summary, places, {"verdict": "unsupported"}
  )
  error._report = Report("unsupported", [finding])
  session.add(error._report)
