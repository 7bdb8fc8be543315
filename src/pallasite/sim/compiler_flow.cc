// Jumps and moves of the compiler, and the instructions behind them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "pallasite/base/check.h"
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

}  // namespace pallasite
