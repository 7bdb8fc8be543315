// Expected values come from a slow reference: decoding by ldexp from the format's definition,
// encoding by a search for the nearest code in the table of all decoded values.
#include "pallasite/numerics/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace pallasite {
namespace {

using enum ElementType;

constexpr ElementType kSmallFloats[] = {F8E5M2,     F8E4M3FN,      F8E4M3,     F8E3M4,
                                        F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2FNUZ, F8E8M0FNU,
                                        F4E2M1FN,   F6E2M3FN,      F6E3M2FN};

double reference_decode(ElementType type, uint32_t code) {
  const ElementInfo& info = element_info(type);
  const int field = int(code >> info.mantissa_bits) & ((1 << info.exponent_bits) - 1);
  const int mantissa = int(code) & ((1 << info.mantissa_bits) - 1);
  const bool negative = info.is_signed && (code >> (info.storage_bits - 1) & 1) != 0;
  const bool all_ones = field == (1 << info.exponent_bits) - 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (type == F8E8M0FNU) return code == 0xff ? nan : std::ldexp(1.0, int(code) - 127);
  switch (info.specials) {
    case FloatSpecials::Ieee:
      if (all_ones) return mantissa != 0 ? nan : negative ? -HUGE_VAL : HUGE_VAL;
      break;
    case FloatSpecials::NanOnly:
      if (all_ones && mantissa == (1 << info.mantissa_bits) - 1) return nan;
      break;
    case FloatSpecials::NanIsNegativeZero:
      if (negative && field == 0 && mantissa == 0) return nan;
      break;
    default:
      break;
  }
  const double fraction = std::ldexp(double(mantissa), -info.mantissa_bits);
  const double value = field == 0 ? std::ldexp(fraction, 1 - info.bias)
                                  : std::ldexp(1.0 + fraction, field - info.bias);
  return negative ? -value : value;
}

// All finite magnitudes of a format in code order.
std::vector<double> magnitudes(ElementType type) {
  const ElementInfo& info = element_info(type);
  std::vector<double> values;
  for (uint32_t code = 0; code < (1u << (info.exponent_bits + info.mantissa_bits)); ++code) {
    const double value = reference_decode(type, code);
    if (!std::isfinite(value)) break;
    values.push_back(value);
  }
  return values;
}

// Not for e8m0.
uint32_t reference_encode(ElementType type, const std::vector<double>& table, double value) {
  const ElementInfo& info = element_info(type);
  const uint32_t sign_bit = 1u << (info.storage_bits - 1);
  const uint32_t exponent_ones = ((1u << info.exponent_bits) - 1) << info.mantissa_bits;
  const uint32_t sign = std::signbit(value) ? sign_bit : 0;
  if (std::isnan(value)) {
    switch (info.specials) {
      case FloatSpecials::Ieee:
        return sign | exponent_ones | (1u << (info.mantissa_bits - 1));
      case FloatSpecials::NanOnly:
        return sign | (sign_bit - 1);
      default:
        return sign_bit;
    }
  }
  const double magnitude = std::fabs(value);
  uint32_t code = 0;
  // The first code out of range, as if the format had one exponent more.
  const double last = table.back();
  const double next = last + (last - table[table.size() - 2]);
  const double limit = last + (next - last) / 2;
  const bool last_is_odd = ((table.size() - 1) & 1) != 0;
  if (magnitude > limit || (magnitude == limit && last_is_odd)) {
    switch (info.specials) {
      case FloatSpecials::Ieee:
        return sign | exponent_ones;
      case FloatSpecials::NanOnly:
        return sign | (sign_bit - 1);
      case FloatSpecials::NanIsNegativeZero:
        return sign_bit;
      default:
        return sign | uint32_t(table.size() - 1);
    }
  }
  const auto above = std::lower_bound(table.begin(), table.end(), magnitude);
  if (above == table.end()) {
    code = uint32_t(table.size() - 1);
  } else {
    code = uint32_t(above - table.begin());
    if (*above != magnitude) {
      const double distance_up = *above - magnitude;
      const double distance_down = magnitude - table[code - 1];
      if (distance_down < distance_up || (distance_down == distance_up && (code & 1) != 0)) --code;
    }
  }
  if (info.specials == FloatSpecials::NanIsNegativeZero && code == 0) return 0;
  return sign | code;
}

std::vector<ConvertPath> paths() {
  std::vector<ConvertPath> result;
  for (const ConvertPath path :
       {ConvertPath::Portable, ConvertPath::Avx2, ConvertPath::Avx512, ConvertPath::Best})
    if (convert_path_supported(path)) result.push_back(path);
  return result;
}

template <typename To, typename From>
std::vector<To> converted(ElementType from, const std::vector<From>& src, ElementType to,
                          ConvertPath path = ConvertPath::Best) {
  std::vector<To> dst(src.size() + 1);
  std::memset(&dst.back(), 0x5c, sizeof(To));
  To guard;
  std::memset(&guard, 0x5c, sizeof(To));
  convert(from, src.data(), to, dst.data(), src.size(), path);
  EXPECT_EQ(std::memcmp(&dst.back(), &guard, sizeof(To)), 0) << "wrote past the end";
  dst.pop_back();
  return dst;
}

template <typename To, typename From>
To convert_one(ElementType from, From value, ElementType to) {
  return converted<To>(from, std::vector<From>{value}, to)[0];
}

void expect_same_value(float got, double expected, uint32_t code) {
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(got)) << "code " << code;
  } else {
    ASSERT_EQ(double(got), expected) << "code " << code;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << "code " << code;
  }
}

