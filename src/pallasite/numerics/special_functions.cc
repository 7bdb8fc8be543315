#include "pallasite/numerics/special_functions.h"

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace pallasite::special {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 0x1.921fb54442d18p+1;

// No exceptions, and no long double, which differs by machine.
namespace policies = boost::math::policies;
using Policy = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>,
    policies::rounding_error<policies::ignore_error>,
    policies::indeterminate_result_error<policies::ignore_error>, policies::promote_double<false>>;

bool whole(double x) {
  return x == std::floor(x);
}

// A value and its derivative.
struct Dual {
  double value;
  double slope;
};
Dual operator+(Dual x, Dual y) {
  return {x.value + y.value, x.slope + y.slope};
}
Dual operator*(Dual x, Dual y) {
  return {x.value * y.value, x.slope * y.value + x.value * y.slope};
}
Dual operator/(Dual x, Dual y) {
  const double quotient = x.value / y.value;
  return {quotient, (x.slope - quotient * y.slope) / y.value};
}

// t - log(1 + t) for t > -1, to all digits near 0: with s = t / (2 + t), log(1 + t) is
// 2 * (s + s^3 / 3 + s^5 / 5 ...).
double excess_over_log(double t) {
  if (std::fabs(t) > 0.5) return t - std::log1p(t);
  const double s = t / (2 + t);
  const double square = s * s;
  double sum = 0;
  for (int k = 37; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  return t * s - 2 * s * sum;
}

// Where exp(-x) is 0.
constexpr double kVanishes = 760;

// Temme's uniform expansion (DLMF 8.12): for a large `a` the upper incomplete gamma function of x
// is erfc(eta * sqrt(a / 2)) / 2 plus exp(-a * eta^2 / 2) / sqrt(2 * pi * a) times a sum over c(k,
// eta) / a^k. These are the series of c(k, eta), lowest power of eta first.
// clang-format off
constexpr double kTemme0[] = {-0x1.5555555555555p-2, 0x1.5555555555555p-4, -0x1.e573ac901e574p-7, 0x1.2f684bda12f68p-10, 0x1.71de3a556c734p-12, -0x1.76e06fec7273bp-13, 0x1.48c5892f7cd83p-15, -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20, 0x1.bd6d21e4b4109p-21, -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28, 0x1.6097d55c37c1cp-27, -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31, -0x1.c0d9b6edf2b0bp-36};
constexpr double kTemme1[] = {-0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015ac0p-9, -0x1.0394f6f09e723p-10, 0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22, -0x1.2fa4ae89e5af0p-16, 0x1.00a9cabd6b83ep-17, -0x1.b0bdfcc629cbap-20, 0x1.3f59230a8357cp-28, 0x1.280f2cde3f847p-23, -0x1.ee23d0cba8aeep-25};
constexpr double kTemme2[] = {0x1.0ee643b990ee6p-8, -0x1.5f7268edab4c8p-9, 0x1.948b0fcd6e9e0p-11, 0x1.0db20a88f4696p-19, -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15, -0x1.ac2d05890f2c3p-17, 0x1.26154ae39151dp-25};
constexpr double kTemme3[] = {0x1.547d93b34e2b6p-11, 0x1.e13ce465fa859p-13, -0x1.ebfb188b7ca00p-12, 0x1.18b9b5bf2d984p-12, -0x1.3d2a3a29b5d9dp-14};
// clang-format on

template <size_t kCount>
Dual temme_term(const double (&powers)[kCount], double eta) {
  Dual term = {0, 0};
  for (size_t i = kCount; i-- > 0;) {
    term.slope = term.slope * eta + term.value;
    term.value = term.value * eta + powers[i];
  }
  return term;
}

// Everything about the incomplete gamma functions of a large `a` beside an x of its size, where
// other methods take a number of steps that grows with sqrt(a).
struct LargeGamma {
  // (x - a) / a.
  double offset;
  double eta;
  // a * eta^2 / 2.
  double exponent;

  static bool covers(double a, double x) { return a >= 1e4 && x > 0.6 * a && x < 1.4 * a; }

  LargeGamma(double a, double x) : offset((x - a) / a) {
    const double half_square = excess_over_log(offset);
    eta = std::copysign(std::sqrt(2 * half_square), offset);
    exponent = a * half_square;
  }

  // The sum over c(k, eta) / a^k and its derivatives by eta and by a.
  struct Sum {
    double value;
    double by_eta;
    double by_a;
  };
  Sum sum(double a) const {
    const double inverse = 1 / a;
    const Dual terms[] = {temme_term(kTemme0, eta), temme_term(kTemme1, eta),
                          temme_term(kTemme2, eta), temme_term(kTemme3, eta)};
    Sum result = {0, 0, 0};
    double power = 1;
    for (int k = 0; k < 4; ++k) {
      result.value += terms[k].value * power;
      result.by_eta += terms[k].slope * power;
      power *= inverse;
      result.by_a -= k * terms[k].value * power;
    }
    return result;
  }

  // x * the density's value, but for a factor near 1.
  double peak(double a) const {
    return exponent > kVanishes ? 0 : std::exp(-exponent) / std::sqrt(2 * kPi * a);
  }

  double upper(double a) const {
    const double rest = peak(a) * sum(a).value;
    return std::erfc(std::copysign(std::sqrt(exponent), eta)) / 2 + rest;
  }
  double lower(double a) const {
    const double rest = peak(a) * sum(a).value;
    return std::erfc(std::copysign(std::sqrt(exponent), -eta)) / 2 - rest;
  }

  // gamma(a) over sqrt(2 * pi / a) * (a / e)^a.
  static double scaled_gamma(double a) {
    return 1 + (1 / a) * (1.0 / 12 + (1 / a) * (1.0 / 288 - (1 / a) * (139.0 / 51840)));
  }

  // The derivative of the upper function by a, over `peak`.
  double upper_slope(double a) const {
    const Sum s = sum(a);
    const double ratio = eta == 0 ? 1 : offset / eta;
    return ratio - eta / 2 + (std::log1p(offset) - 1 / (2 * a)) * s.value - s.by_eta * ratio / a +
           s.by_a;
  }
};

// The regularised incomplete beta function where a and b are large, by the first term of its
// uniform expansion (DLMF 8.18.9); what is left out is below 1 / min(a, b)^1.5.
double large_beta(double a, double b, double x) {
  const double larger = std::max(a, b);
  // Powers of two, so that a + b is finite and nothing is rounded.
  const double unit = larger > 1e300 ? 0x1p-100 : 1;
  const double scaled_a = a * unit, scaled_b = b * unit;
  const double total = scaled_a + scaled_b;
  const double most = std::max(scaled_a, scaled_b), least = std::min(scaled_a, scaled_b);
  const double total_lost = least - (total - most);
  // x * (a + b) - a without the loss of digits at the mean.
  const double product = x * total;
  const double product_lost = std::fma(x, total, -product);
  const double distance = (product - scaled_a + (product_lost + x * total_lost)) / total;
  const double mean = scaled_a / total, rest = scaled_b / total;
  if (mean == 0 || rest == 0) return distance < 0 ? 0 : 1;
  const double half_square =
      mean * excess_over_log(distance / mean) + rest * excess_over_log(-distance / rest);
  const double exponent = total * half_square / unit;
  if (!(exponent <= kVanishes)) return distance < 0 ? 0 : 1;
  const double eta = std::copysign(std::sqrt(2 * half_square), distance);
  // Around the mean the term is a difference of two large numbers; there its series.
  const double spread = std::sqrt(mean * rest);
  const double t = distance / spread;
  double term = 0;
  if (std::fabs(t) < 1e-4 * std::sqrt(std::min(mean, rest))) {
    const double skew = (rest - mean) / spread;
    const double fourth = (mean * mean * mean + rest * rest * rest) / (mean * rest);
    term = skew / 3 + t * (skew * skew / 6 - fourth / 4);
  } else {
    term = 1 / eta - 1 / t;
  }
  const double peak = std::exp(-exponent) / std::sqrt(2 * kPi * (total / unit));
  return std::erfc(-std::copysign(std::sqrt(exponent), distance)) / 2 + peak * term;
}

// More than any operands take.
constexpr int kMostTerms = 20000;

// d igamma / da over the density x^(a-1) * exp(-x) / gamma(a), for a > 0 and finite x > 0.
double gamma_slope_over_density(double a, double x) {
  if (LargeGamma::covers(a, x)) {
    const LargeGamma large(a, x);
    return -large.upper_slope(a) * (x / a) * LargeGamma::scaled_gamma(a);
  }
  // Beyond this the upper function is the density but for a factor that is 1.
  if (x > 1e17 * std::max(a, 1.0)) return digamma(a) - std::log(x);
  if (x > 1 && x > a + 1) {
    // The upper function is the density times x times a continued fraction; Lentz's method, with
    // derivatives by a.
    const Dual one = {1, 0};
    Dual b = {x + 1 - a, -1};
    Dual c = {1e300, 0};
    Dual d = one / b;
    Dual fraction = d;
    for (int i = 1; i < kMostTerms; ++i) {
      const Dual factor = {i * (a - i), double(i)};
      b = b + Dual{2, 0};
      d = one / (factor * d + b);
      c = b + factor / c;
      const Dual step = c * d;
      fraction = fraction * step;
      if (std::fabs(step.value - 1) < 3e-16 && std::fabs(step.slope) < 1e-16) break;
    }
    // The slope of the logarithm of the upper function, times the function.
    const double upper_slope = fraction.value * (std::log(x) - digamma(a)) + fraction.slope;
    return -x * upper_slope;
  }
  // The lower function is the sum of x^(a+n) * exp(-x) / gamma(a+n+1).
  double term = x / a;
  double z = a + 1;
  double psi = digamma(z);
  const double logarithm = std::log(x);
  double sum = 0;
  for (int n = 0; n < kMostTerms; ++n) {
    sum += term * (logarithm - psi);
    if (term * (1 + std::fabs(logarithm - psi)) <= 1e-17 * std::fabs(sum)) break;
    psi += 1 / z;
    term *= x / z;
    z += 1;
  }
  return sum;
}

// The sum of ((q + k) / unit)^-s by the formula of Euler and Maclaurin: terms, then the integral
// and its corrections, which shrink only where q is not small beside s.
double zeta_over_power(double s, double q, double unit) {
  const double enough = std::min(s + 10, 1e15);
  double sum = 0;
  double largest = 0;
  while (q < enough) {
    const double term = std::pow(q / unit, -s);
    sum += term;
    largest = std::max(largest, std::fabs(term));
    if (q > 1 && std::fabs(term) <= 1e-18 * largest) return sum;
    q += 1;
  }
  const double power = std::pow(q / unit, -s);
  sum += power * (q / (s - 1) + 0.5);
  // B(2k) / (2k)!
  constexpr double kSeries[] = {
      0x1.5555555555555p-4,  -0x1.6c16c16c16c17p-10, 0x1.1566abc011566p-15, -0x1.bbd779334ef0bp-21,
      0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09163p-37, -0x1.7da4e1f79955cp-42};
  double factor = power * s / q;
  for (int k = 0; k < 8; ++k) {
    const double term = kSeries[k] * factor;
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
  }
  return sum;
}

}  // namespace

double lgamma(double x) {
  if (std::isinf(x)) return kInfinity;
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x > 0 ? x : kNan;
  double result = 0;
  if (x < 0) {
    if (whole(x)) return kNan;
    // The angle without the loss of digits that pi * x has.
    const double rest = x - std::nearbyint(x);
    result = -kPi / std::tan(kPi * rest);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  // Bernoulli numbers B(2k) / 2k.
  constexpr double kSeries[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double square = 1 / (x * x);
  double sum = 0;
  for (int k = 6; k >= 0; --k) sum = (sum + kSeries[k]) * square;
  return result + std::log(x) - 0.5 / x - sum;
}

double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q) || s < 1 || std::isinf(s) || std::isinf(q)) return kNan;
  if (s == 1) return kInfinity;
  if (q <= 0) {
    if (whole(q)) return std::fmod(s, 2) == 0 ? kInfinity : kNan;
    if (!whole(s)) return kNan;
    if (q < -20) {
      // The terms below 0 are, but for their sign, those of two sums from above 0.
      const double first = q - std::floor(q);
      const double below = zeta(s, 1 - first) - zeta(s, 1 - q);
      return zeta(s, first) + (std::fmod(s, 2) == 0 ? below : -below);
    }
  }
  return zeta_over_power(s, q, 1);
}

