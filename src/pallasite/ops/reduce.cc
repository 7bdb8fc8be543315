// Reductions and running reductions of arrays in registers.
//
// Floats smaller than f32 are accumulated in f32 and rounded once at the end. Along the innermost
// dimension 16 partial results are kept, element i in number i mod 16, and joined pairwise (small
// floats: for each 512 elements); along others the order is that of memory. So the bits depend on
// shape and type and on nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pallasite/ir/text.h"
#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

constexpr size_t kLanes = 16;
// Elements that are widened at a time.
constexpr size_t kBlock = 512;

// --- what a reduction is made of: how two elements join, and the element that changes nothing ---

struct Sum {
  static constexpr unsigned kDomain = kNumbers;
  template <typename T>
  static T join(T x, T y) {
    return T(Modular<T>(x) + Modular<T>(y));
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return 0;
  }
};

struct Prod {
  static constexpr unsigned kDomain = kNumbers;
  template <typename T>
  static T join(T x, T y) {
    return T(Modular<T>(x) * Modular<T>(y));
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return 1;
  }
};

struct Max {
  static constexpr unsigned kDomain = kAllElements;
  template <typename T>
  static T join(T x, T y) {
    return element_max(x, y);
  }
  template <typename T>
  static bool is_nearer(T x, T y) {
    return x > y;
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    using Limits = std::numeric_limits<typename L::Value>;
    if constexpr (L::kFloat) {
      return -Limits::infinity();
    } else {
      return typename L::Value(Limits::min() >> (8 * sizeof(typename L::Value) - L::kBits));
    }
  }
};

struct Min {
  static constexpr unsigned kDomain = kAllElements;
  template <typename T>
  static T join(T x, T y) {
    return element_min(x, y);
  }
  template <typename T>
  static bool is_nearer(T x, T y) {
    return x < y;
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    using Limits = std::numeric_limits<typename L::Value>;
    if constexpr (L::kFloat) {
      return Limits::infinity();
    } else {
      return typename L::Value(Limits::max() >> (8 * sizeof(typename L::Value) - L::kBits));
    }
  }
};

struct And {
  static constexpr unsigned kDomain = kBitPatterns;
  template <typename T>
  static T join(T x, T y) {
    return T(x & y);
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return L::wrap(typename L::Value(-1));
  }
};

struct Or {
  static constexpr unsigned kDomain = kBitPatterns;
  template <typename T>
  static T join(T x, T y) {
    return T(x | y);
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return 0;
  }
};

struct Xor {
  static constexpr unsigned kDomain = kBitPatterns;
  template <typename T>
  static T join(T x, T y) {
    return T(x ^ y);
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return 0;
  }
};

// log(exp(x) + exp(y)) without overflow.
struct LogSumExp {
  static constexpr unsigned kDomain = kFloats;
  template <typename T>
  static T join(T x, T y) {
    const T distance = x - y;
    // Of equal infinities the distance is NaN, as of a NaN itself.
    if (distance != distance) return x == y ? x : x + y;
    return element_max(x, y) + std::log1p(std::exp(-std::abs(distance)));
  }
  template <typename L>
  static constexpr typename L::Value identity() {
    return -std::numeric_limits<typename L::Value>::infinity();
  }
};

// Whether a comparison finds the same, except of NaNs and zeros.
template <typename F>
concept Compares = requires {
  F::is_nearer(1.0, 1.0);
};

// --- loops ---

// The functions of one reduction on one type, behind pointers without the type.
struct ReduceKernel {
  void (*fill_identity)(void* accumulators, size_t count) = nullptr;
  // accumulators[i] joins row[i]. As an elementwise loop of (accumulators, row).
  ElementLoop down = nullptr;
  // accumulators[0] joins all of the row. As an elementwise loop of (accumulators, row).
  ElementLoop across = nullptr;
  // out[r] joins all of row r; the count is that of rows, the immediate the size_t of their
  // elements. The same bits as `fill_identity` and `across` for each row.
  ElementLoop rows = nullptr;
};

template <typename F, typename L>
struct DownLoop {
  using Value = typename L::Value;
  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count,
                                          const void*) {
    const auto* x = static_cast<const Value*>(inputs[0]);
    const auto* y = static_cast<const Value*>(inputs[1]);
    auto* result = static_cast<Value*>(out);
    PALLASITE_INDEPENDENT_ITERATIONS
    for (size_t i = 0; i < count; ++i) result[i] = L::wrap(F::join(x[i], y[i]));
  }
};

