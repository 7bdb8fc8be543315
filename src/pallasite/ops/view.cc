// Views of refs and barriers. No memory is touched and no bytecode is made: the compiler resolves a
// chain of views where an op uses it.
#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/ir/text.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/sim/compiler.h"

namespace pallasite {

namespace {

// The type of a view: layout transforms belong to the allocation alone.
Type with_shape(Type type, std::vector<int64_t> shape) {
  type.shape = std::move(shape);
  type.transforms.clear();
  return type;
}

std::string shape_text(const Type& type) {
  return list_text(std::span<const int64_t>(type.shape));
}

std::vector<Type> infer_index(const Module& module, const Op& op) {
  std::span<const int64_t> sizes = ints_attribute(op.attributes, "sizes");
  std::span<const int64_t> squeeze = ints_attribute(op.attributes, "squeeze");
  std::vector<int64_t> shape;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    if (std::ranges::find(squeeze, dim) == squeeze.end()) shape.push_back(sizes[size_t(dim)]);
  }
  return {with_shape(operand_type(module, op), std::move(shape))};
}

// Whether the index is inside the ref is seen when the view is used, not here: the start may be
// known only then, and a fault in code that never runs is none.
void verify_index(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op);
  if (type.is_array()) {
    return context.error(
        fmt::format("`ref` is a ref or a barrier, not the array {}", to_string(type)));
  }
  std::span<const int64_t> starts = ints_attribute(op.attributes, "starts");
  std::span<const int64_t> sizes = ints_attribute(op.attributes, "sizes");
  std::span<const int64_t> strides = ints_attribute(op.attributes, "strides");
  std::span<const int64_t> squeeze = ints_attribute(op.attributes, "squeeze");
  auto check_rank = [&](std::string_view name, std::span<const int64_t> list) {
    if (int64_t(list.size()) == type.rank()) return true;
    context.error(fmt::format("`{}` has {} entries for the {} dimensions of {}", name, list.size(),
                              type.rank(), to_string(type)));
    return false;
  };
  bool has_strides = find_attribute(op.attributes, "strides") != nullptr;
  if (!check_rank("starts", starts) || !check_rank("sizes", sizes) ||
      (has_strides && !check_rank("strides", strides))) {
    return;
  }
  int64_t num_dynamic = std::ranges::count(starts, kDynamic);
  int64_t num_given = int64_t(op.operands.size()) - 1;
  if (num_dynamic != num_given) {
    context.error(fmt::format("`starts` has {} entries `?`, but {} operands follow the ref",
                              num_dynamic, num_given));
  }
  for (int64_t size : sizes) {
    if (size < 0) return context.error(fmt::format("`sizes` has the negative entry {}", size));
  }
  bool only_unit_strides = type.is_barrier() || type.space != MemorySpace::Gmem;
  for (int64_t stride : strides) {
    if (stride < 1) return context.error("`strides` has an entry that is not positive");
    if (stride != 1 && only_unit_strides) {
      return context.error(fmt::format(
          "stride {} of {}; only refs to gmem have strides other than 1", stride, to_string(type)));
    }
  }
  int64_t previous = -1;
  for (int64_t dim : squeeze) {
    if (dim <= previous || dim >= type.rank()) {
      return context.error(fmt::format("`squeeze` = {} is no ascending list of the {} dimensions",
                                       list_text(squeeze), type.rank()));
    }
    previous = dim;
    if (sizes[size_t(dim)] != 1) {
      return context.error(fmt::format(
          "`squeeze` drops dimension {}, which has size {} instead of 1", dim, sizes[size_t(dim)]));
    }
  }
}

std::vector<Type> infer_unswizzle(const Module& module, const Op& op) {
  const Type& type = operand_type(module, op);
  return {with_shape(type, type.shape)};
}

void verify_unswizzle(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op);
  int64_t swizzle = int_attribute(op.attributes, "swizzle", 0);
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128) {
    context.error(fmt::format("`swizzle` is 16, 32, 64 or 128 bytes, not {}", swizzle));
  }
  if (type.space != MemorySpace::Smem) {
    context.error(fmt::format("only refs to smem are swizzled, not {}", to_string(type)));
  }
  if (type.shape.empty()) context.error("a ref of rank 0 has no dimension to swizzle");
}

std::vector<Type> infer_untile(const Module& module, const Op& op) {
  const Type& type = operand_type(module, op);
  std::span<const int64_t> tiling = ints_attribute(op.attributes, "tiling");
  std::vector<int64_t> shape(type.shape.begin(), type.shape.end() - int64_t(tiling.size()));
  size_t first_tiled = shape.size() - tiling.size();
  for (size_t i = 0; i < tiling.size(); ++i) shape[first_tiled + i] *= tiling[i];
  return {with_shape(type, std::move(shape))};
}

