// Ops that move elements of arrays in registers and change none. All but the aliases are strided
// copies.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "pallasite/base/check.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/ir/text.h"
#include "pallasite/ops/broadcast_loop.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/ops/strided_copy.h"

namespace pallasite {
namespace {

std::span<const int64_t> ints(const Op& op, std::string_view name) {
  return ints_attribute(op.attributes, name);
}

size_t dim_attribute(const Op& op) {
  return size_t(int_attribute(op.attributes, "dimension", 0));
}

// --- checks ---

bool check(VerifyContext& context, bool condition, const std::string& message) {
  if (!condition) context.error(message);
  return condition;
}

bool check_array_result(VerifyContext& context, const Op& op) {
  return check(context,
               op.results.size() == 1 && context.module().value(op.results[0]).type.is_array(),
               fmt::format("`{}` has one result, an array", op.def->name));
}

bool check_rank(VerifyContext& context, const Op& op, std::string_view attribute,
                const Type& type) {
  return check(context, int64_t(ints(op, attribute).size()) == type.rank(),
               fmt::format("`{}` has {} entries for the {} dimensions of {}", attribute,
                           ints(op, attribute).size(), type.rank(), to_string(type)));
}

// All entries are dimensions below `rank`, and none comes twice.
bool check_dims(VerifyContext& context, const Op& op, std::string_view attribute, int64_t rank) {
  std::vector<int64_t> sorted(ints(op, attribute).begin(), ints(op, attribute).end());
  std::ranges::sort(sorted);
  const bool in_range = sorted.empty() || (sorted.front() >= 0 && sorted.back() < rank);
  const bool unique = std::ranges::adjacent_find(sorted) == sorted.end();
  return check(context, in_range && unique,
               fmt::format("`{}` is {}; its entries are different dimensions below {}", attribute,
                           list_text(ints(op, attribute)), rank));
}

bool check_dimension(VerifyContext& context, const Op& op, int64_t rank) {
  const int64_t dimension = int_attribute(op.attributes, "dimension", 0);
  return check(context, dimension >= 0 && dimension < rank,
               fmt::format("`dimension` is {}, not a dimension below {}", dimension, rank));
}

// --- compiling ---

// A start that is known when the kernel runs. It is clamped, so that the slice stays inside.
struct DynamicStart {
  Slot slot = kNoSlot;
  ElementType element = ElementType::S32;
  int64_t highest = 0;
  int64_t stride = 1;
};

struct CopyPlan {
  StridedCopy copy;
  std::vector<DynamicStart> starts = {};
  // The starts place the slice in the target instead of the source.
  bool starts_in_target = false;
  // Where the elements come from when it is not an operand.
  std::vector<std::byte> table = {};
};

int64_t read_start(Thread& thread, const DynamicStart& start) {
  int64_t value = 0;
  if (start.element == ElementType::U64) {
    const uint64_t bits = thread.at<uint64_t>(start.slot);
    value = int64_t(std::min<uint64_t>(bits, uint64_t(start.highest)));
  } else {
    convert(start.element, thread.pointer(start.slot), ElementType::S64, &value, 1);
  }
  return std::clamp<int64_t>(value, 0, start.highest);
}

Step exec_copy(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const CopyPlan*>(instruction.payload);
  int64_t offset = 0;
  for (const DynamicStart& start : plan.starts) offset += read_start(thread, start) * start.stride;
  offset *= int64_t(plan.copy.element_bytes);
  const std::byte* source = plan.table.empty() ? thread.pointer(instruction.a) : plan.table.data();
  run_copy(plan.copy, source + (plan.starts_in_target ? 0 : offset),
           thread.pointer(instruction.d) + (plan.starts_in_target ? offset : 0));
  return Step::Next;
}

void emit_copy(Compiler& compiler, OpId id, Slot source, Slot target, CopyPlan plan) {
  plan.copy.simplify();
  Instruction& instruction = compiler.emit(id, exec_copy, compiler.payload(std::move(plan)));
  instruction.a = source;
  instruction.d = target;
}

// A copy of the first operand to the only result.
void emit_copy(Compiler& compiler, OpId id, StridedCopy copy) {
  const Slot source = compiler.operand(id, 0);
  const Slot target = compiler.result(id);
  emit_copy(compiler, id, source, target, {.copy = std::move(copy)});
}

// Dims of a copy to a whole row-major array of `shape`.
StridedCopy copy_to(const Type& result, std::span<const int64_t> source_strides) {
  StridedCopy copy;
  copy.element_bytes = register_bytes(result.element);
  const std::vector<int64_t> strides = row_major_strides(result.shape);
  for (size_t d = 0; d < strides.size(); ++d)
    copy.dims.push_back({result.shape[d], source_strides[d], strides[d]});
  return copy;
}

// A whole array, element by element in the order of both.
StridedCopy copy_all(const Type& type) {
  return {.element_bytes = register_bytes(type.element),
          .source_offset = 0,
          .target_offset = 0,
          .dims = {{type.element_count(), 1, 1}}};
}

// The result has the operand's elements in their order.
void compile_same_elements(Compiler& compiler, OpId id) {
  const Type& from = compiler.operand_type(id, 0);
  // A scalar's slot is too small a home for an array.
  if (from.is_scalar() != compiler.result_type(id).is_scalar())
    return emit_copy(compiler, id, copy_all(from));
  compiler.alias(compiler.op(id).results[0], compiler.op(id).operands[0]);
}

// --- broadcast_in_dim ---

void verify_broadcast(VerifyContext& context, const Op& op) {
  if (!check_array_result(context, op)) return;
  const Type& from = operand_type(context.module(), op);
  const Type& to = context.module().value(op.results[0]).type;
  if (!check_rank(context, op, "dimensions", from) ||
      !check_dims(context, op, "dimensions", to.rank()))
    return;
  const auto dimensions = ints(op, "dimensions");
  check(context, std::ranges::is_sorted(dimensions), "`dimensions` are not in rising order");
  bool fits = from.element == to.element;
  for (size_t d = 0; d < dimensions.size(); ++d)
    fits = fits && (from.shape[d] == 1 || from.shape[d] == to.shape[size_t(dimensions[d])]);
  check(context, fits,
        fmt::format("{} cannot be repeated to {} along dimensions {}", to_string(from),
                    to_string(to), list_text(dimensions)));
}

void compile_broadcast(Compiler& compiler, OpId id) {
  const Type& from = compiler.operand_type(id, 0);
  const Type& to = compiler.result_type(id);
  if (from.is_scalar() && !to.is_scalar()) return compiler.emit_repeat(id);
  if (from.element_count() == to.element_count()) return compile_same_elements(compiler, id);
  const auto dimensions = ints(compiler.op(id), "dimensions");
  const std::vector<int64_t> strides = row_major_strides(from.shape);
  std::vector<int64_t> source_strides(to.shape.size(), 0);
  for (size_t d = 0; d < dimensions.size(); ++d)
    if (from.shape[d] != 1) source_strides[size_t(dimensions[d])] = strides[d];
  // The common case: the source's elements side by side, each of them and then all of them
  // repeated.
  size_t repeat = 1, period = 1;
  size_t d = to.shape.size();
  const auto repeats = [&](size_t i) { return source_strides[i] == 0 || to.shape[i] == 1; };
  for (; d > 0 && repeats(d - 1); --d) repeat *= size_t(to.shape[d - 1]);
  for (; d > 0 && (to.shape[d - 1] == 1 || source_strides[d - 1] == int64_t(period)); --d)
    period *= size_t(to.shape[d - 1]);
  while (d > 0 && repeats(d - 1)) --d;
  if (d == 0 && int64_t(period) == from.element_count() && to.element_count() > 0)
    return compiler.emit_chain_broadcast(id, broadcast_loop(to.element), repeat, period);
  emit_copy(compiler, id, copy_to(to, source_strides));
}

// --- reshape, squeeze ---

void verify_reshape(VerifyContext& context, const Op& op) {
  if (!check_array_result(context, op)) return;
  const Type& from = operand_type(context.module(), op);
  const Type& to = context.module().value(op.results[0]).type;
  check(context, from.element == to.element && from.element_count() == to.element_count(),
        fmt::format("{} does not have the elements of {}", to_string(from), to_string(to)));
}

void verify_squeeze(VerifyContext& context, const Op& op) {
  const Type& from = operand_type(context.module(), op);
  if (!check_dims(context, op, "dimensions", from.rank())) return;
  for (int64_t d : ints(op, "dimensions"))
    check(context, from.shape[size_t(d)] == 1,
          fmt::format("dimension {} of {} is not 1", d, to_string(from)));
}

std::vector<Type> infer_squeeze(const Module& module, const Op& op) {
  const Type& from = operand_type(module, op);
  const auto dropped = ints(op, "dimensions");
  Type to = Type::array(from.element);
  for (size_t d = 0; d < from.shape.size(); ++d)
    if (std::ranges::find(dropped, int64_t(d)) == dropped.end()) to.shape.push_back(from.shape[d]);
  return {to};
}

// --- slice ---

int64_t slice_stride(const Op& op, size_t d) {
  const auto strides = ints(op, "strides");
  return strides.empty() ? 1 : strides[d];
}

void verify_slice(VerifyContext& context, const Op& op) {
  const Type& from = operand_type(context.module(), op);
  const bool has_strides = find_attribute(op.attributes, "strides") != nullptr;
  if (!check_rank(context, op, "starts", from) || !check_rank(context, op, "limits", from) ||
      (has_strides && !check_rank(context, op, "strides", from)))
    return;
  for (size_t d = 0; d < from.shape.size(); ++d) {
    const int64_t start = ints(op, "starts")[d], limit = ints(op, "limits")[d];
    check(context,
          start >= 0 && start <= limit && limit <= from.shape[d] && slice_stride(op, d) >= 1,
          fmt::format("the slice from {} to {} in steps of {} does not lie in dimension {} of {}",
                      start, limit, slice_stride(op, d), d, to_string(from)));
  }
}

std::vector<Type> infer_slice(const Module& module, const Op& op) {
  Type to = operand_type(module, op);
  for (size_t d = 0; d < to.shape.size(); ++d) {
    const int64_t stride = slice_stride(op, d);
    to.shape[d] = (ints(op, "limits")[d] - ints(op, "starts")[d] + stride - 1) / stride;
  }
  return {to};
}

void compile_slice(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  std::vector<int64_t> strides = row_major_strides(compiler.operand_type(id, 0).shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += ints(op, "starts")[d] * strides[d];
    strides[d] *= slice_stride(op, d);
  }
  StridedCopy copy = copy_to(compiler.result_type(id), strides);
  copy.source_offset = offset;
  emit_copy(compiler, id, std::move(copy));
}

// --- concatenate ---

void verify_concatenate(VerifyContext& context, const Op& op) {
  if (!check(context, !op.operands.empty(), "`shape.concatenate` has no operand")) return;
  const Type& first = operand_type(context.module(), op);
  if (!check_dimension(context, op, first.rank())) return;
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Type& type = operand_type(context.module(), op, i);
    bool fits = type.element == first.element && type.rank() == first.rank();
    for (size_t d = 0; fits && d < type.shape.size(); ++d)
      fits = d == dim_attribute(op) || type.shape[d] == first.shape[d];
    if (!check(context, fits,
               fmt::format("{} and {} cannot be joined along dimension {}", to_string(first),
                           to_string(type), dim_attribute(op))))
      return;
  }
}

std::vector<Type> infer_concatenate(const Module& module, const Op& op) {
  Type to = operand_type(module, op);
  int64_t& size = to.shape[dim_attribute(op)];
  for (size_t i = 1; i < op.operands.size(); ++i)
    size += operand_type(module, op, i).shape[dim_attribute(op)];
  return {to};
}

void compile_concatenate(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  std::vector<Slot> sources;
  for (ValueId operand : op.operands) sources.push_back(compiler.use(operand));
  const Slot target = compiler.result(id);
  const size_t dimension = dim_attribute(op);
  const std::vector<int64_t> target_strides = row_major_strides(compiler.result_type(id).shape);
  int64_t offset = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Type& from = compiler.operand_type(id, i);
    StridedCopy copy = copy_to(from, row_major_strides(from.shape));
    for (size_t d = 0; d < target_strides.size(); ++d)
      copy.dims[d].target_stride = target_strides[d];
    copy.target_offset = offset;
    offset += from.shape[dimension] * target_strides[dimension];
    emit_copy(compiler, id, sources[i], target, {.copy = std::move(copy)});
  }
}

