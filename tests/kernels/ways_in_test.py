"""Every way in which a kernel of a JAX program comes to pallasite, and what becomes of it there.

The table of docs/gen/ways_in.md is what these tests return; PALLASITE_BLESS=1 writes the column of
the JAX version that runs them.
"""

import contextlib
import functools
import os
import pathlib
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import _compat
from pallasite.hook import _hook

TABLE = pathlib.Path(__file__).parents[2] / "docs" / "gen" / "ways_in.md"
RUNS = "runs"

X = np.arange(16 * 64, dtype=np.float32).reshape(16, 64)
F32 = jax.ShapeDtypeStruct(X.shape, jnp.float32)

WAYS = {}


def way(name):
  """Adds a row to the table. What the function returns is the outcome."""

  def add(function):
    assert name not in WAYS
    WAYS[name] = function
    return function

  return add


def add_one(x_ref, out_ref):
  out_ref[...] = x_ref[...] + 1.0


def kernel(body=add_one, out=F32, **options):
  return plgpu.kernel(body, out_type=out, **options)


def pallas_call(body=add_one, out=F32, **options):
  options.setdefault("compiler_params", plgpu.CompilerParams())
  return pl.pallas_call(body, out_shape=out, **options)


@contextlib.contextmanager
def ran(times):
  """Within, so many kernels run, and all of them are clean."""
  with pallasite.collect() as reports:
    yield
    jax.effects_barrier()
  assert [r.verdict for r in reports] == ["clean"] * times


def expect(call, *args, wanted=X + 1, times=1):
  with ran(times):
    got = jax.block_until_ready(call(*args))
  np.testing.assert_array_equal(got, wanted)
  return RUNS


@contextlib.contextmanager
def not_installed():
  pallasite.uninstall()
  try:
    yield
  finally:
    pallasite.install()


def gpu_params(**fields):
  return _compat.interpret_gpu_params_class()(**fields)


# ---- how a kernel is asked for


@way("`plgpu.kernel`, eagerly")
def _():
  return expect(kernel(), X)


@way("`plgpu.kernel`, under `jit`")
def _():
  return expect(jax.jit(kernel()), X)


@way("`pl.pallas_call` with `plgpu.CompilerParams`, whole arrays in GMEM")
def _():
  whole = pl.BlockSpec(memory_space=plgpu.GMEM)
  return expect(jax.jit(pallas_call(in_specs=[whole], out_specs=whole)), X)


@way("`pl.pallas_call` with `plgpu.CompilerParams`, no block specifications")
def _():
  return expect(jax.jit(pallas_call()), X)


@way("`pl.pallas_call` with a grid, whole arrays in SMEM")
def _():
  whole = pl.BlockSpec(memory_space=plgpu.SMEM)
  return expect(jax.jit(pallas_call(in_specs=[whole], out_specs=whole, grid=(2,))), X)


@way("`pl.pallas_call` with blocks")
def _():
  block = pl.BlockSpec((8, 32), lambda i, j: (i, j))
  call = pallas_call(in_specs=[block], out_specs=block, grid=(2, 2))
  expect(jax.jit(call), X)
  expect(jax.jit(jax.vmap(call)), np.stack([X, -X]), wanted=np.stack([X, -X]) + 1)
  # Rows in another order, one at a time, and only a view of GMEM.
  row = pl.BlockSpec((None, 64), lambda i: (15 - i, 0), memory_space=plgpu.GMEM)
  expect(jax.jit(pallas_call(in_specs=[row], out_specs=row, grid=(16,))), X)
  upside_down = pl.BlockSpec((4, 64), lambda i: (3 - i, 0))
  block = pl.BlockSpec((4, 64), lambda i: (i, 0))
  call = pallas_call(in_specs=[upside_down], out_specs=block, grid=(4,))
  return expect(jax.jit(call), X, wanted=X.reshape(4, 4, 64)[::-1].reshape(16, 64) + 1)


