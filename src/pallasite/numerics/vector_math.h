// Functions of real numbers that a compiler can put into vector instructions.
//
// Each takes an f32 and returns a double with a relative error of about 2^-32 or less, so that the
// f32, f16 or bf16 rounded from it is the correctly rounded one but for values within that distance
// of a tie. They are straight code without branches: a loop over one becomes vector code for
// whatever instruction set the loop is compiled for, provided that the file is compiled with
// -fno-trapping-math. All variants give the same bits, as every operation is one that IEEE 754
// defines. `multiply_add` is the C library's `fma` where the processor has none, which is slow and
// gives the same bits too.
//
// Rounding is to nearest and subnormals are kept (ScopedFloatMode). What NaN gives is up to the
// caller, unless said otherwise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "pallasite/numerics/vector_math_coefficients.h"

namespace pallasite::vector_math {

#define PALLASITE_VECTOR_MATH [[gnu::always_inline]] inline

inline constexpr double kLog2OfE = 0x1.71547652b82fep+0;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kPi = 0x1.921fb54442d18p+1;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// x * y + z with one rounding.
PALLASITE_VECTOR_MATH double multiply_add(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}

template <size_t kCount>
PALLASITE_VECTOR_MATH double polynomial(const double (&powers)[kCount], double x) {
  double sum = powers[kCount - 1];
#pragma GCC unroll 32
  for (size_t i = kCount - 1; i > 0; --i) sum = multiply_add(sum, x, powers[i - 1]);
  return sum;
}

PALLASITE_VECTOR_MATH float magnitude(float x) {
  return __builtin_fabsf(x);
}
PALLASITE_VECTOR_MATH double magnitude(double x) {
  return __builtin_fabs(x);
}
PALLASITE_VECTOR_MATH double with_sign_of(double value, double sign) {
  return __builtin_copysign(value, sign);
}
// The limit for NaN. In this form they are one instruction.
template <typename T>
PALLASITE_VECTOR_MATH T at_most(T limit, T x) {
  return x < limit ? x : limit;
}
template <typename T>
PALLASITE_VECTOR_MATH T at_least(T limit, T x) {
  return x > limit ? x : limit;
}

// 1 / x to 2^-46, for normal f32 magnitudes below 2^126: a division of floats takes a third of the
// time of one of doubles, and one step of Newton's method doubles its digits.
PALLASITE_VECTOR_MATH double reciprocal(double x) {
  const double guess = double(1.0f / float(x));
  return multiply_add(guess, multiply_add(-x, guess, 1.0), guess);
}

// The nearest whole number, as a double and in the low bits of `bits`; for magnitudes below 2^51.
struct Rounded {
  double value;
  uint64_t bits;
};
PALLASITE_VECTOR_MATH Rounded round_to_whole(double x) {
  constexpr double kShift = 0x1.8p52;
  const double shifted = x + kShift;
  return {shifted - kShift, std::bit_cast<uint64_t>(shifted)};
}

// x * 2^whole, where both are normal.
PALLASITE_VECTOR_MATH double scale(double x, uint64_t whole) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) + (whole << 52));
}

// 2^t for |t| <= 1020.
template <size_t kCount>
PALLASITE_VECTOR_MATH double exp2_of(const double (&powers)[kCount], double t) {
  const Rounded whole = round_to_whole(t);
  const double rest = t - whole.value;
  return scale(multiply_add(rest, polynomial(powers, rest), 1.0), whole.bits);
}

// 2^t - 1 for |t| <= 1020, to all digits near 0.
template <size_t kCount>
PALLASITE_VECTOR_MATH double exp2_minus_1_of(const double (&powers)[kCount], double t) {
  const Rounded whole = round_to_whole(t);
  const double rest = t - whole.value;
  const double power = scale(1.0, whole.bits);
  return multiply_add(power, rest * polynomial(powers, rest), power - 1.0);
}

