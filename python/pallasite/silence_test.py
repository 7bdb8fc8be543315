"""Which findings are silenced."""

import pathlib

import pytest

from pallasite import baseline, silence
from pallasite.report import Finding, Report
from pallasite.silence import Silencer


def finding(code="race.smem", file="/project/kernels.py", line=3, ref="acc", level="error"):
  return Finding(code, level, "text", [(file, line)], {"arguments": {"ref": ref}, "verdict": "error"})


def report(*findings, finished=True):
  return Report("error", list(findings), data={"finished": finished})


def entries(*tables):
  return silence.read_entries([{"reason": "known", **table} for table in tables], "file")


def silencer(*tables, folder="/project"):
  return Silencer(entries(*tables), pathlib.Path(folder))


@pytest.mark.parametrize(
  "table",
  [
    {"code": "race.smem"},
    {"code": "race.*"},
    {"code": "tma.*, race.*"},
    {"path": "kernels.py"},
    {"path": "*.py"},
    {"path": "./kernels.py"},
    {"ref": "a*"},
    {"code": "race.*", "path": "kernels.py", "ref": "acc"},
  ],
)
def test_an_entry_silences_what_it_names(table):
  told = report(finding())
  quiet = silencer(table)
  assert quiet.apply(told) == [0]
  assert (told.verdict, told.findings) == ("clean", [])
  (silenced,) = told.to_dict()["silenced"]
  assert (silenced["code"], silenced["reason"]) == ("race.smem", "known")
  assert quiet.unused() == []


@pytest.mark.parametrize(
  "table",
  [
    {"code": "race"},
    {"path": "other.py"},
    {"path": "/kernels.py"},
    {"ref": "accumulator"},
    {"code": "race.*", "ref": "b"},
  ],
)
def test_an_entry_leaves_alone_what_it_does_not_name(table):
  told = report(finding())
  quiet = silencer(table)
  assert quiet.apply(told) == []
  assert told.verdict == "error" and told.silenced == []
  assert quiet.unused() == quiet.entries


def test_paths_outside_of_the_project_match_by_their_end():
  told = report(finding(file="/venv/site-packages/library/kernel.py"))
  assert silencer({"path": "library/*"}).apply(told) == [0]


def test_what_ended_its_run_is_not_silenced():
  told = report(finding(), finished=False)
  quiet = silencer({"code": "race.*"})
  assert quiet.apply(told) == []
  assert told.verdict == "error"
  assert [(silenced, refused) for _, silenced, refused in quiet.counts()] == [(0, 1)]


def test_the_others_still_count():
  told = report(finding("a.b"), finding("race.smem"), finding("c.d", level="warning"))
  assert silencer({"code": "race.*"}, {"code": "c.d"}).apply(told) == [1, 2]
  assert [f.code for f in told.findings] == ["a.b"]
  assert told.verdict == "error"


@pytest.mark.parametrize(
  "value, message",
  [
    ([{"code": "a"}], "needs a reason"),
    ([{"code": "a", "reason": " "}], "needs a reason"),
    ([{"reason": "x"}], "would silence everything"),
    ([{"code": "a", "line": "3", "reason": "x"}], "unknown key 'line'"),
    ([{"code": 3, "reason": "x"}], "expected strings"),
    (["a"], "expected a table"),
  ],
)
def test_an_entry_that_is_not_whole_is_refused(value, message):
  with pytest.raises(ValueError, match=message) as caught:
    silence.read_entries(value, "pyproject.toml")
  assert "pyproject.toml silence[0]" in str(caught.value)


def test_comments(tmp_path):
  file = tmp_path / "kernels.py"
  file.write_text(
    "a()  # pallasite: ignore[race.*] on the line\n"
    "# pallasite: ignore[race.smem] above the line\n"
    "b()\n"
    "c()  # pallasite: ignore[tma.*] another code\n"
    "d()  # pallasite: ignore[race.smem]\n"
    "e()  # pallasite: ignore without a code\n"
  )
  quiet = Silencer()
  silenced = [
    line for line in range(1, 7) if quiet.apply(report(finding(file=str(file), line=line)))
  ]
  assert silenced == [1, 3]
  assert sorted(quiet.problems) == [(str(file), 5), (str(file), 6)]
  assert "needs a reason" in quiet.problems[str(file), 5]
  assert "needs a code" in quiet.problems[str(file), 6]
  # Of comments only those on lines of kernels that were traced.
  assert quiet.unused([(str(file), 2)]) == []
  assert [entry.code for entry in quiet.unused([(str(file), 4)])] == ["tma.*"]


def test_a_baseline_is_what_was_written(tmp_path):
  source = tmp_path / "kernels.py"
  source.write_text("\n\n  broken()  \n")
  key = baseline.known(finding(file=str(source)), "test_a", tmp_path)
  assert key == baseline.Known("test_a", "race.smem", "kernels.py", "broken()")
  file = tmp_path / "known.json"
  baseline.write(file, {key})
  assert baseline.read(file) == {key}
  for text in ("{}", "[", '{"version": 9, "findings": []}', '{"version": 1, "findings": [{}]}'):
    file.write_text(text)
    with pytest.raises(ValueError, match="known.json"):
      baseline.read(file)
