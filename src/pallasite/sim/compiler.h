// From a verified module to bytecode. Ops emit themselves through OpDef::compile.
//
// Register slots are reused once the last use of a value is past; a view's index values live as
// long as the view is used. Functions are inlined (recursion is refused by the verifier).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/module.h"
#include "pallasite/sim/fused_loop.h"
#include "pallasite/sim/program.h"
#include "pallasite/sim/strip.h"
#include "pallasite/sim/value_check.h"
#include "pallasite/sim/view.h"

namespace pallasite {

// Both levels give identical bits.
enum class ObservationLevel : uint8_t {
  // Chains of elementwise ops of one size become one blocked loop.
  Fused,
  // One instruction per op.
  EachOp,
};

struct CompileOptions {
  ObservationLevel level = ObservationLevel::Fused;
  // Shared memory a block may use, in bytes (semantics: 227 KiB on sm_90a and sm_100a).
  int64_t smem_limit = 227 * 1024;
  // Tests what ops demand of values (OpDef::value_rules).
  bool check_values = true;
};

// An elementwise function on register-form arrays.
struct ElementwiseKernel {
  // out[i] = f(inputs[0][i], ...) for i < count. `immediate` is the pointer given to
  // emit_elementwise. out may be equal to an input, never overlap it otherwise.
  void (*loop)(void* out, const void* const* inputs, size_t count, const void* immediate) = nullptr;
  // The same on rank-0 values: slots a, b, c are inputs, d the result, payload the immediate.
  // Null: the loop is called with a count of 1.
  ExecFn scalar = nullptr;
  // The same on values in vector registers, if it has a kit.
  StripOp strip = {};
  // f is the element of the one input, which has rank 0.
  bool repeats_scalar = false;
};

class Compiler {
 public:
  struct Result {
    std::shared_ptr<const Program> program;
    // Why there is none (smem.exhausted, run.unsupported); empty if there is one.
    std::vector<Diagnostic> diagnostics;
  };
  static Result compile(std::shared_ptr<const Module> module, const CompileOptions& options = {});
  ~Compiler();

  // --- what an op's compile function may use ---
  const Module& module() const { return *module_; }
  const Op& op(OpId id) const { return module_->op(id); }
  const Type& type(ValueId id) const { return module_->value(id).type; }
  const Type& operand_type(OpId id, size_t i) const { return type(op(id).operands[i]); }
  const Type& result_type(OpId id, size_t i = 0) const { return type(op(id).results[i]); }
  bool is_used(ValueId value) const { return use_count_[value.index] > 0; }
  // Bytes of an array or scalar in register form.
  uint32_t bytes_of(ValueId value) const;

  // The slot of an array or scalar that is defined already, literals included.
  Slot use(ValueId value);
  Slot operand(OpId id, size_t i) { return use(op(id).operands[i]); }
  // A new slot for a result; it may not be the slot of an operand.
  Slot define(ValueId value);
  Slot result(OpId id, size_t i = 0) { return define(op(id).results[i]); }
  // A slot for the op's own use, freed with the region that is being compiled.
  Slot scratch(size_t bytes);
  // A slot that is set before the thread starts and never written.
  Slot constant(std::vector<std::byte> data);
  // Makes a value stand for such a slot.
  void bind_constant(ValueId value, std::vector<std::byte> data);
  // The register of each element of a value, where all are the same and known now.
  std::optional<uint64_t> known(ValueId value) const;
  // Lets a value live where another does already (identity ops, results of inlined regions).
  void alias(ValueId value, ValueId same_as);
  // Ends an alias that was made for a function's argument.
  void drop(ValueId value) {
    argument_values_.erase(value);
    free_value(value);
  }
  // Makes a region's argument stand for a slot that the caller owns.
  void bind_slot(ValueId argument, Slot slot);

  // Views of refs and of barrier arrays; the same calls serve both.
  const View& view(ValueId ref);
  // The ref that `result` names is the view; an error text makes the module unsupported at `op`.
  void define_view(OpId op, View view, const std::string& error);
  // An access plan for the view that a ref operand stands for; owned by the program.
  const AccessPlan* access(ValueId ref);
  const Layout& layout(ValueId ref);
  const BarrierView* barrier(ValueId barrier);
  SliceStart slice_start(ValueId index);