@way("`pl.pallas_call` with blocks that have transforms")
def _():
  transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
  block = plgpu.BlockSpec((8, 64), lambda i: (i, 0), transforms=transforms)
  return expect(jax.jit(pallas_call(in_specs=[block], out_specs=block, grid=(2,))), X)


@way("`pl.pallas_call` with blocks that do not divide the array")
def _():
  block = pl.BlockSpec((9, 64), lambda i: (i, 0))
  call = jax.jit(pallas_call(in_specs=[block], out_specs=block, grid=(2,)))
  with pytest.raises(pallasite.UnsupportedError, match="blocks of 9 do not divide .* of 16"):
    call(X)
  return "refused by name"


@way("`pl.pallas_call` with a sequential dimension")
def _():
  block = pl.BlockSpec((8, 64), lambda i: (i, 0))
  params = plgpu.CompilerParams(dimension_semantics=["sequential"])
  call = pallas_call(in_specs=[block], out_specs=block, grid=(2,), compiler_params=params)
  with pytest.raises(pallasite.UnsupportedError, match="sequential grid dimension 0"):
    jax.jit(call)(X)
  return "refused by name"


@way("`pl.core_map`")
def _():
  mesh = plgpu.Mesh(grid=(1,), grid_names=("x",))

  def call(x):
    y = jnp.empty_like(x)

    def body(refs):
      x_ref, y_ref = refs

      @pl.core_map(mesh)
      def _():
        y_ref[...] = x_ref[...] + 1.0

    return pl.run_state(body)((x, y))[1]

  with contextlib.suppress(DeprecationWarning):
    return expect(jax.jit(call), X)


@way("`interpret=pallasite.Params()`, nothing installed")
def _():
  with not_installed():
    expect(jax.jit(pallas_call(interpret=pallasite.Params())), X)
    return expect(jax.jit(kernel(interpret=pallasite.Params())), X)


@way("`interpret=InterpretGPUParams()`, `plgpu.kernel`")
def _():
  return expect(jax.jit(kernel(interpret=gpu_params(detect_races=True))), X)


@way("`interpret=InterpretGPUParams()`, `pl.pallas_call`")
def _():
  return expect(jax.jit(pallas_call(interpret=gpu_params())), X)


@way("`interpret=InterpretGPUParams()`, nothing installed")
def _():
  with not_installed():
    expect(jax.jit(kernel(grid=(1,), grid_names=("x",), interpret=gpu_params())), X, times=0)
  return "JAX's interpreter"


@way("`plgpu.force_gpu_interpret_mode()`")
def _():
  call = jax.jit(kernel())
  with plgpu.force_gpu_interpret_mode():
    expect(call, X)
  with not_installed(), plgpu.force_gpu_interpret_mode(pallasite.Params()):
    return expect(call, X)


@way("`plgpu.set_gpu_interpret_mode()`")
def _():
  plgpu.set_gpu_interpret_mode()
  try:
    return expect(jax.jit(kernel()), X)
  finally:
    plgpu.set_gpu_interpret_mode(None)


@way("`interpret=True`")
def _():
  expect(jax.jit(pl.pallas_call(add_one, out_shape=F32, interpret=True)), X, times=0)
  return "JAX's own"


@way("TPU `InterpretParams`")
def _():
  from jax.experimental.pallas import tpu as pltpu

  call = pl.pallas_call(add_one, out_shape=F32, interpret=pltpu.InterpretParams())
  expect(jax.jit(call), X, times=0)
  return "JAX's own"


@way("Triton `CompilerParams`, or none")
def _():
  from jax.experimental.pallas import triton

  for params in (triton.CompilerParams(), None):
    with pytest.raises(ValueError, match="Only interpret mode is supported on CPU"):
      jax.jit(pallas_call(compiler_params=params))(X)
  return "JAX's own error"


# ---- what stands around it


@way("nested `jit`")
def _():
  inner = jax.jit(kernel())
  return expect(jax.jit(lambda x: inner(x * 1.0)), X)


@way("`disable_jit`")
def _():
  with jax.disable_jit():
    return expect(jax.jit(kernel()), X)