double polygamma(double order, double x) {
  if (order == 0) return digamma(x);
  if (!(order > 0) || !whole(order)) return kNan;
  const double sum = zeta(order + 1, x);
  double factorial = 1;
  for (double k = 2; k <= order && factorial < kInfinity; ++k) factorial *= k;
  double size = factorial * sum;
  // Neither factor fits where their product may.
  if (x > 1 && std::isfinite(x) && (factorial == kInfinity || sum < 1e-290)) {
    const double s = order + 1;
    size = std::exp(lgamma(s) + std::log(zeta_over_power(s, x, x)) - s * std::log(x));
  }
  return std::fmod(order, 2) == 0 ? -size : size;
}

double igamma(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return kNan;
  if (a == 0) return x == 0 ? kNan : 1;
  if (x == 0) return 0;
  if (std::isinf(x)) return std::isinf(a) ? kNan : 1;
  if (std::isinf(a)) return 0;
  if (LargeGamma::covers(a, x)) return LargeGamma(a, x).lower(a);
  return boost::math::gamma_p(a, x, Policy());
}

double igammac(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return kNan;
  if (a == 0) return x == 0 ? kNan : 0;
  if (x == 0) return 1;
  if (std::isinf(x)) return std::isinf(a) ? kNan : 0;
  if (std::isinf(a)) return 1;
  if (LargeGamma::covers(a, x)) return LargeGamma(a, x).upper(a);
  return boost::math::gamma_q(a, x, Policy());
}

