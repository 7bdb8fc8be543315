// Chains of elementwise ops, broadcasts and sums of rows: what joins a chain, and the payload of
// its loop (fused_loop.h).
//
// A load of memory that nothing in the kernel writes leaves its elements where they are: chains
// read them there, and any other op has them read into registers first. The chain's last value may
// be written straight to the memory of the store that takes it. Checks of both accesses are
// instructions of their own, in the place of the op.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "pallasite/base/check.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/fused_loop.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

// Elements of one round of a fused loop: intermediates of a few ops stay in the first-level cache.
constexpr size_t kBlock = 1024;
// The processor begins to load one round while it still computes the last, so short rounds keep
// memory busy. Loops over narrow elements, rows and repeated elements cost too much by the round
// for that.
constexpr size_t kShortBlock = 256;
// A fused loop holds at most this many ops.
constexpr size_t kMaxSteps = 24;
// Shorter runs of adjacent elements are copied rather than worked on in memory.
constexpr int64_t kMinRun = 64;
// Repeated elements are read from one place if there are so many, which is one strip at least.
constexpr size_t kMinRepeat = 128;
// A round that is not made of whole strips has at least so many.
constexpr size_t kMinStrips = 4;
// Rows that are summed inside of a chain: a round has all of at least one.
constexpr size_t kMinRow = 16;
constexpr size_t kMaxRow = 4096;

using Home = FusedOperand::Home;

// Whether a loop can work on the elements of an access where they are.
bool usable_in_place(const AccessPlan& plan) {
  return !plan.remapped && !is_sub_byte(plan.element) && !plan.strides.empty() &&
         plan.strides.back().stride == 1 && plan.strides.back().size >= kMinRun;
}

size_t run_of(const AccessPlan& plan) {
  return static_cast<size_t>(plan.strides.back().size);
}

}  // namespace

// Turns the pending ops into one payload.
class Compiler::ChainBuilder {
 public:
  ChainBuilder(Compiler& compiler, const std::vector<PendingElementwise>& pending)
      : compiler_(compiler), pending_(pending) {
    for (uint32_t i = 0; i < pending.size(); ++i) {
      for (ValueId input : compiler.op(pending[i].op).operands) {
        ++uses_inside_[input];
        last_use_[input] = i;
      }
    }
  }

  FusedPayload build(size_t count, const ChainStore* store) {
    fused_.count = count;
    store_ = store;
    choose_rounds();
    find_live();
    for (uint32_t i = 0; i < pending_.size(); ++i) {
      if (!live_[i]) {
        // Left out.
      } else if (waits_for_use(pending_[i])) {
        waiting_[output_of(i)] = i;
      } else if (fits_strip(pending_[i])) {
        add_to_strip(i);
      } else {
        end_strip();
        add_step(i);
      }
      for (ValueId input : compiler_.op(pending_[i].op).operands) {
        if (last_use_[input] != i) continue;
        // A strip reads where steps ahead of it may not write.
        unused_.push_back(input);
      }
      if (strip_.kit == nullptr) free_unused();
    }
    end_strip();
    // A chain that is one strip has nothing to keep in the cache.
    if (fused_.steps.size() == 1 && fused_.steps[0].kit != nullptr && fused_.once.empty() &&
        !has_intermediates_) {
      fused_.block = std::min(fused_.run, count);
    }
    PALLASITE_CHECK(fused_.operands.size() <= kMaxFusedOperands &&
                    fused_.places.size() <= kMaxFusedPlaces);
    return std::move(fused_);
  }

  // A store of what is in memory.
  FusedPayload build_copy(size_t count, const InMemory& from, const ChainStore& store) {
    fused_.count = count;
    fused_.run = std::gcd(count, std::gcd(run_of(*from.plan), run_of(*store.target.plan)));
    fused_.block = fused_.run;
    FusedStep copy;
    copy.element_bytes = static_cast<uint8_t>(register_bytes(from.plan->element));
    copy.inputs[copy.input_count++] = operand(place(from));
    copy.output = operand(place(store.target));
    fused_.steps.push_back(copy);
    return std::move(fused_);
  }

 private:
  // The strip that is being made. It comes behind the steps that there are.
  struct OpenStrip {
    const StripKit* kit = nullptr;
    std::vector<FusedCall> calls;
    // The op whose value is in registers, how many there are, and whether one takes a scalar.
    uint32_t last = 0;
    size_t ops = 0;
    bool has_scalars = false;
    // Elements of a row, if scalars of rows are read.
    size_t row = 0;
  };

