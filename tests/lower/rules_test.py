"""What single primitives become, and that everything else is refused with its line."""

import inspect
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import lower
from pallasite._compat import primitive_key
from pallasite.lower.converter import Converter
from unsupported_page import rows

VERSION = tuple(int(part) for part in jax.__version__.split(".")[:2])
F32 = jax.ShapeDtypeStruct((64, 64), jnp.float32)


def convert(body, *inputs, out=F32, **kernel):
  kernel = dict(num_threads=1, thread_name="wg") | kernel
  arrays = [jnp.zeros(i.shape, i.dtype) for i in inputs]
  call = plgpu.kernel(body, out_type=out, **kernel)
  return pallasite.export(call, *arrays).text


def body_of(text):
  return text[text.index("  body {") :]


def ops(text):
  return re.findall(r"(?:^ +|= )([a-z]+\.[a-z_0-9]+)(?= |$)", text, re.M)


def struct(shape, dtype):
  return jax.ShapeDtypeStruct(shape, dtype)


UNARY = dict(
  abs=jnp.abs, neg=lambda x: -x, sign=jnp.sign, square=lax.square, sqrt=lax.sqrt, rsqrt=lax.rsqrt,
  cbrt=lax.cbrt, exp=lax.exp, exp2=lax.exp2, expm1=lax.expm1, log=lax.log, log1p=lax.log1p,
  sin=lax.sin, cos=lax.cos, tan=lax.tan, tanh=lax.tanh, logistic=lax.logistic, erf=lax.erf,
  floor=lax.floor, ceil=lax.ceil,
)
# New in JAX 0.12; before, jnp.log2 was made of other primitives.
UNARY |= {name: getattr(lax, name) for name in ("log2", "one_minus_square") if hasattr(lax, name)}
BINARY = dict(
  add=lax.add, sub=lax.sub, mul=lax.mul, div=lax.div, rem=lax.rem, max=lax.max, min=lax.min,
  pow=lax.pow, atan2=lax.atan2, nextafter=lax.nextafter,
)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_elementwise(name):
  def kernel(x, out):
    value = x[...]
    out[...] = UNARY[name](value) if name in UNARY else BINARY[name](value, value)

  assert f"arith.{name}" in ops(convert(kernel, F32))


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons_give_bool(name):
  def kernel(x, out):
    out[...] = jnp.where(getattr(lax, name)(x[...], x[...]), x[...], 0.0)

  text = convert(kernel, F32)
  assert re.search(rf"= arith\.{name} %\d+, %\d+ : bool\[64,64\]", text)


@pytest.mark.parametrize(
  "name, function",
  [
    ("and", lambda x: x & x),
    ("or", lambda x: x | x),
    ("xor", lambda x: x ^ x),
    ("not", lambda x: ~x),
    ("shift_left", lambda x: x << 1),
    ("shift_right_arithmetic", lambda x: x >> 1),
    ("shift_right_logical", lambda x: lax.shift_right_logical(x, x)),
    ("clz", lax.clz),
    ("population_count", lax.population_count),
  ],
)
def test_integer_ops(name, function):
  type = struct((64, 64), jnp.int32)

  def kernel(x, out):
    out[...] = function(x[...])

  assert f"arith.{name}" in ops(convert(kernel, type, out=type))


def test_scalars_beside_arrays_are_broadcast():
  def kernel(x, out):
    out[...] = x[...] * 2.5

  text = convert(kernel, F32)
  assert "= shape.broadcast_in_dim f32(2.5) {dimensions = []} : f32[64,64]" in text


@pytest.mark.parametrize(
  "value, text",
  [
    (0.1, "f32(0.1)"),
    (float("nan"), "f32(nan)"),
    (float("-inf"), "f32(-inf)"),
    (-0.0, "f32(-0.0)"),
    (1e5, "f32(1e+05)"),
    (3.0, "f32(3.0)"),
    (np.uint32(0xFFC00001).view(np.float32), "f32(0xffc00001)"),
  ],
)
def test_literals(value, text):
  def kernel(x, out):
    out[...] = x[...] * np.float32(value)

  assert text in convert(kernel, F32)


def test_parameters_of_arithmetic():
  def kernel(x, out):
    value = lax.round(x[...], lax.RoundingMethod.TO_NEAREST_EVEN)
    value = lax.clamp(0.0, value, 1.0) + lax.integer_pow(value, 3)
    out[...] = lax.bitcast_convert_type(lax.bitcast_convert_type(value, jnp.int32), jnp.float32)

  text = convert(kernel, F32)
  assert 'arith.round %' in text and '{method = "even"}' in text
  assert re.search(r"arith\.clamp f32\(0\.0\), %\d+, f32\(1\.0\)", text)
  assert "{y = 3}" in text
  assert "arith.bitcast" in text