double igamma_grad_a(double a, double x) {
  if (!(a > 0) || !(x >= 0) || std::isinf(a) || std::isinf(x)) return kNan;
  if (x == 0) return 0;
  if (LargeGamma::covers(a, x)) {
    const LargeGamma large(a, x);
    return -large.upper_slope(a) * large.peak(a);
  }
  return gamma_slope_over_density(a, x) * boost::math::gamma_p_derivative(a, x, Policy());
}

double random_gamma_grad(double a, double x) {
  if (!(a > 0) || !(x >= 0) || std::isinf(a) || std::isinf(x)) return kNan;
  if (x == 0) return 0;
  return -gamma_slope_over_density(a, x);
}

double regularized_incomplete_beta(double a, double b, double x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0) || !(x <= 1)) return kNan;
  const bool a_ends = a == 0 || std::isinf(b);
  const bool b_ends = b == 0 || std::isinf(a);
  if (a_ends && b_ends) return kNan;
  if (x == 0) return 0;
  if (x == 1) return 1;
  if (a_ends) return 1;
  if (b_ends) return 0;
  if (std::min(a, b) >= 1e7) return large_beta(a, b, x);
  return boost::math::ibeta(a, b, x, Policy());
}

double erf_inv(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) == 1) return std::copysign(kInfinity, x);
  return x == 0 ? x : boost::math::erf_inv(x, Policy());
}

double bessel_i0e(double x) {
  x = std::fabs(x);
  if (!(x > 700)) return boost::math::cyl_bessel_i(0, x, Policy()) * std::exp(-x);
  const double inverse = 1 / x;
  const double series = 1 + inverse * (1.0 / 8 + inverse * (9.0 / 128 + inverse * 225.0 / 3072));
  return series / std::sqrt(2 * kPi * x);
}

double bessel_i1e(double x) {
  const double size = std::fabs(x);
  if (!(size > 700)) return boost::math::cyl_bessel_i(1, x, Policy()) * std::exp(-size);
  const double inverse = 1 / size;
  const double series = 1 - inverse * (3.0 / 8 + inverse * (15.0 / 128 + inverse * 315.0 / 3072));
  return std::copysign(series / std::sqrt(2 * kPi * size), x);
}

}  // namespace pallasite::special
