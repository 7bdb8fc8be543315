#include "pallasite/numerics/contraction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "pallasite/base/check.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/numerics/float_mode.h"

namespace pallasite {
namespace {

using enum ElementType;

enum class Order { RowMajor, PaddedRows, ColumnMajor, PaddedColumns, Strided };

constexpr Order kOrders[] = {Order::RowMajor, Order::PaddedRows, Order::ColumnMajor,
                             Order::PaddedColumns, Order::Strided};

// A matrix of random elements and its view.
struct Operand {
  std::vector<std::byte> storage;
  MatrixView view;
};

Operand operand(ElementType type, int64_t rows, int64_t cols, Order order,
                const std::vector<double>& row_major_values) {
  Operand result;
  MatrixView& view = result.view;
  view = {.type = type, .rows = rows, .cols = cols};
  switch (order) {
    case Order::RowMajor:
      view.row_stride = cols, view.col_stride = 1;
      break;
    case Order::PaddedRows:
      view.row_stride = cols + 3, view.col_stride = 1;
      break;
    case Order::ColumnMajor:
      view.row_stride = 1, view.col_stride = rows;
      break;
    case Order::PaddedColumns:
      view.row_stride = 1, view.col_stride = rows + 5;
      break;
    case Order::Strided:
      view.row_stride = 2 * cols + 1, view.col_stride = 2;
      break;
  }
  const int64_t last = (rows - 1) * view.row_stride + (cols - 1) * view.col_stride;
  // Padding holds 0xff bytes, which are NaN in most formats: reading it shows.
  result.storage.assign(size_t(last + 1) * register_bytes(type), std::byte(0xff));
  view.data = result.storage.data();
  std::byte* bytes = result.storage.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      convert(
          F64, &row_major_values[size_t(row * cols + col)], type,
          bytes + (row * view.row_stride + col * view.col_stride) * int64_t(register_bytes(type)),
          1);
  return result;
}

std::vector<double> random_values(size_t count, double scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random);
  return values;
}

std::vector<double> random_integers(size_t count, int low, int high, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> uniform(low, high);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random);
  return values;
}

struct Shape {
  int64_t m, n, k;
};

constexpr Shape kShapes[] = {{64, 64, 64}, {64, 8, 16}, {1, 1, 1},
                             {7, 13, 5},   {33, 1, 70}, {1, 40, 3}};

// `count` elements of register form as doubles.
std::vector<double> as_doubles(ElementType type, const void* data, size_t count) {
  std::vector<double> values(count);
  convert(type, data, F64, values.data(), count);
  return values;
}

// Compares with the reference, with a bound relative to the sum of the magnitudes; the padding of
// the rows of D must survive.
void expect_close(const MatrixView& a, const MatrixView& b, ElementType d_type, bool accumulate,
                  double tolerance, ContractionScratch& scratch) {
  const int64_t m = a.rows, n = b.cols, leading_dimension = n + 2;
  const size_t count = size_t(m * leading_dimension);
  const std::vector<double> start = random_values(count, 4.0, 99);
  std::vector<std::byte> got(count * register_bytes(d_type)), expected(got.size());
  convert(F64, start.data(), d_type, got.data(), count);
  convert(F64, start.data(), d_type, expected.data(), count);
  const auto run_on = [&](std::vector<std::byte>& d) {
    return Contraction{.a = a,
                       .b = b,
                       .d = {.data = d.data(),
                             .type = d_type,
                             .rows = m,
                             .cols = n,
                             .leading_dimension = leading_dimension},
                       .accumulate = accumulate};
  };
  multiply_accumulate(run_on(got), scratch);
  reference_multiply_accumulate(run_on(expected));
  const std::vector<double> x = as_doubles(d_type, got.data(), count);
  const std::vector<double> y = as_doubles(d_type, expected.data(), count);
  const std::vector<double> before = [&] {
    std::vector<std::byte> rounded(got.size());
    convert(F64, start.data(), d_type, rounded.data(), count);
    return as_doubles(d_type, rounded.data(), count);
  }();
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t col = 0; col < leading_dimension; ++col) {
      const size_t i = size_t(row * leading_dimension + col);
      if (col >= n) {
        ASSERT_EQ(x[i], before[i]) << "padding of D was written";
        continue;
      }
      ASSERT_FALSE(std::isnan(x[i]));
      ASSERT_NEAR(x[i], y[i], tolerance) << "row " << row << " col " << col;
    }
  }
}

