"""What JAX says of the device under `install(arch=...)`, and that all of it is undone."""

import importlib
import sys

import jax
import jax.extend.backend
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import chips

QUESTIONS = ("platform", "device_kind", "compute_capability", "core_count")
FUNCTIONS = ("default_backend", "devices", "local_devices", "device_count", "local_device_count")


@pytest.fixture(autouse=True)
def uninstalled():
  yield
  pallasite.uninstall()


def everything_asked():
  """Each object that an installation may replace."""
  attention = importlib.import_module("jax.experimental.pallas.ops.gpu.attention_mgpu")
  return {
    **{f"Device.{name}": vars(jax.Device).get(name) for name in dir(jax.Device)},
    **{f"jax.{name}": getattr(jax, name) for name in FUNCTIONS},
    "get_default_device": jax.extend.backend.get_default_device,
    "attention": attention.cuda_versions,
    "lib": importlib.import_module("jax._src.lib").cuda_versions,
  }


def assert_same_objects(before, after):
  assert before.keys() == after.keys()
  assert [name for name in before if before[name] is not after[name]] == []


@pytest.mark.parametrize("arch", chips.CHIPS)
def test_every_device_answers_as_the_chip(arch):
  chip = chips.CHIPS[arch]
  capability = ".".join(map(str, chip.compute_capability))
  before = everything_asked()
  for num_sms in (None, 4):
    with pallasite.install(arch=arch, num_sms=num_sms):
      wanted = ["gpu", chip.device_kind, capability, num_sms or chip.num_sms]
      devices = [
        jax.devices()[0],
        jax.local_devices()[0],
        jax.devices("gpu")[0],
        jax.local_devices(backend="cuda")[0],
        jax.extend.backend.get_default_device(),
        next(iter(jnp.zeros(3).devices())),
      ]
      for device in devices:
        assert [getattr(device, name) for name in QUESTIONS] == wanted
      assert jax.default_backend() == "gpu"
      assert jax.device_count("gpu") == jax.local_device_count() == len(jax.devices())
      with pytest.raises(RuntimeError, match="tpu"):
        jax.devices("tpu")
    assert_same_objects(before, everything_asked())
  assert [getattr(jax.devices()[0], name, None) for name in QUESTIONS] == ["cpu", "cpu", None, None]
  assert jax.default_backend() == "cpu"


def test_a_number_of_sms_alone_answers_nothing_else():
  before = everything_asked()
  with pallasite.install(num_sms=7):
    device = jax.devices()[0]
    assert (device.core_count, device.platform, jax.default_backend()) == (7, "cpu", "cpu")
    assert not hasattr(device, "compute_capability")
  assert_same_objects(before, everything_asked())


def test_installations_nest():
  before = everything_asked()
  with pallasite.install(arch="b200"):
    outer = everything_asked()
    with pallasite.install(arch="a100", num_sms=4):
      assert jax.devices()[0].compute_capability == "8.0"
      with pallasite.install():
        assert jax.devices()[0].platform == "cpu"
    assert jax.devices()[0].core_count == 148
    assert outer.keys() == everything_asked().keys()
  pallasite.install(arch="b200")
  pallasite.install(arch="h100")
  pallasite.uninstall()
  pallasite.uninstall()
  assert_same_objects(before, everything_asked())


def test_jax_goes_on_compiling_for_the_cpu():
  with pallasite.install(arch="h100"):
    x = jax.device_put(np.arange(4.0, dtype=np.float32), jax.devices()[0])
    branch = lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x + 2)
    np.testing.assert_array_equal(branch, x + 1)
    np.testing.assert_array_equal(jax.jit(jnp.sort)(x[::-1]), x)
    np.testing.assert_allclose(jnp.linalg.inv(jnp.diag(x + 1)) @ (x + 1), np.ones(4))
    jax.random.normal(jax.random.key(0), (3,)).block_until_ready()


def test_a_module_that_is_imported_under_it_is_put_right():
  name = "jax.experimental.pallas.ops.gpu.attention_mgpu"
  sys.modules.pop(name, None)
  with pallasite.install(arch="h100"):
    module = importlib.import_module(name)
    assert module.cuda_versions.cuda_runtime_get_version() >= 12000
  assert module.cuda_versions is importlib.import_module("jax._src.lib").cuda_versions


# ---- JAX's own kernels, as they are


