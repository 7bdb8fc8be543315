// Elementwise ops on two operands. Values follow XLA's CPU backend where it defines them.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

struct Add : ArithmeticFunctor<2, kNumbers> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(Modular<T>(x) + Modular<T>(y));
  }
};

struct Sub : ArithmeticFunctor<2, kNumbers> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(Modular<T>(x) - Modular<T>(y));
  }
};

struct Mul : ArithmeticFunctor<2, kNumbers> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(Modular<T>(x) * Modular<T>(y));
  }
};

// No processor divides integers in vectors. A float type that gives quotients of integers of the
// lane does: x / y is at least 1 / |y| away from the next integer unless it is one, which is more
// than the rounding of a quotient of at most 16 bits in f32, and of at most 32 bits in f64.
template <typename L>
using QuotientType = std::conditional_t<(L::kBits <= 16), float, double>;
template <typename L>
inline constexpr bool kDividesInVectors = L::kFloat || L::kBits <= 32;

// The quotient of integers, rounded toward zero. The divisor is not 0; the quotient is in the range
// of the type.
template <typename L, typename T>
[[gnu::always_inline]] inline T integer_quotient(T x, T divisor) {
  if constexpr (kDividesInVectors<L>) {
    using Q = QuotientType<L>;
    return T(Q(x) / Q(divisor));
  } else {
    return T(x / divisor);
  }
}

// -1 divides the lowest value to what does not exist, so it is left to the caller, like 0.
template <typename L, typename T>
[[gnu::always_inline]] inline bool is_plain_divisor(T y) {
  return (y != 0) & (!L::kSigned | (y != T(-1)));
}

struct Div : ElementFunctor<2, kNumbers> {
  template <typename L>
  static constexpr bool kVector = kDividesInVectors<L>;
  template <typename L>
  static constexpr bool kStrip = L::kFloat;
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    if constexpr (L::kFloat) {
      return x / y;
    } else {
      const T quotient = integer_quotient<L>(x, is_plain_divisor<L>(y) ? y : T(1));
      const T opposite = T(Modular<T>(0) - Modular<T>(x));
      const T special = y == 0 ? T(-1) : opposite;
      return is_plain_divisor<L>(y) ? quotient : special;
    }
  }
};

struct Rem : ElementFunctor<2, kNumbers> {
  template <typename L>
  static constexpr bool kVector = !L::kFloat && kDividesInVectors<L>;
  template <typename L, typename T>
  static T apply(T x, T y) {
    if constexpr (L::kFloat) {
      return std::fmod(x, y);
    } else {
      const T divisor = is_plain_divisor<L>(y) ? y : T(1);
      const T quotient = integer_quotient<L>(x, divisor);
      const T rest = T(Modular<T>(x) - Modular<T>(quotient) * Modular<T>(divisor));
      return y == 0 ? x : rest;
    }
  }
};

struct And : ArithmeticFunctor<2, kBitPatterns> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(x & y);
  }
};

struct Or : ArithmeticFunctor<2, kBitPatterns> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(x | y);
  }
};

struct Xor : ArithmeticFunctor<2, kBitPatterns> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return T(x ^ y);
  }
};

struct Max : ElementFunctor<2, kAllElements> {
  template <typename L>
  static constexpr bool kStrip = L::kFloat;
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return element_max(x, y);
  }
};

struct Min : ElementFunctor<2, kAllElements> {
  template <typename L>
  static constexpr bool kStrip = L::kFloat;
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return element_min(x, y);
  }
};

template <typename Compare>
struct Test : ElementFunctor<2, kAllElements> {
  static constexpr bool kTest = true;
  template <typename L, typename T>
  static uint8_t apply(T x, T y) {
    return Compare()(x, y) ? 1 : 0;
  }
};

