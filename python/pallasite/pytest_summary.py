"""The part of pytest's terminal summary that tells of kernels."""

from __future__ import annotations

import os
import re
from collections import Counter

import pytest

from pallasite import baseline
from pallasite.report import worst_verdict
from pallasite.silence import told

# As pytest's own for a session without tests: nothing was tested.
_NO_KERNELS = pytest.ExitCode.NO_TESTS_COLLECTED
_SLOWEST = 5
_MOST_LINES = 20


class Summary:
  def __init__(self, config: pytest.Config, settings, known: set[baseline.Known]):
    self._config = config
    self._settings = settings
    self._known = known
    self._met: set[baseline.Known] = set()
    self._new: set[baseline.Known] = set()
    self._tests: set[str] = set()
    self._tests_with_runs: set[str] = set()
    self._tests_unsupported: set[str] = set()
    self._lowered = self._refused = self._runs = self._silenced = self._expected = 0
    self._verdicts: set[str] = set()
    self._codes: Counter = Counter()
    self._examples: dict[str, str] = {}
    self._unsupported: Counter = Counter()
    self._kernels: dict[str, list] = {}
    self._silence: dict[str, list] = {}
    self._unused: dict[str, str] = {}
    self._problems: set[str] = set()
    self._seconds: Counter = Counter()
    self._test_seconds = 0.0
    self._outside_failed = False
    self._no_kernels = False

  # ---- collecting

  def pytest_runtest_logreport(self, report):
    self._test_seconds += report.duration if not hasattr(report, "context") else 0.0
    self._tests.add(report.nodeid)
    data = getattr(report, "pallasite", None)
    if data is not None:
      self._add(data, report.nodeid)

  def pytest_testnodedown(self, node, error):  # noqa: ARG002
    rest = getattr(node, "workeroutput", {}).get("pallasite")
    if rest is not None:
      self.add_process(rest)

  def add_process(self, rest: dict):
    """What one process that ran tests says at its end."""
    self._add(rest["outside"], "")
    self._outside_failed |= any(
      run["verdict"] not in ("clean", "warning") and not run["expected"]
      for run in rest["outside"]["runs"]
    )
    self._seconds.update(rest["seconds"])
    self._problems.update(rest["problems"])
    self._unused.update(rest["unused"])
    for entry, reason, silenced, refused in rest["silence"]:
      counts = self._silence.setdefault(entry, [reason, 0, 0])
      counts[1] += silenced
      counts[2] += refused

  def _add(self, data: dict, test: str):
    self._lowered += data["lowered"]
    self._refused += data["refused"]
    for run in data["runs"]:
      if run["ran"]:
        self._runs += 1
        seconds = self._kernels.setdefault(run["kernel"], [0.0, 0])
        seconds[0] += run["seconds"]
        seconds[1] += 1
        self._tests_with_runs.add(test)
      self._silenced += run["silenced"]
      self._met.update(baseline.Known(*key) for key in run["baseline"])
      if run["expected"]:
        self._expected += len(run["findings"])
        continue
      self._verdicts.add(run["verdict"])
      for finding in run["findings"]:
        if finding["code"] == "run.unsupported":
          self._unsupported[_unsupported_what(finding["message"])] += 1
          self._tests_unsupported.add(test)
        else:
          self._codes[finding["code"]] += 1
        place = f"{finding['place']}: " if finding["place"] else ""
        first = (finding["message"].splitlines() or [""])[0]
        self._examples.setdefault(finding["code"], f"{place}{first}")
        if finding["level"] == "error" and finding["known"]:
          key = baseline.Known(*finding["known"])
          (self._met if key in self._known else self._new).add(key)

  # ---- the end

  @pytest.hookimpl(trylast=True)
  def pytest_sessionfinish(self, session):
    if self._settings.write_baseline:
      # Tests that did not run keep what was known of them.
      kept = set()
      if os.path.exists(self._settings.baseline):
        kept = {k for k in baseline.read(self._settings.baseline) if k.test not in self._tests}
      baseline.write(self._settings.baseline, kept | self._new | self._met)
    if session.config.option.collectonly or session.exitstatus != pytest.ExitCode.OK:
      return
    if self._outside_failed:
      session.exitstatus = pytest.ExitCode.TESTS_FAILED
    elif not self._runs and not self._settings.allow_no_kernels:
      self._no_kernels = True
      session.exitstatus = _NO_KERNELS

  def pytest_terminal_summary(self, terminalreporter):
    if self._config.option.collectonly:
      return
    write = terminalreporter.line
    terminalreporter.section("pallasite")
    arch = self._settings.arch or "chip by the kernels' ops"
    write(
      f"{arch}: {_count(self._lowered + self._refused, 'kernel')} traced, "
      f"{_count(self._runs, 'run')} in {_count(len(self._tests_with_runs - {''}), 'test')}: "
      f"{worst_verdict(list(self._verdicts))}"
    )
    for code, count in self._codes.most_common():
      write(f"{count:6}  {code}  {self._examples[code]}")
    if self._unsupported:
      write(
        f"unsupported, {sum(self._unsupported.values())} times in "
        f"{_count(len(self._tests_unsupported - {''}), 'test')}:"
      )
      for what, count in self._unsupported.most_common(_MOST_LINES):
        write(f"{count:6}  {what}")
    if self._expected:
      write(f"{_count(self._expected, 'finding')} expected by tests, or read as data")
    silence = [(entry, *counts) for entry, counts in self._silence.items()]
    also = " or in the baseline" if self._settings.baseline else ""
    for line in told(self._silenced, silence, self._unused.items(), self._problems, also):
      write(line)
    self._write_baseline(write)
    slowest = sorted(self._kernels.items(), key=lambda item: -item[1][0])[:_SLOWEST]
    if slowest:
      write("slowest kernels:")
      for kernel, (seconds, runs) in slowest:
        write(f"{seconds:8.3f} s in {_count(runs, 'run')}: {kernel}")
    if self._seconds:
      rest = max(0.0, self._test_seconds - sum(self._seconds.values()))
      parts = [f"{what} {spent:.2f}" for what, spent in self._seconds.items()]
      write(f"time: {self._test_seconds:.2f} s of tests: {', '.join(parts)}, other code {rest:.2f}")
    if self._outside_failed:
      write("a kernel that ran outside of any test has a fault: the session fails")
    if self._no_kernels:
      write(
        "no kernel ran, so nothing was tested: the session fails "
        "(--pallasite-allow-no-kernels lets it pass)",
        red=True,
      )

  def _write_baseline(self, write):
    if not self._settings.baseline:
      return
    if self._settings.write_baseline:
      write(f"baseline: {_count(len(self._new | self._met), 'finding')} written to "
            f"{self._settings.baseline}")
      return
    gone = sorted(k for k in self._known - self._met if k.test in self._tests)
    write(f"baseline: {len(self._met)} known, {len(self._new)} new, {len(gone)} no longer there")
    for key in gone[:_MOST_LINES]:
      write(f"        no longer there: {key.describe()}")


def _count(number: int, what: str) -> str:
  return f"{number} {what}{'' if number == 1 else 's'}"


def _unsupported_what(message: str) -> str:
  """The op or feature, without the operands of this use of it."""
  first = (message.splitlines() or [""])[0]
  return re.split(r" \[| on \(", first, maxsplit=1)[0]
