#!/bin/sh
# Prints the path of a CPython that really starts and can make environments.
#
#   find_python.sh VERSION...     e.g. find_python.sh 3.13 3.12: the first that is found
#
# $PYTHON, if it is one of these versions, goes first. A python3.13 on PATH may be a pyenv shim that
# does not start although the interpreter lies in pyenv's versions folder, so each candidate is run.

usable() { # usable COMMAND VERSION
  [ -n "$1" ] && "$1" - "$2" >/dev/null 2>&1 <<'PY'
import ctypes, ensurepip, ssl, sys, venv
same_version = "%d.%d" % sys.version_info[:2] == sys.argv[1]
has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
sys.exit(not (same_version and has_gil and sys.implementation.name == "cpython"))
PY
}

report_if_usable() { # report_if_usable COMMAND VERSION
  if usable "$1" "$2"; then
    command -v "$1"
    exit 0
  fi
}

pyenv_roots() {
  if [ -n "$PYENV_ROOT" ]; then echo "$PYENV_ROOT"; fi
  echo "$HOME/.pyenv"
  # With another HOME, the account's own folder may still hold a pyenv.
  getent passwd "$(id -u)" | cut -d: -f6 | sed 's#$#/.pyenv#'
  echo "$PATH" | tr ':' '\n' | sed -n 's#/shims/*$##p'
}

pyenv_pythons() { # pyenv_pythons VERSION, newest patch release first
  pyenv_roots | while read -r root; do
    ls -d "$root/versions/$1".*/bin/"python$1" 2>/dev/null
  done | sort -rV | uniq
}

if [ $# = 0 ]; then
  echo "usage: find_python.sh VERSION..." >&2
  exit 2
fi

for version in "$@"; do
  report_if_usable "$PYTHON" "$version"
done
for version in "$@"; do
  for candidate in "python$version" $(pyenv_pythons "$version") "/usr/local/bin/python$version" \
    "/usr/bin/python$version" python3; do
    report_if_usable "$candidate" "$version"
  done
done
# Last, because uv downloads what it does not have, which takes its time where there is no network.
if command -v uv >/dev/null 2>&1; then
  for version in "$@"; do
    timeout 120 uv python install -q "$version" >/dev/null 2>&1 </dev/null &&
      report_if_usable "$(uv python find --managed-python "$version" 2>/dev/null)" "$version"
  done
fi

echo "find_python.sh: no working CPython of version $*: install one (for example" \
  "'pyenv install $1') or set PYTHON=/path/to/python$1" >&2
exit 1
