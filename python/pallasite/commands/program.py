"""`pallasite run` and `pallasite check` of a Python program."""

from __future__ import annotations

import dataclasses
import json
import os
import runpy
import shlex
import sys
import traceback

import pallasite
from pallasite import engine, options, silence
from pallasite.errors import ResourceError, UnsupportedError
from pallasite.hook import _hook
from pallasite.kernel_error import KernelError
from pallasite.report import Report
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
_PROGRAM_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130


def run(request: dict) -> int:
  """`request` is as src/pallasite/cli/cli.h describes it. Returns the exit code."""
  stated = dict(request["options"])
  if request["verb"] == "check":
    # A fault raises nothing, so that what comes after it is judged too.
    stated["on_finding"] = "record"
  script = request.get("script")
  if script is not None and not os.path.isfile(script):
    why = "it is a folder" if os.path.isdir(script) else "no such file"
    print(f"pallasite: cannot read {script}: {why}", file=sys.stderr)
    return _USAGE
  # XLA drops a call whose outputs nobody uses; here the user wants to know of every kernel.
  _hook.keep_all = True
  _hook.no_run = bool(request.get("no_run"))
  try:
    if request["verb"] == "check":
      stated["checks"] = _with_compile(options.resolve(stated).checks)
    pallasite.install(**stated)
    engine.set_display(
      prefix_prints=True,
      print_block=request.get("print_block", ""),
      progress=sys.stderr.isatty() and not request.get("quiet"),
    )
  except (ValueError, UnsupportedError) as error:
    print(f"pallasite: {error}", file=sys.stderr)
    return _USAGE
  with session.collect() as reports:
    code = _execute(request)
  sys.stdout.flush()
  verdict = session.verdict
  if isinstance(code, _NotStarted):
    print(f"pallasite: {code.why}", file=sys.stderr)
    return _USAGE
  account = session.silencer.account(session.totals.lines)
  if not session.runs:
    # What matched nothing is no news where nothing ran.
    account["unused"] = []
  silenced = sum(len(report.silenced) for report in reports)
  if not (request.get("quiet") and verdict == "clean"):
    print(_summary(no_run=_hook.no_run), file=sys.stderr)
  if not request.get("quiet"):
    for line in silence.told(silenced, **account):
      print(f"  {line}", file=sys.stderr)
  again = _command_again(request, reports)
  if again:
    print(f"found under a random schedule; to see it again:\n  {again}", file=sys.stderr)
  if "json" in request:
    try:
      _write_json(request["json"], reports, code, {"silenced": silenced, **account})
    except OSError as error:
      # It could be written before the program ran; the verdict still counts.
      print(f"pallasite: cannot write {request['json']}: {error.strerror}", file=sys.stderr)
      code = code or _USAGE
  if verdict == "warning" and request.get("fail_on") == "warning":
    return EXIT_CODES["error"]
  return EXIT_CODES[verdict] or code


def _with_compile(checks: str) -> str:
  """As `pallasite.check` has it: JAX's compiler is asked too, unless nothing is to be checked."""
  return checks if checks == "none" or "compile" in checks else f"{checks},compile"


@dataclasses.dataclass
class _NotStarted:
  """There is no such module to run."""

  why: str


def _execute(request: dict) -> int | _NotStarted:
  """Runs the program as `python` would; its exit code."""
  module, script = request.get("module"), request.get("script")
  sys.argv = [module or script, *request["args"]]
  if module:
    sys.path.insert(0, "")
  else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
  try:
    if module:
      runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
      runpy.run_path(script, run_name="__main__")
  except SystemExit as end:
    if end.code is None or end.code == 0:
      return 0
    if isinstance(end.code, int):
      print(f"pallasite: the program ended with exit code {end.code}", file=sys.stderr)
    else:
      print(end.code, file=sys.stderr)
    return _PROGRAM_FAILED
  except KeyboardInterrupt:
    return _INTERRUPTED
  except Exception as error:
    if module and isinstance(error, ImportError) and _without_our_frames(error.__traceback__) is None:
      return _NotStarted(str(error))
    _print_exception(error)
    return _PROGRAM_FAILED
  return 0


