"""`pytest --pallasite`, in sessions of its own."""

import importlib.metadata
import re
import shlex

import pytest

pytest_plugins = ["pytester"]

KERNELS = """
import unittest
import jax, jax.numpy as jnp, pytest
import pallasite
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

OUT = jax.ShapeDtypeStruct((128,), jnp.float32)

def run(kernel, *args, **options):
  return jax.jit(plgpu.kernel(kernel, out_type=OUT, **options))(*args)

def clean():
  def ones(out):
    out[...] = jnp.ones((128,), jnp.float32)
  return run(ones)

def fail():
  def stuck(out, ready):
    plgpu.barrier_wait(ready)  # stuck here
  return run(stuck, scratch_types=[plgpu.Barrier()])

def unsupported():
  def transforms(out):
    out[...] = jnp.fft.fft(jnp.ones((128,), jnp.float32)).real
  return run(transforms)

# A fault beside which there is a result.
def unawaited():
  def leaves(out, buffer):
    buffer[...] = jnp.ones((128,), jnp.float32)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(buffer, out)  # not awaited
  return run(leaves, scratch_types=dict(buffer=plgpu.SMEM((128,), jnp.float32)))

# Wrong only where wg=0 comes first.
def race():
  def index_race(x, out, index):
    wg = jax.lax.axis_index("wg")
    @pl.when(wg == 1)
    def _():
      index[0] = jnp.int32(0)
    @pl.when(wg == 0)
    def _():
      out[index[0]] = jnp.float32(5)
  return run(
    index_race, jnp.zeros((1,)), num_threads=2, thread_name="wg",
    scratch_types=dict(index=plgpu.SMEM((1,), jnp.int32)),
  )
"""

SUITE = """
from kernels import *

def test_clean():
  assert clean().sum() == 128

def test_fails():
  fail()

def test_swallows():
  try:
    fail()
  except Exception:
    pass

def test_swallows_what_is_unsupported():
  try:
    unsupported()
  except Exception:
    pass

def test_expects_too_much():
  with pytest.raises(Exception):
    unsupported()

def test_raises():
  with pytest.raises(pallasite.KernelError):
    fail()
  with pytest.raises(ValueError, match="deadlock"):
    fail()

@pytest.mark.pallasite_expected("sched.*")
def test_marked():
  fail()

@pytest.mark.pallasite_expected("race.*")
def test_marked_in_vain():
  clean()

@pytest.mark.xfail(raises=pallasite.UnsupportedError, strict=True)
def test_xfail():
  unsupported()

def test_data():
  assert pallasite.check(fail).verdict == "error"

class Cases(unittest.TestCase):
  def test_assert_raises(self):
    with self.assertRaises(pallasite.KernelError):
      fail()

  def test_sub(self):
    for number in range(2):
      with self.subTest(number=number):
        fail() if number else clean()
"""

# How often each of the codes counts in SUITE, and in how many tests there was a run.
SUMMARY = [
  "h100: 14 kernels traced, 11 runs in 9 tests: error",
  "*3  sched.deadlock  *kernels.py:*: deadlock: *",
  "unsupported, 3 times in 3 tests:",
  "*3  * is not supported",
  "5 findings expected by tests, or read as data",
  "slowest kernels:",
  "time: * s of tests: tracing *, XLA *, conversion *, verification *, run *, other code *",
]


@pytest.fixture
def suite(pytester, monkeypatch):
  for name in ("PYTEST_XDIST_WORKER", "PALLASITE_PYTEST"):
    monkeypatch.delenv(name, raising=False)
  monkeypatch.setenv("JAX_PLATFORMS", "cpu")
  pytester.makepyfile(kernels=KERNELS)
  pytester.makeconftest("import sys; sys.path.insert(0, '.')")
  installed = [found.name for found in importlib.metadata.entry_points(group="pytest11")]
  loaded = [] if "pallasite" in installed else ["-p", "pallasite.pytest_plugin"]

  def run(*args, text=None):
    if text is not None:
      pytester.makepyfile(test_it="from kernels import *\n" + text)
    return pytester.runpytest_subprocess(*loaded, "-p", "no:cacheprovider", *args)

  return run


