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
    verdict, found = known(program)
  except EngineMissingError:
    # Without it there is nothing to judge by, nor to run with; the call will say so.
    return
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
    if verdict == "internal":
      text = next(f.message for f in found if f.verdict == "internal") + "\n" + text
      report.text = text
    error = KernelError(text)
  error._report = report
  raise error


def judge_only(program: Program, name: str, compiler_asked: bool):
  """Reports what is known of a kernel that will not run; raises nothing."""
  verdict, found = known(program)
  checks = ["ir", "compile"] if compiler_asked else ["ir"]
  session.add(Report(verdict, found, kernels=[name], data={"checks": checks}))


def known(program: Program) -> tuple[str, list[Finding]]:
  """Verdict and findings of what is known of a kernel before it runs."""
  found = [_ours(Finding.from_json(d)) for d in engine.verify(*program)]
  return worst_verdict([finding.verdict for finding in found]), found


def _ours(finding: Finding) -> Finding:
  """The finding. Whoever wrote the kernel did not write its module: what is wrong with that is our
  mistake."""
  if finding.code not in ("ir.parse", "ir.verify"):
    return finding
  message = (
    f"pallasite made a module of this kernel that is not well-formed ({finding.message}); please "
    "report it with the kernel"
  )
  data = {**finding.data, "verdict": "internal", "code": "run.internal", "message": message}
  return Finding("run.internal", "error", message, finding.locations, data)


def tell(error: UnsupportedError):
  """Counts a kernel that could not be converted: the caller may swallow the error."""
  session.totals.refused += 1
  places = [error.location] if error.location else []
  finding = Finding(
    "run.unsupported", "error", error.summary, places, {"verdict": "unsupported"}
  )
  error._report = Report("unsupported", [finding])
  session.add(error._report)
