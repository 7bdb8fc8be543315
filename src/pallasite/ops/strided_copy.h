// Copies between arrays in register form whose elements lie in different orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pallasite {

struct StridedCopy {
  struct Dim {
    int64_t size = 1;
    // In elements; 0 repeats an element, a negative stride goes backward.
    int64_t source_stride = 0;
    int64_t target_stride = 0;
  };
  size_t element_bytes = 4;
  int64_t source_offset = 0;
  int64_t target_offset = 0;
  // Outermost first.
  std::vector<Dim> dims;

  // Leaves out dims of size 1 and joins dims that one stride describes. What is copied stays the
  // same.
  void simplify();
};

// Source and target do not overlap.
void run_copy(const StridedCopy& copy, const std::byte* source, std::byte* target);

// Strides of a row-major array, in elements.
std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape);

}  // namespace pallasite
