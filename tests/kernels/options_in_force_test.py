"""Which options a kernel runs with: those of the newest install, wherever they were stated, also for
functions that were compiled before, in this process or in another."""

import contextlib
import json
import math
import os
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
from pallasite import _compat, options
from pallasite.hook import _hook

OUT = jax.ShapeDtypeStruct((16,), jnp.float32)
X = np.arange(16, dtype=np.float32)


def telltale(x_ref, out_ref, landing, ready):
  """What it gives out, prints and launches tells which options it ran with."""
  wg = lax.axis_index("wg")

  @pl.when(wg == 0)
  def _():
    plgpu.copy_gmem_to_smem(x_ref, landing, ready)
    # Not waited for: what is there depends on when copies write.
    out_ref[...] = landing[...]
    plgpu.barrier_wait(ready)

  for i in range(4):
    jax.debug.print("{} {}", wg, i)


def call(x, **more):
  return plgpu.kernel(
    telltale,
    out_type=OUT,
    scratch_types=[plgpu.SMEM((16,), jnp.float32), plgpu.Barrier()],
    # As persistent kernels do.
    grid=(getattr(jax.devices()[0], "core_count", 1),),
    grid_names=("x",),
    num_threads=2,
    thread_name="wg",
    **more,
  )(x)


def fresh_memory(**more):
  def body(out_ref, smem):
    out_ref[...] = smem[...]

  scratch = [plgpu.SMEM((16,), jnp.float32)]
  return plgpu.kernel(body, out_type=OUT, scratch_types=scratch, **more)()


# For each option: two values, and what shows which of them is in force.
EFFECTS = {
  "arch": ("h100", "b200", lambda o: o["arch"]),
  "num_sms": (2, 3, lambda o: o["clusters"]),
  # Until there are checkers to choose from nothing else shows it.
  "checks": ("default", "none", lambda o: o["checks"]),
  "on_finding": ("warn", "record", lambda o: o["on_finding"]),
  "seed": (1, 7, lambda o: o["prints"]),
  "schedule": ("fixed", "random", lambda o: o["policy"]),
  "schedules": (0, 2, lambda o: o["more_schedules"]),
  "async_values": ("eager", "late", lambda o: o["value"]),
  "max_steps": (1000, 10, lambda o: o["verdict"]),
  "workers": (1, 2, lambda o: o["workers"]),
  "uninitialized_memory": ("nan", "zero", lambda o: o["fresh"]),
}
# What the option needs beside it, so that it shows.
BESIDE = {"seed": {"schedule": "random"}}
UNBUILT = ("numerics",)


def test_every_option_is_here():
  assert set(EFFECTS) | set(UNBUILT) == set(options.OPTION_NAMES)


class Functions:
  """Jitted once, called under many options."""

  def __init__(self, **more):
    self.call = jax.jit(lambda x: call(x, **more))
    self.fresh = jax.jit(lambda: fresh_memory(**more))

  def observe(self) -> dict:
    report = value = None
    with pallasite.collect() as reports:
      with contextlib.suppress(pallasite.KernelError):
        value = float(self.call(X)[1])
      report = reports[0]
      fresh = math.nan
      if report.verdict != "incomplete":
        fresh = float(self.fresh()[0])
    return {
      "arch": report.data["arch"],
      "clusters": report.stats.get("clusters"),
      "checks": _hook.installed.checks if _hook.installed else None,
      "on_finding": report.data["on_finding"],
      "prints": [str(line) for line in report.data["prints"]],
      "policy": report.data["policy"],
      "more_schedules": report.data["more_schedules"],
      # JSON has no NaN that equals itself.
      "value": str(value),
      "verdict": report.verdict,
      "workers": report.data["host"]["workers"],
      "fresh": str(fresh),
    }


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  for option in options.TABLE:
    monkeypatch.delenv(option.variable, raising=False)
  pallasite.uninstall()
  yield tmp_path
  pallasite.uninstall()


def pairs(name):
  first, second, shows = EFFECTS[name]
  beside = BESIDE.get(name, {})
  return {**beside, name: first}, {**beside, name: second}, shows


