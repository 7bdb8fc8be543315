"""Transforms of refs: each becomes one view op."""

from __future__ import annotations

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.emitter import DYNAMIC
from pallasite.lower.types import BarrierType, RefType, Value

# What a transform that the IR does not have is called by a kernel author.
_USER_NAMES = {
  "PeerMemRef": "a ref on another device (plgpu.remote_ref)",
  "MulticastRef": "a multicast ref (plgpu.multicast_ref)",
  "ClusterRefTransform": "a ref in another block of the cluster (plgpu.cluster_ref)",
  "ExtractAliasedRef": "a member of a union of refs (plgpu.RefUnion)",
  "BitcastTransform": "a bitcast of a ref",
  "Im2ColTransform": "an im2col view of a ref",
  "SelectTransform": "a choice between refs",
  "MemorySpaceCastTransform": "a cast of a ref's memory space",
}


def is_whole(ref: Value, transforms) -> bool:
  """Whether transforms leave the ref as it is, whatever runs."""
  def keeps(transform):
    return transform.kind == "identity" or transform.kind == "index" and all(
      isinstance(start, int) and (start, size, stride, integer) == (0, extent, 1, False)
      for (start, size, stride, integer), extent in zip(transform.arguments, ref.type.shape)
    )

  return all(keeps(transform) for transform in _compat.decode_transforms(transforms))


def view(site, ref: Value, transforms) -> Value:
  for transform in _compat.decode_transforms(transforms):
    ref = _apply(site, ref, transform)
  return ref


def one_barrier(site, barrier: Value) -> Value:
  """The barrier of an array of one, which JAX lets stand for it.

  An array of several stays one: the engine says what is wrong with that.
  """
  shape = barrier.type.shape
  if set(shape) != {1}:
    return barrier
  rank = len(shape)
  attributes = {"starts": [0] * rank, "sizes": [1] * rank, "squeeze": list(range(rank))}
  return _emit(site, "view.index", barrier, (), attributes)


def _apply(site, ref: Value, transform: _compat.View) -> Value:
  arguments = transform.arguments
  shape = ref.type.shape
  match transform.kind:
    case "identity":
      return ref
    case "index":
      return _index(site, ref, arguments)
    case "unswizzle":
      return _emit(site, "view.unswizzle", ref, shape, {"swizzle": int(arguments[0])})
    case "untile":
      n = len(arguments)
      if shape[-n:] != arguments:
        raise UnsupportedError(f"untiling a ref of shape {shape} by {arguments} is not supported")
      outer = shape[:-n]
      logical = outer[:-n] + tuple(o * t for o, t in zip(outer[-n:], arguments))
      return _emit(site, "view.untile", ref, logical, {"tiling": list(arguments)})
    case "transpose":
      permuted = tuple(shape[d] for d in arguments)
      return _emit(site, "view.transpose", ref, permuted, {"permutation": list(arguments)})
    case "reshape":
      return _emit(site, "view.reshape", ref, arguments, {})
  name = transform.name
  raise UnsupportedError(f"{_USER_NAMES.get(name, f'the ref transform `{name}`')} is not supported")


def _emit(site, name: str, ref: Value, shape, attributes, operands=()) -> Value:
  if isinstance(ref.type, BarrierType):
    if name not in ("view.index", "view.reshape"):
      raise UnsupportedError(f"`{name}` of a barrier is not supported")
    old = ref.type
    type = BarrierType(
      tuple(shape), old.arrivals, old.orders_tensor_core, old.cluster, old.leader_tracked
    )
  else:
    type = RefType(ref.type.space, ref.type.element, tuple(shape))
  return site.op(name, (ref, *operands), attributes, [type])[0]


def _index(site, ref: Value, dims) -> Value:
  starts, sizes, strides, squeeze, operands = [], [], [], [], []
  for dim, (start, size, stride, is_integer) in enumerate(dims):
    start = _scalar(site, start)
    if isinstance(start, Value):
      operands.append(start)
      starts.append(DYNAMIC)
    else:
      starts.append(start)
    if not isinstance(size, int):
      raise UnsupportedError("a slice with a size known only at run time is not supported")
    sizes.append(size)
    strides.append(int(stride))
    if is_integer:
      squeeze.append(dim)
  shape = ref.type.shape
  if starts == [0] * len(shape) and tuple(sizes) == shape and not squeeze and set(strides) <= {1}:
    return ref
  attributes = {"starts": starts, "sizes": sizes}
  if any(stride != 1 for stride in strides):
    attributes["strides"] = strides
  if squeeze:
    attributes["squeeze"] = squeeze
  kept = [size for dim, size in enumerate(sizes) if dim not in squeeze]
  return _emit(site, "view.index", ref, kept, attributes, operands)


def _scalar(site, index) -> int | Value:
  """A start: its number if it is known now, else the value that holds it."""
  if isinstance(index, (_compat.Var, _compat.Literal)):
    value = site.value(index)
    if isinstance(value.type, (RefType, BarrierType)) or value.type.shape:
      raise UnsupportedError("indexing a ref with an array (gather or scatter) is not supported")
    return int(value.literal) if value.literal is not None else value
  try:
    return int(index)
  except TypeError:
    raise UnsupportedError(f"an index of type `{type(index).__name__}` is not supported") from None
