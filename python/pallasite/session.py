"""What happened so far in this process: reports, collectors, warnings."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from pallasite import options
from pallasite.errors import KernelWarning
from pallasite.report import Finding, Report, worst_verdict
from pallasite.silence import Silencer, read_entries

# The engine ends the message of a failed call with this, so that the error can find its report.
_MARKER = re.compile(r"\[pallasite report (\d+)\]")
# What XLA puts before the text of an error.
_STATUS = re.compile(r"^[A-Z_]+: ")
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


class _Collected(list):
  """A list of reports, and which they are."""

  def __init__(self, origin: int | None):
    super().__init__()
    self.origin = origin


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
    # Reports of the kernels of programs on several devices that run now, by program.
    self._executions: dict[str, list[Report]] = {}
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

  def receive(self, record, kept=None) -> Sequence[int]:
    """Takes what the engine says of a kernel that ran, on whichever thread: a record, or JSON.

    Returns the positions of its findings that are silenced.
    """
    if not isinstance(record, str):
      if record.is_plain:
        self._receive_plain(record, kept)
        return ()
      record = record.json()
    report = Report.from_json(record)
    report.kept = [kept] if kept is not None else []
    with self._lock:
      # The devices of a program come in any order, so their reports wait for its end.
      held = self._executions.get(report.data.get("program")) if "devices" in report.data else None
      if "deferred" in report.data:
        for known in held or ():
          if known.data["id"] == report.data["id"]:
            known.data["deferred"] = report.data["deferred"]
        return []
      self.runs += 1
      self.totals.spend("run", report.data.get("host", {}).get("seconds", 0.0))
      if held is not None:
        held.append(report)
        return self.silencer.apply(report)
    return self.add(report)

  def _receive_plain(self, record, kept):
    """Does what `receive` does, for a run that has nothing to tell: most of what a call costs."""
    report = Report.of_record(record)
    if kept is not None:
      report.kept = [kept]
    with self._lock:
      self.runs += 1
      self.totals.spend("run", record.seconds)
      report.as_data = self._data_depth > 0
      self.last = report
      self.verdicts.append("clean")
      for collector in self._collectors:
        if collector.origin is None or collector.origin == record.origin:
          collector.append(report)

  @contextlib.contextmanager
  def execution(self, program: str) -> Iterator[list[Report]]:
    """Within: a program runs. Afterwards the list has the reports of those kernels that ran on
    several devices, by their order in the program, then by device. Those that came after a failed one
    are left out: they ran on what it left."""
    held: list[Report] = []
    found: list[Report] = []
    with self._lock:
      self._executions[program] = held
    try:
      yield found
    finally:
      with self._lock:
        if self._executions.get(program) is held:
          del self._executions[program]
      held.sort(key=lambda report: (report.data["sequence"], report.data["device"]))
      failed = [report.data["sequence"] for report in held if "deferred" in report.data]
      for report in held:
        if not failed or report.data["sequence"] <= failed[0]:
          found.append(report)
          self._record(report)

  def add(self, report: Report) -> list[int]:
    """Takes any report. Returns the positions of its findings that are silenced."""
    with self._lock:
      silenced = self.silencer.apply(report)
    self._record(report)
    return silenced

  def _record(self, report: Report):
    with self._lock:
      report.as_data = self._data_depth > 0
      self.last = report
      self.verdicts.append(report.verdict)
      for finding in report.findings:
        self.findings.setdefault((finding.code, *finding.locations[:1]), finding)
      self.races_found |= any(finding.code.startswith("race.") for finding in report.findings)
      for collector in self._collectors:
        ran = "id" in report.data
        if not ran or collector.origin in (None, report.data.get("origin")):
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
  def collect(self, origin: int | None = None) -> Iterator[list[Report]]:
    """Within: the reports of all kernels that run, on whichever thread; or of those of one origin,
    besides what was refused before it ran."""
    reports = _Collected(origin)
    with self._lock:
      self._collectors.append(reports)
    try:
      yield reports
    finally:
      with self._lock:
        self._collectors = [c for c in self._collectors if c is not reports]


def is_marked(message: str) -> bool:
  return _MARKER.search(message) is not None


def is_of_xla(message: str) -> bool:
  return _STATUS.match(message) is not None


def plain_text(message: str) -> str:
  """The text of an error without what is there for XLA: its code, and the number of the report."""
  return _STATUS.sub("", _MARKER.sub("", message)).rstrip("\n")


def _warn(finding: Finding):
  text = f"{finding.code}: {finding.message}"
  if finding.locations:
    # As if the line of the kernel warned: there is no frame of it on the stack.
    file, line = finding.locations[0]
    warnings.warn_explicit(f"{text}\n  at {file}:{line}", KernelWarning, file, line)
  else:
    warnings.warn(text, KernelWarning, stacklevel=4)


session = Session()