// --- iota ---

void verify_iota(VerifyContext& context, const Op& op) {
  if (!check_array_result(context, op)) return;
  const Type& to = context.module().value(op.results[0]).type;
  if (!check_dimension(context, op, to.rank())) return;
  check(context, to.element != ElementType::Bool, "`shape.iota` makes numbers, not bool");
}

void compile_iota(Compiler& compiler, OpId id) {
  const Type& to = compiler.result_type(id);
  const size_t dimension = dim_attribute(compiler.op(id));
  std::vector<int64_t> indices(size_t(to.shape[dimension]));
  std::iota(indices.begin(), indices.end(), 0);
  CopyPlan plan;
  plan.table.resize(std::max<size_t>(indices.size(), 1) * register_bytes(to.element));
  convert(ElementType::S64, indices.data(), to.element, plan.table.data(), indices.size());
  std::vector<int64_t> strides(to.shape.size(), 0);
  strides[dimension] = 1;
  plan.copy = copy_to(to, strides);
  emit_copy(compiler, id, kNoSlot, compiler.result(id), std::move(plan));
}

// --- transpose, reverse ---

void verify_transpose(VerifyContext& context, const Op& op) {
  const Type& from = operand_type(context.module(), op);
  if (check_rank(context, op, "permutation", from))
    check_dims(context, op, "permutation", from.rank());
}

