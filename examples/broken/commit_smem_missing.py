"""Broken: the asynchronous copy may read shared memory before the stores to it are visible."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def double(x_gmem, out_gmem, out_smem):
  out_smem[...] = x_gmem[...] * 2
  # Missing: plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(out_smem, out_gmem)
  plgpu.wait_smem_to_gmem(0)


def run(x):
  return plgpu.kernel(
    double,
    out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
    scratch_types=dict(out_smem=plgpu.SMEM(x.shape, x.dtype)),
  )(x)


def arguments():
  return (jnp.ones((128, 64), jnp.float32),)


def reference(x):
  return x * 2


if __name__ == "__main__":
  print(jax.jit(run)(*arguments()))
