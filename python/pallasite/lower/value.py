"""Identities that say something about a value."""

from pallasite import _compat
from pallasite.lower.registry import rule
from pallasite.lower.types import literal_value


@rule("mosaic_gpu.layout_cast")
def layout_cast(site):
  layout = _compat.layout_text(site.params["new_layout"])
  return site.op("value.layout_cast", site.operands, {"layout": layout})


@rule("pallas.multiple_of")
def multiple_of(site):
  values = site.params["values"]
  values = [values] if isinstance(values, int) else list(values)
  return site.op("value.multiple_of", site.operands, {"values": [int(v) for v in values]})


@rule("lax.optimization_barrier")
def optimization_barrier(site):
  return site.op("value.optimization_barrier", site.operands)


@rule(
  "lax.copy",
  "jax.device_put",
  "jax.name",
  "jax.relayout",
  "jax.reshard",
  "jax.sharding_constraint",
  "jax.stop_gradient",
)
def identity(site):
  """What places an array, or names it, or stops derivatives: the value is the same."""
  return site.operands


@rule("lax.tie")
def tie(site):
  return site.operands[1]


@rule("lax.empty", "lax.empty2")
def empty(site):
  """Any elements would do. XLA's are 0."""
  (type,) = site.result_types
  (aval,) = (variable.aval for variable in site.eqn.outvars)
  return site.broadcast(literal_value(0, aval.dtype), type.shape)
