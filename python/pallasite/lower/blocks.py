"""Block specifications of pallas_call: which part of an array a block of the grid sees, and where.

A block in GMEM is a view. Any other is a buffer in SMEM, which a block of the grid fills from the
array before the kernel's body and, for an output, copies back after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower import refs
from pallasite.lower.converter import Converter, allocation_type
from pallasite.lower.emitter import DYNAMIC
from pallasite.lower.types import ArrayType, RefType, Value, element_name


class _Writer:
  """Writes ops where no equation is converted."""

  def __init__(self, converter: Converter, location: int | None):
    self.converter = converter
    self.location = location

  def op(self, name: str, operands=(), attributes=None, types=()) -> list[Value]:
    return self.converter.body.op(name, operands, types, attributes, self.location)


def array_type(mapping) -> RefType:
  """Type of the kernel's parameter: the whole array."""
  aval = mapping.array_aval
  return RefType("gmem", element_name(aval.dtype), tuple(aval.shape))


def check(mapping):
  """Refuses what a block specification may state and we cannot do."""

  def refuse(why: str):
    raise UnsupportedError(
      f"pallas_call with a block specification for `{mapping.origin}` {why} is not supported"
    )

  block = _compat.block_facts(mapping)
  if block.unsupported:
    refuse(block.unsupported)
  for size, extent in zip(block.sizes, mapping.array_aval.shape, strict=True):
    if extent % size:
      refuse(f"whose blocks of {size} do not divide a dimension of {extent}")
  space = _compat.ref_facts(mapping.transformed_block_aval).space
  if space not in ("", "smem", "gmem"):
    refuse(f"in {space.upper()}")
  if space == "gmem" and mapping.transforms:
    refuse("with transforms in GMEM")


def run_body(
  converter: Converter,
  mappings: Sequence,
  num_inputs: int,
  parameters: Sequence[Value],
  names: Sequence[str],
  location: int | None,
  body: Callable[[Sequence[Value]], None],
):
  """Writes the kernel's body, which takes one ref for each block, and what has to stand around it."""
  writer = _Writer(converter, location)
  parts = [_part(writer, m, p) for m, p in zip(mappings, parameters, strict=True)]
  types = {}
  for position, mapping in enumerate(mappings):
    aval = mapping.transformed_block_aval
    if _compat.ref_facts(aval).space != "gmem":
      transforms = _compat.undo_block_transforms(mapping)
      types[position] = allocation_type(aval, transforms, converter.axis_text)
  if not types:
    body(parts)
    return

  def fill(buffers):
    of_position = dict(zip(types, buffers))
    copied = False
    for position, buffer in of_position.items():
      if position < num_inputs:
        _copy(writer, parts[position], _plain_view(writer, mappings[position], buffer))
        copied = True
    if copied:
      # The body may hand the buffer to asynchronous operations.
      writer.op("fence.commit_smem")
    body([of_position.get(position, part) for position, part in enumerate(parts)])
    for position, buffer in of_position.items():
      if position >= num_inputs:
        _copy(writer, _plain_view(writer, mappings[position], buffer), parts[position])
    return []

  converter.body.region_op(
    "scope.run_scoped",
    (),
    (),
    {"collective_axes": []},
    location,
    [(list(types.values()), [names[position] for position in types], fill)],
  )


def _part(writer: _Writer, mapping, array: Value) -> Value:
  """The view of an array that the block specification's index map chooses."""
  block = _compat.block_facts(mapping)
  inner, _ = _compat.open_jaxpr(mapping.index_map_jaxpr)
  ids = []
  # The index map takes the place in the grid; one that ignores it asks for no registers.
  for axis, variable in zip(writer.converter.grid_axes, inner.invars):
    type = ArrayType(element_name(variable.aval.dtype))
    ids += writer.op("thread.axis_index", (), {"axis": axis}, [type])
  indices = writer.converter.inline(mapping.index_map_jaxpr, ids, writer.location)
  starts, sizes, squeeze, operands = [], [], [], []
  for dim, (index, size) in enumerate(zip(indices, block.sizes, strict=True)):
    sizes.append(size)
    scale = size if block.counts_blocks[dim] else 1
    if block.squeezed[dim]:
      squeeze.append(dim)
    if index.literal is not None:
      starts.append(int(index.literal) * scale)
      continue
    if scale != 1:
      factor = Value(f"{index.type.element}({scale})", index.type, scale)
      (index,) = writer.op("arith.mul", (index, factor), {}, [index.type])
    starts.append(DYNAMIC)
    operands.append(index)
  if starts == [0] * len(starts) and tuple(sizes) == array.type.shape and not squeeze:
    return array
  attributes = {"starts": starts, "sizes": sizes}
  if squeeze:
    attributes["squeeze"] = squeeze
  shape = tuple(size for dim, size in enumerate(sizes) if dim not in squeeze)
  type = RefType("gmem", array.type.element, shape)
  return writer.op("view.index", (array, *operands), attributes, [type])[0]


def _plain_view(writer: _Writer, mapping, buffer: Value) -> Value:
  return refs.view(writer, buffer, _compat.undo_block_transforms(mapping))


def _copy(writer: _Writer, source: Value, destination: Value):
  type = ArrayType(source.type.element, source.type.shape)
  (value,) = writer.op("memory.load", (source,), {}, [type])
  writer.op("memory.store", (destination, value))
