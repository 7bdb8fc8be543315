"""Kernels as modules: text that can be kept, and run with no JAX program around it."""

from __future__ import annotations

import difflib
import errno
import os
import pathlib
import re

import numpy as np

from pallasite import engine
from pallasite.errors import raise_interrupt
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
    """Runs the kernel on arrays by the names of its inputs. Never raises for a finding.

    The report keeps a copy of the inputs, for `compare` and `value`."""
    missing = [name for name in self.input_names if name not in arrays]
    unknown = sorted(set(arrays) - set(self.input_names))
    if missing or unknown:
      raise TypeError(
        f"the kernel's inputs are {', '.join(self.input_names) or 'none'}"
        + (f"; missing: {', '.join(missing)}" if missing else "")
        + (f"; unknown: {', '.join(unknown)}" if unknown else "")
      )
    operands = [np.asarray(arrays[name]) for name in self.input_names]
    outputs, text, kept = engine.run(self.text, operands, {"on_finding": "record"})
    report = Report.from_json(text)
    report.outputs = dict(zip(self.output_names, outputs))
    report.kept = [kept]
    session.read_silence()
    with session.as_data():
      session.add(report)
    if report.was_interrupted:
      raise_interrupt(engine.take_interrupt() or KeyboardInterrupt(), report)
    return report


_WHAT_IT_IS = (
  "a .pir file is text in UTF-8 that begins with `pir 1`, as written by "
  "`pallasite.export(fn, *args).save(path)`"
)
# More than any kernel; what is larger is something else.
_MAX_FILE_BYTES = 1 << 30


def load(path: str | os.PathLike) -> Module:
  """Reads a kernel from a .pir file. What is wrong with the module itself is found when it runs."""
  file = pathlib.Path(path)
  if file.is_dir():
    raise IsADirectoryError(errno.EISDIR, f"this is a folder; {_WHAT_IT_IS}", str(path))
  if not file.exists():
    near = difflib.get_close_matches(file.name, _pir_files(file.parent), n=1)
    hint = f"; did you mean {file.parent / near[0]}?" if near else ""
    raise FileNotFoundError(errno.ENOENT, f"no such file{hint}", str(path))
  size = file.stat().st_size
  if size > _MAX_FILE_BYTES:
    raise ValueError(f"{path} has {size} bytes, more than any kernel: {_WHAT_IT_IS}")
  contents = file.read_bytes()
  try:
    text = contents.decode("utf-8")
  except UnicodeDecodeError as error:
    byte = contents[error.start]
    raise ValueError(
      f"{path} is not a kernel: byte 0x{byte:02x} at offset {error.start} is not UTF-8; "
      f"{_WHAT_IT_IS}"
    ) from None
  if not text.strip():
    raise ValueError(f"{path} is empty; {_WHAT_IT_IS}")
  return Module(text)


def _pir_files(folder: pathlib.Path) -> list[str]:
  return sorted(p.name for p in folder.glob("*.pir")) if folder.is_dir() else []
