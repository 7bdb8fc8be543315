"""What is the same in all supported JAX versions."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import jax
import numpy as np
from jax._src import core as jax_core
from jax._src import effects as jax_effects
from jax._src import lib as jax_lib
from jax._src import source_info_util, traceback_util
from jax._src.interpreters import mlir
from jax._src.pallas import core as pallas_core
from jax._src.pallas import mpmd
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.state import indexing
from jax._src.state import types as state_types
from jax.experimental import pallas as pl
from jax.extend.core import Literal, Primitive, Var

__all__ = [
  "ErrorWithPlace",
  "Frame",
  "GpuCompilerParams",
  "GpuMesh",
  "Literal",
  "TransformedRef",
  "Var",
  "answer_device_questions",
  "answer_race_queries",
  "barrier_facts",
  "block_facts",
  "decode_transforms",
  "frames_of",
  "function_source",
  "hide_frames",
  "interpret_gpu_params_class",
  "is_filter_note",
  "is_jax_array_type",
  "is_key_array",
  "is_ref",
  "jax_runtime_error",
  "keep_equations",
  "kernel_jaxpr",
  "key_functions",
  "layout_text",
  "lowering_rule",
  "mpmd_map_p",
  "needs_tensor_memory",
  "numbers_of_keys",
  "open_jaxpr",
  "pallas_call_p",
  "platforms_of",
  "prepare_runtime_error",
  "primitive_key",
  "random_gamma",
  "ref_facts",
  "replace",
  "says_its_place",
  "scan_counts",
  "sequential_dimensions",
  "undo_block_transforms",
]

pallas_call_p = pl.pallas_call_p
mpmd_map_p = mpmd.mpmd_map_p
GpuMesh = gpu_core.Mesh
GpuCompilerParams = gpu_core.CompilerParams
TransformedRef = state_types.TransformedRef


# ---- primitives

# Modules that define primitives, and the family name under which rules know them. Names alone are
# not unique: semaphore_wait exists in two of these.
_PRIMITIVE_MODULES = {
  "jax._src.lax.lax": "lax",
  "jax._src.ad_util": "lax",
  "jax._src.lax.slicing": "lax",
  "jax._src.lax.special": "lax",
  "jax._src.lax.parallel": "lax",
  "jax._src.lax.windowed_reductions": "lax",
  "jax._src.lax.ann": "lax",
  "jax._src.lax.control_flow.solves": "lax",
  "jax._src.ad_util": "jax",
  "jax._src.dispatch": "jax",
  "jax._src.interpreters.ad": "jax",
  "jax._src.random.threefry2x32": "random",
  "jax._src.random.prng": "random",
  "jax._src.random.core": "random",
  "jax._src.interpreters.partial_eval": "jax",
  "jax._src.pjit": "jax",
  "jax._src.ad_checkpoint": "jax",
  "jax._src.custom_derivatives": "jax",
  "jax._src.debugging": "jax",
  "jax._src.checkify": "jax",
  "jax._src.lax.control_flow.loops": "lax",
  "jax._src.lax.control_flow.conditionals": "lax",
  "jax._src.state.primitives": "state",
  "jax._src.state.discharge": "state",
  "jax._src.pallas.primitives": "pallas",
  "jax._src.pallas.mpmd": "pallas",
  "jax._src.pallas.core": "pallas",
  "jax._src.pallas.mosaic_gpu.core": "mosaic_gpu",
  "jax._src.pallas.mosaic_gpu.primitives": "mosaic_gpu",
  "jax._src.pallas.mosaic_gpu.lowering": "mosaic_gpu",
}


@functools.cache
def _primitive_families() -> dict[int, str]:
  families: dict[int, str] = {}
  for module_name, family in _PRIMITIVE_MODULES.items():
    try:
      module = importlib.import_module(module_name)
    except ImportError:
      continue
    for value in vars(module).values():
      # The first module that holds a primitive wins: later ones import it.
      if isinstance(value, Primitive):
        families.setdefault(id(value), family)
  return families


@functools.cache
def primitive_key(primitive: Primitive) -> str:
  """"family.name" of a primitive of JAX; "?.name" for one that somebody else defined."""
  from pallasite import _compat

  family = _primitive_families().get(id(primitive), "?")
  return f"{family}.{_compat.canonical_primitive_name(primitive.name)}"


# ---- jaxprs and abstract values


def open_jaxpr(jaxpr) -> tuple[object, Sequence]:
  """The body of an open or closed jaxpr, and the values of its constants."""
  inner = getattr(jaxpr, "jaxpr", jaxpr)
  return inner, tuple(getattr(jaxpr, "consts", ()) or ())


def kernel_jaxpr(params: dict):
  """The body of the kernel that an equation of either primitive calls."""
  return open_jaxpr(params["jaxprs"][0] if "jaxprs" in params else params["jaxpr"])[0]


def needs_tensor_memory(jaxpr) -> bool:
  """Whether anything in a kernel is, or uses, the tensor memory of Blackwell."""

  def is_of_it(var) -> bool:
    return isinstance(var.aval, gpu_core.AbstractTMEMRef)

  def uses_it(eqn) -> bool:
    return any(part in eqn.primitive.name for part in ("tcgen05", "tmem")) or any(
      needs_tensor_memory(inner) for inner in _jaxprs_in(eqn.params)
    )

  inner, _ = open_jaxpr(jaxpr)
  return any(map(is_of_it, inner.invars)) or any(map(uses_it, inner.eqns))


def _jaxprs_in(parameters: dict) -> Iterable:
  for value in parameters.values():
    for item in value if isinstance(value, (tuple, list)) else (value,):
      if hasattr(open_jaxpr(item)[0], "eqns"):
        yield item


def scan_counts(params: dict) -> tuple[int, int]:
  """How many operands of a scan are constants and how many are carried."""
  constants, carry, _ = params["ft_in"].unpack()
  return len(constants), len(carry)


def is_ref(aval) -> bool:
  return isinstance(aval, state_types.AbstractRef)


def is_jax_array_type(aval) -> bool:
  return isinstance(aval, jax_core.ShapedArray) and isinstance(aval.dtype, np.dtype)


def is_key_array(aval) -> bool:
  """Whether an array holds random keys, each of which is a few numbers."""
  dtype = getattr(aval, "dtype", None)
  return dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def numbers_of_keys(aval) -> jax.ShapeDtypeStruct:
  """The array of the numbers that an array of keys is made of."""
  physical = jax_core.physical_aval(aval)
  return jax.ShapeDtypeStruct(physical.shape, physical.dtype)


def key_functions(impl_or_dtype):
  """How a kind of key makes keys and bits: `seed`, `split`, `fold_in` and `random_bits` on the
  numbers of one key."""
  return getattr(impl_or_dtype, "_impl", impl_or_dtype)


def random_gamma(key, a, log_space: bool):
  from jax._src.random import core

  return core._gamma_impl(key, a, log_space=log_space, use_vmap=True)


@dataclass(frozen=True)
class RefFacts:
  # "gmem", "smem", "tmem", "regs", or "" where the context decides.
  space: str
  shape: tuple[int, ...]
  dtype: object
  # Why pallasite cannot have such a ref; empty if it can.
  unsupported: str = ""


def ref_facts(aval) -> RefFacts:
  unsupported = ""
  if isinstance(aval, gpu_core.AbstractRefUnion):
    unsupported = "a union of refs (plgpu.RefUnion)"
    return RefFacts("smem", (), None, unsupported)
  if isinstance(aval, gpu_core.AbstractTMEMRef):
    unsupported = "a ref to tensor memory (plgpu.TMEM)"
  space = aval.memory_space
  if space is None or space is pallas_core.MemorySpace.DEFAULT or str(space) == "any":
    name = ""
  elif isinstance(space, gpu_core.MemorySpace):
    name = space.name.lower()
  else:
    name = ""
    unsupported = unsupported or f"memory space `{space}`"
  inner = aval.inner_aval
  return RefFacts(name, tuple(inner.shape), inner.dtype, unsupported)


@dataclass(frozen=True)
class BarrierFacts:
  arrivals: int
  orders_tensor_core: bool
  # Each entry is an axis name, or a tuple of axis names taken as one axis.
  cluster: tuple
  leader_tracked: bool


def barrier_facts(dtype) -> BarrierFacts | None:
  if isinstance(dtype, gpu_core.BarrierType):
    return BarrierFacts(dtype.num_arrivals, dtype.orders_tensor_core, (), False)
  if isinstance(dtype, gpu_core.ClusterBarrierType):
    return BarrierFacts(
      dtype.num_arrivals,
      dtype.orders_tensor_core,
      tuple(dtype.collective_axes),
      getattr(dtype, "leader_tracked", False),
    )
  return None


# ---- transforms of refs


@dataclass(frozen=True)
class View:
  """One transform of a ref: a kind that the IR has, or "unsupported" with the reason in `name`."""

  kind: str
  # index: one (start, size, stride, is_integer) per dim; else the integers of the transform.
  arguments: tuple = ()
  name: str = ""


def decode_transforms(transforms: Iterable) -> list[View]:
  return [_decode(transform) for transform in transforms]


def _decode(transform) -> View:
  match transform:
    case indexing.NDIndexer():
      dims = []
      for index in transform.indices:
        if isinstance(index, indexing.Slice):
          dims.append((index.start, index.size, index.stride, False))
        else:
          dims.append((index, 1, 1, True))
      return View("index", tuple(dims))
    case gpu_core.UnswizzleRef():
      return View("unswizzle", (transform.swizzle,))
    case gpu_core.UntilingTransform():
      return View("untile", tuple(transform.tiling))
    case state_types.TransposeTransform():
      return View("transpose", tuple(transform.permutation))
    case state_types.ReshapeTransform():
      return View("reshape", tuple(transform.shape))
    case gpu_core.IdentityTransform():
      return View("identity")
  return View("unsupported", name=type(transform).__name__)


def layout_text(layout) -> str:
  """A register layout as the user wrote it."""
  if isinstance(layout, gpu_core.ReducedLayout):
    return f"{layout_text(layout.layout)}.reduce({layout.axes})"
  if isinstance(layout, gpu_core.ParameterizedLayout):
    arguments = [repr(a) for a in layout.args]
    arguments += [f"{name}={value!r}" for name, value in sorted(layout.kwargs.items())]
    return f"{layout.layout_cls.name}({', '.join(arguments)})"
  return getattr(layout, "name", None) or str(layout)


# ---- block mappings of pallas_call


@dataclass(frozen=True)
class BlockFacts:
  """What a block specification says of each dim of the array."""

  sizes: tuple[int, ...] = ()
  # Whether the kernel's ref lacks the dim.
  squeezed: tuple[bool, ...] = ()
  # Whether the index map counts blocks; else it counts elements.
  counts_blocks: tuple[bool, ...] = ()
  # Why pallasite cannot have such a block; empty if it can.
  unsupported: str = ""


def block_facts(mapping) -> BlockFacts:
  sizes, squeezed, counts_blocks = [], [], []
  for dim in mapping.block_shape:
    match dim:
      case int():
        size = dim
      case pallas_core.Blocked():
        size = dim.block_size
      case pallas_core.Squeezed():
        size = 1
      case pallas_core.Element(padding=(0, 0)):
        size = dim.block_size
      case _:
        return BlockFacts(unsupported=f"with the dimension `{dim}`")
    sizes.append(int(size))
    squeezed.append(isinstance(dim, pallas_core.Squeezed))
    counts_blocks.append(not isinstance(dim, pallas_core.Element))
  return BlockFacts(tuple(sizes), tuple(squeezed), tuple(counts_blocks))


def undo_block_transforms(mapping) -> tuple:
  """The transforms that lead from the kernel's ref back to the block as the user sees it."""
  undone = []
  for transform in reversed(mapping.transforms):
    match transform:
      case gpu_core.SwizzleTransform():
        undone.append(gpu_core.UnswizzleRef(transform.swizzle))
      case gpu_core.TilingTransform():
        undone.append(gpu_core.UntilingTransform(transform.tiling))
      case _:
        # Refused by name where it is decoded.
        undone.append(transform)
  return tuple(undone)


