"""The user's names for the refs of a kernel."""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
import re

from pallasite import _compat

_REFS = re.compile(r"^refs\[(\d+)\](.*)$")


# Attributes that refs have. A parameter used with any other is not a ref.
_REF_ATTRIBUTES = {
  "T", "at", "aval", "bitcast", "dtype", "itemsize", "memory_space", "nbytes", "ndim", "ref",
  "reshape", "shape", "size", "transpose", "transforms",
}


@dataclasses.dataclass(frozen=True)
class _Signature:
  positional: tuple[str, ...]
  # The name of `*rest`; empty if there is none.
  rest: str
  # Parameters that the function uses as something else than a ref.
  other: frozenset[str]


@functools.lru_cache(maxsize=256)
def _signature(file: str, line: int, name: str) -> _Signature | None:
  """The parameters of the function that starts at a line of a file."""
  try:
    tree = ast.parse("".join(linecache.getlines(file)))
  except (SyntaxError, ValueError):
    return None
  for node in ast.walk(tree):
    if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
      continue
    starts = {node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))}
    if line not in starts or getattr(node, "name", "<lambda>") != name.rpartition(".")[2]:
      continue
    arguments = node.args
    other = {
      use.value.id
      for use in ast.walk(node)
      if isinstance(use, ast.Attribute)
      and isinstance(use.value, ast.Name)
      and use.attr not in _REF_ATTRIBUTES
    }
    return _Signature(
      tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args)),
      arguments.vararg.arg if arguments.vararg else "",
      frozenset(other),
    )
  return None


def kernel_parameter_names(jaxpr) -> list[str]:
  """One name for each operand and output of a kernel.

  plgpu.kernel traces the user's function through a wrapper whose arguments are `refs[i]`, inside
  which run_scoped traces the function itself with the first arguments bound. Its source says what
  the user called them. Where that is not certain the name stays `refs[i]`.
  """
  given = [name or "" for name in (jaxpr.debug_info.arg_names or ())]
  given += [f"arg{i}" for i in range(len(given), len(jaxpr.invars))]
  body = user_body(jaxpr)
  if body is None or not all(_REFS.match(name) for name in given):
    return given
  name, file, line = _compat.function_source(body.debug_info)
  signature = _signature(file, line, name) if line else None
  if signature is None:
    return given
  names, first_parts = [], []
  for text in given:
    index, path = _REFS.match(text).groups()
    position = int(index)
    if position < len(signature.positional):
      first_parts.append(signature.positional[position])
      names.append(first_parts[-1] + path)
    elif signature.rest:
      names.append(f"{signature.rest}[{position - len(signature.positional)}]{path}")
    else:
      return given
  # functools.partial may have bound arguments that stand before the refs; then the parameters found
  # are not refs, or the scratch refs that follow them are among them.
  scratch = set(body.debug_info.arg_names or ())
  if signature.other & set(first_parts) or scratch & set(first_parts):
    return given
  return names


def user_body(jaxpr):
  """The jaxpr of the user's function inside the wrapper of plgpu.kernel, if there is one."""
  for eqn in jaxpr.eqns:
    if _compat.primitive_key(eqn.primitive) == "pallas.run_scoped":
      return _compat.open_jaxpr(eqn.params["jaxpr"])[0] if "jaxpr" in eqn.params else None
  return None
