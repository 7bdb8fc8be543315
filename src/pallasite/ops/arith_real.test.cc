// What the functions of real numbers keep beside their accuracy, which accuracy.test.cc measures:
// symmetry, limits, zeros, subnormals and NaN.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "pallasite/ops/arith_test_arrays.h"

namespace pallasite {

extern const OpDef kArithCos;
extern const OpDef kArithErf;
extern const OpDef kArithExp;
extern const OpDef kArithExp2;
extern const OpDef kArithExpm1;
extern const OpDef kArithIntegerPow;
extern const OpDef kArithLogistic;
extern const OpDef kArithRsqrt;
extern const OpDef kArithSin;
extern const OpDef kArithTanh;

namespace {

using test::Array;
using test::run_op;

constexpr uint32_t kSign = 0x80000000;

constexpr LoopPath kPaths[] = {LoopPath::Portable, LoopPath::Avx2, LoopPath::Avx512};

// Positive f32: codes from all of the range, and each one from `first` to `last`.
Array positive_codes(float first, float last) {
  constexpr size_t kSpread = 1 << 16;
  const auto low = std::bit_cast<uint32_t>(first), high = std::bit_cast<uint32_t>(last);
  Array x(ElementType::F32, kSpread + (high - low + 1));
  constexpr uint32_t kInfinity = 0x7f800000;
  for (size_t i = 0; i < kSpread; ++i)
    x.set_bits(i, uint32_t(i * uint64_t(kInfinity) / (kSpread - 1)));
  for (uint32_t code = low; code <= high; ++code) x.set_bits(kSpread + (code - low), code);
  return x;
}

Array negated(const Array& x) {
  Array out(x.element, x.count);
  for (size_t i = 0; i < x.count; ++i) out.set_bits(i, x.bits(i) ^ kSign);
  return out;
}

TEST(ArithReal, OddAndEvenFunctionsAreSo) {
  // Where the methods of computation change.
  const Array x = positive_codes(1.45f, 1.47f);
  const Array minus_x = negated(x);
  for (const OpDef* def : {&kArithErf, &kArithTanh, &kArithSin, &kArithCos}) {
    const Array out = run_op(*def, {&x}, ElementType::F32);
    const Array mirrored = run_op(*def, {&minus_x}, ElementType::F32);
    const uint32_t sign = def == &kArithCos ? 0 : kSign;
    for (size_t i = 0; i < x.count; ++i) {
      if (std::isnan(out.number(i))) continue;
      ASSERT_EQ(mirrored.bits(i), out.bits(i) ^ sign) << def->name << " of " << x.number(i);
    }
  }
}

TEST(ArithReal, ResultsStayInTheRangeOfTheFunction) {
  struct Case {
    const OpDef* def;
    double low, high;
    // From here on the result is `high`, and at the negative `low`.
    double end;
    // Where results come near the limits.
    float first, last;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {&kArithErf, -1, 1, 4, 3.7f, 4.1f},
      {&kArithTanh, -1, 1, 10, 8.5f, 10.1f},
      {&kArithLogistic, 0, 1, 110, 16, 18.5f},
      {&kArithSin, -1, 1, infinity, 1.56f, 1.58f},
      {&kArithCos, -1, 1, infinity, 3.13f, 3.15f},
      {&kArithExp, 0, infinity, 104, 88.7f, 88.8f},
      {&kArithExp2, 0, infinity, 151, 127.9f, 128.1f},
      {&kArithExpm1, -1, infinity, 104, 88.7f, 88.8f},
  };
  for (const Case& c : cases) {
    const Array x = positive_codes(c.first, c.last);
    const Array minus_x = negated(x);
    for (const Array* input : {&x, &minus_x}) {
      const Array out = run_op(*c.def, {input}, ElementType::F32);
      for (size_t i = 0; i < out.count; ++i) {
        const double at = input->number(i), value = out.number(i);
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isinf(at) && c.end == infinity) << c.def->name << " of " << at;
          continue;
        }
        ASSERT_TRUE(value >= c.low && value <= c.high) << c.def->name << " of " << at;
        if (c.end == infinity) continue;
        if (at >= c.end) {
          ASSERT_EQ(value, c.high) << c.def->name << " of " << at;
        }
        if (at <= -c.end) {
          ASSERT_EQ(value, c.low) << c.def->name << " of " << at;
        }
      }
    }
  }
}