TEST(Convert, AllCodesOfF16AndBf16ToF32AndBack) {
  std::vector<uint16_t> codes(65536);
  for (uint32_t i = 0; i < 65536; ++i) codes[i] = uint16_t(i);
  for (const ElementType type : {F16, BF16}) {
    for (const ConvertPath path : paths()) {
      const auto values = converted<float>(type, codes, F32, path);
      const auto back = converted<uint16_t>(F32, values, type, path);
      for (uint32_t i = 0; i < 65536; ++i) {
        const double expected = reference_decode(type, i);
        expect_same_value(values[i], expected, i);
        if (!std::isnan(expected)) {
          ASSERT_EQ(back[i], i);
        } else if (type == F16) {
          ASSERT_EQ(back[i], i | 0x200);
        } else {
          ASSERT_EQ(back[i], (i & 0x8000) | 0x7fc0);
        }
      }
    }
  }
}

TEST(Convert, AllCodesOfSmallFloatsToF32F64F16AndBack) {
  for (const ElementType type : kSmallFloats) {
    SCOPED_TRACE(element_name(type));
    const uint32_t count = 1u << element_info(type).storage_bits;
    std::vector<uint8_t> codes(count);
    for (uint32_t i = 0; i < count; ++i) codes[i] = uint8_t(i);
    const auto f32 = converted<float>(type, codes, F32);
    const auto f64 = converted<double>(type, codes, F64);
    const auto bf16 = converted<uint16_t>(type, codes, BF16);
    const auto bf16_values = converted<float>(BF16, bf16, F32);
    const auto back = converted<uint8_t>(F32, f32, type);
    const auto back64 = converted<uint8_t>(F64, f64, type);
    for (uint32_t i = 0; i < count; ++i) {
      const double expected = reference_decode(type, i);
      expect_same_value(f32[i], expected, i);
      expect_same_value(float(f64[i]), expected, i);
      // bf16 holds every small float exactly.
      expect_same_value(bf16_values[i], expected, i);
      expect_same_value(decode_small_float(type, uint8_t(i)), expected, i);
      // Its code is that of a negative zero, but it is not negative.
      if (type == F8E4M3FNUZ && std::isnan(expected)) {
        EXPECT_FALSE(std::signbit(f32[i]));
      }
      if (!std::isnan(expected)) {
        ASSERT_EQ(back[i], i);
        ASSERT_EQ(back64[i], i);
      }
    }
  }
}

