"""Kernels as modules: text that can be kept, and run with no JAX program around it."""

from __future__ import annotations

import os
import pathlib
import re

import numpy as np

from pallasite import engine
from pallasite.report import Report
from pallasite.session import session

_PARAMETER = re.compile(
  r'^  (input|output) %\d+(?: "((?:[^"\\]|\\.)*)")?(?: aliases %\d+)?: ref<gmem, '
)


class Module:
  """One kernel. `text` is the whole of it, in the form that docs/ir.md describes."""

  def __init__(self, text: str):
    self.text = text
    self.input_names: list[str] = []
    self.output_names: list[str] = []
    for line in text.splitlines():
      match = _PARAMETER.match(line)
      if match is not None:
        names = self.input_names if match[1] == "input" else self.output_names
        names.append(match[2] or f"{match[1]}{len(names)}")

  def save(self, path: str | os.PathLike):
    pathlib.Path(path).write_text(self.text, encoding="utf-8")

  def verify(self) -> list[dict]:
    """Diagnostics of the module itself; empty if it is well-formed."""
    return engine.verify(self.text)

  def run(self, **arrays) -> Report:
    """Runs the kernel on arrays by the names of its inputs. Never raises for a finding."""
    missing = [name for name in self.input_names if name not in arrays]
    unknown = sorted(set(arrays) - set(self.input_names))
    if missing or unknown:
      raise TypeError(
        f"the kernel's inputs are {', '.join(self.input_names) or 'none'}"
        + (f"; missing: {', '.join(missing)}" if missing else "")
        + (f"; unknown: {', '.join(unknown)}" if unknown else "")
      )
    operands = [np.asarray(arrays[name]) for name in self.input_names]
    outputs, text = engine.run(self.text, operands, {"on_finding": "record"})
    report = Report.from_json(text)
    report.outputs = dict(zip(self.output_names, outputs))
    session.read_silence()
    with session.as_data():
      session.add(report)
    return report


def load(path: str | os.PathLike) -> Module:
  return Module(pathlib.Path(path).read_text(encoding="utf-8"))
