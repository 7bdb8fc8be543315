"""JAX's own GPU interpreter beside pallasite, in turns, on one kernel."""

from __future__ import annotations

import contextlib
import statistics
import time
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pallasite
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hopper

NUM_SMS = 4


def matmul(a, b):
  config = hopper.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=4)
  return hopper.matmul(a, b, None, config)


def matrices(m: int, n: int, k: int) -> tuple[jax.Array, jax.Array]:
  random = np.random.default_rng(0)
  return (
    jnp.asarray(random.uniform(-1, 1, (m, k)), jnp.float16),
    jnp.asarray(random.uniform(-1, 1, (k, n)), jnp.float16),
  )


def relative_error(out, a, b) -> float:
  """The largest error against float64, as a share of the largest element."""
  expected = np.asarray(a, np.float64) @ np.asarray(b, np.float64)
  return float(np.max(np.abs(np.asarray(out, np.float64) - expected)) / np.max(np.abs(expected)))


@contextlib.contextmanager
def jax_interpreter():
  """JAX's interpreter for every kernel, on a device that says how many SMs it has."""
  pallasite.uninstall()
  with (
    mock.patch.object(hopper, "get_num_sms", lambda: NUM_SMS),
    plgpu.force_gpu_interpret_mode(plgpu.InterpretGPUParams()),
  ):
    yield


def pallasite_engine():
  return pallasite.install(arch="h100", num_sms=NUM_SMS)


def compare(size: int = 256, rounds: int = 3, calls: int = 5) -> dict:
  """Steady calls of both, in turns: of JAX one a round, of pallasite `calls`."""
  arguments = matrices(size, size, size)
  contestants = {"jax": (jax_interpreter, 1), "pallasite": (pallasite_engine, calls)}
  functions = {name: jax.jit(lambda a, b: matmul(a, b)) for name in contestants}
  times: dict[str, list[float]] = {name: [] for name in contestants}
  cpu_times: dict[str, list[float]] = {name: [] for name in contestants}
  errors = {}
  for round_number in range(rounds + 1):
    for name, (mode, count) in contestants.items():
      with mode():
        for _ in range(count):
          start, cpu_start = time.perf_counter(), time.process_time()
          out = jax.block_until_ready(functions[name](*arguments))
          seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
          # The first round traces and compiles.
          if round_number:
            times[name].append(seconds)
            cpu_times[name].append(cpu_seconds)
        errors[name] = relative_error(out, *arguments)
  medians = {name: statistics.median(found) for name, found in times.items()}
  return {
    "size": size,
    "num_sms": NUM_SMS,
    "median_ms": {name: seconds * 1e3 for name, seconds in medians.items()},
    "best_ms": {name: min(found) * 1e3 for name, found in times.items()},
    "cpu_ms": {name: statistics.median(found) * 1e3 for name, found in cpu_times.items()},
    "relative_error": errors,
    "speedup": medians["jax"] / medians["pallasite"],
  }