TEST(Convert, E8m0IsThePowerOfTwoNearestWithTiesUp) {
  const auto encode = [](float value) { return convert_one<uint8_t>(F32, value, F8E8M0FNU); };
  EXPECT_EQ(encode(1.0f), 127);
  EXPECT_EQ(encode(0.75f), 127);
  EXPECT_EQ(encode(1.5f), 128);
  EXPECT_EQ(encode(2.5f), 128);
  EXPECT_EQ(encode(3.0f), 129);
  EXPECT_EQ(encode(6.0f), 130);
  EXPECT_EQ(encode(std::nextafter(3.0f, 0.0f)), 128);
  EXPECT_EQ(encode(0x1p-127f), 0);
  EXPECT_EQ(encode(0x1p-149f), 0);
  EXPECT_EQ(encode(0x1.4p-127f), 0);
  EXPECT_EQ(encode(0x1.8p-127f), 1);
  EXPECT_EQ(encode(0x1.4p127f), 254);
  for (const float value : {0.0f, -0.0f, -1.0f, HUGE_VALF, -HUGE_VALF, NAN, 0x1.8p127f})
    EXPECT_EQ(encode(value), 0xff) << value;
  EXPECT_EQ(convert_one<uint8_t>(F64, 1e-300, F8E8M0FNU), 0);
  EXPECT_EQ(convert_one<uint8_t>(F64, 1e300, F8E8M0FNU), 0xff);
}

// Around every code of the format: the value, both midpoints, and one unit beside each.
std::vector<float> samples_around(const std::vector<double>& table) {
  std::vector<float> samples = {0.0f,      -0.0f,  HUGE_VALF, -HUGE_VALF, NAN,     -NAN,
                                0x1p-149f, 1e-40f, -1e-40f,   FLT_MAX,    -FLT_MAX};
  const auto add = [&](double value) {
    const float f = float(value);
    for (const float sample : {std::nextafter(f, -HUGE_VALF), f, std::nextafter(f, HUGE_VALF)}) {
      samples.push_back(sample);
      samples.push_back(-sample);
    }
  };
  for (size_t i = 0; i < table.size(); ++i) {
    add(table[i]);
    if (i > 0) add((table[i] + table[i - 1]) / 2);
  }
  const double last = table.back();
  const double step = last - table[table.size() - 2];
  add(last + step / 2);
  add(last + step);
  add(last * 4);
  return samples;
}

void expect_encodes_like_the_reference(ElementType type, const std::vector<float>& samples,
                                       ConvertPath path) {
  const std::vector<double> table = magnitudes(type);
  std::vector<double> wide(samples.begin(), samples.end());
  std::vector<uint32_t> got(samples.size()), got_wide(samples.size());
  if (register_bytes(type) == 1) {
    const auto codes = converted<uint8_t>(F32, samples, type, path);
    const auto codes_wide = converted<uint8_t>(F64, wide, type, path);
    std::copy(codes.begin(), codes.end(), got.begin());
    std::copy(codes_wide.begin(), codes_wide.end(), got_wide.begin());
  } else {
    const auto codes = converted<uint16_t>(F32, samples, type, path);
    const auto codes_wide = converted<uint16_t>(F64, wide, type, path);
    std::copy(codes.begin(), codes.end(), got.begin());
    std::copy(codes_wide.begin(), codes_wide.end(), got_wide.begin());
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    const uint32_t expected = reference_encode(type, table, double(samples[i]));
    ASSERT_EQ(got[i], expected) << samples[i];
    ASSERT_EQ(got_wide[i], expected) << samples[i];
  }
}

TEST(Convert, EncodeAroundEveryCodeAndTie) {
  for (const ElementType type : kSmallFloats) {
    if (type == F8E8M0FNU) continue;
    SCOPED_TRACE(element_name(type));
    expect_encodes_like_the_reference(type, samples_around(magnitudes(type)), ConvertPath::Best);
  }
  for (const ElementType type : {F16, BF16}) {
    for (const ConvertPath path : paths()) {
      SCOPED_TRACE(element_name(type));
      expect_encodes_like_the_reference(type, samples_around(magnitudes(type)), path);
    }
  }
}

