"""What the pytest plugin does in a session that asks for pallasite.

`Recorder` lives where tests run, and attaches to each of pytest's reports what kernels did in that
phase of the test. `Summary` lives where pytest's reports arrive: in the same process, or under
pytest-xdist in the one that hands out the tests.
"""

from __future__ import annotations

import contextlib
import fnmatch
import shlex
import time
import unittest.case
from collections.abc import Iterator

import pytest
from _pytest._code.code import (
  ReprEntryNative,
  ReprExceptionInfo,
  ReprFileLocation,
  ReprTraceback,
)

from pallasite import baseline, options
from pallasite.errors import ResourceError, UnsupportedError
from pallasite.pytest_summary import Summary
from pallasite.report import Finding, Report
from pallasite.session import plain_text, session

_FAILING = ("error", "unsupported", "resource", "internal", "incomplete")
# No expectation about a kernel covers these, unless it names a class of ours.
_NO_RESULT = ("unsupported", "internal", "incomplete")


def install(settings, one_worker: bool):
  import jax

  import pallasite
  from pallasite.hook import _hook

  # Each kernel runs within the call that starts it, so that it is known whose it is.
  jax.config.update("jax_cpu_enable_async_dispatch", False)
  # XLA drops a call whose outputs nobody uses; a test is about its kernels.
  _hook.keep_all = True
  stated = dict(settings.stated)
  if one_worker and options.resolve(stated).workers is None:
    # The processes of pytest-xdist share the cores already.
    stated["workers"] = 1
  pallasite.install(**stated)


def configure(config: pytest.Config, settings, runs_tests: bool):
  known = set()
  if settings.baseline and not settings.write_baseline:
    known = baseline.read(settings.baseline)
  if runs_tests:
    # Where the plugin was loaded too late to do it before conftest.py.
    from pallasite.hook import _hook

    if _hook.installed is None:
      install(settings, one_worker=False)
    config.pluginmanager.register(Recorder(config, settings, known), "pallasite_recorder")
  if not hasattr(config, "workerinput"):
    config.pluginmanager.register(Summary(config, settings, known), "pallasite_summary")


