// Functions of vector_math.h for f32 results alone, computed in f32: twice the elements per
// instruction and shorter polynomials, for an error of up to 2 units in the last place.
//
// As there, they are straight code of operations that IEEE 754 defines, so that all variants of a
// loop give the same bits. Small floats are not rounded from these.
#pragma once

#include "pallasite/numerics/vector_math.h"
#include "pallasite/numerics/vector_math_float_coefficients.h"

namespace pallasite::vector_math_float {

#define PALLASITE_VECTOR_MATH [[gnu::always_inline]] inline

using vector_math::at_least;
using vector_math::at_most;
using vector_math::magnitude;

inline constexpr float kLog2OfE = 0x1.715476p+0f;
inline constexpr float kLn2 = 0x1.62e430p-1f;
// ln 2 in two parts; a whole number of up to 8 bits times the first is exact.
inline constexpr float kLn2High = 0x1.62e4p-1f;
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;

// x * y + z with one rounding.
PALLASITE_VECTOR_MATH float multiply_add(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}

template <size_t kCount>
PALLASITE_VECTOR_MATH float polynomial(const float (&powers)[kCount], float x) {
  float sum = powers[kCount - 1];
#pragma GCC unroll 32
  for (size_t i = kCount - 1; i > 0; --i) sum = multiply_add(sum, x, powers[i - 1]);
  return sum;
}

// The same in shorter chains of operations, as many of them.
template <size_t kCount>
PALLASITE_VECTOR_MATH float polynomial(const float (&powers)[kCount], float x, float square) {
  constexpr size_t kLast = (kCount - 1) / 2 * 2;
  float sum = powers[kLast];
  if constexpr (kLast + 1 < kCount) sum = multiply_add(powers[kLast + 1], x, sum);
#pragma GCC unroll 32
  for (size_t i = kLast; i > 0; i -= 2)
    sum = multiply_add(sum, square, multiply_add(powers[i - 1], x, powers[i - 2]));
  return sum;
}

PALLASITE_VECTOR_MATH float with_sign_of(float value, float sign) {
  return __builtin_copysignf(value, sign);
}

// Limits of operands. Their values are in another file on purpose: a minimum of x and a number that
// the compiler knows becomes a comparison and a selection, one of x and a register is one
// instruction.
struct Limits {
  float low;
  float high;
};
extern const Limits kExpLimits, kExp2Limits, kExpm1Limits, kLogisticLimits;
extern const float kTanhLimit, kErfLimit;

// The limit where x is beyond it; NaN as it is.
PALLASITE_VECTOR_MATH float up_to(const float& high, float x) {
  return high < x ? high : x;
}
PALLASITE_VECTOR_MATH float within(const Limits& limits, float x) {
  return up_to(limits.high, limits.low > x ? limits.low : x);
}

// 2^whole from -126 to 127.
PALLASITE_VECTOR_MATH float power_of_2(int32_t whole) {
  return std::bit_cast<float>(uint32_t(whole + 127) << 23);
}

// The whole number nearest to x * factor, and 2 to the power of it plus kBias, which are from -126
// to 127. Of NaN the power is no NaN, so that the only one is what x was.
struct Rounded {
  float value;
  float power;
};
template <int32_t kBias = 0>
PALLASITE_VECTOR_MATH Rounded round_to_whole(float x, float factor) {
  // The lowest bits of the sum are the exponent of the power.
  constexpr float kShift = 0x1.8p23f + float(kBias + 127);
  const float shifted = multiply_add(x, factor, kShift);
  return {shifted - kShift, std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23)};
}

// exp(x) - 1 for |x| <= ln(2) / 2
PALLASITE_VECTOR_MATH float exp_minus_1_near_0(float x) {
  const float square = x * x;
  return multiply_add(square, polynomial(kExp, x, square), x);
}

PALLASITE_VECTOR_MATH float exp(float x) {
  const float inside = within(kExpLimits, x);
  // The power is multiplied by twice: its square may be beyond the range of f32.
  const Rounded half = round_to_whole(inside, kLog2OfE / 2);
  const float high = multiply_add(half.value, -2 * kLn2High, inside);
  const float rest = multiply_add(half.value, -2 * kLn2Low, high);
  const float square = rest * rest;
  const float minus_1 = multiply_add(square, polynomial(kExpWide, rest, square), rest);
  return multiply_add(half.power, minus_1, half.power) * half.power;
}

