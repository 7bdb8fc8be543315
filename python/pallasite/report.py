"""Verdicts as data."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Worst first: of several verdicts the first one here stands.
VERDICTS = ("internal", "error", "unsupported", "resource", "incomplete", "warning", "clean")


def worst_verdict(verdicts: Sequence[str]) -> str:
  return min(verdicts, key=VERDICTS.index, default="clean")


@dataclass(frozen=True)
class Finding:
  code: str
  level: str
  message: str
  # (file, line), the access itself first.
  locations: list[tuple[str, int]] = field(default_factory=list)
  # All that the engine knows: labels, threads, arguments, help.
  data: dict = field(default_factory=dict, repr=False)

  @property
  def severity(self) -> str:
    return self.level

  @property
  def verdict(self) -> str:
    """What a run with this finding amounts to."""
    return self.data.get("verdict") or {"error": "error", "warning": "warning"}.get(
      self.level, "clean"
    )

  def to_dict(self) -> dict:
    return {
      **self.data,
      "code": self.code,
      "level": self.level,
      "message": self.message,
      "locations": [list(place) for place in self.locations],
    }

  @classmethod
  def from_json(cls, data: dict) -> Finding:
    places = []
    for label in data.get("labels", ()):
      place = _user_place(label.get("location", ()))
      if place is not None and place not in places:
        places.append(place)
    return cls(data["code"], data["level"], data["message"], places, data)


def _user_place(frames: Sequence[dict]) -> tuple[str, int] | None:
  """The innermost frame that a user wrote, or else the innermost one."""
  for frame in frames:
    if not frame.get("note"):
      return frame["file"], frame["line"]
  return (frames[0]["file"], frames[0]["line"]) if frames else None


@dataclass(frozen=True)
class Writer:
  """Who wrote an element last."""

  kernel: str
  output: str
  # The index of the block by axis of the grid and of the cluster; the name of the thread axis (empty
  # without one) and the thread's number.
  block: dict[str, int]
  thread_axis: str
  thread: int
  # Of the loops around the line, outermost first.
  iterations: tuple[int, ...]
  # (file, line, function, note), the line that wrote first, then who called it; a note says how code
  # that the user did not write came there. Of an asynchronous copy: the line that issued it.
  frames: list[tuple[str, int, str, str]]
  asynchronous: bool
  # How often the element was written.
  writes: int
  # The thread in words: "wg=1 of block (x=0), iteration 2".
  text: str

  @property
  def location(self) -> tuple[str, int] | None:
    """The innermost line that a user wrote."""
    for file, line, _, note in self.frames:
      if not note:
        return file, line
    return self.frames[0][:2] if self.frames else None

  def __str__(self) -> str:
    at = "".join(
      f"\n  at {file}:{line}" + (f" in {function}" if function else "") + (f" ({note})" if note else "")
      for file, line, function, note in self.frames
    )
    how = "by a copy that was issued by" if self.asynchronous else "by"
    again = f"; {self.writes} writes in all" if self.writes > 1 else ""
    return f"last written {how} {self.text}, kernel {self.kernel}{again}{at}"

  @classmethod
  def from_json(cls, data: dict) -> Writer:
    thread = data["thread"]
    return cls(
      data["kernel"],
      data["output"],
      dict(thread["axes"]),
      thread["thread_axis"],
      thread["thread"],
      tuple(loop["iteration"] for loop in thread.get("iterations", ())),
      [(f["file"], f["line"], f.get("function", ""), f.get("note", "")) for f in data["location"]],
      data["asynchronous"],
      data["writes"],
      thread["text"],
    )


@dataclass(frozen=True)
class Comparison:
  """How outputs differ from a reference. True where they agree; `str` of it is for people.

  `writer` runs the kernel again to see who wrote the worst element, when it is first asked for.
  """

  equal: bool
  # Position of the output, and the index in it, where the error is largest; None without outputs.
  output: int | None
  index: tuple[int, ...] | None
  got: Any
  wanted: Any
  error: float
  # Elements that differ by more than the tolerance, in all outputs, and elements there are.
  count: int
  size: int
  rtol: float
  atol: float
  # Gives the writer, or None, and why there is none.
  _look_up: Any = field(default=None, repr=False, compare=False)

  @property
  def expected(self) -> Any:
    """The same as `wanted`."""
    return self.wanted

  @functools.cached_property
  def _written(self) -> tuple[Writer | None, str]:
    if self._look_up is None or self.output is None:
      return None, "there is no element to ask about"
    return self._look_up(self.output, self.index)

  @property
  def writer(self) -> Writer | None:
    return self._written[0]

  @property
  def why_no_writer(self) -> str:
    """Why `writer` is None; empty if it is not."""
    return self._written[1]

  def __bool__(self) -> bool:
    return self.equal

  def __str__(self) -> str:
    tolerance = f"(rtol={self.rtol:g}, atol={self.atol:g})"
    if self.equal:
      return f"equal within the tolerance {tolerance}; the largest difference is {self.error:g}"
    text = (
      f"{self.count} of {self.size} elements differ by more than the tolerance {tolerance}\n"
      f"worst: output {self.output} at {list(self.index)}: got {self.got}, wanted {self.wanted}, "
      f"difference {self.error:g}\n"
    )
    return text + (str(self.writer) if self.writer else f"no writer is known: {self.why_no_writer}")


@dataclass
class Report:
  """What one kernel, or several, did."""

  verdict: str
  findings: list[Finding] = field(default_factory=list)
  outputs: Any = None
  stats: dict = field(default_factory=dict)
  schedule: list = field(default_factory=list)
  # Names of the kernels, in the order in which they ran.
  kernels: list[str] = field(default_factory=list)
  # The rest of what the engine said.
  data: dict = field(default_factory=dict, repr=False)
  # The report for a person, where an error was made of it.
  text: str = field(default="", repr=False, compare=False)
  # Whether it was asked for as data (`check`): then nothing else is to fail because of it.
  as_data: bool = field(default=False, repr=False, compare=False)
  # The kernels with their inputs, where these were kept (`check`, `Module.run`).
  kept: list = field(default_factory=list, repr=False, compare=False)

  @property
  def checks(self) -> list[str]:
    """The checks that ran."""
    return list(self.data.get("checks", ()))

  @property
  def checks_not_built(self) -> list[str]:
    """What this version cannot find yet, whatever the verdict."""
    return list(self.data.get("checks_not_built", ()))

  @property
  def was_interrupted(self) -> bool:
    """Whether a signal ended the run."""
    return any(finding.code == "run.interrupted" for finding in self.findings)

  @property
  def silenced(self) -> list[dict]:
    """Findings that the user silenced, each with `reason` and `silenced_by`."""
    return list(self.data.get("silenced", ()))

  def to_dict(self) -> dict:
    return {
      **self.data,
      "verdict": self.verdict,
      "silenced": self.silenced,
      "kernels": list(self.kernels),
      "findings": [finding.to_dict() for finding in self.findings],
      "stats": dict(self.stats),
      "schedule": list(self.schedule),
    }

  def compare(self, reference, *, rtol: float = 1e-5, atol: float = 1e-8) -> Comparison:
    """Compares the outputs with arrays of the same structure.

    An element agrees if `abs(got - wanted) <= atol + rtol * abs(wanted)`; NaN agrees with NaN.
    """
    import jax

    if self.outputs is None:
      raise ValueError(f"this report has no outputs to compare (verdict: {self.verdict})")
    outputs, structure = jax.tree_util.tree_flatten(self.outputs)
    references, reference_structure = jax.tree_util.tree_flatten(reference)
    if structure != reference_structure:
      raise ValueError(
        f"the reference has another structure: {reference_structure}, outputs: {structure}"
      )
    worst, count, size = None, 0, 0
    for position, (got, wanted) in enumerate(zip(outputs, references)):
      got, wanted = np.asarray(got), np.asarray(wanted)
      found, differing = _compare_arrays(position, got, wanted, rtol, atol)
      count += differing
      size += got.size
      if found is not None and (worst is None or found[2] > worst[2]):
        worst = found
    if worst is None:
      return Comparison(count == 0, None, None, None, None, 0.0, count, size, rtol, atol)
    position, index, error = worst
    got, wanted = np.asarray(outputs[position])[index], np.asarray(references[position])[index]

    def look_up(output, at):
      return self._writer(np.asarray(outputs[output]), at)

    return Comparison(
      count == 0, position, index, got, wanted, error, count, size, rtol, atol, look_up
    )

  def _writer(self, array: np.ndarray, index: tuple[int, ...]) -> tuple[Writer | None, str]:
    if not self.kept:
      return None, "the inputs of the kernels were not kept; `check` and `Module.run` keep them"
    # A function may return what the last of its kernels wrote; whatever it made of that afterwards
    # was written by no kernel.
    for kept in reversed(self.kept):
      output = kept.find_output(array)
      if output is None:
        continue
      element = int(np.ravel_multi_index(index, array.shape)) if index else 0
      data = json.loads(kept.last_writer(output, element))
      if not data["writes"]:
        return None, (
          f"no thread of kernel {kept.kernel} wrote the element: it is {data['instead']}"
        )
      return Writer.from_json(data), ""
    names = ", ".join(dict.fromkeys(kept.kernel for kept in self.kept))
    return None, (
      f"this output of the function is not an output of a kernel ({names}): something was computed "
      "from it afterwards"
    )

  def value(self, name: str, *, block=None, at="end", thread=None, occurrence=0, kernel=None):
    """What a ref held, by the name that the kernel's author gave it. Runs the kernel again.

    Args:
      name: of an operand, an output, a scratch buffer, an argument of run_scoped or a barrier. Where
        several have the name: `name#2` is the second.
      block: of which block, as {"x": 0, "y": 3}; or a number where the grid has one axis. Not needed
        with one block, nor for an array in GMEM at the end.
      at: "end", which is the end of the scope that owned the buffer (of its last instance), or of the
        run; or "kernel.py:41", which is when a thread of the block comes to that line, before it
        touches any memory.
      thread: of registers, whose; with a line, who comes to it.
      occurrence: with a line: which time, from 0; -1 is the last.
      kernel: the kernel's name or number, where the report is of several.

    Returns a NumPy array in the ref's shape. Of barriers: fields phase (how many are complete),
    arrivals and pending_bytes.
    """
    kept = self._kept_run(kernel)
    axes = None if block is None else self._block(kept, block)
    request = {
      "name": name, "block": axes, "thread": None if thread is None else int(thread), "at": at,
      "occurrence": int(occurrence),
    }
    array, is_barrier = kept.value(json.dumps(request))
    if not is_barrier:
      return array
    fields = np.dtype([(f, np.int64) for f in ("phase", "arrivals", "pending_bytes")])
    return np.ascontiguousarray(array).view(fields).reshape(array.shape[:-1])

  def _kept_run(self, kernel: str | int | None):
    if not self.kept:
      raise ValueError(
        "the inputs of the kernels were not kept, so none can run again; `check` and `Module.run` "
        "keep them"
      )
    names = [kept.kernel for kept in self.kept]
    if isinstance(kernel, int):
      return self.kept[kernel]
    if kernel is None and len(names) == 1:
      return self.kept[0]
    found = [kept for kept in self.kept if kept.kernel == kernel]
    if len(found) == 1:
      return found[0]
    listed = ", ".join(f"{i}: {name}" for i, name in enumerate(names))
    raise ValueError(f"which kernel? state kernel= one of {listed}")

  @staticmethod
  def _block(kept, block) -> dict:
    if isinstance(block, dict):
      return {str(name): int(index) for name, index in block.items()}
    axes = kept.axes
    indices = tuple(block) if isinstance(block, (tuple, list)) else (block,)
    if len(indices) != len(axes):
      raise ValueError(f"block={block!r}: the axes are {', '.join(axes) or 'none'}; state each")
    return {name: int(index) for name, index in zip(axes, indices)}

  @classmethod
  def of_record(cls, record) -> Report:
    """The report of a run in which nothing was found. What it says is read when it is asked for."""
    report = cls.__new__(cls)
    report.verdict = "clean"
    report._record = record
    return report

  def __getattr__(self, name: str):
    # Fields that `of_record` left out.
    known = self.__dict__
    if "_record" not in known or name not in self.__dataclass_fields__:
      raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    for field_name, value in vars(Report.from_json(known["_record"].json())).items():
      known.setdefault(field_name, value)
    return known[name]

  def __getstate__(self) -> dict:
    # Another process has no record to read.
    return {name: getattr(self, name) for name in self.__dataclass_fields__}

  @classmethod
  def from_json(cls, text: str) -> Report:
    data = json.loads(text)
    findings = [Finding.from_json(item) for item in data.pop("findings", ())]
    kernels = data.pop("kernels", None) or ([data["kernel"]] if "kernel" in data else [])
    return cls(
      data.pop("verdict"),
      findings,
      None,
      data.pop("stats", {}),
      data.pop("schedule", []),
      kernels,
      data,
    )

  @classmethod
  def merged(cls, reports: Sequence[Report], outputs=None) -> Report:
    if len(reports) == 1:
      only = reports[0]
      return cls(
        only.verdict, only.findings, outputs, only.stats, only.schedule, only.kernels, only.data,
        kept=only.kept,
      )
    stats: dict = {}
    for report in reports:
      for name, value in report.stats.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
          stats[name] = stats.get(name, 0) + value
    return cls(
      worst_verdict([report.verdict for report in reports]),
      [finding for report in reports for finding in report.findings],
      outputs,
      stats,
      [choice for report in reports for choice in report.schedule],
      [kernel for report in reports for kernel in report.kernels],
      {
        name: list(dict.fromkeys(item for report in reports for item in report.data.get(name, ())))
        for name in ("checks", "checks_not_built")
      }
      | {"silenced": [item for report in reports for item in report.silenced]},
      kept=[kept for report in reports for kept in report.kept],
    )


def _compare_arrays(position: int, got, expected, rtol: float, atol: float):
  """(position, index, error) of the worst element, and how many are out of tolerance."""
  if got.shape != expected.shape:
    raise ValueError(
      f"output {position} has shape {got.shape}, the reference {expected.shape}"
    )
  if not got.size:
    return None, 0
  a, b = got.astype(np.float64), expected.astype(np.float64)
  same = (a == b) | (np.isnan(a) & np.isnan(b))
  with np.errstate(invalid="ignore"):
    error = np.where(same, 0.0, np.abs(a - b))
    differs = ~same & ~(error <= atol + rtol * np.abs(b))
  # A NaN on one side, or infinities of two signs, is as wrong as can be.
  error = np.where(np.isnan(error), np.inf, error)
  index = np.unravel_index(int(np.argmax(error)), error.shape)
  index = tuple(int(i) for i in index)
  return (position, index, float(error[index])), int(differs.sum())