class Recorder:
  def __init__(self, config: pytest.Config, settings, known: set[baseline.Known]):
    self._config = config
    self._settings = settings
    self._known = known
    self._test = ""
    self._stack = contextlib.ExitStack()
    self._reports: list[Report] = self._stack.enter_context(session.collect())
    # Of kernels that ran while no test did.
    self._leftover: list[Report] = []
    # Reports whose error a test said that it expects, by identity.
    self._expected: dict[int, Report] = {}
    self._lowered = session.totals.lowered
    self._refused = session.totals.refused
    self._clock = JaxClock()
    session.silencer.also = self._reason_of
    self._stack.callback(_watch_expectations(self._note_expected))

  def pytest_unconfigure(self):
    session.silencer.also = None
    self._clock.stop()
    self._stack.close()

  # ---- what a test did

  @pytest.hookimpl(wrapper=True)
  def pytest_runtest_protocol(self, item):
    # What ran before the test, such as while test modules were imported.
    self._leftover += self._reports
    self._reports.clear()
    self._test = item.nodeid
    try:
      return (yield)
    finally:
      self._test = ""

  @pytest.hookimpl(wrapper=True, tryfirst=True)
  def pytest_runtest_makereport(self, item, call):
    records = list(self._reports)
    self._reports.clear()
    infos = [call.excinfo, *(getattr(item, "_excinfo", None) or ())]
    errors = [e for info in infos if info is not None for e in _ours_in(info.value)]
    with _shortened(errors):
      report = yield
    self._judge(item, call, report, records, errors)
    report.pallasite = self._data(records)
    self._expected.clear()
    return report

  def _judge(self, item, call, report, records: list[Report], errors: list[BaseException]):
    codes = [code for mark in item.iter_markers("pallasite_expected") for code in mark.args]
    failing = [r for r in records if _counts(r) and id(r) not in self._expected]
    met = [r for r in failing if codes and _is_expected(r, codes)]
    self._expected.update((id(r), r) for r in met)
    failing = [r for r in failing if not any(r is other for other in met)]
    xfailed = hasattr(report, "wasxfail")
    if codes and call.when == "call" and not xfailed:
      if report.failed and errors and met and not failing:
        report.outcome, report.longrepr = "passed", None
        return
      if report.passed and not met:
        report.outcome = "failed"
        report.longrepr = f"the test expects {', '.join(codes)}, and no such finding occurred"
    if xfailed or (not failing and not errors):
      return
    texts = [self._text(r, item) for r in failing] or [plain_text(str(e)) for e in errors]
    section = "\n".join(texts).rstrip()
    all_known = bool(failing) and all(self._is_known(r) for r in failing)
    if all_known and (report.passed or (report.failed and errors)):
      report.outcome = "skipped"
      report.longrepr = None
      report.wasxfail = "reason: the baseline has " + ", ".join(
        sorted({f.code for r in failing for f in r.findings})
      )
      return
    swallowed = report.passed or (report.skipped and any(r.verdict == "error" for r in failing))
    if swallowed and failing:
      verdicts = ", ".join(dict.fromkeys(r.verdict for r in failing))
      was = report.outcome
      report.outcome = "failed"
      report.longrepr = _failure(
        report.location,
        f"pallasite: the test {was}, but the verdict on its kernels is: {verdicts} (something "
        "caught the exception)",
        section,
      )
    elif report.failed:
      _add_section(report, section)

  def _is_known(self, report: Report) -> bool:
    return all(
      self._settings.write_baseline or self._key(finding) in self._known
      for finding in report.findings
      if finding.verdict in _FAILING
    )

  def _key(self, finding) -> baseline.Known:
    return baseline.known(finding, self._test, self._config.rootpath)

  def _reason_of(self, finding) -> str:
    if not self._test or finding.level != "error":
      return ""
    if self._settings.write_baseline or self._key(finding) in self._known:
      return "in the baseline"
    return ""

  def _text(self, report: Report, item) -> str:
    text = report.text or "\n".join(
      "{}: {}{}".format(
        finding.code,
        finding.message,
        "\n  at {}:{}".format(*finding.locations[0]) if finding.locations else "",
      )
      for finding in report.findings
    )
    text = plain_text(text).rstrip()
    if report.data.get("more_schedules") and report.data.get("policy") == "random":
      text += f"\nreplay: {self._replay(report, item)}"
    return text + "\n"

  def _replay(self, report: Report, item) -> str:
    stated = {
      **self._settings.stated, "schedule": "random", "seed": report.data["seed"], "schedules": 0,
    }
    arch = stated.pop("arch", "auto")
    flags = [f"--pallasite-{name.replace('_', '-')}={value}" for name, value in stated.items()]
    test = self._config.cwd_relative_nodeid(item.nodeid)
    return shlex.join(["pytest", f"--pallasite={arch}", *flags, test])

  # ---- what a test expects

  def _note_expected(self, error: BaseException, types: tuple, has_pattern: bool):
    chain = _ours_in(error)
    for ours in chain:
      report = getattr(ours, "_report", None)
      if report is None:
        continue
      named = any(
        issubclass(t, (type(ours), UnsupportedError, ResourceError)) or _is_ours(t) for t in types
      )
      narrow = has_pattern or not any(t in (Exception, BaseException) for t in types)
      if named or (narrow and report.verdict not in _NO_RESULT):
        self._expected[id(report)] = report

  # ---- what goes to the summary

  def _data(self, records: list[Report]) -> dict:
    lowered, refused = session.totals.lowered, session.totals.refused
    data = {
      "lowered": lowered - self._lowered,
      "refused": refused - self._refused,
      "runs": [self._record(report) for report in records],
    }
    self._lowered, self._refused = lowered, refused
    return data

  def _record(self, report: Report) -> dict:
    return {
      "kernel": ", ".join(report.kernels),
      "ran": bool(report.stats.get("clusters")),
      "verdict": report.verdict,
      "expected": id(report) in self._expected or report.as_data,
      "seconds": report.data.get("host", {}).get("seconds", 0.0),
      "silenced": len(report.silenced),
      "findings": [
        {
          "code": finding.code,
          "level": finding.level,
          "message": finding.message,
          "place": "{}:{}".format(*finding.locations[0]) if finding.locations else "",
          "known": list(vars(self._key(finding)).values()) if self._test else [],
        }
        for finding in report.findings
      ],
      "baseline": [
        list(vars(self._key(Finding.from_json(item))).values())
        for item in report.silenced
        if item["silenced_by"] == "baseline" and self._test
      ],
    }

  @pytest.hookimpl(tryfirst=True)
  def pytest_sessionfinish(self, session):  # noqa: ARG002
    from pallasite.session import session as kernels

    leftover = [*self._leftover, *self._reports]
    self._reports.clear()
    rest = {
      "outside": self._data(leftover),
      "seconds": self._clock.seconds(kernels.totals.seconds),
      **kernels.silencer.account(kernels.totals.lines),
    }
    if hasattr(self._config, "workeroutput"):
      self._config.workeroutput["pallasite"] = rest
    else:
      self._config.pluginmanager.get_plugin("pallasite_summary").add_process(rest)


def _counts(report: Report) -> bool:
  if report.as_data or report.verdict not in _FAILING:
    return False
  return report.verdict != "error" or report.data.get("on_finding", "raise") == "raise"