template <typename F, typename L>
struct AcrossLoop {
  using Value = typename L::Value;
  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count,
                                          const void*) {
    const auto* row = static_cast<const Value*>(inputs[1]);
    Value lanes[kLanes];
    for (size_t k = 0; k < kLanes; ++k) lanes[k] = F::template identity<L>();
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      for (size_t k = 0; k < kLanes; ++k) lanes[k] = F::join(lanes[k], row[i + k]);
    for (size_t k = 0; i + k < count; ++k) lanes[k] = F::join(lanes[k], row[i + k]);
    for (size_t width = kLanes / 2; width > 0; width /= 2)
      for (size_t k = 0; k < width; ++k) lanes[k] = F::join(lanes[k], lanes[k + width]);
    const Value before = *static_cast<const Value*>(inputs[0]);
    *static_cast<Value*>(out) = L::wrap(F::join(before, lanes[0]));
  }
};

// Some rows at a time, since the next element of a row has to wait for the one before it.
template <typename F, typename L>
struct RowsLoop {
  using Value = typename L::Value;

  template <size_t kRows>
  [[gnu::always_inline]] static void join_rows(Value* out, const Value* rows, size_t row) {
    Value lanes[kRows][kLanes];
    for (size_t r = 0; r < kRows; ++r)
      for (size_t k = 0; k < kLanes; ++k) lanes[r][k] = F::template identity<L>();
    size_t i = 0;
    for (; i + kLanes <= row; i += kLanes)
      for (size_t r = 0; r < kRows; ++r)
        for (size_t k = 0; k < kLanes; ++k)
          lanes[r][k] = F::join(lanes[r][k], rows[r * row + i + k]);
    for (; i < row; ++i)
      for (size_t r = 0; r < kRows; ++r)
        lanes[r][i % kLanes] = F::join(lanes[r][i % kLanes], rows[r * row + i]);
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t width = kLanes / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; ++k) lanes[r][k] = F::join(lanes[r][k], lanes[r][k + width]);
      out[r] = L::wrap(F::join(F::template identity<L>(), lanes[r][0]));
    }
  }

  // False: some row has a NaN, or its result is a zero, the sign of which a comparison does not
  // tell.
  template <size_t kRows>
  [[gnu::always_inline]] static bool compare_rows(Value* out, const Value* rows, size_t row) {
    Value lanes[kRows][kLanes];
    uint32_t unordered[kLanes] = {};
    for (size_t r = 0; r < kRows; ++r)
      for (size_t k = 0; k < kLanes; ++k) lanes[r][k] = F::template identity<L>();
    const auto take = [&](size_t r, size_t k, Value x) {
      unordered[k] |= x != x ? 1 : 0;
      lanes[r][k] = F::is_nearer(x, lanes[r][k]) ? x : lanes[r][k];
    };
    size_t i = 0;
    for (; i + kLanes <= row; i += kLanes)
      for (size_t r = 0; r < kRows; ++r)
        for (size_t k = 0; k < kLanes; ++k) take(r, k, rows[r * row + i + k]);
    for (; i < row; ++i)
      for (size_t r = 0; r < kRows; ++r) take(r, i % kLanes, rows[r * row + i]);
    uint32_t open = 0;
    for (const uint32_t lane : unordered) open |= lane;
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t width = kLanes / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; ++k) take(r, k, lanes[r][k + width]);
      out[r] = lanes[r][0];
      open |= lanes[r][0] == 0 ? 1 : 0;
    }
    return open == 0;
  }

  template <size_t kRows>
  [[gnu::always_inline]] static void run_rows(Value* out, const Value* rows, size_t row) {
    if constexpr (Compares<F> && L::kFloat)
      if (compare_rows<kRows>(out, rows, row)) return;
    join_rows<kRows>(out, rows, row);
  }

  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count,
                                          const void* immediate) {
    const size_t row = *static_cast<const size_t*>(immediate);
    const auto* rows = static_cast<const Value*>(inputs[0]);
    auto* results = static_cast<Value*>(out);
    constexpr size_t kRows = 4;
    size_t r = 0;
    for (; r + kRows <= count; r += kRows) run_rows<kRows>(results + r, rows + r * row, row);
    for (; r < count; ++r) run_rows<1>(results + r, rows + r * row, row);
  }
};

