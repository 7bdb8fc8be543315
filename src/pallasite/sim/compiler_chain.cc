// Chains of elementwise ops: one blocked loop that reads its inputs and writes its outputs where
// they are, registers or memory.
//
// A load joins a chain where the elements that it reads stay as they are until the chain runs: they
// belong to a parameter that nothing in the kernel writes. The chain's last value may be written
// straight to the memory of the store that takes it. Checks of both accesses are instructions of
// their own, in the place of the op.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "pallasite/base/check.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

namespace {

// Elements of one round of a fused loop: intermediates of a few ops stay in the first-level cache.
constexpr size_t kBlock = 512;
constexpr size_t kMaxInputs = 8;
// A fused loop holds at most this many intermediates, and touches so many places in memory.
constexpr size_t kMaxSteps = 24;
constexpr size_t kMaxPlaces = 8;
// Shorter runs of adjacent elements are copied rather than worked on in memory.
constexpr int64_t kMinRun = 64;

enum class Home : uint8_t {
  Register,
  Intermediate,
  Memory,
};

struct FusedOperand {
  Home home = Home::Register;
  // A slot, or the number of an intermediate or of a place in memory.
  uint32_t where = 0;
  // Bytes per element; 0 for a scalar beside arrays.
  uint32_t stride = 0;
};

struct FusedStep {
  // Null: a copy, or a broadcast.
  decltype(ElementwiseKernel::loop) loop = nullptr;
  // Of a broadcast: element i is element i / repeat mod period of the input.
  size_t repeat = 0;
  size_t period = 0;
  const void* immediate = nullptr;
  std::vector<FusedOperand> inputs;
  FusedOperand output;
};

// Elements of an access, used in place.
struct FusedPlace {
  const AccessPlan* plan = nullptr;
  // Where the element offset of the access is. Negative: the elements are in `loaded`.
  Slot offset = 0;
  Slot loaded = kNoSlot;
  // Elements that lie side by side.
  size_t run = 0;
};

struct FusedPayload {
  std::vector<FusedStep> steps;
  std::vector<FusedPlace> places;
  size_t count = 0;
  // Elements of a round.
  size_t block = kBlock;
  size_t intermediates = 0;
};

// One block of an intermediate, large enough for 8-byte elements.
constexpr size_t kIntermediateBytes = kBlock * 8;

// Where element `begin` of an access lies, in elements from its start.
int64_t element_offset(const FusedPlace& place, size_t begin) {
  const std::vector<AccessDigit>& digits = place.plan->strides;
  auto run = static_cast<int64_t>(begin / place.run);
  int64_t offset = static_cast<int64_t>(begin % place.run);
  for (size_t d = digits.size() - 1; d-- > 0 && run > 0;) {
    offset += run % digits[d].size * digits[d].stride;
    run /= digits[d].size;
  }
  return offset;
}

// Elements [begin, begin + count) of a broadcast.
template <typename Bits>
void broadcast(Bits* out, const Bits* source, size_t begin, size_t count, const FusedStep& step) {
  const size_t end = begin + count;
  for (size_t i = begin; i < end;) {
    if (step.repeat == 1) {
      const size_t first = i % step.period;
      const size_t n = std::min(end - i, step.period - first);
      std::memcpy(out, source + first, n * sizeof(Bits));
      out += n;
      i += n;
    } else {
      const size_t n = std::min(end - i, step.repeat - i % step.repeat);
      out = std::fill_n(out, n, source[i / step.repeat % step.period]);
      i += n;
    }
  }
}

void broadcast(std::byte* out, const std::byte* source, size_t begin, size_t count,
               const FusedStep& step) {
  const auto run = [&]<typename Bits>(Bits) {
    broadcast(reinterpret_cast<Bits*>(out), reinterpret_cast<const Bits*>(source), begin, count,
              step);
  };
  switch (step.output.stride) {
    case 1:
      return run(uint8_t());
    case 2:
      return run(uint16_t());
    case 4:
      return run(uint32_t());
    default:
      return run(uint64_t());
  }
}

Step exec_fused(Thread& thread, const Instruction& in) {
  const auto& fused = *static_cast<const FusedPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  std::byte* registers = thread.registers();
  std::byte* intermediates = fused.intermediates == 0
                                 ? nullptr
                                 : machine.scratch(0, fused.intermediates * kIntermediateBytes);
  // Null: the elements are in registers.
  std::array<std::byte*, kMaxPlaces> starts{};
  for (size_t i = 0; i < fused.places.size(); ++i) {
    const FusedPlace& place = fused.places[i];
    const int64_t offset = thread.at<int64_t>(place.offset);
    if (offset < 0) continue;
    const uint32_t block = machine.block_of(thread.index());
    starts[i] = machine.data(*place.plan, thread.index(), block) +
                offset * static_cast<int64_t>(register_bytes(place.plan->element));
  }
  for (size_t begin = 0; begin < fused.count; begin += fused.block) {
    const size_t n = std::min(fused.block, fused.count - begin);
    const auto address = [&](const FusedOperand& operand) -> std::byte* {
      switch (operand.home) {
        case Home::Intermediate:
          // Its stride only says how large an element is.
          return intermediates + operand.where * kIntermediateBytes;
        case Home::Memory: {
          const FusedPlace& place = fused.places[operand.where];
          if (starts[operand.where] == nullptr) {
            return registers + place.loaded + begin * operand.stride;
          }
          return starts[operand.where] + element_offset(place, begin) * operand.stride;
        }
        default:
          return registers + operand.where + begin * operand.stride;
      }
    };
    for (const FusedStep& step : fused.steps) {
      if (step.repeat != 0) {
        broadcast(address(step.output), registers + step.inputs[0].where, begin, n, step);
        continue;
      }
      const void* inputs[kMaxInputs];
      for (size_t i = 0; i < step.inputs.size(); ++i) inputs[i] = address(step.inputs[i]);
      std::byte* output = address(step.output);
      if (step.loop != nullptr) {
        step.loop(output, inputs, n, step.immediate);
      } else if (output != inputs[0]) {
        std::memcpy(output, inputs[0], n * step.output.stride);
      }
    }
  }
  return Step::Next;
}

// Whether a loop can work on the elements of an access where they are.
bool usable_in_place(const AccessPlan& plan) {
  return !plan.remapped && !is_sub_byte(plan.element) && !plan.strides.empty() &&
         plan.strides.back().stride == 1 && plan.strides.back().size >= kMinRun;
}

}  // namespace