def sequential_dimensions(compiler_params) -> tuple[int, ...]:
  """Grid dims that a kernel walks through in order, one block after the other."""
  semantics = getattr(compiler_params, "dimension_semantics", None) or ()
  return tuple(i for i, kind in enumerate(semantics) if str(kind).lower() == "sequential")


# ---- source locations


@dataclass(frozen=True)
class Frame:
  file: str
  line: int
  column: int
  function: str
  # How the code came here, for code that no user wrote.
  note: str = ""


# Parts of Pallas that put ops into a kernel on the user's behalf, worth naming in a report.
_HELPER_FILES = ("/pallas/mosaic_gpu/pipeline.py", "/pallas/mosaic_gpu/helpers.py")


@functools.lru_cache(maxsize=65536)
def _frame(code, file: str, instruction: int) -> Frame | None:
  # Two code objects of equal text are equal, also if they are from different files.
  is_user = source_info_util.is_user_filename(file)
  if not is_user and not file.replace("\\", "/").endswith(_HELPER_FILES):
    return None
  raw = source_info_util.raw_frame_to_frame(code, instruction)
  note = "" if is_user else "helper"
  # Columns count from 1 in the IR and from 0 in code objects.
  return Frame(file, raw.start_line, raw.start_column + 1, raw.function_name, note)