void verify_untile(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op);
  std::span<const int64_t> tiling = ints_attribute(op.attributes, "tiling");
  if (type.space != MemorySpace::Smem) {
    return context.error(fmt::format("only refs to smem are tiled, not {}", to_string(type)));
  }
  bool is_positive = std::ranges::all_of(tiling, [](int64_t extent) { return extent > 0; });
  if (tiling.empty() || !is_positive) {
    return context.error(
        fmt::format("`tiling` = {} is no list of tile extents", list_text(tiling)));
  }
  if (type.shape.size() < 2 * tiling.size()) {
    return context.error(
        fmt::format("a tiling of {} dimensions needs a ref of rank {} or more, not {}",
                    tiling.size(), 2 * tiling.size(), to_string(type)));
  }
  if (!std::equal(tiling.rbegin(), tiling.rend(), type.shape.rbegin())) {
    context.error(fmt::format("the last dimensions of {} are not the tile {}", to_string(type),
                              list_text(tiling)));
  }
}

std::vector<Type> infer_transpose(const Module& module, const Op& op) {
  const Type& type = operand_type(module, op);
  std::vector<int64_t> shape;
  for (int64_t dim : ints_attribute(op.attributes, "permutation")) {
    shape.push_back(type.shape[size_t(dim)]);
  }
  return {with_shape(type, std::move(shape))};
}

void verify_transpose(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op);
  std::span<const int64_t> permutation = ints_attribute(op.attributes, "permutation");
  std::vector<int64_t> sorted(permutation.begin(), permutation.end());
  std::ranges::sort(sorted);
  bool is_permutation = int64_t(sorted.size()) == type.rank();
  for (size_t i = 0; i < sorted.size(); ++i) is_permutation &= sorted[i] == int64_t(i);
  if (!is_permutation) {
    context.error(
        fmt::format("`permutation` = {} does not name each of the {} dimensions of {} once",
                    list_text(permutation), type.rank(), to_string(type)));
  }
}

void verify_reshape(VerifyContext& context, const Op& op) {
  const Type& type = operand_type(context.module(), op);
  if (op.results.size() != 1) {
    return context.error(fmt::format("has one result, not {}", op.results.size()));
  }
  const Type& result = context.module().value(op.results[0]).type;
  if (result != with_shape(type, result.shape)) {
    return context.error(fmt::format("a view of {} as {} changes more than the shape",
                                     to_string(type), to_string(result)));
  }
  if (result.element_count() != type.element_count()) {
    context.error(fmt::format("shape {} has {} elements, but the ref's shape {} has {}",
                              shape_text(result), result.element_count(), shape_text(type),
                              type.element_count()));
  }
}

void compile_index(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  View view = compiler.view(op.operands[0]);
  std::vector<SliceStart> starts;
  size_t next = 1;
  for (int64_t start : ints_attribute(op.attributes, "starts")) {
    starts.push_back(start == kDynamic ? compiler.slice_start(op.operands[next++])
                                       : SliceStart{start, std::nullopt, ElementType::S64});
  }
  const std::string error = view.index(starts, ints_attribute(op.attributes, "sizes"),
                                       ints_attribute(op.attributes, "strides"),
                                       ints_attribute(op.attributes, "squeeze"));
  compiler.define_view(id, std::move(view), error);
}

void compile_reshape(Compiler& compiler, OpId id) {
  View view = compiler.view(compiler.op(id).operands[0]);
  const std::string error = view.reshape(compiler.result_type(id).shape);
  compiler.define_view(id, std::move(view), error);
}

void compile_transpose(Compiler& compiler, OpId id) {
  View view = compiler.view(compiler.op(id).operands[0]);
  const std::string error =
      view.transpose(ints_attribute(compiler.op(id).attributes, "permutation"));
  compiler.define_view(id, std::move(view), error);
}

void compile_unswizzle(Compiler& compiler, OpId id) {
  View view = compiler.view(compiler.op(id).operands[0]);
  view.swizzle_undone = int_attribute(compiler.op(id).attributes, "swizzle", 0);
  compiler.define_view(id, std::move(view), "");
}

void compile_untile(Compiler& compiler, OpId id) {
  View view = compiler.view(compiler.op(id).operands[0]);
  const std::string error = view.untile(ints_attribute(compiler.op(id).attributes, "tiling"));
  compiler.define_view(id, std::move(view), error);
}

}  // namespace

extern const OpDef kViewIndex;
extern const OpDef kViewReshape;
extern const OpDef kViewTranspose;
extern const OpDef kViewUnswizzle;
extern const OpDef kViewUntile;