  ValueId output_of(uint32_t i) const { return compiler_.op(pending_[i].op).results[0]; }

  // Whether something outside of the chain reads the value.
  bool escapes(ValueId value) { return compiler_.use_count_[value.index] != uses_inside_[value]; }

  uint32_t element_bytes(ValueId value) const {
    return static_cast<uint32_t>(register_bytes(compiler_.type(value).element));
  }

  // Values that a step reads.
  std::span<const ValueId> operands_of(const PendingElementwise& pending) const {
    if (pending.folded != kNoSlot) return {};
    return compiler_.op(pending.op).operands;
  }

  // Leaves out what only ops read that were folded since.
  void find_live() {
    std::set<ValueId> read;
    live_.resize(pending_.size());
    for (size_t i = pending_.size(); i-- > 0;) {
      const ValueId output = compiler_.op(pending_[i].op).results[0];
      live_[i] = escapes(output) || read.contains(output) || !pending_[i].checks.empty() ||
                 is_stored(output);
      if (!live_[i]) continue;
      for (ValueId input : operands_of(pending_[i])) read.insert(input);
    }
  }

  // The number of an operand in the payload.
  uint16_t operand(const FusedOperand& wanted) {
    const auto found = std::find(fused_.operands.begin(), fused_.operands.end(), wanted);
    const auto number = static_cast<uint16_t>(found - fused_.operands.begin());
    if (found == fused_.operands.end()) fused_.operands.push_back(wanted);
    return number;
  }

  FusedOperand place(const InMemory& memory) {
    const auto found = std::find_if(fused_.places.begin(), fused_.places.end(),
                                    [&](const auto& p) { return p.offset == memory.offset; });
    const auto number = static_cast<uint32_t>(found - fused_.places.begin());
    if (found == fused_.places.end())
      fused_.places.push_back({memory.plan, memory.offset, memory.loaded});
    return {Home::Memory, number, static_cast<uint32_t>(register_bytes(memory.plan->element))};
  }

  FusedOperand make_scratch(ValueId value, bool keep) {
    has_intermediates_ = true;
    const uint32_t stride = element_bytes(value);
    const auto bytes = (static_cast<uint32_t>(fused_.block) * stride + 63) / 64 * 64;
    uint32_t where;
    // What is set once, ahead of the rounds, may not lie where any step of a round writes.
    if (std::vector<uint32_t>& free = free_scratch_[bytes]; !keep && !free.empty()) {
      where = free.back();
      free.pop_back();
    } else {
      where = static_cast<uint32_t>(fused_.scratch_bytes);
      fused_.scratch_bytes += bytes;
    }
    if (!keep) scratch_bytes_[value] = bytes;
    return {Home::Intermediate, where, stride};
  }

  void free_unused() {
    for (ValueId value : unused_) free_scratch(value);
    unused_.clear();
  }

  void free_scratch(ValueId value) {
    const auto it = scratch_bytes_.find(value);
    if (it == scratch_bytes_.end()) return;
    free_scratch_[it->second].push_back(homes_.at(value).where);
    scratch_bytes_.erase(it);
  }

  bool is_narrow(const PendingElementwise& step) const {
    constexpr uint32_t kNarrow = 4;
    const Op& elementwise = compiler_.op(step.op);
    return element_bytes(elementwise.results[0]) < kNarrow ||
           std::any_of(elementwise.operands.begin(), elementwise.operands.end(),
                       [&](ValueId input) { return element_bytes(input) < kNarrow; });
  }

  void choose_rounds() {
    size_t run = fused_.count;
    size_t unit = 1;
    size_t block = kShortBlock;
    for (const PendingElementwise& step : pending_) {
      unit = std::max(unit, step.row);
      if (step.row != 1 || step.repeat != 0 || is_narrow(step)) block = kBlock;
      for (const ChainInput& input : step.inputs) {
        if (input.memory.plan != nullptr) run = std::gcd(run, run_of(*input.memory.plan));
      }
    }
    if (store_ != nullptr) run = std::gcd(run, run_of(*store_->target.plan));
    fused_.run = run;
    // A single op needs no rounds: there is nothing to keep in the cache.
    fused_.block = pending_.size() == 1 ? run : std::max(block / unit * unit, unit);
    fused_.block = std::max<size_t>(std::min(fused_.block, run), 1);
  }

