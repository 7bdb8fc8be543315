"""Random bits."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType


@rule("random.threefry2x32")
def threefry2x32(site):
  shape = site.result_types[0].shape
  return site.op("random.threefry2x32", [site.broadcast(value, shape) for value in site.operands])


def _pairs_along(shape, element: str):
  """XLA puts the two words of a Threefry block side by side along the first even dimension, or else
  the largest. The array to draw, and how it becomes that."""
  even = [d for d, extent in enumerate(shape) if extent % 2 == 0]
  axis = even[0] if even else shape.index(max(shape))
  half = (*shape[:axis], (shape[axis] + 1) // 2, *shape[axis + 1 :])
  drawn = ArrayType(element, (*half, 2))

  def arrange(site, values):
    rank = len(shape)
    order = [*range(axis + 1), rank, *range(axis + 1, rank)]
    moved = ArrayType(element, tuple(drawn.shape[d] for d in order))
    (values,) = site.op("shape.transpose", (values,), {"permutation": order}, [moved])
    whole = ArrayType(element, (*shape[:axis], 2 * half[axis], *shape[axis + 1 :]))
    (values,) = site.op("shape.reshape", (values,), None, [whole])
    limits = {"starts": [0] * rank, "limits": list(shape)}
    return site.op("shape.slice", (values,), limits, [ArrayType(element, shape)])[0]

  return drawn, arrange


@rule("lax.rng_bit_generator")
def rng_bit_generator(site):
  algorithm = int(site.params["algorithm"])
  # RNG_DEFAULT, RNG_THREE_FRY, RNG_PHILOX; the default is Philox on a CPU.
  cipher = {0: "philox", 1: "threefry", 2: "philox"}.get(algorithm)
  if cipher is None:
    raise UnsupportedError(f"`rng_bit_generator` with algorithm={algorithm} is not supported")
  (state,) = site.operands
  given, bits = site.result_types
  long_state, pairs = ArrayType("u64", (2,)), ArrayType("u32", (2, 2))
  if state.type.element == "u32":
    (state,) = site.op("shape.reshape", (state,), None, [pairs])
    (state,) = site.op("arith.bitcast", (state,), None, [long_state])
  element = bits.element if bits.element in ("u8", "u16", "u32", "u64") else "u32"
  made = ArrayType(element, bits.shape)
  drawn, arrange = made, None
  if cipher == "threefry" and element != "u64" and bits.shape:
    drawn, arrange = _pairs_along(bits.shape, element)
  following, values = site.op("random.bits", (state,), {"cipher": cipher}, [long_state, drawn])
  if arrange is not None:
    values = arrange(site, values)
  if given.element == "u32":
    (following,) = site.op("arith.bitcast", (following,), None, [pairs])
    (following,) = site.op("shape.reshape", (following,), None, [given])
  if made != bits:
    (values,) = site.op("arith.convert", (values,), None, [bits])
  return following, values


@rule("lax.rng_uniform")
def rng_uniform(site):
  """XLA draws from a generator that nobody can seed. Here each thread, each equation and each time
  have a state of their own, which depends on nothing else."""
  (type,) = site.result_types
  (aval,) = (v.aval for v in site.eqn.outvars)
  is_float = jnp.issubdtype(aval.dtype, jnp.floating)
  width = max(int(jnp.dtype(aval.dtype).itemsize) * 8, 32)
  state_type = ArrayType("u64", (2,))
  (state,) = site.op("random.fresh_state", (), None, [state_type])
  bits_type = ArrayType(f"u{width}", type.shape)
  _, bits = site.op("random.bits", (state,), {"cipher": "philox"}, [state_type, bits_type])

  def function(low, high, bits):
    if not is_float:
      span = (high - low).astype(bits.dtype)
      return low + lax.rem(bits, jnp.broadcast_to(span, bits.shape)).astype(aval.dtype)
    wide = jnp.float64 if width == 64 else jnp.float32
    # As many bits as the float has, so that 1 is never reached.
    kept = int(jnp.finfo(aval.dtype).nmant) + 1
    unit = (bits >> (width - kept)).astype(wide) * wide(2.0**-kept)
    value = low + (high - low) * unit.astype(aval.dtype)
    # Rounding may have reached the end, which is excluded.
    return lax.select(value < high, value, jnp.broadcast_to(low, value.shape))

  avals = [v.aval for v in site.eqn.invars]
  avals.append(jax.ShapeDtypeStruct(type.shape, f"uint{width}"))
  return site.traced(function, [*site.operands, bits], avals)


@rule("random.iota_2x32_shape")
def iota_2x32_shape(site):
  """The number of each element in row-major order, as its upper and lower 32 bits."""
  shape = tuple(site.params["shape"])
  if math.prod(shape) > 1 << 32:
    raise UnsupportedError("over 2^32 random numbers at once are not supported")

  def function():
    return jnp.zeros(shape, jnp.uint32), lax.iota(jnp.uint32, math.prod(shape)).reshape(shape)

  return site.traced(function, (), ())


# ---- keys


def _each(function, rank: int):
  """A function of the numbers of one key, on an array of keys of some rank."""
  for _ in range(rank):
    function = jax.vmap(function)
  return function


@rule("random.random_wrap", "random.random_unwrap", "random.random_clone")
def same_numbers(site):
  return site.operands


@rule("random.random_seed")
def random_seed(site):
  (aval,) = (v.aval for v in site.eqn.invars)
  seed = _compat.key_functions(site.params["impl"]).seed
  return site.traced(_each(seed, len(aval.shape)), site.operands, [aval])


def _of_keys(site, function):
  (aval,) = (v.aval for v in site.eqn.invars)
  functions = _compat.key_functions(aval.dtype)
  each = _each(lambda key: function(functions, key), len(aval.shape))
  return site.traced(each, site.operands, [_compat.numbers_of_keys(aval)])


@rule("random.random_split")
def random_split(site):
  shape = tuple(site.params["shape"])
  return _of_keys(site, lambda functions, key: functions.split(key, shape))


@rule("random.random_bits")
def random_bits(site):
  width, shape = site.params["bit_width"], tuple(site.params["shape"])
  return _of_keys(site, lambda functions, key: functions.random_bits(key, width, shape))


@rule("random.random_fold_in")
def random_fold_in(site):
  keys, data = (v.aval for v in site.eqn.invars)
  fold_in = _compat.key_functions(keys.dtype).fold_in
  shape = tuple(site.eqn.outvars[0].aval.shape)

  def function(numbers, messages):
    numbers = jnp.broadcast_to(numbers, (*shape, *numbers.shape[len(keys.shape) :]))
    return _each(fold_in, len(shape))(numbers, jnp.broadcast_to(messages, shape))

  return site.traced(function, site.operands, [_compat.numbers_of_keys(keys), data])


@rule("random.random_gamma")
def random_gamma(site):
  log_space = site.params["log_space"]

  def function(key, a):
    return _compat.random_gamma(key, a, log_space)

  return site.traced(function, site.operands, [v.aval for v in site.eqn.invars])
