// Products of matrices: the one entry that every MMA op goes through.
//
// D[m, n] += sum over k of A[m, k] * B[k, n], or D = that sum.
//
// Model (declared mode): every operand is widened exactly to the precision of the accumulation, the
// products are summed there in an unspecified but fixed order, and the sum is added to D.
//   D f32   operands are any floats of at most 32 bits; f32 sums. An f32 operand is used in full,
//   not as
//           tf32.
//   D f16   the same in f32, with one rounding to f16 at the end of the call.
//   D s32   operands are integers of at most 8 bits; exact, wraps.
//   D f64   operands are f64; a chain of fused multiply-adds in the order of k.
// Subnormals are kept, given that the caller has set the default mode (ScopedFloatMode). For the
// same shapes and values the bits are the same in every call on one machine; another processor may
// sum in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

// A matrix in register form; strides count elements. Fastest when one of the strides is 1.
struct MatrixView {
  const void* data = nullptr;
  ElementType type = ElementType::F32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t row_stride = 0;
  int64_t col_stride = 1;
};

// The destination, row-major.
struct AccumulatorView {
  void* data = nullptr;
  ElementType type = ElementType::F32;
  int64_t rows = 0;
  int64_t cols = 0;
  // Elements from one row to the next, at least `cols`.
  int64_t leading_dimension = 0;
};

enum class NumericMode : uint8_t { Declared };

struct Contraction {
  MatrixView a;
  MatrixView b;
  AccumulatorView d;
  // False: D is written without being read.
  bool accumulate = true;
  NumericMode mode = NumericMode::Declared;
};

// Buffers that keep their memory from call to call. One per worker thread.
class ContractionScratch {
 public:
  enum class Slot : uint8_t { A, B, Product };

  // At least `bytes`, aligned to a cache line; the content is undefined. Valid until the next
  // reserve of the same slot.
  void* reserve(Slot slot, size_t bytes);

 private:
  struct Deleter {
    void operator()(std::byte* data) const;
  };
  struct Buffer {
    std::unique_ptr<std::byte, Deleter> data;
    size_t bytes = 0;
  };
  Buffer buffers_[3];
};

bool contraction_supported(ElementType a, ElementType b, ElementType d);

// The shapes agree and contraction_supported holds; D overlaps neither operand.
void multiply_accumulate(const Contraction& contraction, ContractionScratch& scratch);

// The same by the definition, one element at a time: floats summed in double (long double for f64)
// and rounded once. For tests.
void reference_multiply_accumulate(const Contraction& contraction);

}  // namespace pallasite