template <typename Loop>
struct LoopVariants {
  static void portable(void* out, const void* const* inputs, size_t count, const void* immediate) {
    Loop::body(out, inputs, count, immediate);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static void avx2(void* out, const void* const* inputs, size_t count,
                                           const void* immediate) {
    Loop::body(out, inputs, count, immediate);
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] static void avx512(
      void* out, const void* const* inputs, size_t count, const void* immediate) {
    Loop::body(out, inputs, count, immediate);
  }
#endif
};

// Elements below four bytes are rarely reduced: one variant keeps the program small.
template <typename Loop>
ElementLoop choose_reduce_loop() {
  if constexpr (sizeof(typename Loop::Value) >= 4)
    return choose_loop<LoopVariants<Loop>>(LoopPath::Best);
  return LoopVariants<Loop>::portable;
}

template <typename F>
ReduceKernel reduce_kernel(ElementType element) {
  ReduceKernel kernel;
  visit_lane<F::kDomain>(element, [&](auto lane) {
    using L = decltype(lane);
    using Value = typename L::Value;
    kernel.fill_identity = [](void* accumulators, size_t count) {
      std::fill_n(static_cast<Value*>(accumulators), count, F::template identity<L>());
    };
    kernel.down = choose_reduce_loop<DownLoop<F, L>>();
    kernel.across = choose_reduce_loop<AcrossLoop<F, L>>();
    kernel.rows = choose_reduce_loop<RowsLoop<F, L>>();
  });
  return kernel;
}

// What accumulates an element type.
ElementType accumulator_of(ElementType element) {
  return is_widened(element) ? ElementType::F32 : element;
}

void apply_loop(ElementLoop loop, void* accumulators, const void* row, size_t count) {
  const void* inputs[] = {accumulators, row};
  loop(accumulators, inputs, count, nullptr);
}

// --- reductions over axes ---

struct ReducePlan {
  ElementType element = ElementType::F32;
  ElementType accumulator = ElementType::F32;
  ReduceKernel kernel;
  // All dims but the innermost, outermost first; strides in elements. An accumulator stride of 0
  // belongs to a reduced dim.
  struct Dim {
    int64_t size = 1;
    int64_t stride = 0;
    int64_t accumulator_stride = 0;
  };
  std::vector<Dim> outer;
  size_t row = 1;
  bool row_is_reduced = false;
  size_t results = 1;
};

// Joins one row of the array into its accumulators.
void reduce_row(const ReducePlan& plan, const std::byte* row, std::byte* accumulators) {
  const ElementLoop loop = plan.row_is_reduced ? plan.kernel.across : plan.kernel.down;
  if (plan.element == plan.accumulator) return apply_loop(loop, accumulators, row, plan.row);
  const size_t bytes = register_bytes(plan.element);
  float wide[kBlock];
  for (size_t i = 0; i < plan.row; i += kBlock) {
    const size_t n = std::min(kBlock, plan.row - i);
    convert(plan.element, row + i * bytes, ElementType::F32, wide, n);
    apply_loop(loop, accumulators + (plan.row_is_reduced ? 0 : i * sizeof(float)), wide, n);
  }
}

void reduce_dims(const ReducePlan& plan, size_t first, const std::byte* array,
                 std::byte* accumulators) {
  if (first == plan.outer.size()) return reduce_row(plan, array, accumulators);
  const ReducePlan::Dim& dim = plan.outer[first];
  const int64_t step = dim.stride * int64_t(register_bytes(plan.element));
  const int64_t accumulator_step =
      dim.accumulator_stride * int64_t(register_bytes(plan.accumulator));
  for (int64_t i = 0; i < dim.size; ++i)
    reduce_dims(plan, first + 1, array + i * step, accumulators + i * accumulator_step);
}

// Slots: a the array, b the accumulators, d the result; b and d are one unless they differ in type.
Step exec_reduce(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const ReducePlan*>(instruction.payload);
  std::byte* accumulators = thread.pointer(instruction.b);
  plan.kernel.fill_identity(accumulators, plan.results);
  reduce_dims(plan, 0, thread.pointer(instruction.a), accumulators);
  if (plan.accumulator != plan.element)
    convert(plan.accumulator, accumulators, plan.element, thread.pointer(instruction.d),
            plan.results);
  return Step::Next;
}

bool is_reduced(std::span<const int64_t> axes, size_t dim) {
  return std::ranges::find(axes, int64_t(dim)) != axes.end();
}

ReducePlan make_reduce_plan(const Type& array, std::span<const int64_t> axes) {
  ReducePlan plan;
  plan.element = array.element;
  plan.accumulator = accumulator_of(array.element);
  struct Group {
    int64_t size;
    bool reduced;
  };
  // Neighbouring dims of one kind act as one.
  std::vector<Group> groups;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    const bool reduced = is_reduced(axes, d);
    if (array.shape[d] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().size *= array.shape[d];
    } else {
      groups.push_back({array.shape[d], reduced});
    }
  }
  if (groups.empty()) groups.push_back({1, false});
  plan.row = size_t(groups.back().size);
  plan.row_is_reduced = groups.back().reduced;
  int64_t stride = groups.back().size;
  int64_t accumulator_stride = plan.row_is_reduced ? 1 : stride;
  for (size_t g = groups.size() - 1; g-- > 0;) {
    const auto [size, reduced] = groups[g];
    plan.outer.insert(plan.outer.begin(), {size, stride, reduced ? 0 : accumulator_stride});
    stride *= size;
    if (!reduced) accumulator_stride *= size;
  }
  plan.results = size_t(accumulator_stride);
  return plan;
}

