"""Kernels: the header of a module from a pallas_call or mpmd_map equation, then its body."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower import blocks
from pallasite.lower.converter import Converter, JaxRules, allocation_type
from pallasite.lower.emitter import Body, argument_text, attributes_text
from pallasite.lower.names import kernel_parameter_names, user_body
from pallasite.lower.parameters import Parameters
from pallasite.lower.types import RefType, quote, symbol


@dataclass(frozen=True)
class Lowered:
  """A kernel as text, and what the caller needs to run it."""

  text: str
  name: str
  input_names: tuple[str, ...]
  output_names: tuple[str, ...]
  # (input, output) positions that share a buffer.
  aliases: tuple[tuple[int, int], ...]
  # Names of the ops used, in order, with repetitions.
  op_names: tuple[str, ...]
  # (file, line) of the kernel function; ("", 0) if unknown.
  source: tuple[str, int]


@dataclass(frozen=True)
class _Header:
  name: str
  grid: tuple[int, ...]
  grid_names: tuple
  cluster: tuple[int, ...] = ()
  cluster_names: tuple = ()
  num_threads: int = 1
  thread_name: object = None


def _says_where(function):
  """Refuses parameters that the function does not read, and gives an UnsupportedError without a place
  that of the kernel.

  Under a newer JAX than we know, whatever fails is unsupported.
  """

  @functools.wraps(function)
  def lower(params: dict, *arguments, **options) -> Lowered:
    known = Parameters(function.__name__.removeprefix("lower_"), params)
    try:
      lowered = function(known, *arguments, **options)
      known.refuse_unknown()
      return lowered
    except UnsupportedError as error:
      if error.location is not None:
        raise
      what, cause = error.summary, None
    except Exception as error:
      if _compat.is_known_jax:
        raise
      what = (
        "a kernel that is not as pallasite knows it from older versions of JAX "
        f"({type(error).__name__}: {error})"
      )
      cause = error
    jaxpr, _ = _compat.open_jaxpr(params["jaxprs"][0] if "jaxprs" in params else params["jaxpr"])
    name, place = _name_and_source(jaxpr, params.get("name") or "")
    raise UnsupportedError(what, place if place[1] else None, name) from cause

  return lower


@_says_where
def lower_mpmd_map(
  params: dict, num_inputs: int, attributes: dict | None = None, rules: JaxRules = JaxRules()
) -> Lowered:
  """Converts an mpmd_map equation over one plgpu.Mesh."""
  if len(params["jaxprs"]) != 1 or not isinstance(params["meshes"][0], _compat.GpuMesh):
    raise UnsupportedError("an mpmd_map over anything but one plgpu.Mesh is not supported")
  if params.get("external_meshes"):
    raise UnsupportedError("an mpmd_map with external meshes is not supported")
  mesh = params["meshes"][0]
  header = _Header(
    params["name"] or "",
    tuple(mesh.grid),
    tuple(mesh.grid_names),
    tuple(mesh.cluster),
    tuple(mesh.cluster_names),
    mesh.num_threads or 1,
    mesh.thread_name,
  )
  aliases = tuple(sorted(dict(params["input_output_aliases"]).items()))
  (jaxpr,) = params["jaxprs"]
  attributes = {**_compiler_attributes(params.get("compiler_params")), **(attributes or {})}
  num_outputs = len(params["out_avals"])
  return _lower(jaxpr, header, num_inputs, num_outputs, (), aliases, attributes, rules)


@_says_where
def lower_pallas_call(
  params: dict, num_operands: int, attributes: dict | None = None, rules: JaxRules = JaxRules()
) -> Lowered:
  """Converts a pallas_call equation."""
  mapping = params["grid_mapping"]
  if mapping.num_dynamic_grid_bounds or mapping.num_index_operands:
    raise UnsupportedError("pallas_call with a dynamic grid or scalar prefetch is not supported")
  for block in mapping.block_mappings:
    blocks.check(block)
  grid = tuple(mapping.grid)
  own_dims = [dim for dim in range(len(grid)) if dim not in mapping.vmapped_dims]
  for dim in _compat.sequential_dimensions(params.get("compiler_params")):
    if grid[own_dims[dim]] > 1:
      raise UnsupportedError(
        f"pallas_call with the sequential grid dimension {dim} is not supported: use "
        "plgpu.emit_pipeline in a plgpu.kernel"
      )
  names = tuple(mapping.grid_names or (f"grid{i}" for i in range(len(grid))))
  header = _Header(params.get("name") or "", grid, names)
  aliases = tuple(sorted(tuple(pair) for pair in params.get("input_output_aliases") or ()))
  attributes = {**_compiler_attributes(params.get("compiler_params")), **(attributes or {})}
  return _lower(
    params["jaxpr"],
    header,
    mapping.num_inputs,
    mapping.num_outputs,
    mapping.scratch_avals,
    aliases,
    attributes,
    rules,
    mapping.block_mappings,
  )


# Fields of CompilerParams. The last lines say how it is compiled, not what it means.
_COMPILER_FIELDS = """
  approx_math unsafe_no_auto_barriers dimension_semantics max_concurrent_steps
  lowering_semantics reduction_scratch_bytes skip_device_barrier is_multi_process
  profile_space profile_dir profile_trace_scope profile_bounds_check
