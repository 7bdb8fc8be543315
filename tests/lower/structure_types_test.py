"""Gather, scatter, sort, products and windows in many types, against XLA."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import pallasite
from in_kernel import assert_same, kernel_of

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int4", "uint4"]
FLOATS = ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]


def array(dtype, *shape, seed=0):
  """Small whole numbers with ties, so that sums and products are exact."""
  values = np.random.default_rng(seed).integers(-3, 4, shape)
  if dtype == "bool":
    return jnp.asarray(values > 0)
  if dtype.startswith("u"):
    values = np.abs(values)
  return jnp.asarray(values.astype(np.float32)).astype(dtype)


PLACES = jnp.asarray([[0], [5], [-1], [2], [2]], jnp.int32)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_gather_and_scatter(dtype):
  def function(x, i, u):
    places = i[:, 0]
    parts = [x.at[places].get(mode=mode) for mode in ("clip", "fill")]
    return *parts, x.at[places].set(u, mode="drop"), x.at[places].max(u, mode="clip")

  assert_same(function, array(dtype, 4, 3), PLACES, array(dtype, 5, 3, seed=1))


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint32"])
def test_scatter_that_combines(dtype, index):
  def function(x, i, u):
    return [getattr(x.at[:, i[:, 0]], name)(u) for name in ("add", "subtract", "multiply", "min")]

  places = PLACES if index.startswith("i") else jnp.abs(PLACES)
  assert_same(function, array(dtype, 2, 4), places.astype(index), array(dtype, 2, 5, seed=1))


@pytest.mark.parametrize("size", [0, 1, 5])
def test_empty_and_single_parts(size):
  def function(x, i):
    return x[i], x.at[i].add(2), x.at[i, :0].get(), lax.sort(x[i], dimension=0)

  assert_same(function, array("float32", 6, 3), jnp.arange(size, dtype=jnp.int32))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("dimension", [0, 1])
def test_sort(dtype, dimension):
  def function(x, y):
    position = lax.broadcasted_iota(jnp.int32, x.shape, dimension)
    one = lax.sort((x, position), dimension=dimension, num_keys=1)
    return *one, *lax.sort((x, y, position), dimension=dimension, num_keys=2)

  assert_same(function, array(dtype, 9, 7), array("int32", 9, 7, seed=1))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_order_of_zeros_and_nans(dtype):
  values = [1, np.nan, -0.0, 0.0, -np.inf, 0.0, -0.0, np.inf, -np.nan, -1e-7]
  x = jnp.asarray(np.array(values, np.float32)).astype(dtype)
  position = jnp.arange(len(values), dtype=jnp.int32)
  assert_same(lambda x, p: lax.sort((x, p), num_keys=1)[1], x, position)
  assert_same(lambda x, p: jnp.argmax(x) + p, x, position)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "float32", "bfloat16"])
def test_top_k(dtype):
  assert_same(lambda x: lax.top_k(x, 4), array(dtype, 3, 9))


@pytest.mark.parametrize("a", ["int8", "uint8", "int16", "int32", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("batch", [False, True])
def test_products(a, batch):
  spec = "bij,bkj->bik" if batch else "ij,jk->ik"
  left = array(a, 2, 3, 5) if batch else array(a, 3, 5)
  right = array(a, 2, 4, 5, seed=1) if batch else array(a, 5, 4, seed=1)
  assert_same(lambda x, y: jnp.einsum(spec, x, y), left, right)


@pytest.mark.parametrize(
  "numbers",
  [
    (((0, 2), (2, 0)), ((), ())), (((2,), (1,)), ((0,), (0,))), (((), ()), ((), ())),
    (((), ()), ((1,), (1,))), (((1,), (1,)), ((0, 2), (0, 2))), (((0, 1, 2), (0, 1, 2)), ((), ())),
  ],
)
@pytest.mark.parametrize("preferred", [None, "float32"])
def test_dimension_numbers_of_products(numbers, preferred):
  shape = (3, 4, 3) if numbers[0] == ((0, 2), (2, 0)) else (3, 4, 4)
  if numbers == (((2,), (1,)), ((0,), (0,))):
    shape = (3, 4, 4)
  if numbers in ((((1,), (1,)), ((0, 2), (0, 2))), (((), ()), ((1,), (1,)))):
    shape = (3, 4, 2)
  left, right = array("bfloat16", *shape), array("bfloat16", *shape, seed=1)

  def function(x, y):
    # Without a sum XLA's zeros have the sign of the product; here a sum starts with 0.
    product = lax.dot_general(x, y, numbers, preferred_element_type=preferred)
    return jnp.where(product == 0, 0, product)

  assert_same(function, left, right)


def test_products_without_elements():
  assert_same(lambda x, y: x @ y, array("float32", 3, 0), array("float32", 0, 2))
  assert_same(lambda x, y: x @ y, array("int32", 0, 4), array("int32", 4, 2))
  assert_same(lambda x, y: x @ y, array("bool", 3, 4), array("bool", 4, 2))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "bfloat16"])
def test_windows(dtype):
  def function(x):
    zero = np.zeros((), x.dtype)
    options = dict(window_dimensions=(2, 3), window_strides=(2, 1), padding=((0, 1), (2, 0)))
    return lax.reduce_window(x, zero, lax.add, **options), lax.reduce_window(
      x, zero, lambda a, b: jnp.maximum(a, b), **options
    )

  assert_same(function, array(dtype, 5, 6))


@pytest.mark.parametrize("dtype", ["int8", "uint16", *FLOATS, "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_extremes_of_windows_that_reach_outside(dtype):
  # The numbers that JAX itself takes for the largest and the smallest, infinities where there are any.
  limits = jnp.iinfo(dtype) if "int" in dtype else jnp.finfo(dtype)
  low, high = (np.asarray(limit).astype(dtype) for limit in (limits.min, limits.max))
  if "float" in dtype and np.isinf(np.asarray(np.inf).astype(dtype)):
    low, high = (np.asarray(limit).astype(dtype) for limit in (-np.inf, np.inf))

  def function(x):
    options = dict(window_dimensions=(3,), window_strides=(1,), padding=((1, 1),))
    return lax.reduce_window(x, low, lax.max, **options), lax.reduce_window(
      x, high, lax.min, **options
    )

  primitives = {eqn.primitive.name for eqn in jax.make_jaxpr(function)(array(dtype, 6)).eqns}
  assert primitives == {"reduce_window_max", "reduce_window_min"}
  assert_same(function, array(dtype, 6))


def test_keys_are_moved():
  def function(seeds):
    keys = jax.random.split(jax.random.key(seeds[0]), 6).reshape(2, 3)
    chosen = jnp.where(seeds[1] > 0, keys[0, 1], keys[1, 2])
    _, bits = lax.scan(lambda c, k: (c, jax.random.bits(k, (2,))), 0, keys[:, 0])
    return jax.random.key_data(chosen), bits, jax.random.key_data(keys.T)

  assert_same(function, jnp.asarray([3, 1], jnp.int32))


def test_keys_are_not_numbers():
  def function(seeds):
    keys = jax.random.split(jax.random.key(seeds[0]), 2)
    return keys[0] == keys[1]

  seeds = jnp.asarray([3], jnp.int32)
  report = pallasite.check(kernel_of(function, seeds), seeds, checks="none")
  assert report.verdict == "unsupported"
  assert "of random keys" in report.findings[0].message
