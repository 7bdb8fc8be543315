"""Walks a jaxpr and writes the ops of the IR. What each primitive becomes is in the families."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import jax
import numpy as np

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower import keys, refs
from pallasite.lower.emitter import Body, ModuleText, argument_text
from pallasite.lower.parameters import Parameters
from pallasite.lower.registry import RULES
from pallasite.lower.types import (
  ArrayType,
  BarrierType,
  RefType,
  Type,
  Value,
  dtype_of,
  element_name,
  literal_value,
  packed_bytes,
  symbol,
)


# Of the family of lax, but not arithmetic.
_CONTROL = ("lax.cond", "lax.scan", "lax.while")


@dataclass(frozen=True)
class JaxRules:
  """What a user's InterpretGPUParams changes about a kernel."""

  skip_floating_point_ops: bool = False
  ignore_inline_mgpu: bool = False


class Converter:
  """State of the conversion of one kernel."""

  def __init__(self, rules: JaxRules = JaxRules()):
    self.jax_rules = rules
    self.module = ModuleText()
    self.body = Body(0)
    # Axis names along the grid, cluster and threads; objects have been given names.
    self.axis_names: dict[object, str] = {}
    # Grid axes by position, for `program_id`.
    self.grid_axes: Sequence[str] = ()
    # id of a jaxpr -> (function name, the jaxpr, so that the id stays taken).
    self._functions: dict[int, tuple[str, object]] = {}
    self._function_names: set[str] = set()
    self._used_variables: dict[int, tuple[set, object]] = {}
    self.op_names: list[str] = []
    # Where a rule writes equations of its own: the location of all of them.
    self.stand_in: int | None = None

  # ---- jaxprs

  def inline(self, jaxpr, arguments: Sequence[Value], location: int | None) -> list[Value]:
    """Writes the equations of an open or closed jaxpr whose arguments are `arguments`."""
    inner, constants = _compat.open_jaxpr(jaxpr)
    env: dict[object, Value] = {}
    if inner.constvars:
      values = [self.constant(c, location) for c in constants]
      env.update(zip(inner.constvars, values, strict=True))
    return self.run(inner, env, arguments, location)

  def inline_closure(
    self, jaxpr, closed_over: Sequence[Value], arguments: Sequence[Value], location: int | None
  ) -> list[Value]:
    """Like `inline`, for a jaxpr whose constants are operands of its equation."""
    inner, _ = _compat.open_jaxpr(jaxpr)
    env = dict(zip(inner.constvars, closed_over, strict=True))
    return self.run(inner, env, arguments, location)

  def run(self, inner, env: dict, arguments: Sequence[Value], location: int | None) -> list[Value]:
    if self.jax_rules.skip_floating_point_ops:
      arguments = [self.without_float(value, location) for value in arguments]
    env.update(zip(inner.invars, arguments, strict=True))
    for eqn in inner.eqns:
      site = Site(self, eqn, env, inner, self.locate(eqn.source_info, location))
      site.convert()
    return [read(env, atom) for atom in inner.outvars]

  def is_used(self, inner, variable) -> bool:
    """Whether anything in its jaxpr reads the variable."""
    found = self._used_variables.get(id(inner))
    if found is None:
      used = {v for eqn in inner.eqns for v in eqn.invars if isinstance(v, _compat.Var)}
      used.update(v for v in inner.outvars if isinstance(v, _compat.Var))
      found = self._used_variables[id(inner)] = (used, inner)
    return variable in found[0]

  def function(self, jaxpr, name: str) -> str:
    """Name of the function made of a jaxpr that refers to no memory; made at its first use."""
    found = self._functions.get(id(jaxpr))
    if found is not None:
      return found[0]
    base = name or "function"
    unique, number = base, 1
    while unique in self._function_names:
      unique, number = f"{base}_{number}", number + 1
    self._function_names.add(unique)
    self._functions[id(jaxpr)] = (unique, jaxpr)

    outer, self.body = self.body, Body(1)
    inner, _ = _compat.open_jaxpr(jaxpr)
    arguments = [self.body.new_value(array_type(v.aval)) for v in inner.invars]
    results = self.inline(jaxpr, arguments, None)
    self.body.op("control.yield", results)
    types = ", ".join(array_type(v.aval).text for v in inner.outvars)
    taken = ", ".join(argument_text(a) for a in arguments)
    head = f"func {symbol(unique)}({taken}) -> ({types}) {{"
    self.module.functions.append([head, *self.body.lines, "}"])
    self.op_names += self.body.op_names
    self.body = outer
    return unique

  # ---- values

  def constant(self, value, location: int | None) -> Value:
    try:
      array = np.asarray(value)
    except Exception:
      raise UnsupportedError(
        f"a closed-over value of type `{type(value).__name__}` is not supported"
      ) from None
    if array.ndim == 0:
      return literal_value(array, array.dtype)
    element = element_name(array.dtype)
    type = ArrayType(element, tuple(array.shape))
    data = packed_bytes(array, element)
    return self.body.op("value.constant", (), (type,), {"data": data}, location)[0]

  def without_float(self, value: Value, location: int | None) -> Value:
    """Infinity in place of floats, where the user has JAX's interpreter not compute them."""
    if not is_float_array(value.type):
      return value
    scalar = literal_value(np.inf, dtype_of(value.type.element))
    if not value.type.shape:
      return scalar
    attributes = {"dimensions": []}
    return self.body.op("shape.broadcast_in_dim", (scalar,), (value.type,), attributes, location)[0]

  # ---- locations

  def locate(self, source_info, parent: int | None) -> int | None:
    """Location of an equation, chained to that of the equation around it."""
    if self.stand_in is not None:
      return self.stand_in
    location = parent
    for frame in reversed(_compat.frames_of(source_info)):
      location = self.module.locations.intern(frame, location)
    return location

  @contextlib.contextmanager
  def standing_in_for(self, name: str, location: int | None) -> Iterator[int | None]:
    """Within: all equations say that they are there for the primitive at this location, since their
    own frames are not those of anybody's kernel."""
    before = self.stand_in
    if before is None and location is not None:
      innermost = next(iter(self.module.locations.chain(location)))
      frame = dataclasses.replace(innermost, note=f"inserted by {name}")
      self.stand_in = self.module.locations.intern(frame, location)
    try:
      yield self.stand_in
    finally:
      self.stand_in = before

  def place(self, location: int | None) -> tuple[tuple[str, int] | None, str]:
    """(file, line) and function of the innermost frame that a user wrote."""
    frames = list(self.module.locations.chain(location))
    for frame in frames:
      if not frame.note:
        return (frame.file, frame.line), frame.function
    return ((frames[0].file, frames[0].line), frames[0].function) if frames else (None, "")

  # ---- axes

  def add_axes(self, names: Sequence) -> tuple[str, ...]:
    """Text names of axes. JAX names the axis of a vmap by a bare object: these are numbered."""
    texts = []
    for name in names:
      if isinstance(name, str):
        text = name
      else:
        text = f"vmap{sum(1 for known in self.axis_names if not isinstance(known, str))}"
      self.axis_names[name] = text
      texts.append(text)
    return tuple(texts)

  def own_axis(self, name) -> str:
    """Text name of an axis of the kernel itself."""
    found = self.axis_names.get(name)
    if found is None:
      raise UnsupportedError(
        f"axis `{name}` is not an axis of the kernel's grid, cluster or threads; "
        "axes of a device mesh are not supported"
      )
    return found

  def axis_text(self, name) -> str:
    """Text name of an axis, right or wrong: the engine says what is wrong with it."""
    return name if isinstance(name, str) else self.own_axis(name)