// A shift amount counts as unsigned, so that a negative one is too large.
template <typename L, typename T>
constexpr std::make_unsigned_t<T> unsigned_bits(T value) {
  using U = std::make_unsigned_t<T>;
  if constexpr (L::kBits < 8) return U(U(value) & ((1u << L::kBits) - 1));
  return U(value);
}

struct ShiftLeft : ElementFunctor<2, kIntegers> {
  template <typename L, typename T>
  static T apply(T x, T y) {
    const auto amount = unsigned_bits<L>(y);
    return amount < L::kBits ? T(Modular<T>(x) << amount) : T(0);
  }
};

struct ShiftRightLogical : ElementFunctor<2, kIntegers> {
  template <typename L, typename T>
  static T apply(T x, T y) {
    const auto amount = unsigned_bits<L>(y);
    return amount < L::kBits ? T(unsigned_bits<L>(x) >> amount) : T(0);
  }
};

struct ShiftRightArithmetic : ElementFunctor<2, kIntegers> {
  template <typename L, typename T>
  static T apply(T x, T y) {
    // The upper bit is taken as a sign, also of an unsigned type.
    const auto value = Lane<std::make_signed_t<T>, L::kBits>::wrap(std::make_signed_t<T>(x));
    const auto amount = unsigned_bits<L>(y);
    return T(value >> (amount < L::kBits ? amount : L::kBits - 1));
  }
};

struct Copysign : ElementFunctor<2, kFloats> {
  template <typename L, typename T>
  static T apply(T x, T y) {
    return std::copysign(x, y);
  }
};

// The next value is the next code, so this runs on codes. kNan: the smallest magnitude that is a
// NaN.
template <uint64_t kNan>
struct NextCode : ElementFunctor<2, kIntegers> {
  template <typename L, typename Code>
  static Code apply(Code x, Code y) {
    constexpr Code kSign = Code(Code(1) << (8 * sizeof(Code) - 1));
    // Infinity with the upper bit of the mantissa.
    constexpr Code kInfinity = Code(kNan - 1);
    constexpr Code kQuietNan = Code(kInfinity | ((kInfinity & (0 - kInfinity)) >> 1));
    const Code x_magnitude = x & Code(~kSign), y_magnitude = y & Code(~kSign);
    // Without branches, so that loops of it become vector code.
    const bool nan = (x_magnitude >= Code(kNan)) | (y_magnitude >= Code(kNan));
    const bool equal = (x == y) | (Code(x_magnitude | y_magnitude) == 0);
    const bool away = (Code((x ^ y) & kSign) == 0) & (y_magnitude > x_magnitude);
    // From zero it is the least value on the side of y.
    Code next = Code(away ? x + 1 : x - 1);
    next = x_magnitude == 0 ? Code((y & kSign) | 1) : next;
    next = equal ? y : next;
    return nan ? kQuietNan : next;
  }
};

template <typename Code, uint64_t kNan>
ElementFunction next_code(LoopPath path) {
  using Loops = ElementLoops<NextCode<kNan>, Lane<Code>>;
  return {.kernel = {.loop = choose_loop<Loops>(path), .scalar = Loops::scalar}};
}

ElementFunction bind_nextafter(const ElementRequest& request) {
  switch (request.operands[0].element) {
    case ElementType::F16:
      return next_code<uint16_t, 0x7c01>(request.path);
    case ElementType::BF16:
      return next_code<uint16_t, 0x7f81>(request.path);
    case ElementType::F32:
      return next_code<uint32_t, 0x7f800001>(request.path);
    default:
      return next_code<uint64_t, 0x7ff0000000000001>(request.path);
  }
}

void verify_nextafter(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, kFloats);
  const ElementType element = context.module().value(op.operands[0]).type.element;
  if (is_float(element) && register_bytes(element) == 1)
    context.error(fmt::format("`arith.nextafter` takes f16, bf16, f32 or f64 elements, not {}",
                              element_name(element)));
}

}  // namespace