template <typename F>
void compile_reduce(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  ReducePlan plan =
      make_reduce_plan(compiler.operand_type(id, 0), ints_attribute(op.attributes, "axes"));
  plan.kernel = reduce_kernel<F>(plan.accumulator);
  const bool rows_only =
      plan.element == plan.accumulator && plan.row_is_reduced && plan.outer.size() <= 1;
  if (rows_only &&
      compiler.emit_chain_rows(id, plan.kernel.rows, compiler.payload(size_t(plan.row)), plan.row))
    return;
  const Slot array = compiler.operand(id, 0);
  const Slot result = compiler.result(id);
  const Slot accumulators =
      plan.accumulator == plan.element ? result : compiler.scratch(plan.results * sizeof(float));
  Instruction& instruction = compiler.emit(id, exec_reduce, compiler.payload(std::move(plan)));
  instruction.a = array;
  instruction.b = accumulators;
  instruction.d = result;
}

const Type& array_type(const Module& module, const Op& op) {
  return module.value(op.operands[0]).type;
}

std::vector<Type> infer_reduce(const Module& module, const Op& op) {
  const Type& array = array_type(module, op);
  Type result = Type::array(array.element);
  for (size_t d = 0; d < array.shape.size(); ++d)
    if (!is_reduced(ints_attribute(op.attributes, "axes"), d))
      result.shape.push_back(array.shape[d]);
  return {result};
}

template <typename F>
void verify_reduce(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, F::kDomain);
  const Type& array = array_type(context.module(), op);
  const auto axes = ints_attribute(op.attributes, "axes");
  std::vector<int64_t> sorted(axes.begin(), axes.end());
  std::ranges::sort(sorted);
  const bool in_range = sorted.empty() || (sorted.front() >= 0 && sorted.back() < array.rank());
  if (!in_range || std::ranges::adjacent_find(sorted) != sorted.end())
    context.error(fmt::format("`axes` is {}; its entries are different dimensions of {}",
                              list_text(axes), to_string(array)));
}

// --- along one axis: argmax, argmin, running reductions ---

// The array as [outer, along, inner].
struct AxisPlan {
  ElementType element = ElementType::F32;
  ElementType accumulator = ElementType::F32;
  // Of the positions that argmax gives.
  ElementType index = ElementType::S32;
  size_t outer = 1;
  size_t along = 1;
  size_t inner = 1;
  bool reverse = false;
  ReduceKernel kernel;
  void (*find)(const AxisPlan& plan, const void* array, int64_t* positions) = nullptr;
};

size_t axis_of(const Op& op) {
  return size_t(int_attribute(op.attributes, "axis", 0));
}

AxisPlan make_axis_plan(const Type& array, size_t axis) {
  AxisPlan plan;
  plan.element = array.element;
  plan.accumulator = accumulator_of(array.element);
  for (size_t d = 0; d < array.shape.size(); ++d)
    (d < axis ? plan.outer : d > axis ? plan.inner : plan.along) *= size_t(array.shape[d]);
  return plan;
}

