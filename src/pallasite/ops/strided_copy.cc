#include "pallasite/ops/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace pallasite {
namespace {

// Side of the square tiles in which two dims are swapped, so that both sides of the copy stay in
// the L1 cache.
constexpr int64_t kTile = 32;

template <typename Bits>
void copy_row(const StridedCopy::Dim& dim, const Bits* source, Bits* target) {
  if (dim.source_stride == 1 && dim.target_stride == 1) {
    std::memcpy(target, source, size_t(dim.size) * sizeof(Bits));
  } else if (dim.source_stride == 0 && dim.target_stride == 1) {
    std::fill_n(target, dim.size, *source);
  } else {
    for (int64_t i = 0; i < dim.size; ++i)
      target[i * dim.target_stride] = source[i * dim.source_stride];
  }
}

template <typename Bits>
void copy_tiles(const StridedCopy::Dim& outer, const StridedCopy::Dim& inner, const Bits* source,
                Bits* target) {
  for (int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
    const int64_t i1 = std::min(i0 + kTile, outer.size);
    for (int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
      const int64_t j1 = std::min(j0 + kTile, inner.size);
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j)
          target[i * outer.target_stride + j * inner.target_stride] =
              source[i * outer.source_stride + j * inner.source_stride];
      }
    }
  }
}

template <typename Bits>
void copy_dims(const std::vector<StridedCopy::Dim>& dims, size_t first, const Bits* source,
               Bits* target) {
  const size_t rest = dims.size() - first;
  if (rest == 0) {
    *target = *source;
    return;
  }
  if (rest == 1) return copy_row(dims[first], source, target);
  const bool is_transposed = dims[first].source_stride == 1 && dims[first + 1].source_stride > 1;
  if (rest == 2 && is_transposed) return copy_tiles(dims[first], dims[first + 1], source, target);
  for (int64_t i = 0; i < dims[first].size; ++i)
    copy_dims(dims, first + 1, source + i * dims[first].source_stride,
              target + i * dims[first].target_stride);
}

template <typename Bits>
void copy_of(const StridedCopy& copy, const std::byte* source, std::byte* target) {
  copy_dims(copy.dims, 0, reinterpret_cast<const Bits*>(source) + copy.source_offset,
            reinterpret_cast<Bits*>(target) + copy.target_offset);
}

}  // namespace

void StridedCopy::simplify() {
  std::vector<Dim> kept;
  for (const Dim& dim : dims) {
    if (dim.size == 1) continue;
    if (!kept.empty() && kept.back().source_stride == dim.source_stride * dim.size &&
        kept.back().target_stride == dim.target_stride * dim.size) {
      kept.back() = {kept.back().size * dim.size, dim.source_stride, dim.target_stride};
    } else {
      kept.push_back(dim);
    }
  }
  dims = std::move(kept);
}

void run_copy(const StridedCopy& copy, const std::byte* source, std::byte* target) {
  for (const StridedCopy::Dim& dim : copy.dims)
    if (dim.size <= 0) return;
  switch (copy.element_bytes) {
    case 1:
      return copy_of<uint8_t>(copy, source, target);
    case 2:
      return copy_of<uint16_t>(copy, source, target);
    case 4:
      return copy_of<uint32_t>(copy, source, target);
    default:
      return copy_of<uint64_t>(copy, source, target);
  }
}

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

}  // namespace pallasite
