"""`pallasite` as a command: Python programs, and what goes to the engine."""

import os
import subprocess
import sys

import pytest

KERNEL = """
import sys
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

OUT = jax.ShapeDtypeStruct((64,), jnp.float32)

def clean(out):
  out[...] = jnp.ones((64,), jnp.float32)

def stuck(out, ready):
  plgpu.barrier_wait(ready)

def run(kernel, **options):
  return jax.jit(plgpu.kernel(kernel, out_type=OUT, **options))()

def fail():
  return run(stuck, scratch_types=[plgpu.Barrier()])
"""


def command(folder, program, *before, after=()):
  (folder / "script.py").write_text(KERNEL + program)
  return start(*before, str(folder / "script.py"), *after, cwd=folder)


def start(*args, cwd):
  return subprocess.run(
    [sys.executable, "-m", "pallasite", "run", *args], capture_output=True, text=True, cwd=cwd,
    env={**os.environ, "JAX_PLATFORMS": "cpu"}, check=False,
  )


def test_a_clean_program(tmp_path):
  ended = command(
    tmp_path, "print(sys.argv[1:], run(clean)[0], jax.devices()[0].core_count)",
    "--arch", "h100", "--num-sms", "7", after=["--arch", "x"],
  )
  assert ended.stdout == "['--arch', 'x'] 1.0 7\n"
  assert ended.stderr == "pallasite: 1 kernels lowered, 1 runs: clean\n"
  assert ended.returncode == 0


def test_a_finding_that_the_program_swallowed_counts(tmp_path):
  ended = command(tmp_path, "try:\n  fail()\nexcept Exception:\n  pass\nprint('went on')")
  assert ended.stdout == "went on\n"
  assert "1 runs: error" in ended.stderr
  assert "script.py:13: error[sched.deadlock]: deadlock" in ended.stderr
  assert ended.returncode == 3


def test_a_finding_that_ends_the_program(tmp_path):
  ended = command(tmp_path, "fail()")
  assert "plgpu.barrier_wait(ready)" in ended.stderr
  assert "KernelError" in ended.stderr
  assert "runpy" not in ended.stderr
  assert ended.returncode == 3


@pytest.mark.parametrize("program", ["raise ValueError('mine')", "sys.exit('mine')"])
def test_a_program_that_fails_by_itself(tmp_path, program):
  ended = command(tmp_path, program)
  assert "mine" in ended.stderr
  assert ended.returncode == 1


def test_what_cannot_run_is_unsupported(tmp_path):
  ended = command(tmp_path, """
def sorting(out):
  out[...] = jnp.sort(jnp.ones((64,), jnp.float32))
try:
  run(sorting)
except Exception:
  pass
""")
  assert ended.returncode == 4
  assert "0 kernels lowered, 0 runs: unsupported" in ended.stderr


def test_a_module(tmp_path):
  (tmp_path / "tool.py").write_text(KERNEL + "print(__name__, sys.argv[1:], run(clean)[0])")
  ended = start("--arch", "h100", "-m", "tool", "-v", cwd=tmp_path)
  assert ended.stdout == "__main__ ['-v'] 1.0\n"
  assert ended.returncode == 0


def test_usage(tmp_path):
  assert start("--arch", "z80", "script.py", cwd=tmp_path).returncode == 2
  assert start("missing.pir", cwd=tmp_path).returncode == 2
  ended = start("--help", cwd=tmp_path)
  assert ended.returncode == 0
  assert "--async-values" in ended.stdout