def frames_of(source_info) -> list[Frame]:
  """Frames of an equation, innermost first: the user's, and before the first of these the innermost
  one of a Pallas helper that inserted the equation."""
  traceback = source_info.traceback
  if traceback is None:
    return []
  codes, instructions = traceback.raw_frames()
  helper, entry, users = None, "", []
  for code, instruction in zip(codes, instructions):
    frame = _frame(code, code.co_filename, instruction)
    if frame is None:
      continue
    if not frame.note:
      users.append(frame)
    elif not users:
      helper = helper or frame
      # The helper that the user called is the outermost one.
      entry = frame.function.split(".", 1)[0]
  if helper is None:
    return users
  return [dataclasses.replace(helper, note=f"inserted by {entry}"), *users]


def function_source(debug_info) -> tuple[str, str, int]:
  """Name, file and line of the Python function that a jaxpr was traced from; line 0 if unknown."""
  text = getattr(debug_info, "func_src_info", None) or ""
  name, _, place = text.partition(" at ")
  file, _, line = place.rpartition(":")
  return (name, file, int(line)) if line.isdigit() else (name, "", 0)


# ---- effects


class KeptEffect(jax_effects.Effect):
  """Of an equation that runs although nothing uses its results."""

  __str__ = lambda self: "Kept"  # noqa: E731