@way("`vmap`")
def _():
  xs = np.stack([X, X * 2])
  return expect(jax.jit(jax.vmap(kernel())), xs, wanted=xs + 1)


def add(x_ref, y_ref, out_ref):
  out_ref[...] = x_ref[...] + y_ref[...]


@way("`vmap` of some operands")
def _():
  xs = np.stack([X, X * 2])
  call = jax.vmap(kernel(add), in_axes=(0, None))
  expect(jax.jit(call), xs, X, wanted=xs + X)
  return expect(jax.vmap(kernel(add), in_axes=(None, 0)), X, xs, wanted=xs + X)


@way("`vmap` of `vmap`")
def _():
  xs = np.stack([X + i for i in range(6)]).reshape(2, 3, *X.shape)
  expect(jax.jit(jax.vmap(jax.vmap(kernel()))), xs, wanted=xs + 1)
  return expect(
    jax.jit(jax.vmap(jax.vmap(kernel(add), in_axes=(0, None)), in_axes=(0, 0))),
    xs,
    xs[:, 0],
    wanted=xs + xs[:, :1],
  )


@way("`vmap` along another axis, of `pl.pallas_call`")
def _():
  xs = np.stack([X, X * 2], axis=1)
  call = jax.vmap(pallas_call(), in_axes=1, out_axes=1)
  return expect(jax.jit(call), xs, wanted=xs + 1)


@way("`jvp` of `pl.pallas_call`")
def _():
  def square(x_ref, out_ref):
    out_ref[...] = x_ref[...] * x_ref[...]

  with ran(1):
    value, tangent = jax.jvp(pallas_call(square), (X,), (np.ones_like(X),))
  np.testing.assert_array_equal(value, X * X)
  np.testing.assert_array_equal(tangent, 2 * X)
  return RUNS


@way("`jvp` of `plgpu.kernel`")
def _():
  with pytest.raises(Exception) as caught:
    jax.jvp(kernel(), (X,), (np.ones_like(X),))
  assert not isinstance(caught.value, (pallasite.UnsupportedError, pallasite.KernelError))
  return "JAX's own error"


