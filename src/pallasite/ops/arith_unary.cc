// Elementwise ops on one operand. Values follow XLA's CPU backend where it defines them.
#include <bit>
#include <cmath>
#include <limits>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

struct Neg : ElementFunctor<1, kNumbers> {
  template <typename L, typename T>
  static T apply(T x) {
    if constexpr (L::kFloat) return -x;
    return T(Modular<T>(0) - Modular<T>(x));
  }
};

struct Not : ElementFunctor<1, kBitPatterns> {
  template <typename L, typename T>
  static T apply(T x) {
    return T(~x);
  }
};

struct Abs : ElementFunctor<1, kNumbers> {
  template <typename L, typename T>
  static T apply(T x) {
    if constexpr (L::kFloat) return std::fabs(x);
    return x < T(0) ? T(Modular<T>(0) - Modular<T>(x)) : x;
  }
};

struct Sign : ElementFunctor<1, kNumbers> {
  template <typename L, typename T>
  static T apply(T x) {
    // Zeros keep their sign, and a NaN stays.
    if constexpr (L::kFloat) return x > 0 || x < 0 ? std::copysign(T(1), x) : x;
    return T(int(x > T(0)) - int(x < T(0)));
  }
};

struct Square : ElementFunctor<1, kNumbers> {
  template <typename L, typename T>
  static T apply(T x) {
    return T(Modular<T>(x) * Modular<T>(x));
  }
};

struct OneMinusSquare : ElementFunctor<1, kNumbers> {
  // As a product, which keeps the digits of 1 - x where x is near 1.
  template <typename L, typename T>
  static T apply(T x) {
    using M = Modular<T>;
    return T(M(M(1) + M(x)) * M(M(1) - M(x)));
  }
};

struct IntegerPow : ElementFunctor<1, kNumbers> {
  static constexpr bool kImmediate = true;
  template <typename L>
  static constexpr bool kVector = false;
  // Multiplies in the order of jax.lax.integer_pow, which decides how often a float is rounded.
  template <typename L, typename T>
  static T apply(T x, int64_t exponent) {
    using M = Modular<T>;
    uint64_t rest = exponent < 0 ? 0 - uint64_t(exponent) : uint64_t(exponent);
    M power = M(x);
    M result = 1;
    bool first = true;
    for (; rest > 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        result = first ? power : M(result * power);
        first = false;
      }
      if (rest > 1) power = M(power * power);
    }
    if constexpr (L::kFloat) return exponent < 0 ? 1 / result : result;
    return T(result);
  }
};

struct Sqrt : ElementFunctor<1, kFloats> {
  template <typename L, typename T>
  static T apply(T x) {
    return std::sqrt(x);
  }
};

struct Rsqrt : ElementFunctor<1, kFloats> {
  template <typename L, typename T>
  static T apply(T x) {
    return 1 / std::sqrt(x);
  }
};

struct Floor : ElementFunctor<1, kFloats> {
  template <typename L, typename T>
  static T apply(T x) {
    return std::floor(x);
  }
};

struct Ceil : ElementFunctor<1, kFloats> {
  template <typename L, typename T>
  static T apply(T x) {
    return std::ceil(x);
  }
};

struct RoundToEven : ElementFunctor<1, kFloats> {
  // The rounding mode is the default one.
  template <typename L, typename T>
  static T apply(T x) {
    return std::nearbyint(x);
  }
};

struct RoundAway : ElementFunctor<1, kFloats> {
  // Not std::round, which no instruction computes: the difference is exact, so this is the same.
  template <typename L, typename T>
  static T apply(T x) {
    const T magnitude = std::fabs(x);
    const T down = std::trunc(magnitude);
    const T rounded = magnitude - down >= T(0.5) ? down + 1 : down;
    return std::copysign(rounded, x);
  }
};

struct IsFinite : ElementFunctor<1, kFloats> {
  static constexpr bool kTest = true;
  template <typename L, typename T>
  static uint8_t apply(T x) {
    return std::fabs(x) <= std::numeric_limits<T>::max() ? 1 : 0;
  }
};

