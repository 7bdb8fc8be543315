"""Every command of README.md and docs/*.md does what the page says.

Blocks fenced as `sh`, `console` or `python`, and any that is to be a file, are run, those of one page in order in one folder. In a
console block each line after `$ ` is a command, and what follows is what it prints, on either stream;
`...` stands for any lines, and within a line for any text. A comment before a block changes that:

  <!-- test: skip REASON -->     it is not run
  <!-- test: file NAME -->       it is a file that later blocks use
  <!-- test: lines -->           each line is printed, among others
  <!-- test: exit N -->          its last command ends with N
  <!-- test: workflow -->        a GitHub workflow, whose own test is below
"""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
# Of one page. What is not run is not known to be true.
MAX_SKIPPED = 4

_BLOCK = re.compile(
  r"(?:^<!-- test: (?P<mark>[^\n]*?) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)


def blocks(page):
  text = (ROOT / page).read_text(encoding="utf-8")
  return [(m["kind"], m["mark"] or "", m["text"]) for m in _BLOCK.finditer(text)]


def runnable(page):
  return [b for b in blocks(page) if b[0] in ("sh", "console", "python") or b[1].startswith("file ")]


@pytest.fixture
def folder(tmp_path):
  tools = tmp_path / "bin"
  tools.mkdir()
  installed = [found.name for found in importlib.metadata.entry_points(group="pytest11")]
  plugin = "" if "pallasite" in installed else "-p pallasite.pytest_plugin"
  for name, words in (
    ("pallasite", "-m pallasite"), ("python", ""), ("pytest", f"-m pytest {plugin}")
  ):
    (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
    (tools / name).chmod(0o755)
  work = tmp_path / "work"
  work.mkdir()
  (work / "examples").symlink_to(ROOT / "examples")
  return work


def start(command, folder):
  # A session of pytest in it is no part of this one.
  outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
  environment = {
    **outer, "JAX_PLATFORMS": "cpu", "PATH": f"{folder.parent}/bin:{os.environ['PATH']}",
    "PYTHONDONTWRITEBYTECODE": "1",
  }
  return subprocess.run(
    ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
  )


def commands(text):
  """(command, what it is to print) of a console block."""
  found = []
  for line in text.splitlines():
    if line.startswith("$ "):
      found.append((line[2:], []))
    else:
      found[-1][1].append(line)
  return found


def matches(expected, printed):
  parts = [
    r"(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r" *\n"
    for line in expected
  ]
  return re.fullmatch("".join(parts), printed) is not None


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)])
def test_commands(page, folder):
  skipped = 0
  for kind, mark, text in runnable(page):
    word, _, rest = mark.partition(" ")
    if word == "skip":
      assert len(rest) > 10, f"{page}: a skipped block needs a reason"
      skipped += 1
    elif word == "file":
      (folder / rest).write_text(text)
    elif kind == "console":
      for i, (command, expected) in enumerate(commands(text)):
        ended = start(command, folder)
        is_last = i + 1 == len(commands(text))
        code = int(rest) if word == "exit" and is_last else 0
        assert ended.returncode == code, f"{page}: {command}\n{ended.stdout}"
        if word == "lines":
          for line in expected:
            assert line in ended.stdout, f"{page}: {command}: {line}\n{ended.stdout}"
        else:
          assert matches(expected, ended.stdout), f"{page}: {command} prints\n{ended.stdout}"
    else:
      command = f"{sys.executable} - <<'END'\n{text}END\n" if kind == "python" else text
      ended = start(command, folder)
      assert ended.returncode == 0, f"{page}: {text}\n{ended.stdout}"
  assert skipped <= MAX_SKIPPED, f"{page}: {skipped} blocks are not run"


def test_output_is_compared():
  assert matches(["a", "...", "c"], "a\nb\nb\nc\n")
  assert matches(["a...d", "e"], "a b c d\ne\n")
  assert not matches(["a...d"], "a\nd\n")
  assert not matches(["a", "c"], "a\nb\nc\n")
  assert not matches(["a"], "a\nb\n")
  assert commands("$ x\ny\n$ z\n") == [("x", ["y"]), ("z", [])]


def test_every_page_is_well_formed():
  for page in PAGES:
    text = (ROOT / page).read_text(encoding="utf-8")
    marks = re.findall(r"^<!-- test:", text, re.M)
    assert len(marks) == sum(bool(mark) for _, mark, _ in blocks(page)), f"{page}: a comment without a block"


def test_links_lead_somewhere():
  for page in PAGES:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
      if "://" not in target:
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"


def test_the_workflow(folder):
  """Its commands, but for those that fetch packages, run in the order of the job."""
  (text,) = [b[2] for b in blocks("docs/ci.md") if b[1] == "workflow"]
  workflow = yaml.safe_load(text)
  # YAML 1.1 reads the key `on` as true.
  assert set(workflow) == {"name", True, "jobs"}
  job = workflow["jobs"]["kernels"]
  assert re.fullmatch(r"ubuntu-[\d.]+", job["runs-on"])
  (folder / "tests").mkdir()
  files = {b[1].split()[1]: b[2] for b in blocks("docs/quickstart.md") if b[1].startswith("file")}
  (folder / "train_step.py").write_text(files["double.py"])
  (folder / "tests/double.py").write_text(files["double.py"])
  (folder / "tests/test_double.py").write_text(files["test_double.py"])
  settings = "".join(f"export {name}={value}\n" for name, value in job["env"].items())
  ran = 0
  for step in job["steps"]:
    assert ("uses" in step) != ("run" in step)
    if "run" not in step or step["run"].startswith("pip install"):
      continue
    ended = start(settings + step["run"], folder)
    assert ended.returncode == 0, f"{step['run']}\n{ended.stdout}"
    ran += 1
  assert ran == 4
  assert (folder / "verdict.json").exists()