PALLASITE_VECTOR_MATH float exp2(float x) {
  const float inside = within(kExp2Limits, x);
  const Rounded half = round_to_whole(inside, 0.5f);
  const float rest = multiply_add(half.value, -2.0f, inside);
  return multiply_add(half.power * rest, polynomial(kExp2, rest), half.power) * half.power;
}

PALLASITE_VECTOR_MATH float expm1(float x) {
  const float inside = within(kExpm1Limits, x);
  // Half the power is in the range of f32 also where the result is beyond it.
  const Rounded whole = round_to_whole<-1>(inside, kLog2OfE);
  const float high = multiply_add(whole.value, -kLn2High, inside);
  const float rest = multiply_add(whole.value, -kLn2Low, high);
  const float half = multiply_add(whole.power, exp_minus_1_near_0(rest), whole.power - 0.5f);
  return magnitude(x) < 0x1p-26f ? x : half + half;
}

PALLASITE_VECTOR_MATH float logistic(float x) {
  // c / (c + c * exp(-x)), with a c for which all of it is in the range of f32.
  constexpr float kScale = 0x1p-64f;
  const float inside = within(kLogisticLimits, x);
  const Rounded whole = round_to_whole<-64>(inside, -kLog2OfE);
  const float high = multiply_add(whole.value, -kLn2High, -inside);
  const float rest = multiply_add(whole.value, -kLn2Low, high);
  // c + power is exact, or what it loses is c.
  const float lost = whole.power < kScale * 0x1p24f ? 0.0f : kScale;
  return kScale /
         (multiply_add(whole.power, exp_minus_1_near_0(rest), lost) + (whole.power + kScale));
}

PALLASITE_VECTOR_MATH float tanh(float x) {
  // (1 - y) / (1 + y) for y = exp(-2 * x) = power * (1 - part): for either sum, which is halved
  // here, one rounding.
  const float size = up_to(kTanhLimit, magnitude(x));
  const Rounded whole = round_to_whole(size, -2 * kLog2OfE);
  const float rest = multiply_add(whole.value, kLn2 / 2, size);
  const float square = rest * rest;
  const float part = multiply_add(square, polynomial(kExpTwice, rest, square), rest);
  const float difference = multiply_add(whole.power, part, multiply_add(whole.power, -0.5f, 0.5f));
  const float sum = multiply_add(-whole.power, part, multiply_add(whole.power, 0.5f, 0.5f));
  return with_sign_of(difference / sum, x);
}

// x = 2^exponent * (1 + fraction) with 1 + fraction from sqrt(1/2) to sqrt(2), for normal x.
struct Split {
  int32_t whole;
  float fraction;
};
PALLASITE_VECTOR_MATH Split split(float x) {
  constexpr uint32_t kRootBits = 0x3f3504f3;
  // The differences wrap for negative x, whose result nobody uses.
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int32_t whole = int32_t(bits - kRootBits) >> 23;
  return {whole, std::bit_cast<float>(bits - (uint32_t(whole) << 23)) - 1.0f};
}
// For subnormal x too.
PALLASITE_VECTOR_MATH Split split_any(float x) {
  const bool small = x < 0x1p-126f;
  const Split parts = split(small ? x * 0x1p24f : x);
  return {small ? parts.whole - 24 : parts.whole, parts.fraction};
}

// log(1 + f) - f
PALLASITE_VECTOR_MATH float log_rest(float f) {
  const float square = f * f;
  return multiply_add(square * f, polynomial(kLog, f), -0.5f * square);
}

PALLASITE_VECTOR_MATH float log_of(int32_t whole, float fraction) {
  const float exponent = float(whole);
  const float rest = multiply_add(exponent, kLn2Low, log_rest(fraction));
  return multiply_add(exponent, kLn2High, rest + fraction);
}

PALLASITE_VECTOR_MATH float log(float x) {
  const Split parts = split_any(x);
  return log_of(parts.whole, parts.fraction);
}

PALLASITE_VECTOR_MATH float log2(float x) {
  constexpr float kLog2OfELow = 0x1.4ae0bep-26f;
  const Split parts = split_any(x);
  const float rest = multiply_add(log_rest(parts.fraction), kLog2OfE, parts.fraction * kLog2OfELow);
  return multiply_add(parts.fraction, kLog2OfE, rest) + float(parts.whole);
}

