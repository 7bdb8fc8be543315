// Loads and stores of the generic proxy.
#include <fmt/format.h>

#include <cstring>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

// a = slot of the value read (load, swap), b = slot of the value written.
struct AccessPayload {
  const AccessPlan* plan;
  // Message of an access that leaves the array.
  const char* variant;
};

Step out_of_bounds(Thread& thread, const AccessPayload& payload, const Access& access) {
  ClusterMachine& machine = thread.machine();
  const AllocationSite& site = machine.site(*payload.plan);
  const bool gmem = site.space == MemorySpace::Gmem;
  return machine.fault(machine.actor_of(thread),
                       DiagnosticBuilder(gmem ? Kind::GmemOob : Kind::SmemOob)
                           .variant(payload.variant)
                           .arg("ref", site.name.empty() ? "ref" : site.name)
                           .arg("access", box_of(*payload.plan, access))
                           .arg("shape", Shape(payload.plan->logical_shape)));
}

template <bool kRead, bool kWrite>
Step exec_access(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const AccessPayload*>(in.payload);
  const AccessPlan& plan = *payload.plan;
  const Access access = resolve(plan, thread.registers());
  ClusterMachine& machine = thread.machine();
  const MachineOptions& options = machine.options();
  if (!access.in_bounds && (kWrite || !options.fill_out_of_bounds_loads)) [[unlikely]] {
    return out_of_bounds(thread, payload, access);
  }
  const uint32_t block = machine.block_of(thread.index());
  const Memory memory = {machine.data(plan, thread.index(), block), &machine.site(plan).layout};
  const Actor actor = machine.actor_of(thread);
  if constexpr (kRead) {
    machine.touch(actor, plan, access, false, Proxy::Generic, {}, block);
    if constexpr (kWrite) {
      load_view(plan, access, memory, thread.pointer(in.a));
    } else {
      load_view_clipped(plan, access, memory, thread.pointer(in.a),
                        options.zero_fill ? Outside::Zero : Outside::Fresh);
    }
  }
  if constexpr (kWrite) {
    machine.touch(actor, plan, access, true, Proxy::Generic, {}, block);
    store_view(plan, access, memory, thread.pointer(in.b));
  }
  return Step::Next;
}

// The access of a chain's load or store: a = slot of the element offset, b = slot of a value that
// is read here.
template <bool kWrite>
Step exec_place(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const AccessPayload*>(in.payload);
  const AccessPlan& plan = *payload.plan;
  const Access access = resolve(plan, thread.registers());
  ClusterMachine& machine = thread.machine();
  const MachineOptions& options = machine.options();
  if (!access.in_bounds && (kWrite || !options.fill_out_of_bounds_loads)) [[unlikely]] {
    return out_of_bounds(thread, payload, access);
  }
  const uint32_t block = machine.block_of(thread.index());
  machine.touch(machine.actor_of(thread), plan, access, kWrite, Proxy::Generic, {}, block);
  thread.at<int64_t>(in.a) = access.offset;
  if (!kWrite && (!access.in_bounds || machine.may_change(plan))) {
    const Memory memory = {machine.data(plan, thread.index(), block), &machine.site(plan).layout};
    load_view_clipped(plan, access, memory, thread.pointer(in.b),
                      options.zero_fill ? Outside::Zero : Outside::Fresh);
    thread.at<int64_t>(in.a) = -1;
  }
  return Step::Next;
}

bool check_ref(VerifyContext& context, const Op& op, const Type& value) {
  const Type& ref = context.module().value(op.operands[0]).type;
  if (!ref.transforms.empty()) {
    context.error("the ref has layout transforms; unswizzle and untile it first");
    return false;
  }
  if (ref.space == MemorySpace::Tmem || ref.space == MemorySpace::Regs) {
    context.error(
        fmt::format("{} is not accessed by loads and stores", memory_space_name(ref.space)));
    return false;
  }
  if (value != Type::array(ref.element, ref.shape)) {
    context.error(fmt::format("the value is {}, the ref holds {}", to_string(value),
                              to_string(Type::array(ref.element, ref.shape))));
    return false;
  }
  return true;
}

void verify_load(VerifyContext& context, const Op& op) {
  if (op.results.size() != 1) return context.error("one result");
  check_ref(context, op, context.module().value(op.results[0]).type);
}

