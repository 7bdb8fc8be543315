"""Findings that the user knows of and has silenced, each with a reason.

An entry of `silence` in [tool.pallasite] names findings by code, path and ref; a comment
`# pallasite: ignore[code] reason` silences those on its line.

A finding that ended its run cannot be silenced: there is no result that the program could go on
with. Such an entry is counted as `refused`.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import linecache
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
  from pallasite.report import Finding, Report

_KEYS = ("code", "path", "ref", "reason")
_COMMENT = re.compile(r"#\s*pallasite:\s*ignore\b(?:\[([^\]]*)\])?\s*(.*)$")


@dataclasses.dataclass
class Entry:
  """One thing that silences."""

  # Globs; empty means any.
  code: str
  path: str
  ref: str
  reason: str
  # Where it stands.
  source: str
  # The line that a comment is about; 0 for an entry of pyproject.toml.
  line: int = 0
  # Findings that it silenced, and that it would have silenced had they not ended their runs.
  silenced: int = 0
  refused: int = 0

  def matches(self, finding: Finding, folder: pathlib.Path | None) -> bool:
    if self.code and not _matches_any(finding.code, self.code):
      return False
    if self.ref and not fnmatch.fnmatchcase(_ref_of(finding), self.ref):
      return False
    if not self.path:
      return True
    return any(_is_path(file, self.path, folder) for file, _ in finding.locations)

  def describe(self) -> str:
    stated = [f'{key}="{getattr(self, key)}"' for key in ("code", "path", "ref") if getattr(self, key)]
    return f"{self.source}: {', '.join(stated)}"


def read_entries(value: Iterable, source: str) -> list[Entry]:
  """Entries as pyproject.toml has them. Raises ValueError for one that is not whole."""
  entries = []
  for number, item in enumerate(value):
    said = f"{source} silence[{number}]"
    if not isinstance(item, dict):
      raise ValueError(f'{said}: expected a table such as {{code = "...", reason = "..."}}')
    unknown = sorted(set(item) - set(_KEYS))
    if unknown:
      raise ValueError(f"{said} has the unknown key {unknown[0]!r} (keys: {', '.join(_KEYS)})")
    if not all(isinstance(text, str) for text in item.values()):
      raise ValueError(f"{said}: expected strings")
    if not item.get("reason", "").strip():
      raise ValueError(f"{said} needs a reason")
    if not any(item.get(key) for key in ("code", "path", "ref")):
      raise ValueError(f"{said} would silence everything: it needs a code, a path or a ref")
    entries.append(Entry(*(item.get(key, "") for key in _KEYS), source=said))
  return entries


class Silencer:
  """Decides which findings of a report are silenced, and counts what each entry did."""

  def __init__(self, entries: Sequence[Entry] = (), folder: pathlib.Path | None = None):
    self.entries = list(entries)
    self.folder = folder
    # Of findings that something else knows of, such as a baseline: their reason, or empty.
    self.also: Callable[[Finding], str] | None = None
    self._comments: dict[str, dict[int, Entry]] = {}
    # Comments that silence nothing because they lack a reason or a code.
    self.problems: dict[tuple[str, int], str] = {}

  def apply(self, report: Report) -> list[int]:
    """Takes silenced findings out of a report. Returns the positions that they had."""
    from pallasite.report import worst_verdict

    positions, silenced = [], []
    for position, finding in enumerate(report.findings):
      entry = self._entry_of(finding)
      if entry is not None and not _can_be_silenced(finding, report):
        entry.refused += 1
        continue
      if entry is not None:
        entry.silenced += 1
        positions.append(position)
        silenced.append({**finding.to_dict(), "reason": entry.reason, "silenced_by": entry.source})
      elif self.also is not None and _can_be_silenced(finding, report):
        reason = self.also(finding)
        if reason:
          positions.append(position)
          silenced.append({**finding.to_dict(), "reason": reason, "silenced_by": "baseline"})
    if positions:
      report.findings = [f for i, f in enumerate(report.findings) if i not in positions]
      report.verdict = worst_verdict([f.verdict for f in report.findings])
      report.data["silenced"] = silenced
    return positions

  def _entry_of(self, finding: Finding) -> Entry | None:
    for file, line in finding.locations:
      comments = self.comments(file)
      # On the line itself, or alone on the line above.
      for number in (line, line - 1):
        found = comments.get(number)
        if found is not None and found.line == line and found.matches(finding, None):
          return found
    return next((entry for entry in self.entries if entry.matches(finding, self.folder)), None)

  def comments(self, file: str) -> dict[int, Entry]:
    """The comments of a file that silence, by the line they stand on. Read once."""
    found = self._comments.get(file)
    if found is None:
      found = self._comments[file] = {}
      for number, text in enumerate(linecache.getlines(file), 1):
        if "pallasite" not in text:
          continue
        match = _COMMENT.search(text)
        if match is None:
          continue
        code, reason = (match[1] or "").strip(), match[2].strip()
        if not code or not reason:
          missing = "a code in brackets" if not code else "a reason"
          self.problems[file, number] = f"{file}:{number}: `pallasite: ignore` needs {missing}"
          continue
        alone = not text[: match.start()].strip()
        found[number] = Entry(code, "", "", reason, f"{file}:{number}", number + alone)
    return found

  def unused(self, lines: Iterable[tuple[str, int]] = ()) -> list[Entry]:
    """Entries that matched nothing; comments only where a kernel that was traced has ops.

    Args:
      lines: (file, line) of ops of kernels that were traced.
    """
    unmatched = [entry for entry in self.entries if not entry.silenced and not entry.refused]
    for file, line in sorted(set(lines)):
      for entry in self.comments(file).values():
        if entry.line == line and not entry.silenced and not entry.refused:
          unmatched.append(entry)
    return unmatched

  def counts(self) -> list[tuple[Entry, int, int]]:
    """(entry, silenced, refused) of those that matched something."""
    comments = [entry for found in self._comments.values() for entry in found.values()]
    return [(e, e.silenced, e.refused) for e in self.entries + comments if e.silenced or e.refused]

  def account(self, lines: Iterable[tuple[str, int]]) -> dict[str, list]:
    """What `told` takes, as plain data."""
    return {
      "silence": [[e.describe(), e.reason, n, r] for e, n, r in self.counts()],
      "unused": [[e.describe(), e.reason] for e in self.unused(lines)],
      "problems": sorted(self.problems.values()),
    }


def told(
  count: int, silence: Iterable, unused: Iterable, problems: Iterable[str], also: str = ""
) -> list[str]:
  """The lines that tell at the end of a session what was silenced, and what silences nothing.

  Args:
    count: of silenced findings.
    silence: (entry, reason, silenced, refused) of entries that matched something.
    unused: (entry, reason) of the others.
    problems: of comments.
    also: what else `count` has.
  """
  lines = []
  if count:
    lines.append(f"{count} finding{'' if count == 1 else 's'} silenced{also}")
  silence = sorted(silence)
  for entry, reason, silenced, refused in silence:
    if silenced:
      lines.append(f"{silenced:6}  {entry} ({reason})")
    if refused:
      lines.append(f"{refused:6}  {entry}: not silenced, because the finding ended its run")
  matched = {entry for entry, *_ in silence}
  for entry, reason in sorted(unused):
    if entry not in matched:
      lines.append(f"silences nothing: {entry} ({reason})")
  return lines + sorted(problems)


def _can_be_silenced(finding: Finding, report: Report) -> bool:
  return finding.level != "error" or bool(report.data.get("finished"))


def _ref_of(finding: Finding) -> str:
  return str((finding.data.get("arguments") or {}).get("ref", ""))


def _matches_any(text: str, globs: str) -> bool:
  return any(fnmatch.fnmatchcase(text, glob.strip()) for glob in globs.split(","))


def _is_path(file: str, glob: str, folder: pathlib.Path | None) -> bool:
  path = relative_path(file, folder)
  glob = glob.removeprefix("./")
  return fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(path, f"*/{glob}")


def relative_path(file: str, folder: str | os.PathLike | None) -> str:
  """A path as seen from a folder if it lies in it, with slashes; else as it is."""
  path = pathlib.Path(file)
  if folder is not None and path.is_absolute() and path.is_relative_to(folder):
    path = path.relative_to(folder)
  return path.as_posix()
