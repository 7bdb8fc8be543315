"""How JAX executes the programs that have kernels of ours in them.

JAX's native dispatch makes a bare ValueError of what XLA says, and returns before a program has ended.
A jitted function that calls such a program is therefore dispatched from Python each time, which is slow
because JAX looks everything up anew. Here it is called natively from there: by a second native function
beside the user's, with a cache of its own.
"""

from __future__ import annotations

import functools
import operator
import re
import sys
import types
import weakref
from collections.abc import Callable, Collection

import jax
from jax._src import core as jax_core
from jax._src import dispatch as jax_dispatch
from jax._src import pjit, source_info_util, tree_util, util
from jax._src.interpreters import pxla
from jax._src.lib import _jax

__all__ = [
  "num_devices",
  "program_name",
  "take_programs",
]

# Functions that JAX has jitted are called through here while a kernel is traced, too: these frames are
# not where an equation comes from.
source_info_util.register_exclusion(__file__)


def num_devices(ctx) -> int:
  """On how many devices the program that is being lowered runs."""
  attributes = ctx.module_context.module.operation.attributes
  count = 1
  for name in ("mhlo.num_replicas", "mhlo.num_partitions"):
    if name in attributes:
      count *= int(attributes[name].value)
  return count


@functools.lru_cache(maxsize=1024)
def _plain_name(name: str) -> str:
  return re.sub(r"\W", "_", name).strip("_")


def program_name(ctx) -> str:
  """The name of the program that is being lowered, as `take_programs` takes it."""
  return _plain_name(ctx.module_context.module.operation.attributes["sym_name"].value)


class _Programs:
  """Runs those programs that have kernels of ours in them; they are of these names, and others may be."""

  def __init__(self, names: Collection[str], target: str, wrapper: Callable):
    self._names = names
    self._target = target.encode()
    self._wrapper = wrapper
    self._real = pxla.ExecuteReplicated.__call__
    self._are_ours: weakref.WeakKeyDictionary[object, bool] = weakref.WeakKeyDictionary()

  def is_ours(self, program) -> bool:
    if not isinstance(program, pxla.ExecuteReplicated) or _plain_name(program.name) not in self._names:
      return False
    known = self._are_ours.get(program)
    if known is None:
      modules = program.xla_executable.hlo_modules()
      known = any(self._target in module.as_serialized_hlo_module_proto() for module in modules)
      self._are_ours[program] = known
    return known

  def run(self, program, *args):
    """Instead of ExecuteReplicated.__call__."""
    if not self.is_ours(program):
      return self._real(program, *args)
    if not _has_results(program):
      # With it there is something to wait for.
      program.has_unordered_effects = True
    name, devices = _plain_name(program.name), len(program._local_devices)
    return self._wrapper(lambda: self._real(program, *args), name, devices)


def _has_results(program) -> bool:
  """Whether a call returns arrays. What a program writes into refs is not among them."""
  refs = program.mut.out_mut if program.mut else ()
  return len(program.out_handler.handlers) > sum(ref is not None for ref in refs)


# In the place of the parameters of a call that has happened.
_CALLED = object()
_NO_JAXPR = types.SimpleNamespace(effects=(), consts=())


