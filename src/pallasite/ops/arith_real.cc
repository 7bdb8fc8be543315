// Elementwise functions of real numbers: powers, roots, exponentials, logarithms, angles.
//
// f32, and every smaller float by way of f32, takes the functions of vector_math; f64 those of the
// C library, whose last digit is its own. The functions that kernels use most are computed in f32
// for f32 (vector_math_float).
#include <cmath>
#include <limits>
#include <utility>

#include "pallasite/numerics/vector_math.h"
#include "pallasite/numerics/vector_math_float.h"
#include "pallasite/ops/real_functor.h"

namespace pallasite {
namespace {

// Repeated squaring from the lowest bit of the exponent on, as XLA has it. Every loop below takes
// these products in this order.
struct IntegerPow : ElementFunctor<1, kNumbers> {
  // f32 is multiplied as f64, which rounds once in effect.
  template <typename L>
  using Product = std::conditional_t<L::kFloat, double, Modular<typename L::Value>>;

  static constexpr bool kImmediate = true;
  static constexpr bool kReal = true;
  // The loop over the bits is no vector code; PowerLoops is.
  template <typename L>
  static constexpr bool kVector = false;

  static constexpr uint64_t magnitude(int64_t exponent) {
    return exponent < 0 ? 0 - uint64_t(exponent) : uint64_t(exponent);
  }

  template <typename L>
  [[gnu::always_inline]] static typename L::Value rounded(Product<L> result, bool inverse) {
    if constexpr (L::kFloat) {
      return round_to_lane<L>(inverse ? 1 / result : result);
    } else {
      return typename L::Value(result);
    }
  }

  template <typename L, typename T>
  static T apply(T x, int64_t exponent) {
    using M = Product<L>;
    M power = M(x);
    M result = 1;
    bool first = true;
    for (uint64_t rest = magnitude(exponent); rest > 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        result = first ? power : M(result * power);
        first = false;
      }
      if (rest > 1) power = M(power * power);
    }
    return rounded<L>(result, exponent < 0);
  }
};

// An exponent that the compiler knows: straight-line code, which becomes vector code.
template <int64_t kExponent>
struct FixedPower : ElementFunctor<1, kFloats> {
  static constexpr bool kReal = true;

  template <uint64_t kRest, bool kFirst>
  [[gnu::always_inline]] static double product(double result, double power) {
    if constexpr (kRest == 0) {
      return result;
    } else {
      constexpr bool kOdd = (kRest & 1) != 0;
      if constexpr (kOdd) result = kFirst ? power : result * power;
      if constexpr (kRest > 1) power = power * power;
      return product < (kRest >> 1), kFirst && !kOdd > (result, power);
    }
  }

  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    // Two roundings are close enough for f32, and these products are the ones that a GPU computes.
    if constexpr (kExponent == 3 && std::is_same_v<L, Lane<float>>) return x * (x * x);
    return IntegerPow::rounded<L>(product<IntegerPow::magnitude(kExponent), true>(1, double(x)),
                                  kExponent < 0);
  }
};

// Any exponent: the loop over its bits is outside of those over a block of elements.
template <typename L>
struct PowerLoops {
  using Value = typename L::Value;
  using M = IntegerPow::Product<L>;

  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count,
                                          const void* immediate) {
    const int64_t exponent = *static_cast<const int64_t*>(immediate);
    const auto* x = static_cast<const Value*>(inputs[0]);
    auto* values = static_cast<Value*>(out);
    constexpr size_t kBlock = 256;
    M power[kBlock], result[kBlock];
    for (size_t start = 0; start < count; start += kBlock) {
      const size_t size = count - start < kBlock ? count - start : kBlock;
      for (size_t i = 0; i < size; ++i) power[i] = M(x[start + i]);
      for (size_t i = 0; i < size; ++i) result[i] = 1;
      bool first = true;
      for (uint64_t rest = IntegerPow::magnitude(exponent); rest > 0; rest >>= 1) {
        if ((rest & 1) != 0 && first) {
          for (size_t i = 0; i < size; ++i) result[i] = power[i];
          first = false;
        } else if ((rest & 1) != 0) {
          for (size_t i = 0; i < size; ++i) result[i] = M(result[i] * power[i]);
        }
        if (rest > 1)
          for (size_t i = 0; i < size; ++i) power[i] = M(power[i] * power[i]);
      }
      const auto store = [&](bool inverse) __attribute__((always_inline)) {
        for (size_t i = 0; i < size; ++i)
          values[start + i] = Value(L::wrap(IntegerPow::rounded<L>(result[i], inverse)));
      };
      if (exponent < 0) {
        store(true);
      } else {
        store(false);
      }
    }
  }

  static void portable(void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2,fma")]] static void avx2(void* out, const void* const* inputs, size_t count,
                                               const void* immediate) {
    body(out, inputs, count, immediate);
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma")]] static void avx512(
      void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#endif
};

