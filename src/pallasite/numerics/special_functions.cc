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

constexpr int kMostTerms = 20000;

// d igamma / da over the density x^(a-1) * exp(-x) / gamma(a), for a > 0 and finite x > 0.
double gamma_slope_over_density(double a, double x) {
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
      if (std::fabs(step.value - 1) < 1e-16 && std::fabs(step.slope) < 1e-16) break;
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
    if (term * (1 + std::fabs(logarithm - psi)) < 1e-17 * std::fabs(sum)) break;
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
  return boost::math::gamma_p(a, x, Policy());
}

double igammac(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return kNan;
  if (a == 0) return x == 0 ? kNan : 0;
  if (x == 0) return 1;
  if (std::isinf(x)) return std::isinf(a) ? kNan : 0;
  if (std::isinf(a)) return 1;
  return boost::math::gamma_q(a, x, Policy());
}

double igamma_grad_a(double a, double x) {
  if (!(a > 0) || !(x >= 0) || std::isinf(a) || std::isinf(x)) return kNan;
  if (x == 0) return 0;
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