std::vector<Type> infer_transpose(const Module& module, const Op& op) {
  const Type& from = operand_type(module, op);
  Type to = Type::array(from.element);
  for (int64_t d : ints(op, "permutation")) to.shape.push_back(from.shape[size_t(d)]);
  return {to};
}

void compile_transpose(Compiler& compiler, OpId id) {
  const std::vector<int64_t> strides = row_major_strides(compiler.operand_type(id, 0).shape);
  std::vector<int64_t> permuted;
  for (int64_t d : ints(compiler.op(id), "permutation")) permuted.push_back(strides[size_t(d)]);
  emit_copy(compiler, id, copy_to(compiler.result_type(id), permuted));
}

void verify_reverse(VerifyContext& context, const Op& op) {
  check_dims(context, op, "dimensions", operand_type(context.module(), op).rank());
}

void compile_reverse(Compiler& compiler, OpId id) {
  const Type& type = compiler.result_type(id);
  std::vector<int64_t> strides = row_major_strides(type.shape);
  int64_t offset = 0;
  for (int64_t d : ints(compiler.op(id), "dimensions")) {
    offset += (type.shape[size_t(d)] - 1) * strides[size_t(d)];
    strides[size_t(d)] = -strides[size_t(d)];
  }
  StridedCopy copy = copy_to(type, strides);
  copy.source_offset = offset;
  emit_copy(compiler, id, std::move(copy));
}

