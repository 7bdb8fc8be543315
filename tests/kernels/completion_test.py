"""Completion of the command line, by the shells themselves."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

# What to complete at its end, and what is offered. The folder has kernel.pir, script.py and
# `my notes.json`.
LINES = [
  ("pallasite ver", ["verify"]),
  ("pallasite --v", ["--version"]),
  ("pallasite run --sch", ["--schedule", "--schedules"]),
  ("pallasite run --schedule ra", ["random"]),
  ("pallasite run --schedule=ra", ["random"]),
  ("pallasite run --arch h100 --async-values la", ["late"]),
  ("pallasite run --arch=b", ["b200"]),
  ("pallasite run --seed ", []),
  ("pallasite doctor --j", ["--json"]),
  ("pallasite verify --seed", []),
  ("pallasite explain sched.dead", ["sched.deadlock"]),
  ("pallasite ops barrier.wa", ["barrier.wait"]),
  ("pallasite completion ", ["bash", "zsh"]),
  ("pallasite run kern", ["kernel.pir"]),
  ("pallasite run --arch h100 scr", ["script.py"]),
  ("pallasite replay my", ["my notes.json"]),
  ("pallasite run --json my", ["my notes.json"]),
  ("pallasite run --json=my", ["my notes.json"]),
  ("pallasite run --arg x=ker", ["kernel.pir"]),
  ("pallasite run --arg=x=ker", ["kernel.pir"]),
  ("pallasite run --arg x=x.npy --rep", ["--replay"]),
  # A program's arguments are its own; a kernel has none.
  ("pallasite run script.py --sch", []),
  ("pallasite run --seed 3 script.py ker", ["kernel.pir"]),
  ("pallasite run kernel.pir --sch", ["--schedule", "--schedules"]),
  ("pallasite run -m tool --sch", []),
  ("pallasite run -m tool ker", ["kernel.pir"]),
]

# Bash splits a line at blanks and around `=`.
BASH = """
source <("$PYTHON" -m pallasite completion bash)
complete_line() {
  local line=${1//=/ = }
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *" " && ${COMP_WORDS[-1]} != "=" ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _pallasite
  printf '%s\\n' "${COMPREPLY[@]}" end
}
"""

# `capture` lists the matches of the line; `compadd` is how completers offer them.
ZSH = r"""
PS1='' RPROMPT=''
autoload -U compinit && compinit -u -D
source <("$PYTHON" -m pallasite completion zsh)
compadd() {
  if [[ ${@[(I)-[OAD]*]} == 0 ]]; then
    local -a hits
    builtin compadd -O hits "$@"
    (( $#hits )) && print -rl -- $hits >> ../offered
  fi
  builtin compadd "$@"
}
capture() {
  print -n > ../offered
  zle list-choices
  BUFFER=
  mv ../offered ../answer
}
zle -N capture
bindkey '^I' capture
print -r -- READY
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
  work = tmp_path_factory.mktemp("completion") / "work"
  work.mkdir()
  for name in ("kernel.pir", "script.py", "my notes.json"):
    (work / name).write_text("")
  return work


class Zsh:
  """An interactive shell on a terminal."""

  def __init__(self, folder):
    self.folder = folder
    self.shown = b""
    (folder.parent / "setup.zsh").write_text(ZSH)
    self.master, slave = pty.openpty()
    self.process = subprocess.Popen(
      ["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=folder,
      env={**os.environ, "PYTHON": sys.executable, "TERM": "dumb"}, start_new_session=True,
    )
    os.close(slave)
    os.write(self.master, b"source ../setup.zsh\n")
    self.wait(lambda: b"READY\r" in self.shown)

  def wait(self, until):
    end = time.monotonic() + 60
    while not until():
      assert time.monotonic() < end, self.shown.decode()
      if select.select([self.master], [], [], 0.02)[0]:
        self.shown += os.read(self.master, 4096)

  def complete(self, line):
    answer = self.folder.parent / "answer"
    os.write(self.master, line.encode() + b"\t")
    self.wait(answer.exists)
    offered = answer.read_text().replace("\\ ", " ").splitlines()
    answer.unlink()
    return offered

  def close(self):
    self.process.kill()
    self.process.wait()
    os.close(self.master)


@pytest.fixture(scope="module")
def zsh(folder):
  shell = Zsh(folder)
  yield shell
  shell.close()


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash(folder, line, expected):
  ended = subprocess.run(
    ["bash", "-c", BASH + f"complete_line '{line}'"], capture_output=True, text=True, cwd=folder,
    env={**os.environ, "PYTHON": sys.executable}, check=True,
  )
  offered = [word for word in ended.stdout.splitlines() if word]
  assert offered == [*expected, "end"], ended.stderr


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_zsh(zsh, line, expected):
  assert sorted(zsh.complete(line)) == expected


def test_zsh_takes_it_as_a_file_of_fpath(folder):
  functions = folder.parent / "functions"
  functions.mkdir()
  script = '"$PYTHON" -m pallasite completion zsh > ../functions/_pallasite && fpath=($PWD/../functions $fpath)'
  ended = subprocess.run(
    ["zsh", "-fc", script + " && autoload -U compinit && compinit -u -D && echo $_comps[pallasite]"],
    capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHON": sys.executable},
    check=True,
  )
  assert ended.stdout == "_pallasite\n", ended.stderr
