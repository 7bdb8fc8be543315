"""Writes the reference pages docs/gen/ops.md, docs/gen/diagnostics.md and docs/options.md from the tables in
the code.

  python tools/docs.py           writes them
  python tools/docs.py --check   exits with 1 if they are not what would be written
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "<!-- Made by `make docs` from the engine's own tables; changes belong there. -->\n"


def _engine(*arguments):
  command = [sys.executable, "-m", "pallasite", *arguments, "--json"]
  return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def ops_page(ops):
  lines = [HEAD, "# Ops of the IR\n"]
  family = None
  for op in sorted(ops, key=lambda op: op["name"]):
    if op["name"].split(".")[0] != family:
      family = op["name"].split(".")[0]
      lines.append(f"\n## {family}\n")
    lines.append(f"\n### `{op['signature']}`\n")
    lines.append(f"\n{op['help']}\n")
    if op.get("primitives"):
      lines.append(f"\nFrom: {', '.join(f'`{p}`' for p in op['primitives'])}.")
    lines.append(f"\nRule: {op['source']}.\n")
  return "".join(lines)


def diagnostics_page(entries):
  lines = [HEAD, "# Diagnostics\n"]
  for entry in sorted(entries, key=lambda entry: entry["record"]["errorCode"]):
    record = entry["record"]
    lines.append(f"\n## {record['errorCode']} ({record['severity']})\n")
    lines.append(f"\n{record['documentation']}\n")
    lines.append(f"\n**When**: {record['triggerScenarios']}\n")
    lines.append("\n**What to do**\n\n")
    lines += [f"- {solution}\n" for solution in record["solutions"]]
    if record.get("exampleFix"):
      lines.append(f"\n```\n{record['exampleFix'].strip()}\n```\n")
  return "".join(lines)


_VALUES = {
  "integer": "integer",
  "flag": "true or false",
  "names": "names, separated by commas",
  "tables": "array of tables, in the variable as JSON",
}


def _range_text(option):
  if option.minimum is None:
    return ""
  # The limits of 64 bits are none to a person.
  if option.minimum < -(2**62):
    return "integer"
  upper = f" to {option.maximum}" if option.maximum < 2**31 - 1 else " on"
  return f"integer from {option.minimum}{upper}"


def options_page(table):
  lines = [HEAD, "# Options\n\n"]
  lines += [
    "What a call or the command line states counts, even if it is the default; then the variable; then\n",
    "`[tool.pallasite]` of the nearest `pyproject.toml`, where a key has the option's name; then the default.\n",
    "`pallasite doctor` shows each value and where it is from.\n\n",
    "`install`, `check` and `Params` take the options as keywords, `pallasite run` and `pallasite check` as flags.\n",
    "A kernel in a .pir file takes flags and variables, and of `pyproject.toml` only `silence`: the rest there is for "
    "programs.\n\n",
    "| option | flag | variable | values | default | meaning |\n| --- | --- | --- | --- | --- | --- |\n",
  ]
  for option in table:
    values = ", ".join(
      f"`{c}`" + (" (not built yet)" if c in option.unbuilt else "") for c in option.choices
    )
    values = values or _range_text(option) or _VALUES.get(option.kind, "text")
    default = "" if option.default in (None, (), "") else f"`{option.default}`"
    if option.taken_by == "install":
      flag = f"`{option.flag}`"
    else:
      flag = f"(taken by {option.taken_by})"
    lines.append(
      f"| `{option.name}` | {flag} | `{option.variable}` | {values} | {default} | {option.meaning} |\n"
    )
  lines += [
    "\nIn `pyproject.toml`:\n\n```toml\n[tool.pallasite]\narch = \"h100\"\nasync_values = \"late\"\n```\n",
    "\nThe command line has more that is about one command only, such as `--json` and `--print-block`: ",
    "`pallasite run --help`.\n",
  ]
  return "".join(lines)


def main():
  entries = _engine("explain", "--all")
  entries = entries["records"] if isinstance(entries, dict) else entries
  from pallasite import options

  pages = {
    "gen/ops.md": ops_page(_engine("ops")),
    "gen/diagnostics.md": diagnostics_page(entries),
    "options.md": options_page(options.TABLE),
  }
  stale = []
  for name, text in pages.items():
    path = ROOT / "docs" / name
    if path.exists() and path.read_text() == text:
      continue
    stale.append(name)
    if "--check" not in sys.argv[1:]:
      path.parent.mkdir(exist_ok=True)
      path.write_text(text)
  if "--check" in sys.argv[1:] and stale:
    print(f"docs: {', '.join(stale)} not up to date; run `make docs`", file=sys.stderr)
    return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())