_KEPT = KeptEffect()

for _allowed in (
  jax_effects.lowerable_effects,
  jax_effects.control_flow_allowed_effects,
  jax_effects.custom_derivatives_allowed_effects,
  jax_effects.remat_allowed_effects,
):
  _allowed.add_type(KeptEffect)


def keep_equations(primitive: Primitive, is_kept: Callable[[dict], bool]):
  """Has the equations of a primitive whose parameters `is_kept` says so of run in any case.

  JAX drops a pure equation whose results nobody uses before it lowers a program.
  """
  real = primitive.abstract_eval

  def abstract_eval(*avals, **params):
    out, effects = real(*avals, **params)
    return out, {*effects, _KEPT} if is_kept(params) else effects

  primitive.abstract_eval = abstract_eval
  # With `jax_enable_checks` JAX asks here too.
  real_check = jax_core.custom_typechecks.get(primitive)
  if real_check is None:
    return

  def check(ctx_factory, *atoms, **params):
    out, effects = real_check(ctx_factory, *atoms, **params)
    return out, {*effects, _KEPT} if is_kept(params) else effects

  jax_core.custom_typechecks[primitive] = check


# ---- lowering rules


def lowering_rule(primitive: Primitive) -> Callable:
  """The rule that lowers `primitive` on all platforms now."""
  entry = mlir._lowerings[primitive]
  return getattr(entry, "rule", entry)


