// Conversion between element types, in register form.
//
// Rules (declared mode; they are those that XLA's CPU backend follows, except where said):
//   float to float   round to nearest, ties to even; out of range as FloatSpecials says. A NaN
//   keeps
//                    its sign; f16, f32 and f64 keep the upper payload bits and become quiet, every
//                    smaller format and bf16 get the one default NaN.
//   float to e8m0    nearest power of two, a tie goes up; positive values below the range give
//   2^-127;
//                    zero, negative, infinite, too large and NaN give NaN. (XLA rounds some
//                    subnormal inputs up to 2^-126; here they are rounded like all others.)
//   float to integer truncation toward zero, saturating; NaN gives 0.
//   integer to float round to nearest even, once.
//   integer to integer  wraps.
//   to bool          value != 0, so NaN is true.
// XLA's CPU backend also rounds f64 and i64 to bf16 twice, by way of f32; here once.
#pragma once

#include <cstddef>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

// Instruction set of the vectorised loops. All give the same bits; the choice exists for tests.
enum class ConvertPath : uint8_t { Best, Portable, Avx2, Avx512 };

// True when this processor can run `path`.
bool convert_path_supported(ConvertPath path);

// Converts `count` elements. Bits of a source register above storage_bits are ignored, so the bytes
// of JAX's int4 arrays, which are not sign-extended, are fine. `src` and `dst` are aligned to their
// element size and do not overlap. The caller has set the default floating-point environment
// (ScopedFloatMode). A path that is not supported behaves as Portable.
void convert(ElementType from, const void* src, ElementType to, void* dst, size_t count,
             ConvertPath path = ConvertPath::Best);

// The value of one code of a float type of at most 8 bits.
float decode_small_float(ElementType type, uint8_t code);

}  // namespace pallasite
