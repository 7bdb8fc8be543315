#include "pallasite/numerics/element_type.h"

#include <cstring>

namespace pallasite {
namespace {

// Types whose size divides 8: an element never crosses a byte.
template <int kBits>
void pack_within_bytes(const uint8_t* registers, uint8_t* packed, size_t first, size_t count) {
  constexpr size_t kPerByte = 8 / kBits;
  constexpr uint8_t kMask = (1u << kBits) - 1;
  size_t i = 0;
  const auto put_one = [&] {
    const size_t element = first + i;
    const int shift = int(element % kPerByte) * kBits;
    uint8_t& byte = packed[element / kPerByte];
    byte = uint8_t((byte & ~(kMask << shift)) | ((registers[i] & kMask) << shift));
    ++i;
  };
  while (i < count && (first + i) % kPerByte != 0) put_one();
  uint8_t* out = packed + (first + i) / kPerByte;
  for (; i + kPerByte <= count; i += kPerByte) {
    unsigned byte = 0;
    for (size_t j = 0; j < kPerByte; ++j) byte |= (registers[i + j] & kMask) << (j * kBits);
    *out++ = uint8_t(byte);
  }
  while (i < count) put_one();
}

template <int kBits, bool kSigned>
uint8_t extend(unsigned code) {
  if constexpr (kSigned) {
    constexpr unsigned kSign = 1u << (kBits - 1);
    return uint8_t((code ^ kSign) - kSign);
  }
  return uint8_t(code);
}

template <int kBits, bool kSigned>
void unpack_within_bytes(const uint8_t* packed, size_t first, uint8_t* registers, size_t count) {
  constexpr size_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  size_t i = 0;
  const auto get_one = [&] {
    const size_t element = first + i;
    const unsigned byte = packed[element / kPerByte];
    registers[i] = extend<kBits, kSigned>((byte >> (element % kPerByte * kBits)) & kMask);
    ++i;
  };
  while (i < count && (first + i) % kPerByte != 0) get_one();
  const uint8_t* in = packed + (first + i) / kPerByte;
  for (; i + kPerByte <= count; i += kPerByte) {
    const unsigned byte = *in++;
    for (size_t j = 0; j < kPerByte; ++j)
      registers[i + j] = extend<kBits, kSigned>((byte >> (j * kBits)) & kMask);
  }
  while (i < count) get_one();
}

// Six bits cross bytes: one element touches at most two.
void pack_six_bits(const uint8_t* registers, uint8_t* packed, size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t bit = (first + i) * 6;
    const int shift = int(bit % 8);
    uint8_t* byte = packed + bit / 8;
    const unsigned mask = 0x3fu << shift;
    const unsigned code = (registers[i] & 0x3fu) << shift;
    byte[0] = uint8_t((byte[0] & ~mask) | code);
    if (shift > 2) byte[1] = uint8_t((byte[1] & ~(mask >> 8)) | (code >> 8));
  }
}

void unpack_six_bits(const uint8_t* packed, size_t first, uint8_t* registers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t bit = (first + i) * 6;
    const int shift = int(bit % 8);
    const uint8_t* byte = packed + bit / 8;
    unsigned code = byte[0];
    if (shift > 2) code |= unsigned(byte[1]) << 8;
    registers[i] = uint8_t((code >> shift) & 0x3f);
  }
}

}  // namespace

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    const ElementInfo& info = element_table::kElements[i];
    if (name == info.name || name == info.jax_name) return ElementType(i);
  }
  return std::nullopt;
}

void pack(ElementType type, const void* registers, void* packed, size_t first_element,
          size_t count) {
  if (count == 0) return;
  const auto* from = static_cast<const uint8_t*>(registers);
  auto* to = static_cast<uint8_t*>(packed);
  switch (element_info(type).storage_bits) {
    case 1:
      return pack_within_bytes<1>(from, to, first_element, count);
    case 2:
      return pack_within_bytes<2>(from, to, first_element, count);
    case 4:
      return pack_within_bytes<4>(from, to, first_element, count);
    case 6:
      return pack_six_bits(from, to, first_element, count);
    default: {
      const size_t size = register_bytes(type);
      std::memcpy(to + first_element * size, from, count * size);
    }
  }
}

void unpack(ElementType type, const void* packed, size_t first_element, void* registers,
            size_t count) {
  if (count == 0) return;
  const auto* from = static_cast<const uint8_t*>(packed);
  auto* to = static_cast<uint8_t*>(registers);
  const ElementInfo& info = element_info(type);
  const bool sign_extend = info.is_signed && !info.is_float;
  switch (info.storage_bits) {
    case 1:
      return sign_extend ? unpack_within_bytes<1, true>(from, first_element, to, count)
                         : unpack_within_bytes<1, false>(from, first_element, to, count);
    case 2:
      return sign_extend ? unpack_within_bytes<2, true>(from, first_element, to, count)
                         : unpack_within_bytes<2, false>(from, first_element, to, count);
    case 4:
      return sign_extend ? unpack_within_bytes<4, true>(from, first_element, to, count)
                         : unpack_within_bytes<4, false>(from, first_element, to, count);
    case 6:
      return unpack_six_bits(from, first_element, to, count);
    default: {
      const size_t size = info.register_bytes;
      std::memcpy(to, from + first_element * size, count * size);
    }
  }
}

}  // namespace pallasite