// --- dynamic_slice, dynamic_update_slice ---

// Checks the operands from `first_start` on: one start for each dimension of the first operand.
bool check_starts(VerifyContext& context, const Op& op, size_t first_start) {
  const Type& array = operand_type(context.module(), op);
  const size_t starts = op.operands.size() - first_start;
  return check(context, int64_t(starts) == array.rank(),
               fmt::format("`{}` has {} starts for the {} dimensions of {}", op.def->name, starts,
                           array.rank(), to_string(array)));
}

// The starts of a slice of `sizes`, in the array that is the first operand.
std::vector<DynamicStart> compile_starts(Compiler& compiler, OpId id, size_t first_start,
                                         std::span<const int64_t> sizes) {
  const Type& array = compiler.operand_type(id, 0);
  const std::vector<int64_t> strides = row_major_strides(array.shape);
  std::vector<DynamicStart> starts;
  for (size_t d = 0; d < sizes.size(); ++d)
    starts.push_back({.slot = compiler.operand(id, first_start + d),
                      .element = compiler.operand_type(id, first_start + d).element,
                      .highest = array.shape[d] - sizes[d],
                      .stride = strides[d]});
  return starts;
}

void verify_dynamic_slice(VerifyContext& context, const Op& op) {
  const Type& from = operand_type(context.module(), op);
  if (!check_starts(context, op, 1) || !check_rank(context, op, "sizes", from)) return;
  for (size_t d = 0; d < from.shape.size(); ++d) {
    const int64_t size = ints(op, "sizes")[d];
    check(context, size >= 0 && size <= from.shape[d],
          fmt::format("size {} does not fit dimension {} of {}", size, d, to_string(from)));
  }
}

std::vector<Type> infer_dynamic_slice(const Module& module, const Op& op) {
  const auto sizes = ints(op, "sizes");
  return {Type::array(operand_type(module, op).element, {sizes.begin(), sizes.end()})};
}

