"""How JAX executes the programs that have kernels of ours in them.

JAX's native dispatch makes a bare ValueError of what XLA says, and returns before a program has ended.
A jitted function that calls such a program is therefore dispatched from Python each time, which is slow
because JAX looks everything up anew. Here it is called natively from there: by a second native function
beside the user's, with a cache of its own.
"""

from __future__ import annotations

import functools
import re
import sys
import types
import weakref
from collections.abc import Callable, Collection

import jax
from jax._src import core as jax_core
from jax._src import pjit, source_info_util, tree_util, util
from jax._src.interpreters import pxla
from jax._src.lib import _jax

from pallasite._compat.common import replace

__all__ = [
  "around_execution",
  "dispatch_from_python",
  "num_devices",
  "program_name",
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
  """The name of the program that is being lowered, as `dispatch_from_python` takes it."""
  return _plain_name(ctx.module_context.module.operation.attributes["sym_name"].value)


def around_execution(names: Collection[str], wrapper: Callable) -> Callable[[], None]:
  """Has `wrapper(execute, name, number of devices)` run the programs of these names.

  `execute()` starts the program and returns a list of arrays; what `wrapper` returns is the result.
  Returns a function that undoes it.
  """
  real = pxla.ExecuteReplicated.__call__

  def __call__(self, *args):
    name = _plain_name(self.name)
    if name not in names:
      return real(self, *args)
    if not _has_results(self):
      # With it there is something to wait for.
      self.has_unordered_effects = True
    return wrapper(lambda: real(self, *args), name, len(self._local_devices))

  return replace(pxla.ExecuteReplicated, "__call__", __call__)


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
    self._is_ours = is_ours
    self._run = run
    self._error_of = error_of
    self._real_infer, self._real_run = pjit._infer_params, pjit._run_python_pjit
    self._real_data = pjit._get_fastpath_data
    self._cache = pjit.make_jit_cpp_cache(4096)
    # What was jitted, and has called a program that may be dispatched natively. With it, for each
    # use of `jax.jit` on it, what JAX's cache has it under.
    self._known: weakref.WeakKeyDictionary[Callable, list] = weakref.WeakKeyDictionary()
    # The function that a user's jitted function calls unless it is dispatched natively. Others ask for
    # the parameters of a call too, and make no call.
    self._cache_miss = next(
      code
      for code in pjit._cpp_pjit.__code__.co_consts
      if isinstance(code, types.CodeType) and code.co_name == "cache_miss"
    )

  def infer_params(self, caller, function, jit_info, args, kwargs):
    """Instead of pjit._infer_params: makes the call at once, where it can."""
    keys = self._known.get(function) if caller is self._cache_miss else None
    if keys is None or not jax_core.trace_state_clean():
      return self._real_infer(function, jit_info, args, kwargs)
    native = self._function(function, jit_info, keys)
    results = []

    def execute() -> list:
      try:
        results.append(native(*args, **kwargs))
      except ValueError as error:
        failure = self._error_of(error)
        if failure is None:
          raise
        raise failure from None
      return jax.tree.leaves(results[0])

    self._run(execute)
    return _CALLED, results[0]

  def run_python_pjit(self, params, arguments, function, args, kwargs):
    """Instead of pjit._run_python_pjit, to which infer_params hands on what it returns."""
    if params is _CALLED:
      return arguments, (), None, (), _NO_JAXPR, None, None, ()
    ran = self._real_run(params, arguments, function, args, kwargs)
    executable = ran[5]
    if (
      executable is not None
      and self._is_ours(executable)
      and len(executable.unsafe_call._local_devices) == 1
      and self._fastpath_data(ran) is not None
    ):
      self._known.setdefault(function, [])
    return ran

  def _fastpath_data(self, ran):
    _, results, tree, arguments, jaxpr, executable, profiler, constants = ran
    return self._real_data(
      executable, tree, arguments, results, jaxpr.effects, jaxpr.consts, profiler, constants
    )

  def _function(self, function, jit_info, keys: list):
    def cache_miss(*args, **kwargs):
      params, arguments = self._real_infer(function, jit_info, args, kwargs)
      ran = self._real_run(params, arguments, function, args, kwargs)
      return ran[0], self._fastpath_data(ran), pjit._need_to_rebuild_with_fdo(ran[6])

    key = next((key for known, key in keys if known is jit_info), None)
    if key is None:
      names = pxla.JitGlobalCppCacheKeys.__dataclass_fields__
      key = pxla.JitGlobalCppCacheKeys(**{name: getattr(jit_info, name) for name in names})
      keys.append((jit_info, key))
    # Cheap to make, and not kept, as it keeps the user's function. The compiled programs are in the
    # cache, by function and key.
    return _jax.pjit(
      pjit.fun_name(function),
      function,
      cache_miss,
      jit_info.static_argnums,
      jit_info.static_argnames,
      key,
      tree_util.dispatch_registry,
      pxla.cc_shard_arg,
      self._cache,
    )

  # As a cache of JAX's, which `jax.clear_caches()` clears.

  def cache_clear(self):
    self._known.clear()
    self._cache.clear()

  def cache_info(self) -> str:
    return f"{len(self._known)} functions"

  def cache_keys(self) -> list:
    return list(self._known)


def dispatch_from_python(
  names: Collection[str], wrapper: Callable, error_of: Callable
) -> Callable[[], None]:
  """Has JAX call the programs of these names from Python each time. Returns a function that undoes it.

  `wrapper` is that of `around_execution`. Native dispatch raises a ValueError where a program fails;
  `error_of(it)` gives what to raise instead, or None.
  """

  def is_ours(executable) -> bool:
    return _plain_name(getattr(executable.unsafe_call, "name", "")) in names

  calls = _NativeCalls(is_ours, lambda execute: wrapper(execute, "", 1), error_of)
  util.register_cache(calls, "programs with kernels of pallasite")
  real_data, real_call = pjit._get_fastpath_data, pxla.MeshExecutable.create_cpp_call
  real_evict = pjit.jit_evict_fn

  def infer_params(function, jit_info, args, kwargs):
    caller = sys._getframe(1).f_code
    return calls.infer_params(caller, function, jit_info, args, kwargs)

  def get_fastpath_data(executable, *args, **kwargs):
    if executable is not None and is_ours(executable):
      return None
    return real_data(executable, *args, **kwargs)

  def create_cpp_call(self, *args, **kwargs):
    return None if is_ours(self) else real_call(self, *args, **kwargs)

  def clear_cache(self):
    real_evict(self)
    calls.cache_clear()

  jitted_class = type(jax.jit(lambda: None))
  undo = [
    replace(pjit, "_infer_params", infer_params),
    replace(pjit, "_run_python_pjit", calls.run_python_pjit),
    replace(pjit, "_get_fastpath_data", get_fastpath_data),
    replace(pjit, "jit_evict_fn", clear_cache),
    replace(jitted_class, "clear_cache", clear_cache),
    replace(pxla.MeshExecutable, "create_cpp_call", create_cpp_call),
  ]
  return lambda: [step() for step in undo]
