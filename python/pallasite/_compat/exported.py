"""Calls of programs that `jax.export` made, which JAX lowers without asking a rule of ours."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

from jax._src.export import _export
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

from pallasite._compat.common import lowering_rule

__all__ = ["EmittedCall", "watch_exported_calls"]


@dataclasses.dataclass(frozen=True)
class EmittedCall:
  """A call of the engine in a program that is being lowered."""

  _op: object
  # The text of the module that it runs.
  program: str
  options: str

  def set_options(self, options: str):
    config = self._op.attributes["mhlo.backend_config"]
    changed = {item.name: item.attr for item in config}
    with self._op.context:
      changed["options"] = ir.StringAttr.get(options)
      self._op.attributes["mhlo.backend_config"] = ir.DictAttr.get(changed)


def watch_exported_calls(
  target: str, on_lowered: Callable[[object, list[EmittedCall], list[str]], None]
):
  """Calls `on_lowered(ctx, calls, new)` when a call of an exported program has been lowered that
  calls the FFI target. The calls are all that stand in the program around it by then; `new` are the
  modules of those that came with the exported program."""
  previous = lowering_rule(_export.call_exported_p)

  def rule(ctx, *nodes, exported):
    # Strings stand in the bytes as they are.
    if target.encode() not in exported.mlir_module_serialized:
      return previous(ctx, *nodes, exported=exported)
    module = ctx.module_context.module
    before = Counter(call.program for call in _calls_of(module, target))
    results = previous(ctx, *nodes, exported=exported)
    calls = _calls_of(module, target)
    new = Counter(call.program for call in calls) - before
    on_lowered(ctx, calls, [*new.elements()])
    return results

  mlir.register_lowering(_export.call_exported_p, rule)


def _calls_of(module, target: str) -> list[EmittedCall]:
  calls = []

  def visit(op):
    if op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value == target:
      config = {item.name: item.attr for item in op.attributes["mhlo.backend_config"]}
      program = bytes(memoryview(config["program"])).decode()
      calls.append(EmittedCall(op, program, config["options"].value))
    return ir.WalkResult.ADVANCE

  module.operation.walk(visit)
  return calls
