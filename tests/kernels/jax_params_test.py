"""Each field of JAX's InterpretGPUParams means under pallasite what it means in JAX's interpreter."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import _compat, hook

InterpretGPUParams = _compat.interpret_gpu_params_class()
FIELDS = {field.name: field for field in dataclasses.fields(InterpretGPUParams)}
X = np.arange(1, 17, dtype=np.float32)


def shape(dtype=jnp.float32, *dims):
  return jax.ShapeDtypeStruct(dims or (16,), dtype)


def run(body, *args, out=shape(), scratch=(), ours=True, **fields):
  """Runs a kernel under pallasite, or as JAX's interpreter does."""
  call = plgpu.kernel(
    body, out_type=out, scratch_types=scratch, grid=(1,), grid_names=("x",),
    interpret=InterpretGPUParams(**fields),
  )
  if not ours:
    return jax.jit(call)(*args)
  with pallasite.install(), pallasite.collect() as reports:
    got = jax.jit(call)(*args)
  assert len(reports) == 1
  return got


def same(body, *args, **how):
  """What both make of it."""
  wanted = jax.tree.map(np.asarray, run(body, *args, ours=False, **how))
  got = jax.tree.map(np.asarray, run(body, *args, **how))
  jax.tree.map(np.testing.assert_array_equal, got, wanted)
  return got


@pytest.fixture(autouse=True)
def fresh():
  from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call

  pallasite.uninstall()
  interpret_pallas_call.reset_gpu_interpret_mode_state()
  yield
  pallasite.uninstall()
  interpret_pallas_call.reset_gpu_interpret_mode_state()


def test_every_field_of_this_version_is_known():
  assert set(FIELDS) <= set(hook._JAX_FIELDS)


def test_a_field_that_is_not_known_is_refused_by_name(monkeypatch):
  monkeypatch.delitem(hook._JAX_FIELDS, "num_tma_threads_per_device")

  def body(x_ref, out_ref):
    out_ref[...] = x_ref[...]

  run(body, X)
  with pytest.raises(pallasite.UnsupportedError, match="num_tma_threads_per_device=3"):
    run(body, X, num_tma_threads_per_device=3)


@pytest.mark.parametrize("value", ["nan", "zero"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int32, jnp.uint8])
def test_uninitialized_memory(value, dtype):
  def body(out_ref, other_ref, smem):
    out_ref[...] = smem[...]
    # Of the other output only the first half is written.
    other_ref[pl.ds(0, 8)] = smem[pl.ds(0, 8)]

  out = [shape(dtype), shape(dtype)]
  scratch = [plgpu.SMEM((16,), dtype)]
  got, other = same(body, out=out, scratch=scratch, uninitialized_memory=value)
  np.testing.assert_array_equal(got, other)
  assert (np.asarray(got, np.float32) == 0).all() == (value == "zero")


def reads_outside(x_ref, out_ref):
  # The engine must not know before the run that it is outside.
  row = x_ref[0, 0].astype(jnp.int32) + 5
  out_ref[...] = x_ref[row]


def test_out_of_bounds_reads_raise():
  x = np.ones((4, 16), np.float32)
  with pytest.raises(pallasite.KernelError, match="Out-of-bounds read of"):
    run(reads_outside, x)
  with pytest.raises(pallasite.KernelError, match="Out-of-bounds read of"):
    run(reads_outside, x, out_of_bounds_reads="raise")


@pytest.mark.parametrize("memory", ["nan", "zero"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.int32, jnp.int8])
def test_out_of_bounds_reads_uninitialized(memory, dtype):
  x = np.ones((4, 16), dtype)
  got = same(
    reads_outside, x, out=shape(dtype), out_of_bounds_reads="uninitialized",
    uninitialized_memory=memory,
  )
  assert (np.asarray(got, np.float32) == 0).all() == (memory == "zero")


def test_out_of_bounds_reads_in_part():
  def body(x_ref, out_ref):
    out_ref[...] = x_ref[pl.ds(x_ref[0].astype(jnp.int32) + 9, 16)]

  got = run(body, X, out_of_bounds_reads="uninitialized")
  np.testing.assert_array_equal(got[:6], X[10:])
  assert np.isnan(got[6:]).all()


def test_out_of_bounds_writes_raise_in_any_case():
  def body(x_ref, out_ref):
    out_ref[pl.ds(x_ref[0].astype(jnp.int32), 16)] = x_ref[...]

  with pytest.raises(pallasite.KernelError, match="Out-of-bounds"):
    run(body, X, out_of_bounds_reads="uninitialized")