@pytest.mark.parametrize(
  "function, expected",
  [
    (lambda x: jnp.zeros_like(x) + x.sum(1)[:, None], "reduce.sum %2 {axes = [1]} : f32[64]"),
    (lambda x: jnp.full_like(x, x.max()), "reduce.max %2 {axes = [0, 1]} : f32"),
    (lambda x: lax.concatenate([x[:32], x[32:]], 0), "{limits = [32, 64], starts = [0, 0]}"),
    (lambda x: x.T, "shape.transpose %2 {permutation = [1, 0]}"),
    (lambda x: x.reshape(32, 128).reshape(64, 64), "shape.reshape %2 : f32[32,128]"),
    (lambda x: x + lax.broadcasted_iota(jnp.float32, (64, 64), 1), "shape.iota {dimension = 1}"),
    (lambda x: x + lax.argmax(x, 1, jnp.int32)[:, None], "reduce.argmax %2 {axis = 1} : i32[64]"),
    (lambda x: lax.dynamic_slice(x, (0, 0), (64, 64)), "shape.dynamic_slice"),
    (lambda x: lax.rev(x, (0,)), "shape.reverse %2 {dimensions = [0]}"),
    (lambda x: lax.cumsum(x, 1), "reduce.cumsum %2 {axis = 1, reverse = false}"),
  ],
)
def test_shapes_and_reductions(function, expected):
  def kernel(x, out):
    out[...] = function(x[...])

  assert expected in convert(kernel, F32)


def test_swap_is_a_store_unless_its_result_is_read():
  def store(x, out):
    out[...] = x[...]

  def swap(x, out):
    old = pl.swap(out, (), x[...]) if hasattr(pl, "swap") else _swap(out, x[...])
    x[...] = old

  def _swap(ref, value):
    from jax._src.state.primitives import ref_swap

    return ref_swap(ref, (), value)

  assert ops(convert(store, F32)).count("memory.store") == 1
  assert "memory.swap" in ops(convert(swap, F32))


def test_loops_map_what_they_close_over():
  def kernel(x, out):
    scale = x[...]

    def step(carry, i):
      return carry + scale, carry[0, 0] * i

    total, ys = lax.scan(step, scale, jnp.arange(4, dtype=jnp.float32), reverse=True)
    total = lax.while_loop(lambda c: c[0, 0] < 3.0, lambda c: c + total, total)
    out[...] = total + ys[0]

  text = convert(kernel, F32)
  scan = re.search(r"(%\d+), (%\d+) = control\.scan (%\d+), (%\d+) {(.*)} {", text)
  assert scan[5] == "length = 4, num_carry = 1, reverse = true"
  assert "} : f32[64,64], f32[4]" in text
  assert re.search(r"= control\.while %\d+ {", text)


@pytest.mark.parametrize(
  "array, text",
  [
    (np.array([1, -2, 3, -4], np.int32), 'hex"01000000feffffff03000000fcffffff"} : i32[4]'),
    # Packed, the first element in the lowest bits.
    (np.array([1, -2, 3, -4], jnp.int4), 'hex"e1c3"} : i4[4]'),
    (np.array([[1.0], [-2.0]], np.float16), 'hex"003c00c0"} : f16[2,1]'),
  ],
)
def test_constant_arrays(array, text):
  converter = Converter()
  converter.constant(array, None)
  assert converter.body.lines == [f"%0 = value.constant {{data = {text}"]


def test_jitted_functions_are_shared():
  @jax.jit
  def helper(x):
    return x + 1.0

  def kernel(x, out):
    out[...] = helper(helper(x[...]))

  text = convert(kernel, F32)
  assert text.count("func @helper") == 1
  assert text.count('{callee = "helper"}') == 2


def test_custom_derivatives_are_inlined():
  def kernel(x, out):
    out[...] = jax.nn.relu(x[...])

  assert "arith.max" in ops(convert(kernel, F32))


def test_views():
  tiled = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))

  def kernel(x, out, smem):
    smem[...] = x[...]
    out[...] = plgpu.transpose_ref(smem, (1, 0))[...]
    out.at[pl.ds(8, 16)].at[3, pl.ds(4, 8)][...] = smem[5, 8:16]

  text = convert(
    kernel, F32, scratch_types=[plgpu.SMEM((64, 64), jnp.float32, transforms=tiled)]
  )
  assert '%2 "smem": ref<smem, f32[8,2,8,32], unswizzle(128), untile(8, 32)>' in text
  assert "view.untile %4 {tiling = [8, 32]} : ref<smem, f32[64,64]>" in text
  assert "{permutation = [1, 0]} : ref<smem, f32[64,64]>" in text
  assert "{sizes = [1, 8], squeeze = [0], starts = [3, 4]} : ref<gmem, f32[8]>" in text


