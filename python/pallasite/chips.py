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

# Chips that are not modelled, of an architecture that is.
_ARCH_OF = {
  "a30": "sm_80",
  "a800": "sm_80",
  "h20": "sm_90a",
  "h200": "sm_90a",
  "h800": "sm_90a",
  "gh200": "sm_90a",
  "b100": "sm_100a",
  "gb200": "sm_100a",
}


def chip(arch: str) -> Chip:
  """The chip of a name (`h100`) or an architecture (`sm_90a`, `sm90`), in upper or lower case."""
  text = str(arch).lower()
  name = _ALIASES.get(text, text)
  if name not in CHIPS:
    known = ", ".join(f"{c.name} ({c.arch})" for c in CHIPS.values())
    message = f"arch {arch!r} is not modelled; known: {known}"
    if text in _ARCH_OF:
      other = _ALIASES[_ARCH_OF[text]]
      message += f". Its architecture is {_ARCH_OF[text]}: {other} runs the same kernels"
    raise UnsupportedError(message)
  return CHIPS[name]
