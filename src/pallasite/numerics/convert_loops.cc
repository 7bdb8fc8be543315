#include "pallasite/numerics/convert_loops.h"

#include <limits>

#include "pallasite/numerics/float_codes.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC's own header passes a deliberately undefined register to the AVX-512 builtins.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace pallasite {
namespace {

// Written without branches so that the compiler's vectoriser takes it.
inline int32_t f32_to_s32(float value) {
  constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::lowest();
  const bool inside = value >= -0x1p31f && value < 0x1p31f;
  const int32_t truncated = int32_t(inside ? value : 0.0f);
  const int32_t low = value < -0x1p31f ? kLowest : truncated;
  return value >= 0x1p31f ? kHighest : low;
}

void f16_to_f32_portable(const uint16_t* src, float* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float_codes::f16_to_f32(src[i]);
}

void f32_to_f16_portable(const float* src, uint16_t* dst, size_t count) {
  for (size_t i = 0; i < count; ++i)
    dst[i] = uint16_t(float_codes::encode_f32<ElementType::F16>(src[i]));
}

void bf16_to_f32_portable(const uint16_t* src, float* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float_codes::bf16_to_f32(src[i]);
}

void f32_to_bf16_portable(const float* src, uint16_t* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float_codes::f32_to_bf16(src[i]);
}

void s32_to_f32_portable(const int32_t* src, float* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float(src[i]);
}

void f32_to_s32_portable(const float* src, int32_t* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = f32_to_s32(src[i]);
}

template <ElementType kType>
inline uint8_t encode_small_float(float value) {
  if constexpr (kType == ElementType::F8E8M0FNU)
    return uint8_t(float_codes::encode_power_of_two(double(value)));
  else
    return uint8_t(float_codes::encode_f32<kType>(value));
}

struct PortableEncoder {
  template <ElementType kType>
  static void encode(const float* src, uint8_t* dst, size_t count) {
    for (size_t i = 0; i < count; ++i) dst[i] = encode_small_float<kType>(src[i]);
  }
};

template <typename Encoder>
constexpr auto small_float_encoders() {
  decltype(ConvertLoops::f32_to_small_float) table{};
  const auto add = [&]<ElementType... kTypes>() {
    ((table[size_t(kTypes)] = Encoder::template encode<kTypes>), ...);
  };
  using enum ElementType;
  add.template operator()<F8E5M2, F8E4M3FN, F8E4M3, F8E3M4, F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2FNUZ,
                          F8E8M0FNU, F4E2M1FN, F6E2M3FN, F6E3M2FN>();
  return table;
}

constexpr ConvertLoops kPortable = {f16_to_f32_portable,
                                    f32_to_f16_portable,
                                    bf16_to_f32_portable,
                                    f32_to_bf16_portable,
                                    s32_to_f32_portable,
                                    f32_to_s32_portable,
                                    small_float_encoders<PortableEncoder>()};

#if defined(__x86_64__)

// F16C ignores flush-to-zero and denormals-are-zero, AVX512_BF16 would not obey their absence: so
// f16 uses its instructions and bf16 is integer arithmetic.
#define PALLASITE_AVX2 [[gnu::target("avx2,f16c")]]
#define PALLASITE_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]]

PALLASITE_AVX2 void f16_to_f32_avx2(const uint16_t* src, float* dst, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i));
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(codes));
  }
  for (; i < count; ++i) dst[i] = float_codes::f16_to_f32(src[i]);
}

PALLASITE_AVX2 void f32_to_f16_avx2(const float* src, uint16_t* dst, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i codes = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), codes);
  }
  for (; i < count; ++i) dst[i] = uint16_t(float_codes::encode_f32<ElementType::F16>(src[i]));
}

PALLASITE_AVX2 void bf16_to_f32_avx2(const uint16_t* src, float* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float_codes::bf16_to_f32(src[i]);
}

PALLASITE_AVX2 void f32_to_bf16_avx2(const float* src, uint16_t* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float_codes::f32_to_bf16(src[i]);
}

PALLASITE_AVX2 void s32_to_f32_avx2(const int32_t* src, float* dst, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = float(src[i]);
}

PALLASITE_AVX2 void f32_to_s32_avx2(const float* src, int32_t* dst, size_t count) {
  const __m256 above = _mm256_set1_ps(0x1p31f);
  const __m256i highest = _mm256_set1_epi32(std::numeric_limits<int32_t>::max());
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 value = _mm256_loadu_ps(src + i);
    // Out of range, and NaN, give the lowest integer.
    const __m256i truncated = _mm256_cvttps_epi32(value);
    const __m256i is_above = _mm256_castps_si256(_mm256_cmp_ps(value, above, _CMP_GE_OQ));
    const __m256i ordered = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_ORD_Q));
    const __m256i clamped = _mm256_blendv_epi8(truncated, highest, is_above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i), _mm256_and_si256(clamped, ordered));
  }
  for (; i < count; ++i) dst[i] = f32_to_s32(src[i]);
}

struct Avx2Encoder {
  template <ElementType kType>
  PALLASITE_AVX2 static void encode(const float* src, uint8_t* dst, size_t count) {
    for (size_t i = 0; i < count; ++i) dst[i] = encode_small_float<kType>(src[i]);
  }
};

