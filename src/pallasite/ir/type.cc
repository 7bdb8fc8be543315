#include "pallasite/ir/type.h"

#include <fmt/format.h>

#include "pallasite/base/check.h"
#include "pallasite/ir/text.h"

namespace pallasite {

namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string array_text(const Type& type) {
  std::string text(element_name(type.element));
  if (!type.shape.empty()) text += shape_text(type.shape);
  return text;
}

std::string transform_text(const LayoutTransform& transform) {
  std::string arguments = list_text(std::span<const int64_t>(transform.arguments));
  std::string_view name =
      transform.kind == LayoutTransform::Kind::Unswizzle ? "unswizzle" : "untile";
  return fmt::format("{}({})", name, std::string_view(arguments).substr(1, arguments.size() - 2));
}

std::string barrier_text(const Type& type) {
  const BarrierSpec& spec = type.barrier;
  std::string text =
      fmt::format("barrier<{}, arrivals={}", shape_text(type.shape), spec.num_arrivals);
  if (spec.orders_tensor_core) text += ", orders_tensor_core";
  if (spec.is_cluster()) {
    text += ", cluster=[";
    for (size_t i = 0; i < spec.cluster_axes.size(); ++i) {
      if (i > 0) text += ", ";
      const std::vector<std::string>& group = spec.cluster_axes[i];
      const std::string list = list_text(std::span<const std::string>(group));
      // One axis stands for itself, without brackets.
      text += group.size() == 1 ? list.substr(1, list.size() - 2) : list;
    }
    text += "]";
  }
  if (spec.leader_tracked) text += ", leader_tracked";
  return text + ">";
}

}  // namespace

std::string_view memory_space_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::Gmem:
      return "gmem";
    case MemorySpace::Smem:
      return "smem";
    case MemorySpace::Tmem:
      return "tmem";
    case MemorySpace::Regs:
      return "regs";
  }
  PALLASITE_CHECK(false);
}

std::string to_string(const Type& type) {
  switch (type.form) {
    case Type::Form::Array:
      return array_text(type);
    case Type::Form::Ref: {
      std::string text = fmt::format("ref<{}, {}", memory_space_name(type.space), array_text(type));
      for (const LayoutTransform& transform : type.transforms) {
        text += ", " + transform_text(transform);
      }
      return text + ">";
    }
    case Type::Form::Barrier:
      return barrier_text(type);
  }
  PALLASITE_CHECK(false);
}

}  // namespace pallasite
