"""The hook into JAX: which calls are ours, and what they lower to."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import pathlib
import threading
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import mlir

from pallasite import _compat, chips, compile_check, engine, execution, judge, kernel_error, options
from pallasite.errors import EngineMissingError, KernelWarning, ResourceError, UnsupportedError
from pallasite.guess import guessed_arch
from pallasite.lower import JaxRules, Lowered, lower_mpmd_map, lower_pallas_call
from pallasite.options import Options
from pallasite.session import session


@dataclasses.dataclass(frozen=True)
class _Mode:
  """What the traced program depends on. JAX puts it into the key of its caches."""

  compile_key: tuple
  # Kernels are kept even where nothing uses their outputs.
  keep_all: bool = False
  # Distinguishes traces that must not come from a cache: those of `check` and `export`.
  fresh: int = 0


# Frames of these files are of no use to whoever reads a traceback. (Not the whole folder: tests are
# users.)
_FOLDER = pathlib.Path(__file__).parent
_HIDDEN = (
  "_compat", "lower", "checking.py", "compile_check.py", "engine.py", "errors.py", "execution.py",
  "hook.py", "judge.py", "kernel_error.py", "module.py",
)

# Unset (None) where pallasite is not installed.
_mode = jax.make_user_context(None)


def _documented(params: type[Params]) -> type[Params]:
  params.__signature__ = options.signature(options.OPTION_NAMES)
  params.__doc__ += f"\n{options.argument_docs(options.OPTION_NAMES)}\n  "
  return params


@_documented
class Params(Options):
  """`plgpu.kernel(..., interpret=pallasite.Params())`: runs this kernel under pallasite.

  Takes the options of `install`, and `uninitialized_memory` as in JAX. Options that are not stated
  are those of `install`.
  """

  def __init__(self, **stated):
    options.refuse_unknown("Params", stated, options.OPTION_NAMES)
    super().__init__(**stated)
    object.__setattr__(self, "stated", tuple(sorted(stated)))
    _hook.use_params()

  def over(self, installed: Options | None) -> Options:
    values = {name: getattr(self, name) for name in self.stated}
    return (installed or options.resolve({})).with_stated(values, "Params(...)")

  def __eq__(self, other):
    return type(other) is Params and (self.stated, self._key()) == (other.stated, other._key())

  def __hash__(self):
    return hash((self.stated, self._key()))

  def _key(self) -> tuple:
    return tuple(getattr(self, name) for name in options.OPTION_NAMES)


class Captured(NamedTuple):
  """A kernel that was lowered while someone looked (`_Hook.capture`)."""

  name: str
  program: judge.Program

  @property
  def text(self) -> str:
    return self.program.text


class Installation:
  """What `install` returns. As a context manager, leaving it restores what was there before."""

  def __init__(self, previous: Options | None):
    self._previous = previous

  def __enter__(self) -> Installation:
    return self

  def __exit__(self, *_):
    _hook.set_installed(self._previous)
    _tell_engine(self._previous or Options())

  def reset(self):
    """Forgets the reports of the kernels that ran so far."""
    session.reset()


class _Hook:
  """The process-wide state. JAX's tables of rules and its device class are process-wide too."""

  def __init__(self):
    self._lock = threading.RLock()
    self.installed: Options | None = None
    self._is_registered = False
    self._undo_device = None
    self._undo_races = None
    self._undo_errors = None
    self._switch_native_calls = None
    # Of programs with kernels of ours in them. Others may have the same names.
    self.program_names: set[str] = set()
    self._params_used = False
    self._fresh = 0
    self.captures: list[list[Captured]] = []
    self._said_gpu = False
    self._keep_all = False
    # Kernels are judged when they are lowered, and do not run (`pallasite check --no-run`).
    self.no_run = False

  @property
  def keep_all(self) -> bool:
    """Whether kernels run although nothing uses their outputs."""
    return self._keep_all

  @keep_all.setter
  def keep_all(self, wanted: bool):
    with self._lock:
      self._keep_all = wanted
      if self.installed is not None:
        _mode.set_global(_Mode(self.installed.compile_key(), wanted))

  def register(self):
    """Puts our rules in front of those that JAX has. They pass on whatever is not ours."""
    with self._lock:
      if self._is_registered:
        return
      self._is_registered = True
      _compat.hide_frames(str(_FOLDER / name) for name in _HIDDEN)
      for primitive, convert in (
        (_compat.mpmd_map_p, lower_mpmd_map),
        (_compat.pallas_call_p, lower_pallas_call),
      ):
        # For all platforms, as JAX's own: of two rules JAX would make branches of a program for
        # several platforms, which its own rules refuse to be in.
        rule = _rule(primitive, convert, _compat.lowering_rule(primitive))
        mlir.register_lowering(primitive, rule)
        _compat.keep_equations(primitive, _is_kept(primitive))
      _compat.watch_exported_calls(engine.FFI_TARGET, _take_exported)

  def use_params(self):
    """A kernel with `interpret=Params()` is traced, which needs no `install` and has no end."""
    with self._lock:
      self.register()
      self._params_used = True
      session.read_silence()
      self._adopt_errors(True)

  def _adopt_errors(self, wanted: bool):
    if wanted and self._switch_native_calls is None:
      self._switch_native_calls = _compat.take_programs(
        self.program_names, engine.FFI_TARGET, execution.run_program, kernel_error.error_of
      )
    if self._switch_native_calls is not None:
      self._switch_native_calls(wanted)
    if wanted and self._undo_errors is None:
      self._undo_errors = _compat.prepare_runtime_error(kernel_error.adopt)
    elif not wanted and self._undo_errors is not None:
      self._undo_errors()
      self._undo_errors = None

  def set_installed(self, new: Options | None):
    with self._lock:
      if self._undo_device is not None:
        self._undo_device()
        self._undo_device = None
      self.installed = new
      self._adopt_errors(new is not None or self._params_used)
      if new is None:
        if self._undo_races is not None:
          self._undo_races()
          self._undo_races = None
        _mode.set_global(None)
        return
      self.register()
      session.read_silence()
      if self._undo_races is None:
        self._undo_races = _compat.answer_race_queries(lambda: session, session.reset)
      if new.chip is not None or new.num_sms is not None:
        chip = new.chip or chips.CHIPS["h100"]
        self._undo_device = _compat.answer_device_questions(
          chip, new.num_sms or chip.num_sms, everything=new.chip is not None
        )
      _mode.set_global(_Mode(new.compile_key(), self.keep_all))

  def say_gpu_once(self):
    if not self._said_gpu:
      self._said_gpu = True
      warnings.warn(
        "this kernel is compiled for a GPU: pallasite leaves such programs alone, and runs those "
        "for the CPU",
        KernelWarning,
        stacklevel=3,
      )

  @contextlib.contextmanager
  def fresh_mode(self, chosen: Options) -> Iterator[int]:
    """Within: calls trace anew under these options, and no kernel is dropped as unused. Gives the
    number that reports of these kernels have as their origin."""
    with self._lock:
      self._fresh += 1
      mode = _Mode(chosen.compile_key(), keep_all=True, fresh=self._fresh)
    previous = self.installed
    self.set_installed(chosen)
    try:
      with _mode(mode):
        yield mode.fresh
    finally:
      self.set_installed(previous)

  @contextlib.contextmanager
  def capture(self) -> Iterator[list[Captured]]:
    """Within: the kernels that are lowered."""
    found: list[Captured] = []
    self.captures.append(found)
    try:
      yield found
    finally:
      # By identity: two lists of nothing are equal.
      self.captures = [c for c in self.captures if c is not found]