// Turns the pending ops into one payload.
class Compiler::ChainBuilder {
 public:
  ChainBuilder(Compiler& compiler, const std::vector<PendingElementwise>& pending)
      : compiler_(compiler), pending_(pending) {
    for (const PendingElementwise& step : pending) {
      if (step.source.plan != nullptr) continue;
      for (ValueId input : compiler.op(step.op).operands) ++uses_inside_[input];
    }
  }

  FusedPayload build(const ChainStore* store) {
    fused_.count = static_cast<size_t>(compiler_.result_type(pending_[0].op).element_count());
    for (const PendingElementwise& step : pending_) {
      const ValueId output = compiler_.op(step.op).results[0];
      const bool stored = store != nullptr && output == store->value;
      if (step.source.plan != nullptr) {
        add_load(step, output, stored ? store : nullptr);
      } else {
        add_step(step, output, stored ? store : nullptr);
      }
    }
    choose_block();
    return std::move(fused_);
  }

 private:
  // Whether something outside of the chain reads the value.
  bool escapes(ValueId value) { return compiler_.use_count_[value.index] != uses_inside_[value]; }

  uint32_t element_bytes(ValueId value) const {
    return static_cast<uint32_t>(register_bytes(compiler_.type(value).element));
  }

  FusedOperand add_place(const InMemory& memory, Slot loaded) {
    const AccessPlan& plan = *memory.plan;
    fused_.places.push_back(
        {&plan, memory.offset, loaded, static_cast<size_t>(plan.strides.back().size)});
    return {Home::Memory, static_cast<uint32_t>(fused_.places.size() - 1),
            static_cast<uint32_t>(register_bytes(plan.element))};
  }

