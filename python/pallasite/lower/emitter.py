"""Builds the text of a `.pir` module: numbered values, interned locations, one kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pallasite.errors import UnsupportedError
from pallasite.lower.types import Type, Value, quote, shortest_text


# Limits of the text form.
_MAX_RANK = 12
_MAX_NESTING = 100


class Dynamic:
  """In a list of integers: the value is the next operand. Written `?`."""


DYNAMIC = Dynamic()


def attribute_text(value) -> str:
  if isinstance(value, bool):
    return "true" if value else "false"
  if isinstance(value, int):
    return str(value)
  if isinstance(value, float):
    return "nan" if value != value else shortest_text(value)
  if isinstance(value, str):
    return quote(value)
  if isinstance(value, bytes):
    return f'hex"{value.hex()}"'
  if isinstance(value, (list, tuple)):
    return f"[{', '.join('?' if v is DYNAMIC else attribute_text(v) for v in value)}]"
  raise TypeError(f"not an attribute value: {value!r}")


def attributes_text(attributes: dict) -> str:
  if not attributes:
    return ""
  items = (f"{name} = {attribute_text(attributes[name])}" for name in sorted(attributes))
  return f"{{{', '.join(items)}}}"


class Locations:
  """The table of source locations. An entry is one frame and the entry it came from."""

  def __init__(self):
    self._ids: dict[tuple, int] = {}
    self._entries: list[tuple] = []

  def intern(self, frame, parent: int | None) -> int:
    key = (frame, parent)
    found = self._ids.get(key)
    if found is None:
      found = self._ids[key] = len(self._entries)
      self._entries.append(key)
    return found

  def frame(self, location: int):
    return self._entries[location][0]

  def chain(self, location: int | None) -> Iterable:
    """Frames from the innermost outwards."""
    while location is not None:
      frame, location = self._entries[location]
      yield frame

  def lines(self) -> Iterable[str]:
    for number, (frame, parent) in enumerate(self._entries):
      note = f", {quote(frame.note)}" if frame.note else ""
      origin = f" from #{parent}" if parent is not None else ""
      yield (
        f"#{number} = loc({quote(frame.file)}, {frame.line}, {frame.column}, "
        f"{quote(frame.function)}{note}){origin}"
      )


class Body:
  """Ops of one function or kernel, written in order of definition."""

  def __init__(self, indent: int):
    self.lines: list[str] = []
    # Names of the ops written, in order, for the census of a kernel.
    self.op_names: list[str] = []
    self._indent = indent
    self._next_value = 0

  def new_value(self, type: Type) -> Value:
    if len(type.shape) > _MAX_RANK:
      raise UnsupportedError(f"rank {len(type.shape)} of {type.text} is over {_MAX_RANK}")
    value = Value(f"%{self._next_value}", type)
    self._next_value += 1
    return value

  def line(self, text: str):
    self.lines.append("  " * self._indent + text)

  def op(
    self,
    name: str,
    operands: Sequence[Value] = (),
    result_types: Sequence[Type] = (),
    attributes: dict | None = None,
    location: int | None = None,
  ) -> list[Value]:
    head, results = self._head(name, operands, result_types, attributes or {})
    self.line(head + self._tail(results, location))
    return results

  def region_op(
    self,
    name: str,
    operands: Sequence[Value],
    result_types: Sequence[Type],
    attributes: dict,
    location: int | None,
    regions: Sequence,
  ) -> list[Value]:
    """An op with regions. Each region is (argument types, argument names, fill), where fill gets
    the argument values, writes the ops and returns the values to yield."""
    head, results = self._head(name, operands, result_types, attributes)
    self.line(head + " {")
    for index, (types, names, fill) in enumerate(regions):
      if index:
        self.line("} {")
      self._indent += 1
      if self._indent > _MAX_NESTING:
        raise UnsupportedError(f"loops and scopes are nested over {_MAX_NESTING} deep")
      arguments = [self.new_value(type) for type in types]
      if arguments:
        names = names or [""] * len(arguments)
        self.line(f"({', '.join(argument_text(v, n) for v, n in zip(arguments, names))})")
      self.end_region(fill(arguments), location)
      self._indent -= 1
    self.line("}" + self._tail(results, location))
    return results

  def end_region(self, values: Sequence[Value], location: int | None):
    self.op("control.yield", values, location=location)

  def _head(self, name, operands, result_types, attributes):
    self.op_names.append(name)
    results = [self.new_value(type) for type in result_types]
    text = f"{', '.join(v.text for v in results)} = {name}" if results else name
    if operands:
      text += " " + ", ".join(v.text for v in operands)
    attributes_part = attributes_text(attributes)
    return text + (f" {attributes_part}" if attributes_part else ""), results

  def _tail(self, results, location) -> str:
    types = f" : {', '.join(v.type.text for v in results)}" if results else ""
    return types + (f" #{location}" if location is not None else "")


def argument_text(value: Value, name: str = "") -> str:
  quoted = f" {quote(name)}" if name else ""
  return f"{value.text}{quoted}: {value.type.text}"


class ModuleText:
  """The parts of a module, joined in the order of the text form."""

  def __init__(self):
    self.locations = Locations()
    # Complete text of each function, callees before callers.
    self.functions: list[list[str]] = []
    self.kernel: list[str] = []

  def text(self) -> str:
    lines = ["pir 1", *self.locations.lines(), ""]
    for function in self.functions:
      lines += [*function, ""]
    return "\n".join([*lines, *self.kernel]) + "\n"
