"""Kernels that run: under jit, eagerly, from their exported text; and how they fail."""

import functools
import pathlib
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import engine

F16 = jax.ShapeDtypeStruct((128, 64), jnp.float16)


def add_one(x_gmem, out_gmem, in_smem, out_smem, ready):
  """A warpgroup that loads and one that adds and stores."""
  wg = lax.axis_index("wg")
  rows = pl.ds(lax.axis_index("x") * 64, 64)

  @pl.when(wg == 0)
  def _():
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], in_smem, ready)

  @pl.when(wg == 1)
  def _():
    plgpu.barrier_wait(ready)
    out_smem[...] = in_smem[...] + 1
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_smem, out_gmem.at[rows])
    plgpu.wait_smem_to_gmem(0)


def nobody_loads(x_gmem, out_gmem, in_smem, out_smem, ready):
  @pl.when(lax.axis_index("wg") == 1)
  def _():
    plgpu.barrier_wait(ready)  # waits in vain
    out_gmem[...] = x_gmem[...]


def two_warpgroups(kernel, **options):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  buffer = plgpu.SMEM((64, 64), jnp.float16, transforms=transforms)
  return plgpu.kernel(
    kernel,
    out_type=F16,
    scratch_types=[buffer, buffer, plgpu.Barrier()],
    grid=(2,),
    grid_names=("x",),
    num_threads=2,
    thread_name="wg",
    **options,
  )


def line_of(text, file=__file__):
  lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
  (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(text)]
  return number


@pytest.fixture
def x():
  return np.arange(128 * 64, dtype=np.float16).reshape(128, 64) / 8


@pytest.fixture(autouse=True)
def installed():
  with pallasite.install(arch="h100") as installation:
    installation.reset()
    yield
  pallasite.uninstall()


def elementwise(function, out_dtype, x):
  """`function` as a kernel of one thread, jitted."""

  def kernel(x_gmem, out_gmem):
    out_gmem[...] = function(x_gmem[...])

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(x.shape, out_dtype))
  return np.asarray(jax.jit(call)(x))