void compile_dynamic_slice(Compiler& compiler, OpId id) {
  const Slot source = compiler.operand(id, 0);
  CopyPlan plan;
  plan.starts = compile_starts(compiler, id, 1, ints(compiler.op(id), "sizes"));
  plan.copy =
      copy_to(compiler.result_type(id), row_major_strides(compiler.operand_type(id, 0).shape));
  emit_copy(compiler, id, source, compiler.result(id), std::move(plan));
}

void verify_dynamic_update_slice(VerifyContext& context, const Op& op) {
  const Type& into = operand_type(context.module(), op);
  const Type& update = operand_type(context.module(), op, 1);
  if (!check_starts(context, op, 2)) return;
  bool fits = update.element == into.element && update.rank() == into.rank();
  for (size_t d = 0; fits && d < into.shape.size(); ++d) fits = update.shape[d] <= into.shape[d];
  check(context, fits, fmt::format("{} does not fit into {}", to_string(update), to_string(into)));
}

void compile_dynamic_update_slice(Compiler& compiler, OpId id) {
  const Type& into = compiler.operand_type(id, 0);
  const Type& update = compiler.operand_type(id, 1);
  const Slot source = compiler.operand(id, 0);
  const Slot update_slot = compiler.operand(id, 1);
  CopyPlan plan;
  plan.starts = compile_starts(compiler, id, 2, update.shape);
  plan.starts_in_target = true;
  plan.copy = copy_to(update, row_major_strides(update.shape));
  const std::vector<int64_t> strides = row_major_strides(into.shape);
  for (size_t d = 0; d < strides.size(); ++d) plan.copy.dims[d].target_stride = strides[d];
  const Slot target = compiler.result(id);
  emit_copy(compiler, id, source, target, {.copy = copy_all(into)});
  emit_copy(compiler, id, update_slot, target, std::move(plan));
}

// --- pad ---

int64_t padded_size(const Op& op, const Type& from, size_t d) {
  const int64_t between = std::max<int64_t>(from.shape[d] - 1, 0) * ints(op, "interior")[d];
  return ints(op, "low")[d] + from.shape[d] + between + ints(op, "high")[d];
}

void verify_pad(VerifyContext& context, const Op& op) {
  const Type& from = operand_type(context.module(), op);
  const Type& value = operand_type(context.module(), op, 1);
  check(context, value.element == from.element,
        fmt::format("{} is padded with a value of another type, {}", to_string(from),
                    to_string(value)));
  for (std::string_view attribute : {"low", "high", "interior"})
    if (!check_rank(context, op, attribute, from)) return;
  constexpr int64_t kLargest = int64_t(1) << 40;
  for (size_t d = 0; d < from.shape.size(); ++d) {
    const auto in_range = [&](std::string_view attribute, int64_t lowest) {
      const int64_t v = ints(op, attribute)[d];
      return v >= lowest && v <= kLargest;
    };
    const bool sane = in_range("low", -kLargest) && in_range("high", -kLargest) &&
                      in_range("interior", 0) &&
                      ints(op, "interior")[d] <= kLargest / std::max<int64_t>(from.shape[d], 1);
    check(context, sane && padded_size(op, from, d) >= 0,
          fmt::format("the padding of dimension {} of {} leaves no array", d, to_string(from)));
  }
}

std::vector<Type> infer_pad(const Module& module, const Op& op) {
  Type to = operand_type(module, op);
  for (size_t d = 0; d < to.shape.size(); ++d)
    to.shape[d] = padded_size(op, operand_type(module, op), d);
  return {to};
}

void compile_pad(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& from = compiler.operand_type(id, 0);
  const Type& to = compiler.result_type(id);
  const Slot source = compiler.operand(id, 0);
  const Slot value = compiler.operand(id, 1);
  const Slot target = compiler.result(id);
  const std::vector<int64_t> zero_strides(to.shape.size(), 0);
  emit_copy(compiler, id, value, target, {.copy = copy_to(to, zero_strides)});
  const std::vector<int64_t> from_strides = row_major_strides(from.shape);
  const std::vector<int64_t> to_strides = row_major_strides(to.shape);
  StridedCopy copy;
  copy.element_bytes = register_bytes(to.element);
  for (size_t d = 0; d < to.shape.size(); ++d) {
    // Negative padding cuts elements off: the first and the end of those that stay.
    const int64_t low = ints(op, "low")[d], step = ints(op, "interior")[d] + 1;
    const int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    const int64_t room = to.shape[d] - low;
    const int64_t end = std::min(from.shape[d], room <= 0 ? 0 : (room + step - 1) / step);
    copy.source_offset += first * from_strides[d];
    copy.target_offset += (low + first * step) * to_strides[d];
    copy.dims.push_back({std::max<int64_t>(end - first, 0), from_strides[d], to_strides[d] * step});
  }
  emit_copy(compiler, id, source, target, {.copy = std::move(copy)});
}

}  // namespace

