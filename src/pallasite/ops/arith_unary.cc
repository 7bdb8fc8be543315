// Elementwise ops on one operand. Values follow XLA's CPU backend where it defines them.
#include <bit>
#include <cmath>
#include <limits>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

struct Neg : ArithmeticFunctor<1, kNumbers> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    return T(-Modular<T>(x));
  }
};

struct Not : ArithmeticFunctor<1, kBitPatterns> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    return T(~x);
  }
};

struct Abs : ElementFunctor<1, kNumbers> {
  template <typename L>
  static constexpr bool kStrip = L::kFloat;
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (L::kFloat) {
      using std::fabs;
      return fabs(x);
    } else {
      return x < T(0) ? T(Modular<T>(0) - Modular<T>(x)) : x;
    }
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

struct Square : ArithmeticFunctor<1, kNumbers> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
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

struct Sqrt : ElementFunctor<1, kFloats> {
  template <typename L, typename T>
  static T apply(T x) {
    return std::sqrt(x);
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

extern const OpDef kArithSqrt = elementwise_op<Sqrt>({
    .name = "arith.sqrt",
    .primitives = {"sqrt"},
    .help = "Square root, correctly rounded; NaN below zero.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.sqrt", "f32"),
    .source = "jax.lax.sqrt; IEEE 754-2019 section 5.4.1, squareRoot",
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