struct Rsqrt : Real<1> {
  static constexpr bool kRare = true;
  // Zeros, subnormals, infinity, NaN and what is negative.
  template <typename L, typename T>
  [[gnu::always_inline]] static bool rare(T x) {
    if constexpr (kDouble<T> || std::is_same_v<L, OddLane>) return false;
    constexpr T kSmallest = std::numeric_limits<T>::min(), kLargest = std::numeric_limits<T>::max();
    return !((x >= kSmallest) & (x <= kLargest));
  }
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply_rare(T x) {
    return 1 / std::sqrt(x);
  }
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (kDouble<T>) {
      return 1 / std::sqrt(x);
    } else if constexpr (std::is_same_v<L, OddLane>) {
      return round_to_lane<L>(1 / std::sqrt(double(x)));
    } else {
      return vector_math_float::rsqrt(x);
    }
  }
};

struct Logistic : Real<1> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (kDouble<T>) {
      const T power = std::exp(-std::fabs(x));
      return (x < 0 ? power : 1) / (1 + power);
    } else {
      if constexpr (!std::is_same_v<L, OddLane>) return vector_math_float::logistic(x);
      return keep_nan(x, round_to_lane<L>(vector_math::logistic(x)));
    }
  }
};

// A functor that is a function of vector_math and of the C library, of the same name. `fix` gives
// the result where vector_math's does not hold.
#define PALLASITE_REAL_FUNCTOR(functor, function, fix)             \
  struct functor : Real<1> {                                       \
    template <typename L, typename T>                              \
    [[gnu::always_inline]] static T apply(T x) {                   \
      if constexpr (kDouble<T>) {                                  \
        return std::function(x);                                   \
      } else {                                                     \
        return fix(x, round_to_lane<L>(vector_math::function(x))); \
      }                                                            \
    }                                                              \
  }

// One that has a function of vector_math_float too, for f32, whose results `float_fix` corrects.
#define PALLASITE_FLOAT_FUNCTOR(functor, function, fix, float_fix) \
  struct functor : Real<1> {                                       \
    template <typename L, typename T>                              \
    [[gnu::always_inline]] static T apply(T x) {                   \
      if constexpr (kDouble<T>) {                                  \
        return std::function(x);                                   \
      } else if constexpr (!std::is_same_v<L, OddLane>) {          \
        return float_fix(x, vector_math_float::function(x));       \
      } else {                                                     \
        return fix(x, round_to_lane<L>(vector_math::function(x))); \
      }                                                            \
    }                                                              \
  }

[[gnu::always_inline]] inline float holds_everywhere(float, float result) {
  return result;
}
// Each of these is one or two selections. They hold for every operand that they pass on.
[[gnu::always_inline]] inline float keep_not_finite(float x, float result) {
  return is_finite(x) ? result : x;
}
[[gnu::always_inline]] inline float keep_zero_and_not_finite(float x, float result) {
  return is_finite(x) && x != 0 ? result : x;
}
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
[[gnu::always_inline]] inline float up_to_1(float x, float result) {
  return keep_nan(x, std::fabs(x) <= 1 ? result : kNan);
}
[[gnu::always_inline]] inline float from_1(float x, float result) {
  const float inside = x <= std::numeric_limits<float>::max() ? result : x;
  return x >= 1 ? inside : keep_nan(x, kNan);
}
[[gnu::always_inline]] inline float below_1(float x, float result) {
  const float infinite = std::copysign(std::numeric_limits<float>::infinity(), x);
  return up_to_1(x, std::fabs(x) < 1 ? result : infinite);
}
[[gnu::always_inline]] inline float above_minus_1(float x, float result) {
  const float limit = x == -1 ? -std::numeric_limits<float>::infinity() : kNan;
  const float inside = x <= std::numeric_limits<float>::max() ? result : x;
  return x > -1 ? inside : keep_nan(x, limit);
}

