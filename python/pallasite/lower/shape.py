"""Shapes of arrays in registers."""

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, ints


def _one_operand(site):
  if len(site.eqn.invars) != 1:
    raise UnsupportedError(f"`{site.name}` with a shape known only at run time is not supported")
  return site.operands


@rule("lax.broadcast_in_dim")
def broadcast_in_dim(site):
  dimensions = ints(site.params["broadcast_dimensions"])
  return site.op("shape.broadcast_in_dim", _one_operand(site), {"dimensions": dimensions})


@rule("lax.reshape")
def reshape(site):
  site.require(dimensions=None)
  return site.op("shape.reshape", _one_operand(site))


@rule("lax.squeeze")
def squeeze(site):
  rank = len(site.eqn.invars[0].aval.shape)
  dimensions = sorted(int(d) % rank for d in site.params["dimensions"])
  return site.op("shape.squeeze", site.operands, {"dimensions": dimensions})


@rule("lax.slice")
def slice_(site):
  params = site.params
  attributes = {"starts": ints(params["start_indices"]), "limits": ints(params["limit_indices"])}
  if params["strides"] is not None and any(s != 1 for s in params["strides"]):
    attributes["strides"] = ints(params["strides"])
  return site.op("shape.slice", site.operands, attributes)


@rule("lax.unstack")
def unstack(site):
  (operand,) = site.operands
  shape, axis = operand.type.shape, int(site.params["axis"])
  parts = []
  for i, type in enumerate(site.result_types):
    starts = [i if d == axis else 0 for d in range(len(shape))]
    limits = [i + 1 if d == axis else extent for d, extent in enumerate(shape)]
    kept = ArrayType(type.element, tuple(b - a for a, b in zip(starts, limits)))
    (part,) = site.op("shape.slice", (operand,), {"starts": starts, "limits": limits}, [kept])
    parts += site.op("shape.squeeze", (part,), {"dimensions": [axis]}, [type])
  return parts


@rule("lax.stack")
def stack(site):
  axis = int(site.params["axis"])
  parts = []
  for operand in site.operands:
    shape = operand.type.shape
    type = ArrayType(operand.type.element, (*shape[:axis], 1, *shape[axis:]))
    parts += site.op("shape.reshape", (operand,), None, [type])
  return site.op("shape.concatenate", parts, {"dimension": axis})


@rule("lax.concatenate")
def concatenate(site):
  return site.op("shape.concatenate", site.operands, {"dimension": int(site.params["dimension"])})


@rule("lax.iota")
def iota(site):
  if site.eqn.invars:
    raise UnsupportedError("`iota` with a shape known only at run time is not supported")
  return site.op("shape.iota", (), {"dimension": int(site.params["dimension"])})


@rule("lax.transpose")
def transpose(site):
  permutation = ints(site.params["permutation"])
  return site.op("shape.transpose", site.operands, {"permutation": permutation})


@rule("lax.dynamic_slice")
def dynamic_slice(site):
  return site.op("shape.dynamic_slice", site.operands, {"sizes": ints(site.params["slice_sizes"])})


@rule("lax.dynamic_update_slice")
def dynamic_update_slice(site):
  return site.op("shape.dynamic_update_slice", site.operands)


@rule("lax.split")
def split(site):
  (operand,) = site.operands
  axis, first, parts = int(site.params["axis"]), 0, []
  for size, type in zip(site.params["sizes"], site.result_types, strict=True):
    starts, limits = [0] * len(type.shape), list(operand.type.shape)
    starts[axis], limits[axis] = first, first + int(size)
    first = limits[axis]
    parts += site.op("shape.slice", (operand,), {"starts": starts, "limits": limits}, [type])
  return parts


@rule("lax.tile")
def tile(site):
  (operand,) = site.operands
  for axis, count in enumerate(site.params["reps"]):
    shape = operand.type.shape
    repeated = ArrayType(operand.type.element, (*shape[:axis], int(count), *shape[axis:]))
    dimensions = [d for d in range(len(repeated.shape)) if d != axis]
    operand = site.op("shape.broadcast_in_dim", (operand,), {"dimensions": dimensions}, [repeated])[0]
    flat = (*shape[:axis], int(count) * shape[axis], *shape[axis + 1 :])
    operand = site.op("shape.reshape", (operand,), None, [ArrayType(repeated.element, flat)])[0]
  return operand


@rule("lax.pad")
def pad(site):
  low, high, interior = zip(*site.params["padding_config"])
  attributes = {"low": ints(low), "high": ints(high), "interior": ints(interior)}
  return site.op("shape.pad", site.operands, attributes)


@rule("lax.rev")
def reverse(site):
  return site.op("shape.reverse", site.operands, {"dimensions": ints(site.params["dimensions"])})
