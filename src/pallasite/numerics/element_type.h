// Element types and the two forms in which elements are stored.
//
// *Register form*: each element takes `register_bytes`, a power of two. An element of fewer than 8
// bits takes one byte: signed integers sign-extended, unsigned integers and float codes
// zero-extended, bool 0 or 1.
// *Packed form* (memory): each element takes `storage_bits`, the first element in the lowest bits.
// The two forms are the same bytes for every type of 8 bits or more.
//
// Formats: IEEE 754, and the 8-bit and smaller ones of the OCP FP8 and MX specifications under the
// names of ml_dtypes. tf32 is not a type: it is how a tensor core reads an f32 operand.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pallasite {

enum class ElementType : uint8_t {
  Bool,
  S1,
  U1,
  S2,
  U2,
  S4,
  U4,
  S8,
  U8,
  S16,
  U16,
  S32,
  U32,
  S64,
  U64,
  BF16,
  F16,
  F32,
  F64,
  F8E5M2,
  F8E4M3FN,
  F8E4M3,
  F8E3M4,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2FNUZ,
  F8E8M0FNU,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
};

inline constexpr size_t kElementTypeCount = size_t(ElementType::F6E3M2FN) + 1;

// What the codes with an all-ones exponent, and values out of range, are.
enum class FloatSpecials : uint8_t {
  // Not a float.
  None,
  // Infinities and NaNs as in IEEE 754. Overflow gives infinity.
  Ieee,
  // No infinity; only the code of all ones (below the sign) is NaN. Overflow gives NaN.
  NanOnly,
  // No infinity, no negative zero; the code of negative zero is NaN. Overflow gives NaN.
  NanIsNegativeZero,
  // Neither infinity nor NaN. Overflow gives the largest finite value, NaN gives negative zero.
  Saturate,
  // e8m0: unsigned powers of two, no zero, no infinity; the code of all ones is NaN.
  PowerOfTwo,
};

struct ElementInfo {
  // Name in the IR text.
  std::string_view name;
  std::string_view jax_name;
  uint8_t storage_bits;
  uint8_t register_bytes;
  bool is_float = false;
  bool is_bool = false;
  bool is_signed = false;
  // The rest is zero for integers and bool.
  uint8_t exponent_bits = 0;
  uint8_t mantissa_bits = 0;
  int16_t bias = 0;
  FloatSpecials specials = FloatSpecials::None;

  constexpr bool is_integer() const { return !is_float && !is_bool; }
  constexpr bool is_sub_byte() const { return storage_bits < 8; }
  constexpr bool has_nan() const { return is_float && specials != FloatSpecials::Saturate; }
  constexpr bool has_infinity() const { return specials == FloatSpecials::Ieee; }
};

