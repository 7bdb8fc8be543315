"""Checks what the compiler and the tests do not: `make lint`.

Prints one line for each violation, `file:line: what, and what to do`, and ends with 1 if there are any.
"""

import ast
import pathlib
import re
import subprocess
import sys

# A layer may include itself and those before it.
LAYERS = ("base", "numerics", "diag", "ir", "sim", "sched", "ops", "san", "report", "api", "cli")
MAX_LINES = 800

_INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
_CONSTANT = re.compile(r"inline constexpr .*?\b(k[A-Z]\w*)(?:\[\w*\])? ?[={]")
_DEF_ENTRY = re.compile(r"\s*PALLASITE_\w+\(([^,)]+)")
# Programs of their own, which nothing includes, may look at everything.
_TOP_ROLES = (".test.cc", ".perf.cc", ".fuzz.cc")


def main(root: pathlib.Path) -> int:
  violations = check(root) + check_format(root)
  for violation in violations:
    print(violation)
  n_files = sum(1 for _ in _files(root))
  print(f"lint: {n_files} files, {len(violations)} violations")
  return 1 if violations else 0


def check(root: pathlib.Path) -> list[str]:
  """All violations in the tree at `root`, other than of the format."""
  violations = []
  for path in _files(root):
    name = path.relative_to(root).as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    if len(lines) > MAX_LINES:
      found.append((MAX_LINES + 1, f"{len(lines)} lines, more than {MAX_LINES}: split the file"))
    if name.startswith("src/"):
      found += _check_includes(name, lines)
    if path.suffix == ".def":
      found += _check_sorted(lines)
    if name.startswith("python/"):
      found += _check_private_jax(name, lines)
    violations += [f"{name}:{line}: {text}" for line, text in sorted(found)]
  return violations + _check_constants(root)


def check_format(root: pathlib.Path) -> list[str]:
  """The lines that `make format` would change."""
  sources = [str(p) for p in _files(root) if p.suffix in (".h", ".cc")]
  run = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *sources],
                       capture_output=True, text=True, check=False)
  places = re.findall(r"^(.+?):(\d+):\d+: error: code should be clang-formatted", run.stderr, re.M)
  if run.returncode and not places:
    return [run.stderr.strip()]
  return [f"{pathlib.Path(file).relative_to(root).as_posix()}:{line}: not formatted: run `make format`"
          for file, line in sorted({(file, int(line)) for file, line in places})]


def _files(root):
  for folder in ("src", "python", "tests", "tools", "examples", "bench"):
    for path in sorted((root / folder).rglob("*")):
      if path.suffix in (".h", ".cc", ".def", ".py") and path.is_file():
        yield path


def _check_includes(name, lines):
  parts = name.split("/")
  if len(parts) < 4 or parts[1] != "pallasite" or parts[2] not in LAYERS:
    return [(1, f"not in a layer: sources lie in src/pallasite/{{{','.join(LAYERS)}}}/")]
  own = parts[2]
  found = []
  for number, line in enumerate(lines, 1):
    match = _INCLUDE.match(line)
    if match is None:
      continue
    included = match[1].split("/")
    if len(included) < 3 or included[0] != "pallasite" or included[1] not in LAYERS:
      found.append((number, f'"{match[1]}" is not of the form "pallasite/LAYER/FILE"'))
    elif (not name.endswith(_TOP_ROLES)
          and LAYERS.index(included[1]) > LAYERS.index(own)):
      found.append((number, f"{own} includes {match[1]}, and {included[1]} is a higher layer"))
  return found


def _check_constants(root):
  """Two headers that a file includes may not both define a name, and a copy may be changed alone."""
  homes, violations = {}, []
  for path in _files(root):
    name = path.relative_to(root).as_posix()
    if path.suffix != ".h" or not name.startswith("src/"):
      continue
    space = []
    for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
      if opened := re.match(r"namespace (\S+) {", line):
        space.append(opened[1])
      elif space and line.startswith("}  // namespace"):
        space.pop()
      found = _CONSTANT.match(line)
      if found is None:
        continue
      home = homes.setdefault("::".join([*space, found[1]]), name)
      if home != name:
        violations.append(f"{name}:{i}: {found[1]} is defined in {home} too: include that")
  return violations


def _check_sorted(lines):
  entries = [(number, match[1].strip()) for number, line in enumerate(lines, 1)
             if (match := _DEF_ENTRY.match(line))]
  return [(number, f"{entry} stands after {before}: sort the entries")
          for (_, before), (number, entry) in zip(entries, entries[1:]) if entry <= before]


def _check_private_jax(name, lines):
  if "/_compat/" in name or name.endswith(("/_compat.py", "_test.py")):
    return []
  tree = ast.parse("\n".join(lines))
  return [(node.lineno, "jax._src outside _compat: give the adapter a function for it")
          for node in ast.walk(tree) if _names_private_jax(node)]


def _names_private_jax(node):
  match node:
    case ast.Import():
      return any(_is_private(alias.name) for alias in node.names)
    case ast.ImportFrom(module="jax"):
      return any(alias.name == "_src" for alias in node.names)
    case ast.ImportFrom(module=str(module)):
      return _is_private(module)
    case ast.Attribute(attr="_src", value=ast.Name(id="jax")):
      return True
    # The name of a module, as importlib and sys.modules take it; prose is longer.
    case ast.Constant(value=str(text)):
      return re.fullmatch(r"jax\._src[\w.]*", text) is not None
  return False


def _is_private(module):
  return module == "jax._src" or module.startswith("jax._src.")


if __name__ == "__main__":
  sys.exit(main(pathlib.Path(__file__).resolve().parent.parent))
