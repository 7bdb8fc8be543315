// Strips: elements of a fused loop that pass through several ops in vector registers.
//
// A strip is as many elements as the processor's vector registers hold at a time. Each op is a
// function that takes them as its arguments and hands them over to the next one by a jump, so that
// nothing but an op's other operand comes from memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pallasite {

// Code that is called by the code before it, in a way that the two agree on (ops/strip.h).
using StripCode = void (*)();

// Without initial values: they are made for each round of a loop.
struct StripCall {
  StripCode code;
  // Where the array begins that the code reads or writes, or the scalar that it reads.
  std::byte* operand;
};

// How an op takes the values that are in registers.
enum class StripForm : uint8_t {
  // As the one operand, or both.
  Alone,
  // As the first operand, or the last; the other one is an array or a scalar in memory.
  BeforeArray,
  AfterArray,
  BeforeScalar,
  AfterScalar,
};
inline constexpr size_t kStripForms = 5;

// What all ops of an element type share.
struct StripKit {
  // Of a strip.
  size_t elements = 0;
  size_t element_bytes = 0;
  // The values come from an array, or all from a scalar; they go to an array. The last call of all
  // has to be `store_last`.
  StripCode load = nullptr;
  StripCode repeat = nullptr;
  StripCode store = nullptr;
  StripCode store_last = nullptr;
  // Calls for the strips of the arrays from byte `begin` to byte `end`.
  void (*run)(const StripCall* calls, size_t begin, size_t end) = nullptr;
};

// One op. Parts of one strip have one kit.
struct StripOp {
  const StripKit* kit = nullptr;
  StripCode forms[kStripForms] = {};
  StripCode form(StripForm which) const { return forms[static_cast<size_t>(which)]; }
};

}  // namespace pallasite
