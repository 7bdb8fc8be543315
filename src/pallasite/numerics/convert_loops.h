// The bulk loops of the conversions that kernels do most, one table per instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pallasite/numerics/convert.h"

namespace pallasite {

struct ConvertLoops {
  void (*f16_to_f32)(const uint16_t* src, float* dst, size_t count);
  void (*f32_to_f16)(const float* src, uint16_t* dst, size_t count);
  void (*bf16_to_f32)(const uint16_t* src, float* dst, size_t count);
  void (*f32_to_bf16)(const float* src, uint16_t* dst, size_t count);
  void (*s32_to_f32)(const int32_t* src, float* dst, size_t count);
  void (*f32_to_s32)(const float* src, int32_t* dst, size_t count);
  // By ElementType; null for types that are not floats of at most 8 bits.
  std::array<void (*)(const float* src, uint8_t* dst, size_t count), kElementTypeCount>
      f32_to_small_float;
};

const ConvertLoops& convert_loops(ConvertPath path);

}  // namespace pallasite
