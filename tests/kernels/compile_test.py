"""Would it compile? What JAX's own lowering for the chip says, on this version of JAX."""

import importlib
import inspect
import os
import re
import subprocess
import sys
import threading
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import _compat, compile_check, guess

F32 = jnp.float32
SEMANTICS = plgpu.LoweringSemantics
IS_OLD = jax.__version__.startswith("0.11")


def shape(*dims, dtype=F32):
  return jax.ShapeDtypeStruct(dims, dtype)


def line_of(function, text):
  """The file and the line of a function that contains a text."""
  lines, first = inspect.getsourcelines(function)
  offset = next(i for i, line in enumerate(lines) if text in line)
  return inspect.getsourcefile(function), first + offset


@pytest.fixture(autouse=True)
def no_answers_of_other_tests():
  compile_check._answers.clear()


# ---- what is refused, with JAX's text, at which line


def no_rule(x_ref, out_ref):
  out_ref[...] = jnp.cumsum(x_ref[...])


def no_rule_in_a_loop(x_ref, out_ref):
  def body(_, total):
    return total + jnp.floor(x_ref[...])

  out_ref[...] = jax.lax.fori_loop(0, 3, body, jnp.zeros(128))


def factoring(x_ref, out_ref):
  out_ref[...] = x_ref[...] + jnp.linalg.cholesky(jnp.eye(8, dtype=jnp.float32))[0, 0]


def sorting(x_ref, out_ref):
  out_ref[...] = jnp.sort(x_ref[...])


def too_much(x_ref, out_ref, buffer):
  out_ref[...] = x_ref[...]


def tensor_memory(x_ref, out_ref, accumulator):
  out_ref[...] = x_ref[...]


def not_a_multiple(x_ref, out_ref):
  out_ref[...] = x_ref[...] + 1


def two_layouts(x_ref, out_ref):
  a = plgpu.layout_cast(x_ref[...], plgpu.Layout.WGMMA)
  b = plgpu.layout_cast(x_ref[...], plgpu.Layout.TCGEN05)
  out_ref[...] = a + b


def no_relayout(x_ref, out_ref):
  a = plgpu.layout_cast(x_ref[...], plgpu.Layout.WGMMA)
  out_ref[...] = plgpu.layout_cast(a + 1, plgpu.Layout.TCGEN05)


def copies(x_ref, out_ref, buffer, barrier):
  plgpu.copy_gmem_to_smem(x_ref.at[:, pl.ds(0, buffer.shape[1])], buffer, barrier)
  plgpu.barrier_wait(barrier)
  out_ref[...] = buffer[...]


def product(a_ref, b_ref, out_ref, a_smem, b_smem, barrier):
  plgpu.copy_gmem_to_smem(a_ref, a_smem, barrier)
  plgpu.copy_gmem_to_smem(b_ref, b_smem, barrier)
  plgpu.barrier_wait(barrier)

  def compute(acc):
    plgpu.wgmma(acc, a_smem, b_smem)
    return acc[...]

  out_ref[...] = pl.run_scoped(compute, plgpu.ACC((a_smem.shape[0], b_smem.shape[1]), F32))


def call(kernel, *operands, out=None, **options):
  out = out or shape(*operands[0].shape, dtype=operands[0].dtype)
  return lambda: plgpu.kernel(kernel, out_type=out, **options)(*operands)


def copying(dims, dtype, source=None):
  return call(
    copies, jnp.zeros(source or dims, dtype), out=shape(*dims, dtype=dtype),
    scratch_types=[plgpu.SMEM(dims, dtype), plgpu.Barrier()],
  )


def multiplying(m, tiling=(8, 64), dtype=jnp.float16):
  tiles = (plgpu.TilingTransform(tiling), plgpu.SwizzleTransform(128))
  return call(
    product, jnp.zeros((m, 64), dtype), jnp.zeros((64, 64), dtype), out=shape(m, 64),
    scratch_types=[
      plgpu.SMEM((m, 64), dtype, transforms=tiles),
      plgpu.SMEM((64, 64), dtype, transforms=tiles),
      plgpu.Barrier(num_arrivals=2),
    ],
  )


