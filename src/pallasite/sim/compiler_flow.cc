// Jumps, moves and elementwise chains of the compiler, and the instructions behind them.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pallasite/base/check.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

namespace {

Step exec_jump(Thread& thread, const Instruction& in) {
  return thread.jump(in.a);
}

Step exec_jump_if_false(Thread& thread, const Instruction& in) {
  return thread.at<uint8_t>(in.b) != 0 ? Step::Next : thread.jump(in.a);
}

struct SwitchPayload {
  ElementType type;
  std::vector<uint32_t> targets;
};

Step exec_switch(Thread& thread, const Instruction& in) {
  const auto& table = *static_cast<const SwitchPayload*>(in.payload);
  const int64_t index = read_index(thread.registers(), in.b, table.type);
  const auto last = static_cast<int64_t>(table.targets.size()) - 1;
  return thread.jump(table.targets[std::clamp<int64_t>(index, 0, last)]);
}

Step exec_move_scalar(Thread& thread, const Instruction& in) {
  thread.at<uint64_t>(in.b) = thread.at<uint64_t>(in.a);
  return Step::Next;
}

Step exec_move(Thread& thread, const Instruction& in) {
  std::memcpy(thread.pointer(in.b), thread.pointer(in.a), in.c);
  return Step::Next;
}

// --- elementwise ---

// Elements of one round of a fused loop: intermediates of a few ops stay in the first-level cache.
constexpr size_t kBlock = 512;
constexpr size_t kMaxInputs = 8;
// A fused loop holds at most this many intermediates.
constexpr size_t kMaxSteps = 24;

struct FusedOperand {
  // A slot, or the number of an intermediate.
  uint32_t where = 0;
  bool intermediate = false;
  // Bytes per element; 0 for a scalar beside arrays.
  uint32_t stride = 0;
};

struct FusedStep {
  void (*loop)(void*, const void* const*, size_t, const void*) = nullptr;
  const void* immediate = nullptr;
  std::vector<FusedOperand> inputs;
  FusedOperand output;
};

struct FusedPayload {
  std::vector<FusedStep> steps;
  size_t count = 0;
  size_t intermediates = 0;
};

// One block of an intermediate, large enough for 8-byte elements.
constexpr size_t kIntermediateBytes = kBlock * 8;

Step exec_fused(Thread& thread, const Instruction& in) {
  const auto& fused = *static_cast<const FusedPayload*>(in.payload);
  std::byte* registers = thread.registers();
  std::byte* intermediates =
      fused.intermediates == 0
          ? nullptr
          : thread.machine().scratch(0, fused.intermediates * kIntermediateBytes);
  // A single op needs no blocks: there is nothing to keep in the cache.
  const size_t block = fused.steps.size() == 1 ? std::max<size_t>(fused.count, 1) : kBlock;
  for (size_t begin = 0; begin < fused.count; begin += block) {
    const size_t n = std::min(block, fused.count - begin);
    const auto address = [&](const FusedOperand& operand) {
      return operand.intermediate ? intermediates + operand.where * kIntermediateBytes
                                  : registers + operand.where + begin * operand.stride;
    };
    for (const FusedStep& step : fused.steps) {
      const void* inputs[kMaxInputs];
      for (size_t i = 0; i < step.inputs.size(); ++i) inputs[i] = address(step.inputs[i]);
      step.loop(address(step.output), inputs, n, step.immediate);
    }
  }
  return Step::Next;
}

}  // namespace

Compiler::Label Compiler::new_label() {
  label_targets_.push_back(UINT32_MAX);
  return static_cast<Label>(label_targets_.size() - 1);
}

void Compiler::bind(Label label) {
  flush_elementwise();
  label_targets_[label] = static_cast<uint32_t>(program_->code.size());
}

void Compiler::emit_jump(OpId id, Label label) {
  emit(id, exec_jump);
  jumps_.push_back({static_cast<uint32_t>(program_->code.size() - 1), label});
}