PALLASITE_VECTOR_MATH double exp2(float x) {
  return exp2_of(kExp2, double(at_most(200.0f, at_least(-200.0f, x))));
}

PALLASITE_VECTOR_MATH double exp(float x) {
  return exp2_of(kExp2, double(at_most(200.0f, at_least(-200.0f, x))) * kLog2OfE);
}

PALLASITE_VECTOR_MATH double expm1(float x) {
  const double value =
      exp2_minus_1_of(kExp2, double(at_most(200.0f, at_least(-200.0f, x))) * kLog2OfE);
  return with_sign_of(value, double(x));
}

PALLASITE_VECTOR_MATH double logistic(float x) {
  const double power = exp2_of(kExp2, double(at_least(-200.0f, -magnitude(x))) * kLog2OfE);
  return (x < 0 ? power : 1.0) * reciprocal(1.0 + power);
}

PALLASITE_VECTOR_MATH double tanh(float x) {
  const double power =
      exp2_minus_1_of(kExp2, double(at_least(-40.0f, -magnitude(x))) * (2 * kLog2OfE));
  return with_sign_of(power * reciprocal(2.0 + power), double(x));
}

PALLASITE_VECTOR_MATH double sinh(float x) {
  const double power = exp2_minus_1_of(kExp2, double(at_most(200.0f, magnitude(x))) * kLog2OfE);
  return with_sign_of(0.5 * (power + power / (power + 1.0)), double(x));
}

PALLASITE_VECTOR_MATH double cosh(float x) {
  const double power = exp2_of(kExp2, double(at_most(200.0f, magnitude(x))) * kLog2OfE);
  return 0.5 * (power + 1.0 / power);
}

// x = 2^exponent * (1 + fraction) with 1 + fraction from sqrt(1/2) to sqrt(2), for x from 2^-511 to
// 2^511.
struct Split {
  double exponent;
  double fraction;
};
PALLASITE_VECTOR_MATH Split split(double x) {
  // sqrt(1/2) with its exponent lowered so that the difference is positive for every f32.
  constexpr uint64_t kOffset = 0x3fe6a09e667f3bcd - (uint64_t(512) << 52);
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t exponent = (bits - kOffset) >> 52;
  const double part = std::bit_cast<double>(bits - ((exponent - 512) << 52));
  // Whole numbers below 2^52 as doubles, without an instruction that only newer processors have.
  constexpr double kShift = 0x1p52;
  const double whole = std::bit_cast<double>(exponent | std::bit_cast<uint64_t>(kShift));
  return {whole - (kShift + 512), part - 1.0};
}

PALLASITE_VECTOR_MATH double log_of(Split x) {
  return multiply_add(x.exponent, kLn2, x.fraction * polynomial(kLog, x.fraction));
}

// The logarithms hold for finite x > 0; `log_limits` has the values elsewhere, NaN included.
PALLASITE_VECTOR_MATH float log_limits(float x, float result) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const float at_zero = x == 0 ? float(-kInfinity) : float(kNan);
  const float above = x <= kLargest ? result : x;
  return x > 0 ? above : (x != x ? x : at_zero);
}

PALLASITE_VECTOR_MATH double log(float x) {
  return log_of(split(double(x)));
}

PALLASITE_VECTOR_MATH double log2(float x) {
  const Split parts = split(double(x));
  const double fraction = parts.fraction * kLog2OfE;
  return multiply_add(fraction, polynomial(kLog, parts.fraction), parts.exponent);
}

// log(1 + x) for every x > -1 of which the magnitude is in the range of f32.
PALLASITE_VECTOR_MATH double log1p_of(double x) {
  const double sum = 1.0 + x;
  // What the sum lost.
  const double lost = magnitude(x) < 0.5 ? x - (sum - 1.0) : 0.0;
  return log_of(split(sum)) + lost;
}

PALLASITE_VECTOR_MATH double log1p(float x) {
  return with_sign_of(log1p_of(double(x)), double(x));
}

