"""The lists of docs/unsupported.md."""

import pathlib
import re


def rows(section):
  """(names, reason) of each row of a section of docs/unsupported.md."""
  page = pathlib.Path(__file__).parents[2] / "docs" / "unsupported.md"
  text = page.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
  for line in text.splitlines():
    if line.startswith("| `"):
      names, reason = line.strip("| ").split(" | ", 1)
      yield re.findall(r"`([\w.]+)`", names), reason