def platforms_of(ctx) -> tuple[str, ...]:
  """The platforms that an equation is being lowered for."""
  return mlir._platforms_for_eqn(ctx)


def interpret_gpu_params_class() -> type:
  from jax._src.pallas.mosaic_gpu.interpret import params

  return params.InterpretGPUParams


def answer_race_queries(get_races: Callable, on_reset: Callable) -> Callable[[], None]:
  """Has JAX's own functions about races of interpreted kernels tell of ours. Returns an undo."""
  from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks, interpret_pallas_call

  undo = []
  real_reset = gpu_callbacks.reset_gpu_interpret_mode_state

  def reset_gpu_interpret_mode_state():
    on_reset()
    real_reset()

  for module in (gpu_callbacks, interpret_pallas_call):
    undo.append(replace(module, "get_races", get_races))
    undo.append(
      replace(module, "reset_gpu_interpret_mode_state", reset_gpu_interpret_mode_state)
    )
  return lambda: [step() for step in undo]


# ---- errors

jax_runtime_error = importlib.import_module("jax.errors").JaxRuntimeError


def prepare_runtime_error(on_create: Callable[[BaseException], None]) -> Callable[[], None]:
  """Calls `on_create` with each new JaxRuntimeError. Returns a function that stops this.

  XLA creates its exception in native code; its class is an ordinary Python class whose `__init__`
  runs, which is the only place where one can be changed before the user sees it.
  """
  had_own = "__init__" in vars(jax_runtime_error)
  previous = jax_runtime_error.__init__

  def __init__(self, *args):
    previous(self, *args)
    on_create(self)

  jax_runtime_error.__init__ = __init__

  def undo():
    if had_own:
      jax_runtime_error.__init__ = previous
    else:
      del jax_runtime_error.__init__

  return undo


# The base of errors that say themselves where in the user's code they belong: JAX then does not put a
# second stack trace before them.
ErrorWithPlace = source_info_util.JaxStackTraceBeforeTransformation


@functools.cache
def _with_place(kind: type) -> type:
  def add_note(self, note: str):
    if not is_filter_note(note):
      super(made, self).add_note(note)

  members = {
    "__module__": kind.__module__,
    "__qualname__": kind.__qualname__,
    "__doc__": kind.__doc__,
    "add_note": add_note,
    # Another process knows only the class itself.
    "__reduce__": lambda self: (kind, self.args),
  }
  made = type(kind.__name__, (kind, ErrorWithPlace), members)
  return made


def says_its_place(error: BaseException):
  """Makes an error one that JAX passes on as it is, without stack traces and notes of its own."""
  if not isinstance(error, ErrorWithPlace):
    error.__class__ = _with_place(type(error))


def is_filter_note(note: str) -> bool:
  """Whether a note is the one by which JAX says that it has shortened a traceback."""
  return traceback_util._simplified_tb_msg in note


def hide_frames(paths: Iterable[str]):
  """Has JAX leave the frames of these files and folders out of tracebacks, as it does its own."""
  for path in paths:
    if path not in traceback_util._exclude_paths:
      traceback_util.register_exclusion(path)


# ---- devices


class _CudaVersions:
  """Stands for jaxlib's module that asks the CUDA driver."""

  def __init__(self, capability: tuple[int, int]):
    self._capability = capability

  def cuda_runtime_get_version(self) -> int:
    return 13000

  def cuda_driver_get_version(self) -> int:
    return 13000

  def cuda_supports_multicast(self, device_id: int) -> bool:
    return True

  def cuda_compute_capability(self, device_id: int = 0) -> int:
    return self._capability[0] * 10 + self._capability[1]

  def cuda_device_count(self) -> int:
    return len(jax.devices("cpu"))


