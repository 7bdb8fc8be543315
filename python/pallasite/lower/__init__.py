"""Conversion of jaxprs to the text of the IR. Needs JAX, not the engine."""

from pallasite.lower import (  # noqa: F401
  arith,
  barrier,
  control,
  copy,
  debug,
  dot,
  fence,
  gather,
  memory,
  random,
  reduce,
  scope,
  shape,
  sort,
  thread,
  value,
  wgmma,
  window,
)
from pallasite.lower.converter import JaxRules
from pallasite.lower.kernel import Lowered, lower_mpmd_map, lower_pallas_call
from pallasite.lower.registry import RULES

__all__ = ["RULES", "JaxRules", "Lowered", "lower_mpmd_map", "lower_pallas_call"]