  void add_copy(ValueId from, FusedOperand to) {
    FusedStep copy;
    copy.inputs.push_back(homes_.at(from));
    copy.output = to;
    fused_.steps.push_back(std::move(copy));
  }

  void add_load(const PendingElementwise& load, ValueId output, const ChainStore* store) {
    homes_[output] = add_place(load.source, load.loaded);
    if (store != nullptr) {
      add_copy(output, add_place(store->target, kNoSlot));
    } else if (escapes(output)) {
      add_copy(output, {Home::Register, load.loaded, element_bytes(output)});
    }
  }

  void add_step(const PendingElementwise& pending, ValueId output, const ChainStore* store) {
    const Op& elementwise = compiler_.op(pending.op);
    FusedStep step;
    step.loop = pending.kernel.loop;
    step.immediate = pending.immediate;
    step.repeat = pending.repeat;
    step.period = pending.period;
    for (size_t i = 0; i < elementwise.operands.size(); ++i) {
      const ValueId input = elementwise.operands[i];
      if (const auto it = homes_.find(input); it != homes_.end()) {
        step.inputs.push_back(it->second);
        continue;
      }
      const bool scalar = (pending.scalar_inputs >> i & 1) != 0;
      step.inputs.push_back(
          {Home::Register, pending.input_slots[i], scalar ? 0 : element_bytes(input)});
    }
    for (const PendingCheck& check : pending.checks) {
      FusedStep scan;
      scan.loop = value_scan(check.check->element);
      scan.immediate = check.check;
      scan.inputs.push_back(step.inputs[check.operand]);
      // The record is the same for all rounds.
      scan.output = {Home::Register, check.record, 0};
      fused_.steps.push_back(std::move(scan));
    }
    FusedOperand& home = homes_[output];
    if (store != nullptr) {
      home = add_place(store->target, kNoSlot);
    } else if (escapes(output) || pending_.size() == 1) {
      home = {Home::Register, compiler_.define(output), element_bytes(output)};
    } else {
      home = {Home::Intermediate, static_cast<uint32_t>(fused_.intermediates++),
              element_bytes(output)};
    }
    step.output = home;
    fused_.steps.push_back(std::move(step));
  }

  // A round may not cross the end of a run.
  void choose_block() {
    size_t common = fused_.count;
    for (const FusedPlace& place : fused_.places) common = std::gcd(common, place.run);
    // A single op needs no rounds: there is nothing to keep in the cache.
    if (fused_.steps.size() == 1 && fused_.intermediates == 0) {
      fused_.block = std::max<size_t>(common, 1);
      return;
    }
    fused_.block = kBlock;
    if (common < fused_.count) {
      size_t rounds = (common + kBlock - 1) / kBlock;
      while (common % rounds != 0) ++rounds;
      fused_.block = common / rounds;
    }
  }

  Compiler& compiler_;
  const std::vector<PendingElementwise>& pending_;
  std::map<ValueId, uint32_t> uses_inside_;
  std::map<ValueId, FusedOperand> homes_;
  FusedPayload fused_;
};

Instruction& Compiler::push_instruction(OpId id, ExecFn exec, const void* payload, bool visible) {
  Instruction in;
  in.exec = exec;
  in.payload = payload;
  in.op = id;
  in.frame = frame_;
  in.visible = visible;
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

bool Compiler::chain_has_checks() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const PendingElementwise& step) { return !step.checks.empty(); });
}

bool Compiler::chain_takes(int64_t element_count) const {
  if (options_.level == ObservationLevel::EachOp) return false;
  if (pending_.empty()) return true;
  const auto loads = std::count_if(pending_.begin(), pending_.end(),
                                   [](const auto& step) { return step.source.plan != nullptr; });
  return result_type(pending_[0].op).element_count() == element_count &&
         pending_.size() < kMaxSteps && loads + 1 < static_cast<int64_t>(kMaxPlaces);
}

