#include "pallasite/numerics/fill.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "pallasite/numerics/float_codes.h"

namespace pallasite {
namespace {

uint64_t uninitialized_code(ElementType type) {
  const ElementInfo& info = element_info(type);
  if (type == ElementType::F64) return 0x7ff8000000000000;
  if (info.is_float)
    return info.has_nan() ? float_codes::default_nan(info) : float_codes::largest_finite(info);
  if (info.is_bool) return 1;
  const int bits = info.storage_bits - int(info.is_signed);
  return bits == 0 ? 0 : ~uint64_t(0) >> (64 - bits);
}

template <typename Word>
void fill_words(const void* value, void* packed, size_t first_element, size_t count) {
  Word word;
  std::memcpy(&word, value, sizeof word);
  std::fill_n(static_cast<Word*>(packed) + first_element, count, word);
}

}  // namespace

void fill(ElementType type, const void* value, void* packed, size_t first_element, size_t count) {
  switch (is_sub_byte(type) ? 0 : register_bytes(type)) {
    case 1:
      return fill_words<uint8_t>(value, packed, first_element, count);
    case 2:
      return fill_words<uint16_t>(value, packed, first_element, count);
    case 4:
      return fill_words<uint32_t>(value, packed, first_element, count);
    case 8:
      return fill_words<uint64_t>(value, packed, first_element, count);
    default:
      break;
  }
  constexpr size_t kBlockBytes = 512;
  alignas(8) unsigned char block[kBlockBytes];
  const size_t size = register_bytes(type);
  const size_t per_block = kBlockBytes / size;
  for (size_t i = 0; i < std::min(count, per_block); ++i)
    std::memcpy(block + i * size, value, size);
  for (size_t i = 0; i < count; i += per_block)
    pack(type, block, packed, first_element + i, std::min(per_block, count - i));
}

void fill_uninitialized(ElementType type, void* packed, size_t count) {
  uint64_t code = uninitialized_code(type);
  // The lowest bytes of `code` are the element on little-endian machines, the only ones we build
  // for.
  fill(type, &code, packed, 0, count);
}

void fill_zero(ElementType type, void* packed, size_t count) {
  const uint64_t zero = 0;
  fill(type, &zero, packed, 0, count);
}

}  // namespace pallasite
