"""Which calls are ours, what they lower to, and that all of it can be undone."""

import os
import re
import subprocess
import sys

import jax
import jax.extend.backend
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import _compat
from pallasite.hook import _hook
from pallasite.session import session

F32 = jax.ShapeDtypeStruct((64, 64), jnp.float32)
X = np.zeros((64, 64), np.float32)


def kernel(x, out):
  out[...] = x[...] + 1.0


def call(**options):
  return plgpu.kernel(kernel, out_type=F32, **options)


@pytest.fixture(autouse=True)
def uninstalled():
  yield
  pallasite.uninstall()


def lowered(function, *arguments):
  """The program as text. Looked at only, so the engine may be absent."""
  with _hook.capture():
    return jax.jit(function).lower(*arguments).as_text()


def is_ours(text):
  return "pallasite_run" in text


def test_a_kernel_is_ours_while_installed():
  function = call()
  with pallasite.install():
    assert is_ours(lowered(function, X))
  with pytest.raises(ValueError, match="interpret"):
    lowered(function, X)


def test_a_jitted_function_obeys_the_newest_install():
  function = jax.jit(lambda x: call()(x))

  def text():
    with _hook.capture() as kernels:
      assert is_ours(function.lower(X).as_text())
    return kernels[0].text if kernels else ""

  pallasite.install(arch="h100")
  assert 'arch = "sm_90a"' in text()
  pallasite.install(arch="b200")
  assert 'arch = "sm_100a"' in text()
  pallasite.uninstall()
  with pytest.raises(ValueError, match="interpret"):
    function.lower(X)


def test_leaving_the_context_restores_the_options_before():
  pallasite.install(arch="h100", num_sms=8)
  with pallasite.install(arch="b200"):
    assert _hook.installed.arch == "b200"
  assert (_hook.installed.arch, _hook.installed.num_sms) == ("h100", 8)
  assert jax.devices("cpu")[0].core_count == 8


def test_params_need_no_install():
  assert is_ours(lowered(call(interpret=pallasite.Params()), X))


def test_params_override_what_is_installed():
  with pallasite.install(arch="h100"), _hook.capture() as kernels:
    jax.jit(call(interpret=pallasite.Params(arch="b200"))).lower(X)
  assert 'arch = "sm_100a"' in kernels[0].text


def test_params_are_values():
  assert pallasite.Params(seed=3) == pallasite.Params(seed=3)
  assert hash(pallasite.Params(seed=3)) == hash(pallasite.Params(seed=3))
  assert pallasite.Params(seed=3) != pallasite.Params(seed=4)
  # A stated default is not the same as one left to `install`.
  assert pallasite.Params(seed=0) != pallasite.Params()
  with pytest.raises(TypeError, match="sede"):
    pallasite.Params(sede=1)


def test_params_by_way_of_jax_context():
  with plgpu.force_gpu_interpret_mode(pallasite.Params()):
    assert is_ours(lowered(call(), X))


def test_a_kernel_under_shard_map():
  mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  spec = jax.sharding.PartitionSpec("d")
  sharded = jax.shard_map(call(), mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
  with pallasite.install():
    assert is_ours(lowered(sharded, X))


def test_a_kernel_under_vmap_and_grad():
  @jax.custom_vjp
  def function(x):
    return call()(x)

  function.defvjp(lambda x: (function(x), x), lambda x, g: (call()(g * x),))
  with pallasite.install(), _hook.capture() as kernels:
    jax.jit(jax.vmap(jax.grad(lambda x: function(x).sum()))).lower(np.stack([X, X]))
  assert kernels
  assert all('"vmap0"' in kernel.text for kernel in kernels)


def test_outputs_that_share_an_input_are_aliases_of_the_call():
  def scaling(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2.0

  whole = pl.BlockSpec(memory_space=plgpu.GMEM)
  function = pl.pallas_call(
    scaling, out_shape=F32, in_specs=[whole], out_specs=whole, input_output_aliases={0: 0},
    compiler_params=plgpu.CompilerParams(),
  )
  with pallasite.install():
    assert "output_operand_alias" in lowered(function, X)
    assert 'output %1 "out_ref" aliases %0: ref' in pallasite.export(function, X).text


def test_what_is_not_ours_goes_to_jax():
  x = jnp.arange(64.0)

  def plain(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2

  out = jax.ShapeDtypeStruct((64,), jnp.float32)
  with pallasite.install():
    interpreted = pl.pallas_call(plain, out_shape=out, interpret=True)
    np.testing.assert_array_equal(interpreted(x), x * 2)
    with pytest.raises(ValueError, match="interpret"):
      pl.pallas_call(plain, out_shape=out)(x)


def test_jax_own_params_are_ours_only_while_installed():
  params = _compat.interpret_gpu_params_class()()
  function = call(interpret=params, grid=(1,), grid_names=("x",))
  assert not is_ours(lowered(function, X))
  with pallasite.install():
    assert is_ours(lowered(function, X))


def test_jax_race_queries_tell_of_ours():
  from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call

  real = interpret_pallas_call.get_races
  with pallasite.install():
    interpret_pallas_call.reset_gpu_interpret_mode_state()
    assert not interpret_pallas_call.get_races().races_found
    finding = '{"code": "race.smem", "level": "error", "message": "m"}'
    session.receive(f'{{"verdict": "error", "findings": [{finding}]}}')
    assert interpret_pallas_call.get_races().races_found
    interpret_pallas_call.gpu_callbacks.reset_gpu_interpret_mode_state()
    assert not interpret_pallas_call.get_races().races_found
  assert interpret_pallas_call.get_races is real


def test_the_program_travels_in_the_call():
  with pallasite.install(arch="h100"):
    text = lowered(call(), X)
  assert re.search(r"program = dense<", text)
  assert re.search(r"key = -?\d+ : i64", text)
  assert '\\"arch\\": \\"sm_90a\\"' in text or '\\22arch\\22: \\22sm_90a\\22' in text


def test_a_call_that_prints_is_kept():
  def printing(x, out):
    jax.debug.print("hello")
    out[...] = x[...]

  with pallasite.install():
    silent = lowered(call(), X)
    loud = lowered(plgpu.kernel(printing, out_type=F32), X)
  assert "has_side_effect = true" not in silent
  assert "has_side_effect = true" in loud


def test_a_program_for_a_gpu_is_left_alone():
  def export(function):
    return jax.export.export(
      jax.jit(function),
      platforms=["cuda"],
      disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("pallasite_run")],
    )(F32)

  with pytest.raises(pallasite.UnsupportedError, match="lowered for cuda"):
    export(call(interpret=pallasite.Params()))


def test_install_starts_no_backend():
  program = """
import jax, pallasite
pallasite.install(arch="h100", num_sms=4)
jax.config.update("jax_num_cpu_devices", 3)
assert [d.core_count for d in jax.devices()] == [4, 4, 4]
"""
  environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}
  subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_an_error_of_xla_with_our_mark_is_a_kernel_error():
  pallasite.install()

  def fail(x):
    raise RuntimeError("it raced [pallasite report 41]")

  session.receive('{"verdict": "error", "findings": [], "id": 41}')
  with pytest.raises(pallasite.KernelError, match="it raced") as caught:
    jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fail, F32, x))(X))
  assert isinstance(caught.value, jax.errors.JaxRuntimeError)
  assert isinstance(caught.value, ValueError)
  assert caught.value.report.verdict == "error"
  assert caught.value.findings == []