def _is_expected(report: Report, codes: list[str]) -> bool:
  found = [f for f in report.findings if f.verdict in _FAILING]
  return bool(found) and all(
    any(fnmatch.fnmatchcase(finding.code, code) for code in codes) for finding in found
  )


# ---- exceptions


def _is_ours(kind) -> bool:
  return isinstance(kind, type) and kind.__module__.startswith("pallasite")


def _ours_in(error: BaseException | None) -> list[BaseException]:
  """The errors of pallasite in a chain of exceptions."""
  found, seen = [], set()
  while error is not None and id(error) not in seen:
    seen.add(id(error))
    if _is_ours(type(error)):
      found.append(error)
    error = error.__cause__ or error.__context__
  return found


@contextlib.contextmanager
def _shortened(errors: list[BaseException]) -> Iterator[None]:
  """Within: errors say one line each, because the whole report stands in a section of its own."""
  from pallasite.kernel_error import KernelError

  kept = [error.args for error in errors]
  for error in errors:
    lines = plain_text(str(error)).splitlines()
    if len(lines) > 1:
      brief = f"{lines[0]} (the report stands below)"
      # The native `__str__` of JAX's error does not look at `args`.
      if isinstance(error, KernelError):
        error._brief = brief
      else:
        error.args = (brief,)
  try:
    yield
  finally:
    for error, args in zip(errors, kept):
      if isinstance(error, KernelError):
        error._brief = ""
      else:
        error.args = args


def _failure(location, message: str, text: str) -> ReprExceptionInfo:
  """What pytest prints of a test that fails: `text` under `message`, which alone is summed up.

  pytest's summary repeats a plain string whole where it does not shorten lines: in CI.
  """
  path, line, _ = location
  entry = ReprEntryNative([f"{message}\n\n{text}\n"])
  return ReprExceptionInfo(
    reprtraceback=ReprTraceback([entry], None, style="native"),
    reprcrash=ReprFileLocation(path, (line or 0) + 1, message),
  )


def _add_section(report, text: str):
  if hasattr(report.longrepr, "addsection"):
    report.longrepr.addsection("pallasite", text)
  else:
    report.sections.append(("pallasite", text))


def _watch_expectations(note):
  """Calls `note(error, types, has_pattern)` for what `pytest.raises` and `assertRaises` catch.

  Returns a function that stops this.
  """
  undo = []

  def watch(owner, read):
    real = owner.__exit__

    def __exit__(self, kind, error, trace):
      caught = real(self, kind, error, trace)
      if caught and error is not None:
        note(error, *read(self))
      return caught

    owner.__exit__ = __exit__
    undo.append(lambda: setattr(owner, "__exit__", real))

  def types_of(expected) -> tuple:
    return expected if isinstance(expected, tuple) else (expected,)

  raises = type(pytest.raises(Exception))
  watch(
    raises,
    lambda self: (
      types_of(getattr(self, "expected_exceptions", None) or self.expected_exception),
      (getattr(self, "match", None) or getattr(self, "match_expr", None)) is not None,
    ),
  )
  watch(
    unittest.case._AssertRaisesContext,
    lambda self: (types_of(self.expected), self.expected_regex is not None),
  )

  def stop():
    for step in undo:
      step()

  return stop


# ---- time


class JaxClock:
  """How long JAX traced, lowered and compiled, each without what happened inside of it."""

  _KINDS = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "xla",
  }

  def __init__(self):
    import jax.monitoring

    self._seconds = dict.fromkeys(self._KINDS.values(), 0.0)
    # (start, duration) of what has ended and may be part of something that has not.
    self._ended: list[tuple[float, float]] = []
    jax.monitoring.register_event_duration_secs_listener(self._listen)

  def stop(self):
    with contextlib.suppress(Exception):
      import jax.monitoring

      jax.monitoring.unregister_event_duration_listener(self._listen)

  def _listen(self, event: str, duration: float, **_):
    kind = self._KINDS.get(event)
    if kind is None:
      return
    start = time.perf_counter() - duration
    inner = 0.0
    while self._ended and self._ended[-1][0] >= start:
      inner += self._ended.pop()[1]
    self._ended.append((start, duration))
    self._seconds[kind] += max(0.0, duration - inner)

  def seconds(self, ours: dict[str, float]) -> dict[str, float]:
    conversion, load = ours.get("conversion", 0.0), ours.get("load", 0.0)
    # Both happen while JAX lowers.
    lowering = max(0.0, self._seconds["lowering"] - conversion - load)
    return {
      "tracing": self._seconds["tracing"],
      "XLA": lowering + self._seconds["xla"],
      "conversion": conversion,
      "verification": load,
      "run": ours.get("run", 0.0),
    }