def test_skip_floating_point_ops():
  def body(x_ref, n_ref, out_ref, int_ref, less_ref):
    x = x_ref[...] * x_ref[...] + 1.0
    out_ref[...] = x
    total = lax.fori_loop(0, 4, lambda i, c: c + i, n_ref[...])
    int_ref[...] = total + jnp.where(jnp.isinf(x), 1, 0)
    less_ref[...] = (x < 3.0).astype(jnp.int32)

  n = np.arange(16, dtype=np.int32)
  out = [shape(), shape(jnp.int32), shape(jnp.int32)]
  floats, ints, less = same(body, X, n, out=out, skip_floating_point_ops=True)
  assert np.isinf(floats).all()
  np.testing.assert_array_equal(ints, n + 6 + 1)
  assert not less.any()
  floats, ints, less = same(body, X, n, out=out, skip_floating_point_ops=False)
  assert np.isfinite(floats).all()
  np.testing.assert_array_equal(ints, n + 6)


def test_skipped_operations_are_not_in_the_program():
  def body(x_ref, out_ref):
    y = lax.fori_loop(0, 3, lambda _, c: jnp.sin(c) * 2.0, x_ref[...])
    out_ref[...] = lax.cond(y[0] > 1.0, jnp.cos, jnp.tan, y)

  def text(**fields):
    call = plgpu.kernel(body, out_type=shape(), interpret=InterpretGPUParams(**fields))
    with pallasite.install():
      return pallasite.export(call, X).text

  assert "arith.sin" in text() and "arith.cos" in text()
  skipped = text(skip_floating_point_ops=True)
  assert not [name for name in ("sin", "cos", "tan", "mul") if f"arith.{name}" in skipped]
  assert np.isinf(run(body, X, skip_floating_point_ops=True)).all()


def test_skipped_operations_of_a_function():
  """jnp.remainder is a jitted function of its own inside the kernel."""
  def body(n_ref, out_ref, float_ref):
    out_ref[...] = jnp.remainder(n_ref[...], 5)
    float_ref[...] = jnp.remainder(n_ref[...].astype(jnp.float32), 5.0)

  n = np.arange(16, dtype=np.int32)
  got, floats = run(body, n, out=[shape(jnp.int32), shape()], skip_floating_point_ops=True)
  np.testing.assert_array_equal(got, n % 5)
  assert np.isinf(floats).all()


@pytest.mark.parametrize("fields", [
  {"detect_races": True}, {"detect_races": True, "on_race": "warn"}, {"num_cores_or_threads": 3},
  {"num_tma_threads_per_device": 1},
], ids=str)
def test_what_changes_nothing_about_a_kernel_without_faults(fields):
  if not set(fields) <= set(FIELDS):
    fields = {name: value for name, value in fields.items() if name in FIELDS}

  def body(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2

  np.testing.assert_array_equal(run(body, X, **fields), X * 2)
  from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call

  with pallasite.install():
    assert not interpret_pallas_call.get_races().races_found


def test_race_options_reach_the_engine():
  def body(x_ref, out_ref):
    out_ref[...] = x_ref[...]

  params = InterpretGPUParams(detect_races=True)
  call = plgpu.kernel(body, out_type=shape(), interpret=params)
  with pallasite.install():
    text = jax.jit(call).lower(X).as_text()
  assert 'detect_races\\22: true' in text and 'on_race\\22: \\22raise' in text


def test_logging_mode_is_said_to_do_nothing():
  from jax._src.pallas.mosaic_gpu.interpret import params

  def body(x_ref, out_ref):
    out_ref[...] = x_ref[...]

  with pytest.warns(pallasite.KernelWarning, match="logging_mode"):
    np.testing.assert_array_equal(run(body, X, logging_mode=params.LoggingMode.BARRIER), X)


def test_inline_mgpu():
  if "inline_mgpu" not in FIELDS:
    # This version always refuses it.
    assert jax.__version__.startswith("0.11")
    return

  def body(x_ref, out_ref):
    @plgpu.inline_mgpu(arg_types=())
    def emit(ctx):
      raise AssertionError("emits code for a GPU")

    emit()
    out_ref[...] = x_ref[...]

  with pytest.raises(pallasite.UnsupportedError, match="inline_mgpu"):
    run(body, X)
  np.testing.assert_array_equal(run(body, X, inline_mgpu="ignore"), X)


def test_fields_hold_through_the_context_managers():
  def body(out_ref, smem):
    out_ref[...] = smem[...]

  call = jax.jit(plgpu.kernel(body, out_type=shape(), scratch_types=[plgpu.SMEM((16,), jnp.float32)]))
  with pallasite.install():
    with plgpu.force_gpu_interpret_mode(InterpretGPUParams(uninitialized_memory="zero")):
      assert not np.asarray(call()).any()
    assert math.isnan(call()[0])
    plgpu.set_gpu_interpret_mode(InterpretGPUParams(uninitialized_memory="zero"))
    try:
      assert not np.asarray(call()).any()
    finally:
      plgpu.set_gpu_interpret_mode(None)
