"""`pallasite` as a command: Python programs, and what goes to the engine."""

import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time

import pallasite.options
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
  return verb(folder, "run", program, *before, after=after)


def verb(folder, name, program, *before, after=()):
  (folder / "script.py").write_text(KERNEL + program)
  return start(*before, str(folder / "script.py"), *after, cwd=folder, name=name)


def start(*args, cwd, name="run"):
  return subprocess.run(
    [sys.executable, "-m", "pallasite", name, *args], capture_output=True, text=True, cwd=cwd,
    env={**os.environ, "JAX_PLATFORMS": "cpu"}, check=False,
  )


def test_a_clean_program(tmp_path):
  ended = command(
    tmp_path, "print(sys.argv[1:], run(clean)[0], jax.devices()[0].core_count)",
    "--arch", "h100", "--num-sms", "7", after=["--arch", "x"],
  )
  assert ended.stdout == "['--arch', 'x'] 1.0 7\n"
  assert ended.stderr == "pallasite: 1 kernel lowered, 1 run: clean\n"
  assert ended.returncode == 0


def test_a_finding_that_the_program_swallowed_counts(tmp_path):
  ended = command(tmp_path, "try:\n  fail()\nexcept Exception:\n  pass\nprint('went on')")
  assert ended.stdout == "went on\n"
  assert "1 run: error" in ended.stderr
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
def transforming(out):
  out[...] = jnp.fft.fft(jnp.ones((64,), jnp.float32)).real
try:
  run(transforming)
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
  ended = start("missing.py", cwd=tmp_path)
  assert ended.returncode == 2
  assert "cannot read missing.py" in ended.stderr
  ended = start("--schedul", "random", "script.py", cwd=tmp_path)
  assert ended.returncode == 2
  assert "did you mean --schedule?" in ended.stderr


def test_of_an_error_in_a_kernel_only_the_users_frames_are_shown(tmp_path):
  ended = command(tmp_path, "fail()")
  assert ", in <module>\n    fail()" in ended.stderr
  assert "site-packages" not in ended.stderr
  assert "/pallasite/" not in ended.stderr
  # Of an error that is not ours, all of it.
  ended = command(tmp_path, "jnp.zeros(3) + jnp.zeros(4)")
  assert "site-packages/jax" in ended.stderr


def test_check_goes_on_after_a_fault(tmp_path):
  ended = verb(tmp_path, "check", "fail()\nprint('went on')\nrun(clean)")
  assert ended.stdout == "went on\n"
  assert "2 kernels lowered, 2 runs: error" in ended.stderr
  assert "Traceback" not in ended.stderr
  assert ended.returncode == 3


def test_check_without_running(tmp_path):
  ended = verb(tmp_path, "check", "print(fail()[0])", "--no-run", "--json", "r.json")
  assert ended.stdout == "nan\n"
  assert "1 kernel lowered, not run: clean" in ended.stderr
  assert ended.returncode == 0
  report = json.loads((tmp_path / "r.json").read_text())
  assert set(report["checks"]) == {"ir", "compile"} and report["runs"] == 0
  # What the chip has no room for needs no run to be found.
  ended = verb(
    tmp_path, "check",
    "run(lambda out, s: None, scratch_types=[plgpu.SMEM((1024, 1024), jnp.float32)])", "--no-run",
  )
  assert ended.returncode == 5


# Wrong only where wg=0 comes first.
RACE = """
def race(x, out, index):
  wg = jax.lax.axis_index("wg")
  @pl.when(wg == 1)
  def _():
    index[0] = jnp.int32(0)
  @pl.when(wg == 0)
  def _():
    out[index[0]] = jnp.float32(5)
jax.jit(plgpu.kernel(
  race, out_type=OUT, num_threads=2, thread_name="wg",
  scratch_types=dict(index=plgpu.SMEM((1,), jnp.int32)),
))(jnp.zeros((1,)))
"""


def test_a_fault_of_one_of_many_schedules_can_be_seen_again(tmp_path):
  ended = command(tmp_path, RACE, "--num-sms", "4", "--schedules", "20", "--quiet")
  assert ended.returncode == 3
  said = ended.stderr
  (seed,) = re.findall(r'found in schedule \d+ of 20 .* seed=(\d+) repeats it', said)
  (again,) = re.findall("to see it again:\n  pallasite run (.*)$", said, re.M)
  assert again.startswith(f"--schedule random --seed {seed} ") and "--schedules" not in again
  ended = start(*shlex.split(again), cwd=tmp_path)
  assert ended.returncode == 3 and "found in schedule" not in ended.stderr


def test_check_asks_the_compiler(tmp_path):
  text = "run(lambda out: out.__setitem__(..., jax.lax.erf_inv(jnp.ones((64,), jnp.float32))))"
  assert command(tmp_path, text).returncode == 0
  ended = verb(tmp_path, "check", text)
  assert "compile.refused" in ended.stderr and ended.returncode == 3
  assert verb(tmp_path, "check", text, "--checks", "none").returncode == 0


def test_check_of_a_program_without_kernels(tmp_path):
  ended = verb(tmp_path, "check", "print('none')")
  assert "no kernel was lowered, so nothing was tested" in ended.stderr


