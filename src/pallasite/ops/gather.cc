// Reading and writing parts of an array at places that another array names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "pallasite/ir/text.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/ops/strided_copy.h"

namespace pallasite {
namespace {

std::span<const int64_t> ints(const Op& op, std::string_view name) {
  return ints_attribute(op.attributes, name);
}

bool contains(std::span<const int64_t> values, size_t value) {
  return std::ranges::find(values, int64_t(value)) != values.end();
}

// What happens to a part that does not lie inside the array.
enum class OutOfBounds : uint8_t { Clip, Fill, Drop };

// The places of the parts. `part_sizes` are the sizes of one part along all dims of the array.
struct Places {
  ElementType index_element = ElementType::S32;
  size_t depth = 0;
  OutOfBounds mode = OutOfBounds::Clip;
  // One for each entry of an index: where it counts, and how far a part may start.
  struct Start {
    int64_t stride = 0;
    int64_t highest = 0;
  };
  std::vector<Start> starts;
  // One for each dim of the indices but the last; strides of the array (a batching dim) and of the
  // parts.
  struct Batch {
    int64_t size = 1;
    int64_t array_stride = 0;
    int64_t part_stride = 0;
  };
  std::vector<Batch> batch;
  size_t count = 1;
};

// Indices as int64; those of a u64 that are too large for it become the largest.
void read_indices(const Places& places, const std::byte* indices, int64_t* wide) {
  const size_t count = places.count * places.depth;
  convert(places.index_element, indices, ElementType::S64, wide, count);
  if (places.index_element != ElementType::U64) return;
  for (size_t i = 0; i < count; ++i)
    if (wide[i] < 0) wide[i] = std::numeric_limits<int64_t>::max();
}

// Calls visit(offset in the array, offset in the parts, inside) for each part, in the order of the
// indices.
template <typename Visit>
void for_each_place(const Places& places, const int64_t* indices, Visit&& visit) {
  std::array<int64_t, kMaxRank> position = {};
  int64_t array_base = 0, part_offset = 0;
  for (size_t n = 0; n < places.count; ++n, indices += places.depth) {
    int64_t offset = array_base;
    bool inside = true;
    for (size_t k = 0; k < places.depth; ++k) {
      const auto [stride, highest] = places.starts[k];
      const int64_t start = std::clamp<int64_t>(indices[k], 0, highest);
      inside = inside && start == indices[k];
      offset += start * stride;
    }
    visit(offset, part_offset, inside);
    for (size_t d = places.batch.size(); d-- > 0;) {
      const Places::Batch& batch = places.batch[d];
      array_base += batch.array_stride;
      part_offset += batch.part_stride;
      if (++position[d] < batch.size) break;
      array_base -= batch.array_stride * batch.size;
      part_offset -= batch.part_stride * batch.size;
      position[d] = 0;
    }
  }
}

// --- what gather and scatter state alike ---

struct Dimensions {
  // Dims of the parts that are dims of a part; the others are those of the indices.
  std::span<const int64_t> window;
  // Dims of the array that a part does not have, being of size 1.
  std::span<const int64_t> dropped;
  // The dim of the array that each entry of an index counts.
  std::span<const int64_t> index_map;
  std::span<const int64_t> batching;
  std::span<const int64_t> index_batching;
};

Dimensions dimensions_of(const Op& op) {
  return {ints(op, "window_dims"), ints(op, "dropped_dims"), ints(op, "index_map"),
          ints(op, "batching_dims"), ints(op, "index_batching_dims")};
}

bool rising_below(std::span<const int64_t> dims, int64_t end) {
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d <= last || d >= end) return false;
    last = d;
  }
  return true;
}

bool different_below(std::span<const int64_t> dims, int64_t end) {
  std::vector<int64_t> sorted(dims.begin(), dims.end());
  std::ranges::sort(sorted);
  return rising_below(sorted, end);
}

// Sizes of a part along the dims of the array: 1 where it has none.
std::vector<int64_t> part_sizes(const Dimensions& dims, const Type& array, const Type& parts) {
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    const bool absent = contains(dims.dropped, d) || contains(dims.batching, d);
    sizes.push_back(absent ? 1 : parts.shape[size_t(dims.window[next++])]);
  }
  return sizes;
}