def test_errors_of_xla_are_left_alone_after_uninstall():
  pallasite.install()
  patched = jax.errors.JaxRuntimeError.__init__
  _hook._params_used = False
  pallasite.uninstall()
  assert jax.errors.JaxRuntimeError.__init__ is not patched
  assert type(jax.errors.JaxRuntimeError("[pallasite report 1]")) is jax.errors.JaxRuntimeError


def test_other_errors_of_xla_stay_what_they_are():
  pallasite.install()

  def fail(x):
    raise RuntimeError("something else")

  with pytest.raises(jax.errors.JaxRuntimeError) as caught:
    jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fail, F32, x))(X))
  assert type(caught.value) is jax.errors.JaxRuntimeError


def test_export_and_load(tmp_path):
  module = pallasite.export(call(), X)
  assert (module.input_names, module.output_names) == (["x"], ["out"])
  module.save(tmp_path / "k.pir")
  assert pallasite.load(tmp_path / "k.pir").text == module.text
  with pytest.raises(TypeError, match="missing: x; unknown: y"):
    module.run(y=X)
  with pytest.raises(ValueError, match="one kernel"):
    pallasite.export(lambda x: call()(call()(x)), X)
  # JAX lowers one kernel once, however often it is called.
  one = call()
  assert pallasite.export(lambda x: one(one(x)), X).text == module.text


def test_captures_nest():
  with pallasite.install(), _hook.capture() as outer:
    with _hook.capture():
      pass
    jax.jit(call()).lower(X)
  assert len(outer) == 1
  assert not _hook.captures


def test_export_does_not_depend_on_what_was_traced_before():
  function = jax.jit(call())
  first = pallasite.export(function, X).text
  assert pallasite.export(function, X).text == first


def test_check_of_what_cannot_run():
  def factoring(x, out):
    out[...] = jnp.linalg.cholesky(x[...])

  report = pallasite.check(plgpu.kernel(factoring, out_type=F32), X, checks="none")
  assert report.verdict == "unsupported"
  (finding,) = report.findings
  assert "cholesky" in finding.message
  assert finding.locations[0][0] == __file__
  assert pallasite.last_report() is report


@pytest.mark.parametrize("make", [plgpu.kernel, pl.pallas_call])
def test_kernels_that_are_kept_pass_the_checks_of_jax(make):
  out = {"out_type": F32} if make is plgpu.kernel else {"out_shape": F32}
  call = jax.jit(make(kernel, interpret=pallasite.Params(), **out))
  with jax.enable_checks(True):
    report = pallasite.check(call, X, checks="none")
    np.testing.assert_array_equal(call(X), X + 1)
  assert report.verdict == "clean"


def test_check_refuses_options_it_does_not_know():
  with pytest.raises(TypeError, match="functools.partial"):
    pallasite.check(call(), X, scale=2)


def test_unsupported_passes_through_jit_with_its_line():
  def factoring(x, out):
    out[...] = jnp.linalg.cholesky(x[...])

  with pallasite.install():
    with pytest.raises(pallasite.UnsupportedError, match="cholesky") as caught:
      jax.jit(plgpu.kernel(factoring, out_type=F32))(X)
  assert caught.value.location[0] == __file__
