"""What a report can tell: who wrote an element, what a buffer held; and who collects reports."""

import json
import pathlib
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import judge

ROWS = jax.ShapeDtypeStruct((128, 64), jnp.float32)


@pytest.fixture(autouse=True)
def installed():
  with pallasite.install(arch="h100") as installation:
    installation.reset()
    yield
  pallasite.uninstall()


def line_of(text, file=__file__):
  lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
  (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(text)]
  return number


def add_one(x_gmem, out_gmem, in_smem, out_smem, ready):
  wg = lax.axis_index("wg")
  rows = pl.ds(lax.axis_index("x") * 64, 64)

  @pl.when(wg == 0)
  def _():
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], in_smem, ready)

  @pl.when(wg == 1)
  def _():
    plgpu.barrier_wait(ready)
    out_smem[...] = in_smem[...] + 1  # computes
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_smem, out_gmem.at[rows])  # stores
    plgpu.wait_smem_to_gmem(0)


def two_warpgroups(kernel=add_one, transforms=()):
  buffer = plgpu.SMEM((64, 64), jnp.float32, transforms=transforms)
  return plgpu.kernel(
    kernel, out_type=ROWS, scratch_types=[buffer, buffer, plgpu.Barrier()], grid=(2,),
    grid_names=("x",), num_threads=2, thread_name="wg",
  )


@pytest.fixture
def x():
  return np.arange(128 * 64, dtype=np.float32).reshape(128, 64)


def test_compare_names_the_line_that_issued_the_copy(x):
  report = pallasite.check(two_warpgroups(), x)
  assert report.compare(x + 1)
  reference = x + 1
  reference[100, 7] = 0
  compared = report.compare(reference, rtol=0, atol=0.5)
  assert (compared.count, compared.size, compared.index) == (1, 128 * 64, (100, 7))
  assert (compared.got, compared.wanted) == (x[100, 7] + 1, 0)
  writer = compared.writer
  assert writer.block == {"x": 1}
  assert (writer.thread_axis, writer.thread) == ("wg", 1)
  assert writer.location == (__file__, line_of("# stores"))
  assert writer.asynchronous and writer.writes == 1
  assert compared.why_no_writer == ""
  text = str(compared)
  assert "1 of 8192 elements" in text and "[100, 7]" in text and "wanted 0" in text
  assert f"{__file__}:{line_of('# stores')}" in text and "wg=1 of block (x=1)" in text


def test_compare_names_the_iteration():
  def kernel(out):
    def step(i, _):
      out[lax.rem(i, jnp.int32(4))] = i.astype(jnp.float32)  # in a loop

    lax.fori_loop(0, 10, step, None)

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((4,), jnp.float32))
  report = pallasite.check(call)
  np.testing.assert_array_equal(report.outputs, [8, 9, 6, 7])
  writer = report.compare(np.array([8, 9, 6, 0.0])).writer
  assert (writer.iterations, writer.writes, writer.asynchronous) == ((7,), 2, False)
  assert writer.location == (__file__, line_of("# in a loop"))
  writer = report.compare(np.array([0, 9, 6, 7.0])).writer
  assert (writer.iterations, writer.writes) == ((8,), 3)


def test_an_element_that_nobody_wrote():
  def kernel(out):
    out[pl.ds(0, 2)] = jnp.ones((2,), jnp.float32)

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((4,), jnp.float32))
  compared = pallasite.check(call).compare(np.array([1, 1, 1, 1.0]))
  assert np.isnan(compared.got) and compared.count == 2
  assert compared.writer is None
  assert "no thread of kernel kernel wrote the element: it is fresh memory" in str(compared)


def test_an_element_of_a_shared_buffer_that_nobody_wrote():
  def doubling(x_ref, out_ref):
    out_ref[pl.ds(0, 2)] = x_ref[pl.ds(0, 2)] * 2

  whole = pl.BlockSpec(memory_space=plgpu.GMEM)
  call = pl.pallas_call(
    doubling, out_shape=jax.ShapeDtypeStruct((4,), jnp.float32), in_specs=[whole], out_specs=whole,
    input_output_aliases={0: 0}, compiler_params=plgpu.CompilerParams(),
  )
  report = pallasite.check(call, np.arange(4, dtype=np.float32))
  np.testing.assert_array_equal(report.outputs, [0, 2, 2, 3])
  compared = report.compare(np.array([0, 2, 2, 9.0]))
  assert "what the input `x_ref`, which shares its buffer, held" in str(compared)
  assert report.compare(np.array([0, 9.0, 2, 3])).writer.writes == 1


