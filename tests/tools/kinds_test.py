"""Every kind of diagnostic is found by something."""

import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).parents[2] / "src" / "pallasite"
KINDS = re.findall(
  r'PALLASITE_DIAGNOSTIC\((\w+), "([\w.-]+)"\)', (SOURCES / "diag" / "kinds.def").read_text()
)


PACKAGE = SOURCES.parents[1] / "python" / "pallasite"


def emitters():
  """Code outside of diag, which declares kinds, and of tests."""
  for file in sorted(SOURCES.rglob("*.cc")):
    is_test = re.search(r"\.(test|fuzz|perf)\.cc$", file.name)
    if not is_test and file.relative_to(SOURCES).parts[0] != "diag":
      yield file.read_text()
  # What JAX says of a kernel is found in Python.
  for file in sorted(PACKAGE.rglob("*.py")):
    if not file.name.endswith("_test.py"):
      yield file.read_text()


EMITTERS = "\n".join(emitters())


def test_kinds_are_sorted():
  assert KINDS == sorted(KINDS)


@pytest.mark.parametrize("name, code", KINDS)
def test_a_kind_is_emitted(name, code):
  # Ops name a kind by its code, because the table of ops knows no more of it.
  assert re.search(rf'Kind::{name}\b|diagnose\(\s*"{re.escape(code)}"', EMITTERS), code
