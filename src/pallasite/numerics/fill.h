// Fresh memory of a given element type, in packed form.
#pragma once

#include <cstddef>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

// Writes the value that fresh SMEM, TMEM and outputs hold, so that a read before a write shows in
// results: NaN, for floats without NaN the largest value, for integers the largest value, true.
// The bits above the last element, in the last byte, keep their value.
void fill_uninitialized(ElementType type, void* packed, size_t count);

// e8m0 has no zero: its code 0 is 2^-127.
void fill_zero(ElementType type, void* packed, size_t count);

// Writes `count` copies of the element that `value` holds in register form, from element number
// `first_element` on.
void fill(ElementType type, const void* value, void* packed, size_t first_element, size_t count);

}  // namespace pallasite
