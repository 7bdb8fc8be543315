"""Would it compile? JAX's own Mosaic GPU lowering is asked about each kernel, which needs no GPU.

What it cannot say is in docs/compile_check.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator

import jax

from pallasite import _compat, chips, engine
from pallasite.errors import ResourceError
from pallasite.guess import guessed_arch
from pallasite.kernel_error import KernelError
from pallasite.lower import Lowered
from pallasite.lower.names import user_body
from pallasite.options import Options
from pallasite.report import Finding, Report
from pallasite.session import session

# Answers that are kept: one is a few hundred bytes, and asking takes a good part of a second.
_MAX_KEPT = 512
# What JAX says where a kernel needs more of something than there is.
_RESOURCES = re.compile(
  r"exceeds available shared memory|TMEM allocation exceeds|columns, exceeding the limit"
)
_LAYOUTS = re.compile(r"layout", re.IGNORECASE)

_lock = threading.Lock()
# None stands for a kernel that is not refused.
_answers: OrderedDict[bytes, _compat.MosaicRefusal | None] = OrderedDict()
_this_thread = threading.local()


@contextlib.contextmanager
def asking() -> Iterator[list[str]]:
  """Within: every kernel that this thread lowers is asked about. The list names them."""
  names: list[str] = []
  before = getattr(_this_thread, "names", None)
  _this_thread.names = names
  try:
    yield names
  finally:
    _this_thread.names = before


def is_wanted(primitive, params: dict, chosen: Options) -> bool:
  """Whether a kernel that is being lowered is to be asked about."""
  names = getattr(_this_thread, "names", None)
  if not chosen.asks_compiler and (names is None or chosen.checks == "none"):
    return False
  # Without these parameters a pallas_call is a kernel of Triton.
  return primitive is not _compat.pallas_call_p or isinstance(
    params["compiler_params"], _compat.GpuCompilerParams
  )


def judge(ctx, primitive, params: dict, chosen: Options, lowered: Lowered | None):
  """Asks about a kernel that is being lowered, where that is wanted.

  Tells the session what JAX refuses, and raises it unless findings are only warned of or recorded.
  """
  if not is_wanted(primitive, params, chosen):
    return
  names = getattr(_this_thread, "names", None)
  jaxpr = _compat.kernel_jaxpr(params)
  chip = chosen.chip or chips.chip(guessed_arch(params))
  refusal = _answer(ctx, primitive, params, jaxpr, chip, chosen.num_sms or chip.num_sms, lowered)
  if names is not None:
    names.append(lowered.name if lowered else params.get("name") or "")
  if refusal is None:
    return
  is_note = isinstance(params.get("interpret"), _compat.interpret_gpu_params_class())
  finding, text = _finding(refusal, jaxpr, chip, "note" if is_note else "error")
  said = {"checks": ["compile"], "on_finding": chosen.on_finding}
  report = Report(finding.verdict, [finding], data=said)
  session.add(report)
  if is_note or chosen.on_finding == "record":
    return
  if finding.verdict == "resource":
    raise ResourceError(text)
  if chosen.on_finding == "raise":
    error = KernelError(text)
    error._report = report
    raise error


def _answer(ctx, primitive, params, jaxpr, chip, num_sms, lowered) -> _compat.MosaicRefusal | None:
  if not _compat.mosaic_lowers(primitive):
    text = f"JAX {jax.__version__} lowers no pl.pallas_call for Mosaic GPU; it takes plgpu.kernel"
    return _compat.MosaicRefusal(text, ())
  # With the lines of the source, which the answer names.
  text = lowered.text if lowered else jaxpr.pretty_print(source_info=True, use_color=False)
  key = _key(ctx, params, jaxpr, chip, num_sms, text)
  with _lock:
    if key in _answers:
      _answers.move_to_end(key)
      return _answers[key]
  refusal = _compat.ask_mosaic(ctx, primitive, params, chip, num_sms)
  with _lock:
    _answers[key] = refusal
    while len(_answers) > _MAX_KEPT:
      _answers.popitem(last=False)
  return refusal


def _key(ctx, params: dict, jaxpr, chip, num_sms: int, text: str) -> bytes:
  rest = {
    name: value
    for name, value in params.items()
    if name not in ("jaxpr", "jaxprs", "interpret", "debug", "metadata")
  }
  parts = (
    text, str(jaxpr), repr(sorted(rest.items(), key=lambda item: item[0])), repr(ctx.avals_in),
    repr(ctx.module_context.axis_context), chip.arch, str(num_sms), str(jax.config.jax_enable_x64),
  )
  return hashlib.sha256("\0".join(parts).encode()).digest()


def _finding(refusal, jaxpr, chip, level: str) -> tuple[Finding, str]:
  frames = [*refusal.frames] or _kernel_frames(jaxpr)
  arguments = {"text": refusal.text, "chip": chip.arch}
  if _RESOURCES.search(refusal.text):
    data, text = engine.diagnose(
      "compile.resources", "", arguments, frames, None if level == "error" else level
    )
    return Finding.from_json(data), text
  variant = "layout" if _LAYOUTS.search(refusal.text) else "refused"
  if refusal.primitive:
    variant, arguments["primitive"] = "primitive", refusal.primitive
  data, text = engine.diagnose("compile.refused", variant, arguments, frames, level)
  return Finding.from_json(data), text


def _kernel_frames(jaxpr) -> list:
  name, file, line = _compat.function_source((user_body(jaxpr) or jaxpr).debug_info)
  return [_compat.Frame(file, line, 1, name.rpartition(".")[2])] if line else []