PALLASITE_VECTOR_MATH double asinh(float x) {
  const double size = double(magnitude(x));
  const double square = size * size;
  const double value = log1p_of(size + square / (1.0 + __builtin_sqrt(1.0 + square)));
  return with_sign_of(value, double(x));
}

// For x >= 1.
PALLASITE_VECTOR_MATH double acosh(float x) {
  const double above = double(x) - 1.0;
  return log1p_of(above + __builtin_sqrt(above * (above + 2.0)));
}

// For |x| < 1.
PALLASITE_VECTOR_MATH double atanh(float x) {
  const double size = double(magnitude(x));
  return with_sign_of(0.5 * log1p_of(2.0 * size / (1.0 - size)), double(x));
}

// --- trigonometry ---

// sin, cos and tan hold up to this magnitude.
inline constexpr float kLargestAngle = 0x1p40f;

struct SinCos {
  double sin;
  double cos;
};

// x - quadrant * pi / 2, from -pi/4 to pi/4.
struct Angle {
  double rest;
  uint64_t quadrant;
};
PALLASITE_VECTOR_MATH Angle reduce_angle(double x) {
  constexpr double kQuarterHigh = 0x1.921fb54442d18p+0;
  constexpr double kQuarterLow = 0x1.1a62633145c07p-54;
  const Rounded quadrant = round_to_whole(x * (2 / kPi));
  const double high = multiply_add(-quadrant.value, kQuarterHigh, x);
  return {multiply_add(-quadrant.value, kQuarterLow, high), quadrant.bits};
}

PALLASITE_VECTOR_MATH SinCos sin_cos_of(double rest) {
  const double square = rest * rest;
  return {multiply_add(square, polynomial(kSin, square), 1.0) * rest,
          multiply_add(square, polynomial(kCos, square), 1.0)};
}

// Bit 1 of `quadrant` to the sign.
PALLASITE_VECTOR_MATH double negate_if_2(double value, uint64_t quadrant) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) ^ ((quadrant & 2) << 62));
}

PALLASITE_VECTOR_MATH double sin(float x) {
  const Angle angle = reduce_angle(double(x));
  const SinCos parts = sin_cos_of(angle.rest);
  return negate_if_2((angle.quadrant & 1) != 0 ? parts.cos : parts.sin, angle.quadrant);
}

PALLASITE_VECTOR_MATH double cos(float x) {
  const Angle angle = reduce_angle(double(x));
  const SinCos parts = sin_cos_of(angle.rest);
  return negate_if_2((angle.quadrant & 1) != 0 ? parts.sin : parts.cos, angle.quadrant + 1);
}

PALLASITE_VECTOR_MATH double tan(float x) {
  const Angle angle = reduce_angle(double(x));
  const SinCos parts = sin_cos_of(angle.rest);
  const bool odd = (angle.quadrant & 1) != 0;
  return (odd ? -parts.cos : parts.sin) / (odd ? parts.sin : parts.cos);
}

// The angle of (x, y), for finite values of which one is not 0.
PALLASITE_VECTOR_MATH double atan2_of(double y, double x) {
  const double height = magnitude(y), width = magnitude(x);
  const bool steep = height > width;
  const double ratio = (steep ? width : height) / (steep ? height : width);
  const double angle = ratio * polynomial(kAtan, ratio * ratio);
  const double first = steep ? kPi / 2 - angle : angle;
  return with_sign_of(std::bit_cast<int64_t>(x) < 0 ? kPi - first : first, y);
}

PALLASITE_VECTOR_MATH double atan(float x) {
  const double size = double(magnitude(x));
  // As in atan2_of; in f32 1 / size is exact enough to start with, and 0 beyond 2^126.
  const bool steep = size > 1.0;
  const double ratio = steep ? reciprocal(at_most(0x1p100, size)) : size;
  const double angle = ratio * polynomial(kAtan, ratio * ratio);
  return with_sign_of(steep ? kPi / 2 - angle : angle, double(x));
}