extern const OpDef kShapeBroadcastInDim = {
    .name = "shape.broadcast_in_dim",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "dimensions",
                    .kind = AttributeKind::Ints,
                    .help = "the dimension of the result for each dimension of x"}},
    .pure = true,
    .moves_elements = true,
    .verify = verify_broadcast,
    .compile = compile_broadcast,
    .primitives = {"broadcast_in_dim"},
    .help = "Repeats an array along new dimensions and along dimensions of size 1.",
    .example =
        PALLASITE_EXAMPLE("f32[4,8]",
                          "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                          "    %2 = shape.broadcast_in_dim %1 {dimensions = [0]} : f32[4,8]\n"
                          "    memory.store %0, %2\n"),
    .source = "jax.lax.broadcast_in_dim",
};

extern const OpDef kShapeReshape = {
    .name = "shape.reshape",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .pure = true,
    .moves_elements = true,
    .verify = verify_reshape,
    .compile = compile_same_elements,
    .primitives = {"reshape"},
    .help = "The same elements, in row-major order, under another shape.",
    .example = PALLASITE_EXAMPLE("f32[2,2]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = shape.reshape %1 : f32[2,2]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.reshape",
};

extern const OpDef kShapeSqueeze = {
    .name = "shape.squeeze",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "dimensions",
                    .kind = AttributeKind::Ints,
                    .help = "dimensions of size 1 to leave out"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_squeeze,
    .verify = verify_squeeze,
    .compile = compile_same_elements,
    .primitives = {"squeeze"},
    .help = "Leaves out dimensions of size 1.",
    .example = PALLASITE_EXAMPLE("f32[4]",
                                 "    %1 = shape.iota {dimension = 1} : f32[1,4]\n"
                                 "    %2 = shape.squeeze %1 {dimensions = [0]} : f32[4]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.squeeze",
};

extern const OpDef kShapeSlice = {
    .name = "shape.slice",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "starts",
                    .kind = AttributeKind::Ints,
                    .help = "first index of each dimension"},
                   {.name = "limits", .kind = AttributeKind::Ints, .help = "index after the last"},
                   {.name = "strides",
                    .kind = AttributeKind::Ints,
                    .required = false,
                    .help = "steps; 1 when absent"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_slice,
    .verify = verify_slice,
    .compile = compile_slice,
    .primitives = {"slice"},
    .help = "A part of an array with bounds known beforehand.",
    .example = PALLASITE_EXAMPLE(
        "f32[2]",
        "    %1 = shape.iota {dimension = 0} : f32[4]\n"
        "    %2 = shape.slice %1 {limits = [4], starts = [1], strides = [2]} : f32[2]\n"
        "    memory.store %0, %2\n"),
    .source = "jax.lax.slice",
};

extern const OpDef kShapeConcatenate = {
    .name = "shape.concatenate",
    .operands = {{.name = "xs", .kind = OperandKind::Array, .variadic = true}},
    .attributes = {{.name = "dimension",
                    .kind = AttributeKind::Int,
                    .help = "the dimension along which the arrays follow each other"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_concatenate,
    .verify = verify_concatenate,
    .compile = compile_concatenate,
    .primitives = {"concatenate"},
    .help = "Joins arrays along one dimension.",
    .example = PALLASITE_EXAMPLE("f32[8]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = arith.neg %1 : f32[4]\n"
                                 "    %3 = shape.concatenate %1, %2 {dimension = 0} : f32[8]\n"
                                 "    memory.store %0, %3\n"),
    .source = "jax.lax.concatenate",
};

extern const OpDef kShapeIota = {
    .name = "shape.iota",
    .attributes = {{.name = "dimension",
                    .kind = AttributeKind::Int,
                    .help = "the dimension whose index the elements are"}},
    .pure = true,
    .verify = verify_iota,
    .compile = compile_iota,
    .primitives = {"iota"},
    .help = "Each element is its index along one dimension. Integers wrap, floats round.",
    .example = PALLASITE_EXAMPLE("i32[4,8]",
                                 "    %1 = shape.iota {dimension = 1} : i32[4,8]\n"
                                 "    memory.store %0, %1\n"),
    .source = "jax.lax.broadcasted_iota",
};

extern const OpDef kShapeTranspose = {
    .name = "shape.transpose",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "permutation",
                    .kind = AttributeKind::Ints,
                    .help = "the dimension of x that each dimension of the result is"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_transpose,
    .verify = verify_transpose,
    .compile = compile_transpose,
    .primitives = {"transpose"},
    .help = "Permutes dimensions.",
    .example = PALLASITE_EXAMPLE("f32[8,4]",
                                 "    %1 = shape.iota {dimension = 1} : f32[4,8]\n"
                                 "    %2 = shape.transpose %1 {permutation = [1, 0]} : f32[8,4]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.transpose",
};

extern const OpDef kShapeReverse = {
    .name = "shape.reverse",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "dimensions",
                    .kind = AttributeKind::Ints,
                    .help = "dimensions to run backward"}},
    .pure = true,
    .moves_elements = true,
    .infer = infer_first_operand,
    .verify = verify_reverse,
    .compile = compile_reverse,
    .primitives = {"rev"},
    .help = "Reverses the order of elements along dimensions.",
    .example = PALLASITE_EXAMPLE("f32[4]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = shape.reverse %1 {dimensions = [0]} : f32[4]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.rev",
};

extern const OpDef kShapeDynamicSlice = {
    .name = "shape.dynamic_slice",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "starts", .kind = OperandKind::Index, .variadic = true}},
    .attributes = {{.name = "sizes",
                    .kind = AttributeKind::Ints,
                    .help = "size of the slice in each dimension"}},
    .pure = true,
    .infer = infer_dynamic_slice,
    .verify = verify_dynamic_slice,
    .compile = compile_dynamic_slice,
    .primitives = {"dynamic_slice"},
    .help =
        "A part of an array that begins where the starts say. A start is moved so that the slice "
        "stays inside the array.",
    .example = PALLASITE_EXAMPLE("f32[2]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = shape.dynamic_slice %1, i32(3) {sizes = [2]} : f32[2]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.dynamic_slice",
};

extern const OpDef kShapeDynamicUpdateSlice = {
    .name = "shape.dynamic_update_slice",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "update", .kind = OperandKind::Array},
                 {.name = "starts", .kind = OperandKind::Index, .variadic = true}},
    .pure = true,
    .infer = infer_first_operand,
    .verify = verify_dynamic_update_slice,
    .compile = compile_dynamic_update_slice,
    .primitives = {"dynamic_update_slice"},
    .help =
        "An array with a part replaced. A start is moved so that the part stays inside the array.",
    .example = PALLASITE_EXAMPLE("f32[4]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = shape.iota {dimension = 0} : f32[2]\n"
                                 "    %3 = shape.dynamic_update_slice %1, %2, i32(1) : f32[4]\n"
                                 "    memory.store %0, %3\n"),
    .source = "jax.lax.dynamic_update_slice",
};

extern const OpDef kShapePad = {
    .name = "shape.pad",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "value", .kind = OperandKind::Scalar}},
    .attributes = {{.name = "low",
                    .kind = AttributeKind::Ints,
                    .help = "elements before each dimension; negative cuts off"},
                   {.name = "high",
                    .kind = AttributeKind::Ints,
                    .help = "elements after each dimension; negative cuts off"},
                   {.name = "interior",
                    .kind = AttributeKind::Ints,
                    .help = "elements between neighbours"}},
    .pure = true,
    .infer = infer_pad,
    .verify = verify_pad,
    .compile = compile_pad,
    .primitives = {"pad"},
    .help = "Surrounds an array with a value, and puts it between elements.",
    .example = PALLASITE_EXAMPLE(
        "f32[10]",
        "    %1 = shape.iota {dimension = 0} : f32[4]\n"
        "    %2 = shape.pad %1, f32(-1.0) {high = [2], interior = [1], low = [1]} : f32[10]\n"
        "    memory.store %0, %2\n"),
    .source = "jax.lax.pad",
};

}  // namespace pallasite
