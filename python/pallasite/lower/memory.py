"""Loads and stores of the generic proxy."""

import jax

from pallasite.errors import UnsupportedError
from pallasite.lower import refs
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, BarrierType


def _view(site, ref, leaves):
  if isinstance(ref.type, BarrierType):
    raise UnsupportedError("reading or writing a barrier as memory is not supported")
  if isinstance(ref.type, ArrayType):
    raise UnsupportedError("pl.run_state over other state than accumulators is not supported")
  return site.transformed(ref, site.params["tree"], leaves)


@rule("state.get", "mosaic_gpu.load")
def load(site):
  ref, leaves = site.value(site.eqn.invars[0]), site.eqn.invars[1:]
  if isinstance(ref.type, ArrayType):
    # A value that pl.run_state hands to its body as a ref (see scope.py).
    if refs.is_whole(ref, jax.tree_util.tree_unflatten(site.params["tree"], leaves)):
      return ref
  return site.op("memory.load", (_view(site, ref, leaves),))


@rule("state.swap")
def swap(site):
  ref, value = site.value(site.eqn.invars[0]), site.value(site.eqn.invars[1])
  ref = _view(site, ref, site.eqn.invars[2:])
  if site.is_used(0):
    return site.op("memory.swap", (ref, value))
  site.op("memory.store", (ref, value), result_types=())
  # Nobody reads the old value.
  return value


@rule("mosaic_gpu.store")
def store(site):
  ref, value = site.value(site.eqn.invars[0]), site.value(site.eqn.invars[1])
  ref = _view(site, ref, site.eqn.invars[2:])
  site.op("memory.store", (ref, value))