@pytest.mark.parametrize("wrap", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_two_warpgroups(x, wrap):
  result = wrap(two_warpgroups(add_one))(x)
  np.testing.assert_array_equal(np.asarray(result), x + np.float16(1))
  report = pallasite.last_report()
  assert report.verdict == "clean"
  assert report.data["arch"] == "sm_90a" and not report.data["arch_guessed"]
  assert report.stats["clusters"] == 2


def native_programs():
  """The program of `make build`, where that ran."""
  program = pathlib.Path(__file__).parents[2] / "build" / "release" / "pallasite"
  return [str(program)] if program.exists() else []


def test_the_exported_text_gives_the_same_bytes(x, tmp_path):
  expected = np.asarray(jax.jit(two_warpgroups(add_one))(x))
  module = pallasite.export(two_warpgroups(add_one), x)
  report = module.run(**{module.input_names[0]: x})
  (output,) = report.outputs.values()
  assert output.dtype == np.float16
  assert output.tobytes() == expected.tobytes()

  module.save(tmp_path / "k.pir")
  np.save(tmp_path / "x.npy", x)
  command = [
    "run", str(tmp_path / "k.pir"), "--arg", f"{module.input_names[0]}={tmp_path / 'x.npy'}",
    "--out", f"{module.output_names[0]}={tmp_path / 'y.npy'}",
  ]
  assert engine.cli_main(command) == (0, None)
  assert np.load(tmp_path / "y.npy").tobytes() == expected.tobytes()
  for program in native_programs():
    (tmp_path / "y.npy").unlink()
    subprocess.run([program, *command], check=True)
    assert np.load(tmp_path / "y.npy").tobytes() == expected.tobytes()


def test_a_deadlock_is_explained_and_the_next_kernel_runs(x):
  with pytest.raises(pallasite.KernelError) as caught:
    jax.jit(two_warpgroups(nobody_loads))(x)
  line = line_of("# waits in vain")
  text = str(caught.value)
  assert "deadlock" in text
  assert "plgpu.barrier_wait(ready)  # waits in vain" in text
  assert f"{__file__}:{line}" in text
  (finding,) = caught.value.findings
  assert finding.code == "sched.deadlock"
  assert finding.locations[0] == (__file__, line)
  # Both threads are in the table, each with its place.
  states = [(row["thread"]["thread"], row["state"]) for row in finding.data["table"]]
  assert [thread for thread, _ in states] == [0, 1]
  assert states[0][1] != states[1][1]
  np.testing.assert_array_equal(
    np.asarray(jax.jit(two_warpgroups(add_one))(x)), x + np.float16(1)
  )


def missing_axes(out_ref):
  def body(buffer):
    wg = lax.axis_index("wg")
    buffer[wg] = jnp.full((128,), wg, jnp.int32)
    out_ref[wg] = buffer[wg]

  pl.run_scoped(body, plgpu.SMEM((2, 128), jnp.int32))  # not collective


def test_what_the_text_decides_is_raised_while_lowering():
  call = plgpu.kernel(
    missing_axes, out_type=jax.ShapeDtypeStruct((2, 128), jnp.int32), num_threads=2,
    thread_name="wg",
  )
  message = "Scoped allocation must have the thread axis in its collective axes."
  with pytest.raises(pallasite.KernelError, match=message) as caught:
    jax.jit(call).lower()
  (finding,) = caught.value.findings
  assert finding.code == "scope.collective-axes"
  assert finding.locations[0] == (__file__, line_of("# not collective"))
  # Where nothing is raised, the run tells of it.
  report = pallasite.check(call, checks="none")
  assert report.verdict == "error"
  assert [f.code for f in report.findings] == ["scope.collective-axes"]


def test_more_memory_than_a_block_has_is_a_resource_error():
  def kernel(out_ref, buffer):
    buffer[0] = jnp.zeros((128,), jnp.float32)
    out_ref[...] = buffer[0]

  call = plgpu.kernel(
    kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
    scratch_types=[plgpu.SMEM((500, 128), jnp.float32)],
  )
  with pytest.raises(pallasite.ResourceError, match="smem.exhausted"):
    jax.jit(call).lower()
  assert pallasite.check(call).verdict == "resource"
  assert pallasite.check(call, run=False).verdict == "resource"


# What a call states about itself: whether 164 KiB of shared memory are too much depends on it.
@pytest.mark.parametrize("interpret, verdict", [
  (None, "clean"),
  (pallasite.Params(arch="a100"), "resource"),
  (pallasite.Params(arch="h100"), "clean"),
  (plgpu.InterpretGPUParams(), "clean"),
])
@pytest.mark.parametrize("kib, over", [(164, False), (228, True)])
def test_a_kernel_that_does_not_run_is_judged_as_if_it_did(interpret, verdict, kib, over):
  def kernel(out_ref, buffer):
    buffer[0] = jnp.zeros((256,), jnp.float32)
    out_ref[...] = buffer[0]

  def function():
    return plgpu.kernel(
      kernel, out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
      scratch_types=[plgpu.SMEM((kib, 256), jnp.float32)],
      **({} if interpret is None else {"interpret": interpret}),
    )()

  # JAX's own interpreter has no limit, no hardware has more.
  is_jax = isinstance(interpret, plgpu.InterpretGPUParams)
  expected = "resource" if over and not is_jax else verdict
  # Without JAX's own compiler, which knows the hardware.
  ran, judged = (pallasite.check(function, checks="none", run=run) for run in (True, False))
  assert (ran.verdict, judged.verdict) == (expected, expected)
  assert [f.code for f in ran.findings] == [f.code for f in judged.findings]


def test_a_finding_may_be_warned_of_or_recorded(x):
  function = jax.jit(two_warpgroups(nobody_loads))
  with pallasite.install(arch="h100", on_finding="warn"):
    with pytest.warns(pallasite.KernelWarning, match="sched.deadlock"):
      function(x)
  with pallasite.install(arch="h100", on_finding="record"), pallasite.collect() as reports:
    function(x)
  assert [report.verdict for report in reports] == ["error"]
  with pallasite.install(arch="h100"), pytest.raises(pallasite.KernelError):
    function(x)


def test_prints_reach_python(x, capsys):
  def kernel(x_gmem, out_gmem):
    pl.debug_print("block {}", lax.axis_index("x"))
    out_gmem[...] = x_gmem[...]

  call = plgpu.kernel(kernel, out_type=F16, grid=(3,), grid_names=("x",))
  jax.jit(call)(x)
  assert capsys.readouterr().out == "block 0\nblock 1\nblock 2\n"


def test_subnormals_are_kept_under_jit():
  # XLA's threads flush them; the GPU does not.
  x = np.array([1e-40, -3e-45, 2**-149] * 4, np.float32)
  doubled = elementwise(lambda v: v + v, jnp.float32, x)
  assert doubled.tobytes() == (x + x).tobytes()
  assert np.all(doubled != 0)


def test_outputs_that_share_an_input(x):
  def scaling(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2

  whole = pl.BlockSpec(memory_space=plgpu.GMEM)
  call = pl.pallas_call(
    scaling, out_shape=F16, in_specs=[whole], out_specs=whole, input_output_aliases={0: 0},
    compiler_params=plgpu.CompilerParams(),
  )
  array = jnp.asarray(x)
  np.testing.assert_array_equal(np.asarray(jax.jit(call)(array)), x * 2)
  # The caller's array is not the one that was written.
  np.testing.assert_array_equal(np.asarray(array), x)
  given_up = jax.jit(call, donate_argnums=0)(jnp.asarray(x))
  np.testing.assert_array_equal(np.asarray(given_up), x * 2)
  report = pallasite.export(call, x).run(x_ref=x)
  (output,) = report.outputs.values()
  np.testing.assert_array_equal(output, x * 2)


@pytest.mark.parametrize("name", ["int4", "uint4", "float8_e4m3fn", "bfloat16", "bool", "int8"])
def test_types_that_numpy_does_not_know(name):
  dtype = jnp.dtype(name)
  x = np.arange(16).astype(dtype) if name != "bool" else np.arange(16) % 3 == 0

  def kernel(x_gmem, out_gmem):
    out_gmem[...] = x_gmem[...]

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((16,), dtype))
  result = np.asarray(jax.jit(call)(jnp.asarray(x)))
  np.testing.assert_array_equal(result.astype(np.float32), x.astype(np.float32))
  (output,) = pallasite.export(call, x).run(x_gmem=x).outputs.values()
  assert output.dtype == dtype
  np.testing.assert_array_equal(output.astype(np.float32), x.astype(np.float32))


def test_empty_arrays():
  x = np.zeros((0, 4), np.float32)

  def kernel(x_gmem, out_gmem):
    pass

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((0, 4), jnp.float32))
  assert jax.jit(call)(x).shape == (0, 4)


