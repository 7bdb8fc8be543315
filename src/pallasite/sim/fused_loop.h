// One blocked loop for a chain of elementwise ops, broadcasts and sums of rows. It reads its inputs
// and writes its outputs where they are, registers or memory; what lives inside of the chain only
// stays in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "pallasite/sim/program.h"
#include "pallasite/sim/strip.h"
#include "pallasite/sim/view.h"

namespace pallasite {

// out[i] = f(inputs[0][i], ...) for i < count.
using FusedFn = void (*)(void* out, const void* const* inputs, size_t count, const void* immediate);

// Element i of a broadcast is element i / repeat mod period of its input. The immediate of the
// FusedFn of a broadcast, which gives the elements from `begin` on.
struct ChainRepeat {
  size_t repeat = 0;
  size_t period = 0;
  size_t begin = 0;
};

inline constexpr size_t kMaxFusedInputs = 8;

struct FusedOperand {
  enum class Home : uint8_t {
    Register,
    // In the scratch memory of the loop: the same bytes in every round.
    Intermediate,
    // A place in memory.
    Memory,
  };
  Home home = Home::Register;
  // A slot, a byte offset in the scratch memory, or the number of a place.
  uint32_t where = 0;
  // Bytes from one element to the next; 0 for what all rounds share.
  uint32_t stride = 0;
  // The operand has one element for so many of the chain.
  uint32_t per = 1;
  bool operator==(const FusedOperand&) const = default;
};

// A call of a strip.
struct FusedCall {
  enum class Operand : uint8_t {
    None,
    // Arrays, read or written.
    Source,
    Target,
    Scalar,
    // Element `begin / repeat mod period` of an array, for rows of `repeat` elements.
    RowScalar,
  };
  StripCode code = nullptr;
  Operand kind = Operand::None;
  // Index into FusedPayload::operands.
  uint16_t operand = 0;
  // Of an array: where in the scratch memory a strip of it lies that is not full.
  uint32_t rest = 0;
  size_t period = 0;
};

struct FusedStep {
  // Null: strips if there is a kit, otherwise a copy of elements of `element_bytes`.
  FusedFn loop = nullptr;
  const void* immediate = nullptr;
  // Index into FusedPayload::operands.
  uint16_t inputs[kMaxFusedInputs] = {};
  uint16_t output = 0;
  uint8_t input_count = 0;
  uint8_t element_bytes = 0;
  // Of strips: their part of FusedPayload::calls.
  const StripKit* kit = nullptr;
  uint32_t first_call = 0;
  uint32_t call_count = 0;
  // Of a broadcast. Of strips: the elements of a row, if scalars of rows are read.
  size_t repeat = 0;
  size_t period = 0;
  // Of a reduction: the elements of a row. `loop` counts rows.
  size_t row = 1;
};

// Elements of an access, used in place.
struct FusedPlace {
  const AccessPlan* plan = nullptr;
  // Where the element offset of the access is. Negative: the elements are in `loaded`.
  Slot offset = 0;
  Slot loaded = kNoSlot;
};

struct FusedPayload {
  // Those that give the same in every round run once, ahead of the others.
  std::vector<FusedStep> once;
  std::vector<FusedStep> steps;
  std::vector<FusedCall> calls;
  std::vector<FusedOperand> operands;
  std::vector<FusedPlace> places;
  size_t count = 0;
  // Elements that lie side by side in all places; no round crosses the end of such a run.
  size_t run = 0;
  // Elements of a round at most.
  size_t block = 0;
  size_t scratch_bytes = 0;
};

inline constexpr size_t kMaxFusedPlaces = 8;
inline constexpr size_t kMaxFusedOperands = 256;
// Of one step.
inline constexpr size_t kMaxStripCalls = 96;

Step exec_fused(Thread& thread, const Instruction& in);

// Reads a place into registers, unless that has happened. a = slot of the element offset, b = slot
// of the elements; payload: the AccessPlan.
Step exec_read_place(Thread& thread, const Instruction& in);

}  // namespace pallasite