  // Owned by the program; the pointer stays valid as long as it does.
  template <typename P>
  P* payload(P value) {
    auto owned = std::make_shared<P>(std::move(value));
    P* pointer = owned.get();
    program_->payloads.push_back(std::move(owned));
    return pointer;
  }

  // Appends an instruction. `visible`: it acts on what other threads or agents can see. The
  // reference is valid until the next emit.
  Instruction& emit(OpId op, ExecFn exec, const void* payload = nullptr, bool visible = false);
  // An elementwise op with the op's operands as inputs and its one result as output. Inputs whose
  // bit is set in `scalar_inputs` have rank 0 beside arrays; their pointer is not advanced.
  void emit_elementwise(OpId op, const ElementwiseKernel& kernel, const void* immediate = nullptr,
                        uint32_t scalar_inputs = 0);
  // The result has the rank-0 operand as each of its elements. It joins a chain.
  void emit_repeat(OpId op);

  // Joins a chain too: element i of the result is element i / repeat mod period of the operand.
  // `loop` takes a ChainRepeat.
  void emit_chain_broadcast(OpId op, FusedFn loop, size_t repeat, size_t period);
  // The op gives one element for each `row` elements of its operand, which a chain has at hand:
  // then `loop` joins it, and counts rows. False: nothing was emitted.
  bool emit_chain_rows(OpId op, FusedFn loop, const void* immediate, size_t row);
  // A load or store whose elements a chain can read or write in memory, with no copy in registers.
  // `place` is emitted as the visible instruction of the op: it checks the access and puts the
  // element offset of its start into slot `a`. A load of memory that may change reads it itself,
  // into slot `b`, and puts -1 into `a`. False: nothing was emitted.
  bool emit_chain_load(OpId op, const AccessPlan& plan, ExecFn place, const void* payload);
  bool emit_chain_store(OpId op, const AccessPlan& plan, ExecFn place, const void* payload);

  // Control flow. A label is bound once and may be used before.
  using Label = uint32_t;
  Label new_label();
  void bind(Label label);
  void emit_jump(OpId op, Label label);
  void emit_jump_if_false(OpId op, Slot condition, Label label);
  // Jumps to labels[index], the index clamped to the labels; bool or integer in `slot`.
  void emit_switch(OpId op, Slot slot, ElementType index_type, std::vector<Label> labels);
  struct Move {
    Slot from;
    Slot to;
    uint32_t bytes;
  };
  // Copies between slots as if all were read before any is written.
  void emit_moves(OpId op, std::vector<Move> moves);

  // Compiles a region whose arguments are bound. Returns the values that its yield names; they stay
  // usable until `end_region`.
  std::span<const ValueId> begin_region(RegionId region);
  void end_region(RegionId region);
  // Loops and calls, for reports.
  void push_frame(OpId op, Slot iteration);
  void pop_frame();

  // Allocates what a region's arguments name, and binds them. Addresses follow the region path: a
  // scope's allocations start where those of the scopes around it end.
  uint32_t add_scope(OpId op, RegionId region, bool collective);
  void leave_scope(uint32_t scope);
  // The op cannot run: why, in one sentence.
  void unsupported(OpId op, const std::string& reason);
  // Agents of the op need this much memory between read and write.
  void need_staging(int64_t bytes);
  void note_written(ValueId ref);
  Program& program() { return *program_; }

 private:
  struct SlotBinding {
    Slot slot = 0;
    // False for slots that someone else frees.
    bool owned = false;
  };
  using Binding = std::variant<std::monostate, SlotBinding, View>;
  // A test of an array in front of its op.
  struct PendingCheck {
    const ValueCheck* check;
    // Operand of the op.
    size_t operand;
    Slot record;
  };
  // Elements in memory: where an access starts is in the slot `offset`. Of a load, its elements are
  // in the slot `loaded` if the offset is negative.
  struct InMemory {
    const AccessPlan* plan = nullptr;
    Slot offset = 0;
    Slot loaded = kNoSlot;
  };
  // What a chain reads that it does not compute; both are left out for what it does.
  struct ChainInput {
    Slot slot = kNoSlot;
    InMemory memory = {};
  };
  struct PendingElementwise {
    OpId op;
    ElementwiseKernel kernel;
    const void* immediate = nullptr;
    uint32_t scalar_inputs = 0;
    // Taken when the op joins, since a value may be freed before the chain is emitted.
    std::vector<ChainInput> inputs = {};
    std::vector<PendingCheck> checks = {};
    // Of a broadcast.
    size_t repeat = 0;
    size_t period = 0;
    // Elements that the op makes one of.
    size_t row = 1;
    // Of an op whose elements are known: where one is. It reads that, not its operands.
    Slot folded = kNoSlot;
  };
  // The store that a chain ends with.
  struct ChainStore {
    ValueId value;
    InMemory target;
  };
  class ChainBuilder;

