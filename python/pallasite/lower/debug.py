"""Printing from a kernel."""

import string

import jax

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule


@rule("jax.debug_print")
def debug_print(site):
  params = site.params
  if params.get("ordered"):
    raise UnsupportedError("an ordered debug_print is not supported")
  static = dict(params.get("static_args") or ())
  dynamic = iter(site.eqn.invars)
  flat = [
    static[i] if i in static else next(dynamic)
    for i in range(len(static) + len(site.eqn.invars))
  ]
  in_tree = params.get("in_tree")
  args, kwargs = jax.tree_util.tree_unflatten(in_tree, flat) if in_tree else (flat, {})
  text, operands, position = "", [], 0
  for literal, name, spec, conversion in string.Formatter().parse(params["fmt"]):
    text += literal.replace("{", "{{").replace("}", "}}")
    if name is None:
      continue
    if spec or conversion:
      raise UnsupportedError(
        f"debug_print with the format specification `{spec or conversion}` is not supported"
      )
    if name == "":
      argument, position = args[position], position + 1
    elif name.isdigit():
      argument = args[int(name)]
    elif name in kwargs:
      argument = kwargs[name]
    else:
      raise UnsupportedError(f"debug_print with the placeholder `{name}` is not supported")
    if isinstance(argument, (_compat.Var, _compat.Literal)):
      text += "{}"
      operands.append(site.value(argument))
    else:
      text += str(argument).replace("{", "{{").replace("}", "}}")
  site.op("debug.print", operands, {"format": text})
