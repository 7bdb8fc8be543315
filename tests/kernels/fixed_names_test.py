"""The names of Python that other programs rely on: that they are there, and what they are. What each
does is tested where it belongs."""

import inspect
import json
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

OUT = jax.ShapeDtypeStruct((128,), jnp.float32)
X = np.arange(128, dtype=np.float32)


def doubles(x_ref, out_ref):
  out_ref[...] = x_ref[...] * 2


def waits(x_ref, out_ref, ready):
  out_ref[...] = x_ref[...]
  plgpu.barrier_wait(ready)


GOOD = plgpu.kernel(doubles, out_type=OUT)
BAD = plgpu.kernel(waits, out_type=OUT, scratch_types=[plgpu.Barrier()])


def parameters(function):
  return {name: p.default for name, p in inspect.signature(function).parameters.items()}


def test_the_options_of_install():
  stated = {
    "arch": None, "num_sms": None, "checks": "default", "on_finding": "raise", "seed": 0,
    "schedule": "fixed", "async_values": "eager", "max_steps": None, "workers": None,
    "numerics": "declared",
  }
  assert stated.items() <= parameters(pallasite.install).items()
  assert stated.items() <= parameters(pallasite.Params).items()
  kinds = {p.kind for p in inspect.signature(pallasite.install).parameters.values()}
  assert kinds == {inspect.Parameter.KEYWORD_ONLY}
  with pallasite.install() as installation:
    assert installation.reset() is None
  assert pallasite.uninstall() is None


def test_every_name_that_is_listed_is_there():
  assert {
    "install", "uninstall", "Params", "check", "collect", "last_report", "export", "load", "explain",
    "Report", "Finding", "Module", "KernelError", "UnsupportedError", "ResourceError",
    "KernelWarning",
  } <= set(pallasite.__all__)
  for name in pallasite.__all__:
    assert getattr(pallasite, name) is not None
  assert set(pallasite.__all__) <= set(dir(pallasite))


def test_what_the_errors_are():
  assert issubclass(pallasite.KernelError, jax.errors.JaxRuntimeError)
  assert issubclass(pallasite.KernelError, ValueError)
  # Libraries swallow those and go on with other code.
  assert not issubclass(pallasite.UnsupportedError, (NotImplementedError, ValueError))
  assert issubclass(pallasite.ResourceError, ValueError)
  assert issubclass(pallasite.KernelWarning, UserWarning)


def test_a_report():
  with pallasite.install(arch="h100"), pallasite.collect() as reports:
    jax.jit(GOOD)(X)
    for _ in range(2):
      with pytest.raises(pallasite.KernelError) as caught:
        jax.jit(BAD)(X)
  assert [r.verdict for r in reports] == ["clean", "error", "error"]
  assert caught.value.report is reports[-1] is pallasite.last_report()
  assert caught.value.findings == reports[-1].findings
  for report in (*reports, pallasite.check(BAD, X, checks="none")):
    for name in ("verdict", "findings", "outputs", "stats", "schedule"):
      getattr(report, name)
    again = json.loads(json.dumps(report.to_dict()))
    assert again["verdict"] == report.verdict
    assert [f["code"] for f in again["findings"]] == [f.code for f in report.findings]
    assert pickle.loads(pickle.dumps(reports[0])) == reports[0]
  (finding,) = reports[-1].findings
  assert finding.severity == finding.level == "error"
  assert finding.code == "sched.deadlock" and "deadlock" in finding.message
  # The access itself first.
  file, line = finding.locations[0]
  assert (file, inspect.getsourcelines(waits)[1] + 2) == (__file__, line)
  assert json.loads(json.dumps(finding.to_dict()))["code"] == finding.code


def test_check_and_modules(tmp_path):
  report = pallasite.check(GOOD, X, arch="h100")
  assert report.verdict == "clean" and report.compare(2 * X)
  assert pallasite.check(GOOD, X, run=False).outputs is None
  path = tmp_path / "k.pir"
  pallasite.export(GOOD, X).save(path)
  outputs = pallasite.load(path).run(x_ref=X).outputs
  np.testing.assert_array_equal(outputs["out_ref"], 2 * X)
  with pytest.raises(TypeError, match="functools.partial"):
    pallasite.check(GOOD, X, scale=2)


def test_explain():
  entry = pallasite.explain("sched.deadlock")
  assert isinstance(entry, dict)
  json.dumps(entry)
  with pytest.raises(KeyError, match="sched.deadlock"):
    pallasite.explain("sched.deadlok")


def test_a_guessed_architecture_is_said_to_be_one():
  with pallasite.collect() as reports:
    with pallasite.install():
      GOOD(X)
    with pallasite.install(arch="b200"):
      GOOD(X)
  said = [(r.data["arch"], r.data["arch_guessed"]) for r in reports]
  assert said == [("sm_90a", True), ("sm_100a", False)]


def test_a_verdict_that_was_swallowed_counts():
  from pallasite.session import session

  with pallasite.install() as installation:
    installation.reset()
    with pytest.raises(pallasite.KernelError):
      BAD(X)
    GOOD(X)
    assert (session.verdict, session.runs) == ("error", 2)
    assert pallasite.last_report().verdict == "clean"
    installation.reset()
    assert session.verdict == "clean"
