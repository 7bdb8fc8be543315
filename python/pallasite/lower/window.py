"""Reductions over windows that slide over an array."""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from pallasite.lower.reduce import fold
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, Value, literal_value


def _windows(site, array: Value, filler: Value) -> Value:
  """All windows: [sizes of a window..., number of windows...]. `filler` stands around the array."""
  params, rank = site.params, len(array.type.shape)
  ones = (1,) * rank
  sizes = [int(v) for v in params["window_dimensions"]]
  dilations = [int(v) for v in params.get("window_dilation") or ones]
  strides = [int(v) for v in params["window_strides"]]
  low, high = zip(*params["padding"]) if rank else ((), ())
  interior = [int(v) - 1 for v in params.get("base_dilation") or ones]
  attributes = {
    "low": [int(v) for v in low], "high": [int(v) for v in high], "interior": interior,
  }
  if any(attributes["low"] + attributes["high"] + interior):
    shape = tuple(
      l + n + max(n - 1, 0) * i + h
      for l, n, i, h in zip(attributes["low"], array.type.shape, interior, attributes["high"])
    )
    padded = ArrayType(array.type.element, shape)
    (array,) = site.op("shape.pad", (array, filler), attributes, [padded])
  counts = []
  for extent, size, dilation, stride in zip(array.type.shape, sizes, dilations, strides):
    room = extent - (size - 1) * dilation
    counts.append((room - 1) // stride + 1 if room > 0 else 0)
  attributes = {"sizes": sizes, "strides": strides, "dilations": dilations}
  type = ArrayType(array.type.element, (*sizes, *counts))
  return site.op("window.windows", (array,), attributes, [type])[0]


def _least(dtype, sign: int):
  """What no element is above (sign 1: below), of any type."""
  name = getattr(dtype, "name", str(dtype))
  if name == "bool":
    return sign > 0
  if "float" in name:
    # Not all types have an infinity.
    if np.isinf(np.asarray(np.inf).astype(dtype)):
      return sign * float("inf")
    limits = jnp.finfo(dtype)
    return float(limits.max if sign > 0 else limits.min)
  bits = int(name.lstrip("uint"))
  if name.startswith("u"):
    return (1 << bits) - 1 if sign > 0 else 0
  return (1 << (bits - 1)) - 1 if sign > 0 else -(1 << (bits - 1))


def _window_reduction(name: str):
  def convert(site):
    (array,) = site.operands
    dtype = site.eqn.invars[0].aval.dtype
    neutral = 0 if name == "sum" else _least(dtype, -1 if name == "max" else 1)
    windows = _windows(site, array, literal_value(neutral, dtype))
    axes = list(range(len(array.type.shape)))
    return site.op(f"reduce.{name}", (windows,), {"axes": axes})

  return convert


for _name in ("sum", "max", "min"):
  rule(f"lax.reduce_window_{_name}")(_window_reduction(_name))


@rule("lax.reduce_window")
def reduce_window(site):
  params, operands = site.params, site.operands
  count = len(operands) // 2
  arrays, initial = operands[:count], operands[count:]
  rank = len(arrays[0].type.shape)
  windows = [_windows(site, array, start) for array, start in zip(arrays, initial, strict=True)]
  shapes = [value.type.shape for value in windows]

  def function(*arguments):
    rows = [
      array.reshape(math.prod(shape[:rank]), *shape[rank:])
      for array, shape in zip(arguments, shapes)
    ]
    return fold(params["jaxpr"], params.get("consts", ()), rows, arguments[count:])

  avals = [v.aval for v in site.eqn.invars]
  avals = [a.update(shape=shape) for a, shape in zip(avals, shapes)] + avals[count:]
  return site.traced(function, [*windows, *initial], avals)


# ---- gradients of pooling


def _identity(dtype, largest: bool):
  return np.asarray(_least(dtype, -1 if largest else 1)).astype(dtype)


@rule("lax.select_and_gather_add")
def select_and_gather_add(site):
  """Of each window, what the second array has where the first has its largest (smallest)."""
  params = site.params
  select = params["select_prim"].bind

  def join(x, y):
    (x_key, x_value), (y_key, y_value) = x, y
    which = select(x_key, y_key)
    return lax.select(which, x_key, y_key), lax.select(which, x_value, y_value)

  def function(tangents, operand):
    first = _identity(operand.dtype, params["select_prim"] is lax.ge_p)
    zero = np.zeros((), tangents.dtype)
    return lax.reduce_window(
      (operand, tangents), (first, zero), join, params["window_dimensions"],
      params["window_strides"], params["padding"], params["base_dilation"],
      params["window_dilation"],
    )[1]

  return site.traced(function, site.operands, [v.aval for v in site.eqn.invars])


@rule("lax.select_and_scatter_add")
def select_and_scatter_add(site):
  """Adds an element for each window to where the window has its largest (smallest)."""
  params = site.params
  select, padding = params["select_prim"].bind, params["padding"]

  def join(x, y):
    # Number -1 stands before the first element of a window.
    (x_key, x_number), (y_key, y_number) = x, y
    which = select(x_key, y_key) & (x_number >= 0)
    return lax.select(which, x_key, y_key), lax.select(which, x_number, y_number)

  def function(source, operand):
    first = _identity(operand.dtype, params["select_prim"] is lax.ge_p)
    padded = lax.pad(operand, first, [(low, high, 0) for low, high in padding])
    numbers = lax.iota(np.int32, padded.size).reshape(padded.shape)
    _, chosen = lax.reduce_window(
      (padded, numbers), (first, np.int32(-1)), join, params["window_dimensions"],
      params["window_strides"], "VALID",
    )
    total = jnp.zeros(padded.size, source.dtype)
    total = total.at[chosen.reshape(-1)].add(source.reshape(-1), mode="drop")
    starts = [low for low, _ in padding]
    ends = [low + extent for (low, _), extent in zip(padding, operand.shape)]
    return lax.slice(total.reshape(padded.shape), starts, ends)

  return site.traced(function, site.operands, [v.aval for v in site.eqn.invars])