_hook = _Hook()


def _claim(params: dict, is_ours) -> tuple[Options, _Mode | None] | None:
  """The options to run a call with; None if the call is not ours."""
  interpret = params.get("interpret")
  mode = _mode.value
  # Unset for a trace that began before `uninstall`.
  installed = _hook.installed if mode is not None else None
  if isinstance(interpret, Params):
    return interpret.over(installed), mode
  if installed is None:
    return None
  if isinstance(interpret, _compat.interpret_gpu_params_class()):
    return _options_of_jax(installed, interpret), mode
  if interpret or not is_ours(params):
    return None
  return installed, mode


# What each field of JAX's InterpretGPUParams is here. Not all versions have all of them.
_JAX_FIELDS = {
  "detect_races": "of the run",
  "on_race": "of the run",
  "out_of_bounds_reads": "of the run",
  "uninitialized_memory": "of the run",
  "skip_floating_point_ops": "of the conversion",
  "inline_mgpu": "of the conversion",
  "logging_mode": "JAX's own logging",
  # JAX takes the number from the kernel, whatever is stated.
  "num_cores_or_threads": "nothing",
  "vector_clock_size": "nothing",
  # Here every copy has a clock of its own.
  "num_tma_threads_per_device": "nothing",
}


def _options_of_jax(installed: Options, interpret) -> Options:
  """A user's InterpretGPUParams means here what it means in JAX."""
  return installed.with_stated(
    {"uninitialized_memory": interpret.uninitialized_memory}, "InterpretGPUParams(...)"
  )


