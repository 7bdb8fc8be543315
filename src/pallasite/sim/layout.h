// How the elements of an allocation lie in memory.
//
// Storage holds an allocation in the row-major order of its *logical* shape, the shape after the
// transforms that it declares (unswizzle, untile). Hardware holds it in physical order: the
// row-major order of the physical shape, with the 16-byte chunks of the bytes swizzled. Layout is
// the bijection between the two. An access through the declared transforms never needs it; any
// other does.
//
// Swizzle (Mosaic GPU and TMA): with 128 bytes, bits [6:4] of the byte address are xored with bits
// [9:7]; with 64 bytes, [5:4] with [8:7]; with 32 bytes, [4] with [7]; 16 bytes is none. Addresses
// count from the allocation, which is aligned to the pattern's period (1024 bytes at most).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pallasite/ir/type.h"

namespace pallasite {

// A part of one logical coordinate: index i of `size` adds i * step to coordinate `dim`.
struct Digit {
  int64_t size = 1;
  uint32_t dim = 0;
  int64_t step = 1;
  bool operator==(const Digit&) const = default;
};

int64_t swizzle_byte(int64_t byte_address, int64_t swizzle);

struct Layout {
  ElementType element = ElementType::S32;
  std::vector<int64_t> physical_shape;
  std::vector<int64_t> logical_shape;
  // Row-major strides of the logical shape, in elements.
  std::vector<int64_t> logical_strides;
  // What each physical dim contributes to the logical coordinates.
  std::vector<Digit> physical_digits;
  // In bytes; 0 if the allocation declares none.
  int64_t swizzle = 0;

  int64_t element_count() const;
  int64_t bytes() const;

  // Both in elements; inverse to each other. `swizzle_bytes` is the swizzle of the physical side
  // (the declared one, unless an access uses another).
  int64_t physical_offset(int64_t logical_offset, int64_t swizzle_bytes) const;
  int64_t logical_offset(int64_t physical_offset, int64_t swizzle_bytes) const;
};

// The layout of an allocation type. `type.transforms` must fit the shape (the verifier checks it):
// returns an empty error, or what does not fit.
std::string make_layout(const Type& type, Layout& layout);

}  // namespace pallasite