PALLASITE_FLOAT_FUNCTOR(Exp, exp, keep_nan, holds_everywhere);
PALLASITE_FLOAT_FUNCTOR(Exp2, exp2, keep_nan, holds_everywhere);
PALLASITE_FLOAT_FUNCTOR(Expm1, expm1, keep_nan, holds_everywhere);
PALLASITE_FLOAT_FUNCTOR(Log, log, vector_math::log_limits, vector_math::log_limits);
PALLASITE_FLOAT_FUNCTOR(Log2, log2, vector_math::log_limits, vector_math::log_limits);
PALLASITE_FLOAT_FUNCTOR(Log1p, log1p, above_minus_1, above_minus_1);
PALLASITE_REAL_FUNCTOR(Sinh, sinh, keep_nan);
PALLASITE_REAL_FUNCTOR(Cosh, cosh, keep_nan);
PALLASITE_FLOAT_FUNCTOR(Tanh, tanh, keep_nan, holds_everywhere);
PALLASITE_REAL_FUNCTOR(Asinh, asinh, keep_not_finite);
PALLASITE_REAL_FUNCTOR(Acosh, acosh, from_1);
PALLASITE_REAL_FUNCTOR(Atanh, atanh, below_1);
PALLASITE_REAL_FUNCTOR(Asin, asin, up_to_1);
PALLASITE_REAL_FUNCTOR(Acos, acos, up_to_1);
PALLASITE_FLOAT_FUNCTOR(Atan, atan, keep_nan, keep_nan);
PALLASITE_FLOAT_FUNCTOR(Erf, erf, keep_nan, holds_everywhere);
PALLASITE_REAL_FUNCTOR(Erfc, erfc, keep_nan);
PALLASITE_REAL_FUNCTOR(Cbrt, cbrt, keep_zero_and_not_finite);
#undef PALLASITE_REAL_FUNCTOR
#undef PALLASITE_FLOAT_FUNCTOR

// Angles beyond what a few words of pi are enough for, infinity and NaN are rare. f32 is computed
// by `float_function` up to `float_largest`, and from there on as other floats are.
#define PALLASITE_ANGLE_FUNCTOR(functor, function, float_function, float_largest) \
  struct functor : Real<1> {                                                      \
    static constexpr bool kRare = true;                                           \
    template <typename L>                                                         \
    static constexpr float kLargest =                                             \
        std::is_same_v<L, OddLane> ? vector_math::kLargestAngle : float_largest;  \
    template <typename L, typename T>                                             \
    [[gnu::always_inline]] static bool rare(T x) {                                \
      if constexpr (kDouble<T>) return false;                                     \
      return !(std::fabs(x) <= kLargest<L>);                                      \
    }                                                                             \
    template <typename L, typename T>                                             \
    static T apply_rare(T x) {                                                    \
      if (!is_finite(x)) return x != x ? x : kNan;                                \
      if (std::fabs(x) <= vector_math::kLargestAngle)                             \
        return round_to_lane<L>(vector_math::function(float(x)));                 \
      return round_to_lane<L>(std::function(double(x)));                          \
    }                                                                             \
    template <typename L, typename T>                                             \
    [[gnu::always_inline]] static T apply(T x) {                                  \
      if constexpr (kDouble<T>) {                                                 \
        return std::function(x);                                                  \
      } else if constexpr (std::is_same_v<L, OddLane>) {                          \
        return round_to_lane<L>(vector_math::function(x));                        \
      } else {                                                                    \
        return round_to_lane<L>(float_function(x));                               \
      }                                                                           \
    }                                                                             \
  }