// For |x| <= 1.
PALLASITE_VECTOR_MATH double asin(float x) {
  const double value = double(x);
  return atan2_of(value, __builtin_sqrt((1.0 - value) * (1.0 + value)));
}
PALLASITE_VECTOR_MATH double acos(float x) {
  const double value = double(x);
  return atan2_of(__builtin_sqrt((1.0 - value) * (1.0 + value)), value);
}

// --- error function ---

PALLASITE_VECTOR_MATH double erf(float x) {
  // Beyond 4 the value is 1 for f32; what it is less than 1 counts for the rounding to odd.
  const double bounded = double(at_least(-4.0f, at_most(4.0f, x)));
  return bounded * polynomial(kErf, multiply_add(bounded, bounded, -8.0));
}

PALLASITE_VECTOR_MATH double erfc(float x) {
  const double size = double(at_most(10.5f, magnitude(x)));
  const double power = exp2_of(kExp2, -(size * size) * kLog2OfE);
  const double value = power * polynomial(kErfcx, (size - 3.0) * reciprocal(size + 3.0));
  return x < 0 ? 2.0 - value : value;
}

// For |x| < 1.
PALLASITE_VECTOR_MATH double erf_inv(float x) {
  const double value = double(x);
  const double logarithm = -log_of(split((1.0 - value) * (1.0 + value)));
  const double center = polynomial(kErfInvCenter, logarithm - 2.5);
  const double tail = polynomial(kErfInvTail, __builtin_sqrt(logarithm) - 3.25);
  return value * (logarithm <= 5.0 ? center : tail);
}

// --- Bessel functions ---

// For finite x; bessel_i1e for x other than 0.
PALLASITE_VECTOR_MATH double bessel_i0e(float x) {
  const double size = double(magnitude(x));
  const double center = polynomial(kBesselI0Center, at_most(8.0, size) - 4.0);
  const double inverse = 1.0 / at_least(8.0, size);
  const double tail = polynomial(kBesselI0Tail, inverse) * __builtin_sqrt(inverse);
  return size <= 8.0 ? center : tail;
}
PALLASITE_VECTOR_MATH double bessel_i1e(float x) {
  const double size = double(magnitude(x));
  const double center = size * polynomial(kBesselI1Center, at_most(8.0, size) - 4.0);
  const double inverse = 1.0 / at_least(8.0, size);
  const double tail = polynomial(kBesselI1Tail, inverse) * __builtin_sqrt(inverse);
  return with_sign_of(size <= 8.0 ? center : tail, double(x));
}

// --- powers and roots ---

// x^y for finite x > 0 and finite y.
PALLASITE_VECTOR_MATH double pow(float x, float y) {
  const Split parts = split(double(x));
  // The logarithm's error is multiplied by up to 150: log(1 + f) = 2 * atanh(f / (2 + f)).
  const double ratio = parts.fraction / (2.0 + parts.fraction);
  const double fraction = ratio * polynomial(kLogPrecise, ratio * ratio);
  const double logarithm = multiply_add(fraction, 2 * kLog2OfE, parts.exponent);
  const double power = double(y) * logarithm;
  return exp2_of(kExp2Precise, at_least(-300.0, at_most(300.0, power)));
}

PALLASITE_VECTOR_MATH double cbrt(float x) {
  const double size = double(magnitude(x));
  const Split parts = split(size);
  const double third =
      (parts.exponent + parts.fraction * kLog2OfE * polynomial(kLog, parts.fraction)) * (1.0 / 3.0);
  const double guess = exp2_of(kExp2, third);
  const double value = guess - (guess * guess * guess - size) / (3.0 * guess * guess);
  return with_sign_of(value, double(x));
}

#undef PALLASITE_VECTOR_MATH

}  // namespace pallasite::vector_math