def test_outputs_that_are_no_outputs_of_a_kernel(x):
  report = pallasite.check(lambda x: two_warpgroups()(x) * 2, x)
  compared = report.compare(x)
  assert compared.writer is None and "not an output of a kernel (add_one)" in str(compared)
  # Of several kernels the one whose output it is.
  report = pallasite.check(lambda x: two_warpgroups()(two_warpgroups()(x)), x)
  assert report.compare(x).writer.kernel == "add_one"
  with pallasite.collect() as reports:
    jax.jit(two_warpgroups())(x)
  reports[0].outputs = x + 1
  assert "were not kept" in str(reports[0].compare(x))


def test_compare_of_a_module(x):
  report = pallasite.export(two_warpgroups(), x).run(x_gmem=x)
  compared = report.compare({"out_gmem": x})
  assert compared.count == x.size and compared.writer.block in ({"x": 0}, {"x": 1})


TRANSFORMS = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))


@pytest.mark.parametrize("transforms", [(), TRANSFORMS], ids=["plain", "swizzled"])
def test_values_of_buffers(x, transforms):
  report = pallasite.check(two_warpgroups(transforms=transforms), x)
  for block in (0, 1):
    rows = x[block * 64 : block * 64 + 64]
    np.testing.assert_array_equal(report.value("in_smem", block={"x": block}), rows)
    value = report.value("out_smem", block=block)
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, rows + 1)
  np.testing.assert_array_equal(report.value("out_gmem"), x + 1)
  np.testing.assert_array_equal(report.value("x_gmem"), x)
  barrier = report.value("ready", block=0)
  assert barrier["phase"].tolist() in (1, [1])


def test_values_at_a_line(x):
  report = pallasite.check(two_warpgroups(), x)
  computes, stores = (f"reports_test.py:{line_of(f'# {what}')}" for what in ("computes", "stores"))
  assert np.isnan(report.value("out_smem", block=1, at=computes)).all()
  np.testing.assert_array_equal(report.value("out_smem", block=1, at=stores), x[64:] + 1)
  # Block 1 comes after block 0 here, so nothing of its rows is in the output.
  assert np.isnan(report.value("out_gmem", block=1, at=stores)[64:]).all()


def test_values_at_each_time_a_loop_comes_to_a_line():
  def kernel(out):
    def body(buffer):
      def step(i, _):
        buffer[...] = jnp.full((4,), i, jnp.int32)
        out[i] = buffer[0]  # comes here often

      lax.fori_loop(0, 5, step, None)

    pl.run_scoped(body, plgpu.SMEM((4,), jnp.int32))

  report = pallasite.check(plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((5,), jnp.int32)))
  at = f"{__file__}:{line_of('# comes here often')}"
  for occurrence, number in ((0, 0), (3, 3), (-1, 4)):
    value = report.value("buffer", at=at, occurrence=occurrence)
    np.testing.assert_array_equal(value, [number] * 4)
  with pytest.raises(ValueError, match="5 times"):
    report.value("buffer", at=at, occurrence=5)


@pytest.mark.parametrize("name", ["int4", "bfloat16", "bool"])
def test_values_of_other_types(name):
  dtype = jnp.dtype(name)

  def kernel(x, out):
    def body(buffer):
      buffer[...] = x[...]
      out[...] = buffer[...]

    pl.run_scoped(body, plgpu.SMEM((16,), dtype))

  x = jnp.asarray(np.arange(16) % 7 if name != "bool" else np.arange(16) % 3 == 0).astype(dtype)
  report = pallasite.check(plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((16,), dtype)), x)
  value = report.value("buffer")
  assert value.dtype == dtype
  np.testing.assert_array_equal(value.astype(np.float32), np.asarray(x).astype(np.float32))