// Reports what does not fit; `parts` has the rank that the dims say.
bool check_dimensions(VerifyContext& context, const Op& op, const Type& array, const Type& indices,
                      const Type& parts) {
  const Dimensions dims = dimensions_of(op);
  const auto fail = [&](const std::string& message) {
    context.error(message);
    return false;
  };
  if (!is_integer(indices.element) || indices.rank() < 1)
    return fail(fmt::format("the indices are an array of integers, not {}", to_string(indices)));
  const int64_t rank = array.rank(), batch_rank = indices.rank() - 1;
  if (int64_t(dims.index_map.size()) != indices.shape.back() ||
      !different_below(dims.index_map, rank))
    return fail(
        fmt::format("`index_map` is {}; it names one dimension of {} for each of the {} "
                    "numbers of an index",
                    list_text(dims.index_map), to_string(array), indices.shape.back()));
  if (!rising_below(dims.dropped, rank) || !different_below(dims.batching, rank))
    return fail("`dropped_dims` and `batching_dims` are different dimensions of the array");
  for (int64_t d : dims.batching)
    if (contains(dims.dropped, size_t(d)) || contains(dims.index_map, size_t(d)))
      return fail(fmt::format("dimension {} is a batching dimension and something else", d));
  if (dims.batching.size() != dims.index_batching.size() ||
      !different_below(dims.index_batching, batch_rank))
    return fail("`index_batching_dims` names one dimension of the indices for each batching one");
  for (size_t i = 0; i < dims.batching.size(); ++i)
    if (array.shape[size_t(dims.batching[i])] != indices.shape[size_t(dims.index_batching[i])])
      return fail("batching dimensions differ in size");
  if (!rising_below(dims.window, parts.rank()) ||
      int64_t(dims.window.size() + dims.dropped.size() + dims.batching.size()) != rank ||
      int64_t(dims.window.size()) + batch_rank != parts.rank())
    return fail(fmt::format("{} does not consist of parts of {} for the indices {}",
                            to_string(parts), to_string(array), to_string(indices)));
  if (parts.element != array.element)
    return fail(
        fmt::format("{} and {} differ in element type", to_string(array), to_string(parts)));
  size_t next = 0;
  for (size_t d = 0; d < parts.shape.size(); ++d)
    if (!contains(dims.window, d) && parts.shape[d] != indices.shape[next++])
      return fail(fmt::format("{} has other dimensions than the indices {}", to_string(parts),
                              to_string(indices)));
  const std::vector<int64_t> sizes = part_sizes(dims, array, parts);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > array.shape[d] && parts.element_count() > 0)
      return fail(fmt::format("a part of size {} does not fit dimension {} of {}", sizes[d], d,
                              to_string(array)));
  return true;
}

struct PlacesAndWindow {
  Places places;
  // From the array to the parts.
  StridedCopy window;
};

PlacesAndWindow make_places(const Op& op, const Type& array, const Type& indices,
                            const Type& parts) {
  const Dimensions dims = dimensions_of(op);
  const std::vector<int64_t> array_strides = row_major_strides(array.shape);
  const std::vector<int64_t> part_strides = row_major_strides(parts.shape);
  const std::vector<int64_t> sizes = part_sizes(dims, array, parts);
  PlacesAndWindow made;
  Places& places = made.places;
  places.index_element = indices.element;
  places.depth = size_t(indices.shape.back());
  for (int64_t d : dims.index_map)
    places.starts.push_back({array_strides[size_t(d)],
                             std::max<int64_t>(array.shape[size_t(d)] - sizes[size_t(d)], 0)});
  for (size_t d = 0, b = 0; d < parts.shape.size(); ++d) {
    if (contains(dims.window, d)) continue;
    Places::Batch batch = {parts.shape[d], 0, part_strides[d]};
    for (size_t i = 0; i < dims.batching.size(); ++i)
      if (dims.index_batching[i] == int64_t(b))
        batch.array_stride = array_strides[size_t(dims.batching[i])];
    places.batch.push_back(batch);
    places.count *= size_t(batch.size);
    ++b;
  }
  made.window.element_bytes = register_bytes(array.element);
  size_t next = 0;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (contains(dims.dropped, d) || contains(dims.batching, d)) continue;
    made.window.dims.push_back(
        {sizes[d], array_strides[d], part_strides[size_t(dims.window[next++])]});
  }
  return made;
}