def rand(seed, *shape, dtype=jnp.float16):
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape) / 8, dtype)


def runs(call, *args):
  with pallasite.collect() as reports:
    out = jax.block_until_ready(jax.jit(call)(*args))
  assert [report.verdict for report in reports] == ["clean"]
  return np.asarray(out, np.float32)


def test_hopper_matmul():
  from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as module

  config = module.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
  a, b = rand(0, 128, 128), rand(1, 128, 128)
  with pallasite.install(arch="h100", num_sms=4):
    out = runs(lambda a, b: module.matmul(a, b, None, config), a, b)
  np.testing.assert_allclose(out, np.asarray(a, np.float32) @ np.asarray(b, np.float32), atol=2e-3)


def test_ragged_dot():
  from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu as module

  lhs, rhs, sizes = rand(0, 128, 128), rand(1, 2, 128, 128), jnp.array([48, 80], jnp.int32)
  with pallasite.install(arch="h100", num_sms=4):
    out = runs(
      lambda lhs, rhs, sizes: module.ragged_dot(
        lhs, rhs, group_sizes=sizes, block_m=64, block_n=64, block_k=64, max_concurrent_steps=2,
        grid_block_n=2,
      ),
      lhs, rhs, sizes,
    )
  wanted = jax.lax.ragged_dot(lhs.astype(np.float32), rhs.astype(np.float32), sizes)
  np.testing.assert_allclose(out, wanted, atol=2e-3)


def test_attention():
  from jax.experimental.pallas.ops.gpu import attention_mgpu as module

  config = module.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
  q, k, v = (rand(seed, 1, 128, 1, 64) for seed in range(3))
  with pallasite.install(arch="h100", num_sms=4):
    out = runs(lambda q, k, v: module.attention(q, k, v, config), q, k, v)
  wanted = module.attention_reference(q, k, v)
  np.testing.assert_allclose(out, np.asarray(wanted, np.float32), atol=3e-3)


def test_blackwell_matmul_is_chosen_and_stops_at_what_is_not_supported():
  from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu as module

  config = module.TuningConfig(
    tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=False
  )
  a, b = rand(0, 128, 128), rand(1, 128, 128)
  with pallasite.install(arch="b200", num_sms=4), pytest.raises(pallasite.UnsupportedError) as caught:
    jax.jit(lambda a, b: module.matmul_kernel(a, b, config))(a, b)
  assert caught.value.location[0].endswith("blackwell_matmul_mgpu.py")


def test_a_library_that_asks_whether_there_is_a_gpu():
  """As libraries do: the GPU's kernel there, else plain JAX."""
  shape = jax.ShapeDtypeStruct((64,), jnp.float32)

  def double(x_ref, out_ref):
    out_ref[...] = x_ref[...] * 2

  def op(x):
    if jax.devices()[0].platform == "gpu" and jax.default_backend() == "gpu":
      whole = pl.BlockSpec(memory_space=plgpu.GMEM)
      return pl.pallas_call(
        double, out_shape=shape, in_specs=[whole], out_specs=whole,
        compiler_params=plgpu.CompilerParams(),
      )(x)
    return x * 2

  x = np.arange(64, dtype=np.float32)
  with pallasite.install(arch="h100"):
    np.testing.assert_array_equal(runs(op, x), x * 2)
  with pallasite.collect() as reports:
    np.testing.assert_array_equal(jax.jit(lambda x: op(x))(x), x * 2)
  assert not reports


def test_ragged_dot_of_tokamax():
  tokamax = pytest.importorskip("tokamax", reason="a library that not every environment has")
  lhs, rhs = rand(0, 256, 128, dtype=jnp.bfloat16), rand(1, 4, 128, 128, dtype=jnp.bfloat16)
  sizes = jnp.array([64, 32, 96, 64], jnp.int32)
  with pallasite.install(arch="h100", num_sms=4), pallasite.collect() as reports:
    out = tokamax.ragged_dot(lhs, rhs, sizes, implementation="mosaic")
    out = np.asarray(out, np.float32)
  assert [(r.verdict, r.kernels) for r in reports] == [("clean", ["ragged_dot_sm90"])]
  wanted = jax.lax.ragged_dot(lhs.astype(np.float32), rhs.astype(np.float32), sizes)
  np.testing.assert_allclose(out, wanted, rtol=2e-2, atol=2e-2)
