"""Writes the kernels that bench/matmul.cc runs anew: JAX's Hopper matmul at some sizes.

    .venv-oldest/bin/python bench/export_kernels.py
"""

import pathlib
import re

import jax
import jax.numpy as jnp
import pallasite
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hopper

FOLDER = pathlib.Path(__file__).parent / "kernels"

# (m, n, k), (tile_m, tile_n, tile_k) of a warpgroup, blocks. Two warpgroups lie side by side in n.
KERNELS = {
  "matmul_512": ((512, 512, 512), (64, 64, 64), 4),
  "matmul_1024": ((1024, 1024, 1024), (128, 128, 64), 4),
  "matmul_16_blocks": ((1024, 1024, 512), (64, 64, 64), 16),
}


def export(size, tile, num_sms) -> str:
  m, n, k = size
  config = hopper.TuningConfig(*tile, max_concurrent_steps=4)
  arguments = (jnp.zeros((m, k), jnp.float16), jnp.zeros((k, n), jnp.float16))
  # The number of blocks is read while tracing, which a cache would keep from the kernel before.
  jax.clear_caches()
  with pallasite.install(arch="h100", num_sms=num_sms):
    module = pallasite.export(lambda a, b: hopper.matmul(a, b, None, config), *arguments)
  text = re.sub(r'loc\("[^"]*/site-packages/', 'loc("', module.text)
  return re.sub(rf'loc\("[^"]*/{pathlib.Path(__file__).name}"', 'loc("export_kernels.py"', text)


if __name__ == "__main__":
  FOLDER.mkdir(exist_ok=True)
  for name, arguments in KERNELS.items():
    (FOLDER / f"{name}.pir").write_text(export(*arguments), encoding="utf-8")
