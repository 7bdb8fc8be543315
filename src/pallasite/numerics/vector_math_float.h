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

PALLASITE_VECTOR_MATH float with_sign_of(float value, float sign) {
  return __builtin_copysignf(value, sign);
}

// The nearest whole number, for magnitudes below 2^21.
struct Rounded {
  float value;
  int32_t whole;
};
PALLASITE_VECTOR_MATH Rounded round_to_whole(float x) {
  constexpr float kShift = 0x1.8p23f;
  const float shifted = x + kShift;
  return {shifted - kShift, std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kShift)};
}

// 2^whole from -126 to 127.
PALLASITE_VECTOR_MATH float power_of_2(int32_t whole) {
  return std::bit_cast<float>(uint32_t(whole + 127) << 23);
}

// x * 2^whole for x from 1/2 to 2 and |whole| <= 250, rounded once where the result is subnormal.
PALLASITE_VECTOR_MATH float scale(float x, int32_t whole) {
  const int32_t half = whole >> 1;
  return x * power_of_2(half) * power_of_2(whole - half);
}

// x = whole * ln 2 + rest, and exp(rest) - 1.
struct Exponential {
  float minus_1;
  int32_t whole;
};
PALLASITE_VECTOR_MATH Exponential split_exp(float x) {
  const Rounded whole = round_to_whole(x * kLog2OfE);
  const float high = multiply_add(-whole.value, kLn2High, x);
  const float rest = multiply_add(-whole.value, kLn2Low, high);
  return {multiply_add(rest * rest, polynomial(kExp, rest), rest), whole.whole};
}

PALLASITE_VECTOR_MATH float exp(float x) {
  const Exponential parts = split_exp(at_most(89.0f, at_least(-104.0f, x)));
  return scale(1.0f + parts.minus_1, parts.whole);
}

PALLASITE_VECTOR_MATH float exp2(float x) {
  const float bounded = at_most(129.0f, at_least(-151.0f, x));
  const Rounded whole = round_to_whole(bounded);
  const float rest = bounded - whole.value;
  return scale(multiply_add(rest, polynomial(kExp2, rest), 1.0f), whole.whole);
}

PALLASITE_VECTOR_MATH float expm1(float x) {
  const Exponential parts = split_exp(at_most(89.0f, at_least(-20.0f, x)));
  // Half the power is in the range of f32 also where the result is beyond it.
  const float power = power_of_2(parts.whole - 1);
  const float value = 2.0f * multiply_add(power, parts.minus_1, power - 0.5f);
  return magnitude(x) < 0x1p-26f ? x : value;
}

PALLASITE_VECTOR_MATH float logistic(float x) {
  const float power = exp(-magnitude(x));
  const float sum = 1.0f + power;
  const float quotient = (x < 0 ? power : 1.0f) / sum;
  // What the sum lost, over the sum; a coarse reciprocal does.
  const float lost = (power - (sum - 1.0f)) * multiply_add(-0.5f, power, 1.0f);
  return multiply_add(-quotient, lost, quotient);
}

PALLASITE_VECTOR_MATH float tanh(float x) {
  const float size = at_most(10.0f, magnitude(x));
  const float square = size * size;
  const float center = multiply_add(size * square, polynomial(kTanh, square), size);
  // From about 1/2 on, what 1 has more: its errors count for less.
  const Exponential parts = split_exp(-2.0f * size);
  const float power_of_whole = power_of_2(parts.whole);
  const float power = multiply_add(power_of_whole, parts.minus_1, power_of_whole);
  const float tail = 1.0f - (power + power) / (1.0f + power);
  return with_sign_of(size > 0.55f ? tail : center, x);
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
  const float size = at_most(4.0f, magnitude(x));
  const float square = size * size;
  const float center = multiply_add(size, polynomial(kErfCenter, square), size);
  const Exponential parts = split_exp(polynomial(kErfTail, at_least(1.0f, size) - 2.5f));
  const float tail =
      1.0f - multiply_add(power_of_2(parts.whole), parts.minus_1, power_of_2(parts.whole));
  return with_sign_of(size < 1.0f ? center : tail, x);
}

#undef PALLASITE_VECTOR_MATH

}  // namespace pallasite::vector_math_float