PALLASITE_ANGLE_FUNCTOR(Sin, sin, vector_math_float::sin, vector_math_float::kLargestAngle);
PALLASITE_ANGLE_FUNCTOR(Cos, cos, vector_math_float::cos, vector_math_float::kLargestAngle);
PALLASITE_ANGLE_FUNCTOR(Tan, tan, vector_math::tan, vector_math::kLargestAngle);
#undef PALLASITE_ANGLE_FUNCTOR

// A value that may be a tie of a small float, which its last bits would hide from the rounding: the
// nearest number of 20 bits, where it is that but for the error of the computation.
[[gnu::always_inline]] inline double exact_if_near(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t near = (bits + (uint64_t(1) << 32)) & ~((uint64_t(1) << 33) - 1);
  const int64_t distance = int64_t(bits - near);
  return distance < 4096 && distance > -4096 ? std::bit_cast<double>(near) : value;
}

struct Pow : Real<2> {
  static constexpr bool kRare = true;
  template <typename L, typename T>
  [[gnu::always_inline]] static bool rare(T x, T y) {
    if constexpr (kDouble<T>) return false;
    constexpr T kLargest = std::numeric_limits<T>::max();
    return !((x > 0) & (x <= kLargest) & (std::fabs(y) <= kLargest));
  }
  template <typename L, typename T>
  static T apply_rare(T x, T y) {
    // A NaN that a processor makes has a sign of its own.
    const T result = round_to_lane<L>(std::pow(double(x), double(y)));
    return result != result && x == x && y == y ? kNan : result;
  }
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    if constexpr (kDouble<T>) {
      return std::pow(x, y);
    } else {
      const double value = vector_math::pow(x, y);
      return round_to_lane<L>(std::is_same_v<L, OddLane> ? exact_if_near(value) : value);
    }
  }
};

struct Atan2 : Real<2> {
  static constexpr bool kRare = true;
  template <typename L, typename T>
  [[gnu::always_inline]] static bool rare(T y, T x) {
    if constexpr (kDouble<T>) return false;
    // Without branches, for vector code.
    return (int(y == 0) | int(x == 0) | int(!is_finite(x)) | int(!is_finite(y))) != 0;
  }
  template <typename L, typename T>
  static T apply_rare(T y, T x) {
    return round_to_lane<L>(std::atan2(double(y), double(x)));
  }
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T y, T x) {
    if constexpr (kDouble<T>) {
      return std::atan2(y, x);
    } else {
      return round_to_lane<L>(vector_math::atan2_of(double(y), double(x)));
    }
  }
};

// `kExponents` are 0, 1, ... for the exponents from `kFirst` on.
template <int64_t kFirst, int64_t... kExponents>
bool bind_fixed_power(const ElementRequest& request, int64_t exponent, ElementFunction& function,
                      std::integer_sequence<int64_t, kExponents...>) {
  return ((exponent == kFirst + kExponents &&
           (function = element_function_of<FixedPower<kFirst + kExponents>>(request), true)) ||
          ...);
}

ElementFunction bind_integer_pow(const ElementRequest& request) {
  const int64_t exponent = int_attribute(request.attributes, "y", 1);
  const ElementType element = request.operands[0].element;
  ElementFunction function;
  constexpr int64_t kLargest = 8;
  if (is_float(element) &&
      bind_fixed_power<-kLargest>(request, exponent, function,
                                  std::make_integer_sequence<int64_t, 2 * kLargest + 1>()))
    return function;
  auto immediate = std::make_shared<const int64_t>(exponent);
  if (is_widened(element)) {
    return widened_function({.element = element,
                             .f32_loop = choose_loop<PowerLoops<OddLane>>(request.path),
                             .immediate = std::move(immediate)});
  }
  function = element_function_of<IntegerPow>(request, std::move(immediate));
  visit_lane<kNumbers>(element, [&](auto lane) {
    function.kernel.loop = choose_loop<PowerLoops<decltype(lane)>>(request.path);
  });
  return function;
}

