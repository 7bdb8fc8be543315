"""Known findings of a test suite, kept in a file: they do not fail a test, and new ones do."""

from __future__ import annotations

import dataclasses
import json
import linecache
import os
import pathlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pallasite.silence import relative_path

if TYPE_CHECKING:
  from pallasite.report import Finding

_VERSION = 1


@dataclasses.dataclass(frozen=True, order=True)
class Known:
  """A finding by what stays when lines are added above it."""

  test: str
  code: str
  # As seen from the folder of the test suite.
  path: str
  # The text of the line.
  line: str

  def describe(self) -> str:
    place = f" {self.path}: {self.line}" if self.path else ""
    return f"{self.test}: {self.code}{place}"


def known(finding: Finding, test: str, folder: str | os.PathLike) -> Known:
  path = text = ""
  if finding.locations:
    file, line = finding.locations[0]
    path, text = relative_path(file, folder), linecache.getline(file, line).strip()
  return Known(test, finding.code, path, text)


def read(path: str | os.PathLike) -> set[Known]:
  """Raises ValueError for a file that is no baseline."""
  text = pathlib.Path(path).read_text(encoding="utf-8")
  try:
    data = json.loads(text)
    if data["version"] != _VERSION:
      raise ValueError(f"{path}: a baseline of version {data['version']}, not {_VERSION}")
    return {Known(**item) for item in data["findings"]}
  except (KeyError, TypeError, json.JSONDecodeError) as error:
    raise ValueError(f"{path} is not a baseline ({error})") from None


def write(path: str | os.PathLike, findings: Iterable[Known]):
  data = {"version": _VERSION, "findings": [dataclasses.asdict(f) for f in sorted(findings)]}
  pathlib.Path(path).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
