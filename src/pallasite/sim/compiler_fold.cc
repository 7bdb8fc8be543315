// Ops on values that are known when the kernel is compiled.
//
// Elements are computed by the op's own loop, so they have the bits that the run would give them. A
// value of rank 0 becomes a constant of the register file. An array whose elements are all the same
// becomes a repeat of one: as a step of a chain it takes no memory.
//
// Not folded is what a debugger is to see, and an op whose operand breaks a rule: the run has to
// report that.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pallasite/ir/op_def.h"
#include "pallasite/numerics/float_mode.h"
#include "pallasite/sim/compiler.h"

namespace pallasite {

namespace {

// Scalars share constants of so many bytes.
constexpr size_t kConstantBytes = 64;

template <typename Bits>
void repeat_loop(void* out, const void* const* inputs, size_t count, const void*) {
  std::fill_n(static_cast<Bits*>(out), count, *static_cast<const Bits*>(inputs[0]));
}

FusedFn repeat_loop_of(ElementType element) {
  switch (register_bytes(element)) {
    case 1:
      return repeat_loop<uint8_t>;
    case 2:
      return repeat_loop<uint16_t>;
    case 4:
      return repeat_loop<uint32_t>;
    default:
      return repeat_loop<uint64_t>;
  }
}

}  // namespace

void Compiler::bind_constant(ValueId value, std::vector<std::byte> data) {
  if (type(value).is_scalar() && options_.level == ObservationLevel::Fused)
    std::memcpy(&known_[value], data.data(), data.size());
  bind_slot(value, constant(std::move(data)));
}

std::optional<uint64_t> Compiler::known(ValueId value) const {
  if (const auto& literal = module_->value(value).literal) return literal->bits;
  const auto it = known_.find(value);
  return it == known_.end() ? std::nullopt : std::optional(it->second);
}

Slot Compiler::scalar_constant(ElementType element, uint64_t bits) {
  const auto [it, added] = literal_slots_.try_emplace({static_cast<uint8_t>(element), bits});
  if (!added) return it->second;
  if (folded_scalars_ == SIZE_MAX ||
      program_->constants[folded_scalars_].data.size() == kConstantBytes) {
    folded_scalars_ = program_->constants.size();
    const Slot slot = constant(std::vector<std::byte>(kConstantBytes));
    program_->constants.back() = {slot, {}};
  }
  RegisterConstant& scalars = program_->constants[folded_scalars_];
  const size_t at = scalars.data.size();
  scalars.data.resize(at + sizeof bits);
  std::memcpy(scalars.data.data() + at, &bits, sizeof bits);
  return it->second = scalars.slot + static_cast<Slot>(at);
}

void Compiler::emit_repeat(OpId id) {
  ElementwiseKernel kernel;
  kernel.loop = repeat_loop_of(result_type(id).element);
  kernel.repeats_scalar = true;
  emit_elementwise(id, kernel, nullptr, 1);
}

void Compiler::fold_to(OpId id, uint64_t bits) {
  const ValueId result = op(id).results[0];
  known_[result] = bits;
  bindings_[result.index] = std::monostate();
  const Type& result_type = type(result);
  if (result_type.is_scalar()) return;
  PendingElementwise step;
  step.op = id;
  step.kernel.loop = repeat_loop_of(result_type.element);
  step.folded = scalar_constant(result_type.element, bits);
  step.inputs = {{.slot = step.folded}};
  join_chain(std::move(step), static_cast<size_t>(result_type.element_count()));
}

bool Compiler::fold_elementwise(OpId id, const ElementwiseKernel& kernel, const void* immediate) {
  const Op& folded = op(id);
  if (options_.level == ObservationLevel::EachOp) return false;
  if (!folded.def->pure || folded.operands.empty() || result_type(id).element_count() == 0)
    return false;
  std::array<uint64_t, kMaxFusedInputs> values;
  std::array<const void*, kMaxFusedInputs> inputs;
  for (size_t i = 0; i < folded.operands.size(); ++i) {
    const auto bits = known(folded.operands[i]);
    if (!bits) return false;
    values[i] = *bits;
    inputs[i] = &values[i];
  }
  for (const ValueRule& rule : folded.def->value_rules) {
    const ValueId operand = folded.operands[rule.operand];
    const bool judged = options_.check_values && !is_float(type(operand).element);
    if (judged && !holds(rule.test, operand)) return false;
  }
  uint64_t result = 0;
  {
    // As the threads of a run have it; who compiles may flush subnormals.
    const ScopedFloatMode mode;
    kernel.loop(&result, inputs.data(), 1, immediate);
  }
  fold_to(id, result);
  return true;
}

bool Compiler::fold_move(OpId id) {
  const Op& moved = op(id);
  if (options_.level == ObservationLevel::EachOp) return false;
  if (!moved.def->pure || !moved.def->moves_elements || moved.results.size() != 1) return false;
  if (moved.operands.empty() || result_type(id).element_count() == 0) return false;
  const auto bits = known(moved.operands[0]);
  const bool same = std::all_of(moved.operands.begin(), moved.operands.end(),
                                [&](ValueId operand) { return known(operand) == bits; });
  if (!bits || !same) return false;
  fold_to(id, *bits);
  return true;
}

}  // namespace pallasite