void Compiler::emit_jump_if_false(OpId id, Slot condition, Label label) {
  emit(id, exec_jump_if_false).b = condition;
  jumps_.push_back({static_cast<uint32_t>(program_->code.size() - 1), label});
}

void Compiler::emit_switch(OpId id, Slot slot, ElementType index_type, std::vector<Label> labels) {
  SwitchPayload* table = payload(SwitchPayload{index_type, {}});
  emit(id, exec_switch, table).b = slot;
  switches_.push_back({&table->targets, std::move(labels)});
}

void Compiler::patch_labels() {
  for (const auto& [pc, label] : jumps_) program_->code[pc].a = label_targets_[label];
  for (const SwitchTable& table : switches_) {
    for (Label label : table.labels) table.targets->push_back(label_targets_[label]);
  }
}

void Compiler::emit_moves(OpId id, std::vector<Move> moves) {
  const auto emit_one = [&](const Move& move) {
    Instruction& in = emit(id, move.bytes <= 8 ? exec_move_scalar : exec_move);
    in.a = move.from;
    in.b = move.to;
    in.c = move.bytes;
  };
  std::erase_if(moves, [](const Move& move) { return move.from == move.to || move.bytes == 0; });
  while (!moves.empty()) {
    // First those whose target nobody still has to read.
    const auto ready = std::find_if(moves.begin(), moves.end(), [&](const Move& move) {
      return std::none_of(moves.begin(), moves.end(), [&](const Move& other) {
        return &other != &move && other.from == move.to;
      });
    });
    if (ready != moves.end()) {
      emit_one(*ready);
      moves.erase(ready);
      continue;
    }
    // A cycle: one source goes through a slot of its own.
    Move& move = moves.front();
    const Slot saved = scratch(move.bytes);
    emit_one({move.from, saved, move.bytes});
    move.from = saved;
  }
}

Instruction& Compiler::push_instruction(OpId id, ExecFn exec, const void* payload) {
  Instruction in;
  in.exec = exec;
  in.payload = payload;
  in.op = id;
  in.frame = frame_;
  program_->code.push_back(in);
  return program_->code.back();
}

bool Compiler::holds(ValueTest test, ValueId value) const {
  const Value& v = module_->value(value);
  if (v.literal) return !violates(test, v.literal->element, v.literal->bits);
  if (!v.op.valid()) {
    const auto it = argument_values_.find(value);
    return it != argument_values_.end() && holds(test, it->second);
  }
  const Op& source = op(v.op);
  return source.def->moves_elements && !source.operands.empty() &&
         std::all_of(source.operands.begin(), source.operands.end(),
                     [&](ValueId operand) { return holds(test, operand); });
}

std::vector<Compiler::PendingCheck> Compiler::value_checks(OpId id, bool is_scalar) {
  std::vector<PendingCheck> checks;
  if (!options_.check_values || op(id).def->value_rules.empty()) return checks;
  // JAX's helpers divide by what may be 0 and drop the result; who calls them can change neither.
  const SourceLocation location = source_location(*module_, op(id).location);
  if (!location.frames.empty() && !location.frames[0].note.empty()) return checks;
  for (const ValueRule& rule : op(id).def->value_rules) {
    const ValueId operand = op(id).operands[rule.operand];
    const Type& operand_type = type(operand);
    if (is_float(operand_type.element) || holds(rule.test, operand)) continue;
    const ValueCheck* check =
        payload(ValueCheck{rule.test, operand_type.element, operand_type.shape});
    if (is_scalar) {
      const Slot slot = use(operand);
      push_instruction(id, exec_check_value, check).a = slot;
    } else {
      checks.push_back(
          {check, rule.operand, constant(std::vector<std::byte>(sizeof(ValueRecord)))});
    }
  }
  return checks;
}

