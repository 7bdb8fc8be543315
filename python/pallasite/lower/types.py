"""Types and values of the IR, as the converter sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import ml_dtypes  # noqa: F401
import numpy as np

from pallasite.errors import UnsupportedError

# JAX name of an element type -> name in the IR text.
ELEMENT_NAMES = {
  "bool": "bool",
  **{f"int{bits}": f"i{bits}" for bits in (1, 2, 4, 8, 16, 32, 64)},
  **{f"uint{bits}": f"u{bits}" for bits in (1, 2, 4, 8, 16, 32, 64)},
  "bfloat16": "bf16",
  **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
  **{
    f"float8_{format}": f"f8{format}"
    for format in (
      "e5m2", "e4m3fn", "e4m3", "e3m4", "e4m3fnuz", "e4m3b11fnuz", "e5m2fnuz", "e8m0fnu"
    )
  },
  "float4_e2m1fn": "f4e2m1fn",
  "float6_e2m3fn": "f6e2m3fn",
  "float6_e3m2fn": "f6e3m2fn",
}

# Bits of one element in memory, where they are not 8 times the size that numpy states.
_SUB_BYTE_BITS = {"i1": 1, "u1": 1, "i2": 2, "u2": 2, "i4": 4, "u4": 4}
_SUB_BYTE_BITS |= {"f4e2m1fn": 4, "f6e2m3fn": 6, "f6e3m2fn": 6}


def element_name(dtype) -> str:
  name = getattr(dtype, "name", None) or np.dtype(dtype).name
  if name not in ELEMENT_NAMES:
    raise UnsupportedError(f"element type `{name}` is not supported")
  return ELEMENT_NAMES[name]


def dtype_of(element: str) -> np.dtype:
  """The dtype of an element type of the IR."""
  (name,) = (jax_name for jax_name, known in ELEMENT_NAMES.items() if known == element)
  # Those that numpy does not have itself, ml_dtypes has told it of.
  return np.dtype(name)


def _dims(shape: Sequence[int]) -> str:
  return f"[{','.join(str(d) for d in shape)}]"


@dataclass(frozen=True)
class ArrayType:
  element: str
  shape: tuple[int, ...] = ()

  @property
  def text(self) -> str:
    return self.element + (_dims(self.shape) if self.shape else "")


@dataclass(frozen=True)
class RefType:
  space: str
  element: str
  shape: tuple[int, ...]
  # Only on the type of an allocation; each as it stands in the text, "untile(8, 64)".
  transforms: tuple[str, ...] = ()

  @property
  def text(self) -> str:
    array = ArrayType(self.element, self.shape).text
    parts = [self.space, array, *self.transforms]
    return f"ref<{', '.join(parts)}>"


@dataclass(frozen=True)
class BarrierType:
  shape: tuple[int, ...]
  arrivals: int = 1
  orders_tensor_core: bool = False
  # Groups of cluster axes, each of which counts as one axis.
  cluster: tuple[tuple[str, ...], ...] = ()
  leader_tracked: bool = False

  @property
  def text(self) -> str:
    parts = [_dims(self.shape), f"arrivals={self.arrivals}"]
    if self.orders_tensor_core:
      parts.append("orders_tensor_core")
    if self.cluster:
      groups = [", ".join(quote(axis) for axis in group) for group in self.cluster]
      texts = [g if len(group) == 1 else f"[{g}]" for g, group in zip(groups, self.cluster)]
      parts.append(f"cluster=[{', '.join(texts)}]")
    if self.leader_tracked:
      parts.append("leader_tracked")
    return f"barrier<{', '.join(parts)}>"


Type = ArrayType | RefType | BarrierType


@dataclass(frozen=True)
class Value:
  # "%12", or a literal "i32(4)".
  text: str
  type: Type
  # The number that a literal stands for, so that an index list can hold it.
  literal: object = field(default=None, compare=False)


def ints(values) -> list[int]:
  """As attributes take them: JAX's parameters hold integers of NumPy too."""
  return [int(value) for value in values]


def quote(text: str) -> str:
  return json.dumps(text, ensure_ascii=False)


def symbol(name: str) -> str:
  """The name of a function or kernel: an identifier as it is, anything else as a string."""
  return "@" + (name if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name) else quote(name))


def literal_value(number, dtype) -> Value:
  """A scalar constant, written so that it reads back to the same bits."""
  scalar = np.asarray(number).astype(dtype) if not isinstance(number, np.generic) else number
  scalar = np.asarray(scalar, dtype=dtype).reshape(())
  element = element_name(dtype)
  if element == "bool":
    number = bool(scalar)
    text = "true" if number else "false"
  elif element[0] in "iu":
    number = int(scalar)
    text = str(number)
  else:
    number = float(scalar)
    text = _float_text(number, scalar)
  return Value(f"{element}({text})", ArrayType(element), number)


def _float_text(number: float, scalar: np.ndarray) -> str:
  if number == number:
    return shortest_text(number, np.float64 if scalar.dtype == np.float64 else np.float32)
  code = int.from_bytes(scalar.tobytes(), "little")
  canonical = int.from_bytes(np.asarray(float("nan"), scalar.dtype).tobytes(), "little")
  return "nan" if code == canonical else f"0x{code:x}"


def shortest_text(number: float, precision=np.float64) -> str:
  """The shortest decimal that reads back to the same number, as the IR's printer chooses it."""
  if number in (float("inf"), float("-inf")):
    return repr(number)
  value = precision(number)
  fixed = np.format_float_positional(value, trim="-")
  scientific = np.format_float_scientific(value, trim="-", exp_digits=2)
  text = fixed if len(fixed) <= len(scientific) else scientific
  return text if "." in text or "e" in text else text + ".0"


def packed_bytes(array: np.ndarray, element: str) -> bytes:
  """The bytes of an array in memory: sub-byte elements packed, the first in the lowest bits."""
  array = np.ascontiguousarray(array)
  bits = _SUB_BYTE_BITS.get(element)
  if bits is None:
    return array.tobytes()
  codes = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
  planes = (codes[:, None] >> np.arange(bits, dtype=np.uint8)) & 1
  return np.packbits(planes.reshape(-1), bitorder="little").tobytes()
