"""What `pallasite run` and `pallasite check` say of findings that are silenced."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import jax, jax.numpy as jnp
import pallasite
from jax.experimental.pallas import mosaic_gpu as plgpu

OUT = jax.ShapeDtypeStruct((128,), jnp.float32)

def unawaited(out, buffer):
  buffer[...] = jnp.ones((128,), jnp.float32)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(buffer, out)  # MARK

def stuck(out, ready):
  plgpu.barrier_wait(ready)

def run_unawaited():
  scratch = dict(buffer=plgpu.SMEM((128,), jnp.float32))
  return jax.jit(plgpu.kernel(unawaited, out_type=OUT, scratch_types=scratch))()

def run_stuck():
  return jax.jit(plgpu.kernel(stuck, out_type=OUT, scratch_types=[plgpu.Barrier()]))()

if __name__ == "__main__":
  if sys.argv[1] == "export":
    pallasite.export(run_unawaited).save("unawaited.pir")
    pallasite.export(run_stuck).save("stuck.pir")
  else:
    print(globals()[sys.argv[1]]().sum())
"""

ENTRIES = """
[tool.pallasite]
silence = [
  {code = "tma.*", path = "kernels.py", ref = "buffer", reason = "the grid ends here"},
  {code = "sched.*", reason = "not possible"},
]
"""
SILENCED = [
  "1 finding silenced",
  '     1  pyproject.toml silence[0]: code="tma.*", path="kernels.py", ref="buffer" (the grid ends here)',
  'silences nothing: pyproject.toml silence[1]: code="sched.*" (not possible)',
]


@pytest.fixture
def folder(tmp_path):
  (tmp_path / "kernels.py").write_text(PROGRAM)
  (tmp_path / "pyproject.toml").write_text(ENTRIES)
  return tmp_path


@pytest.fixture
def files(folder):
  subprocess.run([sys.executable, "kernels.py", "export"], cwd=folder, env=environment(), check=True)
  return folder


def environment():
  return {**os.environ, "JAX_PLATFORMS": "cpu"}


def pallasite(*args, cwd):
  return subprocess.run(
    [sys.executable, "-m", "pallasite", *args], capture_output=True, text=True, cwd=cwd,
    env=environment(), check=False,
  )


def told(ended):
  return [line for line in ended.stderr.splitlines() if "silence" in line]


def test_a_program(folder):
  ended = pallasite("run", "--json", "r.json", "kernels.py", "run_unawaited", cwd=folder)
  assert ended.returncode == 0, ended.stderr
  assert ended.stdout == "128.0\n"
  assert "1 run: clean" in ended.stderr
  assert told(ended) == [f"  {line}" for line in SILENCED]
  silencing = json.loads((folder / "r.json").read_text())["silencing"]
  assert silencing["silenced"] == 1
  assert [entry["reason"] for entry in silencing["entries"]] == ["the grid ends here"]
  assert [entry["reason"] for entry in silencing["unused"]] == ["not possible"]
  quiet = pallasite("run", "--quiet", "kernels.py", "run_unawaited", cwd=folder)
  assert quiet.stderr == "" and quiet.returncode == 0


def test_what_ended_its_run_is_told_as_not_silenced(folder):
  ended = pallasite("run", "-m", "kernels", "run_stuck", cwd=folder)
  assert ended.returncode == 3
  assert "silence[1]: code=\"sched.*\": not silenced, because the finding ended its run" in ended.stderr
  assert 'silences nothing: pyproject.toml silence[0]' in ended.stderr


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_kernel_in_a_file(files, verb):
  ended = pallasite(verb, "--json", "r.json", "unawaited.pir", cwd=files)
  assert ended.returncode == 0, ended.stderr
  assert told(ended) == SILENCED
  report = json.loads((files / "r.json").read_text())
  assert report["verdict"] == "clean" and report["findings"] == []
  (silenced,) = report["silenced"]
  assert silenced["code"] == "tma.unawaited-read" and silenced["reason"] == "the grid ends here"
  assert pallasite(verb, "--quiet", "unawaited.pir", cwd=files).stderr == ""
  ended = pallasite(verb, "stuck.pir", cwd=files)
  assert ended.returncode == 3
  assert "not silenced, because the finding ended its run" in ended.stderr
  # Elsewhere nothing is silenced.
  elsewhere = files / "elsewhere"
  elsewhere.mkdir()
  (elsewhere / "pyproject.toml").write_text("")
  ended = pallasite(verb, "../unawaited.pir", cwd=elsewhere)
  assert ended.returncode == 3 and told(ended) == []


def test_a_comment_counts_for_a_kernel_in_a_file(files):
  text = PROGRAM.replace("MARK", "pallasite: ignore[tma.unawaited-read] it ends")
  (files / "kernels.py").write_text(text)
  (files / "pyproject.toml").write_text("")
  ended = pallasite("run", "unawaited.pir", cwd=files)
  assert ended.returncode == 0, ended.stderr
  assert 'code="tma.unawaited-read" (it ends)' in ended.stderr


def test_an_entry_that_is_not_whole_is_a_usage_error(files):
  (files / "pyproject.toml").write_text('[tool.pallasite]\nsilence = [{code = "tma.*"}]\n')
  for target in (["kernels.py", "run_unawaited"], ["unawaited.pir"]):
    ended = pallasite("run", *target, cwd=files)
    assert ended.returncode == 2, ended.stderr
    assert "silence[0] needs a reason" in ended.stderr
    assert "Traceback" not in ended.stderr
