"""What pallasite does, on one kernel that is right and three that are not. Run by `make demo`."""

from __future__ import annotations

import pathlib
import sys
import textwrap
import time

import jax
import numpy as np
import pallasite

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "bench")]

import against_jax  # noqa: E402
from broken import (  # noqa: E402
  arrive_missing,
  commit_smem_missing,
  released_before_wgmma_wait,
)

MAX_ERROR = 2e-3
MEANING = {
  "eager": "copies and products take effect when they are issued",
  "late": "they take effect as late as the hardware may let them",
}
BOLD, DIM, RESET = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
failures: list[str] = []


def title(text: str):
  print(f"\n{BOLD}{text}{RESET}")


def show(text: str):
  """Paths below this folder are printed relative to it."""
  print(textwrap.indent(text.replace(f"{ROOT}/", "").rstrip(), "    "))


def line(name: str, text: str):
  print(f"    {name:<16} {text}")


def expect(holds: bool, what: str):
  if not holds:
    failures.append(what)


def relative_path(module) -> str:
  return str(pathlib.Path(module.__file__).relative_to(ROOT))


def checks(report) -> str:
  return f"{', '.join(report.checks)}; not checked yet: {', '.join(report.checks_not_built)}"


def matmul():
  title("1. A kernel from the JAX wheel, unmodified")
  show(
    "from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu\n"
    'pallasite.install(arch="h100", num_sms=4)\n'
    "matmul = functools.partial(hopper_matmul_mgpu.matmul, c=None, config=config)\n"
    "jax.jit(matmul)(a, b)    # f16, 1024 x 1024 x 1024\n"
  )
  a, b = against_jax.matrices(1024, 1024, 1024)
  call = jax.jit(lambda a, b: against_jax.matmul(a, b))
  times = []
  with pallasite.install(arch="h100", num_sms=4):
    for _ in range(6):
      start = time.perf_counter()
      out = jax.block_until_ready(call(a, b))
      times.append(time.perf_counter() - start)
  report = pallasite.last_report()
  error = against_jax.relative_error(out, a, b)
  print()
  line("findings", str(len(report.findings)))
  line("checked", checks(report))
  line("largest error", f"{error:.1e} of the largest element, against float64 (limit {MAX_ERROR})")
  line("time", f"{min(times[1:]) * 1e3:.0f} ms a call; the first {times[0]:.1f} s, with tracing")
  expect(error <= MAX_ERROR, "the matmul is not within its limit")
  expect(report.verdict == "clean", f"the matmul's verdict is {report.verdict}")


def run_and_show(module) -> list[str]:
  """Runs a broken kernel as a user would, prints what is raised, returns the codes found."""
  with pallasite.install(arch="h100", num_sms=4):
    try:
      jax.block_until_ready(jax.jit(module.run)(*module.arguments()))
    except pallasite.KernelError as error:
      show(str(error))
      return [finding.code for finding in error.findings]
  return []


def deadlock():
  title("2. An arrive that never comes")
  print(f"    {relative_path(arrive_missing)}\n")
  expect(run_and_show(arrive_missing) == ["sched.deadlock"], "the deadlock was not found")


def judge(module, report) -> str:
  expected = module.reference(*module.arguments())
  difference = report.compare(expected, rtol=1e-2, atol=2e-2)
  if difference:
    return "right in this run, by luck"
  got = np.asarray(report.outputs)
  index = ", ".join(map(str, difference.index))
  return (
    f"wrong in {difference.count} of {got.size} elements: "
    f"out[{index}] is {difference.got}, should be {difference.expected:.4g}"
  )


def broken(module, needs: str, async_values: tuple[str, ...]):
  print(f"    {relative_path(module)}\n")
  for values in async_values:
    report = pallasite.check(module.run, *module.arguments(), arch="h100", async_values=values)
    if len(async_values) > 1:
      print(f'    async_values="{values}" {DIM}({MEANING[values]}){RESET}')
    if report.findings:
      run_and_show(module)
    elif needs in report.checks_not_built:
      line("fault", f"not checked yet: what finds it, {needs}, is not built")
    else:
      expect(False, f"{relative_path(module)}: its fault was not found")
    line("checked", checks(report))
    line("values", judge(module, report))


def speed():
  title("5. Speed: the same matmul in JAX's own interpreter, f16, 256 x 256 x 256")
  result = against_jax.compare()
  line("JAX interpreter", f"{result['median_ms']['jax']:8.1f} ms a call")
  line("pallasite", f"{result['median_ms']['pallasite']:8.1f} ms a call")
  line("ratio", f"{result['speedup']:8.0f}")
  expect(max(result["relative_error"].values()) <= MAX_ERROR, "the two matmuls differ")


def main() -> int:
  print(f"pallasite {pallasite.__version__} on JAX {jax.__version__}, CPU only")
  matmul()
  deadlock()
  title("3. A fence that is missing before an asynchronous copy")
  broken(commit_smem_missing, "races", ("eager",))
  title("4. A pipeline stage released before wgmma_wait")
  broken(released_before_wgmma_wait, "races", ("eager", "late"))
  speed()
  for failure in failures:
    print(f"\nthe demo failed: {failure}", file=sys.stderr)
  return 1 if failures else 0


if __name__ == "__main__":
  sys.exit(main())
