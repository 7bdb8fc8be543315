"""What happened so far in this process: reports, collectors, warnings."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator

from pallasite import options
from pallasite.errors import KernelWarning
from pallasite.report import Finding, Report, worst_verdict
from pallasite.silence import Silencer, read_entries

# The engine ends the message of a failed call with this, so that the error can find its report.
_MARKER = re.compile(r"\[pallasite report (\d+)\]")
# A source location in the text of a module.
_LOCATION = re.compile(r'loc\("([^"]+)", (\d+)')
# Reports that an error may still ask for.
_MAX_KEPT = 256


@dataclasses.dataclass
class Totals:
  """Of the whole process: `reset` leaves them, since libraries call it between tests."""

  lowered: int = 0
  # Kernels that could not be lowered.
  refused: int = 0
  # Seconds by what they were spent on: "conversion", "load", "run".
  seconds: dict[str, float] = dataclasses.field(default_factory=dict)
  # (file, line) of the ops of kernels that were lowered.
  lines: set[tuple[str, int]] = dataclasses.field(default_factory=set)

  def spend(self, what: str, seconds: float):
    self.seconds[what] = self.seconds.get(what, 0.0) + seconds


class Session:
  def __init__(self):
    self._lock = threading.Lock()
    self._collectors: list[list[Report]] = []
    # What the user silenced; set when options are installed.
    self.silencer = Silencer()
    self._silence_read: tuple | None = None
    # Kernels run for a caller who looks at the verdict: nothing is to fail because of them.
    self._data_depth = 0
    self.totals = Totals()
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

  def receive(self, text: str) -> list[int]:
    """Takes the report of a kernel, on whichever thread it ran.

    Returns the positions of its findings that are silenced.
    """
    report = Report.from_json(text)
    with self._lock:
      self.runs += 1
      self.totals.spend("run", report.data.get("host", {}).get("seconds", 0.0))
    return self.add(report)

  def add(self, report: Report) -> list[int]:
    with self._lock:
      silenced = self.silencer.apply(report)
      report.as_data = self._data_depth > 0
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
      _warn(finding)
    return silenced

  def read_silence(self):
    """Takes up what [tool.pallasite] silences, here and now."""
    file = options.pyproject_file()
    read = (options.value_of("silence"), file)
    with self._lock:
      # Entries keep what they counted.
      if repr(read) == repr(self._silence_read):
        return
      self._silence_read = read
      self.silencer.entries = read_entries(read[0], file.name if file else "PALLASITE_SILENCE")
      self.silencer.folder = file.parent if file else None

  @contextlib.contextmanager
  def as_data(self) -> Iterator[None]:
    """Within: verdicts are data for the caller, who says what they mean."""
    with self._lock:
      self._data_depth += 1
    try:
      yield
    finally:
      with self._lock:
        self._data_depth -= 1

  @contextlib.contextmanager
  def timed(self, what: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
      yield
    finally:
      with self._lock:
        self.totals.spend(what, time.perf_counter() - start)

  def took(self, module_text: str):
    """Notes that a kernel was lowered, and from which lines."""
    lines = {(file, int(line)) for file, line in _LOCATION.findall(module_text)}
    with self._lock:
      self.lowered += 1
      self.totals.lowered += 1
      self.totals.lines |= lines

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


def _warn(finding: Finding):
  text = f"{finding.code}: {finding.message}"
  if finding.locations:
    # As if the line of the kernel warned: there is no frame of it on the stack.
    file, line = finding.locations[0]
    warnings.warn_explicit(f"{text}\n  at {file}:{line}", KernelWarning, file, line)
  else:
    warnings.warn(text, KernelWarning, stacklevel=3)


session = Session()