namespace element_table {

constexpr ElementInfo integer(std::string_view name, std::string_view jax_name, int bits,
                              bool is_signed) {
  return {.name = name,
          .jax_name = jax_name,
          .storage_bits = uint8_t(bits),
          .register_bytes = uint8_t(bits < 8 ? 1 : bits / 8),
          .is_signed = is_signed};
}

constexpr ElementInfo floating(std::string_view name, std::string_view jax_name, bool is_signed,
                               int exponent_bits, int mantissa_bits, int bias,
                               FloatSpecials specials) {
  const int bits = int(is_signed) + exponent_bits + mantissa_bits;
  return {.name = name,
          .jax_name = jax_name,
          .storage_bits = uint8_t(bits),
          .register_bytes = uint8_t(bits < 8 ? 1 : bits / 8),
          .is_float = true,
          .is_signed = is_signed,
          .exponent_bits = uint8_t(exponent_bits),
          .mantissa_bits = uint8_t(mantissa_bits),
          .bias = int16_t(bias),
          .specials = specials};
}

using enum FloatSpecials;

// In the order of ElementType.
inline constexpr std::array<ElementInfo, kElementTypeCount> kElements = {
    ElementInfo{.name = "bool",
                .jax_name = "bool",
                .storage_bits = 8,
                .register_bytes = 1,
                .is_bool = true},
    integer("i1", "int1", 1, true),
    integer("u1", "uint1", 1, false),
    integer("i2", "int2", 2, true),
    integer("u2", "uint2", 2, false),
    integer("i4", "int4", 4, true),
    integer("u4", "uint4", 4, false),
    integer("i8", "int8", 8, true),
    integer("u8", "uint8", 8, false),
    integer("i16", "int16", 16, true),
    integer("u16", "uint16", 16, false),
    integer("i32", "int32", 32, true),
    integer("u32", "uint32", 32, false),
    integer("i64", "int64", 64, true),
    integer("u64", "uint64", 64, false),
    floating("bf16", "bfloat16", true, 8, 7, 127, Ieee),
    floating("f16", "float16", true, 5, 10, 15, Ieee),
    floating("f32", "float32", true, 8, 23, 127, Ieee),
    floating("f64", "float64", true, 11, 52, 1023, Ieee),
    floating("f8e5m2", "float8_e5m2", true, 5, 2, 15, Ieee),
    floating("f8e4m3fn", "float8_e4m3fn", true, 4, 3, 7, NanOnly),
    floating("f8e4m3", "float8_e4m3", true, 4, 3, 7, Ieee),
    floating("f8e3m4", "float8_e3m4", true, 3, 4, 3, Ieee),
    floating("f8e4m3fnuz", "float8_e4m3fnuz", true, 4, 3, 8, NanIsNegativeZero),
    floating("f8e4m3b11fnuz", "float8_e4m3b11fnuz", true, 4, 3, 11, NanIsNegativeZero),
    floating("f8e5m2fnuz", "float8_e5m2fnuz", true, 5, 2, 16, NanIsNegativeZero),
    floating("f8e8m0fnu", "float8_e8m0fnu", false, 8, 0, 127, PowerOfTwo),
    floating("f4e2m1fn", "float4_e2m1fn", true, 2, 1, 1, Saturate),
    floating("f6e2m3fn", "float6_e2m3fn", true, 2, 3, 1, Saturate),
    floating("f6e3m2fn", "float6_e3m2fn", true, 3, 2, 3, Saturate),
};

}  // namespace element_table

constexpr const ElementInfo& element_info(ElementType type) {
  return element_table::kElements[size_t(type)];
}

constexpr std::string_view element_name(ElementType type) {
  return element_info(type).name;
}

// Bytes of one element in register form.
constexpr size_t register_bytes(ElementType type) {
  return element_info(type).register_bytes;
}

constexpr bool is_float(ElementType type) {
  return element_info(type).is_float;
}
constexpr bool is_integer(ElementType type) {
  return element_info(type).is_integer();
}
constexpr bool is_sub_byte(ElementType type) {
  return element_info(type).is_sub_byte();
}

// Accepts the name of the IR text or the name of JAX.
std::optional<ElementType> parse_element_type(std::string_view name);

// Bytes that `count` elements take in packed form.
constexpr size_t packed_bytes(ElementType type, size_t count) {
  return (count * element_info(type).storage_bits + 7) / 8;
}

// Writes `count` elements from register form to `packed`, the first of them as element number
// `first_element` there. Other elements of a shared byte keep their value; bits of a register above
// storage_bits are ignored.
void pack(ElementType type, const void* registers, void* packed, size_t first_element,
          size_t count);

// The inverse of pack.
void unpack(ElementType type, const void* packed, size_t first_element, void* registers,
            size_t count);

// The value that a tensor core takes from an f32 operand: the low 13 mantissa bits are dropped. A
// NaN stays a NaN, also when only those bits made it one.
constexpr float truncate_to_tf32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return std::bit_cast<float>((bits & ~0x1fffu) | (is_nan ? 0x400000u : 0u));
}

}  // namespace pallasite
