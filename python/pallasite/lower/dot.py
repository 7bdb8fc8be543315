"""Products of arrays."""

import math

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, Value

# lax.Precision: all of them are met, as floats are never shortened.
_PRECISIONS = {"DEFAULT", "HIGH", "HIGHEST"}


def _check_precision(precision):
  each = precision if isinstance(precision, (tuple, list)) else (precision,)
  for one in each:
    if one is not None and getattr(one, "name", "") not in _PRECISIONS:
      raise UnsupportedError(f"`dot_general` with precision={one} is not supported")


def _matrices(site, value: Value, batch, contracted, depth_last: bool):
  """The operand as [batch, rows, depth] or [batch, depth, rows], whichever needs no move, and
  whether it is the one that was not asked for."""
  shape = value.type.shape
  free = [d for d in range(len(shape)) if d not in batch and d not in contracted]
  orders = {True: [*batch, *free, *contracted], False: [*batch, *contracted, *free]}
  in_place = list(range(len(shape)))
  last = depth_last if orders[not depth_last] != in_place else not depth_last
  order = orders[last]
  if order != in_place:
    moved = ArrayType(value.type.element, tuple(shape[d] for d in order))
    (value,) = site.op("shape.transpose", (value,), {"permutation": order}, [moved])
  size = lambda dims: math.prod(shape[d] for d in dims)  # noqa: E731
  inner = (size(free), size(contracted)) if last else (size(contracted), size(free))
  flat = ArrayType(value.type.element, (size(batch), *inner))
  if value.type != flat:
    (value,) = site.op("shape.reshape", (value,), None, [flat])
  return value, last != depth_last, size(free)


@rule("lax.dot_general")
def dot_general(site):
  _check_precision(site.params["precision"])
  (a_contracted, b_contracted), (a_batch, b_batch) = site.params["dimension_numbers"]
  a, b = site.operands
  (result,) = site.result_types
  a, a_transposed, rows = _matrices(site, a, list(a_batch), list(a_contracted), True)
  b, b_transposed, cols = _matrices(site, b, list(b_batch), list(b_contracted), False)
  attributes = {}
  if a_transposed:
    attributes["transpose_a"] = True
  if b_transposed:
    attributes["transpose_b"] = True
  product = ArrayType(result.element, (a.type.shape[0], rows, cols))
  (value,) = site.op("dot.general", (a, b), attributes, [product])
  return value if product == result else site.op("shape.reshape", (value,))