void verify_store(VerifyContext& context, const Op& op) {
  if (!op.results.empty()) return context.error("no result");
  check_ref(context, op, context.module().value(op.operands[1]).type);
}

void verify_swap(VerifyContext& context, const Op& op) {
  if (op.results.size() != 1) return context.error("one result");
  const Type& result = context.module().value(op.results[0]).type;
  if (check_ref(context, op, result)) {
    check_ref(context, op, context.module().value(op.operands[1]).type);
  }
}

void compile_load(Compiler& compiler, OpId id) {
  const AccessPlan* plan = compiler.access(compiler.op(id).operands[0]);
  const AccessPayload* payload = compiler.payload(AccessPayload{plan, "read"});
  if (compiler.emit_chain_load(id, *plan, exec_place<false>, payload)) return;
  const Slot result = compiler.result(id);
  compiler.emit(id, exec_access<true, false>, payload, true).a = result;
}

void compile_store(Compiler& compiler, OpId id) {
  const ValueId ref = compiler.op(id).operands[0];
  compiler.note_written(ref);
  const AccessPlan* plan = compiler.access(ref);
  const AccessPayload* payload = compiler.payload(AccessPayload{plan, "store"});
  if (compiler.emit_chain_store(id, *plan, exec_place<true>, payload)) return;
  const Slot value = compiler.operand(id, 1);
  compiler.emit(id, exec_access<false, true>, payload, true).b = value;
}

void compile_swap(Compiler& compiler, OpId id) {
  const ValueId ref = compiler.op(id).operands[0];
  compiler.note_written(ref);
  const AccessPlan* plan = compiler.access(ref);
  const Slot value = compiler.operand(id, 1);
  const Slot old = compiler.result(id);
  Instruction& in = compiler.emit(id, exec_access<true, true>,
                                  compiler.payload(AccessPayload{plan, "swap"}), true);
  in.a = old;
  in.b = value;
}

}  // namespace

extern const OpDef kMemoryLoad = {
    .name = "memory.load",
    .operands = {{"ref", OperandKind::Ref}},
    .effects = {{EffectAction::Read, "ref"}},
    .verify = verify_load,
    .compile = compile_load,
    .primitives = {"get", "load"},
    .help = "Reads the array that a ref names into registers.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[4]>
  body {
    %1 = shape.broadcast_in_dim f32(0.5) {dimensions = []} : f32[4]
    memory.store %0, %1
    %2 = memory.load %0 : f32[4]
    memory.store %0, %2
    control.yield
  }
}
)",
    .source = "PTX ISA, ld; jax/_src/pallas/mosaic_gpu/lowering.py, _get_lowering_rule",
};

extern const OpDef kMemoryStore = {
    .name = "memory.store",
    .operands = {{"ref", OperandKind::Ref}, {"value", OperandKind::Array}},
    .effects = {{EffectAction::Write, "ref"}},
    .verify = verify_store,
    .compile = compile_store,
    .primitives = {"store", "swap"},
    .help = "Writes an array from registers to where a ref names.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i8[4]>
  body {
    %1 = shape.broadcast_in_dim i8(-3) {dimensions = []} : i8[4]
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "PTX ISA, st; jax/_src/pallas/mosaic_gpu/lowering.py, _swap_lowering_rule",
};

extern const OpDef kMemorySwap = {
    .name = "memory.swap",
    .operands = {{"ref", OperandKind::Ref}, {"value", OperandKind::Array}},
    .effects = {{EffectAction::Read, "ref"}, {EffectAction::Write, "ref"}},
    .verify = verify_swap,
    .compile = compile_swap,
    .primitives = {"swap"},
    .help = "Writes an array to where a ref names and returns what was there before. Not atomic.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = shape.broadcast_in_dim i32(1) {dimensions = []} : i32[2]
    %2 = shape.broadcast_in_dim i32(2) {dimensions = []} : i32[2]
    memory.store %0, %1
    %3 = memory.swap %0, %2 : i32[2]
    memory.store %0, %3
    control.yield
  }
}
)",
    .source = "jax/_src/pallas/mosaic_gpu/lowering.py, _swap_lowering_rule",
};

}  // namespace pallasite
