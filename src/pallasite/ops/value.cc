// Constants, and ops that change no value.
#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/numerics/element_type.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

void verify_constant(VerifyContext& context, const Op& op) {
  if (op.results.size() != 1) return context.error("one result");
  const Type& type = context.module().value(op.results[0]).type;
  if (!type.is_array()) return context.error("the result must be an array");
  const auto& data = std::get<Bytes>(op.attributes.find("data")->second).data;
  const size_t want = packed_bytes(type.element, static_cast<size_t>(type.element_count()));
  if (data.size() != want) {
    context.error(
        fmt::format("{} takes {} bytes, the data has {}", to_string(type), want, data.size()));
  }
}

void compile_constant(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& type = compiler.result_type(id);
  const auto& data = std::get<Bytes>(op.attributes.find("data")->second).data;
  std::vector<std::byte> registers(compiler.bytes_of(op.results[0]));
  unpack(type.element, data.data(), 0, registers.data(), static_cast<size_t>(type.element_count()));
  compiler.bind_constant(op.results[0], std::move(registers));
}

std::vector<Type> infer_same(const Module& module, const Op& op) {
  std::vector<Type> types;
  for (ValueId operand : op.operands) types.push_back(module.value(operand).type);
  return types;
}

void compile_identity(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  for (size_t i = 0; i < op.operands.size(); ++i) compiler.alias(op.results[i], op.operands[i]);
}

struct MultiplePayload {
  int64_t factor;
  ElementType type;
};

// a = value.
Step exec_check_multiple(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const MultiplePayload*>(in.payload);
  const int64_t value = read_index(thread.registers(), in.a, payload.type);
  if (value % payload.factor == 0) return Step::Next;
  ClusterMachine& machine = thread.machine();
  return machine.fault(
      machine.actor_of(thread),
      DiagnosticBuilder(Kind::AssumeMultipleOf).arg("value", value).arg("factor", payload.factor));
}

void verify_multiple_of(VerifyContext& context, const Op& op) {
  const Type& type = context.module().value(op.operands[0]).type;
  const auto values = ints_attribute(op.attributes, "values");
  if (!type.is_scalar() || is_float(type.element)) {
    return context.error("the operand must be a rank-0 integer");
  }
  const bool positive = std::all_of(values.begin(), values.end(), [](int64_t v) { return v > 0; });
  if (values.empty() || !positive) context.error("values must hold positive factors");
}

void compile_multiple_of(Compiler& compiler, OpId id) {
  const Slot value = compiler.operand(id, 0);
  for (const int64_t factor : ints_attribute(compiler.op(id).attributes, "values")) {
    const MultiplePayload payload = {factor, compiler.operand_type(id, 0).element};
    compiler.emit(id, exec_check_multiple, compiler.payload(payload)).a = value;
  }
  compile_identity(compiler, id);
}

}  // namespace

extern const OpDef kValueConstant = {
    .name = "value.constant",
    .attributes = {{"data", AttributeKind::Bytes, true, "the elements in packed form"}},
    .pure = true,
    .verify = verify_constant,
    .compile = compile_constant,
    .help = "An array that is known when the kernel is compiled.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = value.constant {data = hex"0100000002000000"} : i32[2]
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "a jaxpr's constvars",
};

extern const OpDef kValueLayoutCast = {
    .name = "value.layout_cast",
    .operands = {{"x", OperandKind::Array}},
    .attributes = {{"layout", AttributeKind::String, false, "how registers hold the array"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_same,
    .compile = compile_identity,
    .primitives = {"layout_cast"},
    .help = "Asks for another distribution of the array over the registers. The value is the same.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[64,8]>
  body {
    %1 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[64,8]
    %2 = value.layout_cast %1 {layout = "WGMMA"} : f32[64,8]
    memory.store %0, %2
    control.yield
  }
}
)",
    .source = "plgpu.layout_cast",
};

extern const OpDef kValueMultipleOf = {
    .name = "value.multiple_of",
    .operands = {{"x", OperandKind::Index}},
    .attributes = {{"values", AttributeKind::Ints, true, "the factors"}},
    .infer = infer_same,
    .verify = verify_multiple_of,
    .compile = compile_multiple_of,
    .primitives = {"multiple_of"},
    .help = "A promise that an index is a multiple of each of some numbers. It is checked here.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = value.multiple_of i32(64) {values = [8]} : i32
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "pl.multiple_of",
};

extern const OpDef kValueOptimizationBarrier = {
    .name = "value.optimization_barrier",
    .operands = {{.name = "xs", .kind = OperandKind::Array, .variadic = true}},
    .moves_elements = true,
    .infer = infer_same,
    .compile = compile_identity,
    .primitives = {"optimization_barrier"},
    .help = "Keeps a compiler from moving code across. The values are the same.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = value.optimization_barrier i32(3) : i32
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "jax.lax.optimization_barrier",
};

}  // namespace pallasite
