"""What happened so far in this process: reports, collectors, warnings."""

from __future__ import annotations

import contextlib
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator

from pallasite.errors import KernelWarning
from pallasite.report import Finding, Report, worst_verdict

# The engine ends the message of a failed call with this, so that the error can find its report.
_MARKER = re.compile(r"\[pallasite report (\d+)\]")
# Reports that an error may still ask for.
_MAX_KEPT = 256


class Session:
  def __init__(self):
    self._lock = threading.Lock()
    self._collectors: list[list[Report]] = []
    self.reset()

  def reset(self):
    self.last: Report | None = None
    self.verdicts: list[str] = []
    # Kernels that were lowered, and that ran.
    self.lowered = 0
    self.runs = 0
    # Worst finding of each (code, place), for the summary of a session.
    self.findings: dict[tuple, Finding] = {}
    # Named as in JAX's own race detector, whose `get_races()` returns this object under `install`.
    self.races_found = False
    self._kept: OrderedDict[int, Report] = OrderedDict()
    self._warned: set[tuple] = set()

  @property
  def verdict(self) -> str:
    """The worst verdict so far, also of kernels whose error the caller swallowed."""
    return worst_verdict(self.verdicts)

  def receive(self, text: str):
    """Takes the report of a kernel, on whichever thread it ran."""
    with self._lock:
      self.runs += 1
    self.add(Report.from_json(text))

  def add(self, report: Report):
    with self._lock:
      self.last = report
      self.verdicts.append(report.verdict)
      for finding in report.findings:
        self.findings.setdefault((finding.code, *finding.locations[:1]), finding)
      self.races_found |= any(finding.code.startswith("race.") for finding in report.findings)
      for collector in self._collectors:
        collector.append(report)
      number = report.data.get("id")
      if number is not None:
        self._kept[int(number)] = report
        while len(self._kept) > _MAX_KEPT:
          self._kept.popitem(last=False)
      new = []
      if report.data.get("on_finding") == "warn" or report.verdict == "warning":
        for finding in report.findings:
          key = (finding.code, finding.locations[:1] and finding.locations[0])
          if finding.level != "note" and key not in self._warned:
            self._warned.add(key)
            new.append(finding)
    for finding in new:
      warnings.warn(_warning_text(finding), KernelWarning, stacklevel=2)

  def report_of(self, message: str) -> Report | None:
    match = _MARKER.search(message)
    return self._kept.get(int(match[1])) if match else None

  @contextlib.contextmanager
  def collect(self) -> Iterator[list[Report]]:
    reports: list[Report] = []
    with self._lock:
      self._collectors.append(reports)
    try:
      yield reports
    finally:
      with self._lock:
        self._collectors = [c for c in self._collectors if c is not reports]


def is_marked(message: str) -> bool:
  return _MARKER.search(message) is not None


def _warning_text(finding) -> str:
  place = f"\n  at {finding.locations[0][0]}:{finding.locations[0][1]}" if finding.locations else ""
  return f"{finding.code}: {finding.message}{place}"


session = Session()
