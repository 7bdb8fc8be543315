"""The command `pallasite`: runs Python programs here, and hands everything else to the engine."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback

import pallasite
from pallasite import engine
from pallasite.errors import UnsupportedError
from pallasite.hook import _hook
from pallasite.session import session

# Of several verdicts the worst decides.
EXIT_CODES = {
  "clean": 0,
  "warning": 0,
  "error": 3,
  "unsupported": 4,
  "resource": 5,
  "internal": 6,
  "incomplete": 7,
}
_SCRIPT_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130


def main(args: list[str] | None = None) -> int:
  args = list(sys.argv[1:] if args is None else args)
  if not _is_python_program(args):
    return engine.cli_main(args)
  options = _parser().parse_args(args[1:])
  if not (options.module or options.script):
    _parser().error("which script? (or: -m module)")
  return _run_program(options)


def _is_python_program(args: list[str]) -> bool:
  """Whether `run` names a script or a module and not a kernel in a file."""
  if args[:1] != ["run"] or args[1:2] in (["--help"], ["-h"]):
    return False
  for arg in args[1:]:
    if arg.endswith(".pir"):
      return False
    if arg == "-m" or arg.endswith(".py"):
      return True
  # A script need not end in .py, but it is there.
  return any(os.path.isfile(arg) for arg in args[1:])


def _parser() -> argparse.ArgumentParser:
  parser = argparse.ArgumentParser(
    "pallasite run",
    description="Runs a Python program; its Pallas Mosaic GPU kernels run under pallasite. Options "
    "of pallasite come first.",
  )
  parser.add_argument("--arch", help="the chip to be: h100, b200, a100, or sm_90a, ...")
  parser.add_argument("--num-sms", type=int, help="how many SMs it has")
  parser.add_argument("--checks", help="none or default")
  parser.add_argument("--on-finding", choices=("raise", "warn", "record"))
  parser.add_argument("--seed", type=int)
  parser.add_argument("--schedule")
  parser.add_argument("--async-values")
  parser.add_argument("--max-steps", type=int)
  parser.add_argument("--workers", type=int)
  parser.add_argument("--numerics")
  parser.add_argument("--fail-on", choices=("warning",))
  parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="run a module")
  parser.add_argument("script", nargs=argparse.REMAINDER)
  return parser


def _run_program(options: argparse.Namespace) -> int:
  names = (
    "arch", "num_sms", "checks", "on_finding", "seed", "schedule", "async_values", "max_steps",
    "workers", "numerics",
  )
  stated = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
  # XLA drops a call whose outputs nobody uses; here the user wants to know of every kernel.
  _hook.keep_all = True
  try:
    pallasite.install(**stated)
  except (ValueError, UnsupportedError) as error:
    print(f"pallasite: {error}", file=sys.stderr)
    return _USAGE
  code = _execute(options)
  sys.stdout.flush()
  print(_summary(), file=sys.stderr)
  verdict = session.verdict
  if verdict == "warning" and options.fail_on == "warning":
    return EXIT_CODES["error"]
  return EXIT_CODES[verdict] or code


def _execute(options: argparse.Namespace) -> int:
  """Runs the program as `python` would; its exit code."""
  if options.module:
    name, *rest = options.module
    sys.argv = [name, *rest]
    sys.path.insert(0, "")
    run = lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)  # noqa: E731
  else:
    name, *rest = options.script
    sys.argv = [name, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    run = lambda: runpy.run_path(name, run_name="__main__")  # noqa: E731
  try:
    run()
  except SystemExit as end:
    if end.code is None or end.code == 0:
      return 0
    if not isinstance(end.code, int):
      print(end.code, file=sys.stderr)
    return _SCRIPT_FAILED
  except KeyboardInterrupt:
    return _INTERRUPTED
  except Exception as error:
    traceback.print_exception(type(error), error, _without_our_frames(error.__traceback__))
    return _SCRIPT_FAILED
  return 0


def _without_our_frames(trace):
  inner = trace
  while inner is not None and inner.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
    inner = inner.tb_next
  while inner is not None and inner.tb_frame.f_code.co_filename.startswith("<frozen runpy"):
    inner = inner.tb_next
  return inner or trace


def _summary() -> str:
  """One line on the session, then one for each different finding."""
  lines = [
    f"pallasite: {session.lowered} kernels lowered, {session.runs} runs: {session.verdict}"
  ]
  for finding in session.findings.values():
    place = "{}:{}: ".format(*finding.locations[0]) if finding.locations else ""
    first_line = finding.message.splitlines()[0] if finding.message else ""
    lines.append(f"  {place}{finding.level}[{finding.code}]: {first_line}")
  return "\n".join(lines)