  bool waits_for_scalar(ValueId value) const {
    const auto it = waiting_.find(value);
    return it != waiting_.end() && repeats_scalar(pending_[it->second]);
  }

  // Whether a step gives the same in all rounds.
  bool is_round_free(const PendingElementwise& pending) const {
    if (!pending.checks.empty() || pending.row != 1) return false;
    if (pending.folded != kNoSlot) return true;
    if (pending.repeat != 0) {
      // All rounds but the last are whole blocks.
      return pending.repeat == 1 && fused_.run % pending.period == 0 &&
             fused_.block % pending.period == 0;
    }
    const Op& elementwise = compiler_.op(pending.op);
    if (elementwise.operands.empty()) return false;
    for (size_t i = 0; i < elementwise.operands.size(); ++i) {
      const ValueId input = elementwise.operands[i];
      // A chain of one element may compute the scalar itself.
      const bool scalar = (pending.scalar_inputs >> i & 1) != 0 && !homes_.contains(input);
      if (!scalar && !round_free_.contains(input) && !waits_for_scalar(input)) return false;
    }
    return true;
  }

  FusedOperand input_of(const PendingElementwise& pending, size_t i) {
    if (pending.folded != kNoSlot) return {Home::Register, pending.folded, 0};
    const ValueId input = compiler_.op(pending.op).operands[i];
    if (const auto it = waiting_.find(input); it != waiting_.end()) {
      const uint32_t source = it->second;
      waiting_.erase(it);
      add_step(source);
    }
    if (const auto it = homes_.find(input); it != homes_.end()) return it->second;
    const ChainInput& from = pending.inputs[i];
    if (from.memory.plan != nullptr) return place(from.memory);
    const bool scalar = (pending.scalar_inputs >> i & 1) != 0 || pending.repeat != 0;
    return {Home::Register, from.slot, scalar ? 0 : element_bytes(input)};
  }

  bool is_stored(ValueId value) const { return store_ != nullptr && value == store_->value; }

  // Where the value is to be found, or put, from now on.
  FusedOperand& make_home(const PendingElementwise& pending, ValueId value, bool once) {
    FusedOperand& home = homes_[value];
    if (is_stored(value)) {
      home = place(store_->target);
    } else if (escapes(value) || pending_.size() == 1 || pending.row != 1) {
      home = {Home::Register, compiler_.define(value), element_bytes(value),
              static_cast<uint32_t>(pending.row)};
    } else {
      home = make_scratch(value, once);
    }
    return home;
  }

  void add_step(uint32_t i) {
    const PendingElementwise& pending = pending_[i];
    const ValueId output = output_of(i);
    FusedStep step;
    step.loop = pending.kernel.loop;
    step.immediate = pending.immediate;
    step.repeat = pending.repeat;
    step.period = pending.period;
    step.row = pending.row;
    for (size_t k = 0; k < pending.inputs.size(); ++k) {
      step.inputs[step.input_count++] = operand(input_of(pending, k));
    }
    for (const PendingCheck& check : pending.checks) {
      FusedStep scan;
      scan.loop = value_scan(check.check->element);
      scan.immediate = check.check;
      scan.inputs[scan.input_count++] = step.inputs[check.operand];
      // The record is the same for all rounds.
      scan.output = operand({Home::Register, check.record, 0});
      fused_.steps.push_back(scan);
    }
    const bool once =
        !is_stored(output) && !escapes(output) && pending_.size() != 1 && is_round_free(pending);
    if (once) round_free_.insert(output);
    step.output = operand(make_home(pending, output, once));
    (once ? fused_.once : fused_.steps).push_back(step);
  }

  // --- strips ---

  // Whether all elements of the result come from one place.
  static bool repeats_scalar(const PendingElementwise& pending) {
    return pending.kernel.repeats_scalar || pending.folded != kNoSlot;
  }

  // Of a value that is repeated: whether all elements, or all of a row, may be read from one place.
  bool waits_for_use(const PendingElementwise& pending) {
    if (fused_.block < kMinRepeat || pending_.size() == 1) return false;
    if (!repeats_scalar(pending) && pending.repeat < kMinRepeat) return false;
    const ValueId output = compiler_.op(pending.op).results[0];
    if (escapes(output) || is_stored(output)) return false;
    return pending.folded != kNoSlot || !homes_.contains(compiler_.op(pending.op).operands[0]);
  }