TEST(Convert, OverflowOfTheFormatsThatDiffer) {
  const auto encode = [](float value, ElementType type) {
    return int(convert_one<uint8_t>(F32, value, type));
  };
  EXPECT_EQ(encode(464.0f, F8E4M3FN), 0x7e);
  EXPECT_EQ(encode(std::nextafter(464.0f, 1e9f), F8E4M3FN), 0x7f);
  EXPECT_EQ(encode(-HUGE_VALF, F8E4M3FN), 0xff);
  EXPECT_EQ(encode(std::nextafter(61440.0f, 0.0f), F8E5M2), 0x7b);
  EXPECT_EQ(encode(61440.0f, F8E5M2), 0x7c);
  EXPECT_EQ(encode(100.0f, F4E2M1FN), 7);
  EXPECT_EQ(encode(-HUGE_VALF, F4E2M1FN), 15);
  EXPECT_EQ(encode(NAN, F4E2M1FN), 8);
  EXPECT_EQ(encode(-1e-9f, F8E4M3FNUZ), 0);
}

std::vector<uint32_t> random_bits(size_t count) {
  std::mt19937 random(20240607);
  std::vector<uint32_t> bits(count);
  for (uint32_t& b : bits) b = random();
  return bits;
}

TEST(Convert, RandomBitPatternsOfF32AgreeWithTheReference) {
  const auto bits = random_bits(1 << 18);
  std::vector<float> samples(bits.size());
  std::memcpy(samples.data(), bits.data(), bits.size() * 4);
  std::erase_if(samples, [](float value) { return std::isnan(value); });
  for (const ElementType type : {F16, BF16, F8E4M3FN, F8E5M2})
    expect_encodes_like_the_reference(type, samples, ConvertPath::Best);
}

TEST(Convert, PathsGiveTheSameBits) {
  // Odd, so that the tails of the vector loops take part; all NaN payloads too.
  const auto bits = random_bits((1 << 18) + 13);
  std::vector<float> floats(bits.size());
  std::memcpy(floats.data(), bits.data(), bits.size() * 4);
  std::vector<int32_t> ints(bits.begin(), bits.end());
  std::vector<float> moderate(ints.size());
  for (size_t i = 0; i < ints.size(); ++i) moderate[i] = float(ints[i]) * 1.7f;
  for (const ConvertPath path : paths()) {
    const auto same = [&](auto tag, ElementType from, const auto& src, ElementType to) {
      using To = decltype(tag);
      const auto expected = converted<To>(from, src, to, ConvertPath::Portable);
      const auto got = converted<To>(from, src, to, path);
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(To)), 0)
          << element_name(from) << " to " << element_name(to);
    };
    same(uint16_t(), F32, floats, F16);
    same(uint16_t(), F32, floats, BF16);
    same(int32_t(), F32, floats, S32);
    same(int32_t(), F32, moderate, S32);
    same(float(), S32, ints, F32);
    for (const ElementType type : kSmallFloats) same(uint8_t(), F32, floats, type);
    const std::vector<uint16_t> codes(bits.begin(), bits.end());
    same(float(), F16, codes, F32);
    same(float(), BF16, codes, F32);
    same(uint16_t(), F16, codes, BF16);
    same(uint16_t(), BF16, codes, F16);
  }
}

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ((convert_one<int32_t>(F32, NAN, S32)), 0);
  EXPECT_EQ((convert_one<int32_t>(F32, -2.9f, S32)), -2);
  EXPECT_EQ((convert_one<int32_t>(F32, 0x1p31f, S32)), std::numeric_limits<int32_t>::max());
  EXPECT_EQ((convert_one<int32_t>(F32, -HUGE_VALF, S32)), std::numeric_limits<int32_t>::lowest());
  EXPECT_EQ((convert_one<int8_t>(F32, 300.0f, S8)), 127);
  EXPECT_EQ((convert_one<int8_t>(F32, -128.9f, S8)), -128);
  EXPECT_EQ((convert_one<uint8_t>(F32, -0.9f, U8)), 0);
  EXPECT_EQ((convert_one<uint8_t>(F32, -7.0f, U8)), 0);
  EXPECT_EQ((convert_one<uint8_t>(F32, 255.9f, U8)), 255);
  EXPECT_EQ((convert_one<int8_t>(F32, 9.0f, S4)), 7);
  EXPECT_EQ((convert_one<int8_t>(F32, -9.0f, S4)), -8);
  EXPECT_EQ((convert_one<int8_t>(F32, 1.5f, S1)), 0);
  EXPECT_EQ((convert_one<int8_t>(F32, -1.5f, S1)), -1);
  EXPECT_EQ((convert_one<uint8_t>(F32, 1.5f, U1)), 1);
  EXPECT_EQ((convert_one<int64_t>(F32, 0x1p63f, S64)), std::numeric_limits<int64_t>::max());
  EXPECT_EQ((convert_one<int64_t>(F64, -0x1p63, S64)), std::numeric_limits<int64_t>::lowest());
  EXPECT_EQ((convert_one<uint64_t>(F64, 0x1p64, U64)), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ((convert_one<uint64_t>(F64, 0x1p63, U64)), uint64_t(1) << 63);
  EXPECT_EQ((convert_one<uint32_t>(F64, 4294967295.9, U32)), 4294967295u);
  EXPECT_EQ((convert_one<int32_t>(F16, uint16_t(0x7c00), S32)), 2147483647);
  EXPECT_EQ((convert_one<int16_t>(BF16, uint16_t(0xc0a0), S16)), -5);
  EXPECT_EQ((convert_one<int32_t>(F8E4M3FN, uint8_t(0x7e), S32)), 448);
}

