"""A producer and a consumer warpgroup: the smallest kernel with a copy, a barrier and a fence."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, out_gmem, in_smem, out_smem, ready):
  wg = lax.axis_index("wg")
  block = lax.axis_index("x")
  rows = pl.ds(block * 64, 64)

  @pl.when(wg == 0)
  def _():
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], in_smem, ready.at[0])

  @pl.when(wg == 1)
  def _():
    plgpu.barrier_wait(ready.at[0])
    out_smem[...] = in_smem[...] * 2 + 1.5
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_smem, out_gmem.at[rows])
    plgpu.wait_smem_to_gmem(0)


def run(x):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  call = plgpu.kernel(
    kernel,
    out_type=jax.ShapeDtypeStruct((128, 64), jnp.float16),
    scratch_types=[
      plgpu.SMEM((64, 64), jnp.float16, transforms=transforms),
      plgpu.SMEM((64, 64), jnp.float16, transforms=transforms),
      plgpu.Barrier(num_barriers=1),
    ],
    grid=(2,),
    grid_names=("x",),
    num_threads=2,
    thread_name="wg",
  )
  return call(x)


arguments = functools.partial(jnp.zeros, (128, 64), jnp.float16)
