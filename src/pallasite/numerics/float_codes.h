// Encoding and decoding of one float value, for every format, from the facts in ElementInfo.
// The bulk loops of convert.cc are built from these.
#pragma once

#include <bit>
#include <cstdint>

#include "pallasite/numerics/element_type.h"

namespace pallasite::float_codes {

constexpr uint32_t exponent_mask(const ElementInfo& info) {
  return ((1u << info.exponent_bits) - 1) << info.mantissa_bits;
}

// All bits below the sign.
constexpr uint32_t magnitude_mask(const ElementInfo& info) {
  return (1u << (info.exponent_bits + info.mantissa_bits)) - 1;
}

constexpr uint32_t largest_finite(const ElementInfo& info) {
  switch (info.specials) {
    case FloatSpecials::Ieee:
      return exponent_mask(info) - 1;
    case FloatSpecials::NanOnly:
    case FloatSpecials::PowerOfTwo:
      return magnitude_mask(info) - 1;
    default:
      return magnitude_mask(info);
  }
}

// Formats without NaN give negative zero, as a conversion of NaN to them does.
constexpr uint32_t default_nan(const ElementInfo& info) {
  switch (info.specials) {
    case FloatSpecials::Ieee:
      return exponent_mask(info) | (1u << (info.mantissa_bits - 1));
    case FloatSpecials::NanOnly:
    case FloatSpecials::PowerOfTwo:
      return magnitude_mask(info);
    default:
      return magnitude_mask(info) + 1;
  }
}

// The f32 with the value of `code`; for formats of at most 8 bits.
constexpr float decode(const ElementInfo& info, uint32_t code) {
  const uint32_t magnitude = code & magnitude_mask(info);
  const bool negative = info.is_signed && (code & (magnitude_mask(info) + 1)) != 0;
  const uint32_t sign = negative ? 0x80000000u : 0;
  const auto f32 = [&](uint32_t bits) { return std::bit_cast<float>(sign | bits); };
  switch (info.specials) {
    case FloatSpecials::Ieee:
      if (magnitude == exponent_mask(info)) return f32(0x7f800000);
      if (magnitude > exponent_mask(info)) return f32(0x7fc00000);
      break;
    case FloatSpecials::NanOnly:
      if (magnitude == magnitude_mask(info)) return f32(0x7fc00000);
      break;
    case FloatSpecials::NanIsNegativeZero:
      if (negative && magnitude == 0) return std::bit_cast<float>(0x7fc00000);
      break;
    case FloatSpecials::PowerOfTwo:
      if (magnitude == magnitude_mask(info)) return f32(0x7fc00000);
      // 2^-127 is a subnormal f32.
      return f32(magnitude == 0 ? 0x00400000 : magnitude << 23);
    default:
      break;
  }
  if (magnitude == 0) return f32(0);
  int exponent = int(magnitude >> info.mantissa_bits) - info.bias;
  uint32_t mantissa = magnitude & ((1u << info.mantissa_bits) - 1);
  if ((magnitude >> info.mantissa_bits) == 0) {
    ++exponent;
    while ((mantissa >> info.mantissa_bits) == 0) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= (1u << info.mantissa_bits) - 1;
  }
  return f32((uint32_t(exponent + 127) << 23) | (mantissa << (23 - info.mantissa_bits)));
}

inline uint32_t encode_power_of_two(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  constexpr uint32_t kNan = 0xff;
  if (bits == 0 || bits >= 0x7ff0000000000000) return kNan;
  // A mantissa of one half or more carries into the exponent.
  const int exponent = int((bits + (uint64_t(1) << 51)) >> 52) - 1023;
  if (exponent > 127) return kNan;
  return exponent < -127 ? 0 : uint32_t(exponent + 127);
}

// The code nearest to `value` in the format of `kType`, which has at most 16 bits.
template <ElementType kType>
uint32_t encode(double value) {
  constexpr const ElementInfo& kInfo = element_info(kType);
  constexpr FloatSpecials kSpecials = kInfo.specials;
  if constexpr (kSpecials == FloatSpecials::PowerOfTwo) {
    return encode_power_of_two(value);
  } else {
    constexpr int kMantissaBits = kInfo.mantissa_bits;
    constexpr uint32_t kSignBit = magnitude_mask(kInfo) + 1;
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t magnitude = bits & 0x7fffffffffffffff;
    const uint32_t sign = (bits >> 63) != 0 ? kSignBit : 0;
    if (magnitude > 0x7ff0000000000000) [[unlikely]] {
      if constexpr (kSpecials == FloatSpecials::Saturate) return kSignBit;
      if constexpr (kSpecials == FloatSpecials::NanIsNegativeZero) return kSignBit;
      uint32_t nan = sign | default_nan(kInfo);
      if constexpr (kType == ElementType::F16) nan |= uint32_t(magnitude >> 42) & 0x3ff;
      return nan;
    }
    // A subnormal double is far below half of the smallest value of any format here, and its
    // missing implicit one does not change that.
    constexpr int kMinExponent = 1 - kInfo.bias;
    int exponent = int(magnitude >> 52) - 1023;
    const uint64_t significand = (magnitude & 0xfffffffffffff) | (uint64_t(1) << 52);
    int dropped = 52 - kMantissaBits;
    if (exponent < kMinExponent) {
      dropped += kMinExponent - exponent;
      exponent = kMinExponent;
      if (dropped > 54) dropped = 54;
    }
    const uint64_t half = uint64_t(1) << (dropped - 1);
    const uint64_t rest = significand & ((half << 1) - 1);
    uint64_t kept = significand >> dropped;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // The leading one of a normal number, and a carry of the rounding, add to the exponent field.
    const uint64_t code = (uint64_t(exponent - kMinExponent) << kMantissaBits) + kept;
    if (code > largest_finite(kInfo)) [[unlikely]] {
      if constexpr (kSpecials == FloatSpecials::Ieee) return sign | exponent_mask(kInfo);
      if constexpr (kSpecials == FloatSpecials::NanOnly) return sign | magnitude_mask(kInfo);
      if constexpr (kSpecials == FloatSpecials::NanIsNegativeZero) return kSignBit;
      return sign | magnitude_mask(kInfo);
    }
    if constexpr (kSpecials == FloatSpecials::NanIsNegativeZero) {
      if (code == 0) return 0;
    }
    return sign | uint32_t(code);
  }
}

// The loops over these are what a compiler vectorises: no branches, no tables.

inline float f16_to_f32(uint16_t code) {
  const uint32_t sign = uint32_t(code & 0x8000) << 16;
  const uint32_t magnitude = code & 0x7fff;
  // Rebias; infinity and NaN need the difference twice.
  uint32_t bits = (magnitude << 13) + (112u << 23);
  bits += magnitude >= 0x7c00 ? 112u << 23 : 0;
  bits |= magnitude > 0x7c00 ? 0x400000u : 0;
  const uint32_t subnormal = std::bit_cast<uint32_t>(float(int32_t(magnitude)) * 0x1p-24f);
  return std::bit_cast<float>(sign | (magnitude < 0x400 ? subnormal : bits));
}

// encode() for an f32; for every format but e8m0. The arithmetic is signed because vector units
// compare signed integers.
template <ElementType kType>
uint32_t encode_f32(float value) {
  constexpr const ElementInfo& kInfo = element_info(kType);
  constexpr FloatSpecials kSpecials = kInfo.specials;
  static_assert(kSpecials != FloatSpecials::PowerOfTwo);
  constexpr int kDropped = 23 - kInfo.mantissa_bits;
  constexpr int32_t kSignBit = int32_t(magnitude_mask(kInfo) + 1);
  constexpr int32_t kLargest = int32_t(largest_finite(kInfo));
  constexpr int32_t kRebias = (127 - kInfo.bias) << kInfo.mantissa_bits;
  constexpr int32_t kMinNormal = (128 - kInfo.bias) << 23;
  // A power of two in whose binade the unit of f32 is the smallest subnormal of the format, so
  // adding it rounds a small value at the right place.
  constexpr int32_t kAligner = (151 - kInfo.bias - kInfo.mantissa_bits) << 23;
  constexpr int32_t kOverflow = kSpecials == FloatSpecials::NanIsNegativeZero ? kSignBit
                                : kSpecials == FloatSpecials::Saturate        ? kLargest
                                                                              : kLargest + 1;
  const int32_t bits = std::bit_cast<int32_t>(value);
  const int32_t magnitude = bits & 0x7fffffff;
  int32_t sign = (bits >> 31) & kSignBit;
  // Unsigned: the sum passes 2^31 for some NaNs.
  const uint32_t rounded =
      uint32_t(magnitude) + (1u << (kDropped - 1)) - 1 + ((uint32_t(magnitude) >> kDropped) & 1);
  int32_t code = int32_t(rounded >> kDropped) - kRebias;
  const float aligned = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kAligner);
  const int32_t subnormal = std::bit_cast<int32_t>(aligned) - kAligner;
  code = magnitude < kMinNormal ? subnormal : code;
  code = code > kLargest ? kOverflow : code;
  int32_t nan = int32_t(default_nan(kInfo));
  if constexpr (kType == ElementType::F16) nan |= (magnitude >> kDropped) & 0x3ff;
  const bool is_nan = magnitude > 0x7f800000;
  code = is_nan ? nan : code;
  if constexpr (kSpecials == FloatSpecials::NanIsNegativeZero) sign = code == 0 ? 0 : sign;
  if constexpr (kSpecials == FloatSpecials::Saturate) sign = is_nan ? 0 : sign;
  return uint32_t(sign | code);
}

inline float bf16_to_f32(uint16_t code) {
  return std::bit_cast<float>(uint32_t(code) << 16);
}

inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t nan = ((bits >> 16) & 0x8000) | 0x7fc0;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

// Truncates toward zero, saturates, NaN gives 0. Where `highest` has more bits than Float it is one
// less than a power of two and rounds to that, so `above` is right for every type.
template <typename To, typename Float>
To truncate_saturating(Float value, To lowest, To highest) {
  const Float above = Float(highest) + 1;
  if (!(value > Float(lowest))) return value != value ? To(0) : lowest;
  return value >= above ? highest : To(value);
}

}  // namespace pallasite::float_codes
