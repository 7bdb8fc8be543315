"""What pallasite costs beside the kernels: its import, `install()`, and a call of an empty kernel.

Prints the medians, and the best in parentheses. Of calls also the processor time, which other work on
the machine hardly changes. Usage: python bench/overheads.py [repetitions]
"""

import statistics
import subprocess
import sys
import time
import timeit

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

_IMPORTS = (
  ("import jax", "import jax"),
  ("import jax.experimental.pallas.mosaic_gpu", "import jax.experimental.pallas.mosaic_gpu"),
  ("import pallasite", "import pallasite"),
  ("pallasite.install: its modules", "pallasite.install"),
  ("install(), the first: engine, JAX's interpreter", "pallasite.install()"),
  ('install(arch="h100"), another', 'pallasite.install(arch="h100")'),
  ("uninstall()", "pallasite.uninstall()"),
)


def print_row(name, milliseconds):
  median, best = statistics.median(milliseconds), min(milliseconds)
  print(f"{name:50} {median:9.3f} ms ({best:.3f})", flush=True)


def print_call(name, call, repetitions):
  call()
  for timer, what in ((time.perf_counter, ""), (time.process_time, ", processor time")):
    times = timeit.repeat(call, timer=timer, number=100, repeat=10 * repetitions)
    print_row(name + what, [1e3 * t / 100 for t in times])


def start_times(repetitions):
  """Of each step in a process of its own; the first process only warms the file cache."""
  program = "\n".join(
    ["import time; times = []; last = time.perf_counter()"]
    + [
      f"{step}\nnow = time.perf_counter(); times.append(now - last); last = now"
      for _, step in _IMPORTS
    ]
    + ["print(*times)"]
  )
  rows = []
  for _ in range(repetitions + 1):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    rows.append([1e3 * float(t) for t in done.stdout.split()])
  for (name, _), times in zip(_IMPORTS, zip(*rows[1:])):
    print_row(name, times)


def call_times(repetitions):
  shape = jax.ShapeDtypeStruct((16,), jnp.float32)
  whole = pl.BlockSpec(memory_space=plgpu.GMEM)

  def empty(x_ref, out_ref):
    pass

  kernel = pl.pallas_call(
    empty, out_shape=shape, in_specs=[whole], out_specs=whole, input_output_aliases={0: 0},
    compiler_params=plgpu.CompilerParams(),
  )
  x = jnp.asarray(np.zeros(16, np.float32))
  calls = {
    "a jitted x + 1": jax.jit(lambda x: x + 1),
    "an empty kernel": jax.jit(kernel),
    "eight empty kernels in a program": jax.jit(lambda x: [x := kernel(x) for _ in range(8)][-1]),
  }
  with pallasite.install():
    for name, call in calls.items():
      print_call(name, lambda call=call: call(x).block_until_ready(), repetitions)


if __name__ == "__main__":
  repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 10
  print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}")
  start_times(repetitions)
  call_times(repetitions)