def test_values_that_are_not_there(x):
  report = pallasite.check(two_warpgroups(), x)
  with pytest.raises(ValueError, match="did you mean `in_smem`.*x_gmem, out_gmem, in_smem"):
    report.value("in_smen", block=0)
  with pytest.raises(ValueError, match='which block.*"x": 0 to 1'):
    report.value("in_smem")
  with pytest.raises(ValueError, match='no axis "y"'):
    report.value("in_smem", block={"y": 0})
  with pytest.raises(ValueError, match="no block"):
    report.value("in_smem", block=2)
  with pytest.raises(ValueError, match="expected \"end\""):
    report.value("in_smem", block=0, at="start")
  with pytest.raises(ValueError, match="no thread of that block came"):
    report.value("in_smem", block=0, at="reports_test.py:1")
  with pytest.raises(ValueError, match="were not kept"):
    pallasite.report.Report("clean").value("in_smem")


def test_values_of_a_run_that_failed(x):
  def nobody_loads(x_gmem, out_gmem, in_smem, out_smem, ready):
    out_smem[...] = jnp.full((64, 64), 3.0)
    plgpu.barrier_wait(ready)

  report = pallasite.check(two_warpgroups(nobody_loads), x)
  assert report.verdict == "error"
  np.testing.assert_array_equal(report.value("out_smem", block=0), np.full((64, 64), 3.0))
  assert np.isnan(report.value("in_smem", block=0)).all()
  with pytest.raises(ValueError, match="ended before that block"):
    report.value("out_smem", block=1)


def test_collectors_nest_and_take_kernels_of_all_threads(x):
  run = jax.jit(two_warpgroups())
  with pallasite.collect() as outer:
    run(x)
    with pallasite.collect() as inner:
      thread = threading.Thread(target=lambda: run(x).block_until_ready())
      thread.start()
      thread.join()
    run(x)
  run(x)
  assert (len(outer), len(inner)) == (3, 1)
  assert [r.verdict for r in outer] == ["clean"] * 3 and inner[0] is outer[1]
  json.dumps([r.to_dict() for r in outer])


def test_check_leaves_kernels_of_other_threads_out(x):
  run = jax.jit(two_warpgroups())
  run(x)
  stop = threading.Event()

  def others():
    while not stop.is_set():
      run(x).block_until_ready()

  thread = threading.Thread(target=others)
  thread.start()
  try:
    assert all(len(pallasite.check(two_warpgroups(), x).kernels) == 1 for _ in range(3))
  finally:
    stop.set()
    thread.join()


def test_files_that_are_no_kernels(tmp_path):
  (tmp_path / "array.npy").write_bytes(b"\x93NUMPY\x01\x00")
  with pytest.raises(ValueError, match=r"array.npy is not a kernel: byte 0x93 at offset 0.*pir 1"):
    pallasite.load(tmp_path / "array.npy")
  (tmp_path / "empty.pir").write_text("\n")
  with pytest.raises(ValueError, match="is empty"):
    pallasite.load(tmp_path / "empty.pir")
  with pytest.raises(IsADirectoryError, match="folder"):
    pallasite.load(tmp_path)
  with pytest.raises(FileNotFoundError, match="did you mean .*empty.pir"):
    pallasite.load(tmp_path / "emty.pir")
  with pytest.raises(FileNotFoundError, match="no such file"):
    pallasite.load(tmp_path / "nothing" / "k.pir")
  with open(tmp_path / "huge.pir", "wb") as file:
    file.truncate(2 << 30)
  with pytest.raises(ValueError, match="2147483648 bytes"):
    pallasite.load(tmp_path / "huge.pir")
  # Text that is no module is a verdict, as whatever is wrong with a module.
  (tmp_path / "text.pir").write_text("hello")
  report = pallasite.load(tmp_path / "text.pir").run()
  assert report.verdict == "error" and report.findings[0].code == "ir.parse"


def test_a_module_of_ours_that_is_not_well_formed_is_our_mistake():
  with pytest.raises(pallasite.KernelError, match="please report it") as caught:
    judge.judge(judge.Program("pir 1\nnonsense", "{}", 1), "raise")
  assert caught.value.report.verdict == "internal"
  assert [f.code for f in caught.value.findings] == ["run.internal"]
