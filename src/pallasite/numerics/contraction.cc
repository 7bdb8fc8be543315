#include "pallasite/numerics/contraction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dnnl.hpp>
#include <new>
#include <vector>

#include "pallasite/base/check.h"
#include "pallasite/numerics/convert.h"

// Of the OpenMP runtime that oneDNN runs on. Its <omp.h> is g++'s own; clang sees another or none.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace pallasite {
namespace {

using Slot = ContractionScratch::Slot;

constexpr std::align_val_t kAlignment{64};

// The worker pool is ours: the library may not start threads of its own. The setting belongs to the
// calling thread, which can be XLA's.
class ScopedSingleThread {
 public:
  ScopedSingleThread() : saved_(omp_get_max_threads()) {
    if (saved_ != 1) omp_set_num_threads(1);
  }
  ~ScopedSingleThread() {
    if (saved_ != 1) omp_set_num_threads(saved_);
  }
  ScopedSingleThread(const ScopedSingleThread&) = delete;
  ScopedSingleThread& operator=(const ScopedSingleThread&) = delete;

 private:
  int saved_;
};

const std::byte* element(const MatrixView& view, int64_t row, int64_t col) {
  return static_cast<const std::byte*>(view.data) +
         (row * view.row_stride + col * view.col_stride) * int64_t(register_bytes(view.type));
}

MatrixView transposed(const MatrixView& view) {
  return {.data = view.data,
          .type = view.type,
          .rows = view.cols,
          .cols = view.rows,
          .row_stride = view.col_stride,
          .col_stride = view.row_stride};
}

// Writes the elements of `view` as a dense row-major matrix of `type`.
void copy_dense(const MatrixView& view, ElementType type, void* dense) {
  auto* out = static_cast<std::byte*>(dense);
  const size_t row_bytes = size_t(view.cols) * register_bytes(type);
  if (view.col_stride == 1 && view.row_stride == view.cols) {
    convert(view.type, view.data, type, out, size_t(view.rows * view.cols));
    return;
  }
  if (view.col_stride == 1) {
    for (int64_t row = 0; row < view.rows; ++row, out += row_bytes)
      convert(view.type, element(view, row, 0), type, out, size_t(view.cols));
    return;
  }
  for (int64_t row = 0; row < view.rows; ++row)
    for (int64_t col = 0; col < view.cols; ++col, out += register_bytes(type))
      convert(view.type, element(view, row, col), type, out, 1);
}

// An operand as BLAS wants it: row-major, or the transpose of a row-major matrix.
struct F32Operand {
  const float* data;
  char transpose;
  int64_t leading_dimension;
};

F32Operand widen_to_f32(const MatrixView& view, Slot slot, ContractionScratch& scratch) {
  const bool by_columns = view.row_stride == 1 && view.col_stride != 1;
  const MatrixView rows = by_columns ? transposed(view) : view;
  const char transpose = by_columns ? 'T' : 'N';
  if (view.type == ElementType::F32 && rows.col_stride == 1 && rows.row_stride >= rows.cols)
    return {static_cast<const float*>(view.data), transpose, rows.row_stride};
  auto* dense =
      static_cast<float*>(scratch.reserve(slot, size_t(rows.rows * rows.cols) * sizeof(float)));
  copy_dense(rows, ElementType::F32, dense);
  return {dense, transpose, rows.cols};
}

// D = beta * D + A[:, first .. first + depth] * B[first .. first + depth, :].
void multiply_f32(const F32Operand& a, const F32Operand& b, int64_t first, int64_t depth,
                  float beta, float* d, int64_t rows, int64_t cols, int64_t leading_dimension) {
  const float* a_data = a.data + first * (a.transpose == 'N' ? 1 : a.leading_dimension);
  const float* b_data = b.data + first * (b.transpose == 'N' ? b.leading_dimension : 1);
  const ScopedSingleThread single_thread;
  const dnnl_status_t status =
      dnnl_sgemm(a.transpose, b.transpose, rows, cols, depth, 1.0f, a_data, a.leading_dimension,
                 b_data, b.leading_dimension, beta, d, leading_dimension);
  PALLASITE_CHECK(status == dnnl_success, "dnnl_sgemm");
}

void multiply_to_f32(const Contraction& c, ContractionScratch& scratch) {
  const F32Operand a = widen_to_f32(c.a, Slot::A, scratch);
  const F32Operand b = widen_to_f32(c.b, Slot::B, scratch);
  multiply_f32(a, b, 0, c.a.cols, c.accumulate ? 1.0f : 0.0f, static_cast<float*>(c.d.data),
               c.d.rows, c.d.cols, c.d.leading_dimension);
}

void multiply_to_f16(const Contraction& c, ContractionScratch& scratch) {
  const F32Operand a = widen_to_f32(c.a, Slot::A, scratch);
  const F32Operand b = widen_to_f32(c.b, Slot::B, scratch);
  const int64_t rows = c.d.rows, cols = c.d.cols;
  auto* wide =
      static_cast<float*>(scratch.reserve(Slot::Product, size_t(rows * cols) * sizeof(float)));
  const MatrixView old = {.data = c.d.data,
                          .type = ElementType::F16,
                          .rows = rows,
                          .cols = cols,
                          .row_stride = c.d.leading_dimension,
                          .col_stride = 1};
  if (c.accumulate) copy_dense(old, ElementType::F32, wide);
  multiply_f32(a, b, 0, c.a.cols, c.accumulate ? 1.0f : 0.0f, wide, rows, cols, cols);
  auto* d = static_cast<uint16_t*>(c.d.data);
  for (int64_t row = 0; row < rows; ++row)
    convert(ElementType::F32, wide + row * cols, ElementType::F16, d + row * c.d.leading_dimension,
            size_t(cols));
}

int64_t largest_magnitude(ElementType type) {
  const ElementInfo& info = element_info(type);
  return info.is_signed ? int64_t(1) << (info.storage_bits - 1)
                        : (int64_t(1) << info.storage_bits) - 1;
}

// Sums of small integers are exact in f32 as long as they stay within 2^24, so the fast f32 product
// computes them, a slice of k at a time.
void multiply_to_s32(const Contraction& c, ContractionScratch& scratch) {
  const F32Operand a = widen_to_f32(c.a, Slot::A, scratch);
  const F32Operand b = widen_to_f32(c.b, Slot::B, scratch);
  const int64_t rows = c.d.rows, cols = c.d.cols, depth = c.a.cols;
  const int64_t slice =
      (int64_t(1) << 24) / (largest_magnitude(c.a.type) * largest_magnitude(c.b.type));
  auto* sums =
      static_cast<float*>(scratch.reserve(Slot::Product, size_t(rows * cols) * sizeof(float)));
  auto* d = static_cast<int32_t*>(c.d.data);
  bool accumulate = c.accumulate;
  for (int64_t first = 0; first < depth; first += slice) {
    multiply_f32(a, b, first, std::min(slice, depth - first), 0.0f, sums, rows, cols, cols);
    for (int64_t row = 0; row < rows; ++row) {
      int32_t* d_row = d + row * c.d.leading_dimension;
      const float* sum = sums + row * cols;
      if (accumulate) {
        for (int64_t col = 0; col < cols; ++col)
          d_row[col] = int32_t(uint32_t(d_row[col]) + uint32_t(int32_t(sum[col])));
      } else {
        for (int64_t col = 0; col < cols; ++col) d_row[col] = int32_t(sum[col]);
      }
    }
    accumulate = true;
  }
}

// d[0 .. cols] += a * b[0 .. cols].
inline void add_scaled_row(double a, const double* b, double* d, int64_t cols) {
  for (int64_t col = 0; col < cols; ++col) d[col] = __builtin_fma(a, b[col], d[col]);
}

void add_scaled_row_portable(double a, const double* b, double* d, int64_t cols) {
  add_scaled_row(a, b, d, cols);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_scaled_row_fma(double a, const double* b, double* d,
                                                    int64_t cols) {
  add_scaled_row(a, b, d, cols);
}
#endif

auto* choose_add_scaled_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_scaled_row_fma;
#endif
  return add_scaled_row_portable;
}

void multiply_to_f64(const Contraction& c, ContractionScratch& scratch) {
  MatrixView b = c.b;
  if (b.col_stride != 1) {
    auto* dense = scratch.reserve(Slot::B, size_t(b.rows * b.cols) * sizeof(double));
    copy_dense(b, ElementType::F64, dense);
    b.data = dense;
    b.row_stride = b.cols;
    b.col_stride = 1;
  }
  auto* const add_row = choose_add_scaled_row();
  auto* d = static_cast<double*>(c.d.data);
  for (int64_t row = 0; row < c.d.rows; ++row, d += c.d.leading_dimension) {
    if (!c.accumulate) std::fill_n(d, c.d.cols, 0.0);
    for (int64_t k = 0; k < c.a.cols; ++k) {
      double a;
      std::memcpy(&a, element(c.a, row, k), sizeof(a));
      add_row(a, static_cast<const double*>(b.data) + k * b.row_stride, d, c.d.cols);
    }
  }
}

void check(const Contraction& c) {
  PALLASITE_CHECK(contraction_supported(c.a.type, c.b.type, c.d.type));
  PALLASITE_CHECK(c.a.rows == c.d.rows && c.b.cols == c.d.cols && c.a.cols == c.b.rows);
  PALLASITE_CHECK(c.d.leading_dimension >= c.d.cols);
}

// The elements of `view` in row-major order.
template <typename T>
std::vector<T> gather(const MatrixView& view, ElementType type) {
  std::vector<T> values(size_t(view.rows * view.cols));
  for (int64_t row = 0; row < view.rows; ++row)
    for (int64_t col = 0; col < view.cols; ++col)
      convert(view.type, element(view, row, col), type, &values[size_t(row * view.cols + col)], 1);
  return values;
}

template <typename Sum, typename T>
void reference_floats(const Contraction& c) {
  const std::vector<double> a = gather<double>(c.a, ElementType::F64);
  const std::vector<double> b = gather<double>(c.b, ElementType::F64);
  for (int64_t row = 0; row < c.d.rows; ++row) {
    for (int64_t col = 0; col < c.d.cols; ++col) {
      void* d = static_cast<T*>(c.d.data) + row * c.d.leading_dimension + col;
      double start = 0;
      if (c.accumulate) convert(c.d.type, d, ElementType::F64, &start, 1);
      Sum sum = 0;
      for (int64_t k = 0; k < c.a.cols; ++k)
        sum += Sum(a[size_t(row * c.a.cols + k)]) * Sum(b[size_t(k * c.b.cols + col)]);
      const double total = double(Sum(start) + sum);
      convert(ElementType::F64, &total, c.d.type, d, 1);
    }
  }
}

void reference_integers(const Contraction& c) {
  const std::vector<int32_t> a = gather<int32_t>(c.a, ElementType::S32);
  const std::vector<int32_t> b = gather<int32_t>(c.b, ElementType::S32);
  for (int64_t row = 0; row < c.d.rows; ++row) {
    for (int64_t col = 0; col < c.d.cols; ++col) {
      int32_t& d = static_cast<int32_t*>(c.d.data)[row * c.d.leading_dimension + col];
      uint32_t sum = c.accumulate ? uint32_t(d) : 0;
      for (int64_t k = 0; k < c.a.cols; ++k)
        sum += uint32_t(a[size_t(row * c.a.cols + k)] * b[size_t(k * c.b.cols + col)]);
      d = int32_t(sum);
    }
  }
}

}  // namespace