bool check_axis(VerifyContext& context, const Op& op) {
  const int64_t axis = int_attribute(op.attributes, "axis", 0);
  const Type& array = array_type(context.module(), op);
  if (axis >= 0 && axis < array.rank()) return true;
  context.error(fmt::format("`axis` is {}, not a dimension of {}", axis, to_string(array)));
  return false;
}

// The first of the largest (smallest); the first NaN where there is one.
template <typename T, bool kLargest>
void find_extreme(const AxisPlan& plan, const void* array, int64_t* positions) {
  for (size_t o = 0; o < plan.outer; ++o) {
    for (size_t i = 0; i < plan.inner; ++i) {
      const T* x = static_cast<const T*>(array) + o * plan.along * plan.inner + i;
      T best = x[0];
      size_t position = 0;
      for (size_t k = 1; k < plan.along && best == best; ++k) {
        const T value = x[k * plan.inner];
        const bool better = kLargest ? value > best : value < best;
        if (!better && value == value) continue;
        best = value;
        position = k;
      }
      positions[o * plan.inner + i] = int64_t(position);
    }
  }
}

// Slots: a the array, b the widened array, c the positions, d the result.
Step exec_find(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const AxisPlan*>(instruction.payload);
  const std::byte* array = thread.pointer(instruction.a);
  if (plan.accumulator != plan.element) {
    std::byte* wide = thread.pointer(instruction.b);
    convert(plan.element, array, plan.accumulator, wide, plan.outer * plan.along * plan.inner);
    array = wide;
  }
  auto* positions = reinterpret_cast<int64_t*>(thread.pointer(instruction.c));
  plan.find(plan, array, positions);
  convert(ElementType::S64, positions, plan.index, thread.pointer(instruction.d),
          plan.outer * plan.inner);
  return Step::Next;
}

template <bool kLargest>
void compile_find(Compiler& compiler, OpId id) {
  const Type& array = compiler.operand_type(id, 0);
  AxisPlan plan = make_axis_plan(array, axis_of(compiler.op(id)));
  plan.index = compiler.result_type(id).element;
  visit_lane<kAllElements>(plan.accumulator, [&](auto lane) {
    plan.find = find_extreme<typename decltype(lane)::Value, kLargest>;
  });
  const bool widened = plan.accumulator != plan.element;
  const Slot source = compiler.operand(id, 0);
  const Slot wide =
      widened ? compiler.scratch(size_t(array.element_count()) * sizeof(float)) : kNoSlot;
  const Slot positions = compiler.scratch(plan.outer * plan.inner * sizeof(int64_t));
  const Slot result = compiler.result(id);
  Instruction& instruction = compiler.emit(id, exec_find, compiler.payload(std::move(plan)));
  instruction.a = source;
  instruction.b = wide;
  instruction.c = positions;
  instruction.d = result;
}

void verify_find(VerifyContext& context, const Op& op) {
  if (!check_axis(context, op)) return;
  const Type& array = array_type(context.module(), op);
  if (array.shape[axis_of(op)] == 0)
    return context.error("there is no element to find along the axis");
  std::vector<int64_t> shape = array.shape;
  shape.erase(shape.begin() + int64_t(axis_of(op)));
  const bool has_result = op.results.size() == 1;
  const Type result = has_result ? context.module().value(op.results[0]).type : Type();
  if (!has_result || !result.is_array() || !is_integer(result.element) || result.shape != shape)
    context.error(fmt::format("the positions in {} are one array of integers without dimension {}",
                              to_string(array), axis_of(op)));
}

void run_along_axis(const AxisPlan& plan, std::byte* values) {
  const size_t row = plan.inner * register_bytes(plan.accumulator);
  for (size_t o = 0; o < plan.outer; ++o) {
    std::byte* first = values + o * plan.along * row;
    for (size_t k = 1; k < plan.along; ++k) {
      const size_t at = plan.reverse ? plan.along - 1 - k : k;
      const size_t before = plan.reverse ? at + 1 : at - 1;
      const void* inputs[] = {first + before * row, first + at * row};
      plan.kernel.down(first + at * row, inputs, plan.inner, nullptr);
    }
  }
}