@pytest.fixture(params=options.INSTALL_NAMES)
def option(request):
  if request.param in UNBUILT:
    with pytest.raises(pallasite.UnsupportedError, match="not built yet"):
      pallasite.install(**{request.param: "exact"})
    return request.param
  return request.param


def test_a_warm_function_obeys_the_newest_install(option):
  if option in UNBUILT:
    return
  one, other, shows = pairs(option)
  functions = Functions()
  seen = []
  for stated in (one, other, one, other, one):
    pallasite.install(**stated)
    seen.append(shows(functions.observe()))
  assert seen[0] != seen[1], seen
  assert seen == [seen[0], seen[1]] * 2 + [seen[0]]


def test_leaving_a_context_restores(option):
  if option in UNBUILT:
    return
  one, other, shows = pairs(option)
  functions = Functions()
  with pallasite.install(**one):
    before = shows(functions.observe())
    with contextlib.suppress(KeyError), pallasite.install(**other):
      within = shows(functions.observe())
      with pallasite.install(**one):
        assert shows(functions.observe()) == before
      assert shows(functions.observe()) == within
      raise KeyError
    assert shows(functions.observe()) == before != within
  with pytest.raises(ValueError, match="Only interpret mode is supported on CPU"):
    functions.call(X)


@pytest.mark.parametrize("name", EFFECTS)
def test_what_params_state_wins(name):
  if name == "num_sms":
    # It answers for the device, of which a kernel has none of its own.
    return
  one, other, shows = pairs(name)
  plain, stated = Functions(), Functions(interpret=pallasite.Params(**other))
  installed = {k: v for k, v in one.items() if k in options.INSTALL_NAMES}
  with pallasite.install(**installed):
    if name == "checks":
      assert pallasite.Params(**other).over(_hook.installed).checks == "none"
      return
    first, second = shows(plain.observe()), shows(stated.observe())
  assert first != second
  # Without any installation too, and what they do not state is as installed.
  assert shows(stated.observe()) == second
  with pallasite.install(on_finding="record", workers=1, **BESIDE.get(name, {})):
    seen = stated.observe()
    assert shows(seen) == second
    if name not in ("on_finding", "workers"):
      assert (seen["on_finding"], seen["workers"]) == ("record", 1)


@pytest.mark.parametrize("name", EFFECTS)
@pytest.mark.parametrize("place", ["variable", "pyproject"])
def test_variables_and_pyproject(name, place, elsewhere, monkeypatch):
  one, other, shows = pairs(name)

  def state(values):
    if place == "variable":
      for key, value in values.items():
        monkeypatch.setenv(f"PALLASITE_{key.upper()}", str(value))
    else:
      lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
      (elsewhere / "pyproject.toml").write_text("\n".join(["[tool.pallasite]", *lines]))

  functions, seen = Functions(), []
  for values in (one, other):
    state(values)
    with pallasite.install():
      seen.append(shows(functions.observe()))
      source = _hook.installed.sources[name]
      assert source.startswith("PALLASITE_" if place == "variable" else str(elsewhere))
  assert seen[0] != seen[1]
  if name in options.INSTALL_NAMES:
    # An argument goes before both, also one that states the default.
    with pallasite.install(**one):
      assert shows(functions.observe()) == seen[0]


def test_variables_are_for_params_without_an_installation_too(monkeypatch):
  functions = Functions(interpret=pallasite.Params(workers=1))
  monkeypatch.setenv("PALLASITE_SCHEDULE", "random")
  monkeypatch.setenv("PALLASITE_ARCH", "b200")
  monkeypatch.setenv("PALLASITE_WORKERS", "2")
  seen = functions.observe()
  assert (seen["policy"], seen["arch"], seen["workers"]) == ("random", "sm_100a", 1)
  with pallasite.install(schedule="fixed"):
    assert functions.observe()["policy"] == "fixed"