@way("`grad` of a `custom_vjp`")
def _():
  def double(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2.0

  @jax.custom_vjp
  def function(x):
    return kernel()(x)

  function.defvjp(lambda x: (function(x), None), lambda _, g: (kernel(double)(g),))
  gradient = jax.jit(jax.grad(lambda x: function(x * x).sum()))
  # The value that the first kernel makes is not used.
  expect(gradient, X, wanted=4 * X)
  with ran(2):
    jax.block_until_ready(jax.jit(jax.value_and_grad(lambda x: function(x).sum()))(X))
  return RUNS


@way("`scan`")
def _():
  def call(x):
    return lax.scan(lambda c, _: (kernel()(c), c.sum()), x, None, length=3)[0]

  return expect(jax.jit(call), X, wanted=X + 3, times=3)


@way("`while_loop` and `fori_loop`")
def _():
  def call(x):
    x = lax.fori_loop(0, 2, lambda _, c: kernel()(c), x)
    return lax.while_loop(lambda c: c[0, 0] < 4, kernel(), x)

  return expect(jax.jit(call), X, wanted=X + 4, times=4)


@way("`cond` and `switch`")
def _():
  def call(which, x):
    x = lax.cond(which == 0, kernel(), lambda x: x, x)
    return lax.switch(which, [lambda x: x, lambda x: kernel()(kernel()(x))], x)

  expect(jax.jit(call), 0, X, wanted=X + 1, times=1)
  return expect(jax.jit(call), 1, X, wanted=X + 2, times=2)


@way("`checkpoint`")
def _():
  return expect(jax.jit(jax.checkpoint(kernel())), X)


@way("`custom_batching.custom_vmap`")
def _():
  call = jax.custom_batching.custom_vmap(kernel())

  @call.def_vmap
  def _(size, batched, xs):
    return jax.vmap(kernel())(xs), True

  xs = np.stack([X, X * 2])
  return expect(jax.jit(jax.vmap(call)), xs, wanted=xs + 1)


@way("`.lower().compile()`")
def _():
  compiled = jax.jit(kernel()).lower(X).compile()
  expect(compiled, X)
  return expect(compiled, X)


@way("`jax.eval_shape`, `jax.make_jaxpr`")
def _():
  with ran(0):
    assert jax.eval_shape(kernel(), X).shape == X.shape
    assert jax.make_jaxpr(kernel())(X).out_avals[0].shape == X.shape
  return "traced, does not run"


@way("several kernels in a program")
def _():
  return expect(jax.jit(lambda x: kernel(add)(kernel()(x), x)), X, wanted=2 * X + 1, times=2)


@way("the same kernel twice")
def _():
  one = kernel()
  return expect(jax.jit(lambda x: one(one(x))), X, wanted=X + 2, times=2)


@way("two threads of Python at once")
def _():
  call, outputs = jax.jit(kernel()), {}

  def run(number):
    for _ in range(5):
      outputs[number] = call(X + number)

  with ran(20):
    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
  for number in range(4):
    np.testing.assert_array_equal(outputs[number], X + number + 1)
  return RUNS


@way("64-bit types (`jax.enable_x64`)")
def _():
  def body(x_ref, n_ref, x_out, n_out):
    i = lax.axis_index("i")
    x_out[i] = x_ref[i] + 1
    n_out[i] = n_ref[i] + 2**40

  with jax.enable_x64(True):
    x, n = np.arange(4.0) / 3, np.arange(4) + 2**50
    call = plgpu.kernel(
      body,
      out_type=[jax.ShapeDtypeStruct((4,), jnp.float64), jax.ShapeDtypeStruct((4,), jnp.int64)],
      grid=(4,),
      grid_names=("i",),
    )
    with ran(1):
      got = jax.jit(call)(x, n)
    assert got[0].dtype == np.float64
    np.testing.assert_array_equal(got[0], x + 1)
    np.testing.assert_array_equal(got[1], n + 2**40)
    # Weak types and Python's own integers are wide too.
    return expect(jax.jit(kernel()), X)


@way("`jax.Ref` operands")
def _():
  def accumulate(x_ref, total_ref, out_ref):
    total_ref[...] = total_ref[...] + x_ref[...]
    out_ref[...] = total_ref[...]

  def call(x):
    total = jax.new_ref(jnp.ones_like(x))
    first = kernel(accumulate)(x, total)
    second = kernel(accumulate)(x, total)
    return first, second, total[...]

  with ran(2):
    first, second, total = jax.jit(call)(X)
  np.testing.assert_array_equal(first, X + 1)
  np.testing.assert_array_equal(second, 2 * X + 1)
  np.testing.assert_array_equal(total, 2 * X + 1)
  # A ref that outlives the call.
  total = jax.new_ref(jnp.zeros_like(X))
  with ran(2):
    kernel(accumulate)(X, total)
    jax.jit(lambda x: kernel(accumulate)(x, total))(X)
  np.testing.assert_array_equal(total[...], 2 * X)
  # One that is an argument, cold and warm.
  warm = jax.jit(lambda x, total: jax.jit(kernel(accumulate))(x, total))
  total = jax.new_ref(jnp.zeros_like(X))
  with ran(2):
    warm(X, total)
    np.testing.assert_array_equal(warm(X, total), 2 * X)
  np.testing.assert_array_equal(total[...], 2 * X)

  def in_a_loop(x):
    total = jax.new_ref(jnp.zeros_like(x))
    lax.fori_loop(0, 3, lambda _, c: (kernel(accumulate)(x, total), c)[1], 0)
    return total[...]

  return expect(jax.jit(in_a_loop), X, wanted=3 * X, times=3)


@way("`jax.Ref` operands of `pl.pallas_call`")
def _():
  with pytest.raises(TypeError, match="AbstractRef.update") as caught, ran(0):
    pallas_call(add)(X, jax.new_ref(jnp.zeros_like(X)))
  assert not isinstance(caught.value, (pallasite.UnsupportedError, pallasite.KernelError))
  return "JAX's own error"


@way("`jax.export`, kept as bytes, called in another process and on several devices")
def _():
  # Errors too: tests/kernels/exported_test.py.
  exported = jax.export.deserialize(jax.export.export(
    jax.jit(kernel()),
    disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("pallasite_run")],
  )(F32).serialize())
  expect(exported.call, X)
  return expect(jax.jit(lambda x: exported.call(kernel()(x))), X, wanted=X + 2, times=2)