// Slots: a the array, b the running values, d the result; b and d are one unless they differ in
// type.
Step exec_running(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const AxisPlan*>(instruction.payload);
  const size_t count = plan.outer * plan.along * plan.inner;
  std::byte* values = thread.pointer(instruction.b);
  if (plan.accumulator == plan.element) {
    std::memcpy(values, thread.pointer(instruction.a), count * register_bytes(plan.element));
    run_along_axis(plan, values);
  } else {
    convert(plan.element, thread.pointer(instruction.a), plan.accumulator, values, count);
    run_along_axis(plan, values);
    convert(plan.accumulator, values, plan.element, thread.pointer(instruction.d), count);
  }
  return Step::Next;
}

template <typename F>
void compile_running(Compiler& compiler, OpId id) {
  const Type& array = compiler.operand_type(id, 0);
  AxisPlan plan = make_axis_plan(array, axis_of(compiler.op(id)));
  plan.reverse = bool_attribute(compiler.op(id).attributes, "reverse", false);
  plan.kernel = reduce_kernel<F>(plan.accumulator);
  const Slot source = compiler.operand(id, 0);
  const Slot result = compiler.result(id);
  const Slot values = plan.accumulator == plan.element
                          ? result
                          : compiler.scratch(size_t(array.element_count()) * sizeof(float));
  Instruction& instruction = compiler.emit(id, exec_running, compiler.payload(std::move(plan)));
  instruction.a = source;
  instruction.b = values;
  instruction.d = result;
}

template <typename F>
void verify_running(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, F::kDomain);
  check_axis(context, op);
}

// --- completing the blocks ---

template <typename F>
OpDef reduce_op(OpDef def) {
  def.operands = {{.name = "x", .kind = OperandKind::Array}};
  def.attributes = {{.name = "axes", .kind = AttributeKind::Ints, .help = "dimensions to reduce"}};
  def.pure = true;
  def.infer = infer_reduce;
  def.verify = verify_reduce<F>;
  def.compile = compile_reduce<F>;
  return def;
}

template <bool kLargest>
OpDef find_op(OpDef def) {
  def.operands = {{.name = "x", .kind = OperandKind::Array}};
  def.attributes = {{.name = "axis", .kind = AttributeKind::Int, .help = "dimension to search"}};
  def.pure = true;
  def.verify = verify_find;
  def.compile = compile_find<kLargest>;
  return def;
}

template <typename F>
OpDef running_op(OpDef def) {
  def.operands = {{.name = "x", .kind = OperandKind::Array}};
  def.attributes = {{.name = "axis", .kind = AttributeKind::Int, .help = "dimension to follow"},
                    {.name = "reverse",
                     .kind = AttributeKind::Bool,
                     .required = false,
                     .help = "begin at the end of the axis"}};
  def.pure = true;
  def.infer = infer_first_operand;
  def.verify = verify_running<F>;
  def.compile = compile_running<F>;
  return def;
}

}  // namespace

#define PALLASITE_REDUCE_EXAMPLE(op, element)                                       \
  PALLASITE_EXAMPLE(element "[4]", "    %1 = shape.iota {dimension = 1} : " element \
                                   "[4,8]\n"                                        \
                                   "    %2 = " op " %1 {axes = [1]} : " element     \
                                   "[4]\n"                                          \
                                   "    memory.store %0, %2\n")
#define PALLASITE_FIND_EXAMPLE(op)                                     \
  PALLASITE_EXAMPLE("i32[4]",                                          \
                    "    %1 = shape.iota {dimension = 1} : f32[4,8]\n" \
                    "    %2 = " op                                     \
                    " %1 {axis = 1} : i32[4]\n"                        \
                    "    memory.store %0, %2\n")

extern const OpDef kReduceSum = reduce_op<Sum>({
    .name = "reduce.sum",
    .primitives = {"reduce_sum", "mosaic_gpu_reduce_sum"},
    .help = "Sum over dimensions. f16 and smaller floats are summed in f32 and rounded once. The "
            "order of a float sum is fixed here; on a GPU it is another one.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.sum", "f32"),
    .source = "jax.lax.reduce_sum",
});

extern const OpDef kReduceProd = reduce_op<Prod>({
    .name = "reduce.prod",
    .primitives = {"reduce_prod", "mosaic_gpu_reduce_prod"},
    .help = "Product over dimensions, accumulated like a sum.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.prod", "i32"),
    .source = "jax.lax.reduce_prod",
});

