// Scoped allocations.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/layout.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

Step exec_enter(Thread& thread, const Instruction& in) {
  return thread.machine().scope_enter(thread, in.a);
}

Step exec_exit(Thread& thread, const Instruction& in) {
  return thread.machine().scope_exit(thread, in.a);
}

// run_state: all wgmmas of the warpgroup are complete before the state is read.
Step exec_await_wgmmas(Thread& thread, const Instruction&) {
  ClusterMachine& machine = thread.machine();
  ThreadState& state = thread.state();
  if (state.wait.kind == WaitKind::Granted) state.wait = Wait();
  if (state.wgmma_complete < state.wgmma_issued) {
    return machine.block(thread, {WaitKind::Wgmma, 0, static_cast<int64_t>(state.wgmma_issued)});
  }
  if (machine.observed()) {
    machine.note_sync({machine.actor_of(thread), EffectAction::Wait, UINT32_MAX,
                       Completion::WgmmaGroup, state.wgmma_issued, 0, false});
  }
  return Step::Next;
}

std::string joined(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// The rule of Mosaic GPU's lowering and of JAX's interpreter for collective_axes: exactly the
// thread axis, or nothing in a kernel without one. Accumulators in registers belong to one thread.
void check_collective_axes(VerifyContext& context, const Op& op, bool registers, bool others) {
  const Kernel& kernel = context.module().kernel;
  const auto axes = strings_attribute(op.attributes, "collective_axes");
  const bool has_threads = !kernel.thread_name.empty();
  std::vector<std::string> known = kernel.cluster_names;
  if (has_threads) known.push_back(kernel.thread_name);
  const auto contains = [](std::span<const std::string> list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto refuse = [&](const char* variant, const std::string& axis = "") {
    context.diagnose("scope.collective-axes", {{"variant", variant},
                                               {"thread_axis", kernel.thread_name},
                                               {"axis", axis},
                                               {"axes", joined(known)}});
  };
  for (const std::string& axis : axes) {
    if (!contains(known, axis)) return refuse("unknown-axis", axis);
  }
  if (registers && !others) {
    return axes.empty() ? void() : refuse("registers-collective", axes[0]);
  }
  if (!has_threads) return axes.empty() ? void() : refuse("no-thread-axis", axes[0]);
  if (registers) return refuse("registers-mixed");
  for (const std::string& axis : axes) {
    if (axis != kernel.thread_name) return refuse("cluster-axes", axis);
  }
  if (axes.empty()) refuse("missing-thread-axis");
}

void verify_run_scoped(VerifyContext& context, const Op& op) {
  const Module& module = context.module();
  const Region& region = module.region(op.regions[0]);
  bool registers = false, other = false;
  for (ValueId argument : region.arguments) {
    const Type& type = module.value(argument).type;
    if (type.is_array()) return context.error("scoped arguments are refs and barriers");
    (type.is_ref() && type.space == MemorySpace::Regs ? registers : other) = true;
    if (type.is_barrier()) {
      const BarrierSpec& spec = type.barrier;
      // PTX ISA, mbarrier: range of the arrival count. Mosaic GPU: phases live in one register.
      const std::string& name = module.value(argument).name;
      if (spec.num_arrivals < 1 || spec.num_arrivals >= 1 << 20) {
        return context.diagnose("barrier.count-range",
                                {{"ref", name},
                                 {"count", std::to_string(spec.num_arrivals)},
                                 {"minimum", "1"},
                                 {"maximum", std::to_string((1 << 20) - 1)}});
      }
      if (type.element_count() > 32) {
        return context.diagnose("barrier.array-size",
                                {{"ref", name},
                                 {"num_barriers", std::to_string(type.element_count())},
                                 {"limit", "32"}});
      }
      for (const std::vector<std::string>& group : spec.cluster_axes) {
        for (const std::string& axis : group) {
          const auto& names = module.kernel.cluster_names;
          if (std::find(names.begin(), names.end(), axis) == names.end()) {
            return context.diagnose("ctx.unknown-axis", {{"axis", axis}, {"axes", joined(names)}});
          }
        }
      }
      continue;
    }
    Layout layout;
    if (const std::string error = make_layout(type, layout); !error.empty()) {
      return context.error(fmt::format("`{}`: {}", to_string(type), error));
    }
  }
  check_collective_axes(context, op, registers, other);
  const auto yields = module.op(region.ops.back()).operands;
  if (yields.size() != op.results.size()) {
    return context.error("the region must yield as many values as the op has results");
  }
  for (size_t i = 0; i < yields.size(); ++i) {
    if (module.value(yields[i]).type != module.value(op.results[i]).type ||
        !module.value(yields[i]).type.is_array()) {
      return context.error(
          fmt::format("yielded value {} must be an array of the result's type", i));
    }
  }
}

void compile_run_scoped(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const RegionId region = op.regions[0];
  const std::vector<ValueId>& arguments = compiler.module().region(region).arguments;
  const bool registers_only =
      !arguments.empty() && std::all_of(arguments.begin(), arguments.end(), [&](ValueId argument) {
        const Type& type = compiler.type(argument);
        return type.is_ref() && type.space == MemorySpace::Regs;
      });
  const uint32_t scope = compiler.add_scope(id, region, !registers_only);
  compiler.emit(id, exec_enter, nullptr, true).a = scope;
  const auto yields = compiler.begin_region(region);
  if (yields.size() == op.results.size()) {
    for (size_t i = 0; i < yields.size(); ++i) compiler.alias(op.results[i], yields[i]);
  }
  compiler.end_region(region);
  compiler.emit(id, exec_exit, nullptr, true).a = scope;
  compiler.leave_scope(scope);
}

struct CopyState {
  Slot from;
  Slot to;
  uint32_t bytes;
};

Step exec_copy_state(Thread& thread, const Instruction& in) {
  const auto& copy = *static_cast<const CopyState*>(in.payload);
  std::memcpy(thread.pointer(copy.to), thread.pointer(copy.from), copy.bytes);
  return Step::Next;
}

void verify_run_state(VerifyContext& context, const Op& op) {
  const Module& module = context.module();
  const Region& region = module.region(op.regions[0]);
  if (region.arguments.size() != op.operands.size() || op.results.size() != op.operands.size()) {
    return context.error("one ref and one result for each initial value");
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& initial = module.value(op.operands[i]).type;
    const Type& ref = module.value(region.arguments[i]).type;
    if (!ref.is_ref() || ref.space != MemorySpace::Regs || !ref.transforms.empty()) {
      return context.error(fmt::format("state {} must be a ref to regs", i));
    }
    if (Type::array(ref.element, ref.shape) != initial ||
        module.value(op.results[i]).type != initial) {
      return context.error(fmt::format("state {} must have the type of its initial value", i));
    }
  }
  if (!module.op(region.ops.back()).operands.empty()) {
    context.error("the region yields nothing");
  }
}

void compile_run_state(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const RegionId region = op.regions[0];
  std::vector<Slot> initial, results;
  for (ValueId operand : op.operands) initial.push_back(compiler.use(operand));
  for (ValueId result : op.results) results.push_back(compiler.define(result));
  const uint32_t scope = compiler.add_scope(id, region, false);
  compiler.emit(id, exec_enter, nullptr, true).a = scope;
  const auto copy = [&](size_t i, bool into_state) {
    const uint32_t site = compiler.program().scopes[scope].allocations[i];
    const auto state = static_cast<Slot>(compiler.program().allocations[site].address);
    const CopyState payload = {into_state ? initial[i] : state, into_state ? state : results[i],
                               compiler.bytes_of(op.operands[i])};
    compiler.emit(id, exec_copy_state, compiler.payload(payload));
  };
  for (size_t i = 0; i < op.operands.size(); ++i) copy(i, true);
  compiler.begin_region(region);
  compiler.end_region(region);
  compiler.emit(id, exec_await_wgmmas, nullptr, true);
  for (size_t i = 0; i < op.operands.size(); ++i) copy(i, false);
  compiler.emit(id, exec_exit, nullptr, true).a = scope;
  compiler.leave_scope(scope);
}

}  // namespace

extern const OpDef kScopeRunScoped = {
    .name = "scope.run_scoped",
    .attributes = {{"collective_axes", AttributeKind::Strings, true,
                    "the thread axis, or empty in a kernel without one and for accumulators"}},
    .regions = 1,
    .effects = {{EffectAction::Allocate}, {EffectAction::Free}},
    .verify = verify_run_scoped,
    .compile = compile_run_scoped,
    .primitives = {"run_scoped"},
    .help =
        "Allocates shared memory, barriers or accumulators for the time of its region. Threads of "
        "a "
        "block enter together and share the allocations; accumulators belong to one thread. Fresh "
        "shared memory holds NaN or the integer maximum, accumulators zero.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, f32[2,8]>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "scratch": ref<smem, f32[2,8]>)
      %3 = view.index %2, %1 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<smem, f32[8]>
      %4 = view.index %0, %1 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, f32[8]>
      %5 = shape.broadcast_in_dim f32(1.5) {dimensions = []} : f32[8]
      memory.store %3, %5
      %6 = memory.load %3 : f32[8]
      memory.store %4, %6
      control.yield
    }
    control.yield
  }
}
)",
    .source =
        "jax/_src/pallas/mosaic_gpu/lowering.py, _run_scoped_lowering_rule: a block-wide barrier "
        "on entry, none on exit",
};

extern const OpDef kScopeRunState = {
    .name = "scope.run_state",
    .operands = {{.name = "initial", .kind = OperandKind::Array, .variadic = true}},
    .regions = 1,
    .effects = {{EffectAction::Allocate},
                {EffectAction::Wait, "", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Free}},
    .verify = verify_run_state,
    .compile = compile_run_state,
    .primitives = {"run_state"},
    .help =
        "Accumulators that start from given values. All wgmmas of the warpgroup are awaited before "
        "the final values become the results.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[64,8]>
  body {
    %1 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[64,8]
    %2 = scope.run_state %1 {
      (%3 "acc": ref<regs, f32[64,8]>)
      control.yield
    } : f32[64,8]
    memory.store %0, %2
    control.yield
  }
}
)",
    .source =
        "pl.run_state with plgpu.ACC.init; jax/_src/pallas/mosaic_gpu/lowering.py, "
        "_run_state_lowering_rule",
};

}  // namespace pallasite
