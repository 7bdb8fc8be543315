"""The native engine as Python uses it: the only file that imports `pallasite._engine`.

What the native module offers:

- `version() -> str`
- `verify(text, options="{}", key=None) -> str`: a JSON list of diagnostics, of all that is known
  before the module runs. Options and key are those of a call.
- `render_problems(...)`, of the same arguments: the diagnostics as text.
- `diagnose(diagnostic) -> (diagnostic, text)`: what Python found, given as JSON of code, variant,
  arguments, level and frames; the same in full, and as text for a person.
- `run(text, arrays, options) -> (outputs, report, kept)`: options and report are JSON; `kept` is a
  KeptRun (api/kept_run.h), which can run again for `find_output(array)`, `last_writer(output,
  element)` and `value(request)`.
- `take_interrupt()`: what a signal handler raised during a run, once; or None.
- `end_runs()`: interrupts the runs of XLA's threads and waits for their end; none begin afterwards.
- `pallasite_run`: the capsule of the XLA FFI handler. A call has the attributes `program` (the
  module's text as u8[n]), `key` (a 64-bit hash of the program and the options, under which parsed
  modules are kept) and `options` (JSON: arch, arch_guessed, uninitialized_memory, out_of_bounds_reads; in `run` those
  run options that are stated at the kernel and so go before those set below; in `jax`, where the
  user gave JAX's InterpretGPUParams, detect_races and on_race: legality findings are then notes;
  `program` and `devices`, of the program that the kernel is a part of; `compiler_asked`, whether
  JAX's own lowering was; `keep_inputs` and `origin` under `check`).
- `set_run_options(options)`: JSON of checks, on_finding, seed, schedule, schedules, async_values,
  max_steps, workers, read when a kernel runs.
- `set_report_sink(function)`: `function(record, kept)` is called once for each kernel that ran under
  JAX, with the GIL held, before the handler returns. `record.json()` is the report; `is_plain`
  (nothing was found, on one device), `origin` and `seconds` are there without it, so that a kernel
  with nothing to say of costs next to nothing. It returns the positions of those findings that
  are silenced: they count neither for the handler's result nor in its message. Of a program on
  several devices a failure is told a second time, with its text as `deferred`, since the handler
  returns no error. A report is JSON: `verdict`, `findings` (as
  `verify` gives diagnostics), `kernel`, `stats`, `schedule`, `id`, `on_finding`, and whatever else
  there is to say. If the handler then returns an error, its message ends with
  `[pallasite report ID]`.
- `explain(code) -> str`: JSON; empty for an unknown code. `suggest_codes(code)`: what may be meant.
- `catalogue() -> str`, `ops() -> str`: JSON lists of all entries and of the op table.
- `cli_main(args, silence=None) -> (code, request)`: the command line. `request` is None, or JSON of what
  Python has to do: run a program, or look at the installation. `silence(report, text)` is asked of
  the JSON report on a kernel of a file, with its bytes, before it is shown: it returns the positions
  of findings that are silenced, these findings as JSON, and lines to tell of them.
- `set_display(display)`: JSON of prefix_prints, print_block, progress: what a person sees of runs.
- `build_info() -> str`: JSON of version, compiler, build, machine, instruction_set, onednn,
  processors.
"""

from __future__ import annotations

import atexit
import functools
import json
from collections.abc import Callable, Sequence

from pallasite.errors import EngineMissingError

FFI_TARGET = "pallasite_run"


@functools.cache
def native():
  try:
    from pallasite import _engine
  except ImportError as error:
    raise EngineMissingError(
      "pallasite's native module is not installed, so kernels can be converted but not run "
      f"({error})"
    ) from error
  return _engine


def _offered(name: str):
  """A name of the native module, which may have been built without it."""
  found = getattr(native(), name, None)
  if found is None:
    raise EngineMissingError(f"pallasite's native module does not offer `{name}`")
  return found


@functools.cache
def register_ffi_target():
  """Makes the handler known to XLA, once in a process."""
  import jax

  jax.ffi.register_ffi_target(FFI_TARGET, _offered("pallasite_run"), platform="cpu")
  # A thread that comes for the GIL of an interpreter that is gone takes the process down.
  atexit.register(_offered("end_runs"))


def set_report_sink(sink: Callable[[object, object], Sequence[int]] | None):
  """Has `sink` called with the record of each kernel that ran under JAX, before its call
  returns or raises. It returns the positions of findings that are silenced."""
  _offered("set_report_sink")(sink)


def set_run_options(options: dict):
  _offered("set_run_options")(json.dumps(options, sort_keys=True))


def verify(text: str, options: str = "{}", key: int | None = None) -> list[dict]:
  """Diagnostics of a module; empty if it is well-formed and can run."""
  return json.loads(_offered("verify")(text, options, key))


def render_problems(text: str, options: str = "{}", key: int | None = None) -> str:
  return _offered("render_problems")(text, options, key)


def diagnose(
  code: str, variant: str, arguments: dict, frames: Sequence, level: str | None = None
) -> tuple[dict, str]:
  """A diagnostic that Python found, as data and as text. Frames are innermost first."""
  places = [
    {"file": f.file, "line": f.line, "column": f.column, "function": f.function, "note": f.note}
    for f in frames
  ]
  said = {"code": code, "variant": variant, "arguments": arguments, "frames": places}
  if level is not None:
    said["level"] = level
  data, text = _offered("diagnose")(json.dumps(said))
  return json.loads(data), text


def cli_main(
  args: Sequence[str], silence: Callable[[str, bytes], tuple[list[int], str, str]] | None = None
) -> tuple[int, str | None]:
  code, request = _offered("cli_main")(list(args), silence)
  return code, request


def set_display(**display):
  _offered("set_display")(json.dumps(display))


def build_info() -> dict:
  return json.loads(_offered("build_info")())


def run(text: str, arrays: Sequence, options: dict) -> tuple[list, str, object]:
  """Runs a module on arrays. Returns its outputs, the JSON report and what was kept of the run."""
  outputs, report, kept = _offered("run")(text, list(arrays), json.dumps(options, sort_keys=True))
  return list(outputs), report, kept


def take_interrupt() -> BaseException | None:
  """What a signal handler raised during a run, once."""
  return _offered("take_interrupt")()


def explain(code: str) -> dict:
  found = _offered("explain")(code)
  if not found:
    near = ", ".join(_offered("suggest_codes")(code))
    raise KeyError(f"no diagnostic has the code {code!r}" + (f"; near: {near}" if near else ""))
  return json.loads(found)