class Site:
  """One equation while it is converted: what a rule reads and writes."""

  def __init__(self, converter: Converter, eqn, env: dict, jaxpr, location: int | None):
    self.converter = converter
    self.eqn = eqn
    self.params = Parameters(eqn.primitive.name.removesuffix("_p"), eqn.params)
    self.env = env
    self.jaxpr = jaxpr
    self.location = location

  @property
  def name(self) -> str:
    return self.eqn.primitive.name

  def convert(self):
    key = _compat.primitive_key(self.eqn.primitive)
    rule = RULES.get(key)
    rules = self.converter.jax_rules
    if key == "mosaic_gpu.inline_mgpu" and rules.ignore_inline_mgpu and not self.eqn.outvars:
      return
    try:
      if rule is not None and self.has_keys():
        rule = keys.rule_for(key, rule)
      if rule is None:
        raise self.unsupported(self._describe() + self._no_rule_of_jax())
      results = self.floats_alone(key)
      if results is None:
        results = rule(self)
        self.params.refuse_unknown()
    except UnsupportedError as error:
      # The innermost equation knows the line best.
      if error.location is not None:
        raise
      raise self.unsupported(error.summary) from None
    except Exception as error:
      # Of a version that we know it is a mistake of ours; of a newer one JAX has changed.
      if _compat.is_known_jax:
        raise
      raise self.unsupported(
        f"primitive `{self.name}` is not as pallasite knows it from older versions of JAX "
        f"({type(error).__name__}: {error})"
      ) from error
    if results is None:
      results = []
    elif isinstance(results, Value):
      results = [results]
    if rules.skip_floating_point_ops:
      results = [self.converter.without_float(value, self.location) for value in results]
    self.env.update(zip(self.eqn.outvars, results, strict=True))

  def floats_alone(self, key: str) -> list[Value] | None:
    """Stand-ins for the results of arithmetic that is skipped; None where the rule is to decide."""
    skips = self.converter.jax_rules.skip_floating_point_ops
    if not skips or not key.startswith("lax.") or key in _CONTROL:
      return None
    if not all(_compat.is_jax_array_type(variable.aval) for variable in self.eqn.outvars):
      return None
    types = self.result_types
    return [Value("", type) for type in types] if all(map(is_float_array, types)) else None

  def has_keys(self) -> bool:
    return any(
      _compat.is_key_array(getattr(atom, "aval", None))
      for atom in (*self.eqn.invars, *self.eqn.outvars)
    )

  # ---- reading

  def value(self, atom) -> Value:
    return read(self.env, atom)

  @property
  def operands(self) -> list[Value]:
    return [self.value(atom) for atom in self.eqn.invars]

  @property
  def result_types(self) -> list[Type]:
    return [array_type(v.aval) for v in self.eqn.outvars]

  def is_used(self, index: int) -> bool:
    return self.converter.is_used(self.jaxpr, self.eqn.outvars[index])

  def require(self, **expected):
    """Refuses the equation unless its parameters have these values (or are absent)."""
    for name, value in expected.items():
      if self.params.get(name, value) != value:
        raise UnsupportedError(f"`{self.name}` with {name}={self.params[name]!r} is not supported")

  def immediate_count(self) -> int:
    """The static count of an equation such as wait_smem_to_gmem."""
    self.params.get("n")
    count = _compat.immediate_count(self.eqn)
    if count is None:
      raise UnsupportedError(
        f"`{self.name}` with a count known only at run time is not supported"
      )
    return count

  def unsupported(self, what: str = "") -> UnsupportedError:
    place, function = self.converter.place(self.location)
    return UnsupportedError(what or self._describe(), place, function)

  def _no_rule_of_jax(self) -> str:
    if _compat.has_mosaic_rule(self.eqn.primitive):
      return ""
    return (
      "; it has no rule in JAX's Mosaic GPU lowering either: the compiler for the chip refuses this "
      "kernel"
    )

  def _describe(self) -> str:
    params = []
    for name, value in self.eqn.params.items():
      # No addresses: a message is the same in each run.
      text = re.sub(r" at 0x[0-9a-f]+", "", str(value).split("\n", 1)[0])
      # What says nothing to the kernel's author.
      if text.startswith("PyTreeDef(") or value is None or value == ():
        continue
      params.append(f"{name}={text if len(text) <= 60 else text[:57] + '...'}")
    avals = ", ".join(str(getattr(v, "aval", v)) for v in self.eqn.invars)
    stated = f" [{', '.join(params)}]" if params else ""
    on = f" on ({avals})" if avals else ""
    return f"primitive `{self.name.removesuffix('_p')}` is not supported{stated}{on}"

  # ---- writing

  def traced(self, function, operands: Sequence[Value], avals: Sequence) -> list[Value]:
    """The ops that a function of JAX arrays consists of, on operands of these types. For
    primitives whose meaning is best said in terms of others."""
    jaxpr = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals))
    with self.converter.standing_in_for(self.name, self.location) as location:
      return self.converter.inline(jaxpr, operands, location)

  def op(
    self,
    name: str,
    operands: Sequence[Value] = (),
    attributes: dict | None = None,
    result_types: Sequence[Type] | None = None,
  ) -> list[Value]:
    types = self.result_types if result_types is None else result_types
    return self.converter.body.op(name, operands, types, attributes, self.location)

  def region_op(self, name, operands, attributes, regions, result_types=None) -> list[Value]:
    types = self.result_types if result_types is None else result_types
    return self.converter.body.region_op(
      name, operands, types, attributes, self.location, regions
    )

  def broadcast(self, value: Value, shape: tuple[int, ...]) -> Value:
    """The value repeated along dimensions after its own, and along its own of extent 1."""
    if value.type.shape == shape:
      return value
    type = ArrayType(value.type.element, shape)
    dimensions = {"dimensions": list(range(len(value.type.shape)))}
    return self.op("shape.broadcast_in_dim", (value,), dimensions, [type])[0]

  def transformed(self, ref: Value, treedef, leaves: Sequence) -> Value:
    """The view of `ref` that transforms, flattened into operands, describe."""
    if treedef is None:
      return ref
    transforms = jax.tree_util.tree_unflatten(treedef, list(leaves))
    return refs.view(self, ref, transforms)