  Compiler(std::shared_ptr<const Module> module, const CompileOptions& options);
  void run();
  void count_uses();
  void note_use(ValueId value, OpId user);
  void bind_parameters();
  void collect_literals();
  Slot allocate(size_t bytes);
  void release(Slot slot);
  void release_deferred();
  void free_value(ValueId value);
  void flush_elementwise(const ChainStore* store = nullptr);
  // Emits an instruction that does not end the chain.
  Instruction& push_instruction(OpId op, ExecFn exec, const void* payload, bool visible = false);
  // Whether an op on so many elements, with such inputs, can join the pending ones; or a store to
  // `target`.
  bool chain_takes(size_t count, std::span<const ChainInput> inputs, size_t row,
                   const AccessPlan* target) const;
  ChainInput chain_input(ValueId value);
  void join_chain(PendingElementwise step, size_t count);
  // Has the elements of a load in registers that may have been left in memory.
  void read_in_place(ValueId value);
  bool chain_has_checks() const;
  bool is_pending(ValueId value) const;
  // The tests of an op that may find something. Those of a scalar are emitted here.
  std::vector<PendingCheck> value_checks(OpId id, bool is_scalar);
  // Ops on what is known (compiler_fold.cc). False: nothing was done.
  bool fold_elementwise(OpId op, const ElementwiseKernel& kernel, const void* immediate);
  bool fold_move(OpId op);
  void fold_to(OpId op, uint64_t bits);
  // The slot of a constant of rank 0.
  Slot scalar_constant(ElementType element, uint64_t bits);
  // Whether all elements are known now, and none breaks the rule.
  bool holds(ValueTest test, ValueId value) const;
  void patch_labels();

  std::shared_ptr<const Module> module_;
  CompileOptions options_;
  std::shared_ptr<Program> program_;
  std::vector<Diagnostic> diagnostics_;

  std::vector<Binding> bindings_;
  // Uses of a value, and the position in its own region of the last op that (or inside of which
  // something) uses it.
  std::vector<uint32_t> use_count_;
  std::vector<uint32_t> last_use_;
  // Per op, its position in its region.
  std::vector<uint32_t> position_;
  // Per region and position, the values whose last use is there.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<ValueId>> dies_at_;

  // Slots: references to each, and free ones by size.
  std::map<Slot, std::pair<uint32_t, uint32_t>> live_slots_;
  std::multimap<uint32_t, Slot> free_slots_;
  // Some slot could not be allocated; the program is of no use.
  bool too_many_registers_ = false;
  std::vector<Slot> deferred_releases_;
  std::vector<std::vector<Slot>> region_scratch_;
  std::map<std::pair<uint8_t, uint64_t>, Slot> literal_slots_;
  // Of results, and arguments of inlined functions: known() of them. A scalar has no slot until
  // something uses it.
  std::map<ValueId, uint64_t> known_;
  // The constant that holds scalars that were folded, while it has room.
  size_t folded_scalars_ = SIZE_MAX;

  // Of an argument of the functions being inlined: the value that it stands for.
  std::map<ValueId, ValueId> argument_values_;
  std::vector<PendingElementwise> pending_;
  // Elements that the pending ops work on.
  size_t chain_count_ = 0;
  // Loads that leave their elements in memory.
  std::map<ValueId, InMemory> in_place_;
  std::vector<uint32_t> label_targets_;
  std::vector<std::pair<uint32_t, Label>> jumps_;
  struct SwitchTable {
    std::vector<uint32_t>* targets;
    std::vector<Label> labels;
  };
  std::vector<SwitchTable> switches_;
  uint32_t frame_ = 0;
  int64_t smem_top_ = 0;
  uint32_t barrier_top_ = 0;
  std::vector<std::pair<int64_t, uint32_t>> scope_marks_;
  std::vector<std::pair<uint32_t, std::vector<Slot>>> scope_registers_;
};

}  // namespace pallasite