ROW, TILE = jnp.zeros(128), jnp.zeros((128, 128))
NO_RULE = "Unimplemented primitive in Pallas Mosaic GPU lowering: "
STRIDES = "requires? all GMEM strides"
REFUSED = {
  # name: (function, arch, code, JAX's text, kernel and part of the line; None for the whole kernel)
  "no rule": (call(no_rule, ROW), "h100", "compile.refused", NO_RULE + "cumsum", (no_rule, "cumsum")),
  "no rule in a loop": (
    call(no_rule_in_a_loop, ROW), "h100", "compile.refused", NO_RULE + "floor",
    (no_rule_in_a_loop, "floor"),
  ),
  "sort": (call(sorting, ROW), "h100", "compile.refused", NO_RULE + "sort", (sorting, "sort(x")),
  "shared memory": (
    call(too_much, ROW, scratch_types=[plgpu.SMEM((300 * 1024,), jnp.int8)]), "h100",
    "smem.exhausted", "exceeds available shared memory", (too_much, "def "),
  ),
  "shared memory of a smaller chip": (
    call(too_much, ROW, scratch_types=[plgpu.SMEM((200 * 1024,), jnp.int8)]), "a100",
    "smem.exhausted", "exceeds available shared memory.*max_smem_bytes=166912",
    (too_much, "def "),
  ),
  "shared memory with the profiler's": (
    call(
      too_much, ROW, scratch_types=[plgpu.SMEM((227 * 1024,), jnp.int8)],
      compiler_params=plgpu.CompilerParams(profile_space=64, profile_dir="profiles"),
    ),
    "h100", "compile.resources", "exceeds available shared memory", (too_much, "def "),
  ),
  "tensor memory": (
    call(tensor_memory, ROW, scratch_types=[plgpu.TMEM((128, 1024), F32)]), "b200",
    "compile.resources", "got 1024 columns, exceeding the limit of 512",
    (tensor_memory, "def "),
  ),
  "size": (
    call(not_a_multiple, jnp.zeros(100)), "h100", "compile.refused",
    "Failed to infer a possible set of layouts", (not_a_multiple, "def "),
  ),
  "layouts": (
    call(two_layouts, TILE), "h100", "compile.refused", "Failed to infer a possible set of layouts",
    (two_layouts, "def "),
  ),
  "relayout": (
    call(no_relayout, TILE), "h100", "compile.refused", "Failed to infer a possible set of layouts",
    (no_relayout, "def " if IS_OLD else "TCGEN05"),
  ),
  "layouts under lane semantics": (
    call(
      two_layouts, TILE,
      compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS.Lane),
    ),
    "h100", "compile.refused",
    "Only optimized transfers to SMEM" if IS_OLD else "Incompatible FragmentedArray layouts",
    (two_layouts, "WGMMA" if IS_OLD else "a + b"),
  ),
  "rows of a copy": (
    copying((128, 128), jnp.int8, (128, 129)), "h100", "compile.refused", STRIDES,
    (copies, "copy_gmem"),
  ),
  "box of a copy": (
    copying((512, 64), jnp.float16), "h100", "compile.refused", "<=256 elements along each dim",
    (copies, "copy_gmem"),
  ),
  "rows of a product": (
    multiplying(96), "h100", "compile.refused", "first dimension must be a multiple of 64",
    (product, "plgpu.wgmma"),
  ),
  "tiling of a product": (
    multiplying(64, (4, 64)), "h100", "compile.refused",
    "Failed to infer a possible set of layouts", (product, "def "),
  ),
  "element type of a product": (
    multiplying(64, (8, 32), F32), "h100", "compile.refused", "Only f16 WGMMA supports transposes",
    (product, "plgpu.wgmma"),
  ),
  "an older chip": (
    multiplying(64), "a100", "compile.refused", "only supported Hopper and newer",
    (product, "copy_gmem_to_smem(a_ref"),
  ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_the_text_of_jax_at_its_line(name):
  function, arch, code, text, (kernel, part) = REFUSED[name]
  report = pallasite.check(function, arch=arch, run=False)
  found = [f for f in report.findings if f.code == code and re.search(text, f.message)]
  assert len(found) == 1, report.findings
  assert found[0].locations[0] == line_of(kernel, part)
  is_resource = code in ("compile.resources", "smem.exhausted")
  assert found[0].verdict == ("resource" if is_resource else "error")
  assert not any(f.code == "compile.resources" for f in report.findings if f is not found[0])


def test_a_kernel_without_a_rule_says_so_and_still_gives_values():
  report = pallasite.check(lambda: call(no_rule, jnp.ones(128))())
  (finding,) = report.findings
  assert report.verdict == "error"
  assert finding.data["help"].startswith("no rule in JAX's Mosaic GPU lowering: the compiler for")
  assert "`cumsum`" in finding.data["help"]
  np.testing.assert_array_equal(report.outputs, np.arange(1, 129, dtype=np.float32))


def test_a_primitive_that_is_unsupported_too_says_that_it_has_no_rule():
  with pallasite.install(), pytest.raises(pallasite.UnsupportedError) as raised:
    call(factoring, ROW)()
  assert "no rule in JAX's Mosaic GPU lowering either" in str(raised.value)


# ---- what is taken


def ok(x_ref, out_ref):
  out_ref[...] = x_ref[...] + 1


@pytest.mark.parametrize("arch", [None, "h100", "b200", "a100"])
@pytest.mark.parametrize("run", [True, False])
def test_a_good_kernel_is_taken_and_the_check_is_listed(arch, run):
  report = pallasite.check(lambda: call(ok, ROW)(), arch=arch, run=run)
  assert (report.verdict, report.findings) == ("clean", [])
  assert "compile" in report.checks


def test_none_asks_nothing():
  report = pallasite.check(lambda: call(no_rule, ROW)(), checks="none")
  assert report.verdict == "clean"
  assert "compile" not in report.checks


def test_tensor_memory_is_guessed_to_be_of_blackwell():
  report = pallasite.check(REFUSED["tensor memory"][0], run=False)
  assert any("sm_100a" in f.message for f in report.findings)


def test_the_arch_is_guessed_from_what_the_kernel_is_and_not_from_names():
  def tmem_like_tcgen05(x_ref, out_ref):
    with jax.named_scope("tmem"):
      out_ref[...] = jax.jit(lambda tmem: tmem + 1)(x_ref[...])

  def nested(x_ref, out_ref):
    # Of tensor memory there is only an allocation, in a scope in a branch.
    @pl.when(x_ref[0] > 0)
    def _():
      pl.run_scoped(lambda t: None, plgpu.TMEM((128, 128), jnp.float32))

    out_ref[...] = x_ref[...]

  for body, arch in ((tmem_like_tcgen05, "sm_90a"), (nested, "sm_100a")):
    (around,) = jax.make_jaxpr(plgpu.kernel(body, out_type=shape(128)))(ROW).eqns
    (equation,) = around.params["call"].eqns
    assert guess.guessed_arch(equation.params) == arch, body
  with pallasite.collect() as reports, pallasite.install():
    call(tmem_like_tcgen05, ROW)()
  assert (reports[0].data["arch"], reports[0].data["arch_guessed"]) == ("sm_90a", True)


def test_on_several_devices_it_is_asked_once_and_listed(tmp_path):
  program = """
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu
import pallasite
from pallasite import _compat, compile_check, guess
def good(x, out): out[...] = x[...] + 1
def no_rule(x, out): out[...] = lax.rev(x[...], (0,))
mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
def over(body, **more):
  call = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), jnp.float32), **more)
  return jax.jit(jax.shard_map(lambda x: lax.psum(call(x), "d"), mesh=mesh, in_specs=jax.P("d"),
                               out_specs=jax.P(), check_vma=False))
x = np.ones(512, np.float32)
real, asked = compile_check._compat.ask_mosaic, []
compile_check._compat.ask_mosaic = lambda *a: asked.append(1) or real(*a)
for stated in ({"checks": "default,compile"}, {"checks": "compile"}):
  with pallasite.install(arch="h100", **stated), pallasite.collect() as reports:
    print(over(good)(x)[0], len(asked), sorted(r.data["device"] for r in reports),
          {"compile" in r.checks for r in reports})
    try:
      over(no_rule)(x)
    except pallasite.KernelError as error:
      print(error.findings[0].code, len(reports))
with pallasite.install(arch="h100"):
  print(over(good, interpret=pallasite.Params(checks="compile"))(x)[0])
  try:
    over(no_rule, interpret=pallasite.Params(checks="compile"))(x)
  except pallasite.KernelError as error:
    print(error.findings[0].code)
  for body in (good, no_rule):
    report = pallasite.check(over(body), x)
    print(report.verdict, report.checks.count("compile"), len(report.kernels), report.outputs[0])
"""
  flags = "--xla_force_host_platform_device_count=4"
  file = tmp_path / "script.py"
  file.write_text(program)
  ended = subprocess.run(
    [sys.executable, str(file)], env={**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags},
    capture_output=True, text=True, timeout=300, check=False,
  )
  assert ended.stdout.splitlines() == [
    "8.0 1 [0, 1, 2, 3] {True}", "compile.refused 5",
    "8.0 2 [0, 1, 2, 3] {True}", "compile.refused 5",
    "8.0", "compile.refused", "clean 1 4 8.0", "error 1 4 4.0",
  ], ended.stdout + ended.stderr


def test_code_around_the_kernel_need_not_lower_for_a_gpu():
  def with_cpu_code(x):
    y = call(ok, x)()
    return jax.lax.platform_dependent(y, cpu=lambda y: y)

  assert pallasite.check(with_cpu_code, ROW).verdict == "clean"


def test_under_vmap_jit_and_shard_map_the_kernel_alone_is_asked_about():
  mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  one = lambda x: plgpu.kernel(ok, out_type=shape(128))(x)
  spec = jax.sharding.PartitionSpec()
  mapped = jax.shard_map(one, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
  for function, x in ((jax.vmap(one), jnp.zeros((3, 128))), (jax.jit(one), ROW), (mapped, ROW)):
    report = pallasite.check(function, x)
    assert (report.verdict, "compile" in report.checks) == ("clean", True), report.findings


def test_pallas_call_is_asked_about_as_far_as_jax_lowers_it():
  plain = lambda: pl.pallas_call(ok, out_shape=shape(128), compiler_params=plgpu.CompilerParams())(ROW)
  report = pallasite.check(plain)
  if IS_OLD:
    assert (report.verdict, "compile" in report.checks) == ("clean", True), report.findings
  else:
    (finding,) = report.findings
    assert "lowers no pl.pallas_call for Mosaic GPU" in finding.message
    assert finding.locations[0] == line_of(ok, "def ")
  # One of Triton.
  interpreted = lambda: pl.pallas_call(ok, out_shape=shape(128), interpret=pallasite.Params())(ROW)
  report = pallasite.check(interpreted)
  assert (report.verdict, "compile" in report.checks) == ("clean", False)


# ---- under install


@pytest.mark.parametrize("checks", ["compile", "values,compile", "default,compile"])
def test_under_install_a_refused_kernel_raises_while_it_is_lowered(checks):
  function = jax.jit(lambda: call(no_rule, ROW)())
  with pallasite.install(checks=checks):
    for _ in range(2):
      with pytest.raises(pallasite.KernelError, match="cumsum") as raised:
        function.lower()
      assert [f.code for f in raised.value.findings] == ["compile.refused"]
      assert f"{line_of(no_rule, 'cumsum')[1]}" in str(raised.value)
  with pallasite.install():
    function()


def test_a_warm_function_obeys_a_newer_install():
  function = jax.jit(lambda: call(no_rule, ROW)())
  with pallasite.install():
    function()
    with pallasite.install(checks="compile"), pytest.raises(pallasite.KernelError):
      function()
    function()


def test_it_can_be_warned_of_or_recorded():
  with pallasite.install(checks="compile", on_finding="warn"):
    with pytest.warns(pallasite.KernelWarning, match="compile.refused"):
      call(no_rule, ROW)()
  with pallasite.install(checks="compile", on_finding="record"), pallasite.collect() as reports:
    call(no_rule, ROW)()
  assert [f.code for r in reports for f in r.findings] == ["compile.refused"]


def test_params_can_ask_for_it():
  params = pallasite.Params(checks="default,compile")
  np.testing.assert_array_equal(call(ok, ROW, interpret=params)(), np.ones(128))
  with pytest.raises(pallasite.KernelError, match="compile.refused"):
    call(no_rule, ROW, interpret=params)()


def test_resources_raise_their_own_class():
  function = REFUSED["shared memory with the profiler's"][0]
  with pallasite.install(checks="compile"), pytest.raises(pallasite.ResourceError) as raised:
    function()
  assert "exceeds available shared memory" in str(raised.value)


def test_it_is_a_note_under_the_interpreter_of_jax():
  function = lambda: call(no_rule, ROW, interpret=plgpu.InterpretGPUParams())()
  with pallasite.install():
    report = pallasite.check(function)
  assert (report.verdict, [f.level for f in report.findings]) == ("clean", ["note"])


# ---- it disturbs nothing


def test_nothing_is_warned_of_and_no_text_is_kept():
  core = importlib.import_module("jax.experimental.mosaic.gpu.core")
  before = dict(core.KNOWN_KERNELS)
  with warnings.catch_warnings(), pallasite.install(arch="h100"):
    warnings.simplefilter("error")
    for function in (lambda: call(ok, ROW)(), multiplying(64), lambda: call(no_rule, ROW)()):
      pallasite.check(function)
  assert before == core.KNOWN_KERNELS


def test_functions_are_not_traced_again_afterwards():
  traces = []

  @jax.jit
  def function(x):
    traces.append(1)
    return call(ok, x)()

  with pallasite.install(arch="h100"):
    function(ROW)
    pallasite.check(lambda: call(ok, ROW)())
    function(ROW)
  assert len(traces) == 1
  assert jax.sharding.get_abstract_mesh().empty
  assert not hasattr(jax.devices()[0], "shared_memory_per_block_optin")


def test_an_answer_is_kept_by_content_and_asked_for_once(monkeypatch):
  asked = []
  real = _compat.ask_mosaic
  monkeypatch.setattr(_compat, "ask_mosaic", lambda *a: asked.append(1) or real(*a))
  for _ in range(3):
    pallasite.check(lambda: call(no_rule, ROW)(), arch="h100")
  assert len(asked) == 1
  pallasite.check(lambda: call(no_rule, ROW)(), arch="b200")
  assert len(asked) == 2
  pallasite.check(lambda: call(no_rule, jnp.zeros(256))(), arch="h100")
  assert len(asked) == 3


def test_answers_are_bounded(monkeypatch):
  monkeypatch.setattr(compile_check, "_MAX_KEPT", 2)
  for n in (128, 256, 384):
    pallasite.check(lambda: call(ok, jnp.zeros(n))(), run=False)
  assert len(compile_check._answers) == 2


def test_two_threads_ask_at_once():
  with pallasite.install(arch="h100", checks="compile"):
    threads = [
      threading.Thread(target=jax.jit(call(ok, jnp.zeros(128 * n)))) for n in (1, 2, 3)
    ]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
  assert len(compile_check._answers) == 3


# ---- JAX's own kernels


def ops(name):
  return importlib.import_module(f"jax.experimental.pallas.ops.gpu.{name}")


def hopper_matmul():
  module = ops("hopper_matmul_mgpu")
  config = module.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
  a = jnp.zeros((128, 128), jnp.float16)
  return lambda: module.matmul(a, a, None, config)


def blackwell_matmul():
  module = ops("blackwell_matmul_mgpu")
  config = module.TuningConfig(
    tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=2, collective=False
  )
  a = jnp.zeros((256, 256), jnp.float16)
  return lambda: module.matmul_kernel(a, a, config)


def attention():
  module = ops("attention_mgpu")
  config = module.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
  q = jnp.zeros((1, 256, 2, 64), jnp.float16)
  return lambda: module.attention(q, q, q, config)


def ragged_dot():
  module = ops("ragged_dot_mgpu")
  lhs, rhs = jnp.zeros((128, 64), jnp.float16), jnp.zeros((3, 64, 128), jnp.float16)
  sizes = jnp.array((50, 0, 78), jnp.int32)
  return lambda: module.ragged_dot(
    lhs, rhs, group_sizes=sizes, block_m=64, block_n=64, block_k=64, max_concurrent_steps=2,
    grid_block_n=1,
  )


@pytest.mark.parametrize("make, arch", [
  (hopper_matmul, "h100"), (attention, "h100"), (ragged_dot, "h100"), (blackwell_matmul, "b200"),
], ids=lambda value: getattr(value, "__name__", value))
def test_kernels_of_jax_compile_for_their_chip(make, arch, monkeypatch):
  with pallasite.install(arch=arch, num_sms=4):
    report = pallasite.check(make(), run=False)
    assert "compile" in report.checks
    assert [f for f in report.findings if f.code.startswith("compile.")] == []
    # Asked once.
    monkeypatch.setattr(_compat, "ask_mosaic", None)
    pallasite.check(make(), run=False)
