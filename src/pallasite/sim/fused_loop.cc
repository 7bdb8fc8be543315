#include "pallasite/sim/fused_loop.h"

#include <algorithm>
#include <array>
#include <cstring>

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
  // Bytes from one element of the chain to the next.
  std::array<uint32_t, kMaxFusedOperands> stride;
};

void run_step(const FusedStep& step, const Operands& operands, size_t begin, size_t count) {
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
      operands.stride[i] = operand.home == Home::Intermediate ? 0 : operand.stride;
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
      for (const FusedStep& step : fused.once) run_step(step, operands, 0, count);
    }
    const size_t run_end = std::min(run_begin + fused.run, fused.count);
    for (size_t begin = run_begin; begin < run_end;) {
      const size_t count = std::min(fused.block, run_end - begin);
      for (const FusedStep& step : fused.steps) run_step(step, operands, begin, count);
      begin += count;
      for (size_t i = 0; i < operand_count; ++i) {
        operands.at[i] += count / fused.operands[i].per * operands.stride[i];
      }
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