def test_predicates_and_barriers():
  def kernel(x, out, smem, bar):
    block = lax.axis_index("x")
    plgpu.copy_gmem_to_smem(x, smem, bar, predicate=block == 0)
    plgpu.barrier_arrive(bar)
    plgpu.barrier_wait(bar)
    plgpu.copy_smem_to_gmem(smem, out, predicate=block == 1, commit_group=False)
    plgpu.commit_smem_to_gmem_group()
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)

  text = convert(
    kernel, F32, grid=(2,), grid_names=("x",),
    scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier(num_arrivals=2)],
  )
  # Before 0.12 one barrier is an array of one.
  assert re.search(r'%3 "bar": barrier<\[1?\], arrivals=2>', text)
  assert re.search(r"copy\.gmem_to_smem %0, %2, %\d+, %\d+ {collective_axes = \[\]", text)
  waits = re.findall(r"barrier\.(?:wait|arrive) (%\d+)", text)
  assert len(waits) == 2
  for barrier in waits:
    assert barrier == "%3" or re.search(rf"{barrier} = .* : barrier<\[\], arrivals=2>", text)
  assert re.search(r"copy\.smem_to_gmem %2, %1, %\d+ {commit_group = false}", text)
  assert "copy.wait_smem_to_gmem {n = 0, wait_read_only = true}" in text


def test_accumulators_as_state():
  tiled = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

  def kernel(x, out, a, b):
    scale = x[0, 0]
    index = lax.axis_index("x")
    start = jnp.zeros((64, 64), jnp.float32) * scale

    def body(acc):
      plgpu.wgmma(acc, a.at[index], b)

    out[...] = pl.run_state(body)(plgpu.ACC.init(start))

  text = convert(
    kernel, F32, grid=(2,), grid_names=("x",),
    scratch_types=[
      plgpu.SMEM((2, 64, 64), jnp.float16, transforms=tiled),
      plgpu.SMEM((64, 64), jnp.float16, transforms=tiled),
    ],
  )
  opening = r"(%\d+) = scope\.run_state (%\d+) {\n +\((%\d+): ref<regs, f32\[64,64\]>\)"
  state = re.search(opening, text)
  assert f"wgmma.mma {state[3]}, " in text
  index = re.search(r'(%\d+) = thread\.axis_index {axis = "x"}', text)[1]
  assert re.search(rf"view\.index %\d+, {index} {{", text)
  assert f"memory.store %1, {state[1]}" in text


def test_prints():
  def kernel(x, out):
    jax.debug.print("{{first}} {}, then {}", lax.axis_index("x"), 3)
    out[...] = x[...]

  text = convert(kernel, F32, grid=(2,), grid_names=("x",))
  # JAX may make an operand of the constant.
  printed = r'debug\.print %2(?:, i32\(3\))? {format = "\{\{first\}\} \{\}, then (?:\{\}|3)"}'
  assert re.search(printed, text)


def test_the_axis_of_a_vmap_has_a_name():
  def kernel(x, out):
    out[...] = x[...]

  call = jax.vmap(plgpu.kernel(kernel, out_type=F32, grid=(2,), grid_names=("x",)))
  text = pallasite.export(call, jnp.zeros((3, 64, 64))).text
  assert 'grid = [3, 2] ["vmap0", "x"]' in text
  assert '{axis = "vmap0"}' in text


def test_pallas_call_on_whole_arrays():
  def kernel(x_ref, out_ref, smem):
    smem[...] = x_ref[...]
    out_ref[...] = smem[...] * pl.program_id(0).astype(jnp.float32)

  whole = pl.BlockSpec(memory_space=plgpu.GMEM)
  call = pl.pallas_call(
    kernel, out_shape=F32, grid=(2,), in_specs=[whole], out_specs=whole,
    scratch_shapes=[plgpu.SMEM((64, 64), jnp.float32)], compiler_params=plgpu.CompilerParams(),
  )
  text = pallasite.export(call, jnp.zeros((64, 64))).text
  assert 'grid = [2] ["grid0"]' in text
  assert '%2 "smem": ref<smem, f32[64,64]>' in text
  assert '= thread.axis_index {axis = "grid0"} : i32' in text
  assert "view.index" not in text


