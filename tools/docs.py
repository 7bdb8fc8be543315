"""Writes the reference pages docs/gen/ops.md and docs/gen/diagnostics.md from what the engine states.

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


def main():
  entries = _engine("explain", "--all")
  entries = entries["records"] if isinstance(entries, dict) else entries
  pages = {"ops.md": ops_page(_engine("ops")), "diagnostics.md": diagnostics_page(entries)}
  stale = []
  for name, text in pages.items():
    path = ROOT / "docs" / "gen" / name
    if path.exists() and path.read_text() == text:
      continue
    stale.append(name)
    if "--check" not in sys.argv[1:]:
      path.parent.mkdir(exist_ok=True)
      path.write_text(text)
  if "--check" in sys.argv[1:] and stale:
    print(f"docs/gen: {', '.join(stale)} not up to date; run `make docs`", file=sys.stderr)
    return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())