void verify_integer_pow(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, kNumbers);
  const ElementType element = context.module().value(op.operands[0]).type.element;
  if (!is_float(element) && int_attribute(op.attributes, "y", 1) < 0)
    context.error("`arith.integer_pow` of integers takes no negative exponent");
}

}  // namespace

extern const OpDef kArithIntegerPow = elementwise_op<IntegerPow>({
    .name = "arith.integer_pow",
    .attributes = {{.name = "y", .kind = AttributeKind::Int, .help = "the exponent"}},
    .verify = verify_integer_pow,
    .element_function = bind_integer_pow,
    .primitives = {"integer_pow"},
    .help = "An integer power; integers wrap. A negative exponent, for floats only, gives the "
            "reciprocal of the positive power. Products are f64 and rounded once, but for the cube "
            "of f32, which is two products in f32.",
    .example = PALLASITE_UNARY_EXAMPLE_WITH("arith.integer_pow", "{y = 3}", "f32", "f32"),
    .source = "jax.lax.integer_pow",
});

extern const OpDef kArithRsqrt = elementwise_op<Rsqrt>({
    .name = "arith.rsqrt",
    .primitives = {"rsqrt"},
    .help = "1 / sqrt(x). Infinite at zero, with its sign; NaN below.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.rsqrt", "f32"),
    .source = "jax.lax.rsqrt",
});

extern const OpDef kArithCbrt = elementwise_op<Cbrt>({
    .name = "arith.cbrt",
    .primitives = {"cbrt"},
    .help = "Cube root, also of negative values.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.cbrt", "f32"),
    .source = "jax.lax.cbrt",
});

extern const OpDef kArithExp = elementwise_op<Exp>({
    .name = "arith.exp",
    .primitives = {"exp"},
    .help = "Exponential function.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.exp", "f32"),
    .source = "jax.lax.exp",
});

extern const OpDef kArithExp2 = elementwise_op<Exp2>({
    .name = "arith.exp2",
    .primitives = {"exp2"},
    .help = "2 to the power of x.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.exp2", "f32"),
    .source = "jax.lax.exp2",
});

extern const OpDef kArithExpm1 = elementwise_op<Expm1>({
    .name = "arith.expm1",
    .primitives = {"expm1"},
    .help = "exp(x) - 1 without the loss of digits near zero.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.expm1", "f32"),
    .source = "jax.lax.expm1",
});

extern const OpDef kArithLog = elementwise_op<Log>({
    .name = "arith.log",
    .primitives = {"log"},
    .help = "Natural logarithm. Minus infinity at zero, NaN below.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.log", "f32"),
    .source = "jax.lax.log",
});

extern const OpDef kArithLog1p = elementwise_op<Log1p>({
    .name = "arith.log1p",
    .primitives = {"log1p"},
    .help = "log(1 + x) without the loss of digits near zero.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.log1p", "f32"),
    .source = "jax.lax.log1p",
});

extern const OpDef kArithLog2 = elementwise_op<Log2>({
    .name = "arith.log2",
    .primitives = {"log2"},
    .help = "Logarithm to base 2. Minus infinity at zero, NaN below.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.log2", "f32"),
    .source = "jax.lax.log2",
});

extern const OpDef kArithSin = elementwise_op<Sin>({
    .name = "arith.sin",
    .primitives = {"sin"},
    .help = "Sine of an angle in radians; NaN for an infinite one.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.sin", "f32"),
    .source = "jax.lax.sin",
});

extern const OpDef kArithCos = elementwise_op<Cos>({
    .name = "arith.cos",
    .primitives = {"cos"},
    .help = "Cosine of an angle in radians; NaN for an infinite one.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.cos", "f32"),
    .source = "jax.lax.cos",
});

extern const OpDef kArithTan = elementwise_op<Tan>({
    .name = "arith.tan",
    .primitives = {"tan"},
    .help = "Tangent of an angle in radians; NaN for an infinite one.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.tan", "f32"),
    .source = "jax.lax.tan",
});

