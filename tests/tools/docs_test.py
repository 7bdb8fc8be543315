"""The reference pages are what the engine says of itself."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_generated_pages_are_up_to_date():
  check = subprocess.run(
    [sys.executable, ROOT / "tools" / "docs.py", "--check"], capture_output=True, text=True
  )
  assert check.returncode == 0, check.stderr