class _NativeCalls:
  """Native functions beside those of `jax.jit`, for the calls of programs of ours on one device."""

  def __init__(self, is_ours: Callable, run: Callable, error_of: Callable):
    self.is_on = False
    self._is_ours = lambda executable: executable is not None and is_ours(executable.unsafe_call)
    self._run = run
    self._error_of = error_of
    self._real_infer, self._real_run = pjit._infer_params, pjit._run_python_pjit
    self._real_data = pjit._get_fastpath_data
    self._cache = pjit.make_jit_cpp_cache(4096)
    # What was jitted, and has called a program that may be dispatched natively, by `id`: functions may
    # be equal and do different things.
    self._known: dict[int, weakref.ref] = {}
    # The function that a user's jitted function calls unless it is dispatched natively. Others ask for
    # the parameters of a call too, and make no call. None in a JAX without it: calls go on from Python.
    codes = pjit._cpp_pjit.__code__.co_consts
    self._cache_miss = next((c for c in codes if getattr(c, "co_name", "") == "cache_miss"), None)

  def infer_params(self, function, jit_info, args, kwargs):
    """Instead of pjit._infer_params: makes the call at once, where it can."""
    if (
      not self.is_on
      or not self._knows(function)
      or sys._getframe(1).f_code is not self._cache_miss
      or not jax_core.trace_state_clean()
      # For NaN, JAX looks at the results of a native function that it knows.
      or jax_dispatch.needs_check_special()
    ):
      return self._real_infer(function, jit_info, args, kwargs)
    results = []

    def execute() -> list:
      results.append(self._call(function, jit_info, args, kwargs))
      return [leaf for leaf in jax.tree.leaves(results[0]) if isinstance(leaf, jax.Array)]

    self._run(execute)
    return _CALLED, results[0]

  def run_python_pjit(self, params, arguments, function, args, kwargs):
    """Instead of pjit._run_python_pjit, to which infer_params hands on what it returns."""
    if params is _CALLED:
      return arguments, (), None, (), _NO_JAXPR, None, None, ()
    ran = self._real_run(params, arguments, function, args, kwargs)
    if self._is_ours(ran[5]) and not self._knows(function) and self._fastpath_data(ran) is not None:
      number = id(function)
      self._known[number] = weakref.ref(function, lambda _: self._known.pop(number, None))
    return ran

  def get_fastpath_data(self, executable, *args, **kwargs):
    """Instead of pjit._get_fastpath_data: None has JAX call the program from Python each time."""
    return None if self._is_ours(executable) else self._real_data(executable, *args, **kwargs)

  def _knows(self, function) -> bool:
    known = self._known.get(id(function))
    return known is not None and known() is function

  def _fastpath_data(self, ran):
    _, results, tree, arguments, jaxpr, executable, profiler, constants = ran
    # On several devices there is more to do than to wait.
    if self._is_ours(executable) and len(executable.unsafe_call._local_devices) > 1:
      return None
    return self._real_data(
      executable, tree, arguments, results, jaxpr.effects, jaxpr.consts, profiler, constants
    )

  def _call(self, function, jit_info, args, kwargs):
    failed = False

    def cache_miss(*args, **kwargs):
      nonlocal failed
      failed = True
      params, arguments = self._real_infer(function, jit_info, args, kwargs)
      ran = self._real_run(params, arguments, function, args, kwargs)
      failed = False
      return ran[0], self._fastpath_data(ran), pjit._need_to_rebuild_with_fdo(ran[6])

    # Cheap to make. Not kept: it keeps the user's function, and jit_info what the defaults of the
    # function's parameters refer to. The compiled programs are in the cache, by function and key.
    native = _jax.pjit(
      pjit.fun_name(function),
      function,
      cache_miss,
      jit_info.static_argnums,
      jit_info.static_argnames,
      _key_fields(jit_info),
      tree_util.dispatch_registry,
      pxla.cc_shard_arg,
      self._cache,
    )
    failure = None
    try:
      return native(*args, **kwargs)
    except ValueError as error:
      # What Python raised is what it is.
      failure = None if failed else self._error_of(error)
      if failure is None:
        raise
    finally:
      if failed:
        # JAX would call it from Python from now on.
        native._clear_cache()
    try:
      raise failure
    finally:
      # The error knows this frame, and with it the arguments.
      del failure

  # As a cache of JAX's, which `jax.clear_caches()` clears.

  def cache_clear(self):
    self._known.clear()
    self._cache.clear()

  def cache_info(self) -> str:
    return f"{len(self._known)} functions"

  def cache_keys(self) -> list:
    return [known() for known in list(self._known.values())]


_key_fields = operator.attrgetter(*pxla.JitGlobalCppCacheKeys.__dataclass_fields__)


def take_programs(
  names: Collection[str], target: str, wrapper: Callable, error_of: Callable
) -> Callable[[bool], None]:
  """Has `wrapper(execute, name, number of devices)` run the programs of these names that call the FFI
  target. Returns a switch for calling them natively; it is off.

  `execute()` starts the program and returns a list of arrays; what `wrapper` returns is the result.
  Native dispatch raises a ValueError where a program fails; `error_of(it)` gives what to raise instead,
  or None. What is replaced in JAX stays so: a call may be under way on another thread at any time.
  """
  programs = _Programs(names, target, wrapper)
  calls = _NativeCalls(programs.is_ours, lambda execute: wrapper(execute, "", 1), error_of)
  util.register_cache(calls, "programs with kernels of pallasite")
  real_call, real_evict = pxla.MeshExecutable.create_cpp_call, pjit.jit_evict_fn

  def create_cpp_call(self, *args, **kwargs):
    return None if programs.is_ours(self.unsafe_call) else real_call(self, *args, **kwargs)

  def clear_cache(self):
    real_evict(self)
    calls.cache_clear()

  pxla.ExecuteReplicated.__call__ = lambda self, *args: programs.run(self, *args)
  pxla.MeshExecutable.create_cpp_call = create_cpp_call
  pjit._infer_params = calls.infer_params
  pjit._run_python_pjit = calls.run_python_pjit
  pjit._get_fastpath_data = calls.get_fastpath_data
  pjit.jit_evict_fn = clear_cache
  type(jax.jit(lambda: None)).clear_cache = clear_cache

  def switch(on: bool):
    calls.is_on = on

  return switch
