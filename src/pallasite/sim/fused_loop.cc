#include "pallasite/sim/fused_loop.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "pallasite/sim/machine.h"
#include "pallasite/sim/thread.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

// Where element `begin` of an access lies, in elements from its start. It begins a run.
int64_t element_offset(const AccessPlan& plan, size_t begin) {
  const std::vector<AccessDigit>& digits = plan.strides;
  const auto last = static_cast<size_t>(digits.back().size);
  auto run = static_cast<int64_t>(begin / last);
  auto offset = static_cast<int64_t>(begin % last);
  for (size_t d = digits.size() - 1; d-- > 0 && run > 0;) {
    offset += run % digits[d].size * digits[d].stride;
    run /= digits[d].size;
  }
  return offset;
}

struct Operands {
  std::array<std::byte*, kMaxFusedOperands> at;
  // Bytes from one round to the next.
  std::array<size_t, kMaxFusedOperands> advance;
};

// The calls of a step that is made of strips. Operands begin with element `round` of the chain.
class StripRun {
 public:
  StripRun(const FusedPayload& fused, const FusedStep& step, const Operands& operands,
           std::byte* scratch, size_t round)
      : kit_(*step.kit),
        calls_(fused.calls.data() + step.first_call, step.call_count),
        scratch_(scratch),
        round_(round) {
    for (size_t i = 0; i < calls_.size(); ++i)
      run_[i] = {calls_[i].code, operands.at[calls_[i].operand]};
  }

  // Points the calls to the scalars of a row.
  void set_row(size_t row) {
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].kind != FusedCall::Operand::RowScalar) continue;
      const size_t index = row % calls_[i].period;
      run_[i].operand += index * kit_.element_bytes;
      row_scalars_[row_scalar_count_++] = {i, index};
    }
  }

  void advance_row() {
    for (size_t k = 0; k < row_scalar_count_; ++k) {
      auto& [i, index] = row_scalars_[k];
      run_[i].operand += kit_.element_bytes;
      if (++index < calls_[i].period) continue;
      run_[i].operand -= index * kit_.element_bytes;
      index = 0;
    }
  }

  void run(size_t begin, size_t end) {
    const size_t bytes = kit_.element_bytes;
    const size_t rest = (end - begin) & (kit_.elements - 1);
    const size_t whole_end = (end - rest - round_) * bytes;
    kit_.run(run_.data(), (begin - round_) * bytes, whole_end);
    if (rest != 0) run_rest(whole_end, rest * bytes);
  }

 private:
  // Elements that are no whole strip, from byte `at` on: a copy of them is one.
  void run_rest(size_t at, size_t bytes) {
    using Operand = FusedCall::Operand;
    std::array<StripCall, kMaxStripCalls> run = run_;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].kind != Operand::Source && calls_[i].kind != Operand::Target) continue;
      run[i].operand = scratch_ + calls_[i].rest;
      if (calls_[i].kind == Operand::Source)
        std::memcpy(run[i].operand, run_[i].operand + at, bytes);
    }
    kit_.run(run.data(), 0, kit_.elements * kit_.element_bytes);
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].kind == Operand::Target)
        std::memcpy(run_[i].operand + at, run[i].operand, bytes);
    }
  }

  const StripKit& kit_;
  const std::span<const FusedCall> calls_;
  std::byte* scratch_;
  const size_t round_;
  struct RowScalar {
    size_t call;
    size_t index;
  };
  std::array<RowScalar, kMaxStripCalls> row_scalars_;
  size_t row_scalar_count_ = 0;
  std::array<StripCall, kMaxStripCalls> run_;
};

void run_strips(const FusedPayload& fused, const FusedStep& step, const Operands& operands,
                std::byte* scratch, size_t begin, size_t end) {
  StripRun strips(fused, step, operands, scratch, begin);
  if (step.repeat == 0) return strips.run(begin, end);
  const size_t first_row = begin / step.repeat;
  strips.set_row(first_row);
  for (size_t row_end = (first_row + 1) * step.repeat; begin < end; row_end += step.repeat) {
    strips.run(begin, std::min(row_end, end));
    strips.advance_row();
    begin = row_end;
  }
}

