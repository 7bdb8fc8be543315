"""Every private name of JAX that `_compat` uses exists in the JAX that is running.

The table of docs/gen/private_names.md says it of each version; PALLASITE_BLESS=1 writes the column of
the one that runs this.
"""

import ast
import importlib
import os
import pathlib

import jax
import pytest

from pallasite import _compat

PACKAGE = pathlib.Path(_compat.__file__).parent
# Other version's files name what this one need not have.
SKIPPED = {"v0_12.py"} if _compat.__dict__["_VERSION"] < (0, 12) else {"v0_11.py"}


def dotted(node):
  """("a", "b", "c") of the expression `a.b.c`; empty for any other."""
  if isinstance(node, ast.Name):
    return (node.id,)
  if isinstance(node, ast.Attribute):
    inner = dotted(node.value)
    return (*inner, node.attr) if inner else ()
  return ()


def names_of(source):
  """Paths below jax._src that a file names: modules that it imports, and what it reads of them."""
  tree = ast.parse(source)
  aliases, found = {}, set()
  for node in ast.walk(tree):
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jax._src"):
      for alias in node.names:
        path = (*node.module.split("."), alias.name)
        aliases[alias.asname or alias.name] = path
        found.add(path)
    elif isinstance(node, ast.Call) and dotted(node.func)[-1:] == ("import_module",):
      for argument in node.args:
        if isinstance(argument, ast.Constant) and str(argument.value).startswith("jax._src"):
          found.add(tuple(argument.value.split(".")))
  for node in ast.walk(tree):
    path = dotted(node)
    if len(path) > 1 and path[0] in aliases:
      found.add((*aliases[path[0]], *path[1:]))
  return found


TABLE = pathlib.Path(__file__).parents[2] / "docs" / "gen" / "private_names.md"

# By name: the files that use it.
ALL = {}
for _file in sorted(PACKAGE.glob("*.py")):
  for _path in names_of(_file.read_text()):
    ALL.setdefault(".".join(_path), []).append(_file.name)
USED = {name: files[0] for name, files in ALL.items() if not set(files) <= SKIPPED}


def exists(name):
  parts = name.split(".")
  for length in range(len(parts), 0, -1):
    try:
      found = importlib.import_module(".".join(parts[:length]))
    except ImportError:
      continue
    for part in parts[length:]:
      if not hasattr(found, part):
        return False
      found = getattr(found, part)
    return True
  return False


def test_names_are_found_in_every_form():
  source = """
from jax._src import core as c
from jax._src.state import types
import importlib
importlib.import_module("jax._src.pallas.mpmd")
c.ShapedArray.update
types.AbstractRef
other.name
"""
  assert {".".join(path) for path in names_of(source)} == {
    "jax._src.core", "jax._src.core.ShapedArray", "jax._src.core.ShapedArray.update",
    "jax._src.state.types", "jax._src.state.types.AbstractRef", "jax._src.pallas.mpmd",
  }
  assert len(USED) > 40, USED
  assert not exists("jax._src.core.NoSuchThing") and not exists("jax._src.no_such_module")


@pytest.mark.parametrize("name", sorted(USED))
def test_a_private_name_exists(name):
  assert exists(name), f"{USED[name]} uses {name}, which this JAX does not have"


def read_table():
  """By name: what each column says."""
  if not TABLE.exists():
    return {}
  rows = [line.strip("| ").split(" | ") for line in TABLE.read_text().splitlines() if "|" in line]
  return {row[0].strip("`"): dict(zip(rows[0][1:], row[1:])) for row in rows[2:]}


def write_table(column):
  before = read_table()
  versions = sorted({c for row in before.values() for c in row if c != "used by"} | {column})
  lines = [
    "# Private names of JAX",
    "",
    "What `python/pallasite/_compat` uses below `jax._src`, and in which version it is. Nothing else of",
    "pallasite touches these. tests/tools/private_names_test.py writes this table and checks it.",
    "",
    "| name | used by | " + " | ".join(versions) + " |",
    "| --- | --- |" + " --- |" * len(versions),
  ]
  for name in sorted(ALL):
    row = {**before.get(name, {}), column: "yes" if exists(name) else "no"}
    cells = [row.get(version, "?") for version in versions]
    lines.append(f"| `{name}` | {', '.join(ALL[name])} | {' | '.join(cells)} |")
  TABLE.write_text("\n".join(lines) + "\n")


def test_the_table_says_so():
  column = f"JAX {jax.__version__}"
  if os.environ.get("PALLASITE_BLESS"):
    write_table(column)
  table = read_table()
  assert list(table) == sorted(ALL)
  for name, row in table.items():
    assert row["used by"] == ", ".join(ALL[name])
    assert "?" not in row.values(), name
    # Of a version that nobody has tried yet only the names themselves are known.
    assert row.get(column, "yes" if exists(name) else "no") == ("yes" if exists(name) else "no"), name