  bool fits_strip(const PendingElementwise& pending) const {
    const StripKit* kit = pending.kernel.strip.kit;
    return kit != nullptr && pending_.size() > 1 && pending.checks.empty() &&
           pending.scalar_inputs == 0 && !is_round_free(pending) &&
           (fused_.block % kit->elements == 0 || fused_.block >= kMinStrips * kit->elements);
  }

  FusedCall call(StripCode code, FusedCall::Operand kind, uint16_t number, size_t period = 0) {
    FusedCall made = {code, kind, number, 0, period};
    if (kind != FusedCall::Operand::Source && kind != FusedCall::Operand::Target) return made;
    const auto bytes = strip_.kit->elements * strip_.kit->element_bytes;
    const auto [rest, is_new] = rests_.try_emplace(number, fused_.scratch_bytes);
    if (is_new) fused_.scratch_bytes += bytes;
    made.rest = static_cast<uint32_t>(rest->second);
    return made;
  }

  // An input that is not in registers, for a call to read.
  FusedCall source_call(const PendingElementwise& pending, size_t k) {
    using Operand = FusedCall::Operand;
    const auto it = waiting_.find(compiler_.op(pending.op).operands[k]);
    if (it != waiting_.end()) {
      const PendingElementwise& repeat = pending_[it->second];
      const FusedOperand scalar = input_of(repeat, 0);
      strip_.has_scalars = true;
      if (repeats_scalar(repeat)) return call(nullptr, Operand::Scalar, operand(scalar));
      if (strip_.row == 0 || strip_.row == repeat.repeat) {
        strip_.row = repeat.repeat;
        return call(nullptr, Operand::RowScalar, operand(scalar), repeat.period);
      }
    }
    return call(nullptr, Operand::Source, operand(input_of(pending, k)));
  }

  static bool is_array(const FusedCall& call) { return call.kind == FusedCall::Operand::Source; }

  // Whether something reads the value but the next op, which takes it from registers.
  bool is_needed(ValueId value, uint32_t next) {
    const auto last = last_use_.find(value);
    return is_stored(value) || escapes(value) || (last != last_use_.end() && last->second > next);
  }

  void store_value(bool last) {
    const FusedOperand home = make_home(pending_[strip_.last], output_of(strip_.last), false);
    strip_.calls.push_back(call(last ? strip_.kit->store_last : strip_.kit->store,
                                FusedCall::Operand::Target, operand(home)));
  }

  void add_to_strip(uint32_t i) {
    const PendingElementwise& pending = pending_[i];
    const StripOp& op = pending.kernel.strip;
    if (strip_.kit != nullptr &&
        (strip_.kit != op.kit || strip_.calls.size() + 5 > kMaxStripCalls)) {
      end_strip();
      free_unused();
    }
    const std::vector<ValueId>& inputs = compiler_.op(pending.op).operands;
    const bool open = strip_.kit != nullptr;
    strip_.kit = op.kit;
    if (open && is_needed(output_of(strip_.last), i)) store_value(false);
    const auto in_registers = [&](size_t k) { return open && inputs[k] == output_of(strip_.last); };
    // The operand that is in registers, or comes there.
    size_t first = 0;
    if (inputs.size() == 2 && in_registers(1) && !in_registers(0)) first = 1;
    if (!in_registers(first)) {
      FusedCall load = source_call(pending, first);
      load.code = is_array(load) ? op.kit->load : op.kit->repeat;
      strip_.calls.push_back(load);
    }
    FusedCall compute = {op.form(StripForm::Alone)};
    if (inputs.size() == 2 && inputs[0] != inputs[1]) {
      compute = source_call(pending, 1 - first);
      const StripForm array = first == 0 ? StripForm::BeforeArray : StripForm::AfterArray;
      const StripForm scalar = first == 0 ? StripForm::BeforeScalar : StripForm::AfterScalar;
      compute.code = op.form(is_array(compute) ? array : scalar);
    }
    strip_.calls.push_back(compute);
    strip_.last = i;
    ++strip_.ops;
  }

  void end_strip() {
    if (strip_.kit == nullptr) return;
    if (strip_.ops == 1 && !strip_.has_scalars) {
      // Nothing is won by it.
      const uint32_t only = strip_.last;
      strip_ = {};
      return add_step(only);
    }
    store_value(true);
    FusedStep step;
    step.kit = strip_.kit;
    step.repeat = strip_.row;
    step.first_call = static_cast<uint32_t>(fused_.calls.size());
    step.call_count = static_cast<uint32_t>(strip_.calls.size());
    fused_.calls.insert(fused_.calls.end(), strip_.calls.begin(), strip_.calls.end());
    fused_.steps.push_back(step);
    strip_ = {};
  }

