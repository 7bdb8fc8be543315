"""Scopes that allocate refs and barriers."""

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.converter import allocation_type
from pallasite.lower.registry import rule
from pallasite.lower.types import RefType


@rule("pallas.run_scoped")
def run_scoped(site):
  params, converter = site.params, site.converter
  inner, _ = _compat.open_jaxpr(params["jaxpr"])
  transforms = params["ref_transforms"] or ((),) * len(inner.invars)
  types = []
  for variable, declared in zip(inner.invars, transforms, strict=True):
    type = allocation_type(variable.aval, declared, converter.require_axis)
    if isinstance(type, RefType) and type.space == "gmem":
      raise UnsupportedError("allocating GMEM inside a kernel is not supported")
    types.append(type)
  axes = params["collective_axes"]
  axes = axes if isinstance(axes, (tuple, list)) else (axes,)
  attributes = {"collective_axes": [converter.require_axis(axis) for axis in axes]}
  names = inner.debug_info.arg_names if inner.debug_info else None
  if not names or len(names) != len(types):
    names = [""] * len(types)

  def body(arguments):
    return converter.inline_closure(params["jaxpr"], site.operands, arguments, site.location)

  return site.region_op("scope.run_scoped", (), attributes, [(types, names, body)])


@rule("state.run_state")
def run_state(site):
  """An accumulator as state. Constants of the body are refs here, read but never written."""
  params, converter = site.params, site.converter
  inner, constants = _compat.open_jaxpr(params["jaxpr"])
  if constants or inner.constvars or not all(params["is_initialized"]):
    raise UnsupportedError("pl.run_state with uninitialised state is not supported")
  operands = site.operands
  types, initial, closed_over = [], [], {}
  for position, (variable, operand) in enumerate(zip(inner.invars, operands, strict=True)):
    if isinstance(operand.type, RefType) or not hasattr(operand.type, "element"):
      closed_over[position] = operand
      continue
    type = allocation_type(variable.aval, (), converter.require_axis, "regs")
    if type.space != "regs":
      raise UnsupportedError("pl.run_state over other state than accumulators is not supported")
    types.append(type)
    initial.append(operand)

  def body(arguments):
    state = iter(arguments)
    values = [
      closed_over[i] if i in closed_over else next(state) for i in range(len(inner.invars))
    ]
    converter.run(inner, {}, values, site.location)
    return []

  result_types = [v.type for v in initial]
  finals = iter(site.region_op("scope.run_state", initial, {}, [(types, (), body)], result_types))
  return [closed_over[i] if i in closed_over else next(finals) for i in range(len(operands))]
