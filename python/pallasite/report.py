"""Verdicts as data."""

from __future__ import annotations

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
class Comparison:
  """How outputs differ from a reference. True where they agree."""

  equal: bool
  # Position of the output, and the index in it, where the error is largest; None without outputs.
  output: int | None
  index: tuple[int, ...] | None
  got: Any
  expected: Any
  error: float
  # Elements that differ by more than the tolerance, in all outputs.
  count: int
  # Who wrote the worst element: block, thread and line; None where the run did not record it.
  writer: dict | None

  def __bool__(self) -> bool:
    return self.equal


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

  @property
  def checks(self) -> list[str]:
    """The checks that ran."""
    return list(self.data.get("checks", ()))

  @property
  def checks_not_built(self) -> list[str]:
    """What this version cannot find yet, whatever the verdict."""
    return list(self.data.get("checks_not_built", ()))

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
    """Compares the outputs with arrays of the same structure."""
    import jax

    if self.outputs is None:
      raise ValueError(f"this report has no outputs to compare (verdict: {self.verdict})")
    outputs, structure = jax.tree_util.tree_flatten(self.outputs)
    references, reference_structure = jax.tree_util.tree_flatten(reference)
    if structure != reference_structure:
      raise ValueError(
        f"the reference has another structure: {reference_structure}, outputs: {structure}"
      )
    worst, count = None, 0
    for position, (got, expected) in enumerate(zip(outputs, references)):
      arrays = np.asarray(got), np.asarray(expected)
      found, differing = _compare_arrays(position, *arrays, rtol, atol)
      count += differing
      if found is not None and (worst is None or found[2] > worst[2]):
        worst = found
    if worst is None:
      return Comparison(count == 0, None, None, None, None, 0.0, count, None)
    position, index, error = worst
    got, expected = np.asarray(outputs[position])[index], np.asarray(references[position])[index]
    return Comparison(count == 0, position, index, got, expected, error, count, None)

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
        only.verdict, only.findings, outputs, only.stats, only.schedule, only.kernels, only.data
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
