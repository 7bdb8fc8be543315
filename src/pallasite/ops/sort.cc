// Sorting along one dimension, and the largest elements of it.
//
// Every element becomes an unsigned key whose order is the order wanted; keys go with the number of
// their element, so that equal ones keep their order and the permutation is known.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "pallasite/ir/text.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/ops/strided_copy.h"

namespace pallasite {
namespace {

// An array as [outer, along, inner].
struct Axis {
  size_t outer = 1;
  size_t along = 1;
  size_t inner = 1;
};

Axis axis_of(const Type& type, size_t dimension) {
  Axis axis;
  for (size_t d = 0; d < type.shape.size(); ++d)
    (d < dimension ? axis.outer : d > dimension ? axis.inner : axis.along) *= size_t(type.shape[d]);
  return axis;
}

// Equal zeros and equal NaNs, the NaNs last; or the order of the bits, as IEEE's totalOrder.
enum class FloatOrder : uint8_t { Alike, Total };

template <typename Bits>
uint64_t float_key(Bits bits, FloatOrder order) {
  constexpr int kDigits = std::numeric_limits<Bits>::digits;
  constexpr Bits kSign = Bits(1) << (kDigits - 1);
  constexpr Bits kInfinity = kDigits == 32 ? Bits(0x7f800000u) : Bits(0x7ff0000000000000u);
  if (order == FloatOrder::Alike) {
    const Bits magnitude = bits & ~kSign;
    if (magnitude == 0) bits = 0;
    if (magnitude > kInfinity) return std::numeric_limits<Bits>::max();
  }
  return (bits & kSign) != 0 ? Bits(~bits) : Bits(bits | kSign);
}

template <typename T>
void integer_keys(const std::byte* raw, size_t count, uint64_t* keys) {
  constexpr uint64_t kFlip = std::is_signed_v<T> ? uint64_t(1) << (8 * sizeof(T) - 1) : 0;
  using Unsigned = std::make_unsigned_t<T>;
  const auto* x = reinterpret_cast<const T*>(raw);
  for (size_t i = 0; i < count; ++i) keys[i] = uint64_t(Unsigned(x[i])) ^ kFlip;
}

// `raw` holds elements in register form; small floats are widened first, which keeps their order.
void make_keys(ElementType element, const std::byte* raw, size_t count, FloatOrder order,
               uint64_t* keys) {
  if (element == ElementType::F64) {
    const auto* x = reinterpret_cast<const uint64_t*>(raw);
    for (size_t i = 0; i < count; ++i) keys[i] = float_key(x[i], order);
  } else if (is_float(element)) {
    constexpr size_t kBlock = 256;
    uint32_t wide[kBlock];
    for (size_t first = 0; first < count; first += kBlock) {
      const size_t n = std::min(kBlock, count - first);
      convert(element, raw + first * register_bytes(element), ElementType::F32, wide, n);
      for (size_t i = 0; i < n; ++i) keys[first + i] = float_key(wide[i], order);
    }
  } else {
    switch (element) {
      case ElementType::S1:
      case ElementType::S2:
      case ElementType::S4:
      case ElementType::S8:
        return integer_keys<int8_t>(raw, count, keys);
      case ElementType::S16:
        return integer_keys<int16_t>(raw, count, keys);
      case ElementType::U16:
        return integer_keys<uint16_t>(raw, count, keys);
      case ElementType::S32:
        return integer_keys<int32_t>(raw, count, keys);
      case ElementType::U32:
        return integer_keys<uint32_t>(raw, count, keys);
      case ElementType::S64:
        return integer_keys<int64_t>(raw, count, keys);
      case ElementType::U64:
        return integer_keys<uint64_t>(raw, count, keys);
      default:
        return integer_keys<uint8_t>(raw, count, keys);
    }
  }
}

template <typename Visit>
void visit_bits(ElementType element, Visit&& visit) {
  switch (register_bytes(element)) {
    case 1:
      return visit(uint8_t());
    case 2:
      return visit(uint16_t());
    case 4:
      return visit(uint32_t());
    default:
      return visit(uint64_t());
  }
}

// Elements of one row of the axis, one after another.
void read_row(ElementType element, const std::byte* first, size_t count, size_t stride,
              std::byte* row) {
  if (stride == 1) {
    std::memcpy(row, first, count * register_bytes(element));
    return;
  }
  visit_bits(element, [&](auto bits) {
    using Bits = decltype(bits);
    for (size_t i = 0; i < count; ++i)
      reinterpret_cast<Bits*>(row)[i] = reinterpret_cast<const Bits*>(first)[i * stride];
  });
}

void write_row(ElementType element, const std::byte* row, const uint32_t* order, size_t count,
               size_t stride, std::byte* first) {
  visit_bits(element, [&](auto bits) {
    using Bits = decltype(bits);
    for (size_t i = 0; i < count; ++i)
      reinterpret_cast<Bits*>(first)[i * stride] = reinterpret_cast<const Bits*>(row)[order[i]];
  });
}

struct KeyAndNumber {
  uint64_t key;
  uint32_t number;
  bool operator<(const KeyAndNumber& other) const {
    return key != other.key ? key < other.key : number < other.number;
  }
};

// Numbers of the first `wanted` elements in the order of their keys. `work` has room for `count`
// KeyAndNumber.
void order_by_key(const uint64_t* keys, bool keys_have_32_bits, size_t count, size_t wanted,
                  std::byte* work, uint32_t* order) {
  const auto sort = [&](auto* first) {
    if (wanted == count) {
      std::sort(first, first + count);
    } else {
      std::partial_sort(first, first + wanted, first + count);
    }
  };
  if (keys_have_32_bits) {
    auto* packed = reinterpret_cast<uint64_t*>(work);
    for (size_t i = 0; i < count; ++i) packed[i] = keys[i] << 32 | i;
    sort(packed);
    for (size_t i = 0; i < wanted; ++i) order[i] = uint32_t(packed[i]);
  } else {
    auto* pairs = reinterpret_cast<KeyAndNumber*>(work);
    for (size_t i = 0; i < count; ++i) pairs[i] = {keys[i], uint32_t(i)};
    sort(pairs);
    for (size_t i = 0; i < wanted; ++i) order[i] = pairs[i].number;
  }
}

bool has_key_of_32_bits(ElementType element) {
  return element != ElementType::F64 && element != ElementType::S64 && element != ElementType::U64;
}

// Memory for one row at a time.
struct RowSlots {
  Slot row = kNoSlot;
  Slot keys = kNoSlot;
  Slot work = kNoSlot;
  Slot order = kNoSlot;
};

RowSlots row_slots(Compiler& compiler, size_t count, size_t num_keys) {
  count = std::max<size_t>(count, 1);
  return {compiler.scratch(count * sizeof(uint64_t)),
          compiler.scratch(count * num_keys * sizeof(uint64_t)),
          compiler.scratch(count * sizeof(KeyAndNumber)),
          compiler.scratch(count * sizeof(uint32_t))};
}

// --- sort ---

struct SortPlan {
  Axis axis;
  size_t num_keys = 1;
  struct Operand {
    ElementType element;
    Slot source;
    Slot target;
  };
  std::vector<Operand> operands;
  RowSlots slots;
};

void sort_row(Thread& thread, const SortPlan& plan, size_t offset) {
  const size_t count = plan.axis.along, stride = plan.axis.inner;
  std::byte* row = thread.pointer(plan.slots.row);
  auto* keys = reinterpret_cast<uint64_t*>(thread.pointer(plan.slots.keys));
  auto* order = reinterpret_cast<uint32_t*>(thread.pointer(plan.slots.order));
  const auto read = [&](const SortPlan::Operand& operand) {
    read_row(operand.element,
             thread.pointer(operand.source) + offset * register_bytes(operand.element), count,
             stride, row);
  };
  for (size_t k = 0; k < plan.num_keys; ++k) {
    read(plan.operands[k]);
    make_keys(plan.operands[k].element, row, count, FloatOrder::Alike, keys + k * count);
  }
  if (plan.num_keys == 1) {
    order_by_key(keys, has_key_of_32_bits(plan.operands[0].element), count, count,
                 thread.pointer(plan.slots.work), order);
  } else {
    for (size_t i = 0; i < count; ++i) order[i] = uint32_t(i);
    std::sort(order, order + count, [&](uint32_t a, uint32_t b) {
      for (size_t k = 0; k < plan.num_keys; ++k)
        if (keys[k * count + a] != keys[k * count + b])
          return keys[k * count + a] < keys[k * count + b];
      return a < b;
    });
  }
  for (const SortPlan::Operand& operand : plan.operands) {
    read(operand);
    write_row(operand.element, row, order, count, stride,
              thread.pointer(operand.target) + offset * register_bytes(operand.element));
  }
}

Step exec_sort(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const SortPlan*>(instruction.payload);
  for (size_t o = 0; o < plan.axis.outer; ++o)
    for (size_t i = 0; i < plan.axis.inner; ++i)
      sort_row(thread, plan, o * plan.axis.along * plan.axis.inner + i);
  return Step::Next;
}

size_t dimension_of(const Op& op) {
  return size_t(int_attribute(op.attributes, "dimension", 0));
}

bool check_dimension(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op, 0);
  const int64_t dimension = int_attribute(op.attributes, "dimension", 0);
  if (dimension < 0 || dimension >= type.rank()) {
    context.error(
        fmt::format("`dimension` is {}, not a dimension of {}", dimension, to_string(type)));
    return false;
  }
  if (type.shape[size_t(dimension)] <= std::numeric_limits<int32_t>::max()) return true;
  context.error(
      fmt::format("{} has over 2^31 elements along dimension {}", to_string(type), dimension));
  return false;
}

void verify_sort(VerifyContext& context, const Op& op) {
  if (op.operands.empty()) return context.error("`sort.sort` has no operand");
  if (!check_dimension(context, op)) return;
  const Type& first = operand_type(context.module(), op, 0);
  for (size_t i = 1; i < op.operands.size(); ++i)
    if (operand_type(context.module(), op, i).shape != first.shape)
      return context.error(fmt::format("operands of `sort.sort` differ in shape: {} and {}",
                                       to_string(first),
                                       to_string(operand_type(context.module(), op, i))));
  const int64_t num_keys = int_attribute(op.attributes, "num_keys", 1);
  if (num_keys < 1 || num_keys > int64_t(op.operands.size()))
    context.error(fmt::format("`num_keys` is {} of {} operands", num_keys, op.operands.size()));
}

std::vector<Type> infer_sort(const Module& module, const Op& op) {
  std::vector<Type> types;
  for (ValueId operand : op.operands) types.push_back(module.value(operand).type);
  return types;
}

void compile_sort(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  SortPlan plan;
  plan.axis = axis_of(compiler.operand_type(id, 0), dimension_of(op));
  plan.num_keys = size_t(int_attribute(op.attributes, "num_keys", 1));
  for (size_t i = 0; i < op.operands.size(); ++i)
    plan.operands.push_back({compiler.operand_type(id, i).element, compiler.operand(id, i), 0});
  plan.slots = row_slots(compiler, plan.axis.along, plan.num_keys);
  for (size_t i = 0; i < op.operands.size(); ++i) plan.operands[i].target = compiler.result(id, i);
  compiler.emit(id, exec_sort, compiler.payload(std::move(plan)));
}

// --- top_k ---

struct TopPlan {
  ElementType element = ElementType::F32;
  Axis axis;
  size_t k = 1;
  bool smallest = false;
  ElementType index = ElementType::S32;
  RowSlots slots;
};

// Slots: a the array, c the values, d their numbers.
Step exec_top(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const TopPlan*>(instruction.payload);
  const size_t count = plan.axis.along, stride = plan.axis.inner,
               bytes = register_bytes(plan.element);
  std::byte* row = thread.pointer(plan.slots.row);
  auto* keys = reinterpret_cast<uint64_t*>(thread.pointer(plan.slots.keys));
  auto* order = reinterpret_cast<uint32_t*>(thread.pointer(plan.slots.order));
  const bool short_keys = has_key_of_32_bits(plan.element);
  const uint64_t flip = plan.smallest ? 0 : short_keys ? UINT32_MAX : UINT64_MAX;
  for (size_t o = 0; o < plan.axis.outer; ++o) {
    for (size_t i = 0; i < plan.axis.inner; ++i) {
      read_row(plan.element, thread.pointer(instruction.a) + (o * count * stride + i) * bytes,
               count, stride, row);
      make_keys(plan.element, row, count, FloatOrder::Total, keys);
      for (size_t n = 0; n < count; ++n) keys[n] ^= flip;
      order_by_key(keys, short_keys, count, plan.k, thread.pointer(plan.slots.work), order);
      const size_t result = o * plan.k * stride + i;
      write_row(plan.element, row, order, plan.k, stride,
                thread.pointer(instruction.c) + result * bytes);
      for (size_t n = 0; n < plan.k; ++n)
        convert(ElementType::U32, &order[n], plan.index,
                thread.pointer(instruction.d) + (result + n * stride) * register_bytes(plan.index),
                1);
    }
  }
  return Step::Next;
}

void verify_top(VerifyContext& context, const Op& op) {
  if (!check_dimension(context, op)) return;
  const Type& array = operand_type(context.module(), op, 0);
  const int64_t k = int_attribute(op.attributes, "k", 1);
  if (k < 0 || k > array.shape[dimension_of(op)])
    return context.error(fmt::format("`k` is {}, but there are {} elements along the dimension", k,
                                     array.shape[dimension_of(op)]));
  Type values = array;
  values.shape[dimension_of(op)] = k;
  const bool fits = op.results.size() == 2 &&
                    context.module().value(op.results[0]).type == values &&
                    context.module().value(op.results[1]).type.is_array() &&
                    context.module().value(op.results[1]).type.shape == values.shape &&
                    is_integer(context.module().value(op.results[1]).type.element);
  if (!fits)
    context.error(fmt::format("the results are {} and their positions, integers of that shape",
                              to_string(values)));
}

void compile_top(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  TopPlan plan;
  plan.element = compiler.operand_type(id, 0).element;
  plan.axis = axis_of(compiler.operand_type(id, 0), dimension_of(op));
  plan.k = size_t(int_attribute(op.attributes, "k", 1));
  plan.smallest = bool_attribute(op.attributes, "smallest", false);
  plan.index = compiler.result_type(id, 1).element;
  plan.slots = row_slots(compiler, plan.axis.along, 1);
  const Slot array = compiler.operand(id, 0);
  const Slot values = compiler.result(id, 0);
  const Slot positions = compiler.result(id, 1);
  Instruction& instruction = compiler.emit(id, exec_top, compiler.payload(std::move(plan)));
  instruction.a = array;
  instruction.c = values;
  instruction.d = positions;
}

}  // namespace

