// How far the functions of real numbers are from the true values.
//
// The reference is the C library's `long double`, or formulas in it. Where PALLASITE_ACCURACY names
// a file, many more values are measured and the table of docs/accuracy.md goes there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

#include "pallasite/ops/arith_test_arrays.h"

namespace pallasite {

#define PALLASITE_OP(X) extern const OpDef k##X;
#include "pallasite/ops/ops.def"
#undef PALLASITE_OP

namespace {

using test::Array;
using test::run_op;

// Operands for which a function is measured, beside all bit patterns if it takes them.
struct Range {
  double low = 0;
  double high = 0;
  bool whole_numbers = false;
};

struct Case {
  const OpDef* def;
  long double (*reference)(long double x, long double y, long double z);
  std::vector<Range> ranges;
  // Every bit pattern of a unary function, NaN and infinity too.
  bool all_patterns = true;
  // In f32.
  double allowed_units = 0.52;
  // Results in f16 and bf16 that are not the correctly rounded value.
  size_t allowed_exceptions = 0;
  // Every f32 in these is measured where the table is written. None holds zero inside.
  std::vector<Range> sweeps = {};
};

// The Hurwitz zeta function by 60 terms and the integral with three corrections.
long double zeta(long double s, long double q) {
  long double sum = 0;
  for (int k = 0; k < 60; ++k) sum += std::pow(q + k, -s);
  const long double end = q + 60, power = std::pow(end, -s);
  return sum + power * (end / (s - 1) + 0.5L + s / (12 * end) -
                        s * (s + 1) * (s + 2) / (720 * end * end * end) +
                        s * (s + 1) * (s + 2) * (s + 3) * (s + 4) / (30240 * std::pow(end, 5)));
}

long double igamma_grad_a(long double a, long double x) {
  // By the function that is not near 1, whose digits are left.
  const auto value = [&](int steps) {
    const long double at = a + steps * a * 0x1p-12L;
    return x > a + 1 ? -boost::math::gamma_q(at, x) : boost::math::gamma_p(at, x);
  };
  return (value(-3) * -1 + value(-2) * 9 + value(-1) * -45 + value(1) * 45 + value(2) * -9 +
          value(3)) /
         (60 * a * 0x1p-12L);
}

const Case kCases[] = {
    {&kArithExp,
     [](auto x, auto, auto) { return std::exp(x); },
     {{-110, 95}},
     true,
     2,
     0,
     {{-104, -0.25}, {0.25, 89}}},
    {&kArithExp2,
     [](auto x, auto, auto) { return std::exp2(x); },
     {{-152, 130}},
     true,
     2,
     0,
     {{-150, -0.25}, {0.25, 128}}},
    {&kArithExpm1,
     [](auto x, auto, auto) { return std::expm1(x); },
     {{-20, 20}},
     true,
     2,
     0,
     {{-20, -0.0625}, {0.0625, 89}}},
    {&kArithLog,
     [](auto x, auto, auto) { return std::log(x); },
     {{0.5, 2}},
     true,
     2,
     0,
     {{0.25, 4}}},
    {&kArithLog2,
     [](auto x, auto, auto) { return std::log2(x); },
     {{0.5, 2}},
     true,
     2,
     0,
     {{0.25, 4}}},
    {&kArithLog1p,
     [](auto x, auto, auto) { return std::log1p(x); },
     {{-1, 2}},
     true,
     2,
     0,
     {{-0.9999, -0.0625}, {0.0625, 4}}},
    {&kArithSin,
     [](auto x, auto, auto) { return std::sin(x); },
     {{-30, 30}},
     true,
     2,
     0,
     {{0.0625, 262144}}},
    {&kArithCos,
     [](auto x, auto, auto) { return std::cos(x); },
     {{-30, 30}},
     true,
     2,
     0,
     {{0.0625, 262144}}},
    {&kArithTan, [](auto x, auto, auto) { return std::tan(x); }, {{-30, 30}}},
    {&kArithAsin, [](auto x, auto, auto) { return std::asin(x); }, {{-1, 1}}},
    {&kArithAcos, [](auto x, auto, auto) { return std::acos(x); }, {{-1, 1}}},
    {&kArithAtan,
     [](auto x, auto, auto) { return std::atan(x); },
     {{-4, 4}},
     true,
     2,
     0,
     {{0.0625, 16}}},
    {&kArithSinh, [](auto x, auto, auto) { return std::sinh(x); }, {{-10, 10}}},
    {&kArithCosh, [](auto x, auto, auto) { return std::cosh(x); }, {{-10, 10}}},
    {&kArithTanh,
     [](auto x, auto, auto) { return std::tanh(x); },
     {{-10, 10}},
     true,
     2,
     0,
     {{0.0625, 10}}},
    {&kArithAsinh, [](auto x, auto, auto) { return std::asinh(x); }, {{-10, 10}}},
    {&kArithAcosh, [](auto x, auto, auto) { return std::acosh(x); }, {{1, 10}}},
    {&kArithAtanh, [](auto x, auto, auto) { return std::atanh(x); }, {{-1, 1}}},
    {&kArithLogistic,
     [](auto x, auto, auto) { return 1 / (1 + std::exp(-x)); },
     {{-110, 30}},
     true,
     2,
     0,
     {{-109, -0.5}, {0.0625, 30}}},
    {&kArithErf,
     [](auto x, auto, auto) { return std::erf(x); },
     {{-5, 5}},
     true,
     2,
     0,
     {{0.0625, 5}}},
    {&kArithErfc, [](auto x, auto, auto) { return std::erfc(x); }, {{-5, 11}}},
    {&kArithSqrt, [](auto x, auto, auto) { return std::sqrt(x); }, {{0, 10}}, true, 0.5},
    {&kArithRsqrt,
     [](auto x, auto, auto) { return 1 / std::sqrt(x); },
     {{0, 10}},
     true,
     1.5,
     0,
     {{0.25, 4}}},
    {&kArithCbrt, [](auto x, auto, auto) { return std::cbrt(x); }, {{-10, 10}}},
    {&kArithPow, [](auto x, auto y, auto) { return std::pow(x, y); }, {{0, 4}, {-60, 60}}},
    {&kArithAtan2, [](auto y, auto x, auto) { return std::atan2(y, x); }, {{-4, 4}, {-4, 4}}},
    {&kArithErfInv,
     [](auto x, auto, auto) {
       return std::fabs(x) < 1 ? boost::math::erf_inv(x) : std::copysign(INFINITY, x);
     },
     {{-1, 1}},
     false},
    {&kArithBesselI0e,
     [](auto x, auto, auto) { return boost::math::cyl_bessel_i(0, x) * std::exp(-std::fabs(x)); },
     {{-30, 600}},
     false},
    {&kArithBesselI1e,
     [](auto x, auto, auto) { return boost::math::cyl_bessel_i(1, x) * std::exp(-std::fabs(x)); },
     {{-30, 600}},
     false},
    {&kArithLgamma,
     [](auto x, auto, auto) { return std::isinf(x) ? INFINITY : std::lgamma(x); },
     {{-20, 40}},
     true},
    {&kArithDigamma,
     [](auto x, auto, auto) { return boost::math::digamma(x); },
     {{0.01, 40}},
     false},
    {&kArithDigamma,
     [](auto x, auto, auto) { return boost::math::digamma(x); },
     {{-9.9, -9.1}},
     false},
    {&kArithZeta, [](auto s, auto q, auto) { return zeta(s, q); }, {{1.1, 20}, {0.1, 30}}, false},
    // Orders as large as the second operand, and much larger.
    {&kArithZeta, [](auto s, auto q, auto) { return zeta(s, q); }, {{1.1, 120}, {0.5, 60}}, false},
    {&kArithPolygamma,
     [](auto n, auto x, auto) {
       const auto sum = zeta(n + 1, x) * std::tgamma(n + 1);
       return std::fmod(n, 2) == 0 ? -sum : sum;
     },
     {{1, 8, true}, {0.1, 30}},
     false},
    {&kArithPolygamma,
     [](auto n, auto x, auto) {
       const auto sum = zeta(n + 1, x) * std::tgamma(n + 1);
       return std::fmod(n, 2) == 0 ? -sum : sum;
     },
     {{1, 250, true}, {1, 100}},
     false},
    {&kArithIgamma,
     [](auto a, auto x, auto) { return boost::math::gamma_p(a, x); },
     {{0.1, 30}, {0.01, 40}},
     false},
    {&kArithIgammac,
     [](auto a, auto x, auto) { return boost::math::gamma_q(a, x); },
     {{0.1, 30}, {0.01, 40}},
     false},
    {&kArithIgammaGradA,
     [](auto a, auto x, auto) { return igamma_grad_a(a, x); },
     {{0.5, 30}, {0.1, 40}},
     false},
    {&kArithRandomGammaGrad,
     [](auto a, auto x, auto) {
       return -igamma_grad_a(a, x) / boost::math::gamma_p_derivative(a, x);
     },
     {{0.5, 30}, {0.1, 40}},
     false},
    {&kArithRegularizedIncompleteBeta,
     [](auto a, auto b, auto x) { return boost::math::ibeta(a, b, x); },
     {{0.1, 20}, {0.1, 20}, {0.01, 0.99}},
     false},
};

struct Measured {
  double worst_units = 0;
  size_t samples = 0;
  size_t not_nearest = 0;
  std::string where;
  std::string found_by = "samples";
};

void compare(const Case& c, const std::vector<Array>& inputs, Measured& measured) {
  const ElementType element = inputs[0].element;
  const ElementInfo& info = element_info(element);
  std::vector<const Array*> pointers;
  for (const Array& input : inputs) pointers.push_back(&input);
  const Array out = run_op(*c.def, pointers, element);
  const double largest = Array([&] {
                           Array one(element, 1);
                           one.set_bits(0, test::float_bits(element, INFINITY) - 1);
                           return one;
                         }())
                             .number(0);
  for (size_t i = 0; i < out.count; ++i) {
    long double operands[3] = {};
    for (size_t k = 0; k < inputs.size(); ++k) operands[k] = inputs[k].number(i);
    const long double expected = c.reference(operands[0], operands[1], operands[2]);
    const double actual = out.number(i);
    const auto place = [&] {
      std::string text = fmt::format("{:.9g}", double(operands[0]));
      for (size_t k = 1; k < inputs.size(); ++k)
        text += fmt::format(", {:.9g}", double(operands[k]));
      return text;
    };
    ++measured.samples;
    const uint64_t nearest = test::float_bits(element, double(expected));
    if (std::isnan(expected) || std::isnan(actual)) {
      EXPECT_TRUE(std::isnan(expected) && std::isnan(actual))
          << c.def->name << " " << element_name(element) << " of " << place() << " is " << actual
          << ", not " << double(expected);
      continue;
    }
    if (nearest != out.bits(i)) ++measured.not_nearest;
    double units = 0;
    if (std::isinf(actual) || std::fabs(expected) > largest) {
      // At the end of the range the nearest value is the last finite one or infinity.
      units = nearest == out.bits(i) ? 0 : 1;
      if (std::isinf(actual) != std::isinf(double(expected)) && std::fabs(expected) < largest / 2)
        units = INFINITY;
    } else {
      EXPECT_TRUE(actual != 0 || expected != 0 || std::signbit(actual) == std::signbit(expected))
          << c.def->name << " " << element_name(element) << ": sign of zero for " << place();
      int exponent = 0;
      std::frexp(expected, &exponent);
      const int fraction_bits = info.storage_bits - 1 - info.exponent_bits;
      exponent = std::max(exponent - 1, 1 - info.bias) - fraction_bits;
      units = double(std::fabs(std::ldexp(actual - expected, -exponent)));
    }
    if (units > measured.worst_units) {
      measured.worst_units = units;
      measured.where = place();
    }
  }
}

std::vector<Array> sample(const Case& c, ElementType element, size_t count, uint64_t seed) {
  std::vector<Array> inputs;
  std::mt19937_64 random(seed);
  for (const Range& range : c.ranges) {
    Array input(element, count);
    for (size_t i = 0; i < count; ++i) {
      double value = range.low + (range.high - range.low) * double(random() >> 11) * 0x1p-53;
      if (range.whole_numbers) value = std::floor(value);
      input.set_bits(i, test::float_bits(element, value));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Measured measure(const Case& c, ElementType element, size_t count) {
  Measured measured;
  const bool unary = c.ranges.size() == 1;
  if (c.all_patterns && unary) {
    const bool small = element_info(element).storage_bits <= 16;
    const size_t patterns = small ? 65536 : count;
    constexpr size_t kChunk = 1 << 16;
    for (size_t first = 0; first < patterns; first += kChunk) {
      Array input(element, kChunk);
      // An odd factor visits 2^32 patterns evenly.
      for (size_t i = 0; i < kChunk; ++i)
        input.set_bits(i, small ? i : uint32_t((first + i) * 0x9e3779b1u));
      compare(c, {input}, measured);
    }
    if (small) return measured;
  }
  constexpr size_t kChunk = 1 << 14;
  for (size_t first = 0; first < count; first += kChunk)
    compare(c, sample(c, element, std::min(kChunk, count), first + 1), measured);
  return measured;
}

// Measures every f32 of the sweeps too; `measured` gets the larger error.
void sweep(const Case& c, Measured& measured) {
  constexpr uint32_t kChunk = 1 << 16;
  for (const Range& range : c.sweeps) {
    Measured found;
    // Codes of one sign grow with the magnitude.
    const auto one = std::bit_cast<uint32_t>(float(range.low));
    const auto other = std::bit_cast<uint32_t>(float(range.high));
    const uint32_t last = std::max(one, other);
    for (uint32_t first = std::min(one, other); first <= last; first += kChunk) {
      Array input(ElementType::F32, std::min(kChunk, last - first + 1));
      for (uint32_t i = 0; i < input.count; ++i) input.set_bits(i, first + i);
      compare(c, {input}, found);
    }
    measured.samples += found.samples;
    if (found.worst_units <= measured.worst_units) continue;
    measured.worst_units = found.worst_units;
    measured.where = found.where;
    measured.found_by = fmt::format("every f32 from {} to {}", range.low, range.high);
  }
}

TEST(Accuracy, StaysWithinTheBounds) {
  const char* path = std::getenv("PALLASITE_ACCURACY");
  const bool full = path != nullptr;
  const char* heading =
      "# Accuracy of the functions of real numbers\n\n"
      "Against formulas in `long double`: f32 at random bits (functions of one operand, but for "
      "the\n"
      "special ones) and in the range where the function varies, f16 and bf16 at all their bits "
      "or\n"
      "in that range. Of the functions that are computed in f32 every f32 of some ranges was "
      "measured\n"
      "as well; the error stated is the largest of all, and beside it what found it.\n"
      "`docs/numerics.md` has the bounds. Written by "
      "`Accuracy.StaysWithinTheBounds`\n"
      "with `PALLASITE_ACCURACY=docs/accuracy.md` in the environment.\n\n";
  std::string table =
      "| op | f32: largest error (units in the last place) | at | found by | values | f16: not "
      "correctly "
      "rounded | bf16: not correctly rounded | values |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Case& c : kCases) {
    const bool slow = !c.all_patterns;
    Measured f32 = measure(c, ElementType::F32,
                           full ? (slow ? 1 << 18 : 1 << 22) : (slow ? 1 << 14 : 1 << 17));
    if (full) sweep(c, f32);
    EXPECT_LE(f32.worst_units, c.allowed_units) << c.def->name << " f32 at " << f32.where;
    const size_t pairs = full ? (slow ? 1 << 16 : 1 << 20) : 1 << 14;
    const Measured f16 = measure(c, ElementType::F16, pairs);
    const Measured bf16 = measure(c, ElementType::BF16, pairs);
    EXPECT_LE(f16.not_nearest, c.allowed_exceptions) << c.def->name << " f16 at " << f16.where;
    EXPECT_LE(bf16.not_nearest, c.allowed_exceptions) << c.def->name << " bf16 at " << bf16.where;
    table += fmt::format("| `{}` | {:.4f} | {} | {} | {} | {} | {} | {} |\n", c.def->name,
                         f32.worst_units, f32.where, f32.found_by, f32.samples, f16.not_nearest,
                         bf16.not_nearest, f16.samples);
  }
  if (full) std::ofstream(path) << heading << table;
}

// The reference of the two slopes above is a difference, itself some units off; these values are
// mpmath's, from 70 digits, on both sides of the change of method at x = a + 1.
TEST(Accuracy, GammaSlopesMatchMpmath) {
  struct Point {
    double a, x, igamma_grad_a, random_gamma_grad;
  };
  // clang-format off
  const Point points[] = {
      {0.01, 0.02, -3.2591885753328979, 6.8761256687980361},
      {0.01, 3, -0.013547187572805138, 80.280739180934658},
      {0.25, 0.001, -1.3104780565576361, 0.026745155222363006},
      {0.25, 0.5, -0.65025842524806494, 2.3112227684542196},
      {0.5, 0.1, -0.82293609697959875, 0.50976556708269724},
      {0.5, 1.5, -0.23019434201736077, 2.2395302530842021},
      {0.5, 1.75, -0.17668490930633582, 2.3840137830853054},
      {0.5, 40, -2.1253415656995287e-18, 5.6080637779928523},
      {1, 0.001, -0.0073271254546449205, 0.0073344562448837857},
      {1, 1, -0.4317297106348987, 1.1735630272247269},
      {1, 1.99, -0.2225498886201466, 1.6280712239989161},
      {1, 2, -0.22082542621185951, 1.6316914623497008},
      {1, 2.01, -0.21911138939227992, 1.6352978334466133},
      {2.5, 0.1, -0.0030252729366812101, 0.14054979297366989},
      {2.5, 3.25, -0.20767964683832333, 1.2152402938860109},
      {2.5, 3.75, -0.16703478452702172, 1.3001711541313163},
      {7, 0.5, -2.7234086627215341e-6, 0.20690573373103032},
      {7, 7.5, -0.14490275495117829, 1.0598640781014202},
      {7, 8.5, -0.1200906170380619, 1.12675920474157},
      {7, 30, -1.8393271649841698e-7, 1.9413257279714352},
      {30, 0.1, -1.9576929300283092e-62, 0.01912990621200116},
      {30, 20, -0.010205257324989506, 0.81542222422603685},
      {30, 30.5, -0.072139500279361117, 1.0139074327032463},
      {30, 31.5, -0.068731615626289698, 1.0303042539271879},
      {30, 60, -5.0864222792600049e-6, 1.3939072794341447},
      {300, 280, -0.011865557618722611, 0.96643689916251177},
      {300, 300.5, -0.023010585689311174, 1.0013890741063541},
      {300, 320, -0.011778982290175601, 1.0331901312507469},
  };
  // clang-format on
  const size_t count = std::size(points);
  Array a(ElementType::F64, count);
  Array x(ElementType::F64, count);
  for (size_t i = 0; i < count; ++i) {
    a.set_bits(i, test::float_bits(ElementType::F64, points[i].a));
    x.set_bits(i, test::float_bits(ElementType::F64, points[i].x));
  }
  const Array slope = run_op(kArithIgammaGradA, {&a, &x}, ElementType::F64);
  const Array gradient = run_op(kArithRandomGammaGrad, {&a, &x}, ElementType::F64);
  for (size_t i = 0; i < count; ++i) {
    const Point& point = points[i];
    EXPECT_NEAR(slope.number(i) / point.igamma_grad_a, 1, 1e-13) << point.a << ", " << point.x;
    EXPECT_NEAR(gradient.number(i) / point.random_gamma_grad, 1, 1e-13)
        << point.a << ", " << point.x;
  }
}

// Values of mpmath for parameters so large that series and continued fractions take thousands of
// steps, or no end of them, and lose their digits.
TEST(Accuracy, IncompleteFunctionsOfLargeParametersMatchMpmath) {
  struct Point {
    const OpDef* def;
    std::vector<double> operands;
    double expected;
  };
  const Point points[] = {
      {&kArithIgamma, {1e12, 1e12}, 0.50000013298076013},
      {&kArithIgammac, {1e12, 1e12}, 0.49999986701923987},
      {&kArithIgamma, {1e38, 1e38}, 0.5},
      {&kArithIgammac, {10001, 10101.01}, 0.15863923},
      {&kArithIgammac, {10001, 13001.3}, 4.5380642e-166},
      {&kArithRandomGammaGrad, {1e38, 1e38}, 1},
      {&kArithRegularizedIncompleteBeta, {1e30, 1e30, 0.5}, 0.5},
      {&kArithRegularizedIncompleteBeta, {3.4e38, 3.4e38, 0.5}, 0.5},
      {&kArithRegularizedIncompleteBeta, {1e9, 1e9, 0.50001118033988747}, 0.841344746067506},
      {&kArithRegularizedIncompleteBeta, {1e300, 1e300, 0.25}, 0},
      {&kArithRegularizedIncompleteBeta, {1e300, 1e300, 0.75}, 1},
  };
  for (const Point& point : points) {
    std::vector<Array> inputs;
    std::vector<const Array*> pointers;
    for (double operand : point.operands) {
      Array input(ElementType::F64, 1);
      input.set_bits(0, test::float_bits(ElementType::F64, operand));
      inputs.push_back(input);
    }
    for (const Array& input : inputs) pointers.push_back(&input);
    const double actual = run_op(*point.def, pointers, ElementType::F64).number(0);
    EXPECT_NEAR(actual, point.expected, 1e-7 * point.expected)
        << point.def->name << " of " << point.operands[0];
  }
}

// Instruction sets, places in an array and the scalar instruction do not change a bit.
TEST(Accuracy, AllVariantsGiveTheSameBits) {
  for (const Case& c : kCases) {
    for (ElementType element :
         {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::F64}) {
      std::vector<Array> inputs = sample(c, element, 4096 + 7, 5);
      // Every sixteenth operand is one of the awkward values, in blocks that have no such neighbour
      // and in blocks that have.
      const std::vector<uint64_t> awkward = test::adversarial_bits(element);
      for (size_t k = 0; k < inputs.size(); ++k)
        for (size_t i = 1024; i < 3000; i += 16)
          inputs[k].set_bits(i + k, awkward[(i / 16 * (1 + 6 * k)) % awkward.size()]);
      std::vector<const Array*> pointers;
      for (const Array& input : inputs) pointers.push_back(&input);
      const Array expected = run_op(*c.def, pointers, element, LoopPath::Portable);
      for (LoopPath path : {LoopPath::Avx2, LoopPath::Avx512}) {
        if (!convert_path_supported(path)) continue;
        ASSERT_EQ(run_op(*c.def, pointers, element, path).data, expected.data)
            << c.def->name << " " << element_name(element) << " path " << int(path);
      }
      Array one(element, 1);
      for (size_t i = 900; i < 1300; ++i) {
        std::vector<Array> parts(inputs.size(), one);
        std::vector<const Array*> part_pointers;
        for (size_t k = 0; k < inputs.size(); ++k) {
          parts[k].set_bits(0, inputs[k].bits(i));
          part_pointers.push_back(&parts[k]);
        }
        ASSERT_EQ(run_op(*c.def, part_pointers, element).bits(0), expected.bits(i))
            << c.def->name << " " << element_name(element) << " alone";
        if (!test::run_scalar(*c.def, part_pointers, 0, {}, one)) continue;
        ASSERT_EQ(one.bits(0), expected.bits(i))
            << c.def->name << " " << element_name(element) << " as a scalar";
      }
    }
  }
}

// Poles, ends of domains and infinity, as XLA's CPU backend has them; NaN stands for itself.
TEST(Accuracy, SpecialFunctionsAtTheirLimits) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Limit {
    const OpDef* def;
    std::vector<double> operands;
    double expected;
  };
  const Limit limits[] = {
      {&kArithLgamma, {0}, kInf},
      {&kArithLgamma, {-1}, kInf},
      {&kArithLgamma, {-kInf}, kInf},
      {&kArithDigamma, {0}, -kInf},
      {&kArithDigamma, {-1}, kNan},
      {&kArithDigamma, {kInf}, kInf},
      {&kArithDigamma, {-kInf}, kNan},
      {&kArithErfInv, {1}, kInf},
      {&kArithErfInv, {-1}, -kInf},
      {&kArithErfInv, {1.5}, kNan},
      {&kArithBesselI0e, {kInf}, 0},
      {&kArithBesselI1e, {-kInf}, 0},
      {&kArithBesselI1e, {0}, 0},
      {&kArithZeta, {1, 1}, kInf},
      {&kArithZeta, {0.5, 1}, kNan},
      {&kArithZeta, {2, -1}, kInf},
      {&kArithZeta, {3, -1}, kNan},
      {&kArithZeta, {2.5, -0.5}, kNan},
      {&kArithPolygamma, {0, 0}, -kInf},
      {&kArithPolygamma, {1, -1}, kInf},
      {&kArithPolygamma, {1.5, 2}, kNan},
      {&kArithPolygamma, {-1, 2}, kNan},
      {&kArithIgamma, {0, 1}, 1},
      {&kArithIgamma, {-1, 1}, kNan},
      {&kArithIgamma, {1, -1}, kNan},
      {&kArithIgamma, {1, 0}, 0},
      {&kArithIgamma, {0, 0}, kNan},
      {&kArithIgamma, {1, kInf}, 1},
      {&kArithIgamma, {kInf, 1}, 0},
      {&kArithIgamma, {kInf, kInf}, kNan},
      {&kArithIgammac, {0, 1}, 0},
      {&kArithIgammac, {1, 0}, 1},
      {&kArithIgammac, {1, kInf}, 0},
      {&kArithIgammac, {kInf, 1}, 1},
      {&kArithIgammaGradA, {1, 0}, 0},
      {&kArithIgammaGradA, {0, 1}, kNan},
      {&kArithRandomGammaGrad, {1, 0}, 0},
      {&kArithRandomGammaGrad, {1, -1}, kNan},
      {&kArithRegularizedIncompleteBeta, {0, 1, 0.5}, 1},
      {&kArithRegularizedIncompleteBeta, {1, 0, 0.5}, 0},
      {&kArithRegularizedIncompleteBeta, {0, 0, 0.5}, kNan},
      {&kArithRegularizedIncompleteBeta, {1, 1, 1.5}, kNan},
      {&kArithRegularizedIncompleteBeta, {kInf, 1, 0.5}, 0},
      {&kArithRegularizedIncompleteBeta, {1, kInf, 0.5}, 1},
      {&kArithRegularizedIncompleteBeta, {2, 3, kNan}, kNan},
      {&kArithExp, {-100}, 0x1.a8c1f14e2af5dp-145},
      {&kArithLogistic, {-100}, 0x1.a8c1f14e2af5dp-145},
      {&kArithSin, {kInf}, kNan},
      {&kArithPow, {kNan, 0}, 1},
      {&kArithPow, {-2, 3}, -8},
      {&kArithPow, {-2, 0.5}, kNan},
      {&kArithAtan2, {-0.0, -1}, -M_PI},
  };
  for (const Limit& limit : limits) {
    for (ElementType element : {ElementType::F32, ElementType::F64, ElementType::BF16}) {
      std::vector<Array> inputs;
      std::vector<const Array*> pointers;
      for (double operand : limit.operands) {
        Array input(element, 1);
        input.set_bits(0, test::float_bits(element, operand));
        inputs.push_back(input);
      }
      for (const Array& input : inputs) pointers.push_back(&input);
      const Array out = run_op(*limit.def, pointers, element);
      const double expected = limit.expected;
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(out.number(0))) << limit.def->name << " of " << limit.operands[0];
        continue;
      }
      Array nearest(element, 1);
      nearest.set_bits(0, test::float_bits(element, expected));
      if (std::isinf(expected) || nearest.number(0) == 0) {
        EXPECT_EQ(out.number(0), nearest.number(0))
            << limit.def->name << " of " << limit.operands[0];
      } else {
        EXPECT_NEAR(out.number(0) / nearest.number(0), 1, 1e-12)
            << limit.def->name << " of " << limit.operands[0];
      }
    }
  }
}

}  // namespace
}  // namespace pallasite