# ---- tracebacks


def _print_exception(error: Exception):
  """As `python` does, without our own frames; of what we raised, without those of JAX either."""
  trace = _without_our_frames(error.__traceback__)
  if not isinstance(error, (KernelError, UnsupportedError, ResourceError)):
    traceback.print_exception(type(error), error, trace)
    return
  shown = traceback.TracebackException(type(error), error, trace)
  hidden = 0
  # What JAX chains to an error is the same one with its own frames.
  shown.__cause__ = shown.__context__ = None
  shown.__notes__ = None
  kept = [frame for frame in shown.stack if not _is_internal(frame.filename)]
  if kept:
    hidden = len(shown.stack) - len(kept)
    shown.stack = traceback.StackSummary.from_list(kept)
  print("".join(shown.format()), end="", file=sys.stderr)
  if hidden:
    print(f"({hidden} frames of JAX and pallasite are left out)", file=sys.stderr)


def _is_internal(file: str) -> bool:
  if file.startswith("<frozen"):
    return True
  folder = os.path.dirname(os.path.abspath(file)) + os.sep
  return folder.startswith(_internal_folders())


def _internal_folders() -> tuple[str, ...]:
  import jax
  import jaxlib

  packages = (jax, jaxlib, pallasite)
  return tuple(os.path.dirname(os.path.abspath(p.__file__)) + os.sep for p in packages)


def _without_our_frames(trace):
  inner = trace
  while inner is not None and inner.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
    inner = inner.tb_next
  while inner is not None and inner.tb_frame.f_code.co_filename.startswith("<frozen runpy"):
    inner = inner.tb_next
  # None: the program itself has not begun.
  return inner


# ---- what is said at the end


def _summary(no_run: bool) -> str:
  """One line on the session, then one for each different finding."""
  runs = "not run" if no_run else _count(session.runs, "run")
  lines = [f"pallasite: {_count(session.lowered, 'kernel')} lowered, {runs}: {session.verdict}"]
  if not session.lowered and session.verdict == "clean":
    lines = ["pallasite: no kernel was lowered, so nothing was tested"]
  for finding in session.findings.values():
    place = "{}:{}: ".format(*finding.locations[0]) if finding.locations else ""
    first_line = finding.message.splitlines()[0] if finding.message else ""
    lines.append(f"  {place}{finding.level}[{finding.code}]: {first_line}")
  return "\n".join(lines)


def _count(number: int, noun: str) -> str:
  return f"{number} {noun}" + ("" if number == 1 else "s")


def _command_again(request: dict, reports: list[Report]) -> str:
  """The command that shows the findings of a random schedule again; empty without such."""
  found = [r for r in reports if r.findings and r.data.get("policy") == "random"]
  if not found:
    return ""
  # With `--schedules`, each run that found something has a seed of its own.
  seed = found[0].data["seed"]
  words = ["pallasite", request["verb"], "--schedule", "random", "--seed", str(seed)]
  words += request["typed"]
  words += ["-m", request["module"]] if "module" in request else [request["script"]]
  return shlex.join([*words, *request["args"]])


def _write_json(path: str, reports: list[Report], code: int, silencing: dict):
  merged = Report.merged(reports) if reports else Report("clean")
  text = json.dumps(
    {
      "verdict": session.verdict,
      "kernels_lowered": session.lowered,
      "runs": session.runs,
      "program_exit_code": code,
      "silencing": {
        "silenced": silencing["silenced"],
        "entries": [
          dict(zip(("entry", "reason", "silenced", "refused"), entry)) for entry in silencing["silence"]
        ],
        "unused": [dict(zip(("entry", "reason"), entry)) for entry in silencing["unused"]],
        "problems": silencing["problems"],
      },
      "checks": merged.checks,
      "checks_not_built": merged.checks_not_built,
      "reports": [report.to_dict() for report in reports],
    },
    indent=1,
  )
  if path == "-":
    print(text)
    return
  with open(path, "w", encoding="utf-8") as file:
    file.write(text + "\n")
