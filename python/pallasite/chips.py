"""The chips that pallasite models, and what each answers to JAX's questions about a device."""

from __future__ import annotations

from dataclasses import dataclass

from pallasite.errors import UnsupportedError


@dataclass(frozen=True)
class Chip:
  name: str
  arch: str
  device_kind: str
  compute_capability: tuple[int, int]
  num_sms: int
  # What one block may ask for.
  shared_memory_bytes: int


CHIPS = {
  chip.name: chip
  for chip in (
    Chip("h100", "sm_90a", "NVIDIA H100 80GB HBM3", (9, 0), 132, 227 * 1024),
    Chip("b200", "sm_100a", "NVIDIA B200", (10, 0), 148, 227 * 1024),
    Chip("a100", "sm_80", "NVIDIA A100-SXM4-80GB", (8, 0), 108, 163 * 1024),
  )
}

_ARCHS = {"sm_80": "a100", "sm_90": "h100", "sm_90a": "h100", "sm_100": "b200", "sm_100a": "b200"}
_ALIASES = {**_ARCHS, **{name.replace("_", ""): chip for name, chip in _ARCHS.items()}}


def chip(arch: str) -> Chip:
  """The chip of a name (`h100`) or an architecture (`sm_90a`, `sm90`)."""
  name = _ALIASES.get(str(arch).lower(), str(arch).lower())
  if name not in CHIPS:
    known = ", ".join(f"{c.name} ({c.arch})" for c in CHIPS.values())
    raise UnsupportedError(f"arch {arch!r} is not modelled; known: {known}")
  return CHIPS[name]
