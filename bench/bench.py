"""Ratios that say how fast pallasite is. Run by `make bench`.

    python bench/bench.py build/bench/pallasite_bench_matmul [--json FILE]

The engine is measured against a bare loop over the same tiles, and beside JAX's own interpreter.
What is compared runs in turns, so that other load on the machine slows both sides; ratios of CPU time
hardly see such load. Times are printed for orientation; nothing depends on them.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys

import against_jax
import jax
import pallasite


def rows(native: dict, beside: dict):
  for found in native["matmul"]:
    size = "x".join(map(str, found["size"]))
    tile = "x".join(map(str, found["tile"]))
    times = {name: time["median_ms"] for name, time in found["times"].items()}
    cpu = {name: time["cpu_ms"] for name, time in found["times"].items()}
    for above, below in (("loop", "library"), ("engine", "loop")):
      yield (
        f"{size}, tiles {tile}",
        f"{above} / {below}",
        times[above],
        times[below],
        cpu[above] / cpu[below],
      )
  found = native["workers"]
  times = {name: time["median_ms"] for name, time in found["times"].items()}
  yield (
    f"{'x'.join(map(str, found['size']))}, 16 clusters",
    "1 worker / 2 workers",
    times["one_worker"],
    times["two_workers"],
    found["speedup_by_cpu_time"],
  )
  medians, cpu = beside["median_ms"], beside["cpu_ms"]
  size = "x".join([str(beside["size"])] * 3)
  yield (
    f"{size}, under JAX",
    "JAX interpreter / pallasite",
    medians["jax"],
    medians["pallasite"],
    cpu["jax"] / cpu["pallasite"],
  )


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("program", type=pathlib.Path, help="pallasite_bench_matmul")
  parser.add_argument("--rounds", type=int, default=41)
  parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
  stated = parser.parse_args()
  command = [stated.program.resolve(), "--json", "--rounds", str(stated.rounds)]
  native = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
  beside = against_jax.compare()
  print(f"pallasite {pallasite.__version__}, JAX {jax.__version__}, f16 matmul\n")
  print(f"{'':<34}{'':<28}{'median ms':>20}  {'ratio':>7}  {'of CPU times':>13}")
  for what, names, above, below, cpu in rows(native, beside):
    times = f"{above:.2f} / {below:.2f}"
    print(f"{what:<34}{names:<28}{times:>20}  {above / below:>7.2f}  {cpu:>13.2f}")
  if stated.json:
    stated.json.write_text(json.dumps({**native, "jax": beside}, indent=2) + "\n")
  return 0


if __name__ == "__main__":
  sys.exit(main())
