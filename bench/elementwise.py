"""Elements per second of single ops and of fused chains, beside XLA on the same CPU.

    python bench/elementwise.py [--only REGEX] [--json FILE]

Both sides run the same jnp function on 1 Mi f32 elements with one thread: the process keeps itself to one
core before JAX starts. The kernel loads a tile of 128 x 128, computes, and stores it, on a grid of 64
blocks. The sides take turns, call by call, so that other load slows both; the ratio is of the medians of
CPU time, which hardly sees such load.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import time

if hasattr(os, "sched_setaffinity"):
  os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pallasite  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental.pallas import mosaic_gpu as plgpu  # noqa: E402

SHAPE = (64, 128, 128)

# Ops that Mosaic lowers and those that other kernels use; the name is that of lax.
UNARY = """
neg abs sign floor ceil round square sqrt rsqrt cbrt exp exp2 expm1 log log1p log2 sin cos tan tanh logistic erf
is_finite asin acos atan sinh cosh asinh acosh atanh erfc erf_inv lgamma digamma bessel_i0e bessel_i1e
""".split()
BINARY = "add sub mul div rem max min pow atan2 nextafter eq lt".split()
INTEGER = "add mul div rem max and shift_left shift_right_logical clz population_count".split()

NAMES = {"and": "bitwise_and"}

# Functions of several numbers: between what each of these lies. Those of the first of `polygamma` are
# whole.
SPECIAL = {
  "zeta": ((1.05, 10), (0.05, 20)),
  "polygamma": ((0, 5), (0.05, 20)),
  "igamma": ((0.05, 20), (0.05, 20)),
  "igammac": ((0.05, 20), (0.05, 20)),
  "igamma_grad_a": ((0.05, 20), (0.05, 20)),
  "random_gamma_grad": ((0.05, 20), (0.05, 20)),
  "betainc": ((0.05, 20), (0.05, 20), (0.05, 0.95)),
}


def rope(x, y):
  """Pairs (x, y) turned by an angle that is theirs."""
  angle = y * 0.01
  return x * jnp.cos(angle) - y * jnp.sin(angle)


def softmax(x):
  shifted = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
  return shifted / jnp.sum(shifted, axis=-1, keepdims=True)


def layer_norm(x):
  mean = jnp.mean(x, axis=-1, keepdims=True)
  variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
  return (x - mean) * lax.rsqrt(variance + 1e-6)


CHAINS = {
  "multiply add (2 ops)": lambda x, y: x * y + 1.0,
  "relu squared (2 ops)": lambda x, y: jnp.square(jnp.maximum(x, 0.0)),
  "silu times gate (3 ops)": lambda x, y: x * lax.logistic(x) * y,
  "gelu, tanh (8 ops)": lambda x, y: jax.nn.gelu(x, approximate=True),
  "gelu, erf (4 ops)": lambda x, y: x * 0.5 * (1.0 + lax.erf(x * 0.70710678)),
  "rope (6 ops)": rope,
  "polynomial (10 ops)": lambda x, y: ((((x * y + 1.0) * x + y) * x - 0.5) * y + x) * 0.25,
  "softmax rows": lambda x, y: softmax(x),
  "layer norm rows": lambda x, y: layer_norm(x),
  "sum rows": lambda x, y: x * jnp.sum(x * y, axis=-1, keepdims=True),
}


def inputs(element: str) -> tuple[jax.Array, jax.Array]:
  random = np.random.default_rng(0)
  if element == "i32":
    return tuple(jnp.asarray(random.integers(1, 1000, SHAPE), jnp.int32) for _ in range(2))
  return tuple(jnp.asarray(random.uniform(0.05, 0.95, SHAPE), jnp.float32) for _ in range(2))


def arrays_of(element: str, name: str, count: int) -> tuple[jax.Array, ...]:
  if name not in SPECIAL:
    arrays = inputs("i32" if element == "i32" else "f32")[:count]
    return (arrays[0], arrays[1] % 32) if name.startswith("shift") else arrays
  random = np.random.default_rng(0)
  values = [random.uniform(low, high, SHAPE) for low, high in SPECIAL[name]]
  if name == "polygamma":
    values[0] = np.floor(values[0])
  return tuple(jnp.asarray(value, jnp.float32) for value in values)


def kernel_of(function, arrays):
  result = jax.eval_shape(function, *arrays)

  @plgpu.kernel(out_type=jax.ShapeDtypeStruct(SHAPE, result.dtype), grid=(SHAPE[0],), grid_names=("i",))
  def kernel(*refs):
    *operands, out = refs
    index = lax.axis_index("i")
    out[index] = function(*(ref[index] for ref in operands))

  return kernel


def compare(function, arrays, rounds: int) -> dict:
  """Median CPU seconds of a call of each side, in turns."""
  calls = {"pallasite": jax.jit(kernel_of(function, arrays)), "xla": jax.jit(function)}
  for call in calls.values():
    jax.block_until_ready(call(*arrays))
  times = {name: [] for name in calls}
  for _ in range(rounds):
    for name, call in calls.items():
      start = time.process_time()
      jax.block_until_ready(call(*arrays))
      times[name].append(time.process_time() - start)
  return {name: statistics.median(found) for name, found in times.items()}


def cases():
  for name in UNARY:
    if hasattr(lax, name):
      yield "f32", name, getattr(lax, name), 1
  for name, ranges in SPECIAL.items():
    yield "f32", name, getattr(lax, name), len(ranges)
  for element, names in (("f32", BINARY), ("i32", INTEGER)):
    for name in names:
      yield element, name, getattr(lax, NAMES.get(name, name)), 1 if name in UNARY or name in (
        "clz", "population_count") else 2
  for name, function in CHAINS.items():
    yield "chain", name, function, 2


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--only", default="", help="names of cases, a regular expression")
  parser.add_argument("--rounds", type=int, default=21)
  parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
  stated = parser.parse_args()
  elements = int(np.prod(SHAPE))
  print(f"pallasite {pallasite.__version__}, JAX {jax.__version__}, {elements} elements, one core\n")
  print(f"{'':<6}{'':<28}{'M elements/s':>14}{'XLA':>10}{'time / XLA':>12}")
  found = []
  with pallasite.install(arch="h100", workers=1):
    for element, name, function, count in cases():
      if not re.search(stated.only, f"{element} {name}"):
        continue
      arrays = arrays_of(element, name, count)
      try:
        seconds = compare(function, arrays, stated.rounds)
      except pallasite.UnsupportedError:
        print(f"{element:<6}{name:<28}{'unsupported':>14}")
        continue
      row = {"type": element, "name": name, **seconds, "ratio": seconds["pallasite"] / seconds["xla"]}
      found.append(row)
      rate, beside = (elements / seconds[side] / 1e6 for side in ("pallasite", "xla"))
      print(f"{element:<6}{name:<28}{rate:>14.0f}{beside:>10.0f}{row['ratio']:>12.2f}", flush=True)
  if stated.json:
    stated.json.write_text(json.dumps(found, indent=2) + "\n")
  return 0


if __name__ == "__main__":
  sys.exit(main())