template <typename L, typename T>
constexpr std::make_unsigned_t<T> value_bits(T value) {
  using U = std::make_unsigned_t<T>;
  if constexpr (L::kBits < 8) return U(U(value) & ((1u << L::kBits) - 1));
  return U(value);
}

struct Clz : ElementFunctor<1, kIntegers> {
  template <typename L>
  static constexpr bool kVector = false;
  template <typename L, typename T>
  static T apply(T x) {
    return T(L::kBits - int(std::bit_width(value_bits<L>(x))));
  }
};

struct PopulationCount : ElementFunctor<1, kIntegers> {
  template <typename L>
  static constexpr bool kVector = false;
  template <typename L, typename T>
  static T apply(T x) {
    return T(std::popcount(value_bits<L>(x)));
  }
};

struct Transcendental : ElementFunctor<1, kFloats> {
  template <typename L>
  static constexpr bool kVector = false;
};

struct Logistic : Transcendental {
  template <typename L, typename T>
  static T apply(T x) {
    return 1 / (1 + std::exp(-x));
  }
};

// A functor that is a function of the C++ library.
#define PALLASITE_LIBRARY_FUNCTOR(functor, function) \
  struct functor : Transcendental {                  \
    template <typename L, typename T>                \
    static T apply(T x) {                            \
      return std::function(x);                       \
    }                                                \
  }
PALLASITE_LIBRARY_FUNCTOR(Cbrt, cbrt);
PALLASITE_LIBRARY_FUNCTOR(Exp, exp);
PALLASITE_LIBRARY_FUNCTOR(Exp2, exp2);
PALLASITE_LIBRARY_FUNCTOR(Expm1, expm1);
PALLASITE_LIBRARY_FUNCTOR(Log, log);
PALLASITE_LIBRARY_FUNCTOR(Log1p, log1p);
PALLASITE_LIBRARY_FUNCTOR(Log2, log2);
PALLASITE_LIBRARY_FUNCTOR(Sin, sin);
PALLASITE_LIBRARY_FUNCTOR(Cos, cos);
PALLASITE_LIBRARY_FUNCTOR(Tan, tan);
PALLASITE_LIBRARY_FUNCTOR(Tanh, tanh);
PALLASITE_LIBRARY_FUNCTOR(Erf, erf);
#undef PALLASITE_LIBRARY_FUNCTOR

ElementFunction bind_integer_pow(const ElementRequest& request) {
  const int64_t exponent = int_attribute(request.attributes, "y", 1);
  return element_function_of<IntegerPow>(request, std::make_shared<const int64_t>(exponent));
}

void verify_integer_pow(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, kNumbers);
  const ElementType element = context.module().value(op.operands[0]).type.element;
  if (!is_float(element) && int_attribute(op.attributes, "y", 1) < 0)
    context.error("`arith.integer_pow` of integers takes no negative exponent");
}

ElementFunction bind_round(const ElementRequest& request) {
  return string_attribute(request.attributes, "method") == "away"
             ? element_function_of<RoundAway>(request)
             : element_function_of<RoundToEven>(request);
}

void verify_round(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, kFloats);
  const std::string method = string_attribute(op.attributes, "method");
  if (method != "away" && method != "even")
    context.error("the rounding method is \"away\" or \"even\", not \"" + method + "\"");
}

}  // namespace

extern const OpDef kArithNeg = elementwise_op<Neg>({
    .name = "arith.neg",
    .primitives = {"neg"},
    .help = "Negation. Of a float only the sign changes; integers wrap.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.neg", "f32"),
    .source = "jax.lax.neg",
});

extern const OpDef kArithNot = elementwise_op<Not>({
    .name = "arith.not",
    .primitives = {"not"},
    .help = "Inverts all bits; of bools, logical negation.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.not", "i32"),
    .source = "jax.lax.bitwise_not",
});

extern const OpDef kArithAbs = elementwise_op<Abs>({
    .name = "arith.abs",
    .primitives = {"abs"},
    .help = "Magnitude. The lowest signed integer stays what it is, as its magnitude does not fit.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.abs", "i32"),
    .source = "jax.lax.abs",
});

