// From a verified module to bytecode. Ops emit themselves through OpDef::compile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/module.h"
#include "pallasite/sim/program.h"
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
  // Shared memory a block may use, in bytes (semantics.md: 227 KiB on sm_90a and sm_100a).
  uint64_t smem_limit = 227 * 1024;
};

// An elementwise function on register-form arrays.
struct ElementwiseKernel {
  // out[i] = f(inputs[0][i], ...) for i < count. `immediate` is the pointer given to emit_elementwise.
  // out may be equal to an input, never overlap it otherwise.
  void (*loop)(void* out, const void* const* inputs, size_t count, const void* immediate) = nullptr;
  // The same on rank-0 values: slots a, b, c are inputs, d the result, payload the immediate.
  // Null: the loop is called with a count of 1.
  ExecFn scalar = nullptr;
};

class Compiler {
 public:
  struct Result {
    std::shared_ptr<const Program> program;
    // Why there is none (smem.exhausted ...).
    std::vector<Diagnostic> diagnostics;
  };
  static Result compile(std::shared_ptr<const Module> module, const CompileOptions& options);

  // --- what an op's compile function may use ---
  const Module& module() const { return *module_; }
  const Op& op(OpId id) const { return module_->op(id); }
  const Type& type(ValueId id) const { return module_->value(id).type; }
  const Type& operand_type(OpId id, size_t i) const { return type(op(id).operands[i]); }
  const Type& result_type(OpId id, size_t i = 0) const { return type(op(id).results[i]); }

  // The slot of an array or scalar that is defined already, literals included.
  Slot use(ValueId value);
  Slot operand(OpId id, size_t i) { return use(op(id).operands[i]); }
  // A new slot for a result.
  Slot define(ValueId value);
  Slot result(OpId id, size_t i = 0) { return define(op(id).results[i]); }
  // A slot for the op's own use, freed with the region that is being compiled.
  Slot scratch(size_t bytes);
  // A slot in the constant part of the register file: set before the thread starts.
  Slot constant(std::span<const std::byte> data);
  // Lets a value live where another does already (identity ops).
  void alias(ValueId value, ValueId same_as);

  // The view that a ref operand stands for.
  const View& view(ValueId ref);
  // Makes an access plan for a view; the plan is owned by the program.
  const AccessPlan* access(ValueId ref);
  const BarrierView& barrier_view(ValueId barrier);

  // Owned by the program; the pointer stays valid as long as it does.
  template <typename P>
  const P* payload(P value) {
    auto owned = std::make_shared<const P>(std::move(value));
    const P* pointer = owned.get();
    program_->payloads.push_back(std::move(owned));
    return pointer;
  }

  // Appends an instruction that any thread may run at any time (`visible` false), or one that acts on
  // what others see.
  Instruction& emit(OpId op, ExecFn exec, const void* payload = nullptr, bool visible = false);
  // Elementwise op with the op's operands as inputs and its one result as output. Inputs whose bit is
  // set in `scalar_inputs` have rank 0 beside arrays and their pointer is not advanced.
  void emit_elementwise(OpId op, const ElementwiseKernel& kernel, const void* immediate = nullptr,
                        uint32_t scalar_inputs = 0);

  // Control flow. A label is bound once and may be used before.
  using Label = uint32_t;
  Label new_label();
  void bind(Label label);
  // After all code is emitted `*target` holds the label's program counter. `target` lies in a payload
  // made by `jump_table` or is an instruction's field `a`.
  void emit_jump(OpId op, Label label);
  void emit_jump_if_false(OpId op, Slot condition, Label label);
  // Jumps to labels[clamp(index)]; the index is an integer or bool in `slot`.
  void emit_switch(OpId op, Slot slot, ElementType index_type, std::vector<Label> labels);
  // Copies values between slots, all reads before all writes.
  struct Move {
    Slot from;
    Slot to;
    uint32_t bytes;
  };
  void emit_moves(OpId op, std::vector<Move> moves);

  // Compiles a region with its arguments bound by the caller (bind_argument). Returns the values that
  // its yield names; they are valid until `end_region`.
  std::span<const ValueId> begin_region(RegionId region);
  void end_region(RegionId region);
  // Makes a region argument (or function argument) stand for a slot, or for another value.
  void bind_slot(ValueId argument, Slot slot);
  void bind_value(ValueId argument, ValueId value);
  // Loops and calls, for reports.
  uint32_t push_frame(OpId op, Slot iteration);
  void pop_frame();

  Program& program() { return *program_; }
  uint32_t bytes_of(ValueId value) const;
  void diagnose(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

  // Scopes. Addresses follow the region path: a scope's allocations start where those of the scopes
  // around it end.
  uint32_t add_scope(OpId op, RegionId region, bool collective);
  void leave_scope(uint32_t scope);
  // The accumulator site that run_state or run_scoped made for a ref argument.
  const AllocationSite& site(uint32_t index) const { return program_->allocations[index]; }

 private:
  struct Binding;
  class Impl;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<Program> program_;
  std::vector<Diagnostic> diagnostics_;
  std::unique_ptr<Impl> impl_;
  Compiler(std::shared_ptr<const Module> module, const CompileOptions& options);

 public:
  ~Compiler();
};

}  // namespace pallasite
