"""Sorting, the largest elements, and comparisons in IEEE's total order."""

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, literal_value


@rule("lax.sort")
def sort(site):
  # Equal elements keep their order, also where the caller does not ask for it.
  attributes = {
    "dimension": int(site.params["dimension"]),
    "num_keys": int(site.params["num_keys"]),
  }
  return site.op("sort.sort", site.operands, attributes)


@rule("lax.top_k")
def top_k(site):
  attributes = {"dimension": int(site.params["axis"]), "k": int(site.params["k"])}
  return site.op("sort.top_k", site.operands, attributes)


@rule("lax.approx_top_k")
def approx_top_k(site):
  """All of them, as XLA finds on a CPU: how many there are the result's type says."""
  rank = len(site.eqn.invars[0].aval.shape)
  dimension = int(site.params["reduction_dimension"]) % rank
  attributes = {"dimension": dimension, "k": int(site.result_types[0].shape[dimension])}
  if not site.params["is_max_k"]:
    attributes["smallest"] = True
  return site.op("sort.top_k", site.operands, attributes)


_INTEGERS = {"f64": "i64", "f32": "i32", "f16": "i16", "bf16": "i16"}


def _ordered(site, value):
  """Integers in the order of the elements: floats with their sign set run backward."""
  element, shape = value.type.element, value.type.shape
  if element[0] in "iu" or element == "bool":
    return value
  integer = _INTEGERS.get(element, "i8" if element.startswith("f8") else None)
  if integer is None or element == "f8e8m0fnu":
    raise UnsupportedError(f"`{site.name}` of {element} is not supported")
  type = ArrayType(integer, shape)
  dtype = f"int{integer[1:]}"

  def all_of(number):
    return site.broadcast(literal_value(number, dtype), shape)

  bits = int(integer[1:])
  (code,) = site.op("arith.bitcast", (value,), None, [type])
  (sign,) = site.op("arith.shift_right_arithmetic", (code, all_of(bits - 1)), None, [type])
  (flip,) = site.op("arith.and", (sign, all_of((1 << (bits - 1)) - 1)), None, [type])
  return site.op("arith.xor", (code, flip), None, [type])[0]


def _total_order(name: str):
  def convert(site):
    return site.op(f"arith.{name}", [_ordered(site, operand) for operand in site.operands])

  return convert


for _name in ("eq", "le", "lt"):
  rule(f"lax.{_name}_to")(_total_order(_name))
