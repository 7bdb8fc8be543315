#include "pallasite/sim/layout.h"

#include <fmt/format.h>

#include "pallasite/base/check.h"

namespace pallasite {

int64_t swizzle_byte(int64_t byte_address, int64_t swizzle) {
  switch (swizzle) {
    case 128:
      return byte_address ^ (((byte_address >> 7) & 7) << 4);
    case 64:
      return byte_address ^ (((byte_address >> 7) & 3) << 4);
    case 32:
      return byte_address ^ (((byte_address >> 7) & 1) << 4);
    default:
      return byte_address;
  }
}

int64_t Layout::element_count() const {
  int64_t n = 1;
  for (int64_t d : logical_shape) n *= d;
  return n;
}

int64_t Layout::bytes() const {
  return (element_count() * element_info(element).storage_bits + 7) / 8;
}

namespace {

// Swizzles move whole 16-byte chunks, so an element keeps its place within its chunk.
int64_t swizzle_element(int64_t offset, int64_t bits, int64_t swizzle) {
  const int64_t bit = offset * bits;
  const int64_t byte = bit / 8;
  return (swizzle_byte(byte, swizzle) * 8 + bit % 8) / bits;
}

}  // namespace

int64_t Layout::physical_offset(int64_t logical_offset, int64_t swizzle_bytes) const {
  int64_t physical = 0;
  for (size_t p = 0; p < physical_shape.size(); ++p) {
    const Digit& digit = physical_digits[p];
    const int64_t coordinate =
        logical_offset / logical_strides[digit.dim] % logical_shape[digit.dim];
    physical = physical * physical_shape[p] + coordinate / digit.step % digit.size;
  }
  return swizzle_element(physical, element_info(element).storage_bits, swizzle_bytes);
}

int64_t Layout::logical_offset(int64_t physical_offset, int64_t swizzle_bytes) const {
  // The swizzle is its own inverse: the bits it reads are not the bits it changes.
  int64_t rest =
      swizzle_element(physical_offset, element_info(element).storage_bits, swizzle_bytes);
  int64_t logical = 0;
  for (size_t p = physical_shape.size(); p-- > 0;) {
    const Digit& digit = physical_digits[p];
    logical += rest % physical_shape[p] * digit.step * logical_strides[digit.dim];
    rest /= physical_shape[p];
  }
  return logical;
}

std::string make_layout(const Type& type, Layout& layout) {
  layout = Layout();
  layout.element = type.element;
  layout.physical_shape = type.shape;

  // Each logical dim is a list of physical dims, major to minor.
  std::vector<std::vector<size_t>> dims;
  for (size_t p = 0; p < type.shape.size(); ++p) dims.push_back({p});
  bool untiled = false;
  for (const LayoutTransform& transform : type.transforms) {
    if (transform.kind == LayoutTransform::Kind::Unswizzle) {
      if (layout.swizzle != 0 || untiled) {
        return "unswizzle must be the first layout transform, and there can be only one";
      }
      layout.swizzle = transform.arguments[0];
      if (layout.swizzle != 16 && layout.swizzle != 32 && layout.swizzle != 64 &&
          layout.swizzle != 128) {
        return fmt::format("a swizzle of {} bytes: 16, 32, 64 and 128 exist", layout.swizzle);
      }
      continue;
    }
    untiled = true;
    const std::vector<int64_t>& tile = transform.arguments;
    const size_t n = tile.size();
    if (n == 0 || dims.size() < 2 * n) {
      return fmt::format("a tiling of rank {} on an array of rank {}", n, dims.size());
    }
    const size_t first_inner = dims.size() - n;
    for (size_t i = 0; i < n; ++i) {
      int64_t size = 1;
      for (size_t p : dims[first_inner + i]) size *= type.shape[p];
      if (size != tile[i]) {
        return fmt::format("dim {} has extent {} but the tiling says {}", first_inner + i, size,
                           tile[i]);
      }
      std::vector<size_t>& outer = dims[first_inner - n + i];
      outer.insert(outer.end(), dims[first_inner + i].begin(), dims[first_inner + i].end());
    }
    dims.resize(first_inner);
  }

  layout.physical_digits.resize(type.shape.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t step = 1;
    for (size_t i = dims[d].size(); i-- > 0;) {
      const size_t p = dims[d][i];
      layout.physical_digits[p] = {type.shape[p], static_cast<uint32_t>(d), step};
      step *= type.shape[p];
    }
    layout.logical_shape.push_back(step);
  }
  layout.logical_strides.assign(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) {
    layout.logical_strides[d - 1] = layout.logical_strides[d] * layout.logical_shape[d];
  }
  return "";
}

}  // namespace pallasite