extern const OpDef kArithTanh = elementwise_op<Tanh>({
    .name = "arith.tanh",
    .primitives = {"tanh"},
    .help = "Hyperbolic tangent.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.tanh", "f32"),
    .source = "jax.lax.tanh",
});

extern const OpDef kArithLogistic = elementwise_op<Logistic>({
    .name = "arith.logistic",
    .primitives = {"logistic"},
    .help = "The logistic function (sigmoid), 1 / (1 + exp(-x)).",
    .example = PALLASITE_UNARY_EXAMPLE("arith.logistic", "f32"),
    .source = "jax.lax.logistic",
});

extern const OpDef kArithErf = elementwise_op<Erf>({
    .name = "arith.erf",
    .primitives = {"erf"},
    .help = "The error function.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.erf", "f32"),
    .source = "jax.lax.erf",
});

extern const OpDef kArithPow = elementwise_op<Pow>({
    .name = "arith.pow",
    .primitives = {"pow"},
    .help = "The first element to the power of the second, with the special values of C's pow: "
            "pow(x, 0) and pow(1, x) are 1 also for NaN.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.pow", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.pow; IEEE 754-2019 section 9.2, pow",
});

extern const OpDef kArithAtan2 = elementwise_op<Atan2>({
    .name = "arith.atan2",
    .primitives = {"atan2"},
    .help = "The angle of the point (second element, first element), from -pi to pi.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.atan2", "f32", "f32(1.0)", "f32"),
    .source = "jax.lax.atan2; IEEE 754-2019 section 9.2, atan2",
});

extern const OpDef kArithSinh = elementwise_op<Sinh>({
    .name = "arith.sinh",
    .primitives = {"sinh"},
    .help = "Hyperbolic sine.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.sinh", "f32"),
    .source = "jax.lax.sinh",
});

extern const OpDef kArithCosh = elementwise_op<Cosh>({
    .name = "arith.cosh",
    .primitives = {"cosh"},
    .help = "Hyperbolic cosine.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.cosh", "f32"),
    .source = "jax.lax.cosh",
});

extern const OpDef kArithAsin = elementwise_op<Asin>({
    .name = "arith.asin",
    .primitives = {"asin"},
    .help = "The angle from -pi/2 to pi/2 with this sine; NaN beyond 1.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.asin", "f32"),
    .source = "jax.lax.asin",
});

extern const OpDef kArithAcos = elementwise_op<Acos>({
    .name = "arith.acos",
    .primitives = {"acos"},
    .help = "The angle from 0 to pi with this cosine; NaN beyond 1.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.acos", "f32"),
    .source = "jax.lax.acos",
});

extern const OpDef kArithAtan = elementwise_op<Atan>({
    .name = "arith.atan",
    .primitives = {"atan"},
    .help = "The angle from -pi/2 to pi/2 with this tangent.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.atan", "f32"),
    .source = "jax.lax.atan",
});

extern const OpDef kArithAsinh = elementwise_op<Asinh>({
    .name = "arith.asinh",
    .primitives = {"asinh"},
    .help = "Inverse of the hyperbolic sine.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.asinh", "f32"),
    .source = "jax.lax.asinh",
});

extern const OpDef kArithAcosh = elementwise_op<Acosh>({
    .name = "arith.acosh",
    .primitives = {"acosh"},
    .help = "Inverse of the hyperbolic cosine, not negative; NaN below 1.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.acosh", "f32"),
    .source = "jax.lax.acosh",
});

extern const OpDef kArithAtanh = elementwise_op<Atanh>({
    .name = "arith.atanh",
    .primitives = {"atanh"},
    .help = "Inverse of the hyperbolic tangent. Infinite at -1 and 1, NaN beyond.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.atanh", "f32"),
    .source = "jax.lax.atanh",
});

extern const OpDef kArithErfc = elementwise_op<Erfc>({
    .name = "arith.erfc",
    .primitives = {"erfc"},
    .help = "1 - erf(x), to all digits where that is small.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.erfc", "f32"),
    .source = "jax.lax.erfc",
});

}  // namespace pallasite
