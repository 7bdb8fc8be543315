"""Gather and scatter."""

import numpy as np

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ints, literal_value


def _mode(site) -> str:
  return getattr(site.params["mode"], "name", str(site.params["mode"])).lower()


def _fill_value(site, dtype):
  """What fills if the caller did not say: NaN, the lowest or, of unsigned types, the highest."""
  value = site.params["fill_value"]
  if value is not None:
    return value
  name = np.dtype(dtype).name
  if name == "bool":
    return True
  if "float" in name:
    return float("nan")
  bits = int(name.lstrip("uint"))
  return (1 << bits) - 1 if name.startswith("u") else -(1 << (bits - 1))


@rule("lax.gather")
def gather(site):
  numbers, mode = site.params["dimension_numbers"], _mode(site)
  if mode not in ("clip", "fill_or_drop", "promise_in_bounds"):
    raise UnsupportedError(f"`gather` with mode={mode} is not supported")
  dtype = site.eqn.outvars[0].aval.dtype
  fills = mode == "fill_or_drop"
  fill = literal_value(_fill_value(site, dtype) if fills else 0, dtype)
  attributes = {
    "window_dims": ints(numbers.offset_dims),
    "dropped_dims": ints(numbers.collapsed_slice_dims),
    "index_map": ints(numbers.start_index_map),
    "batching_dims": ints(numbers.operand_batching_dims),
    "index_batching_dims": ints(numbers.start_indices_batching_dims),
    # XLA keeps the promise itself, by moving a part that does not lie inside.
    "mode": "fill" if fills else "clip",
  }
  return site.op("gather.gather", (*site.operands, fill), attributes)


def _check_update(site, combine: str):
  """The function of `scatter` is its second argument, unless the caller gave it another."""
  jaxpr = site.params.get("update_jaxpr")
  if combine != "set" or jaxpr is None:
    return
  if jaxpr.eqns or jaxpr.outvars[0] is not jaxpr.invars[1]:
    raise UnsupportedError("`scatter` with a function of the old value (lax.scatter_apply) is not supported")


def _scatter(combine: str):
  def convert(site):
    numbers, mode = site.params["dimension_numbers"], _mode(site)
    if mode not in ("clip", "fill_or_drop", "promise_in_bounds"):
      raise UnsupportedError(f"`{site.name}` with mode={mode} is not supported")
    _check_update(site, combine)
    attributes = {
      "window_dims": ints(numbers.update_window_dims),
      "dropped_dims": ints(numbers.inserted_window_dims),
      "index_map": ints(numbers.scatter_dims_to_operand_dims),
      "batching_dims": ints(numbers.operand_batching_dims),
      "index_batching_dims": ints(numbers.scatter_indices_batching_dims),
      "mode": "clip" if mode == "clip" else "drop",
      "combine": combine,
    }
    return site.op("gather.scatter", site.operands, attributes)

  return convert


rule("lax.scatter")(_scatter("set"))
for _name in ("add", "sub", "mul", "min", "max"):
  rule(f"lax.scatter-{_name}")(_scatter(_name))
