"""JAX's own Mosaic GPU lowering, asked about one kernel. It needs no GPU.

Nothing of what it makes is kept: the answer is whether it refuses, with what text, and where.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import jax
import jaxlib
from jax._src import sharding_impls
from jax._src.pallas import core as pallas_core
from jax.sharding import AbstractMesh, PartitionSpec
from jax.sharding import use_abstract_mesh as within_mesh

from pallasite._compat import common
from pallasite._compat.common import Frame, frames_of, mpmd_map_p, pallas_call_p

__all__ = [
  "MosaicRefusal",
  "ask_mosaic",
  "has_mosaic_rule",
  "is_asking_mosaic",
  "mosaic_lowers",
]


@dataclass(frozen=True)
class MosaicRefusal:
  # What JAX says, word for word.
  text: str
  # Innermost first; empty if JAX does not tell which equation it was at.
  frames: tuple[Frame, ...]
  # The name of the primitive that has no rule; else empty.
  primitive: str = ""


@dataclass(frozen=True)
class _AbstractChip:
  """What a mesh without devices holds in place of one. The lowering reads the capability."""

  device_kind: str
  num_cores: int
  compute_capability: str
  platform: str = "gpu"


_asking = threading.local()


def is_asking_mosaic() -> bool:
  """Whether the program that this thread lowers is only a question."""
  return getattr(_asking, "now", False)


@contextlib.contextmanager
def _is_asking() -> Iterator[None]:
  before = is_asking_mosaic()
  _asking.now = True
  try:
    yield
  finally:
    _asking.now = before


# ---- what there is to ask


def _lowering():
  return importlib.import_module("jax._src.pallas.mosaic_gpu.lowering")


def has_mosaic_rule(primitive) -> bool:
  """Whether the lowering has a rule for a primitive, under any of its semantics."""
  return any(primitive in rules for rules in _lowering().mosaic_lowering_rules.values())


def mosaic_lowers(primitive) -> bool:
  """Whether kernels of this entry point, mpmd_map or pallas_call, can be lowered for a GPU at all."""
  _lowering()
  if primitive is mpmd_map_p:
    return True
  from jax._src.pallas.mosaic_gpu import pallas_call_registration  # noqa: F401

  return pallas_core.get_lowering_rule(common.GpuCompilerParams, "gpu") is not None


# ---- the question


def ask_mosaic(ctx, primitive, params: dict, chip, num_sms: int) -> MosaicRefusal | None:
  """What JAX's lowering for a chip says against a call. `ctx` is that of the call's own lowering.

  The call is lowered alone, in a program of its own, so that code around it which only exists for
  the CPU does not matter.
  """
  asked = {name: value for name, value in params.items() if name != "kernel_arg_transforms"}
  asked |= {"interpret": False, "debug": False}
  if primitive is pallas_call_p and asked["compiler_params"] is None:
    asked["compiler_params"] = common.GpuCompilerParams()
  major, minor = chip.compute_capability
  device = _AbstractChip(chip.device_kind, num_sms, f"{major}.{minor}")
  shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in ctx.avals_in]

  def kernel(*operands):
    return primitive.bind(*operands, **asked)

  kernel, mesh = _on_devices_of(ctx, kernel, device)
  known = _known_kernels()
  before = set(known)
  with _is_asking(), _shared_memory_of(chip), within_mesh(mesh):
    try:
      jax.jit(kernel).trace(*shapes).lower(lowering_platforms=("cuda",))
    except Exception as error:
      refusal = _refusal(error) if _CALLBACK not in str(error) else None
      # The frames hold whole modules of MLIR.
      error.__traceback__ = error.__cause__ = error.__context__ = None
      return refusal
    finally:
      for key in known.keys() - before:
        del known[key]
  return None


def _known_kernels() -> dict:
  """Where the lowering keeps the text of each kernel it made, for good."""
  return getattr(importlib.import_module("jax.experimental.mosaic.gpu.core"), "KNOWN_KERNELS", {})


def _on_devices_of(ctx, kernel, device: _AbstractChip):
  """The kernel as it stands in the program's mesh of devices, if it has one; and that mesh."""
  context = ctx.module_context.axis_context
  if not isinstance(context, sharding_impls.SPMDAxisContext) or not context.manual_axes:
    return kernel, AbstractMesh((), (), abstract_device=device)
  real = context.mesh
  mesh = AbstractMesh(
    tuple(real.axis_sizes), tuple(real.axis_names), real.axis_types, abstract_device=device
  )
  mapped = jax.shard_map(
    kernel,
    mesh=mesh,
    in_specs=PartitionSpec(),
    out_specs=PartitionSpec(),
    axis_names=set(context.manual_axes),
    check_vma=False,
  )
  return mapped, mesh


