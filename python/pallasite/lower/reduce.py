"""Reductions over axes of arrays in registers."""

import math

import jax
import jax.extend.core
from jax import lax

from pallasite import _compat
from pallasite.lower.registry import rule


def _reduction(name: str):
  def convert(site):
    axes = [int(axis) for axis in site.params["axes"]]
    return site.op(f"reduce.{name}", site.operands, {"axes": axes})

  return convert


for _name in ("sum", "max", "min", "prod", "and", "or", "xor"):
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


for _name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
  rule(f"lax.{_name}")(_cumulative(_name))


def fold(jaxpr, constants, rows, initial):
  """What a computation on single elements makes of rows[:, ...], row by row from the first, for
  arrays that go together. As a function of JAX arrays."""
  inner, own = _compat.open_jaxpr(jaxpr)
  closed = jax.extend.core.ClosedJaxpr(inner, [*own, *constants])
  join = jax.vmap(jax.extend.core.jaxpr_as_fun(closed))
  shape = rows[0].shape[1:]
  flat = [row.reshape(row.shape[0], math.prod(shape)) for row in rows]
  start = [lax.broadcast(value, (math.prod(shape),)) for value in initial]
  total, _ = lax.scan(lambda carry, row: (join(*carry, *row), None), start, flat)
  return [value.reshape(shape) for value in total]


@rule("lax.reduce")
def generic_reduce(site):
  params = site.params
  count = len(site.eqn.invars) // 2
  axes = [int(axis) for axis in params["dimensions"]]

  def function(*arguments):
    arrays, initial = arguments[:count], arguments[count:]
    rows = []
    for array in arrays:
      kept = [d for d in range(array.ndim) if d not in axes]
      length = math.prod(array.shape[axis] for axis in axes)
      moved = lax.transpose(array, [*axes, *kept])
      rows.append(moved.reshape(length, *(array.shape[d] for d in kept)))
    return fold(params["jaxpr"], params.get("consts", ()), rows, initial)

  return site.traced(function, site.operands, [v.aval for v in site.eqn.invars])
