"""Reports: from the engine's JSON, merged, compared."""

import json
import pickle
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite.errors import KernelWarning
from pallasite.report import Finding, Report, worst_verdict
from pallasite.session import Session

DIAGNOSTIC = {
  "code": "race.smem",
  "level": "error",
  "message": "two accesses are not ordered",
  "labels": [
    {
      "text": "read here",
      "location": [
        {"file": "pipeline.py", "line": 80, "column": 9, "note": "inserted by emit_pipeline"},
        {"file": "kernel.py", "line": 12, "column": 5},
      ],
    },
    {"text": "written here", "location": [{"file": "kernel.py", "line": 7, "column": 1}]},
    {"text": "unknown", "location": []},
  ],
}


def text_of(verdict, *findings, **more):
  return json.dumps({"verdict": verdict, "findings": list(findings), "kernel": "k", **more})


def test_a_finding_names_the_lines_that_a_user_wrote():
  finding = Finding.from_json(DIAGNOSTIC)
  assert finding.locations == [("kernel.py", 12), ("kernel.py", 7)]
  assert finding.severity == finding.level == "error"
  assert finding.to_dict()["locations"] == [["kernel.py", 12], ["kernel.py", 7]]
  assert json.loads(json.dumps(finding.to_dict())) == finding.to_dict()


def test_a_report_keeps_all_that_the_engine_said():
  report = Report.from_json(text_of("error", DIAGNOSTIC, stats={"steps": 9}, arch="sm_90a"))
  assert (report.verdict, report.kernels, report.stats) == ("error", ["k"], {"steps": 9})
  assert report.to_dict()["arch"] == "sm_90a"
  assert json.loads(json.dumps(report.to_dict())) == report.to_dict()


def test_the_worst_verdict_wins():
  assert worst_verdict(["clean", "unsupported", "warning"]) == "unsupported"
  assert worst_verdict(["error", "internal"]) == "internal"
  assert worst_verdict([]) == "clean"
  merged = Report.merged([Report("clean", stats={"steps": 1}), Report("error", stats={"steps": 2})])
  assert (merged.verdict, merged.stats) == ("error", {"steps": 3})


def test_comparison_finds_the_worst_element():
  report = Report("clean", outputs=(np.zeros(3, np.float32), np.array([[1.0, 2.0], [3.0, np.nan]])))
  same = report.compare((np.zeros(3), np.array([[1.0, 2.0], [3.0, np.nan]])))
  assert same and same.count == 0
  other = report.compare((np.array([0.0, 0.5, 0.0]), np.array([[1.0, 2.0], [7.0, np.nan]])))
  assert not other
  assert (other.output, other.index, other.error, other.count) == (1, (1, 0), 4.0, 2)
  assert (other.got, other.expected) == (3.0, 7.0)
  against_nan = report.compare((np.zeros(3), np.array([[np.nan, 2.0], [3.0, np.nan]])))
  assert not against_nan and against_nan.index == (0, 0)


@pytest.mark.parametrize("reference", [np.zeros(4), [np.zeros(3)]])
def test_comparison_of_other_shapes_is_refused(reference):
  with pytest.raises(ValueError):
    Report("clean", outputs=np.zeros(3)).compare(reference)


def test_a_warning_is_said_once_for_a_code_and_line():
  session = Session()
  warning = DIAGNOSTIC | {"level": "warning"}
  with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    session.receive(text_of("warning", warning))
    session.receive(text_of("warning", warning))
  assert [w.category for w in caught] == [KernelWarning]
  assert "kernel.py:12" in str(caught[0].message)


def test_a_collector_gets_what_runs_within():
  session = Session()
  session.receive(text_of("clean"))
  with session.collect() as reports:
    session.receive(text_of("error", DIAGNOSTIC, id=7))
  session.receive(text_of("clean"))
  assert [r.verdict for r in reports] == ["error"]
  assert session.verdict == "error"
  assert session.last.verdict == "clean"
  assert session.report_of("INTERNAL: ... [pallasite report 7]") is reports[0]
  session.reset()
  assert session.last is None and session.verdict == "clean"


class Record:
  """What the engine says of a run, as it hands it over."""

  is_plain, origin, seconds = True, None, 0.25

  def __init__(self):
    self.times_read = 0

  def json(self):
    self.times_read += 1
    return text_of("clean", id=3, kernel="k", stats={"steps": 9}, arch="sm_90a")


def test_what_a_plain_run_says_is_read_when_it_is_asked_for():
  record, session = Record(), Session()
  with session.collect() as reports, session.collect(origin=5) as others:
    assert list(session.receive(record)) == []
  (report,) = reports
  assert others == []
  assert (report.verdict, report.outputs, report.as_data) == ("clean", None, False)
  assert (session.last, session.runs) == (report, 1)
  assert session.totals.seconds["run"] == 0.25
  assert record.times_read == 0
  assert (report.findings, report.kernels, report.stats) == ([], ["k"], {"steps": 9})
  assert report.data["arch"] == "sm_90a"
  assert report.kept == [] and record.times_read == 1
  with pytest.raises(AttributeError, match="nothing"):
    report.nothing
  # What stands in it may be changed, as of any report.
  report.findings.append("x")
  assert report.findings == ["x"]


def test_a_plain_report_is_as_any_other():
  record, session = Record(), Session()
  session.receive(record)
  plain, read = session.last, Report.from_json(record.json())
  assert plain == read and plain.to_dict() == read.to_dict() and repr(plain) == repr(read)
  session.receive(record)
  again = pickle.loads(pickle.dumps(session.last))
  assert again == read


def test_a_call_without_findings_makes_no_json(monkeypatch):
  call = jax.jit(
    plgpu.kernel(lambda x_ref, out_ref: None, out_type=jax.ShapeDtypeStruct((4,), jnp.float32))
  )
  x = np.zeros(4, np.float32)
  with pallasite.install():
    with pallasite.collect() as reports:
      call(x)
      call(x)
    monkeypatch.setattr(Report, "from_json", None)
    call(x)
    assert pallasite.last_report().verdict == "clean"
    monkeypatch.undo()
    first, second = (report.to_dict() for report in reports)
  assert second["id"] == first["id"] + 1 == pallasite.last_report().data["id"] - 1
  assert first["module_hash"] == second["module_hash"]