# These choose a kernel by the device. All other modules of JAX have to know what it really is.
_KERNEL_MODULES = "jax.experimental.pallas.ops."


def _is_inside_jax(module_name: str) -> bool:
  package = module_name.partition(".")[0]
  return package in ("jax", "jaxlib") and not module_name.startswith(_KERNEL_MODULES)


def answer_device_questions(chip, num_sms: int, everything: bool) -> Callable[[], None]:
  """Has CPU devices answer as a chip. Returns a function that undoes it.

  With `everything` false only the number of cores is answered. No device is asked for here: a
  program may still choose how many there are.
  """
  major, minor = chip.compute_capability
  answers = {"core_count": num_sms}
  if everything:
    answers |= {
      "platform": "gpu",
      "device_kind": chip.device_kind,
      "compute_capability": f"{major}.{minor}",
      "shared_memory_per_block_optin": chip.shared_memory_bytes,
    }
  # Instances of the native class take no attributes, so the class has to.
  properties = {name: _answer(name, value) for name, value in answers.items()}
  undo = [replace(jax.Device, name, answer) for name, answer in properties.items()]
  if everything:
    undo += [_answer_default_backend(), *_answer_lists_of_devices()]
    undo.append(_answer_cuda_versions(chip.compute_capability))

  def undo_all():
    for step in reversed(undo):
      step()

  return undo_all


def _answer(name: str, value) -> property:
  """Of a device that is a CPU; any other answers for itself."""
  before = vars(jax.Device).get(name)
  real_platform = vars(jax.Device)["platform"]

  def get(device):
    # JAX itself has to go on compiling for what the device is.
    inside = name == "platform" and _is_inside_jax(sys._getframe(1).f_globals.get("__name__", ""))
    if not inside and real_platform.__get__(device) == "cpu":
      return value
    if before is None:
      raise AttributeError(f"'{type(device).__name__}' object has no attribute '{name}'")
    return before.__get__(device)

  return property(get)


def _answer_default_backend() -> Callable[[], None]:
  real = jax.default_backend

  @functools.wraps(real)
  def default_backend() -> str:
    platform = real()
    return "gpu" if platform == "cpu" else platform

  return replace(jax, "default_backend", default_backend)


def _answer_lists_of_devices() -> list[Callable[[], None]]:
  """What is asked for GPUs tells of the devices that answer as such."""

  def answering(real):
    def ask(*args, **kwargs):
      try:
        return real(*args, **kwargs)
      except RuntimeError:
        # No such backend.
        def cpu(backend):
          return "cpu" if backend in ("gpu", "cuda") else backend

        mapped = [cpu(a) for a in args], {name: cpu(a) for name, a in kwargs.items()}
        if mapped == (list(args), kwargs):
          raise
        return real(*mapped[0], **mapped[1])

    functools.update_wrapper(ask, real, updated=())
    return ask

  names = ("devices", "local_devices", "device_count", "local_device_count")
  return [replace(jax, name, answering(getattr(jax, name))) for name in names]


def _answer_cuda_versions(capability: tuple[int, int]) -> Callable[[], None]:
  real, ours = jax_lib.cuda_versions, _CudaVersions(capability)

  def give(value, instead_of):
    # Modules take the name when they are imported, which may be while ours is there.
    for name, module in list(sys.modules.items()):
      if name == "jax._src.lib" or name.startswith(_KERNEL_MODULES):
        if vars(module).get("cuda_versions", _ABSENT) is instead_of:
          module.cuda_versions = value

  give(ours, real)
  return lambda: give(real, ours)


_ABSENT = object()


def replace(owner, name: str, value) -> Callable[[], None]:
  before = vars(owner).get(name, _ABSENT)
  setattr(owner, name, value)

  def undo():
    if before is _ABSENT:
      delattr(owner, name)
    else:
      setattr(owner, name, before)

  return undo