@way("lowered for a GPU")
def _():
  # What is lowered, in tests/kernels/gpu_programs_test.py.
  with pytest.raises(pallasite.UnsupportedError, match="lowered for cuda"):
    jax.jit(kernel(interpret=pallasite.Params())).trace(X).lower(lowering_platforms=("cuda",))
  return "left alone; `interpret=Params()` is refused by name"


@way("outputs that share a buffer with an input")
def _():
  call = pallas_call(input_output_aliases={0: 0})
  x = jnp.asarray(X)
  expect(jax.jit(call), x)
  # It was not donated.
  np.testing.assert_array_equal(x, X)
  return expect(jax.jit(lambda x: call(call(x))), x, wanted=X + 2, times=2)


@way("donated arguments")
def _():
  x = jnp.asarray(X)
  expect(jax.jit(pallas_call(input_output_aliases={0: 0}), donate_argnums=0), x)
  assert x.is_deleted()
  return RUNS


@way("arrays without elements")
def _():
  def body(x_ref, e_ref, out_ref, none_ref):
    out_ref[...] = x_ref[...] + 1.0

  empty = jax.ShapeDtypeStruct((0, 4), jnp.float32)
  call = plgpu.kernel(body, out_type=[F32, empty])
  with ran(1):
    out, none = jax.jit(call)(X, np.zeros((0, 4), np.float32))
  np.testing.assert_array_equal(out, X + 1)
  assert none.shape == (0, 4)
  return RUNS


@way("`jax.export`, and a call of what was exported")
def _():
  exported = jax.export.export(
    jax.jit(kernel()),
    disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("pallasite_run")],
  )(F32)
  return expect(jax.jit(exported.call), X)


@contextlib.contextmanager
def keeping():
  """As `pallasite run` and the pytest plugin install it."""
  _hook.keep_all = True
  try:
    with pallasite.install():
      yield
  finally:
    _hook.keep_all = False


def unused(call):
  """A function that calls another and returns its argument."""

  def function(x):
    call(x)
    return x

  return function


@way("outputs that nobody uses")
def _():
  return expect(jax.jit(unused(kernel())), X, wanted=X, times=0) and "JAX drops the kernel"


