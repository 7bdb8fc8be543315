"""JAX's own Hopper matmuls, unmodified from its wheel, against float64 products."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pallasite

# Of the largest element of the reference: operands are float16, sums float32.
TOLERANCE = 2e-3


def _module(name):
  return importlib.import_module(f"jax.experimental.pallas.ops.gpu.{name}")


def _normal(seed, shape, dtype=jnp.float16):
  return jax.random.normal(jax.random.key(seed), shape, dtype)


def _wide(x):
  return np.asarray(x).astype(np.float64)


def _check(got, want):
  got = _wide(got)
  assert got.shape == want.shape
  # Also fails where the result is NaN.
  assert np.abs(got - want).max() <= TOLERANCE * np.abs(want).max()


@pytest.fixture(autouse=True)
def engine():
  with pallasite.install(arch="h100", num_sms=4):
    yield


@pytest.mark.parametrize("options", [
  {},
  {"wg_dimension": "M"},
  {"epi_tile_m": None, "epi_tile_n": None},
  {"cluster_dimension": "M"},
  {"cluster_dimension": "N"},
  {"max_concurrent_steps": 3, "grid_tile_width": 2},
  {"tile_m": 128, "tile_n": 128, "max_concurrent_steps": 4},
], ids=lambda options: " ".join(f"{k}={v}" for k, v in options.items()) or "plain")
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16], ids=["f16", "bf16"])
def test_hopper_matmul(options, dtype):
  module = _module("hopper_matmul_mgpu")
  config = {"tile_m": 64, "tile_n": 64, "tile_k": 64, "max_concurrent_steps": 2} | options
  for name in ("wg_dimension", "cluster_dimension"):
    if name in config:
      config[name] = module.MatmulDimension[config[name]]
  a, b = _normal(0, (256, 192), dtype), _normal(1, (192, 256), dtype)
  got = module.matmul(a, b, None, module.TuningConfig(**config))
  want = _wide(a) @ _wide(b)
  if dtype == jnp.bfloat16:
    # The output is rounded to bfloat16.
    want = _wide(want.astype(jnp.bfloat16))
    assert np.abs(_wide(got) - want).max() <= 2**-8 * np.abs(want).max()
  else:
    _check(got, want)
  assert pallasite.last_report().verdict == "clean"


def test_hopper_matmul_with_an_addend():
  module = _module("hopper_matmul_mgpu")
  a, b, c = _normal(0, (128, 128)), _normal(1, (128, 256)), _normal(2, (128, 256), jnp.float32)
  config = module.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
  got = module.matmul(a, b, c, config)
  _check(got, _wide(a) @ _wide(b) + _wide(c))


SIZES = (50, 0, 78)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("in_registers", [False, True])
def test_ragged_dot(transpose, in_registers):
  module = _module("ragged_dot_mgpu")
  lhs, rhs = _normal(0, (128, 128)), _normal(1, (3, 128, 128))
  got = module.ragged_dot(
    lhs, rhs.swapaxes(1, 2) if transpose else rhs, group_sizes=jnp.array(SIZES, jnp.int32),
    transpose_rhs=transpose, block_m=64, block_n=64, block_k=64, max_concurrent_steps=2,
    grid_block_n=2, load_group_sizes_to_register=in_registers)
  group = np.repeat(np.arange(3), SIZES)
  _check(got, np.einsum("mk,mkn->mn", _wide(lhs), _wide(rhs)[group]))


def test_transposed_ragged_dot():
  module = _module("transposed_ragged_dot_mgpu")
  lhs, rhs = _normal(0, (128, 128)), _normal(1, (128, 128))
  with jax.numpy_dtype_promotion("standard"):
    got = module.transposed_ragged_dot(
      lhs, rhs, group_sizes=jnp.array(SIZES, jnp.int32), block_m=64, block_n=64, block_k=64,
      max_concurrent_steps=2, grid_block_n=2)
  ends = np.cumsum(SIZES)
  _check(got, np.stack([
    _wide(lhs)[end - size : end].T @ _wide(rhs)[end - size : end]
    for size, end in zip(SIZES, ends)]))
