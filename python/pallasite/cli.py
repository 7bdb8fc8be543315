"""The command `pallasite`. The engine reads the command line; what needs Python is done here."""

from __future__ import annotations

import json
import sys

from pallasite.errors import EngineMissingError


def main(args: list[str] | None = None) -> int:
  args = list(sys.argv[1:] if args is None else args)
  try:
    from pallasite import engine

    code, request = engine.cli_main(args, _silence)
  except EngineMissingError as error:
    if args[:1] == ["doctor"]:
      # The one command that has something to say without it.
      return _do({"verb": "doctor", "json": _json_of(args[1:])})
    print(f"pallasite: {error}", file=sys.stderr)
    print("`pallasite doctor` tells more", file=sys.stderr)
    return 1
  return code if request is None else _do(json.loads(request))


def _silence(report_text: str, module_text: bytes) -> tuple[list[int], str, str]:
  """As engine.cli_main asks it, of a kernel in a file. Raises ValueError for a wrong entry."""
  from pallasite import silence
  from pallasite.report import Report
  from pallasite.session import session

  session.read_silence()
  session.took(module_text.decode(errors="replace"))
  report = Report.from_json(report_text)
  positions = session.silencer.apply(report)
  account = session.silencer.account(session.totals.lines)
  if not report.stats.get("clusters"):
    # Nothing ran, so that what matched nothing is no news.
    account["unused"] = []
  lines = silence.told(len(report.silenced), **account)
  return positions, json.dumps(report.silenced), "".join(f"{line}\n" for line in lines)


def _json_of(args: list[str]) -> str:
  for i, arg in enumerate(args):
    if arg.startswith("--json"):
      return arg.partition("=")[2] or "".join(args[i + 1 : i + 2])
  return ""


def _do(request: dict) -> int:
  if request["verb"] == "doctor":
    from pallasite.commands import doctor

    return doctor.run(request["json"])
  from pallasite.commands import program

  return program.run(request)