void run_step(const FusedPayload& fused, const FusedStep& step, const Operands& operands,
              std::byte* scratch, size_t begin, size_t count) {
  if (step.kit != nullptr) return run_strips(fused, step, operands, scratch, begin, begin + count);
  const void* inputs[kMaxFusedInputs];
  for (size_t i = 0; i < step.input_count; ++i) inputs[i] = operands.at[step.inputs[i]];
  std::byte* output = operands.at[step.output];
  if (step.repeat != 0) {
    const ChainRepeat part = {step.repeat, step.period, begin};
    step.loop(output, inputs, count, &part);
  } else if (step.loop != nullptr) {
    step.loop(output, inputs, step.row == 1 ? count : count / step.row, step.immediate);
  } else if (output != inputs[0]) {
    std::memcpy(output, inputs[0], count * step.element_bytes);
  }
}

}  // namespace

Step exec_fused(Thread& thread, const Instruction& in) {
  const auto& fused = *static_cast<const FusedPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  std::byte* registers = thread.registers();
  std::byte* scratch = fused.scratch_bytes == 0 ? nullptr : machine.scratch(0, fused.scratch_bytes);
  // Null: the elements are in registers.
  std::array<std::byte*, kMaxFusedPlaces> starts{};
  for (size_t i = 0; i < fused.places.size(); ++i) {
    const FusedPlace& place = fused.places[i];
    const int64_t offset = thread.at<int64_t>(place.offset);
    if (offset < 0) continue;
    const uint32_t block = machine.block_of(thread.index());
    starts[i] = machine.data(*place.plan, thread.index(), block) +
                offset * static_cast<int64_t>(register_bytes(place.plan->element));
  }
  Operands operands;
  const size_t operand_count = fused.operands.size();
  using Home = FusedOperand::Home;
  for (size_t run_begin = 0; run_begin < fused.count; run_begin += fused.run) {
    for (size_t i = 0; i < operand_count; ++i) {
      const FusedOperand& operand = fused.operands[i];
      operands.advance[i] =
          operand.home == Home::Intermediate ? 0 : fused.block / operand.per * operand.stride;
      if (operand.home == Home::Intermediate) {
        operands.at[i] = scratch + operand.where;
      } else if (operand.home == Home::Register) {
        operands.at[i] = registers + operand.where + run_begin / operand.per * operand.stride;
      } else if (starts[operand.where] == nullptr) {
        operands.at[i] =
            registers + fused.places[operand.where].loaded + run_begin * operand.stride;
      } else {
        operands.at[i] =
            starts[operand.where] +
            element_offset(*fused.places[operand.where].plan, run_begin) * operand.stride;
      }
    }
    if (run_begin == 0) {
      const size_t count = std::min(fused.block, fused.count);
      for (const FusedStep& step : fused.once) run_step(fused, step, operands, scratch, 0, count);
    }
    const size_t run_end = std::min(run_begin + fused.run, fused.count);
    for (size_t begin = run_begin; begin < run_end;) {
      const size_t count = std::min(fused.block, run_end - begin);
      for (const FusedStep& step : fused.steps)
        run_step(fused, step, operands, scratch, begin, count);
      begin += count;
      if (begin == run_end) break;
      for (size_t i = 0; i < operand_count; ++i) operands.at[i] += operands.advance[i];
    }
  }
  return Step::Next;
}

Step exec_read_place(Thread& thread, const Instruction& in) {
  auto& offset = thread.at<int64_t>(in.a);
  if (offset < 0) return Step::Next;
  const auto& plan = *static_cast<const AccessPlan*>(in.payload);
  ClusterMachine& machine = thread.machine();
  const uint32_t block = machine.block_of(thread.index());
  Access access;
  access.offset = offset;
  load_view(plan, access, {machine.data(plan, thread.index(), block), &machine.site(plan).layout},
            thread.pointer(in.b));
  offset = -1;
  return Step::Next;
}

}  // namespace pallasite
