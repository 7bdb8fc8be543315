"""Where JAX's interpreter has a message for a fault, patterns written for it match ours.

The patterns are those with which JAX's own tests of its interpreter search, so a suite written for
that interpreter holds here.
"""

import re

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

SCALAR = jax.ShapeDtypeStruct((), jnp.int32)


def message_of(kernel, out_type=SCALAR, **options):
  """What the kernel raises, and the code of its one finding."""
  with pallasite.install(arch="h100"), pytest.raises(pallasite.KernelError) as raised:
    jax.block_until_ready(plgpu.kernel(kernel, out_type=out_type, **options)())
  (finding,) = raised.value.findings
  return finding.code, str(raised.value)


THREADS = dict(num_threads=2, thread_name="t")
CLUSTER = dict(cluster=(2, 2), cluster_names=("c0", "c1"))


@pytest.mark.parametrize("allocation", [plgpu.Barrier(), plgpu.SMEM((8,), jnp.int32)])
@pytest.mark.parametrize(
  "mesh, axes, pattern",
  [
    (THREADS, ("c0",), r"Collective allocations along cluster axes are not supported\."),
    (THREADS, ("c0", "t"), r"Collective allocations along cluster axes are not supported\."),
    (THREADS, (), r"Scoped allocation must have the thread axis in its collective axes\."),
    (
      THREADS,
      ("unknown_axis",),
      r"Collective axis `unknown_axis` not found among axes `\['c0', 'c1', 't'\]`",
    ),
    (
      {},
      ("c0",),
      r"Requesting collective allocations, but no explicit thread axis specified\.",
    ),
    ({}, ("t",), r"Collective axis `t` not found among axes"),
  ],
)
def test_collective_axes(mesh, axes, pattern, allocation):
  def kernel(out):
    def body(_):
      out[...] = 42

    pl.run_scoped(body, allocation, collective_axes=axes)

  code, text = message_of(kernel, **mesh, **CLUSTER)
  assert code == "scope.collective-axes"
  assert re.search(pattern, text), text


def test_no_index():
  def kernel(out, barriers):
    plgpu.barrier_arrive(barriers)
    out[...] = 42

  code, text = message_of(kernel, scratch_types=[plgpu.Barrier(num_barriers=2)], **THREADS)
  assert code == "barrier.index"
  pattern = r"Attempting to operate on barrier without indexing, but `num_barriers = 2`"
  assert re.search(pattern, text), text


@pytest.mark.parametrize("threads", [{}, THREADS])
def test_no_thread_sees_a_phase(threads):
  def kernel(out, barrier):
    plgpu.barrier_arrive(barrier)
    if not threads:
      plgpu.barrier_arrive(barrier)
    out[...] = 42

  code, text = message_of(kernel, scratch_types=[plgpu.Barrier()], **threads)
  assert code == "barrier.unobserved-phase"
  assert re.search(r"Barrier completed phase 1, but no threads observed phase 0.", text), text


def test_first_wait_too_late():
  def kernel(out, first, second):
    thread = jax.lax.axis_index("t")

    @pl.when(thread == 0)
    def _():
      plgpu.barrier_arrive(first)

    @pl.when(thread == 1)
    def _():
      plgpu.barrier_wait(first)
      plgpu.barrier_arrive(first)
      plgpu.barrier_arrive(second)

    @pl.when(thread == 2)
    def _():
      plgpu.barrier_wait(second)
      plgpu.barrier_wait(first)
      out[...] = 42

  code, text = message_of(
    kernel, scratch_types=[plgpu.Barrier(), plgpu.Barrier()], num_threads=3, thread_name="t"
  )
  assert code == "barrier.late-first-wait"
  pattern = (
    r"Thread Warpgroup\(.+\) is waiting at barrier \w+ for the first time, but barrier is already "
    r"at phase 2"
  )
  assert re.search(pattern, text), text


def test_arrivals_left_over():
  def kernel(out, barrier):
    plgpu.barrier_arrive(barrier)
    out[...] = 42

  code, text = message_of(kernel, scratch_types=[plgpu.Barrier(num_arrivals=2)])
  assert code == "barrier.pending-at-dealloc"
  assert re.search(r"Barrier deallocated with \d+ arrivals pending.", text), text


def test_copies_left_over():
  def kernel(out, buffer):
    buffer[...] = jnp.zeros((128,), jnp.int32)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(buffer, out)

  code, text = message_of(
    kernel,
    out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
    scratch_types=[plgpu.SMEM((128,), jnp.int32)],
  )
  assert code == "tma.unawaited-read"
  pattern = r"Not all copy_smem_to_gmem read-side operations completed before"
  assert re.search(pattern, text), text
