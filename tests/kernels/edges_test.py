"""Kernels at the edges of what the language allows, against what numpy or plain JAX says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

NEW_IN_0_12 = pytest.mark.skipif(
  tuple(int(part) for part in jax.__version__.split(".")[:2]) < (0, 12), reason="new in JAX 0.12"
)


@pytest.fixture(autouse=True)
def installed():
  with pallasite.install(arch="h100") as installation:
    installation.reset()
    yield
  pallasite.uninstall()


def run(body, out, *inputs, **options):
  result = jax.jit(plgpu.kernel(body, out_type=out, **options))(*inputs)
  return jax.tree.map(np.asarray, result)


def f32(*shape):
  return jax.ShapeDtypeStruct(shape, jnp.float32)


def numbers(*shape):
  return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(
  "shape", [(), (1,), (1, 1), (0,), (3, 0, 2), (3, 1, 5), (2, 1, 2, 1, 2, 1, 2), (2,) * 10]
)
def test_arrays_of_any_rank_and_extent(shape):
  def kernel(x, out):
    out[...] = x[...] + 1

  x = numbers(*shape)
  np.testing.assert_array_equal(run(kernel, f32(*shape), x), x + 1)


@pytest.mark.parametrize(
  "index",
  [
    lambda a: a[1:7][:, 4:12][2:5][:2, 1:4, 1:3],
    lambda a: a[::2][1::2],
    lambda a: a[3, ::3],
    lambda a: a[-2:, 8:8],
  ],
)
def test_slices_of_slices(index):
  class At:
    """Makes a chain of views, as `a[i][j]` makes one of arrays."""

    def __init__(self, ref):
      self.ref = ref

    def __getitem__(self, i):
      return At(self.ref.at[i])

  def kernel(x, out):
    out[...] = index(At(x)).ref[...]

  x = numbers(8, 16, 4)
  np.testing.assert_array_equal(run(kernel, f32(*index(x).shape), x), index(x))


@pytest.mark.parametrize("shape", [(64,), (1, 64), (1, 1, 127), (1,), (4, 16)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("reduce", [jnp.sum, jnp.max])
def test_limits_of_a_reduction_that_keeps_its_dimensions(shape, dtype, reduce):
  def function(x):
    # The limits are scalars of another type: the converted ones are arrays of one element.
    return jnp.broadcast_to(jnp.clip(reduce(x, axis=-1, keepdims=True), -5, 64), x.shape)

  def kernel(x, out):
    out[...] = function(x[...])

  x = (np.arange(np.prod(shape)) % 7 - 2).reshape(shape).astype(dtype)
  result = run(kernel, jax.ShapeDtypeStruct(shape, dtype), x)
  np.testing.assert_array_equal(result, function(x))


@pytest.mark.parametrize("start", [0, 5, 6, -1, 2**31 - 1, -(2**31)])
def test_a_start_known_at_run_time(start):
  def kernel(x, start, out):
    out[...] = x[pl.ds(start[0], 3)]

  x, start_array = numbers(8), np.array([start], np.int32)
  if 0 <= start <= 5:
    np.testing.assert_array_equal(run(kernel, f32(3), x, start_array), x[start : start + 3])
    return
  with pytest.raises(pallasite.KernelError) as raised:
    run(kernel, f32(3), x, start_array)
  assert [f.code for f in raised.value.findings] == ["gmem.oob"]


@pytest.mark.parametrize("row, column", [(16, 24), (20, 30), (-3, -5), (-(2**31), 0)])
def test_tma_clips_at_every_side(row, column):
  def load(start, x, out, smem, ready):
    view = x.at[pl.ds(start[0], 8), pl.ds(start[1], 8)]
    plgpu.copy_gmem_to_smem(view, smem, ready)
    plgpu.barrier_wait(ready)
    out[...] = smem[...]

  def store(start, x, out, smem):
    out[...] = x[...]
    smem[...] = jnp.full((8, 8), -1.0)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, out.at[pl.ds(start[0], 8), pl.ds(start[1], 8)])
    plgpu.wait_smem_to_gmem(0)

  x, start, tile = numbers(20, 30), np.array([row, column], np.int32), plgpu.SMEM((8, 8), jnp.float32)
  loaded, stored = np.zeros((8, 8), np.float32), x.copy()
  for i in range(8):
    for j in range(8):
      if 0 <= row + i < 20 and 0 <= column + j < 30:
        loaded[i, j] = x[row + i, column + j]
        stored[row + i, column + j] = -1
  result = run(load, f32(8, 8), start, x, scratch_types=[tile, plgpu.Barrier()])
  np.testing.assert_array_equal(result, loaded)
  result = run(store, f32(20, 30), start, x, scratch_types=[tile])
  np.testing.assert_array_equal(result, stored)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "float8_e4m3fn"])
def test_swizzled_and_plain_refs_agree(swizzle, dtype):
  columns = swizzle // jnp.dtype(dtype).itemsize
  shape = (24, 3 * columns)
  transforms = (plgpu.TilingTransform((8, columns)), plgpu.SwizzleTransform(swizzle))

  def kernel(x, whole, part, tiled, plain, ready):
    plgpu.copy_gmem_to_smem(x, tiled, ready)
    plgpu.barrier_wait(ready)
    plain[...] = tiled[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(plain, whole)
    part[...] = tiled[6:9, columns - 2 : 2 * columns + 1]
    plgpu.wait_smem_to_gmem(0)

  x = jnp.asarray(np.arange(np.prod(shape)) * 7 % 101 - 50).reshape(shape).astype(dtype)
  outs = [jax.ShapeDtypeStruct(s, x.dtype) for s in (shape, (3, columns + 3))]
  scratch = [plgpu.SMEM(shape, x.dtype, transforms=transforms), plgpu.SMEM(shape, x.dtype)]
  whole, part = run(kernel, outs, x, scratch_types=[*scratch, plgpu.Barrier()])
  assert whole.tobytes() == np.asarray(x).tobytes()
  assert part.tobytes() == np.asarray(x)[6:9, columns - 2 : 2 * columns + 1].tobytes()


def test_carries_that_change_places():
  def rotate(a, b, c):
    return lax.fori_loop(0, 4, lambda _, s: (s[1], s[2], s[0]), (a, b, c))

  def kernel(x, *outs):
    for out, value in zip(outs, rotate(x[...], x[...] * 10, x[...] - 5)):
      out[...] = value

  x = numbers(8)
  for got, expected in zip(run(kernel, [f32(8)] * 3, x), (x * 10, x - 5, x)):
    np.testing.assert_array_equal(got, expected)


def test_scopes_in_a_loop_with_names_used_twice():
  def kernel(x, out):
    def step(i, _):
      def outer(buffer, ready):
        plgpu.copy_gmem_to_smem(x.at[i], buffer, ready)
        plgpu.barrier_wait(ready)

        def inner(ready):
          ready[...] = buffer[...] * 2
          out[i] = ready[...] + buffer[...]

        pl.run_scoped(inner, plgpu.SMEM((128,), jnp.float32))

      pl.run_scoped(outer, plgpu.SMEM((128,), jnp.float32), plgpu.Barrier())

    lax.fori_loop(0, 5, step, None)

  x = numbers(5, 128)
  np.testing.assert_array_equal(run(kernel, f32(5, 128), x), x * 3)


@NEW_IN_0_12
def test_dims_of_extent_one_beside_larger_ones():
  def kernel(x, y, out):
    out[...] = x[...][None] + y[...]

  x, y = numbers(128), numbers(3, 128)
  np.testing.assert_array_equal(run(kernel, f32(3, 128), x, y), x + y)


@NEW_IN_0_12
def test_an_array_taken_apart():
  def kernel(x, out):
    a, b, c = x[...]
    out[...] = a * 100 + b * 10 + c

  x = numbers(3, 8)
  np.testing.assert_array_equal(run(kernel, f32(8), x), x[0] * 100 + x[1] * 10 + x[2])


@NEW_IN_0_12
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_arrays_put_together(axis):
  def kernel(x, out):
    out[...] = jnp.stack([x[...], x[...] * 2, x[...] * 3], axis)

  x = numbers(4, 8)
  expected = np.stack([x, x * 2, x * 3], axis)
  np.testing.assert_array_equal(run(kernel, f32(*expected.shape), x), expected)


@pytest.mark.parametrize("value, broken", [(56, None), (24, 7), (21, 8)])
def test_multiples_of_several_numbers(value, broken):
  def kernel(x, out):
    out[0] = pl.multiple_of(x[0], (7, 8))

  out, x = jax.ShapeDtypeStruct((1,), jnp.int32), np.array([value], np.int32)
  if broken is None:
    assert run(kernel, out, x) == value
    return
  with pytest.raises(pallasite.KernelError, match=str(broken)) as raised:
    run(kernel, out, x)
  assert [f.code for f in raised.value.findings] == ["assume.multiple-of"]


def test_state_is_what_the_body_returns():
  def kernel(x, kept, returned):
    def add_to_itself(acc):
      return lax.fori_loop(0, 4, lambda _, v: v + acc[...], acc[...])

    def only_read(acc):
      add_to_itself(acc)

    kept[...] = pl.run_state(only_read)(plgpu.ACC.init(x[...]))
    returned[...] = pl.run_state(add_to_itself)(plgpu.ACC.init(x[...]))

  x = numbers(64, 64)
  kept, returned = run(kernel, [f32(64, 64)] * 2, x)
  np.testing.assert_array_equal(kept, x)
  np.testing.assert_array_equal(returned, x * 5)


CLUSTER = dict(cluster=(2, 3), cluster_names=("a", "b"))


@pytest.mark.parametrize("axes", [("a",), ("b",), (("a", "b"),), (("b", "a"),)])
def test_cluster_barriers_order_the_blocks_along_their_axes(axes):
  flat = [axis for group in axes for axis in (group if isinstance(group, tuple) else (group,))]

  def kernel(mine, theirs, barrier):
    at = {axis: lax.axis_index(axis) for axis in ("a", "b")}
    # The next block along each of the axes.
    next_at = dict(at)
    for axis in flat:
      next_at[axis] = lax.rem(at[axis] + 1, jnp.int32(dict(a=2, b=3)[axis]))
    for step in range(3):
      mine[at["a"], at["b"]] = (at["a"] * 10 + at["b"] + 100 * step).astype(jnp.float32)
      plgpu.barrier_arrive(barrier)
      plgpu.barrier_wait(barrier)
      theirs[at["a"], at["b"]] = mine[next_at["a"], next_at["b"]]
      plgpu.barrier_arrive(barrier)
      plgpu.barrier_wait(barrier)

  mine, theirs = run(
    kernel, [f32(2, 3)] * 2, scratch_types=[plgpu.ClusterBarrier(collective_axes=axes)], **CLUSTER
  )
  shift = [-1 if axis in flat else 0 for axis in ("a", "b")]
  np.testing.assert_array_equal(theirs, np.roll(mine, shift, (0, 1)))
  np.testing.assert_array_equal(mine, [[200, 201, 202], [210, 211, 212]])


@pytest.mark.parametrize("axes", ["a", "b", ("a", "b"), ("b", "a"), (("a", "b"),)])
def test_multicast_along_axes_of_a_cluster(axes):
  names = {"a": "a", "b": "b"}.get(axes, "ab")

  def kernel(x, out, smem, ready):
    a, b = lax.axis_index("a"), lax.axis_index("b")
    source = x.at[0 if "a" in names else a, 0 if "b" in names else b]
    plgpu.copy_gmem_to_smem(source, smem, ready, collective_axes=axes)
    plgpu.barrier_wait(ready)
    out[a, b] = smem[...]

  x = numbers(2, 3, 12, 128)
  expected = x[: 1 if "a" in names else 2, : 1 if "b" in names else 3]
  scratch = [plgpu.SMEM((12, 128), jnp.float32), plgpu.Barrier()]
  result = run(kernel, f32(2, 3, 12, 128), x, scratch_types=scratch, **CLUSTER)
  np.testing.assert_array_equal(result, np.broadcast_to(expected, x.shape))


@pytest.mark.parametrize("unrolled", [False, True])
@pytest.mark.parametrize("async_values", ["eager", "late"])
def test_a_block_may_be_ahead_of_its_peer_by_a_scope(unrolled, async_values):
  def kernel(x, out):
    block = lax.axis_index("c")

    def step(i, _):
      def body(buffer, ready, read):
        plgpu.copy_gmem_to_smem(x.at[i], buffer, ready, collective_axes="c")
        plgpu.barrier_wait(ready)
        out[block, i] = buffer[...]
        # From here on the peer may load into the buffer of the next scope, which is this one.
        plgpu.barrier_arrive(read)
        plgpu.barrier_wait(read)

      pl.run_scoped(
        body, plgpu.SMEM((4, 128), jnp.float32), plgpu.Barrier(),
        plgpu.ClusterBarrier(collective_axes=("c",)),
      )

    if unrolled:
      for i in range(4):
        step(i, None)
    else:
      lax.fori_loop(0, 4, step, None)

  x = numbers(4, 4, 128)
  with pallasite.install(arch="h100", async_values=async_values):
    result = run(kernel, f32(2, 4, 4, 128), x, cluster=(2,), cluster_names=("c",))
  np.testing.assert_array_equal(result, np.broadcast_to(x, result.shape))


def test_the_failing_cluster_is_found_by_any_number_of_workers():
  def kernel(out, barrier):
    index = lax.axis_index("g")

    @pl.when(index != 50)
    def _():
      plgpu.barrier_arrive(barrier)

    plgpu.barrier_wait(barrier)
    out[index] = index

  call = plgpu.kernel(
    kernel, out_type=jax.ShapeDtypeStruct((100,), jnp.int32), grid=(100,), grid_names=("g",),
    scratch_types=[plgpu.Barrier()],
  )
  texts = set()
  for workers in (1, 2, 4):
    with pallasite.install(arch="h100", workers=workers):
      with pytest.raises(pallasite.KernelError) as raised:
        jax.block_until_ready(call())
    assert [f.code for f in raised.value.findings] == ["sched.deadlock"]
    texts.add(raised.value.findings[0].message)
    assert "g=50" in str(raised.value)
  assert len(texts) == 1


@pytest.mark.parametrize("rows", [2**12, 2**17])
def test_arrays_beyond_any_register_file_are_refused(rows):
  def kernel(x, out):
    out[...] = jnp.broadcast_to(x[...], (rows, 2**16)).sum(0)[:8]

  with pytest.raises(pallasite.UnsupportedError, match="more than 1024 MiB"):
    run(kernel, f32(8), numbers(1, 1))
