// arith.convert and arith.bitcast.
#include <fmt/format.h>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

struct ConvertTypes {
  ElementType from;
  ElementType to;
  LoopPath path;
};

void convert_loop(void* out, const void* const* inputs, size_t count, const void* immediate) {
  const auto& types = *static_cast<const ConvertTypes*>(immediate);
  convert(types.from, inputs[0], types.to, out, count, types.path);
}

ElementFunction bind_convert(const ElementRequest& request) {
  const ConvertTypes types = {request.operands[0].element, request.result.element, request.path};
  return {.kernel = {.loop = convert_loop},
          .immediate = std::make_shared<const ConvertTypes>(types)};
}

const Type& operand_type(VerifyContext& context, const Op& op) {
  return context.module().value(op.operands[0]).type;
}

const Type& result_type(VerifyContext& context, const Op& op) {
  return context.module().value(op.results[0]).type;
}

// False, after an error, unless there is one result and it is an array.
bool has_array_result(VerifyContext& context, const Op& op) {
  if (op.results.size() == 1 && result_type(context, op).is_array()) return true;
  context.error(fmt::format("`{}` has one result, an array", op.def->name));
  return false;
}

void verify_convert(VerifyContext& context, const Op& op) {
  if (!has_array_result(context, op)) return;
  if (operand_type(context, op).shape != result_type(context, op).shape)
    context.error(fmt::format("`arith.convert` changes {} to {}; only the element type may change",
                              to_string(operand_type(context, op)),
                              to_string(result_type(context, op))));
}

void compile_convert(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  if (compiler.operand_type(id, 0) == compiler.result_type(id))
    return compiler.alias(op.results[0], op.operands[0]);
  compile_elementwise(compiler, id);
}

// The shape that an array of `shape` takes as elements of other bits; as XLA has it, a dimension
// of the ratio is the last one of the narrower array.
bool bitcast_shapes_fit(const Type& from, const Type& to) {
  const int64_t from_bits = element_info(from.element).storage_bits;
  const int64_t to_bits = element_info(to.element).storage_bits;
  if (from_bits == to_bits) return from.shape == to.shape;
  if (from_bits < to_bits) return bitcast_shapes_fit(to, from);
  std::vector<int64_t> narrow = from.shape;
  narrow.push_back(from_bits / to_bits);
  return to.shape == narrow;
}

void verify_bitcast(VerifyContext& context, const Op& op) {
  if (!has_array_result(context, op)) return;
  const Type& from = operand_type(context, op);
  const Type& to = result_type(context, op);
  if (from.element == ElementType::Bool || to.element == ElementType::Bool) {
    context.error("`arith.bitcast` takes numbers, not bool");
  } else if (!bitcast_shapes_fit(from, to)) {
    context.error(fmt::format("{} does not have the bits of {}", to_string(from), to_string(to)));
  }
}

struct BitcastPlan {
  Type from;
  Type to;
};

Step exec_bitcast(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const BitcastPlan*>(instruction.payload);
  std::byte* packed = thread.pointer(instruction.b);
  pack(plan.from.element, thread.pointer(instruction.a), packed, 0,
       size_t(plan.from.element_count()));
  unpack(plan.to.element, packed, 0, thread.pointer(instruction.d),
         size_t(plan.to.element_count()));
  return Step::Next;
}

void compile_bitcast(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& from = compiler.operand_type(id, 0);
  const Type& to = compiler.result_type(id);
  // Elements of a byte or more are the same bytes in registers and in memory.
  const bool same_bytes = !is_sub_byte(from.element) && !is_sub_byte(to.element);
  if (same_bytes && from.shape == to.shape) return compiler.alias(op.results[0], op.operands[0]);
  const size_t bytes = packed_bytes(from.element, size_t(from.element_count()));
  const Slot source = compiler.operand(id, 0);
  const Slot packed = compiler.scratch(bytes);
  const Slot result = compiler.result(id);
  Instruction& instruction =
      compiler.emit(id, exec_bitcast, compiler.payload(BitcastPlan{from, to}));
  instruction.a = source;
  instruction.b = packed;
  instruction.d = result;
}

}  // namespace

extern const OpDef kArithConvert = {
    .name = "arith.convert",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .pure = true,
    .verify = verify_convert,
    .compile = compile_convert,
    .element_function = bind_convert,
    .primitives = {"convert_element_type"},
    .help =
        "Changes the element type. To a float: the nearest value, ties to even. Float to "
        "integer: toward zero; values out of range give the nearest limit and NaN gives 0. "
        "Integer to integer: wraps. To bool: whether it differs from 0.",
    .example = PALLASITE_EXAMPLE("f16[8]",
                                 "    %1 = shape.iota {dimension = 0} : i32[8]\n"
                                 "    %2 = arith.convert %1 : f16[8]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.convert_element_type",
};

extern const OpDef kArithBitcast = {
    .name = "arith.bitcast",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .pure = true,
    .verify = verify_bitcast,
    .compile = compile_bitcast,
    .primitives = {"bitcast_convert_type"},
    .help =
        "The same bits as elements of another type. Between widths that differ the narrower "
        "array has one more dimension at the end, the lowest bits first.",
    .example = PALLASITE_EXAMPLE("i32[8]",
                                 "    %1 = shape.iota {dimension = 0} : f32[8]\n"
                                 "    %2 = arith.bitcast %1 : i32[8]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.bitcast_convert_type",
};

}  // namespace pallasite