TEST(Contraction, FloatsAgreeWithTheReferenceInEveryOrder) {
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  for (const ElementType type : {F32, F16, BF16, F8E4M3FN, F8E5M2, F4E2M1FN}) {
    for (const Shape& s : kShapes) {
      const auto a_values = random_values(size_t(s.m * s.k), 2.0, 1);
      const auto b_values = random_values(size_t(s.k * s.n), 2.0, 2);
      for (const Order a_order : kOrders) {
        for (const Order b_order : kOrders) {
          SCOPED_TRACE(std::string(element_name(type)) + " " + std::to_string(s.m) + "x" +
                       std::to_string(s.n) + "x" + std::to_string(s.k));
          const Operand a = operand(type, s.m, s.k, a_order, a_values);
          const Operand b = operand(type, s.k, s.n, b_order, b_values);
          // Products are at most 4: a sum of k of them loses at most k units of 2^-24 of 4 (k + 1).
          const double tolerance = 4.0 * double((s.k + 1) * (s.k + 1)) * 0x1p-24;
          expect_close(a.view, b.view, F32, true, tolerance, scratch);
          expect_close(a.view, b.view, F32, false, tolerance, scratch);
        }
      }
    }
  }
}

TEST(Contraction, OperandsOfTwoTypes) {
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  const auto values = random_values(64 * 32, 2.0, 5);
  const Operand a = operand(F8E4M3FN, 64, 32, Order::RowMajor, values);
  const Operand b = operand(F8E5M2, 32, 64, Order::ColumnMajor, values);
  expect_close(a.view, b.view, F32, true, 1e-3, scratch);
}

TEST(Contraction, SmallIntegersAreExactInFloats) {
  // Every sum is exact, so the order cannot matter and the bits must agree.
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  const auto a_values = random_integers(128 * 64, -8, 8, 3);
  const auto b_values = random_integers(64 * 128, -8, 8, 4);
  for (const ElementType type : {F32, F16, BF16, F8E4M3FN}) {
    const Operand a = operand(type, 128, 64, Order::RowMajor, a_values);
    const Operand b = operand(type, 64, 128, Order::ColumnMajor, b_values);
    std::vector<float> d(128 * 128, 1.0f);
    multiply_accumulate(
        {.a = a.view,
         .b = b.view,
         .d = {.data = d.data(), .type = F32, .rows = 128, .cols = 128, .leading_dimension = 128}},
        scratch);
    for (size_t row = 0; row < 128; ++row) {
      for (size_t col = 0; col < 128; ++col) {
        double sum = 1;
        for (size_t k = 0; k < 64; ++k) sum += a_values[row * 64 + k] * b_values[k * 128 + col];
        ASSERT_EQ(double(d[row * 128 + col]), sum);
      }
    }
  }
}

TEST(Contraction, F16AccumulatorRoundsOncePerCall) {
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  for (const Shape& s : kShapes) {
    const Operand a =
        operand(F16, s.m, s.k, Order::RowMajor, random_values(size_t(s.m * s.k), 0.5, 6));
    const Operand b =
        operand(F16, s.k, s.n, Order::ColumnMajor, random_values(size_t(s.k * s.n), 0.5, 7));
    // One unit of f16 around 16: sums may land on either side of a tie.
    expect_close(a.view, b.view, F16, true, 0x1p-6, scratch);
    expect_close(a.view, b.view, F16, false, 0x1p-6, scratch);
  }
  // 2048 + 1 + 1: rounding after each step stays at 2048, rounding once gives 2050.
  const Operand ones = operand(F16, 1, 2, Order::RowMajor, {1.0, 1.0});
  const Operand column = operand(F16, 2, 1, Order::RowMajor, {1.0, 1.0});
  uint16_t d = 0x6800;
  multiply_accumulate(
      {.a = ones.view,
       .b = column.view,
       .d = {.data = &d, .type = F16, .rows = 1, .cols = 1, .leading_dimension = 1}},
      scratch);
  EXPECT_EQ(d, 0x6801);
}