  Compiler& compiler_;
  const std::vector<PendingElementwise>& pending_;
  std::vector<bool> live_;
  std::map<ValueId, uint32_t> uses_inside_;
  std::map<ValueId, uint32_t> last_use_;
  std::map<ValueId, FusedOperand> homes_;
  std::set<ValueId> round_free_;
  // Ops that repeat elements, until something needs the array that they give.
  std::map<ValueId, uint32_t> waiting_;
  OpenStrip strip_;
  // By operand.
  std::map<uint16_t, size_t> rests_;
  // Read by nothing any more but the open strip.
  std::vector<ValueId> unused_;
  bool has_intermediates_ = false;
  const ChainStore* store_ = nullptr;
  // Of values that live inside of the chain; and by size, where others were.
  std::map<ValueId, uint32_t> scratch_bytes_;
  std::map<uint32_t, std::vector<uint32_t>> free_scratch_;
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
  if (const auto bits = known(value)) return !violates(test, v.type.element, *bits);
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

bool Compiler::chain_takes(size_t count, std::span<const ChainInput> inputs, size_t row,
                           const AccessPlan* target) const {
  if (pending_.empty()) return true;
  if (chain_count_ != count || pending_.size() >= kMaxSteps) return false;
  // Every row has to lie in one run.
  size_t run = count;
  std::set<Slot> places;
  const auto add = [&](std::span<const ChainInput> more) {
    for (const ChainInput& input : more) {
      if (input.memory.plan == nullptr) continue;
      places.insert(input.memory.offset);
      run = std::gcd(run, run_of(*input.memory.plan));
    }
  };
  add(inputs);
  if (target != nullptr) run = std::gcd(run, run_of(*target));
  for (const PendingElementwise& step : pending_) {
    add(step.inputs);
    if (step.row == 1) continue;
    if (row != 1 && row != step.row) return false;
    row = step.row;
  }
  // One is left for a store.
  return run % row == 0 && places.size() < kMaxFusedPlaces;
}

Compiler::ChainInput Compiler::chain_input(ValueId value) {
  if (is_pending(value)) return {};
  if (const auto it = in_place_.find(value); it != in_place_.end()) {
    return {.memory = it->second};
  }
  return {.slot = use(value)};
}

void Compiler::join_chain(PendingElementwise step, size_t count) {
  const Op& joining = op(step.op);
  const auto take_inputs = [&] {
    if (step.folded != kNoSlot) return;
    step.inputs.clear();
    for (ValueId input : joining.operands) {
      // A broadcast reads from all over its operand.
      step.inputs.push_back(step.repeat != 0 ? ChainInput{.slot = use(input)} : chain_input(input));
    }
  };
  take_inputs();
  if (!chain_takes(count, step.inputs, step.row, nullptr)) {
    const bool waits =
        step.folded == kNoSlot && std::any_of(joining.operands.begin(), joining.operands.end(),
                                              [&](ValueId input) { return is_pending(input); });
    // What a chain over more elements is going to take need not end it.
    if (!waits && count < chain_count_ && step.row == 1) {
      std::vector<PendingElementwise> chain = std::exchange(pending_, {});
      std::vector<Slot> releases = std::exchange(deferred_releases_, {});
      const size_t chain_count = std::exchange(chain_count_, count);
      pending_.push_back(std::move(step));
      flush_elementwise();
      pending_ = std::move(chain);
      deferred_releases_ = std::move(releases);
      chain_count_ = chain_count;
      return;
    }
    flush_elementwise();
    // What was pending is in registers now.
    take_inputs();
  }
  chain_count_ = count;
  pending_.push_back(std::move(step));
  if (options_.level == ObservationLevel::EachOp) flush_elementwise();
}

void Compiler::emit_elementwise(OpId id, const ElementwiseKernel& kernel, const void* immediate,
                                uint32_t scalar_inputs) {
  const Op& elementwise = op(id);
  PALLASITE_CHECK(elementwise.operands.size() <= kMaxFusedInputs);
  if (fold_elementwise(id, kernel, immediate)) return;
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
  PendingElementwise step;
  step.op = id;
  step.kernel = kernel;
  step.immediate = immediate;
  step.scalar_inputs = scalar_inputs;
  step.checks = std::move(checks);
  join_chain(std::move(step), static_cast<size_t>(out.element_count()));
}

void Compiler::emit_chain_broadcast(OpId id, FusedFn loop, size_t repeat, size_t period) {
  PALLASITE_CHECK(repeat > 0 && period > 0);
  PendingElementwise step;
  step.op = id;
  step.kernel.loop = loop;
  step.repeat = repeat;
  step.period = period;
  join_chain(std::move(step), static_cast<size_t>(result_type(id).element_count()));
}

bool Compiler::emit_chain_rows(OpId id, FusedFn loop, const void* immediate, size_t row) {
  const ValueId array = op(id).operands[0];
  const auto count = static_cast<size_t>(type(array).element_count());
  if (row < kMinRow || row > kMaxRow || options_.level == ObservationLevel::EachOp) return false;
  const auto it = in_place_.find(array);
  if (it == in_place_.end() ? !is_pending(array) : run_of(*it->second.plan) % row != 0) {
    return false;
  }
  const ChainInput input = chain_input(array);
  if (is_pending(array) && !chain_takes(count, {&input, 1}, row, nullptr)) return false;
  PendingElementwise step;
  step.op = id;
  step.kernel.loop = loop;
  step.immediate = immediate;
  step.row = row;
  join_chain(std::move(step), count);
  return true;
}

bool Compiler::emit_chain_load(OpId id, const AccessPlan& plan, ExecFn place, const void* payload) {
  if (plan.space != MemorySpace::Gmem || !usable_in_place(plan)) return false;
  if (options_.level == ObservationLevel::EachOp) return false;
  // Where the access faults, what is pending has to have been checked.
  if (chain_has_checks()) flush_elementwise();
  const Slot loaded = result(id);
  const InMemory memory = {&plan, allocate(sizeof(int64_t)), loaded};
  in_place_[op(id).results[0]] = memory;
  Instruction& in = push_instruction(id, place, payload, true);
  in.a = memory.offset;
  in.b = loaded;
  return true;
}

void Compiler::read_in_place(ValueId value) {
  const auto it = in_place_.find(value);
  if (it == in_place_.end()) return;
  const InMemory& memory = it->second;
  // Other paths to here may have read it or not, so this stays to be done at every use.
  Instruction& in = push_instruction(module_->value(value).op, exec_read_place, memory.plan);
  in.a = memory.offset;
  in.b = memory.loaded;
}

bool Compiler::emit_chain_store(OpId id, const AccessPlan& plan, ExecFn place,
                                const void* payload_of_place) {
  const ValueId value = op(id).operands[1];
  if (!usable_in_place(plan) || options_.level == ObservationLevel::EachOp) return false;
  ChainStore store = {value, {&plan, 0, kNoSlot}};
  if (const auto it = in_place_.find(value); it != in_place_.end()) {
    flush_elementwise();
    store.target.offset = allocate(sizeof(int64_t));
    push_instruction(id, place, payload_of_place, true).a = store.target.offset;
    FusedPayload copy = ChainBuilder(*this, pending_)
                            .build_copy(static_cast<size_t>(plan.element_count), it->second, store);
    push_instruction(id, exec_fused, payload(std::move(copy)));
    release(store.target.offset);
    return true;
  }
  if (!is_pending(value) || use_count_[value.index] != 1 || chain_has_checks()) return false;
  if (static_cast<size_t>(plan.element_count) != chain_count_) return false;
  if (!chain_takes(chain_count_, {}, 1, &plan)) return false;
  store.target.offset = allocate(sizeof(int64_t));
  deferred_releases_.push_back(store.target.offset);
  push_instruction(id, place, payload_of_place, true).a = store.target.offset;
  flush_elementwise(&store);
  return true;
}

void Compiler::flush_elementwise(const ChainStore* store) {
  if (pending_.empty()) return;
  const std::vector<PendingElementwise> steps = std::move(pending_);
  pending_.clear();
  FusedPayload fused = ChainBuilder(*this, steps).build(chain_count_, store);
  const OpId last = store == nullptr ? steps.back().op : module_->value(store->value).op;
  push_instruction(last, exec_fused, payload(std::move(fused)));
  for (const PendingElementwise& step : steps) {
    for (const PendingCheck& check : step.checks) {
      push_instruction(step.op, exec_report_values, check.check).a = check.record;
    }
  }
  release_deferred();
}

}  // namespace pallasite
