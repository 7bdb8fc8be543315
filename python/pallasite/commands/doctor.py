"""`pallasite doctor`: what is installed, what is set, and whether it works."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
import warnings

# What was tested together; docs/compat.md says more.
_TESTED_JAX = ("0.11.1", "0.12.0.1")
_TESTED_PYTHON = ((3, 12), (3, 13))

_BROKEN, _DOUBTFUL, _FINE = "broken", "doubtful", "ok"


def run(json_path: str) -> int:
  """Prints what there is to say; 1 if something is broken."""
  checkup = examine()
  if json_path != "-":
    print(render(checkup))
  if json_path:
    text = json.dumps(checkup, indent=1, default=str)
    if json_path == "-":
      print(text)
    else:
      with open(json_path, "w", encoding="utf-8") as file:
        file.write(text + "\n")
  return 1 if any(item["state"] == _BROKEN for item in checkup["items"]) else 0


def examine() -> dict:
  """`items`: name, value, state (ok, doubtful, broken) and a note; `options`; `silence`."""
  items: list[dict] = []

  def add(name: str, value, state: str = _FINE, note: str = ""):
    items.append({"name": name, "value": value, "state": state, "note": note})

  _examine_python(add)
  _examine_jax(add)
  engine_works = _examine_engine(add)
  if engine_works:
    _examine_run(add)
  options, silence = _examine_options(add)
  _examine_pytest(add)
  return {"items": items, "options": options, "silence": silence}


def _version(package: str) -> str | None:
  try:
    return importlib.metadata.version(package)
  except importlib.metadata.PackageNotFoundError:
    return None


def _examine_python(add):
  tested = sys.version_info[:2] in _TESTED_PYTHON
  add(
    "Python", f"{platform.python_version()} at {sys.executable}",
    _FINE if tested else _DOUBTFUL, "" if tested else "tested with 3.12 and 3.13",
  )
  import pallasite

  add("pallasite", f"{_version('pallasite') or 'not installed'} at {os.path.dirname(pallasite.__file__)}")


def _examine_jax(add):
  jax, jaxlib = _version("jax"), _version("jaxlib")
  if jax is None or jaxlib is None:
    add("jax", f"jax {jax or 'missing'}, jaxlib {jaxlib or 'missing'}", _BROKEN, "pip install jax")
    return
  tested = jax in _TESTED_JAX
  add(
    "jax", f"jax {jax}, jaxlib {jaxlib}", _FINE if tested else _DOUBTFUL,
    "a tested version" if tested else f"not tested; tested are {' and '.join(_TESTED_JAX)}",
  )
  try:
    import jax as jax_module

    backend = jax_module.default_backend()
  except Exception as error:
    add("backend", f"{type(error).__name__}: {error}", _BROKEN, "JAX itself does not start")
    return
  add(
    "backend", backend, _FINE,
    "kernels compiled for a GPU are left alone; JAX_PLATFORMS=cpu runs them here"
    if backend != "cpu" else "no GPU in use: kernels run here",
  )


def _examine_engine(add) -> bool:
  from pallasite import engine

  try:
    info = engine.build_info()
  except ImportError as error:
    add("engine", str(error), _BROKEN, "install the package again; nothing can run without it")
    return False
  add(
    "engine",
    f"{info['version']} ({info['compiler']}, {info['build']}, {info['machine']})",
    _FINE if info["version"] == (_version("pallasite") or info["version"]) else _BROKEN,
    "" if info["version"] == (_version("pallasite") or info["version"]) else "of another version",
  )
  add("instruction set", f"{info['instruction_set']}; oneDNN {info['onednn']}")
  add("processors", info["processors"])
  return True


_PROBE = """pir 1
kernel @probe {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, i32[1]>
  output %1 "out": ref<gmem, i32[1]>
  body {
    %2 = view.index %0 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32[]>
    %3 = view.index %1 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32[]>
    %4 = memory.load %2 : i32
    %5 = arith.neg %4 : i32
    memory.store %3, %5
    control.yield
  }
}
"""


def _examine_run(add):
  """A kernel of one instruction, and whether XLA takes the handler."""
  import numpy as np

  from pallasite import engine

  try:
    outputs, report, _ = engine.run(_PROBE, [np.array([7], np.int32)], {"on_finding": "record"})
    verdict = json.loads(report)["verdict"]
    right = verdict == "clean" and int(outputs[0][0]) == -7
    add("a kernel", f"ran: {verdict}", _FINE if right else _BROKEN, "" if right else "wrong")
  except Exception as error:
    add("a kernel", f"{type(error).__name__}: {error}", _BROKEN, "please report this")
  try:
    engine.register_ffi_target()
    add("XLA", "takes the handler of kernels")
  except Exception as error:
    add("XLA", f"{type(error).__name__}: {error}", _BROKEN, "kernels cannot run under JAX")


def _examine_options(add) -> tuple[list[dict], list]:
  from pallasite import options

  try:
    states = options.listing()
  except Exception as error:
    add("options", f"{type(error).__name__}: {error}", _BROKEN, "nothing starts until this is mended")
    return [], []
  for name in options.unknown_variables():
    add("options", name, _DOUBTFUL, "this variable is no option: misspelt?")
  listed = [
    {"name": s.name, "value": s.value, "source": s.source, "variable": s.variable} for s in states
  ]
  silence = next((list(s.value) for s in states if s.name == "silence"), [])
  return listed, silence


def _examine_pytest(add):
  if _version("pytest") is None:
    add("pytest", "not installed", _FINE, "pip install pytest, for pytest --pallasite=h100")
    return
  plugins = [p for p in importlib.metadata.entry_points(group="pytest11") if p.name == "pallasite"]
  if plugins:
    add("pytest", f"{_version('pytest')}, with the plugin {plugins[0].value}")
  else:
    add("pytest", f"{_version('pytest')}, without the plugin", _DOUBTFUL, "pytest --pallasite is not there")


def render(checkup: dict) -> str:
  marks = {_FINE: " ", _DOUBTFUL: "?", _BROKEN: "!"}
  lines = []
  for item in checkup["items"]:
    note = f"  ({item['note']})" if item["note"] else ""
    lines.append(f"{marks[item['state']]} {item['name']:<16} {item['value']}{note}")
  if checkup["options"]:
    lines.append("  options")
  for option in checkup["options"]:
    lines.append(f"    {option['name']:<20} {_shown(option['value']):<12} {option['source']}")
  states = [item["state"] for item in checkup["items"]]
  broken, doubtful = states.count(_BROKEN), states.count(_DOUBTFUL)
  lines.append(
    f"{broken} broken (!), {doubtful} doubtful (?)" if broken or doubtful else "nothing is broken"
  )
  return "\n".join(lines)


def _shown(value) -> str:
  if value is None or value == ():
    return "-"
  return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


# A warning about an untested JAX is an item here.
warnings.filterwarnings("ignore", message="pallasite was tested with JAX")