def _jax_rules(interpret) -> JaxRules:
  """What such params change about the conversion. Refuses those that we do not know."""
  if not isinstance(interpret, _compat.interpret_gpu_params_class()):
    return JaxRules()
  for field in dataclasses.fields(interpret):
    value = getattr(interpret, field.name)
    if field.name not in _JAX_FIELDS and value != field.default:
      raise UnsupportedError(f"InterpretGPUParams with {field.name}={value!r} is not supported")
  if interpret.logging_mode is not None:
    warnings.warn(
      "InterpretGPUParams(logging_mode=...) logs what JAX's interpreter does inside; pallasite has "
      "nothing to log for it",
      KernelWarning,
      stacklevel=2,
    )
  return JaxRules(
    skip_floating_point_ops=interpret.skip_floating_point_ops,
    # Newer than 0.11, which always raised.
    ignore_inline_mgpu=getattr(interpret, "inline_mgpu", "error") == "ignore",
  )


def _is_kept(primitive):
  """Whether a call runs although nothing uses its outputs, from its parameters."""
  is_ours = _is_ours(primitive)

  def is_kept(params: dict) -> bool:
    mode = _mode.value
    return mode is not None and mode.keep_all and _claim(params, is_ours) is not None

  return is_kept


def _is_ours(primitive):
  return _is_gpu_mesh if primitive is _compat.mpmd_map_p else _is_gpu_call


def _is_gpu_mesh(params: dict) -> bool:
  return len(params["meshes"]) == 1 and isinstance(params["meshes"][0], _compat.GpuMesh)


def _is_gpu_call(params: dict) -> bool:
  return isinstance(params.get("compiler_params"), _compat.GpuCompilerParams)


def _cpu_rule(primitive, convert, previous):
  is_ours = _is_ours(primitive)

  def rule(ctx, *nodes, **params):
    try:
      claimed = claim(params)
      if claimed is not None:
        return lower(ctx, nodes, params, *claimed)
    except (UnsupportedError, ResourceError) as error:
      _compat.says_its_place(error)
      raise
    return previous(ctx, *nodes, **params)

  def claim(params):
    try:
      return _claim(params, is_ours)
    except UnsupportedError as error:
      judge.tell(error)
      raise

  def lower(ctx, nodes, params, chosen, mode):
    try:
      attributes = {"arch": chosen.chip.arch} if chosen.chip else {}
      with session.timed("conversion"):
        rules = _jax_rules(params.get("interpret"))
        lowered = convert(params, len(nodes), attributes, rules)
    except UnsupportedError as error:
      compile_check.judge(ctx, primitive, params, chosen, None)
      judge.tell(error)
      raise
    name = _compat.program_name(ctx)
    devices = _compat.num_devices(ctx)
    program = _program(primitive, lowered, chosen, params, mode, name, devices)
    _hook.program_names.add(name)
    session.took(lowered.text)
    for found in _hook.captures:
      found.append(Captured(lowered.name, program))
    if not _hook.captures:
      with session.timed("load"):
        judge.judge(program, chosen.on_finding)
    compile_check.judge(ctx, primitive, params, chosen, lowered)
    if _hook.no_run:
      compiler_asked = compile_check.is_wanted(primitive, params, chosen)
      judge.judge_only(program, lowered.name, compiler_asked)
      call = _filled(ctx.avals_out)
    else:
      call = _call(lowered, program, ctx.avals_out, bool(mode and mode.keep_all))
    return mlir.lower_fun(call, multiple_results=True)(ctx, *nodes)

  return rule


def _take_exported(ctx, calls: list[_compat.EmittedCall], new: list[str]):
  """Makes the kernels of an exported program those of the program that calls it."""
  name, devices, mode = _compat.program_name(ctx), _compat.num_devices(ctx), _mode.value
  _hook.program_names.add(name)
  for text in new:
    session.took(text)
  for call in calls:
    settings = json.loads(call.options)
    changed = {key: settings[key] for key in settings if key not in ("program", "devices")}
    if devices > 1:
      changed |= {"program": name, "devices": devices}
    if mode is not None and mode.fresh:
      changed["run"] = _run_of_a_check(_hook.installed, mode) | settings["run"]
    changed_text = json.dumps(changed, sort_keys=True)
    if changed_text != call.options:
      call.set_options(changed_text)


def _run_of_a_check(chosen: Options, mode: _Mode) -> dict:
  """The run options of a kernel of `check`. All of them: other threads may run kernels under other
  options meanwhile."""
  return {**chosen.run_options(), "keep_inputs": True, "origin": mode.fresh}


