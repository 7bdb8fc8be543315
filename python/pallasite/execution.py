"""Runs the programs that have kernels of ours in them to their end, and raises what became of them.

An error is raised where the program is called and not where its results are first used. Of a program
on several devices it is raised once all have left the program: a participant that is missing in a
collective operation would end the process.
"""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable

import jax

from pallasite import engine
from pallasite.errors import KernelInterrupted
from pallasite.kernel_error import KernelError, make_error
from pallasite.report import Report
from pallasite.session import session

# Reports of two executions of one program could not be told apart.
_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)


def run_program(execute: Callable[[], list], name: str, devices: int) -> list:
  with _locks[name] if devices > 1 else contextlib.nullcontext():
    with session.execution(name) as reports:
      results, interrupt = None, None
      try:
        results = execute()
        jax.block_until_ready(results)
        if not results:
          jax.effects_barrier()
      except KeyboardInterrupt as error:
        interrupt = error
        # The kernels, which may be on other threads, have seen the signal too and are about to end.
        try:
          jax.block_until_ready(results)
        except KernelError as failed:
          reports.append(failed.report)
      except KernelError as error:
        if not was_interrupted(error.report):
          raise
        interrupt = engine.take_interrupt() or KeyboardInterrupt()
        reports.append(error.report)
    # A program on several devices has ended all of its kernels by itself.
    ended = [report for report in reports if was_interrupted(report)]
    if interrupt is None and ended:
      interrupt = engine.take_interrupt() or KeyboardInterrupt()
    if interrupt is not None:
      if not ended and was_interrupted(session.last):
        ended = [session.last]
      raise_interrupt(interrupt, ended[0] if ended else None)
    for report in reports:
      if "deferred" in report.data:
        raise make_error(report.data["deferred"], report)
    return results


def was_interrupted(report: Report | None) -> bool:
  return report is not None and any(f.code == "run.interrupted" for f in report.findings)


def raise_interrupt(interrupt: BaseException, report: Report | None):
  """Raises what a signal handler raised while a kernel ran; of Ctrl-C with the report in it."""
  if type(interrupt) is KeyboardInterrupt and report is not None:
    raise KernelInterrupted(report) from None
  raise interrupt