# Device attributes are of the class, which all threads share.
_device_lock = threading.RLock()


@contextlib.contextmanager
def _shared_memory_of(chip) -> Iterator[None]:
  """Within: the first device says that it has as much shared memory as the chip.

  The lowering asks a real device, not the abstract one; without an answer it takes Hopper's limit.
  """
  name, wanted = "shared_memory_per_block_optin", chip.shared_memory_bytes
  if getattr(jax.local_devices()[0], name, 227 * 1024) == wanted:
    yield
    return
  with _device_lock:
    undo = common.replace(jax.Device, name, property(lambda self: wanted))
    try:
      yield
    finally:
      undo()


# ---- the answer

# The kernel is lowered by then, and a callback around it, which takes the profile, is what fails: JAX
# makes those for devices that are there.
_CALLBACK = "is different from the lowering platform"
_NO_RULE = re.compile(r"Unimplemented primitive in Pallas Mosaic GPU lowering: (\S+)")
# Locations of MLIR: a function's name, then file, line and column.
_PLACE = re.compile(r'"([^"]*)"\("([^"]+)":(\d+):(\d+)')


def _refusal(error: BaseException) -> MosaicRefusal:
  # With JAX's verbose errors on, the innermost equation wraps what was said.
  while type(error).__name__ == "LoweringError" and error.__cause__ is not None:
    error = error.__cause__
  text = _text(error)
  no_rule = _NO_RULE.search(text)
  return MosaicRefusal(text, tuple(_frames(error)), no_rule[1] if no_rule else "")


def _text(error: BaseException) -> str:
  text = str(error).strip()
  if text and not isinstance(error, (LookupError, AssertionError, AttributeError)):
    return text
  name = type(error).__name__
  if text:
    return f"{name}: {text}"
  where = ""
  for frame, line in _stack(error):
    where = f" at {_short(frame.f_code.co_filename)}:{line}"
  return name + where


def _short(file: str) -> str:
  """A file of an installed package by its path in there."""
  return re.split(r"[\\/](?:site|dist)-packages[\\/]", file)[-1]


def _stack(error: BaseException) -> list[tuple]:
  frames, step = [], error.__traceback__
  while step is not None:
    frames.append((step.tb_frame, step.tb_lineno))
    step = step.tb_next
  return frames


def _frames(error: BaseException) -> list[Frame]:
  """Where in the kernel the lowering was, innermost first."""
  stack = _stack(error)
  # An error of MLIR's verifier has frames of the op it was at; inline_mgpu calls a user's function.
  user = [
    Frame(frame.f_code.co_filename, line, 0, frame.f_code.co_name)
    for frame, line in reversed(stack)
    if _is_users(frame.f_code.co_filename)
  ]
  return [*user, *_equation_frames(stack)] or _op_frames(stack)


_PACKAGES = tuple(
  os.path.dirname(os.path.abspath(module.__file__)) + os.sep for module in (jax, jaxlib)
)
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _is_users(file: str) -> bool:
  """Whether a file is a kernel's: also those of the kernels that come with JAX."""
  if not os.path.isabs(file) or file.startswith(_OWN):
    return False
  if file.startswith(_LIBRARY) and _short(file) == file:
    return False
  kernels = os.path.join(_PACKAGES[0], "experimental", "pallas", "ops", "")
  return not file.startswith(_PACKAGES) or file.startswith(kernels)


def _equation_frames(stack) -> list[Frame]:
  """Frames of the equations that were being lowered, each inside the one before."""
  chain, inside = [], False
  for frame, _ in stack:
    eqn = frame.f_locals.get("eqn")
    if not hasattr(eqn, "source_info"):
      continue
    if inside:
      chain = [*frames_of(eqn.source_info), *chain]
    inside = inside or eqn.primitive in (mpmd_map_p, pallas_call_p)
  return chain


def _op_frames(stack) -> list[Frame]:
  """The place of the MLIR op that was being lowered, where equations are past."""
  for frame, _ in reversed(stack):
    code = frame.f_code
    # Arguments only: what a loop over all ops left behind says nothing.
    for name in code.co_varnames[: code.co_argcount]:
      value = frame.f_locals.get(name)
      if name != "op" and not name.endswith("_op") or not hasattr(value, "location"):
        continue
      for function, file, line, column in _PLACE.findall(str(value.location)):
        if _is_users(file):
          return [Frame(file, int(line), int(column) + 1, function)]
  return []
