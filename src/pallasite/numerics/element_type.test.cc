#include "pallasite/numerics/element_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "pallasite/numerics/fill.h"

namespace pallasite {
namespace {

TEST(ElementType, NamesParseBackAndAreDistinct) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    const auto type = ElementType(i);
    const ElementInfo& info = element_info(type);
    EXPECT_EQ(parse_element_type(info.name), type) << info.name;
    EXPECT_EQ(parse_element_type(info.jax_name), type) << info.jax_name;
    names.insert(info.name);
    names.insert(info.jax_name);
  }
  // "bool" is the only name that IR and JAX share.
  EXPECT_EQ(names.size(), 2 * kElementTypeCount - 1);
  EXPECT_EQ(parse_element_type("f8e4m3fn"), ElementType::F8E4M3FN);
  EXPECT_EQ(parse_element_type("bfloat16"), ElementType::BF16);
  EXPECT_EQ(parse_element_type("float"), std::nullopt);
  EXPECT_EQ(parse_element_type(""), std::nullopt);
}

TEST(ElementType, FactsAgreeWithEachOther) {
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    const ElementInfo& info = element_info(ElementType(i));
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.register_bytes, info.storage_bits < 8 ? 1 : info.storage_bits / 8);
    EXPECT_EQ(int(info.is_float) + int(info.is_bool) + int(info.is_integer()), 1);
    EXPECT_EQ(info.is_float, info.specials != FloatSpecials::None);
    if (info.is_float) {
      EXPECT_EQ(info.exponent_bits + info.mantissa_bits + int(info.is_signed), info.storage_bits);
    }
  }
  EXPECT_EQ(element_info(ElementType::F64).storage_bits, 64);
  EXPECT_EQ(element_info(ElementType::S32).register_bytes, 4);
  EXPECT_TRUE(element_info(ElementType::S4).is_signed);
  EXPECT_FALSE(element_info(ElementType::U4).is_signed);
  EXPECT_FALSE(element_info(ElementType::F4E2M1FN).has_nan());
  EXPECT_FALSE(element_info(ElementType::F8E4M3FN).has_infinity());
}

TEST(ElementType, PackedBytesRoundUp) {
  EXPECT_EQ(packed_bytes(ElementType::S4, 3), 2u);
  EXPECT_EQ(packed_bytes(ElementType::U1, 9), 2u);
  EXPECT_EQ(packed_bytes(ElementType::F6E2M3FN, 3), 3u);
  EXPECT_EQ(packed_bytes(ElementType::F6E2M3FN, 4), 3u);
  EXPECT_EQ(packed_bytes(ElementType::Bool, 5), 5u);
  EXPECT_EQ(packed_bytes(ElementType::F64, 0), 0u);
}

TEST(ElementType, LowBitsFirst) {
  const uint8_t nibbles[] = {0x1, 0x2, 0x3};
  uint8_t packed[2] = {0xff, 0xff};
  pack(ElementType::U4, nibbles, packed, 0, 3);
  EXPECT_EQ(packed[0], 0x21);
  EXPECT_EQ(packed[1], 0xf3);

  const uint8_t sixes[] = {0x3f, 0x00, 0x15, 0x2a};
  uint8_t six_packed[3] = {};
  pack(ElementType::F6E3M2FN, sixes, six_packed, 0, 4);
  EXPECT_EQ(six_packed[0], 0x3f);
  EXPECT_EQ(six_packed[1], 0x50);
  EXPECT_EQ(six_packed[2], 0xa9);
}

TEST(ElementType, UnpackExtendsTheSignOfIntegersOnly) {
  const uint8_t packed = 0xf8;
  int8_t signed_values[2];
  unpack(ElementType::S4, &packed, 0, signed_values, 2);
  EXPECT_EQ(signed_values[0], -8);
  EXPECT_EQ(signed_values[1], -1);
  uint8_t codes[2];
  unpack(ElementType::F4E2M1FN, &packed, 0, codes, 2);
  EXPECT_EQ(codes[0], 8);
  EXPECT_EQ(codes[1], 15);
}

// One bit at a time, from the definition of the packed form.
bool stored_bit(const std::vector<uint8_t>& bytes, size_t bit) {
  return (bytes[bit / 8] >> (bit % 8) & 1) != 0;
}