void Compiler::emit_elementwise(OpId id, const ElementwiseKernel& kernel, const void* immediate,
                                uint32_t scalar_inputs) {
  const Op& elementwise = op(id);
  PALLASITE_CHECK(elementwise.operands.size() <= kMaxInputs);
  const bool is_scalar = result_type(id).is_scalar() && kernel.scalar != nullptr;
  std::vector<PendingCheck> checks = value_checks(id, is_scalar);
  const Type& out = result_type(id);
  if (is_scalar && elementwise.operands.size() <= 3) {
    uint32_t slots[3] = {};
    for (size_t i = 0; i < elementwise.operands.size(); ++i) slots[i] = operand(id, i);
    const Slot out_slot = result(id);
    // Not through emit: scalars between the ops of an array chain do not end it.
    Instruction& in = push_instruction(id, kernel.scalar, immediate);
    in.a = slots[0];
    in.b = slots[1];
    in.c = slots[2];
    in.d = out_slot;
    return;
  }
  if (!pending_.empty() &&
      (result_type(pending_[0].op).element_count() != out.element_count() ||
       options_.level == ObservationLevel::EachOp || pending_.size() >= kMaxSteps)) {
    flush_elementwise();
  }
  std::vector<Slot> input_slots;
  for (ValueId input : elementwise.operands) {
    input_slots.push_back(is_pending(input) ? kNoSlot : use(input));
  }
  pending_.push_back(
      {id, kernel, immediate, scalar_inputs, std::move(input_slots), std::move(checks)});
  if (options_.level == ObservationLevel::EachOp) flush_elementwise();
}

void Compiler::flush_elementwise() {
  if (pending_.empty()) return;
  const std::vector<PendingElementwise> steps = std::move(pending_);
  pending_.clear();
  std::map<ValueId, uint32_t> uses_inside;
  for (const PendingElementwise& step : steps) {
    for (ValueId input : op(step.op).operands) ++uses_inside[input];
  }
  FusedPayload fused;
  fused.count = static_cast<size_t>(result_type(steps[0].op).element_count());
  std::map<ValueId, FusedOperand> places;
  for (const PendingElementwise& pending : steps) {
    const Op& elementwise = op(pending.op);
    FusedStep step;
    step.loop = pending.kernel.loop;
    step.immediate = pending.immediate;
    for (size_t i = 0; i < elementwise.operands.size(); ++i) {
      const ValueId input = elementwise.operands[i];
      if (const auto it = places.find(input); it != places.end()) {
        step.inputs.push_back(it->second);
        continue;
      }
      const bool scalar = pending.scalar_inputs >> i & 1;
      step.inputs.push_back(
          {pending.input_slots[i], false,
           scalar ? 0 : static_cast<uint32_t>(register_bytes(type(input).element))});
    }
    for (const PendingCheck& check : pending.checks) {
      fused.steps.push_back({.loop = value_scan(check.check->element),
                             .immediate = check.check,
                             .inputs = {step.inputs[check.operand]},
                             .output = {.where = check.record}});
    }
    const ValueId output = elementwise.results[0];
    FusedOperand& place = places[output];
    place.stride = static_cast<uint32_t>(register_bytes(type(output).element));
    const bool escapes = use_count_[output.index] != uses_inside[output];
    if (escapes || steps.size() == 1) {
      place.where = define(output);
    } else {
      place.where = static_cast<uint32_t>(fused.intermediates++);
      place.intermediate = true;
      place.stride = 0;
    }
    step.output = place;
    fused.steps.push_back(std::move(step));
  }
  push_instruction(steps.back().op, exec_fused, payload(std::move(fused)));
  for (const PendingElementwise& step : steps) {
    for (const PendingCheck& check : step.checks) {
      push_instruction(step.op, exec_report_values, check.check).a = check.record;
    }
  }
  for (Slot slot : std::exchange(deferred_releases_, {})) release(slot);
}

}  // namespace pallasite