void ContractionScratch::Deleter::operator()(std::byte* data) const {
  ::operator delete(data, kAlignment);
}

void* ContractionScratch::reserve(Slot slot, size_t bytes) {
  Buffer& buffer = buffers_[size_t(slot)];
  if (buffer.bytes < bytes) {
    buffer.data.reset();
    buffer.bytes = 0;
    buffer.data.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
    buffer.bytes = bytes;
  }
  return buffer.data.get();
}

bool contraction_supported(ElementType a, ElementType b, ElementType d) {
  const auto narrow_float = [](ElementType type) {
    return is_float(type) && type != ElementType::F64;
  };
  const auto small_integer = [](ElementType type) {
    return is_integer(type) && register_bytes(type) == 1;
  };
  switch (d) {
    case ElementType::F32:
    case ElementType::F16:
      return narrow_float(a) && narrow_float(b);
    case ElementType::S32:
      return small_integer(a) && small_integer(b);
    case ElementType::F64:
      return a == ElementType::F64 && b == ElementType::F64;
    default:
      return false;
  }
}

void multiply_accumulate(const Contraction& contraction, ContractionScratch& scratch) {
  const Contraction& c = contraction;
  check(c);
  if (c.d.rows == 0 || c.d.cols == 0) return;
  if (c.a.cols == 0) {
    if (c.accumulate) return;
    const size_t size = register_bytes(c.d.type);
    for (int64_t row = 0; row < c.d.rows; ++row)
      std::memset(static_cast<std::byte*>(c.d.data) + size_t(row * c.d.leading_dimension) * size, 0,
                  size_t(c.d.cols) * size);
    return;
  }
  switch (c.d.type) {
    case ElementType::F32:
      return multiply_to_f32(c, scratch);
    case ElementType::F16:
      return multiply_to_f16(c, scratch);
    case ElementType::S32:
      return multiply_to_s32(c, scratch);
    default:
      return multiply_to_f64(c, scratch);
  }
}

void reference_multiply_accumulate(const Contraction& contraction) {
  check(contraction);
  switch (contraction.d.type) {
    case ElementType::F32:
      return reference_floats<double, float>(contraction);
    case ElementType::F16:
      return reference_floats<double, uint16_t>(contraction);
    case ElementType::S32:
      return reference_integers(contraction);
    default:
      return reference_floats<long double, double>(contraction);
  }
}

}  // namespace pallasite