def read(env: dict, atom) -> Value:
  if isinstance(atom, _compat.Literal):
    return literal_value(atom.val, atom.aval.dtype)
  return env[atom]


def is_float_array(type: Type) -> bool:
  return isinstance(type, ArrayType) and type.element.startswith(("f", "bf"))


def array_type(aval) -> ArrayType:
  """An array of random keys is the array of their numbers."""
  if _compat.is_key_array(aval):
    aval = _compat.numbers_of_keys(aval)
    return ArrayType(element_name(aval.dtype), tuple(aval.shape))
  if not _compat.is_jax_array_type(aval):
    raise UnsupportedError(f"a value of type `{aval}` is not supported")
  return ArrayType(element_name(aval.dtype), tuple(aval.shape))


def allocation_type(aval, transforms: Sequence = (), axis_name=None, default_space="smem") -> Type:
  """Type of a ref that a scope allocates or a kernel takes."""
  facts = _compat.ref_facts(aval)
  if facts.unsupported:
    raise UnsupportedError(f"{facts.unsupported} is not supported")
  barrier = _compat.barrier_facts(facts.dtype)
  if barrier is not None:
    name = axis_name or str
    axes = tuple(
      tuple(name(a) for a in axis) if isinstance(axis, tuple) else (name(axis),)
      for axis in barrier.cluster
    )
    return BarrierType(
      facts.shape, barrier.arrivals, barrier.orders_tensor_core, axes, barrier.leader_tracked
    )
  texts = []
  for view in _compat.decode_transforms(transforms):
    if view.kind not in ("unswizzle", "untile"):
      name = view.name or view.kind
      raise UnsupportedError(f"an allocation with the transform `{name}` is not supported")
    texts.append(f"{view.kind}({', '.join(str(a) for a in view.arguments)})")
  return RefType(facts.space or default_space, element_name(facts.dtype), facts.shape, tuple(texts))