@way("outputs that nobody uses, in `check`, `pallasite run` and pytest")
def _():
  calls = {
    "kernel": (unused(kernel()), 1),
    "pallas_call": (unused(pallas_call()), 1),
    "nested": (unused(jax.jit(lambda x: jax.jit(kernel())(x) * 2)), 1),
    "twice": (unused(lambda x: (kernel()(x), kernel()(x))), 2),
    "scan": (lambda x: lax.scan(lambda c, _: (unused(kernel())(c), None), x, None, length=3)[0], 3),
    "while": (lambda x: lax.fori_loop(0, x.shape[0] // 8, lambda _, c: unused(kernel())(c), x), 2),
    "cond": (lambda x: lax.cond(x[0, 0] < 1, unused(kernel()), lambda x: x, x), 1),
    "vmap": (lambda x: jax.vmap(unused(kernel()))(x[None])[0], 1),
    "remat": (jax.checkpoint(unused(kernel())), 1),
    "jvp": (lambda x: jax.jvp(unused(pallas_call()), (x,), (x,))[0], 1),
  }
  for name, (call, times) in calls.items():
    pallasite.install()
    with pallasite.collect() as reports:
      # Not the compiler's check: newer versions of JAX lower no pallas_call for a GPU.
      report = pallasite.check(call, X, checks="none")
    assert (report.verdict, len(reports)) == ("clean", times), name
    np.testing.assert_array_equal(report.outputs, X)
    with keeping():
      expect(jax.jit(call), X, wanted=X, times=times)
    # A program that was compiled so is not taken for one that was not.
    expect(jax.jit(call), X, wanted=X, times=0)
  return RUNS


@way("outputs that only a gradient uses, in `check`")
def _():
  @jax.custom_vjp
  def function(x):
    return kernel()(x)

  function.defvjp(lambda x: (function(x), None), lambda _, g: (kernel()(g),))
  with pallasite.collect() as reports:
    report = pallasite.check(jax.grad(lambda x: function(x).sum()), X)
  np.testing.assert_array_equal(report.outputs, 2 * np.ones_like(X))
  assert len(reports) == 2
  return RUNS


# ---- several devices: these run in a process of their own


def in_own_process(function):
  """A way that needs four devices."""

  @functools.wraps(function)
  def run():
    if jax.device_count() == 4:
      return function()
    (name,) = [name for name, value in WAYS.items() if value is run]
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    done = subprocess.run(
      [sys.executable, __file__, name], env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]

  return run


def over_devices(call, specs=jax.P("d")):
  mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=specs, out_specs=specs, check_vma=False))


@way("`shard_map` over four devices")
@in_own_process
def _():
  out = jax.ShapeDtypeStruct((4, 64), jnp.float32)
  return expect(over_devices(kernel(out=out)), X, times=4)


@way("`shard_map` over four devices, a `psum` after the kernel")
@in_own_process
def _():
  out = jax.ShapeDtypeStruct((4, 64), jnp.float32)
  call = over_devices(lambda x: lax.psum(kernel(out=out)(x), "d"))
  wanted = np.tile((X + 1).reshape(4, 4, 64).sum(0), (4, 1))
  return expect(call, X, wanted=wanted, times=4)


@way("`jit` of arrays sharded over four devices")
@in_own_process
def _():
  mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  x = jax.device_put(X, jax.NamedSharding(mesh, jax.P("d")))
  expect(jax.jit(kernel()), x, times=4)
  return "runs on the whole array, on each device"


# ---- the table


def test_way(name, installed):
  outcome = WAYS[name]() or RUNS
  if os.environ.get("PALLASITE_BLESS"):
    bless(name, outcome)
  assert read_table().get(name, {}).get(jax.__version__) == outcome


@pytest.fixture
def installed():
  with pallasite.install() as installation:
    installation.reset()
    yield


def pytest_generate_tests(metafunc):
  if "name" in metafunc.fixturenames:
    metafunc.parametrize("name", WAYS)


def read_table():
  if not TABLE.exists():
    return {}
  rows = [line.strip("| ").split(" | ") for line in TABLE.read_text().splitlines() if "|" in line]
  versions = [cell.removeprefix("JAX ") for cell in rows[0][1:]]
  return {row[0]: dict(zip(versions, row[1:])) for row in rows[2:]}


def bless(name, outcome):
  table = read_table()
  table.setdefault(name, {})[jax.__version__] = outcome
  versions = sorted({version for row in table.values() for version in row})
  lines = [
    "# Ways in",
    "",
    "How a kernel comes to pallasite, and what becomes of it under `install()`. Each line is a test "
    "of",
    "tests/kernels/ways_in_test.py, which also compares values; it writes this table.",
    "",
    "| Way in | " + " | ".join(f"JAX {version}" for version in versions) + " |",
    "| --- |" + " --- |" * len(versions),
  ]
  for way in WAYS:
    if way in table:
      cells = [table[way].get(version, "?") for version in versions]
      lines.append(f"| {way} | {' | '.join(cells)} |")
  TABLE.write_text("\n".join(lines) + "\n")


def test_the_table_has_these_ways_and_no_other():
  assert list(read_table()) == list(WAYS)


if __name__ == "__main__":
  with pallasite.install():
    print(WAYS[sys.argv[1]]() or RUNS)