@pytest.mark.parametrize(
  "options, message",
  [
    (dict(block_shape=(48, 64)), "blocks of 48 do not divide a dimension of 64"),
    (dict(block_shape=(pl.BoundedSlice(8), 64)), "with the dimension"),
    (dict(block_shape=(pl.Element(8, (1, 1)), 64)), "with the dimension"),
  ],
)
def test_block_specifications_that_are_refused(options, message):
  def kernel(x_ref, out_ref):
    out_ref[...] = x_ref[0, 0] + jnp.zeros((64, 64), jnp.float32)

  slice_start = pl.ds(0, 8) if "Bounded" in str(options) else 0
  block = pl.BlockSpec(index_map=lambda: (slice_start, 0), **options)
  call = pl.pallas_call(
    kernel, out_shape=F32, in_specs=[block], compiler_params=plgpu.CompilerParams()
  )
  with pytest.raises(pallasite.UnsupportedError, match=message):
    pallasite.export(call, jnp.zeros((64, 64)))


def test_names_of_parameters():
  def kernel(left, right, result, staging):
    staging[...] = left[...] + right[...]
    result[...] = staging[...]

  text = convert(kernel, F32, F32, scratch_types=[plgpu.SMEM((64, 64), jnp.float32)])
  names = re.findall(r'%\d "(\w+)": ref', text)
  assert names == ["left", "right", "result", "staging"]


def test_bound_leading_arguments_leave_positions_as_names():
  import functools

  def kernel(scale, source, result):
    result[...] = source[...] * scale.factor

  class Scale:
    factor = 2.0

  text = convert(functools.partial(kernel, Scale()), F32)
  assert '"refs[0]"' in text and '"refs[1]"' in text
  assert "kernel @kernel {" in text


def _semaphore(x, out):
  pl.run_scoped(lambda sem: out.__setitem__(..., x[...]), plgpu.SemaphoreType.REGULAR)


def _cholesky(x, out):
  out[...] = lax.linalg.cholesky(x[...])


def _cluster_ref(x, out, smem):
  smem[...] = x[...]
  out[...] = plgpu.cluster_ref(smem, {"c": 0})[...]


def _reduction(x, out, smem):
  plgpu.copy_smem_to_gmem(smem, out, reduction_op="add")


def _gather(x, out):
  out[...] = x[lax.iota(jnp.int32, 64)]


def _fft(x, out):
  out[...] = jnp.fft.fft(x[...]).real


def _rank(x, out):
  out[...] = x[...].reshape((64, 64) + (1,) * 11).sum(range(2, 13))


def _format(x, out):
  jax.debug.print("{:d}", lax.axis_index("wg"))
  out[...] = x[...]


SMEM = [plgpu.SMEM((64, 64), jnp.float32)]


@pytest.mark.parametrize(
  "kernel, options, what",
  [
    (_semaphore, {}, "`semaphore` is not supported"),
    (_cholesky, {}, "primitive `cholesky` is not supported"),
    (_reduction, dict(scratch_types=SMEM), "reduction_op"),
    (_gather, {}, "gather or scatter"),
    (_rank, {}, "rank 13"),
    (_fft, {}, "element type `complex64` is not supported"),
    (_format, {}, "format specification `d`"),
    pytest.param(
      _cluster_ref,
      dict(scratch_types=SMEM, cluster=(2,), cluster_names=("c",)),
      "a ref in another block of the cluster",
      marks=pytest.mark.skipif(not hasattr(plgpu, "cluster_ref"), reason="newer than this JAX"),
    ),
  ],
)
def test_unsupported(kernel, options, what):
  with pytest.raises(pallasite.UnsupportedError) as caught:
    convert(kernel, F32, **options)
  assert what in str(caught.value)
  file, line = caught.value.location
  lines, first = inspect.getsourcelines(kernel)
  assert file == __file__
  assert first < line < first + len(lines)
  assert f"at {file}:{line}" in str(caught.value)
  assert not isinstance(caught.value, NotImplementedError)


def test_unions_and_tensor_memory_are_refused():
  def kernel(x, out, scratch):
    out[...] = x[...]

  union = plgpu.RefUnion(plgpu.SMEM((64, 64), jnp.float32), plgpu.SMEM((64, 64), jnp.float32))
  for scratch, what in ((union, "RefUnion"), (plgpu.TMEM((128, 64), jnp.float32), "TMEM")):
    with pytest.raises(pallasite.UnsupportedError, match=what):
      convert(kernel, F32, scratch_types=[scratch])


def test_an_equal_name_is_not_the_same_primitive():
  from jax.extend.core import Primitive

  other = Primitive("add")
  assert primitive_key(other) == "?.add"
  assert primitive_key(other) not in lower.RULES
  assert primitive_key(lax.add_p) == "lax.add"


def test_each_primitive_of_the_installed_jax_is_accounted_for():
  from jax._src.pallas.mosaic_gpu import lowering

  known = {
    primitive_key(primitive)
    for rules in lowering.mosaic_lowering_rules.values()
    for primitive in rules
  }
  assert len(known) > 100
  listed = {name for names, _ in rows("Primitives of Pallas and Mosaic GPU") for name in names}
  assert sorted(known - set(lower.RULES) - listed) == []
