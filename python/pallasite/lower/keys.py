"""Arrays of random keys. In the IR such an array is the array of its keys' numbers, which has one
dimension more; what moves keys moves their numbers."""

import jax

from pallasite import _compat
from pallasite.errors import UnsupportedError

# They take and give arrays as they are, whatever these are made of.
_INDIFFERENT = {
  "jax.closed_call", "jax.custom_jvp_call", "jax.custom_vjp_call", "jax.device_put",
  "jax.eval_jaxpr", "jax.jit", "jax.name", "jax.remat2", "jax.sharding_constraint",
  "jax.stop_gradient", "lax.cond", "lax.copy", "lax.optimization_barrier", "lax.scan", "lax.tie",
  "lax.while",
}
_MOVING = {
  f"lax.{name}"
  for name in (
    "broadcast_in_dim", "concatenate", "dynamic_slice", "dynamic_update_slice", "gather",
    "reshape", "rev", "scatter", "select_n", "slice", "split", "squeeze", "stack", "tile",
    "transpose", "unstack",
  )
}


def rule_for(key: str, rule):
  """The rule that converts a primitive where it has keys among its operands or results."""
  if key in _INDIFFERENT or key.startswith("random."):
    return rule
  return _move if key in _MOVING else _refuse


def _refuse(site):
  raise UnsupportedError(f"`{site.name}` of random keys is not supported")


def _move(site):
  """The primitive on each of the numbers that a key consists of."""
  eqn = site.eqn
  # All are read: by the primitive itself.
  for name in eqn.params:
    site.params.get(name)
  are_keys = [_compat.is_key_array(atom.aval) for atom in eqn.invars]
  avals = [
    _compat.numbers_of_keys(atom.aval) if is_key else atom.aval
    for atom, is_key in zip(eqn.invars, are_keys)
  ]
  axes = [-1 if is_key else None for is_key in are_keys]

  def function(*arguments):
    return jax.vmap(lambda *xs: eqn.primitive.bind(*xs, **eqn.params), axes, -1)(*arguments)

  return site.traced(function, site.operands, avals)