TEST(ElementType, PackAtAnyOffsetKeepsNeighbours) {
  constexpr size_t kElements = 40;
  for (size_t t = 0; t < kElementTypeCount; ++t) {
    const auto type = ElementType(t);
    const ElementInfo& info = element_info(type);
    SCOPED_TRACE(info.name);
    const size_t size = info.register_bytes;
    std::vector<uint8_t> registers(kElements * size);
    for (size_t i = 0; i < registers.size(); ++i) registers[i] = uint8_t(i * 37 + 11);
    for (const uint8_t background : {uint8_t(0x00), uint8_t(0xff), uint8_t(0x5a)}) {
      for (size_t first = 0; first < 9; ++first) {
        for (size_t count = 0; first + count <= kElements && count < 20; ++count) {
          const std::vector<uint8_t> before(packed_bytes(type, kElements), background);
          std::vector<uint8_t> packed = before;
          pack(type, registers.data(), packed.data(), first, count);
          for (size_t bit = 0; bit < packed.size() * 8; ++bit) {
            const size_t element = bit / info.storage_bits;
            bool expected = stored_bit(before, bit);
            if (element >= first && element < first + count) {
              const size_t i = element - first;
              const size_t b = bit % info.storage_bits;
              expected = (registers[i * size + b / 8] >> (b % 8) & 1) != 0;
            }
            ASSERT_EQ(stored_bit(packed, bit), expected) << "bit " << bit << " first " << first;
          }
          std::vector<uint8_t> back(count * size + 1, 0xcd);
          unpack(type, packed.data(), first, back.data(), count);
          ASSERT_EQ(back.back(), 0xcd);
          for (size_t i = 0; i < count * size; ++i) {
            uint8_t expected = registers[i];
            if (info.storage_bits < 8) {
              const int unused = 8 - info.storage_bits;
              expected = uint8_t(expected << unused);
              expected = info.is_signed && !info.is_float ? uint8_t(int8_t(expected) >> unused)
                                                          : uint8_t(expected >> unused);
            }
            ASSERT_EQ(back[i], expected);
          }
        }
      }
    }
  }
}

TEST(ElementType, TruncateToTf32) {
  const auto truncate = [](uint32_t bits) {
    return std::bit_cast<uint32_t>(truncate_to_tf32(std::bit_cast<float>(bits)));
  };
  EXPECT_EQ(truncate(0x3f801fff), 0x3f800000u);
  EXPECT_EQ(truncate(0xbf803fff), 0xbf802000u);
  EXPECT_EQ(truncate(0x7f800000), 0x7f800000u);
  EXPECT_EQ(truncate(0x00001fff), 0x00000000u);
  EXPECT_TRUE(std::isnan(truncate_to_tf32(std::bit_cast<float>(0x7f800001u))));
}

template <typename T>
T filled(ElementType type) {
  T values[3] = {};
  fill_uninitialized(type, values, 2);
  EXPECT_EQ(std::memcmp(&values[0], &values[1], sizeof(T)), 0);
  EXPECT_EQ(values[2], T(0)) << "wrote past the end";
  return values[0];
}

TEST(Fill, UninitializedShowsInResults) {
  EXPECT_TRUE(std::isnan(filled<float>(ElementType::F32)));
  EXPECT_TRUE(std::isnan(filled<double>(ElementType::F64)));
  EXPECT_EQ(filled<uint16_t>(ElementType::F16), 0x7e00);
  EXPECT_EQ(filled<uint16_t>(ElementType::BF16), 0x7fc0);
  EXPECT_EQ(filled<uint8_t>(ElementType::F8E4M3FN), 0x7f);
  EXPECT_EQ(filled<uint8_t>(ElementType::F8E5M2), 0x7e);
  EXPECT_EQ(filled<uint8_t>(ElementType::F8E4M3FNUZ), 0x80);
  EXPECT_EQ(filled<uint8_t>(ElementType::F8E8M0FNU), 0xff);
  EXPECT_EQ(filled<uint8_t>(ElementType::Bool), 1);
  EXPECT_EQ(filled<int8_t>(ElementType::S8), std::numeric_limits<int8_t>::max());
  EXPECT_EQ(filled<int16_t>(ElementType::S16), std::numeric_limits<int16_t>::max());
  EXPECT_EQ(filled<int32_t>(ElementType::S32), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(filled<int64_t>(ElementType::S64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(filled<uint32_t>(ElementType::U32), std::numeric_limits<uint32_t>::max());
  EXPECT_EQ(filled<uint64_t>(ElementType::U64), std::numeric_limits<uint64_t>::max());
}

TEST(Fill, SubByteTypesArePacked) {
  uint8_t bytes[2] = {0, 0};
  fill_uninitialized(ElementType::S4, bytes, 3);
  EXPECT_EQ(bytes[0], 0x77);
  EXPECT_EQ(bytes[1], 0x07);
  fill_uninitialized(ElementType::F4E2M1FN, bytes, 4);
  EXPECT_EQ(bytes[1], 0x77);
  fill_uninitialized(ElementType::S1, bytes, 8);
  EXPECT_EQ(bytes[0], 0x00);
  fill_uninitialized(ElementType::U2, bytes, 4);
  EXPECT_EQ(bytes[0], 0xff);
  fill_zero(ElementType::U2, bytes, 3);
  EXPECT_EQ(bytes[0], 0xc0);
}

TEST(Fill, LongFillsAndOffsets) {
  std::vector<int32_t> values(5000, 7);
  const int32_t value = -3;
  fill(ElementType::S32, &value, values.data(), 1, 4998);
  EXPECT_EQ(values.front(), 7);
  EXPECT_EQ(values.back(), 7);
  for (size_t i = 1; i < 4999; ++i) ASSERT_EQ(values[i], -3);
}

}  // namespace
}  // namespace pallasite