extern const OpDef kSortSort = {
    .name = "sort.sort",
    .operands = {{.name = "xs", .kind = OperandKind::Array, .variadic = true}},
    .attributes = {{.name = "dimension",
                    .kind = AttributeKind::Int,
                    .help = "the dimension along which elements change places"},
                   {.name = "num_keys",
                    .kind = AttributeKind::Int,
                    .help = "how many of the arrays decide the order, the first one first"}},
    .pure = true,
    .infer = infer_sort,
    .verify = verify_sort,
    .compile = compile_sort,
    .primitives = {"sort"},
    .help =
        "Sorts along one dimension, from small to large; all arrays are permuted alike. "
        "Elements with equal keys keep their order. Zeros are equal, and so are NaNs, which "
        "come last.",
    .example = PALLASITE_EXAMPLE("f32[4]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2 = arith.neg %1 : f32[4]\n"
                                 "    %3 = sort.sort %2 {dimension = 0, num_keys = 1} : f32[4]\n"
                                 "    memory.store %0, %3\n"),
    .source = "jax.lax.sort",
};

extern const OpDef kSortTopK = {
    .name = "sort.top_k",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "dimension",
                    .kind = AttributeKind::Int,
                    .help = "the dimension that is searched"},
                   {.name = "k", .kind = AttributeKind::Int, .help = "how many to find"},
                   {.name = "smallest",
                    .kind = AttributeKind::Bool,
                    .required = false,
                    .help = "find the smallest instead of the largest"}},
    .pure = true,
    .verify = verify_top,
    .compile = compile_top,
    .primitives = {"top_k", "approx_top_k"},
    .help =
        "The largest elements along one dimension, the largest first, and their positions; of "
        "equal ones the first. -0 is below 0, a NaN above or, with its sign set, below all.",
    .example = PALLASITE_EXAMPLE("f32[2]",
                                 "    %1 = shape.iota {dimension = 0} : f32[4]\n"
                                 "    %2, %3 = sort.top_k %1 {dimension = 0, k = 2} : f32[2], "
                                 "i32[2]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.top_k",
};

}  // namespace pallasite