// --- gather ---

struct GatherPlan {
  Places places;
  StridedCopy window;
  StridedCopy fill;
};

// Slots: a the array, b the indices, c the value that fills, d the result; `wide` for the indices.
struct GatherInstruction {
  GatherPlan plan;
  Slot wide = kNoSlot;
};

Step exec_gather(Thread& thread, const Instruction& instruction) {
  const auto& gather = *static_cast<const GatherInstruction*>(instruction.payload);
  const GatherPlan& plan = gather.plan;
  auto* wide = reinterpret_cast<int64_t*>(thread.pointer(gather.wide));
  read_indices(plan.places, thread.pointer(instruction.b), wide);
  const std::byte* array = thread.pointer(instruction.a);
  const std::byte* fill = thread.pointer(instruction.c);
  std::byte* result = thread.pointer(instruction.d);
  const auto bytes = int64_t(plan.window.element_bytes);
  for_each_place(plan.places, wide, [&](int64_t array_offset, int64_t part_offset, bool inside) {
    std::byte* target = result + part_offset * bytes;
    if (inside || plan.places.mode == OutOfBounds::Clip) {
      run_copy(plan.window, array + array_offset * bytes, target);
    } else {
      run_copy(plan.fill, fill, target);
    }
  });
  return Step::Next;
}

void compile_gather(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& parts = compiler.result_type(id);
  PlacesAndWindow made =
      make_places(op, compiler.operand_type(id, 0), compiler.operand_type(id, 1), parts);
  made.places.mode =
      string_attribute(op.attributes, "mode") == "fill" ? OutOfBounds::Fill : OutOfBounds::Clip;
  GatherInstruction gather;
  gather.plan.fill = made.window;
  for (StridedCopy::Dim& dim : gather.plan.fill.dims) dim.source_stride = 0;
  gather.plan.window = std::move(made.window);
  gather.plan.window.simplify();
  gather.plan.fill.simplify();
  const Slot array = compiler.operand(id, 0);
  const Slot indices = compiler.operand(id, 1);
  const Slot fill = compiler.operand(id, 2);
  gather.wide = compiler.scratch(made.places.count * made.places.depth * sizeof(int64_t));
  const Slot result = compiler.result(id);
  // An empty part of an array without elements stands nowhere.
  if (parts.element_count() == 0) return;
  gather.plan.places = std::move(made.places);
  Instruction& instruction = compiler.emit(id, exec_gather, compiler.payload(std::move(gather)));
  instruction.a = array;
  instruction.b = indices;
  instruction.c = fill;
  instruction.d = result;
}

void verify_gather(VerifyContext& context, const Op& op) {
  const Type& array = operand_type(context.module(), op, 0);
  const Type& fill = operand_type(context.module(), op, 2);
  const std::string mode = string_attribute(op.attributes, "mode");
  if (mode != "clip" && mode != "fill")
    return context.error(fmt::format("`mode` is \"{}\", not \"clip\" or \"fill\"", mode));
  if (op.results.size() != 1 || !context.module().value(op.results[0]).type.is_array())
    return context.error("`gather.gather` has one result, an array");
  if (fill.element != array.element)
    return context.error(fmt::format("the value that fills is {}, the elements are {}",
                                     to_string(fill), element_name(array.element)));
  check_dimensions(context, op, array, operand_type(context.module(), op, 1),
                   context.module().value(op.results[0]).type);
}

// --- scatter ---

struct ScatterPlan {
  Places places;
  // From the parts to the array.
  StridedCopy window;
  size_t array_bytes = 0;
  // Null: the part replaces what is there.
  ElementLoop loop = nullptr;
  const void* immediate = nullptr;
  Slot wide = kNoSlot;
};

