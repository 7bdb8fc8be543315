"""Scopes that allocate refs and barriers."""

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.converter import allocation_type
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType, RefType


@rule("pallas.run_scoped")
def run_scoped(site):
  params, converter = site.params, site.converter
  inner, _ = _compat.open_jaxpr(params["jaxpr"])
  transforms = params["ref_transforms"] or ((),) * len(inner.invars)
  types = []
  for variable, declared in zip(inner.invars, transforms, strict=True):
    type = allocation_type(variable.aval, declared, converter.axis_text)
    if isinstance(type, RefType) and type.space == "gmem":
      raise UnsupportedError("allocating GMEM inside a kernel is not supported")
    types.append(type)
  axes = params["collective_axes"]
  axes = axes if isinstance(axes, (tuple, list)) else (axes,)
  attributes = {"collective_axes": [converter.axis_text(axis) for axis in axes]}
  names = inner.debug_info.arg_names if inner.debug_info else None
  if not names or len(names) != len(types):
    names = [""] * len(types)

  def body(arguments):
    return converter.inline_closure(params["jaxpr"], site.operands, arguments, site.location)

  return site.region_op("scope.run_scoped", (), attributes, [(types, names, body)])


@rule("state.run_state")
def run_state(site):
  """Accumulators as state. What the body closes over arrives as a ref too, which it only reads:
  such a ref stands for the value itself."""
  params, converter = site.params, site.converter
  inner, constants = _compat.open_jaxpr(params["jaxpr"])
  if constants or inner.constvars or not all(params["is_initialized"]):
    raise UnsupportedError("pl.run_state with uninitialised state is not supported")
  operands = site.operands
  is_state = [
    isinstance(operand.type, ArrayType) and _compat.ref_facts(variable.aval).space != ""
    for variable, operand in zip(inner.invars, operands, strict=True)
  ]
  initial = [operand for operand, state in zip(operands, is_state) if state]
  types = [
    allocation_type(variable.aval, (), converter.axis_text)
    for variable, state in zip(inner.invars, is_state)
    if state
  ]
  for type in types:
    if type.space != "regs":
      raise UnsupportedError("pl.run_state over other state than accumulators is not supported")

  def of_state(state_values):
    """State where there is state, and what was closed over as it came."""
    values = iter(state_values)
    return [next(values) if state else o for o, state in zip(operands, is_state)]

  def body(arguments):
    outputs = converter.run(inner, {}, of_state(arguments), site.location)
    if outputs and len(outputs) != len(arguments):
      raise UnsupportedError(
        f"a pl.run_state whose body returns {len(outputs)} values for {len(arguments)} accumulators "
        "is not supported"
      )
    # Mosaic hands out what the body returns, if it returns something, in place of the state.
    if outputs:
      site.op("wgmma.wait", (), {"n": 0}, ())
    for state, output in zip(arguments, outputs):
      site.op("wgmma.accumulator_store", (state, output), result_types=())
    return []

  result_types = [operand.type for operand in initial]
  regions = [(types, (), body)]
  return of_state(site.region_op("scope.run_state", initial, {}, regions, result_types))