void Compiler::emit_elementwise(OpId id, const ElementwiseKernel& kernel, const void* immediate,
                                uint32_t scalar_inputs) {
  const Op& elementwise = op(id);
  PALLASITE_CHECK(elementwise.operands.size() <= kMaxInputs);
  const Type& out = result_type(id);
  const bool is_scalar = out.is_scalar() && kernel.scalar != nullptr;
  std::vector<PendingCheck> checks = value_checks(id, is_scalar);
  if (is_scalar && elementwise.operands.size() <= 3) {
    uint32_t slots[3] = {};
    for (size_t i = 0; i < elementwise.operands.size(); ++i) slots[i] = operand(id, i);
    const Slot target = result(id);
    // Scalars between the ops of an array chain do not end it.
    Instruction& in = push_instruction(id, kernel.scalar, immediate);
    in.a = slots[0];
    in.b = slots[1];
    in.c = slots[2];
    in.d = target;
    return;
  }
  if (!chain_takes(out.element_count())) flush_elementwise();
  std::vector<Slot> input_slots;
  for (ValueId input : elementwise.operands) {
    input_slots.push_back(is_pending(input) ? kNoSlot : use(input));
  }
  PendingElementwise step;
  step.op = id;
  step.kernel = kernel;
  step.immediate = immediate;
  step.scalar_inputs = scalar_inputs;
  step.input_slots = std::move(input_slots);
  step.checks = std::move(checks);
  pending_.push_back(std::move(step));
  if (options_.level == ObservationLevel::EachOp) flush_elementwise();
}

void Compiler::emit_chain_broadcast(OpId id, size_t repeat, size_t period) {
  PALLASITE_CHECK(repeat > 0 && period > 0);
  const Slot source = operand(id, 0);
  if (!chain_takes(result_type(id).element_count())) flush_elementwise();
  PendingElementwise step;
  step.op = id;
  step.input_slots = {source};
  step.repeat = repeat;
  step.period = period;
  pending_.push_back(std::move(step));
  if (options_.level == ObservationLevel::EachOp) flush_elementwise();
}

bool Compiler::emit_chain_load(OpId id, const AccessPlan& plan, ExecFn place, const void* payload) {
  if (plan.space != MemorySpace::Gmem || !usable_in_place(plan)) return false;
  if (options_.level == ObservationLevel::EachOp) return false;
  // Where the access faults, what is pending has to have been checked.
  if (!chain_takes(plan.element_count) || chain_has_checks()) flush_elementwise();
  PendingElementwise load;
  load.op = id;
  load.loaded = result(id);
  load.source = {&plan, allocate(sizeof(int64_t))};
  // Read until the chain ends.
  deferred_releases_.push_back(load.source.offset);
  Instruction& in = push_instruction(id, place, payload, true);
  in.a = load.source.offset;
  in.b = load.loaded;
  pending_.push_back(std::move(load));
  return true;
}

bool Compiler::emit_chain_store(OpId id, const AccessPlan& plan, ExecFn place,
                                const void* payload) {
  const ValueId value = op(id).operands[1];
  if (!usable_in_place(plan) || !is_pending(value) || use_count_[value.index] != 1) return false;
  if (chain_has_checks()) return false;
  const ChainStore store = {value, {&plan, allocate(sizeof(int64_t))}};
  deferred_releases_.push_back(store.target.offset);
  push_instruction(id, place, payload, true).a = store.target.offset;
  flush_elementwise(&store);
  return true;
}

void Compiler::flush_elementwise(const ChainStore* store) {
  if (pending_.empty()) return;
  const std::vector<PendingElementwise> steps = std::move(pending_);
  pending_.clear();
  FusedPayload fused = ChainBuilder(*this, steps).build(store);
  const OpId last = store == nullptr ? steps.back().op : module_->value(store->value).op;
  push_instruction(last, exec_fused, payload(std::move(fused)));
  for (const PendingElementwise& step : steps) {
    for (const PendingCheck& check : step.checks) {
      push_instruction(step.op, exec_report_values, check.check).a = check.record;
    }
  }
  for (Slot slot : std::exchange(deferred_releases_, {})) release(slot);
}

}  // namespace pallasite
