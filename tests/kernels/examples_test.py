"""The kernels of examples/broken: what is found, and what only the values show."""

import importlib.util
import pathlib

import jax
import pallasite
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "broken"


def load(path):
  spec = importlib.util.spec_from_file_location(path.stem, path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def repaired(name, tmp_path, *replacements):
  """The example with its fault removed, in a file of its own: reports quote sources."""
  text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
  for before, after in replacements:
    assert text.count(before) == 1
    text = text.replace(before, after)
  path = tmp_path / f"{name}.py"
  path.write_text(text, encoding="utf-8")
  return load(path)


def check(module, **options):
  return pallasite.check(module.run, *module.arguments(), arch="h100", **options)


def is_right(module, report):
  return bool(report.compare(module.reference(*module.arguments()), rtol=1e-2, atol=2e-2))


ARRIVE = ("# Missing: plgpu.barrier_arrive", "plgpu.barrier_arrive")
RELEASE = "        plgpu.barrier_arrive(released.at[stage])\n"
WAIT = "        plgpu.wgmma_wait(0)\n"


def test_a_missing_arrive_is_a_deadlock():
  report = check(load(FOLDER / "arrive_missing.py"))
  assert [finding.code for finding in report.findings] == ["sched.deadlock"]


@pytest.mark.parametrize("async_values", ["eager", "late"])
def test_with_its_arrive_it_is_right(tmp_path, async_values):
  module = repaired("arrive_missing", tmp_path, ARRIVE)
  report = check(module, async_values=async_values)
  assert report.verdict == "clean" and is_right(module, report)


def test_a_stage_released_too_early_shows_in_late_values():
  module = load(FOLDER / "released_before_wgmma_wait.py")
  assert is_right(module, check(module, async_values="eager"))
  assert not is_right(module, check(module, async_values="late"))


def test_released_after_the_wait_it_is_right(tmp_path):
  module = repaired(
    "released_before_wgmma_wait", tmp_path, (RELEASE, ""), (WAIT, WAIT + RELEASE)
  )
  report = check(module, async_values="late")
  assert report.verdict == "clean" and is_right(module, report)


def test_a_report_says_what_ran_and_what_is_not_built():
  report = check(load(FOLDER / "commit_smem_missing.py"))
  assert "machine" in report.checks
  # The day that the fence is checked, this finds it.
  assert "races" in report.checks_not_built or report.findings
  assert not set(report.checks) & set(report.checks_not_built)


def test_late_is_an_option_of_install():
  module = load(FOLDER / "released_before_wgmma_wait.py")
  call = jax.jit(module.run)
  with pallasite.install(arch="h100", async_values="late"):
    late = jax.block_until_ready(call(*module.arguments()))
  with pallasite.install(arch="h100"):
    eager = jax.block_until_ready(call(*module.arguments()))
  assert (late != eager).any()
