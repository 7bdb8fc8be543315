"""What the command says to input that is wrong, of each kind, and its exit code."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

KERNEL = """pir 1
kernel @negate {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, i32[1]>
  output %1 "out": ref<gmem, i32[1]>
  body {
    %2 = view.index %0 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32[]>
    %3 = view.index %1 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32[]>
    %4 = memory.load %2 : i32
    %5 = arith.neg %4 : i32
    memory.store %3, %5
    control.yield
  }
}
"""
ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--arch", required=True)
print(parser.parse_args().arch)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
  folder = tmp_path_factory.mktemp("usage")
  texts = {
    "k.pir": KERNEL, "empty.pir": "", "broken.pir": "pir 1\nkernel @x {\n  grid = [2",
    "ok.py": "print('ran')", "syntax.py": "x =\n", "raises.py": "raise ValueError('mine')",
    "exits.py": "import sys; sys.exit(5)", "says.py": "import sys; sys.exit('mine')",
    "interrupts.py": "raise KeyboardInterrupt", "own.py": ARGPARSE, "schedule.json": '{"x":',
    "imports.py": "import no_such_thing",
  }
  for name, text in texts.items():
    (folder / name).write_text(text)
  for name in ("junk.pir", "junk.py", "junk.npy", "junk.json"):
    (folder / name).write_bytes(bytes(range(128, 256)) + bytes(64))
  np.save(folder / "x.npy", np.array([7], np.int32))
  (folder / "package").mkdir()
  (folder / "package/__init__.py").write_text("")
  (folder / "folder.pir").mkdir()
  return folder


def start(folder, *args):
  return subprocess.run(
    [sys.executable, "-m", "pallasite", *args], capture_output=True, text=True, cwd=folder,
    env={**os.environ, "JAX_PLATFORMS": "cpu"}, check=False,
  )


FILES = [
  ("missing.pir", "cannot read missing.pir: No such file or directory", 2),
  ("folder.pir", "cannot read folder.pir: it is a folder", 2),
  ("junk.pir", "cannot read junk.pir: it is no text", 2),
  ("empty.pir", "error[ir.parse]: expected `pir 1` at the start", 3),
  ("broken.pir", "broken.pir:3:12", 3),
]


@pytest.mark.parametrize("verb", ["run", "check", "verify"])
@pytest.mark.parametrize(("file", "message", "code"), FILES)
def test_kernels(folder, verb, file, message, code):
  ended = start(folder, verb, file)
  assert message in ended.stderr
  assert ended.returncode == code
  assert "Traceback" not in ended.stderr


PROGRAMS = [
  ("missing.py", "cannot read missing.py: no such file", 2),
  ("package", "cannot read package: it is a folder", 2),
  ("-m no_such_module", "pallasite: No module named no_such_module", 2),
  ("-m package", "'package' is a package and cannot be directly executed", 2),
  ("-m imports", "No module named 'no_such_thing'", 1),
  ("syntax.py", "SyntaxError: invalid syntax", 1),
  ("junk.py", "SyntaxError", 1),
  ("raises.py", "ValueError: mine", 1),
  ("exits.py", "the program ended with exit code 5", 1),
  ("says.py", "mine", 1),
  ("interrupts.py", "nothing was tested", 130),
  ("own.py", "the following arguments are required: --arch", 1),
  ("own.py --arch z80", "nothing was tested", 0),
]


@pytest.mark.parametrize(("words", "message", "code"), PROGRAMS)
def test_programs(folder, words, message, code):
  ended = start(folder, "run", *words.split())
  assert message in ended.stderr
  assert ended.returncode == code
  # A traceback is the program's own.
  assert "program.py" not in ended.stderr and "runpy" not in ended.stderr


USAGE = [
  ("", "Usage: pallasite"),
  ("frobnicate", "there is no verb frobnicate"),
  ("chekc ok.py", "there is no verb chekc; did you mean check?"),
  ("--versoin", "there is no option --versoin before the verb; did you mean --version?"),
  ("--arch h100 run ok.py", "there is no option --arch before the verb"),
  ("run", "TARGET is required"),
  ("verify", "KERNEL is required"),
  ("replay", "SCHEDULE is required"),
  ("replay schedule.json", "KERNEL is required"),
  ("completion", "SHELL is required"),
  ("explain", "explain takes one code, or --all"),
  ("run -m", "-m: which module?"),
  ("run --jsn x ok.py", "run has no option --jsn; did you mean --json?"),
  ("doctor --jsn x", "doctor has no option --jsn; did you mean --json?"),
  ("run --arch z80 ok.py", "known: h100"),
  ("run --arch z80 k.pir", "known: h100"),
  ("run --schedule fixd ok.py", "expected fixed or random, not fixd; did you mean fixed?"),
  ("run --seed x ok.py", "--seed: x is no integer"),
  ("run --workers 0 ok.py", "--workers: 0 is less than 1"),
  ("run --workers 4096 ok.py", "--workers: 4096 is more than 1024"),
  ("run --num-sms -1 ok.py", "--num-sms: -1 is less than 1"),
  ("run --schedules many k.pir", "--schedules: many is no integer from 0 to 1000000"),
  ("run --schedule ok.py k.pir", "not a file; a recorded schedule is run with --replay ok.py"),
  ("run --print-block x ok.py", "expected coordinates"),
  ("run --print-block x k.pir", "expected coordinates"),
  ("run --quiet=yes ok.py", "--quiet takes no value"),
  ("run --seed", "--seed: a value is missing"),
  ("run --out x=y ok.py", "--out is for .pir files"),
  ("run --num-sms 3 k.pir", "--num-sms is for programs"),
  ("run k.pir extra", "not expected: extra"),
  ("run --arg x k.pir", "--arg x: expected NAME=FILE"),
  ("run --arg x=missing.npy k.pir", "cannot read missing.npy"),
  ("run --arg x=junk.npy k.pir", "junk.npy: not a .npy file"),
  ("run --out y=y.npy k.pir", "the kernel's outputs are out"),
  ("run --json no/such/folder.json k.pir", "--json: cannot write no/such/folder.json: No such file"),
  ("run --json no/such/folder.json ok.py", "--json: cannot write no/such/folder.json: No such file"),
  ("check --json package k.pir", "--json: cannot write package: it is a folder"),
  ("verify --json package k.pir", "--json: cannot write package: it is a folder"),
  ("doctor --json package", "--json: cannot write package: it is a folder"),
  ("run --record package k.pir", "--record: cannot write package: it is a folder"),
  ("replay missing.json k.pir", "cannot read missing.json"),
  ("replay package k.pir", "cannot read package: it is a folder"),
  ("replay schedule.json missing.pir", "cannot read missing.pir"),
  ("explain sched.deadlok", "did you mean sched.deadlock?"),
  ("explain nothing.like.it", "`pallasite explain --all` lists them"),
  ("ops barrier.wiat", "barrier.wait"),
  ("ops nothing", "`pallasite ops` lists them"),
  ("doctor more", "not expected: more"),
  ("completion fish", "not for fish"),
]


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_what_was_typed(folder, words, message):
  ended = start(folder, *words.split())
  assert message in ended.stderr
  assert ended.returncode == 2
  # It is found before anything runs.
  assert ended.stdout == ""
  assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("schedule", ["schedule.json", "junk.json"])
def test_what_is_no_schedule(folder, schedule):
  ended = start(folder, "replay", "--arg", "x=x.npy", schedule, "k.pir")
  assert "error[sched.replay-mismatch]" in ended.stderr
  assert ended.returncode == 2


def test_trying_to_write_leaves_what_was_there(folder):
  (folder / "kept.json").write_text("kept")
  start(folder, "run", "--json", "kept.json", "--seed", "x", "ok.py")
  start(folder, "run", "--json", "new.json", "missing.py")
  assert (folder / "kept.json").read_text() == "kept"
  assert not (folder / "new.json").exists()
  ended = start(folder, "run", "--json", "new.json", "exits.py")
  assert ended.returncode == 1
  assert json.loads((folder / "new.json").read_text())["program_exit_code"] == 1