# In CI, pytest does not shorten the lines of its summary.
@pytest.mark.parametrize("in_ci", [False, True])
def test_verdicts_of_tests(suite, monkeypatch, in_ci):
  for name in ("CI", "BUILD_NUMBER"):
    monkeypatch.delenv(name, raising=False)
  if in_ci:
    monkeypatch.setenv("CI", "1")
  result = suite("--pallasite=h100", text=SUITE)
  result.stdout.fnmatch_lines(SUMMARY)
  result.stdout.fnmatch_lines_random(
    [
      "FAILED test_it.py::test_fails - *KernelError*",
      "FAILED test_it.py::test_swallows - pallasite: *",
      "FAILED test_it.py::test_swallows_what_is_unsupported - pallasite: *",
      "FAILED test_it.py::test_expects_too_much - pallasite: *",
      "FAILED test_it.py::test_marked_in_vain - the test expects race.*",
      "SUBFAILED(number=*1*) test_it.py::Cases::test_sub*",
    ]
  )
  counts = result.parseoutcomes()
  # One of the two subtests of a test that passes otherwise.
  assert (counts["failed"], counts["passed"], counts["xfailed"]) == (6, 6, 1)
  assert result.ret == 1
  # The report of a test that fails stands there once: in `test_fails`, `test_swallows`, `test_sub`.
  assert result.stdout.str().count("waits here, by the only thread") == 3
  # And its line in the summary is one line.
  _, summary = result.stdout.str().split(" short test summary info ")
  first_words = [line.split(maxsplit=1)[0] for line in summary.splitlines()[1:-1]]
  assert first_words == ["FAILED"] * 5 + ["SUBFAILED(number=1)"]


def test_processes_send_what_they_saw(suite, pytester):
  pytester.makeconftest(
    "import sys; sys.path.insert(0, '.')\n"
    "def pytest_sessionfinish(session):\n"
    "  kind = 'worker' if hasattr(session.config, 'workerinput') else 'controller'\n"
    "  open(kind, 'w').write(str('jax' in sys.modules))\n"
  )
  text = SUITE + (
    "\ndef test_workers():\n"
    "  from pallasite.hook import _hook\n"
    "  assert _hook.installed.workers == 1\n"
  )
  result = suite("--pallasite=h100", "-n", "2", text=text)
  result.stdout.fnmatch_lines(SUMMARY)
  counts = result.parseoutcomes()
  assert (counts["failed"], counts["passed"], counts["xfailed"]) == (6, 7, 1)
  assert result.stdout.str().count("waits here, by the only thread") == 3
  assert (pytester.path / "controller").read_text() == "False"
  assert (pytester.path / "worker").read_text() == "True"


def test_a_fault_of_one_schedule_can_be_replayed(suite):
  text = "def test_race():\n  race()\n"
  assert suite("--pallasite=h100", text=text).ret == 0
  result = suite("--pallasite=h100", "--pallasite-num-sms=4", "--pallasite-schedules=20")
  assert result.ret == 1
  (command,) = re.findall(r"^replay: (pytest .*)$", result.stdout.str(), re.M)
  assert "--pallasite-num-sms=4" in command
  words = shlex.split(command)[1:]
  seed = int(re.search(r"seed=(\d+)", command)[1])
  assert suite(*words).ret == 1
  # Each seed before it is clean.
  for other in range(1, seed):
    assert suite(*[w.replace(f"seed={seed}", f"seed={other}") for w in words]).ret == 0
  found = [line for line in result.outlines if "error[gmem.oob]" in line and "E " not in line]
  assert found and found[0] in suite(*words).outlines


def test_a_session_without_a_kernel_fails(suite, pytester, monkeypatch):
  text = "import sys\ndef test_none():\n  assert ('jax' in sys.modules) == {}\n"
  pytester.makepyfile(test_none=text.format(False))
  result = suite("test_none.py")
  assert result.ret == 0
  # The header names each plugin that is installed; nothing else may speak of this one.
  assert not [
    line for line in result.outlines if "pallasite" in line and not line.startswith("plugins: ")
  ]
  pytester.makepyprojecttoml('[tool.pallasite]\npytest = "h100"\n')
  pytester.makepyfile(test_none=text.format(True))
  result = suite("test_none.py")
  result.stdout.fnmatch_lines(["no kernel ran, so nothing was tested: *"])
  assert result.ret == 5
  assert suite("test_none.py", "--pallasite-allow-no-kernels").ret == 0
  monkeypatch.setenv("PALLASITE_ALLOW_NO_KERNELS", "1")
  assert suite("test_none.py").ret == 0
  pytester.makepyfile(test_none=text.format(False))
  assert suite("test_none.py", "--pallasite=off").ret == 0


