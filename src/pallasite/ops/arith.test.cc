#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "pallasite/ops/arith_test_arrays.h"

namespace pallasite {

#define PALLASITE_OP(X) extern const OpDef k##X;
#include "pallasite/ops/ops.def"
#undef PALLASITE_OP

namespace {

using test::adversarial_array;
using test::adversarial_pairs;
using test::Array;
using test::float_bits;
using test::kFloatTypes;
using test::kIntegerTypes;
using test::run_op;
using test::run_scalar;
using test::wrapped_bits;

using Inputs = std::vector<const Array*>;

bool is_nan(const Array& array, size_t i) {
  return is_float(array.element) && std::isnan(array.number(i));
}

std::string show(const OpDef& def, const Inputs& inputs, size_t i) {
  std::string text = std::string(def.name) + " " + std::string(element_name(inputs[0]->element));
  for (const Array* input : inputs) text += " 0x" + std::to_string(input->bits(i));
  return text;
}

// The variants of one op agree to the bit: instruction sets, positions in an array, in place, and
// the scalar instruction.
void expect_variants_agree(const OpDef& def, const Inputs& inputs, ElementType result,
                           const Attributes& attributes = {}) {
  const Array expected = run_op(def, inputs, result, LoopPath::Portable, attributes);
  for (LoopPath path : {LoopPath::Avx2, LoopPath::Avx512, LoopPath::Best}) {
    if (!convert_path_supported(path)) continue;
    const Array actual = run_op(def, inputs, result, path, attributes);
    for (size_t i = 0; i < expected.count; ++i)
      ASSERT_EQ(actual.bits(i), expected.bits(i)) << show(def, inputs, i) << " path " << int(path);
    // Short arrays take the code after the vector loop.
    for (size_t i = 0; i < expected.count; i += 1 + expected.count / 64) {
      const size_t n = std::min<size_t>(1 + i % 5, expected.count - i);
      std::vector<Array> parts;
      Inputs part_inputs;
      for (const Array* input : inputs) {
        parts.emplace_back(input->element, n);
        for (size_t j = 0; j < n; ++j) parts.back().set_bits(j, input->bits(i + j));
      }
      for (const Array& part : parts) part_inputs.push_back(&part);
      const Array part = run_op(def, part_inputs, result, path, attributes);
      for (size_t j = 0; j < n; ++j)
        ASSERT_EQ(part.bits(j), expected.bits(i + j)) << show(def, inputs, i + j);
    }
    if (inputs[0]->element == result) {
      Array in_place = *inputs[0];
      std::vector<const void*> pointers = {in_place.data.data()};
      for (size_t k = 1; k < inputs.size(); ++k) pointers.push_back(inputs[k]->data.data());
      const ElementFunction function =
          test::function_of(def, inputs, result, path, attributes, int64_t(expected.count));
      function.kernel.loop(in_place.data.data(), pointers.data(), expected.count,
                           function.immediate.get());
      ASSERT_EQ(in_place.data, expected.data) << def.name << " in place";
    }
  }
  Array scalars(result, expected.count);
  for (size_t i = 0; i < expected.count; i += 1 + expected.count / 512) {
    if (!run_scalar(def, inputs, i, attributes, scalars)) break;
    ASSERT_EQ(scalars.bits(i), expected.bits(i)) << show(def, inputs, i) << " as a scalar";
  }
}

// --- integers ---

struct IntegerCase {
  const OpDef* def;
  // The exact result, before it wraps to `bits`.
  __int128 (*reference)(__int128 x, __int128 y, int bits);
};

// Without two's complement: the unsigned value of the low bits.
__int128 low_bits(__int128 x, int bits) {
  const __int128 modulus = __int128(1) << bits;
  return ((x % modulus) + modulus) % modulus;
}

bool upper_bit(__int128 x, int bits) {
  return low_bits(x, bits) >= __int128(1) << (bits - 1);
}

__int128 shifted_right_arithmetic(__int128 x, __int128 y, int bits) {
  const __int128 amount = std::min<__int128>(low_bits(y, bits), bits);
  const __int128 value = low_bits(x, bits) - (upper_bit(x, bits) ? __int128(1) << bits : 0);
  return value >> int(amount);
}

const IntegerCase kIntegerBinary[] = {
    {&kArithAdd, [](__int128 x, __int128 y, int) { return x + y; }},
    {&kArithSub, [](__int128 x, __int128 y, int) { return x - y; }},
    {&kArithMul,
     [](__int128 x, __int128 y, int) {
       return static_cast<__int128>(static_cast<unsigned __int128>(x) *
                                    static_cast<unsigned __int128>(y));
     }},
    {&kArithDiv, [](__int128 x, __int128 y, int) { return y == 0 ? __int128(-1) : x / y; }},
    {&kArithRem, [](__int128 x, __int128 y, int) { return y == 0 ? x : x % y; }},
    {&kArithAnd, [](__int128 x, __int128 y, int) { return x & y; }},
    {&kArithOr, [](__int128 x, __int128 y, int) { return x | y; }},
    {&kArithXor, [](__int128 x, __int128 y, int) { return x ^ y; }},
    {&kArithMax, [](__int128 x, __int128 y, int) { return std::max(x, y); }},
    {&kArithMin, [](__int128 x, __int128 y, int) { return std::min(x, y); }},
    {&kArithShiftLeft,
     [](__int128 x, __int128 y, int bits) {
       const __int128 amount = low_bits(y, bits);
       return amount >= bits ? 0 : low_bits(x, bits) * (__int128(1) << int(amount));
     }},
    {&kArithShiftRightLogical,
     [](__int128 x, __int128 y, int bits) {
       const __int128 amount = low_bits(y, bits);
       return amount >= bits ? 0 : low_bits(x, bits) >> int(amount);
     }},
    {&kArithShiftRightArithmetic, shifted_right_arithmetic},
};

TEST(ArithIntegers, BinaryOpsEqualExactArithmetic) {
  for (ElementType element : kIntegerTypes) {
    const auto [x, y] = adversarial_pairs(element, element);
    const int bits = element_info(element).storage_bits;
    for (const IntegerCase& c : kIntegerBinary) {
      const Array out = run_op(*c.def, {&x, &y}, element);
      for (size_t i = 0; i < out.count; ++i) {
        const __int128 expected = c.reference(x.integer(i), y.integer(i), bits);
        ASSERT_EQ(out.bits(i), wrapped_bits(element, expected)) << show(*c.def, {&x, &y}, i);
      }
      expect_variants_agree(*c.def, {&x, &y}, element);
    }
  }
}

struct TestCase {
  const OpDef* def;
  bool (*integers)(__int128 x, __int128 y);
  bool (*floats)(double x, double y);
};

const TestCase kTests[] = {
    {&kArithEq, [](__int128 x, __int128 y) { return x == y; },
     [](double x, double y) { return x == y; }},
    {&kArithNe, [](__int128 x, __int128 y) { return x != y; },
     [](double x, double y) { return x != y; }},
    {&kArithLt, [](__int128 x, __int128 y) { return x < y; },
     [](double x, double y) { return x < y; }},
    {&kArithLe, [](__int128 x, __int128 y) { return x <= y; },
     [](double x, double y) { return x <= y; }},
    {&kArithGt, [](__int128 x, __int128 y) { return x > y; },
     [](double x, double y) { return x > y; }},
    {&kArithGe, [](__int128 x, __int128 y) { return x >= y; },
     [](double x, double y) { return x >= y; }},
};

TEST(ArithTests, ComparisonsOfAllTypes) {
  std::vector<ElementType> elements(std::begin(kIntegerTypes), std::end(kIntegerTypes));
  elements.push_back(ElementType::Bool);
  elements.insert(elements.end(), std::begin(kFloatTypes), std::end(kFloatTypes));
  for (ElementType element : elements) {
    const auto [x, y] = adversarial_pairs(element, element);
    for (const TestCase& c : kTests) {
      const Array out = run_op(*c.def, {&x, &y}, ElementType::Bool);
      for (size_t i = 0; i < out.count; ++i) {
        const bool expected = is_float(element) ? c.floats(x.number(i), y.number(i))
                                                : c.integers(x.integer(i), y.integer(i));
        ASSERT_EQ(out.bits(i), expected ? 1u : 0u) << show(*c.def, {&x, &y}, i);
      }
      expect_variants_agree(*c.def, {&x, &y}, ElementType::Bool);
    }
  }
}

__int128 count_bits(__int128 x, int bits) {
  int n = 0;
  for (int i = 0; i < bits; ++i) n += int(low_bits(x, bits) >> i & 1);
  return n;
}

__int128 count_leading_zeros(__int128 x, int bits) {
  int n = 0;
  while (n < bits && (low_bits(x, bits) >> (bits - 1 - n) & 1) == 0) ++n;
  return n;
}

const IntegerCase kIntegerUnary[] = {
    {&kArithNeg, [](__int128 x, __int128, int) { return -x; }},
    {&kArithNot, [](__int128 x, __int128, int) { return -1 - x; }},
    {&kArithAbs, [](__int128 x, __int128, int) { return x < 0 ? -x : x; }},
    {&kArithSign, [](__int128 x, __int128, int) { return __int128(x > 0) - __int128(x < 0); }},
    {&kArithSquare,
     [](__int128 x, __int128, int) {
       const auto u = static_cast<unsigned __int128>(x);
       return static_cast<__int128>(u * u);
     }},
    {&kArithOneMinusSquare,
     [](__int128 x, __int128, int) {
       const auto u = static_cast<unsigned __int128>(x);
       return static_cast<__int128>(1 - u * u);
     }},
    {&kArithClz, [](__int128 x, __int128, int bits) { return count_leading_zeros(x, bits); }},
    {&kArithPopulationCount, [](__int128 x, __int128, int bits) { return count_bits(x, bits); }},
};

TEST(ArithIntegers, UnaryOpsEqualExactArithmetic) {
  for (ElementType element : kIntegerTypes) {
    const Array x = adversarial_array(element);
    const int bits = element_info(element).storage_bits;
    for (const IntegerCase& c : kIntegerUnary) {
      const Array out = run_op(*c.def, {&x}, element);
      for (size_t i = 0; i < out.count; ++i) {
        const __int128 expected = c.reference(x.integer(i), 0, bits);
        ASSERT_EQ(out.bits(i), wrapped_bits(element, expected)) << show(*c.def, {&x}, i);
      }
      expect_variants_agree(*c.def, {&x}, element);
    }
  }
}

TEST(ArithIntegers, PowersWrap) {
  for (ElementType element : kIntegerTypes) {
    const Array x = adversarial_array(element);
    for (int64_t y : {0, 1, 2, 3, 7, 10, 64}) {
      const Array out = run_op(kArithIntegerPow, {&x}, element, LoopPath::Best, {{"y", y}});
      for (size_t i = 0; i < out.count; ++i) {
        auto expected = static_cast<unsigned __int128>(1);
        for (int64_t k = 0; k < y; ++k) expected *= static_cast<unsigned __int128>(x.integer(i));
        ASSERT_EQ(out.bits(i), wrapped_bits(element, static_cast<__int128>(expected)))
            << show(kArithIntegerPow, {&x}, i) << " y " << y;
      }
      expect_variants_agree(kArithIntegerPow, {&x}, element, {{"y", y}});
    }
  }
}

TEST(ArithBools, LogicalOps) {
  const auto pairs = adversarial_pairs(ElementType::Bool, ElementType::Bool);
  const Array &x = pairs.first, &y = pairs.second;
  const auto expect = [&](const OpDef& def, std::vector<uint64_t> expected) {
    const Array out = run_op(def, {&x, &y}, ElementType::Bool);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(out.bits(i), expected[i]) << def.name << i;
  };
  expect(kArithAnd, {0, 0, 0, 1});
  expect(kArithOr, {0, 1, 1, 1});
  expect(kArithXor, {0, 1, 1, 0});
  expect(kArithMax, {0, 1, 1, 1});
  expect(kArithMin, {0, 0, 0, 1});
  const Array inverted = run_op(kArithNot, {&x}, ElementType::Bool);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(inverted.bits(i), 1 - x.bits(i));
}

// --- floats ---

struct FloatCase {
  const OpDef* def;
  // With so many bits more than f32 that rounding twice is as good as once.
  double (*reference)(double x, double y);
};

double ordered_max(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return NAN;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double ordered_min(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return NAN;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

double sign_of(double x) {
  if (std::isnan(x) || x == 0) return x;
  return x < 0 ? -1 : 1;
}

const FloatCase kFloatBinary[] = {
    {&kArithAdd, [](double x, double y) { return x + y; }},
    {&kArithSub, [](double x, double y) { return x - y; }},
    {&kArithMul, [](double x, double y) { return x * y; }},
    {&kArithDiv, [](double x, double y) { return x / y; }},
    {&kArithRem, [](double x, double y) { return std::fmod(x, y); }},
    {&kArithMax, ordered_max},
    {&kArithMin, ordered_min},
    {&kArithCopysign, [](double x, double y) { return std::copysign(x, y); }},
};

const FloatCase kFloatUnary[] = {
    {&kArithNeg, [](double x, double) { return -x; }},
    {&kArithAbs, [](double x, double) { return std::fabs(x); }},
    {&kArithSign, [](double x, double) { return sign_of(x); }},
    {&kArithSquare, [](double x, double) { return x * x; }},
    {&kArithSqrt, [](double x, double) { return std::sqrt(x); }},
    {&kArithFloor, [](double x, double) { return std::floor(x); }},
    {&kArithCeil, [](double x, double) { return std::ceil(x); }},
};

void expect_float(const OpDef& def, const Inputs& inputs, const Array& out, size_t i,
                  double expected) {
  // Small floats are computed as f32, so that is where a tiny e8m0 product becomes zero.
  if (out.element != ElementType::F64) expected = float(expected);
  if (std::isnan(expected) && element_info(out.element).has_nan()) {
    ASSERT_TRUE(is_nan(out, i)) << show(def, inputs, i);
  } else {
    ASSERT_EQ(out.bits(i), float_bits(out.element, expected)) << show(def, inputs, i);
  }
}

TEST(ArithFloats, BinaryOpsRoundOnce) {
  for (ElementType element : kFloatTypes) {
    const auto [x, y] = adversarial_pairs(element, element);
    for (const FloatCase& c : kFloatBinary) {
      const Array out = run_op(*c.def, {&x, &y}, element);
      for (size_t i = 0; i < out.count; ++i)
        expect_float(*c.def, {&x, &y}, out, i, c.reference(x.number(i), y.number(i)));
      expect_variants_agree(*c.def, {&x, &y}, element);
    }
  }
}

TEST(ArithFloats, UnaryOpsRoundOnce) {
  for (ElementType element : kFloatTypes) {
    const Array x = adversarial_array(element);
    for (const FloatCase& c : kFloatUnary) {
      const Array out = run_op(*c.def, {&x}, element);
      for (size_t i = 0; i < out.count; ++i)
        expect_float(*c.def, {&x}, out, i, c.reference(x.number(i), 0));
      expect_variants_agree(*c.def, {&x}, element);
    }
    const Array finite = run_op(kArithIsFinite, {&x}, ElementType::Bool);
    for (size_t i = 0; i < x.count; ++i)
      ASSERT_EQ(finite.bits(i), std::isfinite(x.number(i)) ? 1u : 0u);
    expect_variants_agree(kArithIsFinite, {&x}, ElementType::Bool);
  }
}

TEST(ArithFloats, RoundsTiesBothWays) {
  for (ElementType element : kFloatTypes) {
    const Array x = adversarial_array(element);
    for (bool away : {false, true}) {
      const Attributes attributes = {{"method", std::string(away ? "away" : "even")}};
      const Array out = run_op(kArithRound, {&x}, element, LoopPath::Best, attributes);
      for (size_t i = 0; i < out.count; ++i) {
        const double v = x.number(i);
        const double down = std::floor(v), up = std::ceil(v);
        double expected = v - down < up - v ? down : up;
        if (v - down == up - v) {
          const bool down_is_even = std::fmod(down, 2) == 0;
          expected = away ? (v > 0 ? up : down) : (down_is_even ? down : up);
        }
        if (down == up) expected = v;
        if (!std::isnan(v)) expected = std::copysign(expected, v);
        expect_float(kArithRound, {&x}, out, i, expected);
      }
      expect_variants_agree(kArithRound, {&x}, element, attributes);
    }
  }
}

TEST(ArithFloats, LibraryFunctionsAreWithinTwoUnits) {
  struct Case {
    const OpDef* def;
    double (*reference)(double);
  };
  const Case cases[] = {
      {&kArithCbrt, std::cbrt},
      {&kArithExp, std::exp},
      {&kArithExp2, std::exp2},
      {&kArithExpm1, std::expm1},
      {&kArithLog, std::log},
      {&kArithLog1p, std::log1p},
      {&kArithLog2, std::log2},
      {&kArithSin, std::sin},
      {&kArithCos, std::cos},
      {&kArithTan, std::tan},
      {&kArithTanh, std::tanh},
      {&kArithErf, std::erf},
      {&kArithRsqrt, [](double x) { return 1 / std::sqrt(x); }},
      {&kArithLogistic, [](double x) { return 1 / (1 + std::exp(-x)); }},
  };
  for (const Case& c : cases) {
    for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
      const Array x = adversarial_array(element);
      const Array out = run_op(*c.def, {&x}, element);
      for (size_t i = 0; i < x.count; ++i) {
        const double expected = c.reference(x.number(i));
        if (std::isnan(expected)) {
          ASSERT_TRUE(is_nan(out, i)) << show(*c.def, {&x}, i);
          continue;
        }
        // Codes of one sign are ordered as their values are.
        const int64_t distance = int64_t(out.bits(i)) - int64_t(float_bits(element, expected));
        ASSERT_LE(std::abs(distance), 2) << show(*c.def, {&x}, i);
      }
      expect_variants_agree(*c.def, {&x}, element);
    }
  }
}

TEST(ArithFloats, PowAndAtan2OfSpecialValues) {
  for (ElementType element : {ElementType::F32, ElementType::F64, ElementType::BF16}) {
    const auto [x, y] = adversarial_pairs(element, element);
    const Array power = run_op(kArithPow, {&x, &y}, element);
    const Array angle = run_op(kArithAtan2, {&x, &y}, element);
    for (size_t i = 0; i < x.count; ++i) {
      const double expected[] = {std::pow(x.number(i), y.number(i)),
                                 std::atan2(x.number(i), y.number(i))};
      const Array* outs[] = {&power, &angle};
      for (int k = 0; k < 2; ++k) {
        if (std::isnan(expected[k])) {
          ASSERT_TRUE(is_nan(*outs[k], i));
        } else {
          const int64_t distance =
              int64_t(outs[k]->bits(i)) - int64_t(float_bits(element, expected[k]));
          ASSERT_LE(std::abs(distance), 2) << x.number(i) << " " << y.number(i);
        }
      }
    }
    expect_variants_agree(kArithPow, {&x, &y}, element);
  }
}

TEST(ArithFloats, PolynomialsMultiplyInOrder) {
  const Array x = adversarial_array(ElementType::F32);
  const Array product = run_op(kArithOneMinusSquare, {&x}, ElementType::F32);
  for (size_t i = 0; i < x.count; ++i) {
    const auto v = float(x.number(i));
    const float above = 1 + v, below = 1 - v;
    expect_float(kArithOneMinusSquare, {&x}, product, i, above * below);
  }
  const Array out =
      run_op(kArithIntegerPow, {&x}, ElementType::F32, LoopPath::Best, {{"y", int64_t(-5)}});
  for (size_t i = 0; i < x.count; ++i) {
    // In f64, where the fifth power of an f32 is exact but for the last digits.
    const double v = x.number(i);
    expect_float(kArithIntegerPow, {&x}, out, i, 1 / (v * v * v * v * v));
  }
}

TEST(ArithFloats, PowersMultiplyByRepeatedSquaring) {
  // Those with straight-line code of their own, and those of the loop over bits.
  std::vector<int64_t> exponents = {
      15, -15, 21, 64, -100, 1001, std::numeric_limits<int64_t>::min()};
  for (int64_t y = -10; y <= 10; ++y) exponents.push_back(y);
  for (ElementType element :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16}) {
    const Array awkward = adversarial_array(element);
    // More than two blocks of the loop over bits, with a rest.
    Array x(element, std::max<size_t>(awkward.count, 2 * 256 + 77));
    for (size_t i = 0; i < x.count; ++i) {
      // Beside the awkward values those whose powers are numbers.
      const double near_1 = 1 + (double(i % 97) - 48) / 64;
      x.set_bits(i, i % 2 == 0 ? awkward.bits(i % awkward.count) : float_bits(element, near_1));
    }
    for (int64_t y : exponents) {
      const Attributes attributes = {{"y", y}};
      const Array out = run_op(kArithIntegerPow, {&x}, element, LoopPath::Best, attributes);
      for (size_t i = 0; i < out.count; ++i) {
        double power = x.number(i), expected = 1;
        bool first = true;
        for (uint64_t rest = y < 0 ? 0 - uint64_t(y) : uint64_t(y); rest != 0; rest /= 2) {
          if (rest % 2 != 0) expected = std::exchange(first, false) ? power : expected * power;
          power *= power;
        }
        if (y < 0) expected = 1 / expected;
        if (y == 3 && element == ElementType::F32) {
          // Two products in f32, each rounded.
          const auto value = float(x.number(i));
          const float square = value * value;
          expected = value * square;
        }
        if (std::isnan(expected)) {
          ASSERT_TRUE(is_nan(out, i)) << show(kArithIntegerPow, {&x}, i) << " y " << y;
        } else {
          ASSERT_EQ(out.bits(i), float_bits(element, expected))
              << show(kArithIntegerPow, {&x}, i) << " y " << y;
        }
      }
      expect_variants_agree(kArithIntegerPow, {&x}, element, attributes);
    }
  }
}

TEST(ArithFloats, NextafterStepsByOneCode) {
  for (ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    const auto [x, y] = adversarial_pairs(element, element);
    const Array out = run_op(kArithNextafter, {&x, &y}, element);
    for (size_t i = 0; i < x.count; ++i) {
      const double from = x.number(i), to = y.number(i);
      if (std::isnan(from) || std::isnan(to)) {
        ASSERT_TRUE(is_nan(out, i));
        continue;
      }
      const double next = out.number(i);
      if (from == to) {
        ASSERT_EQ(out.bits(i), y.bits(i));
        continue;
      }
      ASSERT_TRUE(from < to ? next > from && next <= to : next < from && next >= to)
          << show(kArithNextafter, {&x, &y}, i);
      // No value lies between: the codes are neighbours, or zero is passed.
      const uint64_t sign = uint64_t(1) << (element_info(element).storage_bits - 1);
      const int64_t a = int64_t(x.bits(i) & ~sign), b = int64_t(out.bits(i) & ~sign);
      ASSERT_EQ(std::abs(a - b), 1) << show(kArithNextafter, {&x, &y}, i);
    }
    expect_variants_agree(kArithNextafter, {&x, &y}, element);
  }
}

// --- clamp, select_n, convert ---

TEST(ArithClamp, ArraysAndScalars) {
  for (ElementType element : {ElementType::S8, ElementType::U32, ElementType::S4, ElementType::F32,
                              ElementType::F16, ElementType::F64, ElementType::F8E4M3FN}) {
    const auto [x, y] = adversarial_pairs(element, element);
    Array low(element, 1), high(element, 1);
    low.set_bits(0, is_float(element) ? float_bits(element, -1) : wrapped_bits(element, -3));
    high.set_bits(0, is_float(element) ? float_bits(element, 2.5) : wrapped_bits(element, 2));
    for (const Array* lo : Inputs{&y, &low}) {
      for (const Array* hi : Inputs{&y, &high}) {
        const Array out = run_op(kArithClamp, {lo, &x, hi}, element);
        for (size_t i = 0; i < out.count; ++i) {
          const size_t l = lo == &low ? 0 : i, h = hi == &high ? 0 : i;
          if (is_float(element)) {
            expect_float(kArithClamp, {&x}, out, i,
                         ordered_min(ordered_max(lo->number(l), x.number(i)), hi->number(h)));
          } else {
            ASSERT_EQ(out.integer(i),
                      std::min(std::max(lo->integer(l), x.integer(i)), hi->integer(h)));
          }
        }
        for (LoopPath path : {LoopPath::Portable, LoopPath::Avx2, LoopPath::Avx512}) {
          if (!convert_path_supported(path)) continue;
          ASSERT_EQ(run_op(kArithClamp, {lo, &x, hi}, element, path).data, out.data);
        }
      }
    }
    expect_variants_agree(kArithClamp, {&x, &x, &y}, element);
  }
}

TEST(ArithSelect, BoolAndNumberedCases) {
  for (ElementType element : {ElementType::F8E5M2, ElementType::F16, ElementType::S32,
                              ElementType::F64, ElementType::Bool}) {
    const size_t count = 1003;
    std::vector<Array> cases(4, Array(element, count));
    for (size_t k = 0; k < cases.size(); ++k)
      for (size_t i = 0; i < count; ++i) cases[k].set_bits(i, (k * 31 + i * 7) % 251);
    Array flag(ElementType::Bool, count), number(ElementType::S32, count);
    for (size_t i = 0; i < count; ++i) {
      flag.set_bits(i, i * i % 3 == 1);
      number.set_bits(i, uint64_t(int64_t(i % 8) - 2));
    }
    const Array two = run_op(kArithSelectN, {&flag, &cases[0], &cases[1]}, element);
    const Array four =
        run_op(kArithSelectN, {&number, &cases[0], &cases[1], &cases[2], &cases[3]}, element);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(two.bits(i), cases[flag.bits(i)].bits(i));
      const auto index = size_t(std::clamp<int64_t>(int64_t(i % 8) - 2, 0, 3));
      ASSERT_EQ(four.bits(i), cases[index].bits(i));
    }
    for (uint64_t which : {0, 1}) {
      Array scalar(ElementType::Bool, 1);
      scalar.set_bits(0, which);
      const Array out = run_op(kArithSelectN, {&scalar, &cases[2], &cases[3]}, element);
      ASSERT_EQ(out.data, cases[2 + which].data);
    }
    expect_variants_agree(kArithSelectN, {&flag, &cases[0], &cases[1]}, element);
  }
}

TEST(ArithConvert, GoesThroughTheConversionsOfNumerics) {
  const Array x = adversarial_array(ElementType::F32);
  const Array out = run_op(kArithConvert, {&x}, ElementType::S8);
  for (size_t i = 0; i < x.count; ++i) {
    const double v = x.number(i);
    const double expected = std::isnan(v) ? 0 : std::trunc(std::clamp(v, -128.0, 127.0));
    ASSERT_EQ(out.integer(i), __int128(expected));
  }
  expect_variants_agree(kArithConvert, {&x}, ElementType::F16);
}

}  // namespace
}  // namespace pallasite