TEST(Convert, FloatToS32SaturatesInEveryLane) {
  constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::lowest();
  const std::pair<float, int32_t> cases[] = {{0x1p31f, kHighest},
                                             {0x1.fffffep30f, 2147483520},
                                             {-0x1p31f, kLowest},
                                             {-0x1.000002p31f, kLowest},
                                             {HUGE_VALF, kHighest},
                                             {-HUGE_VALF, kLowest},
                                             {NAN, 0},
                                             {-0.5f, 0},
                                             {-0x1.fffffep30f, -2147483520}};
  for (const ConvertPath path : paths()) {
    for (const auto& [value, expected] : cases) {
      const auto got = converted<int32_t>(F32, std::vector<float>(33, value), S32, path);
      EXPECT_EQ(got, std::vector<int32_t>(33, expected)) << value;
    }
  }
}

TEST(Convert, IntegerToIntegerWraps) {
  EXPECT_EQ((convert_one<int8_t>(S32, int32_t(0x181), S8)), -127);
  EXPECT_EQ((convert_one<uint64_t>(S32, int32_t(-1), U64)), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ((convert_one<uint64_t>(U32, uint32_t(0xffffffff), U64)), 0xffffffffu);
  EXPECT_EQ((convert_one<int8_t>(S32, int32_t(0x18), S4)), -8);
  EXPECT_EQ((convert_one<uint8_t>(S8, int8_t(-1), U4)), 15);
  EXPECT_EQ((convert_one<int8_t>(S32, int32_t(3), S1)), -1);
  EXPECT_EQ((convert_one<int32_t>(S4, int8_t(-8), S32)), -8);
  EXPECT_EQ((convert_one<uint8_t>(S64, int64_t(1) << 40, Bool)), 1);
  EXPECT_EQ((convert_one<int32_t>(Bool, uint8_t(1), S32)), 1);
}

TEST(Convert, IgnoresUpperBitsOfSubByteRegisters) {
  EXPECT_EQ((convert_one<int32_t>(S4, uint8_t(0x0e), S32)), -2);
  EXPECT_EQ((convert_one<int32_t>(S4, uint8_t(0xfe), S32)), -2);
  EXPECT_EQ((convert_one<int32_t>(U4, uint8_t(0xfe), S32)), 14);
  EXPECT_EQ((convert_one<float>(S2, uint8_t(0x03), F32)), -1.0f);
  EXPECT_EQ((convert_one<uint16_t>(S4, uint8_t(0x08), F16)), 0xc800);
  EXPECT_EQ((convert_one<uint8_t>(U2, uint8_t(0xfc), Bool)), 0);
  EXPECT_EQ((convert_one<float>(F4E2M1FN, uint8_t(0xf7), F32)), 6.0f);
}

TEST(Convert, ToBoolIsNotZero) {
  EXPECT_EQ((convert_one<uint8_t>(F32, NAN, Bool)), 1);
  EXPECT_EQ((convert_one<uint8_t>(F32, -0.0f, Bool)), 0);
  EXPECT_EQ((convert_one<uint8_t>(F32, 0x1p-149f, Bool)), 1);
  EXPECT_EQ((convert_one<uint8_t>(F64, 1e-300, Bool)), 1);
  EXPECT_EQ((convert_one<uint8_t>(F16, uint16_t(0x8000), Bool)), 0);
  EXPECT_EQ((convert_one<uint8_t>(F16, uint16_t(1), Bool)), 1);
  EXPECT_EQ((convert_one<float>(Bool, uint8_t(1), F32)), 1.0f);
  EXPECT_EQ((convert_one<uint16_t>(Bool, uint8_t(1), BF16)), 0x3f80);
}

TEST(Convert, IntegerToFloatRoundsOnce) {
  EXPECT_EQ((convert_one<float>(S32, int32_t(16777217), F32)), 16777216.0f);
  EXPECT_EQ((convert_one<float>(S32, int32_t(16777219), F32)), 16777220.0f);
  EXPECT_EQ((convert_one<double>(U64, std::numeric_limits<uint64_t>::max(), F64)), 0x1p64);
  EXPECT_EQ((convert_one<uint16_t>(S32, int32_t(65519), F16)), 0x7bff);
  EXPECT_EQ((convert_one<uint16_t>(S32, int32_t(65520), F16)), 0x7c00);
  EXPECT_EQ((convert_one<uint16_t>(S32, int32_t(-2049), F16)), 0xe800);
  EXPECT_EQ((convert_one<uint16_t>(S32, int32_t(2051), F16)), 0x6802);
  // 2^61 + 2^53 + 1 is just above a tie of bf16; rounding to f64 first would land on the tie and
  // then go down.
  const int64_t above_tie = (int64_t(1) << 61) + (int64_t(1) << 53) + 1;
  EXPECT_EQ((convert_one<uint16_t>(S64, above_tie, BF16)), 0x5e01);
  EXPECT_EQ((convert_one<uint16_t>(S64, -above_tie, BF16)), 0xde01);
  EXPECT_EQ((convert_one<uint16_t>(S64, above_tie - 1, BF16)), 0x5e00);
  EXPECT_EQ((convert_one<uint8_t>(S4, int8_t(-7), F8E4M3FN)), 0xce);
}

TEST(Convert, DoubleToSmallRoundsOnce) {
  // Just above the tie between 1 and the next f16: through f32 this would fall on the tie.
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ((convert_one<uint16_t>(F64, value, F16)), 0x3c01);
  EXPECT_EQ((convert_one<uint16_t>(F64, 1.0 + 0x1p-11, F16)), 0x3c00);
  EXPECT_EQ((convert_one<float>(F64, 1e-46, F32)), 0.0f);
  EXPECT_EQ((convert_one<float>(F64, 1e-45, F32)), 0x1p-149f);
  EXPECT_EQ((convert_one<double>(F32, 0x1p-149f, F64)), 0x1p-149);
}

TEST(Convert, EveryPairRunsAndOneIsOne) {
  // One, and zero where the type has it, survive every pair (int1 holds only 0 and -1).
  for (size_t f = 0; f < kElementTypeCount; ++f) {
    for (size_t t = 0; t < kElementTypeCount; ++t) {
      const auto from = ElementType(f), to = ElementType(t);
      if (from == S1 || to == S1) continue;
      SCOPED_TRACE(std::string(element_name(from)) + " to " + std::string(element_name(to)));
      const double one = 1.0, zero = 0.0;
      const bool has_zero = from != F8E8M0FNU && to != F8E8M0FNU;
      for (const double value : {one, zero}) {
        if (value == 0 && !has_zero) continue;
        uint64_t a = 0, b = 0;
        double back = -5;
        convert(F64, &value, from, &a, 1);
        convert(from, &a, to, &b, 1);
        convert(to, &b, F64, &back, 1);
        EXPECT_EQ(back, value);
      }
    }
  }
}

}  // namespace
}  // namespace pallasite
