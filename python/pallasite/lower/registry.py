"""Which rule converts which primitive. The families register here; the converter looks up."""

from __future__ import annotations

from collections.abc import Callable

# "family.name" of a primitive (see _compat.primitive_key) -> rule. A rule takes the Site of the
# equation, writes ops, and returns the values of the equation's results: one, several or None.
RULES: dict[str, Callable] = {}


def rule(*keys: str):
  def register(function):
    for key in keys:
      assert key not in RULES, key
      RULES[key] = function
    return function

  return register
