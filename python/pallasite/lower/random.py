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
  def broadcast(value, shape):
    if value.type.shape == shape:
      return value
    dimensions = list(range(len(value.type.shape)))
    type = ArrayType("u32", shape)
    return site.op("shape.broadcast_in_dim", (value,), {"dimensions": dimensions}, [type])[0]

  shape = site.result_types[0].shape
  return site.op("random.threefry2x32", [broadcast(value, shape) for value in site.operands])


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
  # XLA makes bits of 8 and 16 out of 32.
  made = ArrayType(element, bits.shape)
  following, values = site.op("random.bits", (state,), {"cipher": cipher}, [long_state, made])
  if given.element == "u32":
    (following,) = site.op("arith.bitcast", (following,), None, [pairs])
    (following,) = site.op("shape.reshape", (following,), None, [given])
  if made != bits:
    (values,) = site.op("arith.convert", (values,), None, [bits])
  return following, values


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