extern const OpDef kArithSign = elementwise_op<Sign>({
    .name = "arith.sign",
    .primitives = {"sign"},
    .help = "-1, 0 or 1 by the sign. Float zeros keep their sign and NaN stays NaN; the code that "
            "a GPU runs gives 1 or -1 for NaN.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.sign", "f32"),
    .source = "jax.lax.sign",
});

extern const OpDef kArithSquare = elementwise_op<Square>({
    .name = "arith.square",
    .primitives = {"square"},
    .help = "The product of an element with itself. Integers wrap.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.square", "f32"),
    .source = "jax.lax.square",
});

extern const OpDef kArithOneMinusSquare = elementwise_op<OneMinusSquare>({
    .name = "arith.one_minus_square",
    .primitives = {"one_minus_square"},
    .help = "1 - x * x, computed as (1 + x) * (1 - x). Integers wrap.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.one_minus_square", "f32"),
    .source = "jax.lax.one_minus_square",
});

extern const OpDef kArithIntegerPow = elementwise_op<IntegerPow>({
    .name = "arith.integer_pow",
    .attributes = {{.name = "y", .kind = AttributeKind::Int, .help = "the exponent"}},
    .verify = verify_integer_pow,
    .element_function = bind_integer_pow,
    .primitives = {"integer_pow"},
    .help = "An integer power by repeated squaring. A negative exponent, for floats only, gives "
            "the reciprocal of the positive power.",
    .example = PALLASITE_UNARY_EXAMPLE_WITH("arith.integer_pow", "{y = 3}", "f32", "f32"),
    .source = "jax.lax.integer_pow",
});

extern const OpDef kArithSqrt = elementwise_op<Sqrt>({
    .name = "arith.sqrt",
    .primitives = {"sqrt"},
    .help = "Square root, correctly rounded; NaN below zero.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.sqrt", "f32"),
    .source = "jax.lax.sqrt; IEEE 754-2019 section 5.4.1, squareRoot",
});

extern const OpDef kArithRsqrt = elementwise_op<Rsqrt>({
    .name = "arith.rsqrt",
    .primitives = {"rsqrt"},
    .help = "1 / sqrt(x), with both steps rounded. Infinite at zero, NaN below.",
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

extern const OpDef kArithFloor = elementwise_op<Floor>({
    .name = "arith.floor",
    .primitives = {"floor"},
    .help = "The largest whole number that is not above x.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.floor", "f32"),
    .source = "jax.lax.floor",
});

extern const OpDef kArithCeil = elementwise_op<Ceil>({
    .name = "arith.ceil",
    .primitives = {"ceil"},
    .help = "The smallest whole number that is not below x.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.ceil", "f32"),
    .source = "jax.lax.ceil",
});

extern const OpDef kArithRound = elementwise_op<RoundToEven>({
    .name = "arith.round",
    .attributes = {{.name = "method",
                    .kind = AttributeKind::String,
                    .help = "where a tie goes: \"away\" from zero, or to the \"even\" number"}},
    .verify = verify_round,
    .element_function = bind_round,
    .primitives = {"round"},
    .help = "The nearest whole number. Zeros and results that round to zero keep their sign.",
    .example = PALLASITE_UNARY_EXAMPLE_WITH("arith.round", "{method = \"even\"}", "f32", "f32"),
    .source = "jax.lax.round",
});

extern const OpDef kArithIsFinite = elementwise_op<IsFinite>({
    .name = "arith.is_finite",
    .primitives = {"is_finite"},
    .help = "True where the element is neither infinite nor NaN.",
    .example = PALLASITE_UNARY_TEST_EXAMPLE("arith.is_finite", "f32"),
    .source = "jax.lax.is_finite",
});

extern const OpDef kArithClz = elementwise_op<Clz>({
    .name = "arith.clz",
    .primitives = {"clz"},
    .help = "Number of zero bits above the highest bit that is set; the element's width for 0.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.clz", "i32"),
    .source = "jax.lax.clz",
});

extern const OpDef kArithPopulationCount = elementwise_op<PopulationCount>({
    .name = "arith.population_count",
    .primitives = {"population_count"},
    .help = "Number of bits that are set.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.population_count", "i32"),
    .source = "jax.lax.population_count",
});

}  // namespace pallasite
