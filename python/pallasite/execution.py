"""Runs the programs that have kernels of ours in them to their end, and raises what became of them.

An error is raised where the program is called and not where its results are first used. Of a program
on several devices it is raised once all have left the program: a participant that is missing in a
collective operation would end the process.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable

import jax

from pallasite import _compat, engine
from pallasite.errors import raise_interrupt
from pallasite.kernel_error import KernelError, adopt, make_error
from pallasite.report import Report
from pallasite.session import session

# Reports of two executions of one program could not be told apart.
_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

# The engine says so where a signal handler raised while the report of a run was taken.
_INTERRUPTED = re.compile(r"^[A-Z_]+: \[pallasite interrupted\]")


def run_program(execute: Callable[[], list], name: str, devices: int) -> list:
  if devices == 1:
    reports: list[Report] = []
    results, interrupt = _run(execute, reports)
  else:
    with _locks[name], session.execution(name) as reports:
      results, interrupt = _run(execute, reports)
  if interrupt is None and not reports:
    return results
  # A program on several devices has ended all of its kernels by itself.
  ended = [report for report in reports if report.was_interrupted]
  if interrupt is None and ended:
    interrupt = engine.take_interrupt() or KeyboardInterrupt()
  if interrupt is not None:
    if not ended and session.last is not None and session.last.was_interrupted:
      ended = [session.last]
    raise_interrupt(interrupt, ended[0] if ended else None)
  for report in reports:
    if "deferred" in report.data:
      raise make_error(report.data["deferred"], report)
  return results


def _run(execute: Callable[[], list], reports: list[Report]) -> tuple:
  """Runs a program to its end. Returns its results, and what interrupted it, if anything did."""
  results = None
  try:
    results = execute()
    for result in results:
      result.block_until_ready()
    if not results:
      jax.effects_barrier()
    return results, None
  except KeyboardInterrupt as error:
    # The kernels, which may be on other threads, have seen the signal too and are about to end.
    try:
      jax.block_until_ready(results)
    except KernelError as failed:
      reports.append(failed.report)
    return results, error
  except (_compat.jax_runtime_error, ValueError) as error:
    # Otherwise done when it is made, but `uninstall` may have come before.
    adopt(error)
    report = error.report if isinstance(error, KernelError) else None
    if report is not None and report.was_interrupted:
      reports.append(report)
    elif not _INTERRUPTED.search(str(error)):
      raise
    return results, engine.take_interrupt() or KeyboardInterrupt()
