// What a thread knows of itself.
#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

enum class AxisKind : uint32_t { Grid, Cluster, Thread };

Step exec_axis_index(Thread& thread, const Instruction& in) {
  const ClusterMachine& machine = thread.machine();
  int64_t index = 0;
  switch (static_cast<AxisKind>(in.a)) {
    case AxisKind::Grid:
      index = machine.grid_coordinate(in.b);
      break;
    case AxisKind::Cluster:
      index = machine.cluster_coordinate(machine.block_of(thread.index()), in.b);
      break;
    case AxisKind::Thread:
      index = machine.thread_in_block(thread.index());
      break;
  }
  thread.at<int32_t>(in.d) = static_cast<int32_t>(index);
  return Step::Next;
}

struct Axis {
  AxisKind kind;
  uint32_t number;
};

std::optional<Axis> find_axis(const Kernel& kernel, const std::string& name) {
  const auto find = [&](const std::vector<std::string>& names,
                        AxisKind kind) -> std::optional<Axis> {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) return std::nullopt;
    return Axis{kind, static_cast<uint32_t>(it - names.begin())};
  };
  if (!kernel.thread_name.empty() && name == kernel.thread_name) return Axis{AxisKind::Thread, 0};
  if (auto axis = find(kernel.cluster_names, AxisKind::Cluster)) return axis;
  return find(kernel.grid_names, AxisKind::Grid);
}

std::vector<Type> infer_axis_index(const Module&, const Op&) {
  return {Type::array(ElementType::S32)};
}

void verify_axis_index(VerifyContext& context, const Op& op) {
  const Kernel& kernel = context.module().kernel;
  const std::string name = string_attribute(op.attributes, "axis");
  if (find_axis(kernel, name)) return;
  std::string axes;
  const auto add = [&](const std::string& axis) { axes += (axes.empty() ? "" : ",") + axis; };
  for (const std::string& axis : kernel.grid_names) add(axis);
  for (const std::string& axis : kernel.cluster_names) add(axis);
  if (!kernel.thread_name.empty()) add(kernel.thread_name);
  context.diagnose("ctx.unknown-axis", {{"axis", name}, {"axes", axes}});
}

void compile_axis_index(Compiler& compiler, OpId id) {
  const auto axis =
      find_axis(compiler.module().kernel, string_attribute(compiler.op(id).attributes, "axis"));
  const Slot result = compiler.result(id);
  Instruction& in = compiler.emit(id, exec_axis_index);
  in.a = static_cast<uint32_t>(axis->kind);
  in.b = axis->number;
  in.d = result;
}

void verify_set_max_registers(VerifyContext& context, const Op& op) {
  const int64_t n = int_attribute(op.attributes, "n", 0);
  const std::string action = string_attribute(op.attributes, "action");
  if (action != "increase" && action != "decrease") {
    return context.error("action must be \"increase\" or \"decrease\"");
  }
  if (n % 8 != 0 || n < 24 || n > 256) {
    context.diagnose("regs.setmaxnreg", {{"variant", "range"}, {"registers", std::to_string(n)}});
  }
}

// How many registers a warpgroup has changes no value.
void compile_set_max_registers(Compiler&, OpId) {}

}  // namespace

extern const OpDef kThreadAxisIndex = {
    .name = "thread.axis_index",
    .attributes = {{"axis", AttributeKind::String, true, "a grid, cluster or thread axis"}},
    .pure = true,
    .infer = infer_axis_index,
    .verify = verify_axis_index,
    .compile = compile_axis_index,
    .primitives = {"axis_index"},
    .help = "The thread's index along an axis of the grid, the cluster or the block.",
    .example = R"(pir 1

kernel @example {
  grid = [3] ["x"]
  output %0 "out": ref<gmem, i32[3]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = view.index %0, %1 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32>
    memory.store %2, %1
    control.yield
  }
}
)",
    .source = "jax.lax.axis_index; PTX ISA, special registers %clusterid and %cluster_ctaid",
};

extern const OpDef kThreadSetMaxRegisters = {
    .name = "thread.set_max_registers",
    .attributes = {{"n", AttributeKind::Int, true, "registers per CUDA thread"},
                   {"action", AttributeKind::String, true, "increase or decrease"}},
    .verify = verify_set_max_registers,
    .compile = compile_set_max_registers,
    .primitives = {"set_max_registers"},
    .help =
        "Gives registers of the warpgroup back to the block's pool, or takes some from it. No "
        "value "
        "depends on it.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  body {
    thread.set_max_registers {action = "decrease", n = 40}
    control.yield
  }
}
)",
    .source = "PTX ISA, setmaxnreg: a multiple of 8 from 24 to 256",
};

}  // namespace pallasite