def test_arrays_that_do_not_fit_are_named(x):
  module = pallasite.export(two_warpgroups(add_one), x)
  name = module.input_names[0]
  report = module.run(**{name: x.astype(np.float32)})
  assert report.verdict == "error"
  assert report.findings[0].code == "module.argument"
  assert "float32" in report.findings[0].message and "float16" in report.findings[0].message
  assert np.isnan(next(iter(report.outputs.values()))).all()
  (finding,) = module.run(**{name: x[:64]}).findings
  assert f"`{name}`" in finding.message
  (finding,) = module.run(**{name: x.astype(np.complex64)}).findings
  assert "complex64" in finding.message


def test_outputs_do_not_depend_on_workers(x):
  results = set()
  for workers in (1, 2):
    with pallasite.install(arch="h100", workers=workers):
      results.add(np.asarray(jax.jit(two_warpgroups(add_one))(x)).tobytes())
  assert len(results) == 1


@functools.cache
def endless():
  def kernel(out_gmem):
    def body(i):
      return i + 1

    out_gmem[...] = jnp.full((1,), lax.while_loop(lambda i: i >= 0, body, jnp.int32(0)))

  return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((1,), jnp.int32))


def test_a_run_that_does_not_end_is_incomplete():
  with pallasite.install(arch="h100", max_steps=1000):
    with pytest.raises(pallasite.KernelError, match="limit of 1000 steps") as caught:
      jax.jit(endless())()
  assert caught.value.report.verdict == "incomplete"
  assert pallasite.check(endless(), max_steps=1000).verdict == "incomplete"