def test_the_report_as_json(tmp_path):
  ended = command(tmp_path, "run(clean)\nfail()", "--json", "r.json", "--quiet")
  assert ended.returncode == 3
  report = json.loads((tmp_path / "r.json").read_text())
  assert report["verdict"] == "error" and report["runs"] == 2
  assert [r["verdict"] for r in report["reports"]] == ["clean", "error"]
  assert report["reports"][1]["findings"][0]["code"] == "sched.deadlock"


def test_quiet_says_nothing_of_what_is_clean(tmp_path):
  assert command(tmp_path, "run(clean)", "--quiet").stderr == ""
  assert "sched.deadlock" in command(tmp_path, "fail()", "--quiet").stderr


def test_a_fault_of_a_random_schedule_says_how_to_see_it_again(tmp_path):
  ended = command(
    tmp_path, "fail()", "--async-values", "late", "--schedule=random", "--seed", "7",
    after=["a b"],
  )
  line = ended.stderr.splitlines()[-1]
  script = tmp_path / "script.py"
  assert line == (
    f"  pallasite run --schedule random --seed 7 --async-values late {script} 'a b'"
  )
  words = shlex.split(line)
  again = start(*words[2:], cwd=tmp_path)
  assert again.returncode == 3 and again.stderr.splitlines()[-1] == line


PRINTS = """
def shout(out):
  wg = jax.lax.axis_index("wg")
  pl.debug_print("hello {}", wg * 10)
print(run(shout, grid=(2,), grid_names=("x",), num_threads=2, thread_name="wg").shape)
"""


def test_prints_say_which_thread_they_are_of(tmp_path):
  ended = command(tmp_path, PRINTS)
  assert sorted(ended.stdout.splitlines()) == sorted([
    "[x=0 wg=0] hello 0", "[x=0 wg=1] hello 10", "[x=1 wg=0] hello 0", "[x=1 wg=1] hello 10",
    "(64,)",
  ])
  ended = command(tmp_path, PRINTS, "--print-block", "x=1,wg=1")
  assert ended.stdout == "hello 10\n(64,)\n"
  assert command(tmp_path, PRINTS, "--print-block", "x").returncode == 2


SLOW = """
def slow(out):
  def body(i, x):
    return x + 1.0
  out[...] = jax.lax.fori_loop(0, 3_000_000, body, jnp.ones((64,), jnp.float32))
run(slow, grid=(64,), grid_names=("x",))
"""


@pytest.mark.parametrize("on_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(tmp_path, on_terminal):
  (tmp_path / "script.py").write_text(KERNEL + SLOW)
  ours, theirs = pty.openpty() if on_terminal else os.pipe()
  process = subprocess.Popen(
    [sys.executable, "-m", "pallasite", "run", "script.py"], cwd=tmp_path, stderr=theirs,
    env={**os.environ, "JAX_PLATFORMS": "cpu"},
  )
  os.close(theirs)
  seen = b""
  deadline = time.monotonic() + 60
  while b" clusters" not in seen and time.monotonic() < deadline:
    ready, _, _ = select.select([ours], [], [], 0.2)
    if ready:
      seen += os.read(ours, 1 << 16)
    # Long enough for the line to have come; the kernel itself takes minutes.
    if not on_terminal and time.monotonic() > deadline - 52:
      break
  process.kill()
  process.wait()
  os.close(ours)
  assert (b"\rpallasite: slow: " in seen) == on_terminal


def test_doctor(tmp_path):
  ended = subprocess.run(
    [sys.executable, "-m", "pallasite", "doctor", "--json", "-"], capture_output=True, text=True,
    cwd=tmp_path, env={**os.environ, "JAX_PLATFORMS": "cpu", "PALLASITE_SEED": "5"}, check=False,
  )
  assert ended.returncode == 0, ended.stdout + ended.stderr
  found = json.loads(ended.stdout)
  items = {item["name"]: item for item in found["items"]}
  assert items["a kernel"]["value"] == "ran: clean"
  assert {item["state"] for item in found["items"]} <= {"ok", "doubtful"}
  seed = next(option for option in found["options"] if option["name"] == "seed")
  assert (seed["value"], seed["source"]) == (5, "PALLASITE_SEED")


def test_doctor_finds_what_is_broken(tmp_path):
  (tmp_path / "pyproject.toml").write_text("[tool.pallasite]\nsede = 5\n")
  ended = subprocess.run(
    [sys.executable, "-m", "pallasite", "doctor"], capture_output=True, text=True, cwd=tmp_path,
    env={**os.environ, "JAX_PLATFORMS": "cpu"}, check=False,
  )
  assert ended.returncode == 1
  assert "'sede'" in ended.stdout and "1 broken" in ended.stdout


def test_every_option_of_install_is_one_of_run(tmp_path):
  shown = subprocess.run(
    [sys.executable, "-m", "pallasite", "run", "--help"], capture_output=True, text=True, check=True
  ).stdout
  for option in pallasite.options.RUN_OPTIONS:
    assert re.search(rf"^ +{option.flag}\b", shown, re.M), option.flag
    for choice in option.choices:
      assert choice in shown