PALLASITE_VECTOR_MATH float log1p(float x) {
  const float sum = 1.0f + x;
  // What the sum lost.
  const float lost = x < 0x1p24f ? x - (sum - 1.0f) : 0.0f;
  const Split parts = split(sum);
  const float fraction =
      multiply_add(lost, power_of_2(at_least(-126, -parts.whole)), parts.fraction);
  return with_sign_of(log_of(parts.whole, fraction), x);
}

PALLASITE_VECTOR_MATH float atan(float x) {
  constexpr float kQuarterHigh = 0x1.921fb6p+0f, kQuarterLow = -0x1.777a5cp-25f;
  const float size = magnitude(x);
  const bool steep = size > 1.0f;
  const float ratio = steep ? 1.0f / size : size;
  const float square = ratio * ratio;
  const float rest = ratio * square * polynomial(kAtan, square);
  const float value = steep ? kQuarterHigh - (ratio + (rest - kQuarterLow)) : ratio + rest;
  return with_sign_of(value, x);
}

PALLASITE_VECTOR_MATH float erf(float x) {
  const float size = up_to(kErfLimit, magnitude(x));
  const float center =
      multiply_add(size, polynomial(kErfCenter, multiply_add(size, size, -0.75f)), size);
  const float tail = polynomial(kErfTail, size - 2.69f);
  return with_sign_of(size < 1.46f ? center : tail, x);
}

// --- angles ---

// Up to this size, three words of pi / 2 are enough to subtract any multiple of it.
inline constexpr float kLargestAngle = 0x1p18f;

// The distance to the nearest multiple of pi / 2, and that multiple in the lowest bits.
struct Angle {
  float rest;
  uint32_t quadrant;
};
PALLASITE_VECTOR_MATH Angle reduce_angle(float x) {
  // Cut off instead of rounded, so that all three are positive and a zero keeps its sign.
  constexpr float kQuarterHigh = 0x1.921fb4p+0f, kQuarterMiddle = 0x1.4442d0p-24f,
                  kQuarterLow = 0x1.84698ap-48f, kQuartersOf1 = 0x1.45f306p-1f, kShift = 0x1.8p23f;
  const float shifted = multiply_add(x, kQuartersOf1, kShift);
  const float quarters = shifted - kShift;
  // Exact, as all bits of the products and of x are above those that 1 ends with.
  const float high = multiply_add(quarters, -kQuarterHigh, x);
  const float middle = multiply_add(quarters, -kQuarterMiddle, high);
  return {multiply_add(quarters, -kQuarterLow, middle), std::bit_cast<uint32_t>(shifted)};
}

struct SinCos {
  float sin;
  float cos;
};
PALLASITE_VECTOR_MATH SinCos sin_cos_of(float rest) {
  const float square = rest * rest;
  const float sin = multiply_add(rest * square, polynomial(kSin, square), rest);
  return {with_sign_of(sin, rest), multiply_add(square, polynomial(kCos, square), 1.0f)};
}

// Bit 1 of `quadrant` to the sign.
PALLASITE_VECTOR_MATH float negate_if_2(float value, uint32_t quadrant) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) ^ ((quadrant & 2) << 30));
}

PALLASITE_VECTOR_MATH float sin(float x) {
  const Angle angle = reduce_angle(x);
  const SinCos parts = sin_cos_of(angle.rest);
  return negate_if_2((angle.quadrant & 1) != 0 ? parts.cos : parts.sin, angle.quadrant);
}

PALLASITE_VECTOR_MATH float cos(float x) {
  const Angle angle = reduce_angle(x);
  const SinCos parts = sin_cos_of(angle.rest);
  return negate_if_2((angle.quadrant & 1) != 0 ? parts.sin : parts.cos, angle.quadrant + 1);
}

// --- roots ---

// 1 / sqrt(x) for normal x > 0.
PALLASITE_VECTOR_MATH float rsqrt(float x) {
  // Half the exponent with the sign changed, and of the fraction a line: within 3.5%.
  const float guess = std::bit_cast<float>(0x5f374740 - (std::bit_cast<uint32_t>(x) >> 1));
  const float off = multiply_add(-x * guess, guess, 1.0f);
  return multiply_add(guess * off, polynomial(kRsqrt, off), guess);
}

#undef PALLASITE_VECTOR_MATH

}  // namespace pallasite::vector_math_float
