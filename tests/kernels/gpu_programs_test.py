"""Programs for a GPU, which pallasite leaves alone. They are lowered only, so no GPU is needed."""

import json
import os
import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite import _compat, chips
from pallasite.hook import _hook

X = np.zeros((64, 64), np.float32)
F32 = jax.ShapeDtypeStruct(X.shape, jnp.float32)
# What JAX's export is to let through unchecked.
CALLS = [
  jax.export.DisabledSafetyCheck.custom_call(name)
  for name in ("pallasite_run", "mosaic_gpu_v2", "mosaic_gpu", "triton_kernel_call")
]


def add_one(x_ref, out_ref):
  out_ref[...] = x_ref[...] + 1.0


def kernel(**options):
  return plgpu.kernel(add_one, out_type=F32, grid=(1,), grid_names=("x",), **options)


def pallas_call(**options):
  return pl.pallas_call(add_one, out_shape=F32, **options)


def several(x):
  """The same kernel twice, another, one in a loop, one under vmap."""
  one = kernel()
  x = kernel()(one(one(x)))
  x = jax.lax.fori_loop(0, 3, lambda _, c: one(c), x)
  return jax.vmap(kernel())(x[None])[0]


def interpreted(x):
  return pallas_call(interpret=True)(x)


def triton(x):
  from jax.experimental.pallas import triton

  return pallas_call(compiler_params=triton.CompilerParams())(x)


def mosaic_pallas_call(x):
  return pallas_call(compiler_params=plgpu.CompilerParams())(x)


def jax_params(x):
  return kernel(interpret=_compat.interpret_gpu_params_class()())(x)


PROGRAMS = {
  "kernel": kernel(),
  "several": several,
  "interpret=True": interpreted,
  "Triton": triton,
  "pallas_call": mosaic_pallas_call,
  "InterpretGPUParams": jax_params,
}
PLATFORMS = (("cuda",), ("rocm",), ("cpu", "cuda"), ("cuda", "rocm"))


def mesh_of_chip():
  from pallasite._compat.mosaic import _AbstractChip

  chip = chips.CHIPS["h100"]
  device = _AbstractChip(chip.device_kind, chip.num_sms, "9.0")
  return jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), (), abstract_device=device))


def lower(function, platforms) -> str:
  with mesh_of_chip():
    return jax.jit(function).trace(X).lower(lowering_platforms=platforms).as_text()


def export(function, platforms) -> str:
  with mesh_of_chip():
    exported = jax.export.export(jax.jit(function), platforms=platforms, disabled_checks=CALLS)(F32)
  return exported.mlir_module()


WAYS = {"lower": lower, "export": export}


def texts() -> dict[str, str]:
  """Each program on each platform, or the error that JAX has for it."""
  found = {}
  for way, make in WAYS.items():
    for platforms in PLATFORMS:
      for name, function in PROGRAMS.items():
        try:
          text = make(function, platforms)
        except Exception as error:
          # Addresses of objects differ.
          text = f"{type(error).__name__}: {str(error).split(' at 0x')[0]}"
        found[f"{way} {'+'.join(platforms)} {name}"] = text
  return found


PROCESS = f"""
import json, sys, warnings
sys.path.insert(0, {os.path.dirname(__file__)!r})
import pallasite
import gpu_programs_test as test
with warnings.catch_warnings(record=True) as said:
  warnings.simplefilter("always")
  if sys.argv[1]: pallasite.install(**json.loads(sys.argv[1]))
  found = test.texts()
said = [str(w.message) for w in said if issubclass(w.category, pallasite.KernelWarning)]
json.dump([found, said], sys.stdout)
"""


def process(stated):
  """What another process sees, in which pallasite is installed or has never been."""
  done = subprocess.run(
    [sys.executable, "-c", PROCESS, "" if stated is None else json.dumps(stated)],
    capture_output=True, text=True, check=True,
  )
  return json.loads(done.stdout)


def test_they_are_the_same_to_the_letter_and_it_is_said_once():
  without, said = process(None)
  assert said == []
  # What this version can lower is there at all.
  for way in WAYS:
    assert without[f"{way} cuda kernel"].count("@mosaic_gpu_v2") == 1
    assert without[f"{way} cuda several"].count("@mosaic_gpu_v2") >= 4
    assert "custom_call" not in without[f"{way} cuda interpret=True"]
    assert "multi-platform" in without[f"{way} cpu+cuda kernel"]
  for stated in ({}, {"arch": "h100", "num_sms": 4}):
    under, said = process(stated)
    assert under.keys() == without.keys()
    for name, text in without.items():
      if name.endswith("cuda InterpretGPUParams"):
        # What JAX makes of its interpreter on a GPU is an error, in the words of the version.
        assert under[name].partition(":")[0] == text.partition(":")[0]
        continue
      assert under[name] == text, name
    assert len(said) == 1 and "compiled for a GPU" in said[0], said


@pytest.fixture
def quiet(monkeypatch):
  monkeypatch.setattr(_hook, "_said_gpu", True)


@pytest.mark.parametrize("platforms", PLATFORMS, ids="+".join)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("installed", [True, False])
def test_params_of_ours_raise_by_name(way, platforms, installed, quiet):
  """JAX's own rule would take them for `interpret=True`, and run HLO on the GPU."""
  functions = {
    "kernel": kernel(interpret=pallasite.Params()),
    "pallas_call": pallas_call(
      interpret=pallasite.Params(), compiler_params=plgpu.CompilerParams()
    ),
    "Triton": pallas_call(interpret=pallasite.Params()),
    "nested": lambda x: jax.lax.cond(
      x[0, 0] > 0, jax.jit(kernel(interpret=pallasite.Params())), lambda x: x, x
    ),
    "vmap": lambda x: jax.vmap(kernel(interpret=pallasite.Params()))(x[None])[0],
  }
  if installed:
    pallasite.install(arch="h100")
  try:
    for name, function in functions.items():
      with pytest.raises(pallasite.UnsupportedError, match="interpret=pallasite.Params") as caught:
        WAYS[way](function, platforms)
      assert f"lowered for {' and '.join(platforms)}" in str(caught.value), name
  finally:
    pallasite.uninstall()


def test_params_by_way_of_the_context_raise_too(quiet):
  with plgpu.force_gpu_interpret_mode(pallasite.Params()):
    with pytest.raises(pallasite.UnsupportedError, match="lowered for cuda"):
      lower(lambda x: kernel()(x), ("cuda",))


def test_the_same_function_is_ours_on_the_cpu_and_jax_s_on_a_gpu(quiet):
  function = kernel()
  with pallasite.install(arch="h100"), _hook.capture():
    ours, theirs = (lower(function, (platform,)) for platform in ("cpu", "cuda"))
  assert "@pallasite_run" in ours and "mosaic_gpu" not in ours
  assert "@mosaic_gpu_v2" in theirs and "pallasite" not in theirs


def test_kernels_of_other_backends_are_not_spoken_of(monkeypatch):
  monkeypatch.setattr(_hook, "_said_gpu", False)
  with pallasite.install(), warnings.catch_warnings():
    warnings.simplefilter("error", pallasite.KernelWarning)
    lower(triton, ("cuda",))
    lower(interpreted, ("cuda",))
  assert not _hook._said_gpu