TEST(ArithReal, ZerosKeepTheirSignAndSubnormalsTheirDigits) {
  struct Case {
    const OpDef* def;
    double slope;
  };
  const Case cases[] = {
      {&kArithErf, 2 / std::sqrt(M_PI)}, {&kArithTanh, 1}, {&kArithSin, 1}, {&kArithExpm1, 1}};
  Array x(ElementType::F32, 2 * 3000);
  for (size_t i = 0; i < x.count; ++i)
    x.set_bits(i, (i / 2 < 100 ? i / 2 : (i / 2) * 2797) ^ (i % 2 == 0 ? 0 : kSign));
  for (const Case& c : cases) {
    for (LoopPath path : kPaths) {
      if (!convert_path_supported(path)) continue;
      const Array out = run_op(*c.def, {&x}, ElementType::F32, path);
      for (size_t i = 0; i < x.count; ++i) {
        const double expected = x.number(i) * c.slope;
        const auto nearest = int64_t(test::float_bits(ElementType::F32, expected));
        // The slope itself is rounded.
        ASSERT_LE(std::abs(int64_t(out.bits(i)) - nearest), c.slope == 1 ? 0 : 1)
            << c.def->name << " of " << x.number(i);
      }
    }
  }
}

TEST(ArithReal, NanStaysItself) {
  Array x(ElementType::F32, 64);
  for (size_t i = 0; i < x.count; ++i)
    x.set_bits(i, 0x7fc00000u | uint32_t(i / 2 * 0x1f355u & 0x3fffff) | (i % 2 == 0 ? 0 : kSign));
  for (const OpDef* def : {&kArithErf, &kArithTanh, &kArithLogistic, &kArithExp, &kArithExp2,
                           &kArithExpm1, &kArithSin, &kArithCos, &kArithRsqrt}) {
    for (LoopPath path : kPaths) {
      if (!convert_path_supported(path)) continue;
      ASSERT_EQ(run_op(*def, {&x}, ElementType::F32, path).data, x.data) << def->name;
    }
  }
}

TEST(ArithReal, RsqrtOfWhatHasNoReciprocalRoot) {
  Array x(ElementType::F32, 6);
  const float values[] = {0.0f, -0.0f, -1.0f, INFINITY, -INFINITY, 0x1p-149f};
  for (size_t i = 0; i < x.count; ++i) x.set_bits(i, std::bit_cast<uint32_t>(values[i]));
  const Array out = run_op(kArithRsqrt, {&x}, ElementType::F32);
  EXPECT_EQ(out.number(0), INFINITY);
  EXPECT_EQ(out.number(1), -INFINITY);
  EXPECT_TRUE(std::isnan(out.number(2)));
  EXPECT_EQ(out.bits(3), 0u);
  EXPECT_TRUE(std::isnan(out.number(4)));
  EXPECT_NEAR(out.number(5) / 0x1.6a09e667f3bcdp+74, 1, 0x1p-23);
}

// Angles for which the quarters of pi are counted in f32, in f64 and by the C library, alone and
// side by side.
TEST(ArithReal, AnglesOfAllSizes) {
  Array x(ElementType::F32, 5 * 512);
  for (size_t i = 0; i < x.count; ++i) {
    const int exponent = i < 512 ? 17 : i < 1024 ? int(10 + i % 40) : i % 97 == 0 ? 60 : 3;
    const float value = std::ldexp(1 + float(i) / float(x.count), exponent);
    x.set_bits(i, std::bit_cast<uint32_t>(i % 3 == 0 ? -value : value));
  }
  const Array sin = run_op(kArithSin, {&x}, ElementType::F32);
  const Array cos = run_op(kArithCos, {&x}, ElementType::F32);
  for (size_t i = 0; i < x.count; ++i) {
    const double expected[] = {std::sin(x.number(i)), std::cos(x.number(i))};
    EXPECT_NEAR(sin.number(i) / expected[0], 1, 0x1p-22) << x.number(i);
    EXPECT_NEAR(cos.number(i) / expected[1], 1, 0x1p-22) << x.number(i);
  }
}

// The products of a GPU, not the nearest value, which is within 1.5 units of them.
TEST(ArithReal, CubesOfF32AreTwoProducts) {
  const Array x = positive_codes(1.58f, 1.59f);
  const Attributes attributes = {{"y", int64_t{3}}};
  for (LoopPath path : kPaths) {
    if (!convert_path_supported(path)) continue;
    const Array out = run_op(kArithIntegerPow, {&x}, ElementType::F32, path, attributes);
    for (size_t i = 0; i < x.count; ++i) {
      const auto value = std::bit_cast<float>(uint32_t(x.bits(i)));
      const float square = value * value;
      ASSERT_EQ(out.bits(i), std::bit_cast<uint32_t>(value * square)) << value;
      const double exact = x.number(i) * x.number(i) * x.number(i);
      if (exact > 0x1p-126 && exact < 0x1.fffffep127) {
        ASSERT_LE(std::fabs(out.number(i) / exact - 1), 1.5 * 0x1p-23) << value;
      }
    }
  }
}

}  // namespace
}  // namespace pallasite