void combine(const ScatterPlan& plan, size_t first, const std::byte* part, std::byte* array) {
  const auto bytes = int64_t(plan.window.element_bytes);
  const std::vector<StridedCopy::Dim>& dims = plan.window.dims;
  const bool is_row =
      first + 1 == dims.size() && dims[first].source_stride == 1 && dims[first].target_stride == 1;
  if (first == dims.size() || is_row) {
    const void* inputs[] = {array, part};
    return plan.loop(array, inputs, is_row ? size_t(dims[first].size) : 1, plan.immediate);
  }
  for (int64_t i = 0; i < dims[first].size; ++i)
    combine(plan, first + 1, part + i * dims[first].source_stride * bytes,
            array + i * dims[first].target_stride * bytes);
}

// Slots: a the array, b the indices, c the parts, d the result.
Step exec_scatter(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const ScatterPlan*>(instruction.payload);
  auto* wide = reinterpret_cast<int64_t*>(thread.pointer(plan.wide));
  read_indices(plan.places, thread.pointer(instruction.b), wide);
  const std::byte* parts = thread.pointer(instruction.c);
  std::byte* result = thread.pointer(instruction.d);
  std::copy_n(thread.pointer(instruction.a), plan.array_bytes, result);
  const auto bytes = int64_t(plan.window.element_bytes);
  for_each_place(plan.places, wide, [&](int64_t array_offset, int64_t part_offset, bool inside) {
    if (!inside && plan.places.mode == OutOfBounds::Drop) return;
    const std::byte* part = parts + part_offset * bytes;
    std::byte* target = result + array_offset * bytes;
    if (plan.loop == nullptr) {
      run_copy(plan.window, part, target);
    } else {
      combine(plan, 0, part, target);
    }
  });
  return Step::Next;
}

void compile_scatter(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Type& array = compiler.operand_type(id, 0);
  const Type& parts = compiler.operand_type(id, 2);
  PlacesAndWindow made = make_places(op, array, compiler.operand_type(id, 1), parts);
  ScatterPlan plan;
  plan.places = std::move(made.places);
  plan.places.mode =
      string_attribute(op.attributes, "mode") == "clip" ? OutOfBounds::Clip : OutOfBounds::Drop;
  plan.window = std::move(made.window);
  for (StridedCopy::Dim& dim : plan.window.dims) std::swap(dim.source_stride, dim.target_stride);
  plan.window.simplify();
  plan.array_bytes = size_t(array.element_count()) * register_bytes(array.element);
  const std::string combiner = string_attribute(op.attributes, "combine");
  if (combiner != "set") {
    const Type operands[] = {array, array};
    const ElementFunction function =
        find_op_def("arith." + combiner)
            ->element_function(
                {.operands = operands, .result = array, .attributes = op.attributes});
    if (function.immediate != nullptr) compiler.program().payloads.push_back(function.immediate);
    plan.loop = function.kernel.loop;
    plan.immediate = function.immediate.get();
  }
  if (parts.element_count() == 0) return compiler.alias(op.results[0], op.operands[0]);
  const Slot source = compiler.operand(id, 0);
  const Slot indices = compiler.operand(id, 1);
  const Slot updates = compiler.operand(id, 2);
  plan.wide = compiler.scratch(plan.places.count * plan.places.depth * sizeof(int64_t));
  const Slot result = compiler.result(id);
  Instruction& instruction = compiler.emit(id, exec_scatter, compiler.payload(std::move(plan)));
  instruction.a = source;
  instruction.b = indices;
  instruction.c = updates;
  instruction.d = result;
}

void verify_scatter(VerifyContext& context, const Op& op) {
  const Type& array = operand_type(context.module(), op, 0);
  const std::string mode = string_attribute(op.attributes, "mode");
  if (mode != "clip" && mode != "drop")
    return context.error(fmt::format("`mode` is \"{}\", not \"clip\" or \"drop\"", mode));
  static constexpr std::pair<std::string_view, unsigned> kCombiners[] = {
      {"set", kAllElements}, {"add", kNumbers},     {"sub", kNumbers},
      {"mul", kNumbers},     {"min", kAllElements}, {"max", kAllElements}};
  const std::string combiner = string_attribute(op.attributes, "combine");
  const auto* found =
      std::ranges::find(kCombiners, combiner, &std::pair<std::string_view, unsigned>::first);
  if (found == std::end(kCombiners))
    return context.error(fmt::format(
        "`combine` is \"{}\", not \"set\", \"add\", \"sub\", \"mul\", \"min\" or \"max\"",
        combiner));
  if (!in_domain(found->second, array.element))
    return context.error(
        fmt::format("\"{}\" does not combine {}", combiner, element_name(array.element)));
  check_dimensions(context, op, array, operand_type(context.module(), op, 1),
                   operand_type(context.module(), op, 2));
}

