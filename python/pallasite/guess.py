"""The architecture of a kernel that was given none."""

from __future__ import annotations

from pallasite import _compat


def guessed_arch(params: dict) -> str:
  """The architecture that the ops of a call's kernel need; Hopper where they say nothing."""
  return "sm_100a" if _compat.needs_tensor_memory(_compat.kernel_jaxpr(params)) else "sm_90a"