extern const OpDef kArithAdd = elementwise_op<Add>({
    .name = "arith.add",
    .primitives = {"add", "add_any"},
    .help = "Sum of two arrays. Integers wrap; floats round once to their own type, so a chain of "
            "f16 additions loses more than a sum in f32.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.add", "f32", "f32(2.5)", "f32"),
    .source = "jax.lax.add",
});

extern const OpDef kArithSub = elementwise_op<Sub>({
    .name = "arith.sub",
    .primitives = {"sub"},
    .help = "Difference of two arrays. Integers wrap.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.sub", "i32", "i32(3)", "i32"),
    .source = "jax.lax.sub",
});

extern const OpDef kArithMul = elementwise_op<Mul>({
    .name = "arith.mul",
    .primitives = {"mul"},
    .help = "Product of two arrays. Integers wrap; a product and a sum after it are never fused "
            "into one rounding.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.mul", "f16", "f16(0.5)", "f16"),
    .source = "jax.lax.mul",
});

extern const OpDef kArithDiv = elementwise_op<Div>({
    .name = "arith.div",
    .value_rules = {{.operand = 1, .test = ValueTest::Nonzero}},
    .primitives = {"div"},
    .help = "Quotient of two arrays. Integers truncate toward zero; a zero divisor gives -1 (all "
            "ones), as on XLA's CPU backend, and is reported as `arith.div-zero`.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.div", "i32", "i32(3)", "i32"),
    .source = "jax.lax.div; XLA operation semantics, element-wise division",
});

extern const OpDef kArithRem = elementwise_op<Rem>({
    .name = "arith.rem",
    .value_rules = {{.operand = 1, .test = ValueTest::Nonzero}},
    .primitives = {"rem"},
    .help = "Remainder of a truncating division: it has the sign of the dividend. A zero divisor "
            "gives the dividend for integers, reported as `arith.div-zero`, and NaN for floats.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.rem", "i32", "i32(3)", "i32"),
    .source = "jax.lax.rem; XLA operation semantics, element-wise remainder",
});

extern const OpDef kArithAnd = elementwise_op<And>({
    .name = "arith.and",
    .primitives = {"and"},
    .help = "Bitwise and; of bools, logical and.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.and", "i32", "i32(6)", "i32"),
    .source = "jax.lax.bitwise_and",
});

extern const OpDef kArithOr = elementwise_op<Or>({
    .name = "arith.or",
    .primitives = {"or"},
    .help = "Bitwise or; of bools, logical or.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.or", "i32", "i32(6)", "i32"),
    .source = "jax.lax.bitwise_or",
});

extern const OpDef kArithXor = elementwise_op<Xor>({
    .name = "arith.xor",
    .primitives = {"xor"},
    .help = "Bitwise exclusive or; of bools, true where they differ.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.xor", "u8", "u8(6)", "u8"),
    .source = "jax.lax.bitwise_xor",
});

extern const OpDef kArithMax = elementwise_op<Max>({
    .name = "arith.max",
    .primitives = {"max"},
    .help = "The larger of two elements. NaN if one of them is NaN; +0 is larger than -0.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.max", "f32", "f32(3.5)", "f32"),
    .source = "jax.lax.max; IEEE 754-2019 section 9.6, maximum",
});

extern const OpDef kArithMin = elementwise_op<Min>({
    .name = "arith.min",
    .primitives = {"min"},
    .help = "The smaller of two elements. NaN if one of them is NaN; -0 is smaller than +0.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.min", "f32", "f32(3.5)", "f32"),
    .source = "jax.lax.min; IEEE 754-2019 section 9.6, minimum",
});

extern const OpDef kArithEq = elementwise_op<Test<std::equal_to<>>>({
    .name = "arith.eq",
    .primitives = {"eq"},
    .help = "True where two elements are equal. NaN equals nothing; +0 equals -0.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.eq", "f32", "f32(3.0)", "bool"),
    .source = "jax.lax.eq",
});

