"""Every element type as argument, constant, literal, scratch, loop carry and output; 64-bit mode."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite.lower.types import ELEMENT_NAMES

# XLA's CPU backend has no 1-bit integers and cannot take 6-bit floats in.
NOT_IN_JAX = ("int1", "uint1", "float6_e2m3fn", "float6_e3m2fn")
TYPES = [name for name in ELEMENT_NAMES if name not in NOT_IN_JAX]


@pytest.fixture(autouse=True)
def installed():
  with pallasite.install(arch="h100"):
    yield


def dtype(name):
  return np.dtype(getattr(ml_dtypes, name, None) or name)


def some(name, *shape):
  """Small numbers that the type has, different from one another where it has as many."""
  powers = name == "float8_e8m0fnu"
  numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
  return (2.0 ** (numbers % 4) if powers else numbers % 2).astype(dtype(name))


def run(kernel, outs, *inputs, **options):
  call = plgpu.kernel(
    kernel, out_type=[jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs], **options
  )
  return [np.asarray(out) for out in jax.jit(call)(*inputs)]


def expect(results, expected):
  for result, reference in zip(results, expected, strict=True):
    assert result.dtype == reference.dtype
    assert result.shape == reference.shape
    assert result.tobytes() == np.asarray(reference).tobytes()


@pytest.mark.parametrize("name", TYPES)
def test_a_type_goes_everywhere(name):
  with jax.enable_x64(True):
    x, one = some(name, 4, 8), some(name, 2)[1]

    def kernel(x, copied, kept, scalar, carried, chosen, scratch):
      scratch[...] = x[...]
      copied[...] = scratch[...]
      # Array constants JAX refuses; of literals there may be any type.
      kept[...] = jnp.full((4, 8), one)
      scalar[...] = jnp.asarray(one)
      carried[...] = lax.fori_loop(0, 3, lambda _, c: (c[1], c[0]), (x[...], scratch[...]))[0]
      chosen[1:3] = jnp.where(x[1:3] == x[1:3], x[1:3], jnp.asarray(one))
      chosen[0] = x[0]
      chosen[3] = x[3]

    scratch = [plgpu.SMEM((4, 8), x.dtype)]
    expected = [x, np.full((4, 8), one), np.asarray(one), x, x]
    expect(run(kernel, expected, x, scratch_types=scratch), expected)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 2, 1, 2, 1, 2, 1, 2)])
def test_any_rank_and_extent(name, shape):
  with jax.enable_x64(True):
    x = some(name, *shape)

    def kernel(x, out):
      out[...] = x[...]

    expect(run(kernel, [x], x), [x])


@pytest.mark.parametrize(
  "name", ["int8", "uint8", "int16", "int32", "uint32", "float16", "bfloat16", "float32"]
)
@pytest.mark.parametrize("x64", [False, True])
def test_python_numbers_take_the_type_beside_them(name, x64):
  with jax.enable_x64(x64):
    x = np.arange(8).astype(dtype(name))

    def kernel(x, plain, mixed, out):
      plain[...] = x[...] * 2 + 1
      mixed[...] = jnp.where(x[...] > 3, x[...], 7)
      out[...] = x[...] + np.asarray(3, x.dtype)

    with np.errstate(over="ignore"):
      expected = [
        (x * np.asarray(2, x.dtype) + np.asarray(1, x.dtype)).astype(x.dtype),
        np.where(x > np.asarray(3, x.dtype), x, np.asarray(7, x.dtype)),
        (x + np.asarray(3, x.dtype)).astype(x.dtype),
      ]
    expect(run(kernel, expected, x), expected)


@pytest.mark.parametrize("x64", [False, True])
def test_grid_indices_and_loop_counters(x64):
  index = np.int64 if x64 else np.int32
  with jax.enable_x64(x64):

    def kernel(x, out):
      i = lax.axis_index("x").astype(index)

      def step(j, total):
        assert j.dtype == index
        return total + x[i, j].astype(index) * j

      out[i] = lax.fori_loop(index(0), index(5), step, index(2**31 - 1))

    x = np.arange(20, dtype=np.int32).reshape(4, 5)
    with np.errstate(over="ignore"):
      expected = index(2**31 - 1) + np.sum(x.astype(index) * np.arange(5, dtype=index), 1, dtype=index)
    expect(run(kernel, [expected], x, grid=(4,), grid_names=("x",)), [expected])


def test_f64_is_not_rounded_to_f32():
  with jax.enable_x64(True):
    x = np.linspace(1, 2, 64)

    def kernel(x, sum_of, third, halves):
      sum_of[...] = lax.fori_loop(0, 64, lambda i, total: total + x[i], jnp.float64(0))
      third[...] = x[...] / 3
      halves[pl.ds(0, 32)] = jnp.sqrt(x[pl.ds(0, 32)])
      halves[pl.ds(32, 32)] = x[pl.ds(32, 32)].astype(jnp.float32).astype(jnp.float64)

    total = np.float64(0)
    for value in x:
      total += value
    halves = np.concatenate([np.sqrt(x[:32]), x[32:].astype(np.float32).astype(np.float64)])
    expected = [np.asarray(total), x / 3, halves]
    expect(run(kernel, expected, x), expected)


# Without checks a kernel is first read on a thread of XLA, which flushes subnormals.
@pytest.mark.parametrize("checks", ["default", "none"])
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_literals_that_are_subnormal(name, checks):
  info = ml_dtypes.finfo(dtype(name))
  least = float(info.smallest_subnormal)
  # The last is the largest one.
  numbers = [least, -least, 3 * least, float(info.smallest_normal) - least]
  expected = np.asarray(numbers, dtype(name))

  def kernel(out):
    for row, number in enumerate(expected):
      out[row] = lax.full((4,), number)

  with jax.enable_x64(True), pallasite.install(arch="h100", checks=checks):
    (out,) = run(kernel, [np.zeros((len(numbers), 4), dtype(name))])
  np.testing.assert_array_equal(
    np.asarray(out).view(f"u{expected.itemsize}"),
    np.broadcast_to(expected[:, None], out.shape).copy().view(f"u{expected.itemsize}"),
  )