def _rule(primitive, convert, previous):
  cpu_rule = _cpu_rule(primitive, convert, previous)
  is_ours = _is_ours(primitive)

  def rule(ctx, *nodes, **params):
    platforms = _compat.platforms_of(ctx)
    if platforms == ("cpu",):
      return cpu_rule(ctx, *nodes, **params)
    if _compat.is_asking_mosaic():
      return previous(ctx, *nodes, **params)
    if isinstance(params.get("interpret"), Params):
      # JAX would take it for its own interpreter of HLO.
      error = UnsupportedError(
        "interpret=pallasite.Params() runs a kernel on the CPU; this program is lowered for "
        f"{' and '.join(platforms)}. Leave `interpret` out where it is to run there, or give "
        'JAX_PLATFORMS=cpu to run it here'
      )
      _compat.says_its_place(error)
      raise error
    if _mode.value is not None and is_ours(params) and {"cuda", "rocm"} & set(platforms):
      _hook.say_gpu_once()
    return previous(ctx, *nodes, **params)

  return rule


def _program(
  primitive,
  lowered: Lowered,
  chosen: Options,
  params: dict,
  mode: _Mode | None,
  name: str,
  devices: int,
) -> judge.Program:
  """What the call of a kernel hands to the engine."""
  interpret = params.get("interpret")
  own = {}
  if isinstance(interpret, Params):
    # Stated at the kernel itself, so stronger than what is installed when it runs.
    # Where nothing is installed, so is what the environment and pyproject.toml say.
    names = chosen.sources if mode is None else interpret.stated
    own = {n: value for n, value in chosen.run_options().items() if n in names}
  settings = {
    "arch": chosen.chip.arch if chosen.chip else guessed_arch(params),
    "arch_guessed": chosen.chip is None,
    "uninitialized_memory": chosen.uninitialized_memory,
    "run": own,
  }
  if isinstance(interpret, _compat.interpret_gpu_params_class()):
    settings["jax"] = {
      "detect_races": interpret.detect_races,
      # Newer than 0.11, which always raised.
      "on_race": getattr(interpret, "on_race", "raise"),
    }
    settings["out_of_bounds_reads"] = (
      "raise" if interpret.out_of_bounds_reads == "raise" else "uninitialized"
    )
  settings_text = json.dumps(settings, sort_keys=True)
  digest = hashlib.sha256(lowered.text.encode() + b"\0" + settings_text.encode()).digest()
  # None of the rest has to do with the module.
  if compile_check.is_wanted(primitive, params, chosen):
    settings["compiler_asked"] = True
  if devices > 1:
    settings |= {"program": name, "devices": devices}
  if mode is not None and mode.fresh:
    settings["run"] = _run_of_a_check(chosen, mode)
  settings_text = json.dumps(settings, sort_keys=True)
  return judge.Program(
    lowered.text, settings_text, int.from_bytes(digest[:8], "little", signed=True)
  )


def _filled(avals_out):
  """Stands for a kernel that does not run: outputs as fresh memory, NaN or the largest integer."""

  def fill(dtype):
    if jnp.issubdtype(dtype, jnp.inexact):
      return jnp.nan
    return True if dtype == jnp.bool_ else jnp.iinfo(dtype).max

  return lambda *operands: [jnp.full(aval.shape, fill(aval.dtype), aval.dtype) for aval in avals_out]


def _call(lowered: Lowered, program: judge.Program, avals_out, keep: bool):
  """The function of the operands that runs a kernel."""
  shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals_out]
  prints = any(name.startswith("debug.") for name in lowered.op_names)

  try:
    engine.register_ffi_target()
    engine.set_report_sink(session.receive)
  except EngineMissingError:
    # What is lowered only to be looked at needs no engine.
    if not _hook.captures:
      raise

  def call(*operands):
    run = jax.ffi.ffi_call(
      engine.FFI_TARGET,
      shapes,
      has_side_effect=keep or prints,
      input_output_aliases=dict(lowered.aliases) or None,
    )
    return run(
      *operands,
      program=np.frombuffer(program.text.encode(), np.uint8),
      key=np.int64(program.key),
      options=program.options,
    )

  return call


@options.takes_options(options.INSTALL_NAMES, "Installation")
def install(**stated) -> Installation:
  """Runs every Pallas Mosaic GPU kernel of a CPU program under pallasite, from now on.

  A second call replaces the options of the first. The result is also a context manager: leaving it
  restores the options that were there before. Options not stated here come from PALLASITE_*
  variables, then from [tool.pallasite] in pyproject.toml.
  """
  options.refuse_unknown("install()", stated)
  new = options.resolve(stated)
  previous = _hook.installed
  _hook.set_installed(new)
  _tell_engine(new)
  return Installation(previous)


def uninstall():
  """Undoes `install`: functions that were jitted under it behave as without pallasite."""
  _hook.set_installed(None)
  _tell_engine(Options())


def _tell_engine(chosen: Options):
  """Run options are read when a kernel runs; without the engine nothing can run.

  The handler too has to be there: a program that was exported elsewhere is lowered no more.
  """
  with contextlib.suppress(engine.EngineMissingError):
    engine.set_run_options(chosen.run_options())
    engine.register_ffi_target()
    engine.set_report_sink(session.receive)