constexpr ConvertLoops kAvx2 = {f16_to_f32_avx2,
                                f32_to_f16_avx2,
                                bf16_to_f32_avx2,
                                f32_to_bf16_avx2,
                                s32_to_f32_avx2,
                                f32_to_s32_avx2,
                                small_float_encoders<Avx2Encoder>()};

PALLASITE_AVX512 void f16_to_f32_avx512(const uint16_t* src, float* dst, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + i));
    _mm512_storeu_ps(dst + i, _mm512_cvtph_ps(codes));
  }
  for (; i < count; ++i) dst[i] = float_codes::f16_to_f32(src[i]);
}

PALLASITE_AVX512 void f32_to_f16_avx512(const float* src, uint16_t* dst, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i codes = _mm512_cvtps_ph(_mm512_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i), codes);
  }
  for (; i < count; ++i) dst[i] = uint16_t(float_codes::encode_f32<ElementType::F16>(src[i]));
}

PALLASITE_AVX512 void bf16_to_f32_avx512(const uint16_t* src, float* dst, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + i));
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(codes), 16);
    _mm512_storeu_si512(dst + i, bits);
  }
  for (; i < count; ++i) dst[i] = float_codes::bf16_to_f32(src[i]);
}

PALLASITE_AVX512 void f32_to_bf16_avx512(const float* src, uint16_t* dst, size_t count) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i below_half = _mm512_set1_epi32(0x7fff);
  const __m512i magnitude_mask = _mm512_set1_epi32(0x7fffffff);
  const __m512i infinity = _mm512_set1_epi32(0x7f800000);
  const __m512i sign_mask = _mm512_set1_epi32(0x8000);
  const __m512i quiet_nan = _mm512_set1_epi32(0x7fc0);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512i bits = _mm512_loadu_si512(src + i);
    const __m512i high = _mm512_srli_epi32(bits, 16);
    const __m512i bias = _mm512_add_epi32(below_half, _mm512_and_si512(high, one));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
    const __m512i nan = _mm512_or_si512(_mm512_and_si512(high, sign_mask), quiet_nan);
    const __mmask16 is_nan =
        _mm512_cmpgt_epi32_mask(_mm512_and_si512(bits, magnitude_mask), infinity);
    const __m512i code = _mm512_mask_mov_epi32(rounded, is_nan, nan);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i), _mm512_cvtepi32_epi16(code));
  }
  for (; i < count; ++i) dst[i] = float_codes::f32_to_bf16(src[i]);
}

PALLASITE_AVX512 void s32_to_f32_avx512(const int32_t* src, float* dst, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16)
    _mm512_storeu_ps(dst + i, _mm512_cvtepi32_ps(_mm512_loadu_si512(src + i)));
  for (; i < count; ++i) dst[i] = float(src[i]);
}

PALLASITE_AVX512 void f32_to_s32_avx512(const float* src, int32_t* dst, size_t count) {
  const __m512 above = _mm512_set1_ps(0x1p31f);
  const __m512i highest = _mm512_set1_epi32(std::numeric_limits<int32_t>::max());
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 value = _mm512_loadu_ps(src + i);
    const __mmask16 ordered = _mm512_cmp_ps_mask(value, value, _CMP_ORD_Q);
    const __mmask16 is_above = _mm512_cmp_ps_mask(value, above, _CMP_GE_OQ);
    const __m512i truncated = _mm512_maskz_cvttps_epi32(ordered, value);
    _mm512_storeu_si512(dst + i, _mm512_mask_mov_epi32(truncated, is_above, highest));
  }
  for (; i < count; ++i) dst[i] = f32_to_s32(src[i]);
}

struct Avx512Encoder {
  template <ElementType kType>
  PALLASITE_AVX512 static void encode(const float* src, uint8_t* dst, size_t count) {
    for (size_t i = 0; i < count; ++i) dst[i] = encode_small_float<kType>(src[i]);
  }
};

constexpr ConvertLoops kAvx512 = {f16_to_f32_avx512,
                                  f32_to_f16_avx512,
                                  bf16_to_f32_avx512,
                                  f32_to_bf16_avx512,
                                  s32_to_f32_avx512,
                                  f32_to_s32_avx512,
                                  small_float_encoders<Avx512Encoder>()};

#endif

}  // namespace

bool convert_path_supported(ConvertPath path) {
  switch (path) {
    case ConvertPath::Best:
    case ConvertPath::Portable:
      return true;
#if defined(__x86_64__)
    // Every processor with AVX2 has F16C, which clang 14 has no name for here.
    case ConvertPath::Avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case ConvertPath::Avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
    default:
      return false;
  }
}

const ConvertLoops& convert_loops(ConvertPath path) {
#if defined(__x86_64__)
  const bool best = path == ConvertPath::Best;
  if ((best || path == ConvertPath::Avx512) && convert_path_supported(ConvertPath::Avx512))
    return kAvx512;
  if ((best || path == ConvertPath::Avx2) && convert_path_supported(ConvertPath::Avx2))
    return kAvx2;
#else
  static_cast<void>(path);
#endif
  return kPortable;
}

}  // namespace pallasite
