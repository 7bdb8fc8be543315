"""Broken: one warpgroup waits for an arrive that the other never makes."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def double(x_gmem, out_gmem, x_smem, ready):
  wg = lax.axis_index("wg")

  @pl.when(wg == 0)
  def _():
    x_smem[...] = x_gmem[...] * 2
    # Missing: plgpu.barrier_arrive(ready)

  @pl.when(wg == 1)
  def _():
    plgpu.barrier_wait(ready)
    out_gmem[...] = x_smem[...]


def run(x):
  return plgpu.kernel(
    double,
    out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
    scratch_types=dict(
      x_smem=plgpu.SMEM(x.shape, x.dtype),
      ready=plgpu.Barrier(num_arrivals=1),
    ),
    num_threads=2,
    thread_name="wg",
  )(x)


def arguments():
  return (jnp.ones((128, 64), jnp.float32),)


def reference(x):
  return x * 2


if __name__ == "__main__":
  print(jax.jit(run)(*arguments()))
