"""`check` and `export`: a function run, or only lowered, for what its kernels do."""

from __future__ import annotations

import jax

from pallasite import compile_check, judge, options
from pallasite.errors import ResourceError, UnsupportedError
from pallasite.hook import _hook
from pallasite.kernel_error import KernelError
from pallasite.module import Module
from pallasite.report import Finding, Report, worst_verdict
from pallasite.session import session


def check(fn, *args, **stated) -> Report:
  """Runs `fn` on arguments and returns what its kernels did. Never raises for a finding.

  Takes the options of `install`, and `run`: with run=False kernels are lowered and verified only.
  The report keeps a copy of the inputs of each kernel, so that `compare` can tell who wrote an
  element and `value` what a buffer held.
  Either way JAX's own lowering for the chip is asked whether it takes them (checks="none" does not).
  """
  run = stated.pop("run", True)
  _refuse_unknown("check", stated)
  base = _hook.installed
  stated["on_finding"] = "record"
  chosen = (base or options.resolve({})).with_stated(stated, "check(...)")
  with (
    _hook.fresh_mode(chosen) as origin,
    session.as_data(),
    session.collect(origin) as reports,
    compile_check.asking() as asked,
  ):
    report = _checked(fn, args, run, reports)
  return _with_compile(report, asked)


def _checked(fn, args, run: bool, reports: list[Report]) -> Report:
  try:
    if run:
      outputs = jax.block_until_ready(jax.jit(lambda *a: fn(*a))(*args))
      return Report.merged(reports, outputs)
    with _hook.capture() as kernels:
      jax.jit(lambda *a: fn(*a)).lower(*args)
    found = [f for k in kernels for f in judge.known(k.program)[1]]
    found += [f for report in reports for f in report.findings]
    verdict = worst_verdict([f.verdict for f in found])
    return Report(verdict, found, kernels=[k.name for k in kernels], data={"checks": ["ir"]})
  except UnsupportedError as error:
    return _refused("unsupported", error.summary, error.location, reports)
  except ResourceError as error:
    return _refused("resource", str(error), None, reports)
  except KernelError as error:
    report = error.report
    if report is None:
      raise
    return Report.merged(reports or [report])


def _with_compile(report: Report, asked: list[str]) -> Report:
  """The report, with the compiler's answers as one more check."""
  if not asked:
    return report
  if any(f.code == "smem.exhausted" for f in report.findings):
    # Said already, with the largest allocation.
    report.findings = [f for f in report.findings if "available shared memory" not in f.message
                       or f.code != "compile.resources"]
  checks = [*report.data.get("checks", ())]
  report.data = {**report.data, "checks": list(dict.fromkeys([*checks, "compile"]))}
  return report


def export(fn, *args) -> Module:
  """The one kernel that `fn` calls on these arguments, as a module."""
  chosen = _hook.installed or options.resolve({})
  with _hook.fresh_mode(chosen), _hook.capture() as kernels:
    jax.jit(lambda *a: fn(*a)).lower(*args)
  if len(kernels) != 1:
    names = ", ".join(kernel.name for kernel in kernels) or "none"
    raise ValueError(f"export takes a function that calls one kernel; this one calls: {names}")
  return Module(kernels[0].text)


def _refuse_unknown(function: str, stated: dict):
  try:
    options.refuse_unknown(f"{function}()", stated)
  except TypeError as error:
    raise TypeError(
      f"{error}; give keyword arguments of the function itself with functools.partial"
    ) from None


def _refused(verdict: str, message: str, location, reports) -> Report:
  if reports and reports[-1].verdict == verdict:
    # The hook has told of it.
    return reports[-1] if len(reports) == 1 else Report.merged(reports)
  code = "run.unsupported" if verdict == "unsupported" else verdict
  finding = Finding(code, "error", message, [location] if location else [])
  report = Report.merged([*reports, Report(verdict, [finding])])
  session.add(report)
  return report
