"""`python -m pallasite` is the same as `pallasite`."""

import sys

from pallasite.cli import main

if __name__ == "__main__":
  sys.exit(main())
