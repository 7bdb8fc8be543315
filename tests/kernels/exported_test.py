"""Programs that `jax.export` made, called in another process than the one that exported them."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys, time
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
import pallasite

OUT = jax.ShapeDtypeStruct((64,), jnp.float32)
N = len(jax.devices())
MESH = jax.make_mesh((N,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
OURS = [jax.export.DisabledSafetyCheck.custom_call("pallasite_run")]

def waits(x, out, ready):
  # A block whose first number is negative waits in vain.
  out[...] = x[...] + 1
  @pl.when(x[0] < 0)
  def _():
    plgpu.barrier_wait(ready)  # here

CALL = plgpu.kernel(waits, out_type=OUT, scratch_types=[plgpu.Barrier()])

def sharded(call):
  return jax.jit(jax.shard_map(
    lambda x: lax.psum(call(x), "d"), mesh=MESH, in_specs=jax.P("d"), out_specs=jax.P(),
    check_vma=False), in_shardings=jax.NamedSharding(MESH, jax.P("d")))

def numbers(n=1, bad=()):
  x = np.ones((n, 64), np.float32)
  x[list(bad)] = -1
  return x.reshape(-1)

def save(function, shape, path):
  path.write_bytes(jax.export.export(jax.jit(function), disabled_checks=OURS)(shape).serialize())

def load(path):
  return jax.export.deserialize(path.read_bytes())

def outcome(call, x):
  with pallasite.collect() as reports:
    try:
      out = float(np.ravel(call(x))[0])
    except pallasite.KernelError as error:
      line = error.findings[0].locations[0][1]
      assert "# here" in open(__file__).read().splitlines()[line - 1]
      out = (error.report.verdict, error.findings[0].code, error.report.data.get("device"))
  return out, [report.verdict for report in reports]
"""

MAKE = """
pallasite.install(arch="h100")
save(CALL, OUT, FOLDER / "one")
one = jax.export.export(jax.jit(CALL), disabled_checks=OURS)(OUT)
save(lambda x: one.call(one.call(x)), OUT, FOLDER / "nested")
save(sharded(lambda x: CALL(CALL(x))), jax.ShapeDtypeStruct((64 * N,), jnp.float32), FOLDER / "many")
"""


def run(tmp_path, program, devices=1):
  file = tmp_path / "script.py"
  file.write_text(SCRIPT + f"import pathlib\nFOLDER = pathlib.Path({str(tmp_path)!r})\n" + program)
  flags = f"--xla_force_host_platform_device_count={devices}"
  environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
  ended = subprocess.run(
    [sys.executable, str(file)], capture_output=True, text=True, env=environment, timeout=200,
    check=False,
  )
  assert ended.returncode == 0, ended.stderr
  return ended.stdout.splitlines()


ERROR = ("error", "sched.deadlock", None)


def test_it_runs_and_raises_as_any_other_call(tmp_path):
  run(tmp_path, MAKE)
  lines = run(tmp_path, """
pallasite.install(arch="h100")
one, nested = load(FOLDER / "one"), load(FOLDER / "nested")
ways = {
  "plain": one.call,
  "under jit": jax.jit(one.call),
  "inside another": jax.jit(lambda x: one.call(x) * 2),
  "nested jit": jax.jit(lambda x: jax.jit(one.call)(x)),
  "beside a kernel": jax.jit(lambda x: one.call(CALL(x - 1))),
  "in a loop": jax.jit(lambda x: lax.fori_loop(0, 2, lambda _, c: one.call(c), x)),
  "of an exported one": nested.call,
  "compiled": jax.jit(one.call).lower(numbers()).compile(),
}
for name, call in ways.items():
  # Cold and warm.
  for _ in range(2):
    print(name, *outcome(call, numbers()))
    print(name, *outcome(call, numbers(1, [0])))
""")
  values = {
    "plain": (2.0, 1), "under jit": (2.0, 1), "inside another": (4.0, 1), "nested jit": (2.0, 1),
    "beside a kernel": (2.0, 2), "in a loop": (3.0, 2), "of an exported one": (3.0, 2),
    "compiled": (2.0, 1),
  }
  expected = []
  for name, (value, runs) in values.items():
    good, bad = f"{name} {value} {['clean'] * runs}", f"{name} {ERROR} ['error']"
    expected += [good, bad] * 2
  assert lines == expected


@pytest.mark.parametrize("devices", [2, 4])
def test_on_several_devices_all_leave_before_it_raises(tmp_path, devices):
  run(tmp_path, MAKE, devices)
  lines = run(tmp_path, """
pallasite.install(arch="h100")
one, many = load(FOLDER / "one"), load(FOLDER / "many")
on_all = jax.jit(many.call, in_shardings=jax.NamedSharding(MESH, jax.P("d")))
for call in (on_all, sharded(one.call), sharded(lambda x: CALL(one.call(x)))):
  for bad in ((), [N - 1], (), [0, 1]):
    start = time.time()
    print(*outcome(call, numbers(N, bad)))
    assert time.time() - start < 20
""", devices)
  expected = []
  for kernels, value in ((2, 3.0), (1, 2.0), (2, 3.0)):
    good = f"{value * devices} {['clean'] * kernels * devices}"
    for bad in ([devices - 1], [0, 1]):
      verdicts = ["error" if device in bad else "clean" for device in range(devices)]
      expected += [good, f"{('error', 'sched.deadlock', bad[0])} {verdicts}"]
  assert lines == expected


def test_check_and_what_is_counted(tmp_path):
  run(tmp_path, MAKE)
  lines = run(tmp_path, """
from pallasite.session import session
one = load(FOLDER / "one")
report = pallasite.check(lambda x: one.call(CALL(x)) * 1, numbers(), checks="none")
print(report.verdict, report.kernels, report.outputs[0], report.value("out", kernel=1)[0])
# Each of the two was lowered, and ran.
print(session.lowered, session.runs)
report = pallasite.check(one.call, numbers(1, [0]))
print(report.verdict, report.findings[0].code)
with pallasite.install(on_finding="record"):
  print(*outcome(one.call, numbers(1, [0])))
""")
  assert lines == [
    "clean ['waits', 'waits'] 3.0 3.0", "2 2", "error sched.deadlock", "0.0 ['error']",
  ]


def test_what_else_was_exported_is_left_alone(tmp_path):
  lines = run(tmp_path, """
save(lambda x: x + 1, OUT, FOLDER / "plain")
pallasite.install(arch="h100")
plain = load(FOLDER / "plain")
print(*outcome(plain.call, numbers()), *outcome(jax.jit(lambda x: CALL(plain.call(x))), numbers()))
""")
  assert lines == ["2.0 [] 3.0 ['clean']"]
