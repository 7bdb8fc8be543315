#include "pallasite/ir/verify_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/limits.h"

namespace pallasite {

namespace {

// Applies a transform to a shape. Returns what is wrong with it, if anything.
std::string apply(const LayoutTransform& transform, std::vector<int64_t>& shape) {
  const std::vector<int64_t>& arguments = transform.arguments;
  if (transform.kind == LayoutTransform::Kind::Unswizzle) {
    constexpr int64_t kSwizzles[] = {16, 32, 64, 128};
    bool is_swizzle =
        arguments.size() == 1 && std::ranges::find(kSwizzles, arguments[0]) != std::end(kSwizzles);
    return is_swizzle ? "" : "unswizzle takes one argument, 16, 32, 64 or 128 bytes";
  }
  if (arguments.empty() ||
      std::ranges::any_of(arguments, [](int64_t extent) { return extent < 1; })) {
    return "untile takes the extents of a tile";
  }
  if (shape.size() < 2 * arguments.size() ||
      !std::equal(arguments.rbegin(), arguments.rend(), shape.rbegin())) {
    return "the last dimensions are not the tile of untile, with as many before them";
  }
  shape.resize(shape.size() - arguments.size());
  size_t first_tiled = shape.size() - arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) shape[first_tiled + i] *= arguments[i];
  return "";
}

}  // namespace

std::string type_problem(const Type& type) {
  if (type.rank() > kMaxRank)
    return fmt::format("a type has rank {}, more than {}", type.rank(), kMaxRank);
  int64_t count = 1;
  for (int64_t dim : type.shape) {
    if (dim < 0) return fmt::format("a type has the negative dimension {}", dim);
    if (dim != 0 && count > (kMaxElementCount - 1) / dim) {
      return fmt::format("{} has 2^40 elements or more", to_string(type));
    }
    count *= std::max<int64_t>(dim, 1);
  }
  if (type.transforms.empty()) return "";
  if (!type.is_ref() || type.space != MemorySpace::Smem) {
    return fmt::format("{}: only refs to smem have layout transforms", to_string(type));
  }
  std::vector<int64_t> shape = type.shape;
  for (const LayoutTransform& transform : type.transforms) {
    if (std::string problem = apply(transform, shape); !problem.empty()) {
      return fmt::format("{}: {}", to_string(type), problem);
    }
  }
  return "";
}

}  // namespace pallasite
