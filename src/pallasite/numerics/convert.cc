#include "pallasite/numerics/convert.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "pallasite/base/check.h"
#include "pallasite/numerics/convert_loops.h"
#include "pallasite/numerics/float_codes.h"

namespace pallasite {
namespace {

// Elements of an intermediate block: small enough for the stack and the L1 cache.
constexpr size_t kBlock = 512;

template <ElementType kType>
using TypeConstant = std::integral_constant<ElementType, kType>;

// Calls `visitor` with the type as a constant, for the small floats.
template <typename Visitor>
void visit_small_float(ElementType type, Visitor&& visitor) {
  switch (type) {
    using enum ElementType;
    case F8E5M2:
      return visitor(TypeConstant<F8E5M2>());
    case F8E4M3FN:
      return visitor(TypeConstant<F8E4M3FN>());
    case F8E4M3:
      return visitor(TypeConstant<F8E4M3>());
    case F8E3M4:
      return visitor(TypeConstant<F8E3M4>());
    case F8E4M3FNUZ:
      return visitor(TypeConstant<F8E4M3FNUZ>());
    case F8E4M3B11FNUZ:
      return visitor(TypeConstant<F8E4M3B11FNUZ>());
    case F8E5M2FNUZ:
      return visitor(TypeConstant<F8E5M2FNUZ>());
    case F8E8M0FNU:
      return visitor(TypeConstant<F8E8M0FNU>());
    case F4E2M1FN:
      return visitor(TypeConstant<F4E2M1FN>());
    case F6E2M3FN:
      return visitor(TypeConstant<F6E2M3FN>());
    case F6E3M2FN:
      return visitor(TypeConstant<F6E3M2FN>());
    default:
      PALLASITE_CHECK(false, "not a small float");
  }
}

// Calls `visitor` with the register type and the number of bits, for integers and bool.
template <typename Visitor>
void visit_integer(ElementType type, Visitor&& visitor) {
  const auto call = [&]<typename T, int kBits = 8 * sizeof(T)>() {
    visitor.template operator()<T, kBits>();
  };
  switch (type) {
    using enum ElementType;
    case Bool:
      return call.template operator()<uint8_t>();
    case S1:
      return call.template operator()<int8_t, 1>();
    case U1:
      return call.template operator()<uint8_t, 1>();
    case S2:
      return call.template operator()<int8_t, 2>();
    case U2:
      return call.template operator()<uint8_t, 2>();
    case S4:
      return call.template operator()<int8_t, 4>();
    case U4:
      return call.template operator()<uint8_t, 4>();
    case S8:
      return call.template operator()<int8_t>();
    case U8:
      return call.template operator()<uint8_t>();
    case S16:
      return call.template operator()<int16_t>();
    case U16:
      return call.template operator()<uint16_t>();
    case S32:
      return call.template operator()<int32_t>();
    case U32:
      return call.template operator()<uint32_t>();
    case S64:
      return call.template operator()<int64_t>();
    case U64:
      return call.template operator()<uint64_t>();
    default:
      PALLASITE_CHECK(false, "not an integer");
  }
}

// The value of a register of an integer type of kBits, whatever its upper bits.
template <int kBits, typename Int>
Int low_bits(Int value) {
  constexpr int kUnused = 8 * int(sizeof(Int)) - kBits;
  return Int(Int(value << kUnused) >> kUnused);
}

template <typename To, typename From>
void cast_all(const void* src, void* dst, size_t count) {
  const auto* from = static_cast<const From*>(src);
  auto* to = static_cast<To*>(dst);
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

template <typename From>
void test_nonzero(const void* src, void* dst, size_t count) {
  const auto* from = static_cast<const From*>(src);
  auto* to = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < count; ++i) to[i] = from[i] != From(0);
}

void integer_to_integer(ElementType from, const void* src, ElementType to, void* dst,
                        size_t count) {
  visit_integer(from, [&]<typename From, int kFromBits>() {
    visit_integer(to, [&]<typename To, int kToBits>() {
      const auto* values = static_cast<const From*>(src);
      auto* out = static_cast<To*>(dst);
      if (to == ElementType::Bool) {
        for (size_t i = 0; i < count; ++i) out[i] = low_bits<kFromBits>(values[i]) != 0;
      } else {
        for (size_t i = 0; i < count; ++i)
          out[i] = low_bits<kToBits>(To(low_bits<kFromBits>(values[i])));
      }
    });
  });
}

// The double nearest to `value` toward zero, with its last bit set when that is not exact: rounding
// it again, to a format of far fewer bits, gives what rounding `value` once gives.
template <typename Int>
double round_to_odd(Int value) {
  if constexpr (sizeof(Int) < 8) {
    return double(value);
  } else {
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
    constexpr uint64_t kLow = (1 << 11) - 1;
    const uint64_t odd = magnitude >> 53 != 0 && (magnitude & kLow) != 0
                             ? (magnitude & ~kLow) | (kLow + 1)
                             : magnitude;
    return negative ? -double(odd) : double(odd);
  }
}

void encode_f32(const float* src, ElementType to, void* dst, size_t count,
                const ConvertLoops& loops) {
  if (to == ElementType::F32) {
    std::memcpy(dst, src, count * sizeof(float));
  } else if (to == ElementType::F64) {
    cast_all<double, float>(src, dst, count);
  } else if (to == ElementType::F16) {
    loops.f32_to_f16(src, static_cast<uint16_t*>(dst), count);
  } else if (to == ElementType::BF16) {
    loops.f32_to_bf16(src, static_cast<uint16_t*>(dst), count);
  } else {
    loops.f32_to_small_float[size_t(to)](src, static_cast<uint8_t*>(dst), count);
  }
}

void encode_f64(const double* src, ElementType to, void* dst, size_t count) {
  const auto all = [&](auto type, auto* codes) {
    for (size_t i = 0; i < count; ++i)
      codes[i] = std::remove_pointer_t<decltype(codes)>(float_codes::encode<type()>(src[i]));
  };
  if (to == ElementType::F64) {
    std::memcpy(dst, src, count * sizeof(double));
  } else if (to == ElementType::F32) {
    cast_all<float, double>(src, dst, count);
  } else if (to == ElementType::F16) {
    all(TypeConstant<ElementType::F16>(), static_cast<uint16_t*>(dst));
  } else if (to == ElementType::BF16) {
    all(TypeConstant<ElementType::BF16>(), static_cast<uint16_t*>(dst));
  } else {
    visit_small_float(to, [&](auto type) { all(type, static_cast<uint8_t*>(dst)); });
  }
}

template <ElementType kType>
constexpr std::array<float, 256> decode_table() {
  std::array<float, 256> table{};
  for (uint32_t code = 0; code < 256; ++code)
    table[code] = float_codes::decode(element_info(kType), code);
  return table;
}

template <ElementType kType>
constexpr std::array<float, 256> kDecodeTable = decode_table<kType>();

// `from` is any float but f64.
void decode_to_f32(ElementType from, const void* src, float* dst, size_t count,
                   const ConvertLoops& loops) {
  if (from == ElementType::F32) {
    std::memcpy(dst, src, count * sizeof(float));
  } else if (from == ElementType::F16) {
    loops.f16_to_f32(static_cast<const uint16_t*>(src), dst, count);
  } else if (from == ElementType::BF16) {
    loops.bf16_to_f32(static_cast<const uint16_t*>(src), dst, count);
  } else {
    visit_small_float(from, [&](auto type) {
      const auto* codes = static_cast<const uint8_t*>(src);
      for (size_t i = 0; i < count; ++i) dst[i] = kDecodeTable<type()>[codes[i]];
    });
  }
}

void integer_to_float(ElementType from, const void* src, ElementType to, void* dst, size_t count,
                      const ConvertLoops& loops) {
  visit_integer(from, [&]<typename From, int kBits>() {
    const auto* values = static_cast<const From*>(src);
    const auto cast_to = [&](auto* floats) {
      using Float = std::remove_pointer_t<decltype(floats)>;
      for (size_t i = 0; i < count; ++i) floats[i] = Float(low_bits<kBits>(values[i]));
    };
    if (to == ElementType::F32) return cast_to(static_cast<float*>(dst));
    if (to == ElementType::F64) return cast_to(static_cast<double*>(dst));
    auto* out = static_cast<uint8_t*>(dst);
    for (size_t i = 0; i < count; i += kBlock) {
      const size_t n = std::min(kBlock, count - i);
      if constexpr (sizeof(From) <= 2) {
        float block[kBlock];
        for (size_t j = 0; j < n; ++j) block[j] = float(low_bits<kBits>(values[i + j]));
        encode_f32(block, to, out + i * register_bytes(to), n, loops);
      } else {
        double block[kBlock];
        for (size_t j = 0; j < n; ++j) block[j] = round_to_odd(values[i + j]);
        encode_f64(block, to, out + i * register_bytes(to), n);
      }
    }
  });
}

template <typename Float>
void float_to_integer(const Float* src, ElementType to, void* dst, size_t count) {
  if (to == ElementType::Bool) return test_nonzero<Float>(src, dst, count);
  visit_integer(to, [&]<typename To, int kBits>() {
    constexpr int kUnused = 8 * int(sizeof(To)) - kBits;
    constexpr To kLowest = To(std::numeric_limits<To>::lowest() >> kUnused);
    constexpr To kHighest = To(std::numeric_limits<To>::max() >> kUnused);
    auto* out = static_cast<To*>(dst);
    for (size_t i = 0; i < count; ++i)
      out[i] = float_codes::truncate_saturating<To>(src[i], kLowest, kHighest);
  });
}

// Calls `visitor(values, first, count)` with blocks of `src` as f32; `from` is any float but f64.
template <typename Visitor>
void for_f32_blocks(ElementType from, const void* src, size_t count, const ConvertLoops& loops,
                    Visitor&& visitor) {
  if (from == ElementType::F32) return visitor(static_cast<const float*>(src), 0, count);
  const auto* codes = static_cast<const uint8_t*>(src);
  float block[kBlock];
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t n = std::min(kBlock, count - i);
    decode_to_f32(from, codes + i * register_bytes(from), block, n, loops);
    visitor(block, i, n);
  }
}

}  // namespace