""".split()


def _compiler_attributes(compiler_params) -> dict:
  """What the kernel was compiled with, where it is not the default and matters for a run."""
  if isinstance(compiler_params, _compat.GpuCompilerParams):
    for field in dataclasses.fields(compiler_params):
      value = getattr(compiler_params, field.name)
      if field.name not in _COMPILER_FIELDS and value != field.default:
        raise UnsupportedError(
          f"compiler_params with the unknown field {field.name}={value!r} is not supported"
        )
  names = ("approx_math", "unsafe_no_auto_barriers")
  return {name: True for name in names if getattr(compiler_params, name, False)}


def _lower(
  jaxpr,
  header: _Header,
  num_inputs: int,
  num_outputs: int,
  scratch_avals: Sequence,
  aliases: tuple[tuple[int, int], ...],
  attributes: dict,
  rules: JaxRules,
  block_mappings: Sequence = (),
) -> Lowered:
  inner, _ = _compat.open_jaxpr(jaxpr)
  converter = Converter(rules)
  grid_names = converter.add_axes(header.grid_names)
  cluster_names = converter.add_axes(header.cluster_names)
  thread_names = converter.add_axes(() if header.thread_name is None else (header.thread_name,))
  converter.grid_axes = grid_names

  name, source = _name_and_source(inner, header.name)
  location = None
  if source[1]:
    frame = _compat.Frame(source[0], source[1], 1, name)
    location = converter.module.locations.intern(frame, None)

  body = converter.body = Body(2)
  num_parameters = num_inputs + num_outputs
  parameter_names = kernel_parameter_names(inner)
  parameters, lines = [], []
  alias_of_output = {output: input for input, output in aliases}
  for position, variable in enumerate(inner.invars[:num_parameters]):
    if block_mappings:
      type = blocks.array_type(block_mappings[position])
    else:
      type = allocation_type(variable.aval, (), converter.axis_text, "gmem")
    if not isinstance(type, RefType) or type.space != "gmem":
      raise UnsupportedError(f"a kernel operand of type `{type.text}` is not supported")
    value = body.new_value(type)
    parameters.append(value)
    text = argument_text(value, parameter_names[position])
    if position < num_inputs:
      lines.append(f"  input {text}")
    else:
      shared = alias_of_output.get(position - num_inputs)
      if shared is not None:
        head, _, rest = text.partition(":")
        text = f"{head} aliases %{shared}:{rest}"
      lines.append(f"  output {text}")

  def fill(scratch):
    def run(operands):
      converter.run(inner, {}, [*operands, *scratch], location)

    if block_mappings:
      blocks.run_body(
        converter, block_mappings, num_inputs, parameters, parameter_names, location, run
      )
    else:
      run(parameters)
    return []

  if len(inner.invars) > num_parameters:
    types, names = [], parameter_names[num_parameters:]
    for variable, aval in zip(inner.invars[num_parameters:], scratch_avals, strict=True):
      transforms = aval.transforms if isinstance(aval, _compat.TransformedRef) else ()
      types.append(allocation_type(variable.aval, transforms, converter.axis_text))
    axes = {"collective_axes": list(thread_names)}
    body.region_op("scope.run_scoped", (), (), axes, location, [(types, names, fill)])
  else:
    fill(())
  body.end_region((), None)

  head = [f"kernel {symbol(name)} {{"]
  head.append(f"  grid = {_axes_text(header.grid, grid_names)}")
  if header.cluster:
    head.append(f"  cluster = {_axes_text(header.cluster, cluster_names)}")
  if thread_names:
    head.append(f"  threads = {header.num_threads} {quote(thread_names[0])}")
  if attributes:
    head.append(f"  attributes = {attributes_text(attributes)}")
  tail = f"  }} #{location}" if location is not None else "  }"
  converter.module.kernel = [*head, *lines, "  body {", *body.lines, tail, "}"]
  return Lowered(
    converter.module.text(),
    name,
    tuple(parameter_names[:num_inputs]),
    tuple(parameter_names[num_inputs:num_parameters]),
    aliases,
    tuple(converter.op_names + body.op_names),
    source,
  )


def _axes_text(extents, names) -> str:
  return f"[{', '.join(str(e) for e in extents)}] [{', '.join(quote(n) for n in names)}]"


def _name_and_source(jaxpr, given: str) -> tuple[str, tuple[str, int]]:
  """The kernel's name and where its function stands. JAX calls a functools.partial "anonymous"."""
  body = user_body(jaxpr)
  name, file, line = _compat.function_source((body or jaxpr).debug_info)
  if given in ("", "anonymous"):
    given = name.rpartition(".")[2] or "kernel"
  return given, (file, line)