def test_after_uninstall_a_function_is_what_it_was():
  def body(x_ref, out_ref):
    out_ref[...] = x_ref[...] + 1

  def function(**more):
    return jax.jit(plgpu.kernel(body, out_type=OUT, grid=(1,), grid_names=("x",), **more))

  fails, interpreted = function(), function(interpret=_compat.interpret_gpu_params_class()())
  for _ in range(2):
    with pytest.raises(ValueError, match="Only interpret mode is supported on CPU"):
      fails(X)
    with pallasite.collect() as reports:
      np.testing.assert_array_equal(interpreted(X), X + 1)
    assert not reports
    pallasite.install()
    with pallasite.collect() as reports:
      np.testing.assert_array_equal(fails(X), X + 1)
      np.testing.assert_array_equal(interpreted(X), X + 1)
    assert len(reports) == 2
    pallasite.uninstall()


def test_installing_is_for_all_threads():
  functions = Functions()

  def in_thread(work):
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]

  pallasite.install(arch="h100", workers=1)
  assert functions.observe()["arch"] == "sm_90a"
  assert in_thread(functions.observe)["arch"] == "sm_90a"
  # From another thread, for this one.
  in_thread(lambda: pallasite.install(arch="b200", workers=2))
  for seen in (functions.observe(), in_thread(functions.observe)):
    assert (seen["arch"], seen["workers"]) == ("sm_100a", 2)
  in_thread(pallasite.uninstall)
  with pytest.raises(ValueError, match="Only interpret mode is supported on CPU"):
    functions.call(X)


def test_a_compiled_program_keeps_what_it_was_compiled_for():
  """But it runs with the run options of now."""
  with pallasite.install(arch="h100"):
    compiled = jax.jit(call).lower(X).compile()
  with pallasite.install(arch="b200", workers=1), pallasite.collect() as reports:
    compiled(X)
  assert (reports[0].data["arch"], reports[0].data["host"]["workers"]) == ("sm_90a", 1)


# ---- JAX's persistent compilation cache

PROCESS = f"""
import json, sys
import jax
sys.path.insert(0, {os.path.dirname(__file__)!r})
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
hits = []
jax.monitoring.register_event_listener(
  lambda name, **_: name.endswith("compilation_cache/cache_hits") and hits.append(name))
import options_in_force_test as test, pallasite
stated, params = json.loads(sys.argv[2])
if stated is not None:
  pallasite.install(**stated)
try:
  seen = test.Functions(**({{"interpret": pallasite.Params(**params)}} if params else {{}})).observe()
except ValueError as error:
  seen = str(error)
print(json.dumps([seen, len(hits)]))
"""


def process(folder, stated, params=None):
  """What another process sees, and how many programs it found compiled."""
  done = subprocess.run(
    [sys.executable, "-c", PROCESS, str(folder), json.dumps([stated, params])],
    capture_output=True, text=True, check=True,
  )
  return json.loads(done.stdout.splitlines()[-1])


def test_a_process_with_other_options_behaves_by_its_own(tmp_path):
  names = ("arch", "num_sms", "checks", "seed", "async_values")
  one, other = ({"schedule": "random", **{n: EFFECTS[n][i] for n in names}} for i in (0, 1))
  in_order = [process(tmp_path / "a", stated) for stated in (one, other, one)]
  backwards = [process(tmp_path / "b", stated) for stated in (other, one)]
  for name in names:
    shows = EFFECTS[name][2]
    seen = [shows(found) for found, _ in in_order]
    assert seen[0] != seen[1] and seen[0] == seen[2], name
    assert [shows(found) for found, _ in backwards] == [seen[1], seen[0]], name
  # The cache is there and was used.
  assert in_order[0][1] == 0 < in_order[2][1]


def test_a_process_with_other_run_options_finds_the_same_program(tmp_path):
  (first, _), (second, hits) = (process(tmp_path, {"workers": n}) for n in (1, 2))
  assert (first["workers"], second["workers"]) == (1, 2)
  assert hits > 0


def test_what_params_state_is_part_of_what_is_cached(tmp_path):
  states = [{"uninitialized_memory": value} for value in ("nan", "zero")]
  seen = [process(tmp_path, None, params)[0]["fresh"] for params in states]
  assert seen == ["nan", "0.0"]


def test_a_process_without_pallasite_finds_nothing_of_ours(tmp_path):
  assert process(tmp_path, {})[0]["verdict"] == "clean"
  assert "Only interpret mode is supported on CPU" in process(tmp_path, None)[0]
  assert process(tmp_path, {})[0]["verdict"] == "clean"
