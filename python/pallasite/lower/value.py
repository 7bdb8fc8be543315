"""Identities that say something about a value."""

from pallasite import _compat
from pallasite.lower.registry import rule


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


@rule("lax.copy", "jax.relayout", "jax.reshard")
def identity(site):
  return site.operands