def test_usage(suite):
  result = suite("--pallasite=h200", text="def test(): pass\n")
  assert result.ret == 4
  result.stderr.fnmatch_lines(["*pallasite: arch 'h200' is not modelled*"])
  assert suite("--pallasite=h100", "--pallasite-write-baseline").ret == 4


def test_silencing(suite, pytester):
  pytester.makepyprojecttoml(
    "[tool.pallasite]\n"
    "silence = [\n"
    '  {code = "tma.*", path = "kernels.py", ref = "buffer", reason = "the grid ends here"},\n'
    '  {code = "sched.deadlock", reason = "not possible"},\n'
    '  {code = "gmem.oob", reason = "never happens"},\n'
    "]\n"
  )
  text = "def test_unawaited():\n  assert unawaited().sum() == 128\n"
  result = suite("--pallasite=h100", text=text)
  result.assert_outcomes(passed=1)
  result.stdout.fnmatch_lines(
    [
      "h100: 1 kernel traced, 1 run in 1 test: clean",
      "1 finding silenced",
      '*1  pyproject.toml silence?0?: code="tma.*", path="kernels.py", ref="buffer" (the grid *)',
      'silences nothing: pyproject.toml silence?1?: code="sched.deadlock" (not possible)',
      'silences nothing: pyproject.toml silence?2?: code="gmem.oob" (never happens)',
    ]
  )
  result = suite("--pallasite=h100", text="def test_fails():\n  fail()\n")
  result.assert_outcomes(failed=1)
  result.stdout.fnmatch_lines(["*1  pyproject.toml silence?1?: *: not silenced, because *"])


def test_a_comment_silences_its_line(suite, pytester):
  reason = "# pallasite: ignore[tma.unawaited-read] the grid ends here"
  pytester.makepyfile(
    kernels=KERNELS.replace("# not awaited", reason).replace(
      "# stuck here", "# pallasite: ignore[race.*] no such finding"
    )
  )
  text = "def test_unawaited():\n  unawaited()\n  with pytest.raises(ValueError):\n    fail()\n"
  result = suite("--pallasite=h100", text=text)
  result.assert_outcomes(passed=1)
  result.stdout.fnmatch_lines(
    [
      '*1  *kernels.py:*: code="tma.unawaited-read" (the grid ends here)',
      'silences nothing: *kernels.py:*: code="race.?" (no such finding)',
    ]
  )
  pytester.makepyfile(
    kernels=KERNELS.replace("# not awaited", "# pallasite: ignore[tma.unawaited-read]")
  )
  result = suite("--pallasite=h100", text="def test_unawaited():\n  unawaited()\n")
  result.assert_outcomes(failed=1)
  result.stdout.fnmatch_lines(["*kernels.py:*: `pallasite: ignore` needs a reason"])


def test_baseline(suite, pytester):
  text = (
    "def test_unawaited():\n  unawaited()\n"
    "def test_fails():\n  fail()\n"
    "def test_unsupported():\n  unsupported()\n"
    "def test_clean():\n  clean()\n"
  )
  options = ("--pallasite=h100", "--pallasite-baseline=known.json")
  result = suite(*options, "--pallasite-write-baseline", text=text)
  result.stdout.fnmatch_lines(["baseline: 3 findings written to known.json"])
  # Lines may be added above what is known.
  pytester.makepyfile(kernels="# one more line\n" + KERNELS)
  result = suite(*options)
  result.assert_outcomes(passed=2, xfailed=2)
  result.stdout.fnmatch_lines(["baseline: 3 known, 0 new, 0 no longer there"])
  assert result.ret == 0
  # What is known of one test is new in another.
  text = text.replace("unawaited():\n  unawaited", "unawaited():\n  clean")
  result = suite(*options, text=text.replace("test_clean():\n  clean", "test_clean():\n  fail"))
  result.assert_outcomes(passed=1, failed=1, xfailed=2)
  result.stdout.fnmatch_lines(
    [
      "baseline: 2 known, 1 new, 1 no longer there",
      "*no longer there: test_it.py::test_unawaited: tma.unawaited-read kernels.py: *",
    ]
  )
  assert result.ret == 1


def test_findings_may_be_warnings(suite):
  text = "def test_unawaited():\n  unawaited()\n"
  result = suite("--pallasite=h100", "--pallasite-on-finding=warn", text=text)
  result.assert_outcomes(passed=1, warnings=1)
  result.stdout.fnmatch_lines(["*kernels.py:*: KernelWarning: tma.unawaited-read: *"])