TEST(Contraction, IntegersAreExactAndWrap) {
  ContractionScratch scratch;
  struct Case {
    ElementType a, b;
    int a_low, a_high, b_low, b_high;
  };
  for (const Case& c : {Case{S8, S8, -128, 127, -128, 127}, Case{U8, U8, 0, 255, 0, 255},
                        Case{S8, U8, -128, 127, 0, 255}, Case{S4, S4, -8, 7, -8, 7}}) {
    // Depths beyond one slice, which is 1024 for s8 and 258 for u8.
    for (const Shape& s : {Shape{64, 16, 32}, Shape{3, 5, 3000}, Shape{1, 1, 1}}) {
      const Operand a = operand(c.a, s.m, s.k, Order::PaddedRows,
                                random_integers(size_t(s.m * s.k), c.a_low, c.a_high, 8));
      const Operand b = operand(c.b, s.k, s.n, Order::ColumnMajor,
                                random_integers(size_t(s.k * s.n), c.b_low, c.b_high, 9));
      for (const bool accumulate : {true, false}) {
        std::vector<int32_t> got(size_t(s.m * s.n), 2147483000), expected = got;
        Contraction contraction = {.a = a.view,
                                   .b = b.view,
                                   .d = {.data = got.data(),
                                         .type = S32,
                                         .rows = s.m,
                                         .cols = s.n,
                                         .leading_dimension = s.n},
                                   .accumulate = accumulate};
        multiply_accumulate(contraction, scratch);
        contraction.d.data = expected.data();
        reference_multiply_accumulate(contraction);
        ASSERT_EQ(got, expected);
      }
    }
  }
  // All of the largest magnitude, at the largest depth of one slice and beyond.
  for (const int64_t depth : {1024, 1025, 4096}) {
    const std::vector<double> lowest(size_t(depth), -128.0);
    const Operand a = operand(S8, 1, depth, Order::RowMajor, lowest);
    const Operand b = operand(S8, depth, 1, Order::ColumnMajor, lowest);
    int32_t d = 5;
    multiply_accumulate(
        {.a = a.view,
         .b = b.view,
         .d = {.data = &d, .type = S32, .rows = 1, .cols = 1, .leading_dimension = 1}},
        scratch);
    EXPECT_EQ(d, 5 + 16384 * int32_t(depth));
  }
}

TEST(Contraction, F64IsAChainOfFusedMultiplyAdds) {
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  for (const Shape& s : kShapes) {
    const auto a_values = random_values(size_t(s.m * s.k), 2.0, 10);
    const auto b_values = random_values(size_t(s.k * s.n), 2.0, 11);
    for (const Order order : kOrders) {
      const Operand a = operand(F64, s.m, s.k, order, a_values);
      const Operand b = operand(F64, s.k, s.n, order, b_values);
      expect_close(a.view, b.view, F64, true, 4.0 * double((s.k + 1) * (s.k + 1)) * 0x1p-53,
                   scratch);
      std::vector<double> d(size_t(s.m * s.n), 0.25);
      multiply_accumulate(
          {.a = a.view,
           .b = b.view,
           .d =
               {.data = d.data(), .type = F64, .rows = s.m, .cols = s.n, .leading_dimension = s.n}},
          scratch);
      for (int64_t row = 0; row < s.m; ++row) {
        for (int64_t col = 0; col < s.n; ++col) {
          double chain = 0.25;
          for (int64_t k = 0; k < s.k; ++k)
            chain =
                std::fma(a_values[size_t(row * s.k + k)], b_values[size_t(k * s.n + col)], chain);
          ASSERT_EQ(d[size_t(row * s.n + col)], chain);
        }
      }
    }
  }
}

float one_product(ElementType type, double a_value, double b_value) {
  ContractionScratch scratch;
  const Operand a = operand(type, 1, 1, Order::RowMajor, {a_value});
  const Operand b = operand(type, 1, 1, Order::RowMajor, {b_value});
  float d = 0;
  multiply_accumulate(
      {.a = a.view,
       .b = b.view,
       .d = {.data = &d, .type = F32, .rows = 1, .cols = 1, .leading_dimension = 1}},
      scratch);
  return d;
}

TEST(Contraction, SubnormalsAreKept) {
  const ScopedFloatMode mode;
  EXPECT_EQ(one_product(BF16, 0x1p-130, 0x1p100), 0x1p-30f);
  EXPECT_EQ(one_product(BF16, 0x1p-70, 0x1p-70), 0x1p-140f);
  EXPECT_EQ(one_product(F16, 0x1p-24, 0x1p-24), 0x1p-48f);
  EXPECT_EQ(one_product(F32, 0x1p-149, 0x1p100), 0x1p-49f);
  EXPECT_EQ(one_product(F8E5M2, 0x1p-16, 0x1p-16), 0x1p-32f);
}