void convert(ElementType from, const void* src, ElementType to, void* dst, size_t count,
             ConvertPath path) {
  if (count == 0) return;
  if (from == to) {
    std::memcpy(dst, src, count * register_bytes(from));
    return;
  }
  const ConvertLoops& loops = convert_loops(path);
  auto* out = static_cast<uint8_t*>(dst);
  const size_t out_bytes = register_bytes(to);
  if (!is_float(from)) {
    if (from == ElementType::S32 && to == ElementType::F32)
      return loops.s32_to_f32(static_cast<const int32_t*>(src), static_cast<float*>(dst), count);
    if (is_float(to)) return integer_to_float(from, src, to, dst, count, loops);
    return integer_to_integer(from, src, to, dst, count);
  }
  if (from == ElementType::F64) {
    const auto* values = static_cast<const double*>(src);
    if (is_float(to)) return encode_f64(values, to, dst, count);
    return float_to_integer(values, to, dst, count);
  }
  if (to == ElementType::F32)
    return decode_to_f32(from, src, static_cast<float*>(dst), count, loops);
  for_f32_blocks(from, src, count, loops, [&](const float* values, size_t first, size_t n) {
    void* target = out + first * out_bytes;
    if (is_float(to)) return encode_f32(values, to, target, n, loops);
    if (to == ElementType::S32) return loops.f32_to_s32(values, static_cast<int32_t*>(target), n);
    float_to_integer(values, to, target, n);
  });
}

float decode_small_float(ElementType type, uint8_t code) {
  float value = 0;
  visit_small_float(type, [&](auto constant) { value = kDecodeTable<constant()>[code]; });
  return value;
}

}  // namespace pallasite