extern const OpDef kReduceMax = reduce_op<Max>({
    .name = "reduce.max",
    .primitives = {"reduce_max", "mosaic_gpu_reduce_max"},
    .help = "The largest element over dimensions; NaN if there is one.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.max", "f32"),
    .source = "jax.lax.reduce_max",
});

extern const OpDef kReduceMin = reduce_op<Min>({
    .name = "reduce.min",
    .primitives = {"reduce_min", "mosaic_gpu_reduce_min"},
    .help = "The smallest element over dimensions; NaN if there is one.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.min", "f16"),
    .source = "jax.lax.reduce_min",
});

extern const OpDef kReduceAnd = reduce_op<And>({
    .name = "reduce.and",
    .primitives = {"reduce_and"},
    .help = "Bitwise and over dimensions; of bools, whether all are true.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.and", "i32"),
    .source = "jax.lax.reduce_and",
});

extern const OpDef kReduceOr = reduce_op<Or>({
    .name = "reduce.or",
    .primitives = {"reduce_or"},
    .help = "Bitwise or over dimensions; of bools, whether any is true.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.or", "i32"),
    .source = "jax.lax.reduce_or",
});

extern const OpDef kReduceXor = reduce_op<Xor>({
    .name = "reduce.xor",
    .primitives = {"reduce_xor"},
    .help = "Bitwise exclusive or over dimensions; of bools, whether an odd number is true.",
    .example = PALLASITE_REDUCE_EXAMPLE("reduce.xor", "i32"),
    .source = "jax.lax.reduce_xor",
});

extern const OpDef kReduceArgmax = find_op<true>({
    .name = "reduce.argmax",
    .primitives = {"argmax"},
    .help = "Position of the largest element along one dimension, the first of equal ones; of the "
            "first NaN if there is one.",
    .example = PALLASITE_FIND_EXAMPLE("reduce.argmax"),
    .source = "jax.lax.argmax",
});

extern const OpDef kReduceArgmin = find_op<false>({
    .name = "reduce.argmin",
    .primitives = {"argmin"},
    .help = "Position of the smallest element along one dimension, the first of equal ones; of the "
            "first NaN if there is one.",
    .example = PALLASITE_FIND_EXAMPLE("reduce.argmin"),
    .source = "jax.lax.argmin",
});

#define PALLASITE_RUNNING_EXAMPLE(op) \
  PALLASITE_UNARY_EXAMPLE_WITH(op, "{axis = 0, reverse = false}", "f32", "f32")

extern const OpDef kReduceCumsum = running_op<Sum>({
    .name = "reduce.cumsum",
    .primitives = {"cumsum"},
    .help = "Running sum along one dimension, from its start or its end. Small floats are carried "
            "in f32 and each result is rounded once.",
    .example = PALLASITE_RUNNING_EXAMPLE("reduce.cumsum"),
    .source = "jax.lax.cumsum",
});

extern const OpDef kReduceCumprod = running_op<Prod>({
    .name = "reduce.cumprod",
    .primitives = {"cumprod"},
    .help = "Running product along one dimension.",
    .example = PALLASITE_RUNNING_EXAMPLE("reduce.cumprod"),
    .source = "jax.lax.cumprod",
});

extern const OpDef kReduceCumlogsumexp = running_op<LogSumExp>({
    .name = "reduce.cumlogsumexp",
    .primitives = {"cumlogsumexp"},
    .help = "Running logarithm of the sum of exponentials along one dimension.",
    .example = PALLASITE_RUNNING_EXAMPLE("reduce.cumlogsumexp"),
    .source = "jax.lax.cumlogsumexp",
});

extern const OpDef kReduceCummax = running_op<Max>({
    .name = "reduce.cummax",
    .primitives = {"cummax"},
    .help = "Running maximum along one dimension.",
    .example = PALLASITE_RUNNING_EXAMPLE("reduce.cummax"),
    .source = "jax.lax.cummax",
});

extern const OpDef kReduceCummin = running_op<Min>({
    .name = "reduce.cummin",
    .primitives = {"cummin"},
    .help = "Running minimum along one dimension.",
    .example = PALLASITE_RUNNING_EXAMPLE("reduce.cummin"),
    .source = "jax.lax.cummin",
});

}  // namespace pallasite
