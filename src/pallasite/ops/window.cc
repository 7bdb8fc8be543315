// Sliding windows over an array.
#include <fmt/format.h>

#include "pallasite/ir/text.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/strided_copy.h"

namespace pallasite {
namespace {

const Type& array_type(const Module& module, const Op& op) {
  return module.value(op.operands[0]).type;
}

std::span<const int64_t> ints(const Op& op, std::string_view name) {
  return ints_attribute(op.attributes, name);
}

// Elements from the first of a window to its last, in one dimension.
int64_t reach(const Op& op, size_t d) {
  return (ints(op, "sizes")[d] - 1) * ints(op, "dilations")[d];
}

void verify_windows(VerifyContext& context, const Op& op) {
  const Type& array = array_type(context.module(), op);
  constexpr int64_t kLargest = int64_t(1) << 40;
  for (std::string_view attribute : {"sizes", "strides", "dilations"}) {
    const auto values = ints(op, attribute);
    if (int64_t(values.size()) != array.rank())
      return context.error(fmt::format("`{}` has {} entries for the {} dimensions of {}", attribute,
                                       values.size(), array.rank(), to_string(array)));
    for (int64_t value : values)
      if (value < 1 || value > kLargest)
        return context.error(
            fmt::format("`{}` is {}; its entries are positive", attribute, list_text(values)));
  }
  for (size_t d = 0; d < array.shape.size(); ++d)
    if (ints(op, "sizes")[d] > 1 && ints(op, "dilations")[d] > kLargest / ints(op, "sizes")[d])
      return context.error(fmt::format("the window is too long in dimension {}", d));
}

std::vector<Type> infer_windows(const Module& module, const Op& op) {
  const Type& array = array_type(module, op);
  Type result = Type::array(array.element);
  for (int64_t size : ints(op, "sizes")) result.shape.push_back(size);
  for (size_t d = 0; d < array.shape.size(); ++d) {
    const int64_t room = array.shape[d] - reach(op, d);
    result.shape.push_back(room <= 0 ? 0 : (room - 1) / ints(op, "strides")[d] + 1);
  }
  return {result};
}

Step exec_windows(Thread& thread, const Instruction& instruction) {
  run_copy(*static_cast<const StridedCopy*>(instruction.payload), thread.pointer(instruction.a),
           thread.pointer(instruction.d));
  return Step::Next;
}

void compile_windows(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& array = compiler.operand_type(id, 0);
  const Type& result = compiler.result_type(id);
  const std::vector<int64_t> from = row_major_strides(array.shape);
  const std::vector<int64_t> to = row_major_strides(result.shape);
  const size_t rank = array.shape.size();
  StridedCopy copy;
  copy.element_bytes = register_bytes(array.element);
  for (size_t d = 0; d < 2 * rank; ++d) {
    const auto steps = ints(op, d < rank ? "dilations" : "strides");
    copy.dims.push_back({result.shape[d], from[d % rank] * steps[d % rank], to[d]});
  }
  copy.simplify();
  const Slot source = compiler.operand(id, 0);
  const Slot target = compiler.result(id);
  Instruction& instruction = compiler.emit(id, exec_windows, compiler.payload(std::move(copy)));
  instruction.a = source;
  instruction.d = target;
}

}  // namespace

extern const OpDef kWindowWindows = {
    .name = "window.windows",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "sizes", .kind = AttributeKind::Ints, .help = "size of a window"},
                   {.name = "strides",
                    .kind = AttributeKind::Ints,
                    .help = "from one window to the next"},
                   {.name = "dilations",
                    .kind = AttributeKind::Ints,
                    .help = "from one element of a window to the next"}},
    .pure = true,
    .infer = infer_windows,
    .verify = verify_windows,
    .compile = compile_windows,
    .primitives = {"reduce_window", "reduce_window_sum", "reduce_window_max", "reduce_window_min"},
    .help =
        "All windows of an array that lie inside of it. The first dimensions of the result run "
        "through a window, the others through the windows.",
    .example = PALLASITE_EXAMPLE(
        "f32[2,3]",
        "    %1 = shape.iota {dimension = 0} : f32[4]\n"
        "    %2 = window.windows %1 {dilations = [1], sizes = [2], strides = [1]} : f32[2,3]\n"
        "    memory.store %0, %2\n"),
    .source = "jax.lax.reduce_window",
};

}  // namespace pallasite