extern const OpDef kArithNe = elementwise_op<Test<std::not_equal_to<>>>({
    .name = "arith.ne",
    .primitives = {"ne"},
    .help = "True where two elements differ. NaN differs from everything, itself included.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.ne", "f32", "f32(3.0)", "bool"),
    .source = "jax.lax.ne",
});

extern const OpDef kArithLt = elementwise_op<Test<std::less<>>>({
    .name = "arith.lt",
    .primitives = {"lt"},
    .help = "True where the first element is less than the second; false where one is NaN.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.lt", "i32", "i32(3)", "bool"),
    .source = "jax.lax.lt",
});

extern const OpDef kArithLe = elementwise_op<Test<std::less_equal<>>>({
    .name = "arith.le",
    .primitives = {"le"},
    .help = "True where the first element is at most the second; false where one is NaN.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.le", "i32", "i32(3)", "bool"),
    .source = "jax.lax.le",
});

extern const OpDef kArithGt = elementwise_op<Test<std::greater<>>>({
    .name = "arith.gt",
    .primitives = {"gt"},
    .help = "True where the first element is greater than the second; false where one is NaN.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.gt", "f32", "f32(3.0)", "bool"),
    .source = "jax.lax.gt",
});

extern const OpDef kArithGe = elementwise_op<Test<std::greater_equal<>>>({
    .name = "arith.ge",
    .primitives = {"ge"},
    .help = "True where the first element is at least the second; false where one is NaN.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.ge", "u8", "u8(3)", "bool"),
    .source = "jax.lax.ge",
});

extern const OpDef kArithShiftLeft = elementwise_op<ShiftLeft>({
    .name = "arith.shift_left",
    .value_rules = {{.operand = 1, .test = ValueTest::BelowWidth}},
    .primitives = {"shift_left"},
    .help = "Shifts bits up. An amount of the element's width or more, or a negative one, gives 0 "
            "and is reported as `arith.shift-range`.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.shift_left", "i32", "i32(3)", "i32"),
    .source = "jax.lax.shift_left; XLA's CPU backend for amounts out of range",
});

extern const OpDef kArithShiftRightLogical = elementwise_op<ShiftRightLogical>({
    .name = "arith.shift_right_logical",
    .value_rules = {{.operand = 1, .test = ValueTest::BelowWidth}},
    .primitives = {"shift_right_logical"},
    .help = "Shifts bits down and fills with zeros. An amount out of range gives 0 and is reported "
            "as `arith.shift-range`.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.shift_right_logical", "u32", "u32(1)", "u32"),
    .source = "jax.lax.shift_right_logical; XLA's CPU backend for amounts out of range",
});

extern const OpDef kArithShiftRightArithmetic = elementwise_op<ShiftRightArithmetic>({
    .name = "arith.shift_right_arithmetic",
    .value_rules = {{.operand = 1, .test = ValueTest::BelowWidth}},
    .primitives = {"shift_right_arithmetic"},
    .help = "Shifts bits down and fills with the upper bit. An amount out of range gives that bit "
            "everywhere and is reported as `arith.shift-range`.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.shift_right_arithmetic", "i32", "i32(1)", "i32"),
    .source = "jax.lax.shift_right_arithmetic; XLA's CPU backend for amounts out of range",
});

extern const OpDef kArithCopysign = elementwise_op<Copysign>({
    .name = "arith.copysign",
    .primitives = {"_copysign"},
    .help = "The first element with the sign of the second.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.copysign", "f32", "f32(-1.0)", "f32"),
    .source = "IEEE 754-2019 section 5.5.1, copySign",
});

extern const OpDef kArithNextafter = elementwise_op<Copysign>({
    .name = "arith.nextafter",
    .verify = verify_nextafter,
    .element_function = bind_nextafter,
    .primitives = {"nextafter"},
    .help = "The value next to the first element, in its own type, in the direction of the second.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.nextafter", "f32", "f32(3.0)", "f32"),
    .source = "jax.lax.nextafter",
});

}  // namespace pallasite