const OpDef kViewIndex = {
    .name = "view.index",
    .operands = {{.name = "ref"}, {.name = "starts", .kind = OperandKind::Index, .variadic = true}},
    .attributes = {{.name = "starts",
                    .kind = AttributeKind::Ints,
                    .help = "one for each dimension; `?` takes the next operand"},
                   {.name = "sizes", .kind = AttributeKind::Ints, .help = "one for each dimension"},
                   {.name = "strides",
                    .kind = AttributeKind::Ints,
                    .required = false,
                    .help = "one for each dimension; 1 unless the ref is in gmem"},
                   {.name = "squeeze",
                    .kind = AttributeKind::Ints,
                    .required = false,
                    .help = "dimensions of size 1 that the view does not have"}},
    .pure = true,
    .infer = infer_index,
    .verify = verify_index,
    .compile = compile_index,
    .help =
        "The part of a ref, or of an array of barriers, that starts at `starts` and has `sizes` "
        "elements: what `ref.at[...]` and a subscript select. An index outside of the ref is "
        "reported where the view is used.",
    .example = R"(pir 1

kernel @write_a_row {
  grid = [] []
  output %0 "out": ref<gmem, i32[2,8]>
  body {
    %1 = shape.iota {dimension = 0} : i32[8]
    %2 = view.index %0 {sizes = [1, 8], squeeze = [0], starts = [0, 0]} : ref<gmem, i32[8]>
    memory.store %2, %1
    %3 = view.index %0, i32(1) {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[8]>
    memory.store %3, %1
    control.yield
  }
}
)",
    .source = "jax._src.state.indexing.NDIndexer",
};

const OpDef kViewReshape = {
    .name = "view.reshape",
    .operands = {{.name = "ref", .kind = OperandKind::Ref}},
    .pure = true,
    .verify = verify_reshape,
    .compile = compile_reshape,
    .help = "The same elements, in row-major order, under another shape with as many elements.",
    .example = R"(pir 1

kernel @write_as_a_matrix {
  grid = [] []
  output %0 "out": ref<gmem, i32[16]>
  body {
    %1 = view.reshape %0 : ref<gmem, i32[2,8]>
    %2 = shape.iota {dimension = 1} : i32[2,8]
    memory.store %1, %2
    control.yield
  }
}
)",
    .source = "jax._src.state.types.ReshapeTransform",
};

const OpDef kViewTranspose = {
    .name = "view.transpose",
    .operands = {{.name = "ref", .kind = OperandKind::Ref}},
    .attributes = {{.name = "permutation",
                    .kind = AttributeKind::Ints,
                    .help = "dimension i of the view is dimension permutation[i] of the ref"}},
    .pure = true,
    .infer = infer_transpose,
    .verify = verify_transpose,
    .compile = compile_transpose,
    .help = "The ref with its dimensions in another order. No element moves.",
    .example = R"(pir 1

kernel @write_columns {
  grid = [] []
  output %0 "out": ref<gmem, i32[2,8]>
  body {
    %1 = view.transpose %0 {permutation = [1, 0]} : ref<gmem, i32[8,2]>
    %2 = shape.iota {dimension = 0} : i32[8,2]
    memory.store %1, %2
    control.yield
  }
}
)",
    .source = "jax._src.state.types.TransposeTransform",
};

const OpDef kViewUnswizzle = {
    .name = "view.unswizzle",
    .operands = {{.name = "ref", .kind = OperandKind::Ref}},
    .attributes = {{.name = "swizzle", .help = "bytes: 16 (none), 32, 64 or 128"}},
    .pure = true,
    .infer = infer_unswizzle,
    .verify = verify_unswizzle,
    .compile = compile_unswizzle,
    .help =
        "Undoes the swizzle of an smem allocation, so that indices are those before it. The shape "
        "stays as it is.",
    .example = R"(pir 1

kernel @write_swizzled {
  grid = [] []
  output %0 "out": ref<gmem, f16[8,64]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "scratch": ref<smem, f16[8,64], unswizzle(128)>)
      %2 = shape.iota {dimension = 1} : f16[8,64]
      %3 = view.unswizzle %1 {swizzle = 128} : ref<smem, f16[8,64]>
      memory.store %3, %2
      %4 = memory.load %3 : f16[8,64]
      memory.store %0, %4
      control.yield
    }
    control.yield
  }
}
)",
    .source = "jax._src.pallas.mosaic_gpu.core.UnswizzleRef",
};

const OpDef kViewUntile = {
    .name = "view.untile",
    .operands = {{.name = "ref", .kind = OperandKind::Ref}},
    .attributes = {{.name = "tiling",
                    .kind = AttributeKind::Ints,
                    .help = "extents of the tile, the last dimensions of the ref"}},
    .pure = true,
    .infer = infer_untile,
    .verify = verify_untile,
    .compile = compile_untile,
    .help =
        "An smem allocation that is stored tile by tile, as the array that the tiles make up: "
        "physical (.., d/t.., t..) becomes logical (.., d..).",
    .example = R"(pir 1

kernel @write_tiles {
  grid = [] []
  output %0 "out": ref<gmem, f16[16,64]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "scratch": ref<smem, f16[2,2,8,32], untile(8, 32)>)
      %2 = shape.iota {dimension = 1} : f16[16,64]
      %3 = view.untile %1 {tiling = [8, 32]} : ref<smem, f16[16,64]>
      memory.store %3, %2
      %4 = memory.load %3 : f16[16,64]
      memory.store %0, %4
      control.yield
    }
    control.yield
  }
}
)",
    .source = "jax._src.pallas.mosaic_gpu.core.UntilingTransform",
};

}  // namespace pallasite