TEST(Contraction, SpecialValues) {
  const ScopedFloatMode mode;
  EXPECT_TRUE(std::isnan(one_product(F16, NAN, 1.0)));
  EXPECT_TRUE(std::isnan(one_product(F32, HUGE_VAL, 0.0)));
  EXPECT_EQ(one_product(BF16, HUGE_VAL, -2.0), -HUGE_VALF);
}

TEST(Contraction, DoesNotReadDWhenItDoesNotAccumulate) {
  const ScopedFloatMode mode;
  ContractionScratch scratch;
  for (const int64_t k : {0, 1, 64}) {
    const Operand a = operand(F16, 16, 64, Order::RowMajor, std::vector<double>(16 * 64, 1.0));
    const Operand b = operand(F16, 64, 16, Order::RowMajor, std::vector<double>(64 * 16, 1.0));
    MatrixView a_view = a.view, b_view = b.view;
    a_view.cols = b_view.rows = k;
    std::vector<float> d(16 * 16, NAN);
    multiply_accumulate(
        {.a = a_view,
         .b = b_view,
         .d = {.data = d.data(), .type = F32, .rows = 16, .cols = 16, .leading_dimension = 16},
         .accumulate = false},
        scratch);
    for (const float value : d) ASSERT_EQ(value, float(k));
  }
}

TEST(Contraction, TheSameBitsAtAnyAddressAndOnAnyThread) {
  const ScopedFloatMode mode;
  for (const Shape& s : {Shape{64, 64, 64}, Shape{128, 128, 64}, Shape{64, 200, 48}}) {
    const auto a_values = random_values(size_t(s.m * s.k), 2.0, 12);
    const auto b_values = random_values(size_t(s.k * s.n), 2.0, 13);
    const auto run = [&](size_t offset) {
      ContractionScratch scratch;
      const size_t a_count = a_values.size(), b_count = b_values.size();
      std::vector<float> a(a_count + offset), b(b_count + offset), d(size_t(s.m * s.n) + offset);
      for (size_t i = 0; i < a_count; ++i) a[i + offset] = float(a_values[i]);
      for (size_t i = 0; i < b_count; ++i) b[i + offset] = float(b_values[i]);
      multiply_accumulate({.a = {.data = a.data() + offset,
                                 .type = F32,
                                 .rows = s.m,
                                 .cols = s.k,
                                 .row_stride = s.k,
                                 .col_stride = 1},
                           .b = {.data = b.data() + offset,
                                 .type = F32,
                                 .rows = s.k,
                                 .cols = s.n,
                                 .row_stride = s.n,
                                 .col_stride = 1},
                           .d = {.data = d.data() + offset,
                                 .type = F32,
                                 .rows = s.m,
                                 .cols = s.n,
                                 .leading_dimension = s.n}},
                          scratch);
      return std::vector<float>(d.begin() + int64_t(offset), d.end());
    };
    const std::vector<float> expected = run(0);
    for (const size_t offset : {1, 3, 8, 16}) ASSERT_EQ(run(offset), expected);
    std::vector<std::vector<float>> results(4);
    std::vector<std::thread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = run(0); });
    for (auto& thread : threads) thread.join();
    for (const auto& result : results) ASSERT_EQ(result, expected);
  }
}

TEST(Contraction, RefusesWhatItDoesNotSupport) {
  EXPECT_FALSE(contraction_supported(F32, F32, BF16));
  EXPECT_FALSE(contraction_supported(F64, F32, F64));
  EXPECT_FALSE(contraction_supported(S8, F16, S32));
  EXPECT_FALSE(contraction_supported(S32, S32, S32));
  EXPECT_FALSE(contraction_supported(Bool, Bool, S32));
  EXPECT_TRUE(contraction_supported(F8E4M3FN, F8E5M2, F16));
  ContractionScratch scratch;
  EXPECT_THROW(multiply_accumulate({.a = {.type = S32}, .b = {.type = S32}, .d = {}}, scratch),
               InternalError);
  float d = 0;
  EXPECT_THROW(multiply_accumulate(
                   {.a = {.data = &d, .rows = 1, .cols = 2, .row_stride = 2},
                    .b = {.data = &d, .rows = 1, .cols = 1, .row_stride = 1},
                    .d = {.data = &d, .type = F32, .rows = 1, .cols = 1, .leading_dimension = 1}},
                   scratch),
               InternalError);
}

}  // namespace
}  // namespace pallasite
