// Products of arrays in registers.
//
// Floats are widened exactly, summed in f32 (in f64 where an operand or the result is f64) and
// rounded once. Integers are exact in the type of the result, and wrap.
#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/text.h"
#include "pallasite/numerics/contraction.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/sim/machine.h"

namespace pallasite {
namespace {

struct Side {
  ElementType element = ElementType::F32;
  // What multiplies: `element`, or what the operand is converted to first, in `wide`.
  ElementType factor = ElementType::F32;
  Slot wide = kNoSlot;
  int64_t row_stride = 0;
  int64_t col_stride = 1;
};

struct DotPlan {
  int64_t batch = 1, rows = 0, depth = 0, cols = 0;
  Side a;
  Side b;
  ElementType result = ElementType::F32;
  // What sums: `result`, or what is converted to it at the end, in `sums`.
  ElementType sum = ElementType::F32;
  Slot sums = kNoSlot;
  // The loop over integers that have no fast product; null: multiply_accumulate.
  void (*integers)(const DotPlan& plan, const void* a, const void* b, void* d) = nullptr;
};

// Row by row, so that the innermost loop runs along rows of b and d where b lies so.
template <typename Word>
void multiply_integers(const DotPlan& plan, const void* a, const void* b, void* d) {
  const auto* x = static_cast<const Word*>(a);
  const auto* y = static_cast<const Word*>(b);
  auto* sums = static_cast<Word*>(d);
  std::fill_n(sums, plan.rows * plan.cols, Word(0));
  for (int64_t m = 0; m < plan.rows; ++m) {
    for (int64_t k = 0; k < plan.depth; ++k) {
      const Word factor = x[m * plan.a.row_stride + k * plan.a.col_stride];
      const Word* row = y + k * plan.b.row_stride;
      Word* target = sums + m * plan.cols;
      if (plan.b.col_stride == 1) {
        for (int64_t n = 0; n < plan.cols; ++n) target[n] += factor * row[n];
      } else {
        for (int64_t n = 0; n < plan.cols; ++n) target[n] += factor * row[n * plan.b.col_stride];
      }
    }
  }
}

const std::byte* factors(Thread& thread, const Side& side, Slot slot, size_t count) {
  const std::byte* source = thread.pointer(slot);
  if (side.wide == kNoSlot) return source;
  convert(side.element, source, side.factor, thread.pointer(side.wide), count);
  return thread.pointer(side.wide);
}

// Slots: a and b the operands, d the result.
Step exec_dot(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const DotPlan*>(instruction.payload);
  const int64_t a_count = plan.rows * plan.depth, b_count = plan.depth * plan.cols;
  const int64_t d_count = plan.rows * plan.cols;
  const std::byte* a = factors(thread, plan.a, instruction.a, size_t(plan.batch * a_count));
  const std::byte* b = factors(thread, plan.b, instruction.b, size_t(plan.batch * b_count));
  std::byte* d = thread.pointer(plan.sums == kNoSlot ? instruction.d : plan.sums);
  for (int64_t i = 0; i < plan.batch; ++i) {
    const std::byte* x = a + i * a_count * int64_t(register_bytes(plan.a.factor));
    const std::byte* y = b + i * b_count * int64_t(register_bytes(plan.b.factor));
    std::byte* sums = d + i * d_count * int64_t(register_bytes(plan.sum));
    if (plan.integers != nullptr) {
      plan.integers(plan, x, y, sums);
      continue;
    }
    Contraction product;
    product.a = {x, plan.a.factor, plan.rows, plan.depth, plan.a.row_stride, plan.a.col_stride};
    product.b = {y, plan.b.factor, plan.depth, plan.cols, plan.b.row_stride, plan.b.col_stride};
    product.d = {sums, plan.sum, plan.rows, plan.cols, plan.cols};
    product.accumulate = false;
    multiply_accumulate(product, thread.machine().contraction_scratch());
  }
  if (plan.sums != kNoSlot)
    convert(plan.sum, d, plan.result, thread.pointer(instruction.d), size_t(plan.batch * d_count));
  return Step::Next;
}

bool is_transposed(const Op& op, std::string_view attribute) {
  return bool_attribute(op.attributes, attribute, false);
}

// Rows and columns of an operand as a matrix.
std::pair<int64_t, int64_t> extents(const Type& type, bool transposed) {
  return transposed ? std::pair(type.shape[2], type.shape[1])
                    : std::pair(type.shape[1], type.shape[2]);
}

void verify_dot(VerifyContext& context, const Op& op) {
  const Type& a = operand_type(context.module(), op, 0);
  const Type& b = operand_type(context.module(), op, 1);
  if (op.results.size() != 1 || !context.module().value(op.results[0]).type.is_array())
    return context.error("`dot.general` has one result, an array");
  const Type& d = context.module().value(op.results[0]).type;
  if (a.rank() != 3 || b.rank() != 3)
    return context.error(
        fmt::format("{} and {} are not batches of matrices", to_string(a), to_string(b)));
  const auto [rows, depth] = extents(a, is_transposed(op, "transpose_a"));
  const auto [b_depth, cols] = extents(b, is_transposed(op, "transpose_b"));
  if (depth != b_depth || a.shape[0] != b.shape[0])
    return context.error(fmt::format("{} and {} cannot be multiplied", to_string(a), to_string(b)));
  if (d.shape != std::vector<int64_t>{a.shape[0], rows, cols})
    return context.error(fmt::format("the product of {} and {} has the shape [{}, {}, {}]",
                                     to_string(a), to_string(b), a.shape[0], rows, cols));
  for (const Type* type : {&a, &b})
    if (is_float(type->element) && !is_float(d.element))
      return context.error(fmt::format("a product of {} is not {}", element_name(type->element),
                                       element_name(d.element)));
  if (d.element == ElementType::Bool && (a.element != d.element || b.element != d.element))
    context.error("a bool product has bool operands");
}

void compile_dot(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& a = compiler.operand_type(id, 0);
  const Type& b = compiler.operand_type(id, 1);
  const Type& d = compiler.result_type(id);
  DotPlan plan;
  plan.batch = d.shape[0];
  plan.rows = d.shape[1];
  plan.cols = d.shape[2];
  plan.depth = a.shape[is_transposed(op, "transpose_a") ? 1 : 2];
  plan.result = d.element;
  ElementType factor_a = a.element, factor_b = b.element;
  if (is_float(d.element)) {
    const bool is_double = d.element == ElementType::F64 || a.element == ElementType::F64 ||
                           b.element == ElementType::F64;
    plan.sum = is_double ? ElementType::F64 : ElementType::F32;
    if (!contraction_supported(factor_a, factor_b, plan.sum)) factor_a = factor_b = plan.sum;
  } else if (d.element == ElementType::S32 &&
             contraction_supported(factor_a, factor_b, ElementType::S32)) {
    plan.sum = ElementType::S32;
  } else if (register_bytes(d.element) <= 4 && d.element != ElementType::Bool) {
    plan.sum = factor_a = factor_b = ElementType::U32;
    plan.integers = multiply_integers<uint32_t>;
  } else {
    // Of bools the sum counts, and is true unless it is 0.
    plan.sum = factor_a = factor_b = ElementType::U64;
    plan.integers = multiply_integers<uint64_t>;
  }
  const auto side = [&](const Type& type, ElementType factor, bool transposed) {
    Side made;
    made.element = type.element;
    made.factor = factor;
    made.row_stride = transposed ? 1 : type.shape[2];
    made.col_stride = transposed ? type.shape[2] : 1;
    if (factor != type.element)
      made.wide = compiler.scratch(size_t(type.element_count()) * register_bytes(factor));
    return made;
  };
  const Slot left = compiler.operand(id, 0);
  const Slot right = compiler.operand(id, 1);
  plan.a = side(a, factor_a, is_transposed(op, "transpose_a"));
  plan.b = side(b, factor_b, is_transposed(op, "transpose_b"));
  if (plan.sum != plan.result)
    plan.sums = compiler.scratch(size_t(d.element_count()) * register_bytes(plan.sum));
  const Slot result = compiler.result(id);
  Instruction& instruction = compiler.emit(id, exec_dot, compiler.payload(plan));
  instruction.a = left;
  instruction.b = right;
  instruction.d = result;
}

}  // namespace

extern const OpDef kDotGeneral = {
    .name = "dot.general",
    .operands = {{.name = "a", .kind = OperandKind::Array},
                 {.name = "b", .kind = OperandKind::Array}},
    .attributes = {{.name = "transpose_a",
                    .kind = AttributeKind::Bool,
                    .required = false,
                    .help = "a is [batch, depth, rows]"},
                   {.name = "transpose_b",
                    .kind = AttributeKind::Bool,
                    .required = false,
                    .help = "b is [batch, columns, depth]"}},
    .pure = true,
    .verify = verify_dot,
    .compile = compile_dot,
    .primitives = {"dot_general"},
    .help =
        "Products of matrices, one for each index of the first dimension. Floats are widened "
        "exactly, summed in f32 (f64 where one is f64) and rounded once; integers wrap.",
    .example = PALLASITE_EXAMPLE("f32[1,4,2]",
                                 "    %1 = shape.iota {dimension = 1} : f32[1,4,8]\n"
                                 "    %2 = shape.iota {dimension = 2} : f32[1,8,2]\n"
                                 "    %3 = dot.general %1, %2 : f32[1,4,2]\n"
                                 "    memory.store %0, %3\n"),
    .source = "jax.lax.dot_general",
};

}  // namespace pallasite
