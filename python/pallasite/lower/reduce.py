"""Reductions over axes of arrays in registers."""

from pallasite.lower.registry import rule


def _reduction(name: str):
  def convert(site):
    axes = [int(axis) for axis in site.params["axes"]]
    return site.op(f"reduce.{name}", site.operands, {"axes": axes})

  return convert


for _name in ("sum", "max", "min", "prod", "and", "or"):
  rule(f"lax.reduce_{_name}")(_reduction(_name))
for _name in ("sum", "max", "min", "prod"):
  rule(f"mosaic_gpu.mosaic_gpu_reduce_{_name}")(_reduction(_name))


def _arg_reduction(name: str):
  def convert(site):
    (axis,) = site.params["axes"]
    return site.op(f"reduce.{name}", site.operands, {"axis": int(axis)})

  return convert


for _name in ("argmax", "argmin"):
  rule(f"lax.{_name}")(_arg_reduction(_name))


def _cumulative(name: str):
  def convert(site):
    attributes = {"axis": int(site.params["axis"]), "reverse": bool(site.params["reverse"])}
    return site.op(f"reduce.{name}", site.operands, attributes)

  return convert


for _name in ("cumsum", "cumprod", "cummax", "cummin"):
  rule(f"lax.{_name}")(_cumulative(_name))