std::vector<AttributeSpec> dimension_attributes() {
  return {{.name = "window_dims",
           .kind = AttributeKind::Ints,
           .help = "dimensions of the parts that run through one part; the others are those of "
                   "the indices"},
          {.name = "dropped_dims",
           .kind = AttributeKind::Ints,
           .help = "dimensions of x that a part does not have, as it has one element there"},
          {.name = "index_map",
           .kind = AttributeKind::Ints,
           .help = "the dimension of x that each number of an index counts"},
          {.name = "batching_dims",
           .kind = AttributeKind::Ints,
           .help = "dimensions of x that go along with dimensions of the indices"},
          {.name = "index_batching_dims",
           .kind = AttributeKind::Ints,
           .help = "those dimensions of the indices"}};
}

std::vector<AttributeSpec> with_dimensions(std::vector<AttributeSpec> own) {
  for (AttributeSpec& attribute : dimension_attributes()) own.push_back(attribute);
  return own;
}

#define PALLASITE_INDEX_DIMS "dropped_dims = [0], index_batching_dims = [], index_map = [0]"

}  // namespace

extern const OpDef kGatherGather = {
    .name = "gather.gather",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "indices", .kind = OperandKind::Array},
                 {.name = "fill", .kind = OperandKind::Scalar}},
    .attributes = with_dimensions({{.name = "mode",
                                    .kind = AttributeKind::String,
                                    .help = "a part that does not lie inside of x: \"clip\" moves "
                                            "it there, \"fill\" fills it"}}),
    .pure = true,
    .verify = verify_gather,
    .compile = compile_gather,
    .primitives = {"gather"},
    .help =
        "Parts of an array, one for each index. The numbers of an index stand along the last "
        "dimension of the indices and say where the part begins.",
    .example = PALLASITE_EXAMPLE(
        "f32[2]",
        "    %1 = shape.iota {dimension = 0} : f32[4]\n"
        "    %2 = value.constant {data = hex\"0300000009000000\"} : i32[2,1]\n"
        "    %3 = gather.gather %1, %2, f32(-1.0) {batching_dims = [], " PALLASITE_INDEX_DIMS
        ", mode = \"fill\", window_dims = []} : f32[2]\n"
        "    memory.store %0, %3\n"),
    .source = "jax.lax.gather",
};

extern const OpDef kGatherScatter = {
    .name = "gather.scatter",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "indices", .kind = OperandKind::Array},
                 {.name = "parts", .kind = OperandKind::Array}},
    .attributes = with_dimensions({{.name = "mode",
                                    .kind = AttributeKind::String,
                                    .help = "a part that does not lie inside of x: \"clip\" moves "
                                            "it there, \"drop\" leaves it out"},
                                   {.name = "combine",
                                    .kind = AttributeKind::String,
                                    .help = "what a part does to what is there: \"set\", \"add\", "
                                            "\"sub\", \"mul\", \"min\" or \"max\""}}),
    .pure = true,
    .infer = infer_first_operand,
    .verify = verify_scatter,
    .compile = compile_scatter,
    .primitives = {"scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min",
                   "scatter-max"},
    .help =
        "An array with parts replaced by, or combined with, others, one for each index, in the "
        "order of the indices.",
    .example = PALLASITE_EXAMPLE(
        "f32[4]",
        "    %1 = shape.iota {dimension = 0} : f32[4]\n"
        "    %2 = value.constant {data = hex\"0300000003000000\"} : i32[2,1]\n"
        "    %3 = shape.broadcast_in_dim f32(10.0) {dimensions = []} : f32[2]\n"
        "    %4 = gather.scatter %1, %2, %3 {batching_dims = [], combine = "
        "\"add\", " PALLASITE_INDEX_DIMS ", mode = \"drop\", window_dims = []} : f32[4]\n"
        "    memory.store %0, %4\n"),
    .source = "jax.lax.scatter",
};

}  // namespace pallasite
