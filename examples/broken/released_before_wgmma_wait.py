"""Broken: a pipeline stage is handed back while the wgmma that reads it is still in flight.

One warpgroup copies tiles into two stages of shared memory, the other multiplies them. The stage is
released before `wgmma_wait`, so the next copy may overwrite what the tensor core is reading.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

STAGES = 2
M, N, K, TILE_K = 64, 128, 512, 64


def matmul(a_gmem, b_gmem, out_gmem, a_smem, b_smem, out_smem, loaded, released):
  wg = lax.axis_index("wg")

  @pl.when(wg == 0)
  def copies():
    @pl.loop(0, K // TILE_K)
    def _(step):
      stage = lax.rem(step, STAGES)

      @pl.when(step >= STAGES)
      def _():
        plgpu.barrier_wait(released.at[stage])

      depth = pl.ds(step * TILE_K, TILE_K)
      plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[stage], loaded.at[stage])
      plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[stage], loaded.at[stage])

  @pl.when(wg == 1)
  def products():
    def multiply(acc):
      @pl.loop(0, K // TILE_K)
      def _(step):
        stage = lax.rem(step, STAGES)
        plgpu.barrier_wait(loaded.at[stage])
        plgpu.wgmma(acc, a_smem.at[stage], b_smem.at[stage])
        # Too early: it belongs after the wait.
        plgpu.barrier_arrive(released.at[stage])
        plgpu.wgmma_wait(0)

      return acc[...]

    out_smem[...] = pl.run_scoped(multiply, plgpu.ACC((M, N), jnp.float32)).astype(jnp.float16)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_smem, out_gmem)
    plgpu.wait_smem_to_gmem(0)


def run(a, b):
  tiled = dict(transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))
  return plgpu.kernel(
    matmul,
    out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
    scratch_types=dict(
      a_smem=plgpu.SMEM((STAGES, M, TILE_K), jnp.float16, **tiled),
      b_smem=plgpu.SMEM((STAGES, TILE_K, N), jnp.float16, **tiled),
      out_smem=plgpu.SMEM((M, N), jnp.float16, **tiled),
      loaded=plgpu.Barrier(num_barriers=STAGES, num_arrivals=2),
      released=plgpu.Barrier(num_barriers=STAGES),
    ),
    num_threads=2,
    thread_name="wg",
  )(a, b)


def arguments():
  random = np.random.default_rng(0)
  return (
    jnp.asarray(random.uniform(-1, 1, (M, K)), jnp.float16),
    jnp.asarray(random.uniform(-1, 1, (K, N)), jnp.float16),
  )


def reference(a, b):
  return np.asarray(a, np.float64) @ np.asarray(b, np.float64)


if __name__ == "__main__":
  print(jax.jit(run)(*arguments()))
