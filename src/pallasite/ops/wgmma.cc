// Warpgroup matrix multiply (sm_90a).
//
// Model: each call is one asynchronous operation and its own commit group; the groups of a
// warpgroup complete in order. Until its group is awaited, an accumulator may not be touched and
// the operands in shared memory may not be overwritten.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "pallasite/ir/op_def.h"
#include "pallasite/numerics/contraction.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

struct MmaPayload : AgentPayload {
  const AccessPlan* accumulator = nullptr;
  // Null if A is in registers, in slot a_slot.
  const AccessPlan* a = nullptr;
  const AccessPlan* b = nullptr;
  Slot a_slot = kNoSlot;
  ElementType a_type = ElementType::F16;
  int64_t m = 0, n = 0, k = 0;
  int64_t a_bytes = 0;
};

const MmaPayload& payload_of(const ClusterMachine& machine, const Agent& agent) {
  return *static_cast<const MmaPayload*>(machine.instruction(agent.pc).payload);
}

// The operand where it lies, if its elements are at constant strides; else gathered into scratch.
MatrixView matrix_in_memory(ClusterMachine& machine, const Agent& agent, const AccessPlan& plan,
                            const Access& access, size_t scratch) {
  const Memory memory = {machine.data(plan, agent.thread, machine.block_of(agent.thread)),
                         &machine.site(plan).layout};
  MatrixView view;
  view.type = plan.element;
  view.rows = plan.shape[0];
  view.cols = plan.shape[1];
  if (!plan.remapped && !is_sub_byte(plan.element) && plan.dim_strides[0] && plan.dim_strides[1]) {
    view.data = memory.data + access.offset * static_cast<int64_t>(register_bytes(plan.element));
    view.row_stride = *plan.dim_strides[0];
    view.col_stride = *plan.dim_strides[1];
    return view;
  }
  std::byte* gathered = machine.scratch(
      scratch, static_cast<size_t>(plan.element_count) * register_bytes(plan.element));
  load_view(plan, access, memory, gathered);
  view.data = gathered;
  view.row_stride = view.cols;
  return view;
}

MatrixView packed_matrix(const std::byte* data, ElementType type, int64_t rows, int64_t cols) {
  return {data, type, rows, cols, cols, 1};
}

void touch_operands(ClusterMachine& machine, const Agent& agent) {
  const MmaPayload& payload = payload_of(machine, agent);
  const Actor actor = machine.actor_of(agent, EventKind::AgentRead);
  const CompletionChannel channel = machine.channel_of(agent);
  const uint32_t block = machine.block_of(agent.thread);
  if (payload.a != nullptr) {
    machine.touch(actor, *payload.a, agent.operands[1], false, Proxy::Async, channel, block);
  }
  machine.touch(actor, *payload.b, agent.operands[2], false, Proxy::Async, channel, block);
}

void multiply(ClusterMachine& machine, const Agent& agent, const MatrixView& a, const MatrixView& b,
              std::byte* accumulators) {
  const MmaPayload& payload = payload_of(machine, agent);
  const AccessPlan& plan = *payload.accumulator;
  const CompletionChannel channel = machine.channel_of(agent);
  const Actor actor = machine.actor_of(agent, EventKind::AgentWrite);
  machine.touch(actor, plan, agent.operands[0], false, Proxy::Async, channel, agent.thread);
  machine.touch(actor, plan, agent.operands[0], true, Proxy::Async, channel, agent.thread);
  Contraction product;
  product.a = a;
  product.b = b;
  product.d.data =
      accumulators + agent.operands[0].offset * static_cast<int64_t>(register_bytes(plan.element));
  product.d.type = plan.element;
  product.d.rows = payload.m;
  product.d.cols = payload.n;
  product.d.leading_dimension = std::max(*plan.dim_strides[0], payload.n);
  multiply_accumulate(product, machine.contraction_scratch());
}

std::byte* in_flight_copy(ClusterMachine& machine, const Agent& agent) {
  const AllocationSite& site = machine.site(*payload_of(machine, agent).accumulator);
  return machine.registers(agent.thread) + site.in_flight_copy;
}

std::byte* visible_copy(ClusterMachine& machine, const Agent& agent) {
  return machine.data(*payload_of(machine, agent).accumulator, agent.thread, 0);
}

// Whether another product of the thread on the same accumulator is under way.
bool others_in_flight(ClusterMachine& machine, const Agent& agent) {
  const MmaPayload& payload = payload_of(machine, agent);
  for (const Agent& other : machine.state().agents) {
    if (other.stage == AgentStage::Free || other.thread != agent.thread ||
        other.order == agent.order) {
      continue;
    }
    const auto* behind = static_cast<const AgentPayload*>(machine.instruction(other.pc).payload);
    if (behind->behavior == payload.behavior &&
        payload_of(machine, other).accumulator->site == payload.accumulator->site) {
      return true;
    }
  }
  return false;
}

void mma_capture(ClusterMachine& machine, const Agent& agent, std::byte* staging) {
  const MmaPayload& payload = payload_of(machine, agent);
  if (payload.a == nullptr) {
    std::memcpy(staging, machine.registers(agent.thread) + payload.a_slot,
                static_cast<size_t>(payload.a_bytes));
  }
}

void mma_read(ClusterMachine& machine, const Agent& agent, std::byte* staging) {
  const MmaPayload& payload = payload_of(machine, agent);
  touch_operands(machine, agent);
  const uint32_t block = machine.block_of(agent.thread);
  const auto load = [&](const AccessPlan& plan, const Access& access, std::byte* to) {
    load_view(plan, access, {machine.data(plan, agent.thread, block), &machine.site(plan).layout},
              to);
  };
  if (payload.a != nullptr) load(*payload.a, agent.operands[1], staging);
  load(*payload.b, agent.operands[2], staging + payload.a_bytes);
}

void mma_write(ClusterMachine& machine, const Agent& agent, const std::byte* staging) {
  const MmaPayload& payload = payload_of(machine, agent);
  multiply(machine, agent, packed_matrix(staging, payload.a_type, payload.m, payload.k),
           packed_matrix(staging + payload.a_bytes, payload.b->element, payload.k, payload.n),
           in_flight_copy(machine, agent));
}

void mma_transfer(ClusterMachine& machine, const Agent& agent) {
  const MmaPayload& payload = payload_of(machine, agent);
  if (machine.observed()) touch_operands(machine, agent);
  const MatrixView a = payload.a != nullptr
                           ? matrix_in_memory(machine, agent, *payload.a, agent.operands[1], 1)
                           : packed_matrix(machine.registers(agent.thread) + payload.a_slot,
                                           payload.a_type, payload.m, payload.k);
  multiply(machine, agent, a, matrix_in_memory(machine, agent, *payload.b, agent.operands[2], 2),
           visible_copy(machine, agent));
}

// While products are under way the true value is kept aside and the accumulator holds poison.
void mma_poison(ClusterMachine& machine, const Agent& agent) {
  const AccessPlan& plan = *payload_of(machine, agent).accumulator;
  const AllocationSite& site = machine.site(plan);
  if (!others_in_flight(machine, agent)) {
    std::memcpy(in_flight_copy(machine, agent), visible_copy(machine, agent),
                static_cast<size_t>(site.layout.bytes()));
  }
  fill_view(plan, agent.operands[0], {visible_copy(machine, agent), &site.layout}, false);
}

void mma_complete(ClusterMachine& machine, const Agent& agent) {
  ThreadState& thread = machine.thread(agent.thread);
  thread.wgmma_complete = agent.group + 1;
  if (machine.options().async_values == AsyncValues::Late && !others_in_flight(machine, agent)) {
    const AllocationSite& site = machine.site(*payload_of(machine, agent).accumulator);
    std::memcpy(visible_copy(machine, agent), in_flight_copy(machine, agent),
                static_cast<size_t>(site.layout.bytes()));
  }
  machine.wake_groups(agent.thread);
}

constexpr AgentBehavior kMmaBehavior = {
    .read = mma_read,
    .write = mma_write,
    .transfer = mma_transfer,
    .capture = mma_capture,
    .poison = mma_poison,
    .complete = mma_complete,
    .completion = Completion::WgmmaGroup,
    .in_order = true,
};

Step exec_mma(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const MmaPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  ThreadState& state = thread.state();
  Agent agent;
  agent.thread = thread.index();
  agent.pc = state.pc;
  agent.event = state.events;
  agent.operands[0] = resolve(*payload.accumulator, thread.registers());
  if (payload.a != nullptr) agent.operands[1] = resolve(*payload.a, thread.registers());
  agent.operands[2] = resolve(*payload.b, thread.registers());
  const AccessPlan* plans[] = {payload.accumulator, payload.a, payload.b};
  for (size_t i = 0; i < 3; ++i) {
    if (plans[i] == nullptr || agent.operands[i].in_bounds) [[likely]]
      continue;
    const AllocationSite& site = machine.site(*plans[i]);
    return machine.fault(machine.actor_of(thread),
                         DiagnosticBuilder(Kind::SmemOob)
                             .variant("read")
                             .arg("ref", site.name.empty() ? "ref" : site.name)
                             .arg("access", box_of(*plans[i], agent.operands[i]))
                             .arg("shape", Shape(plans[i]->logical_shape)));
  }
  agent.group = state.wgmma_issued++;
  if (machine.observed()) {
    machine.note_sync({machine.actor_of(thread), EffectAction::Commit, UINT32_MAX,
                       Completion::WgmmaGroup, agent.group, 0, false});
  }
  machine.issue(agent);
  return Step::Next;
}

Step wait_groups(Thread& thread, int64_t may_stay) {
  ClusterMachine& machine = thread.machine();
  ThreadState& state = thread.state();
  const int64_t target = static_cast<int64_t>(state.wgmma_issued) - may_stay;
  if (state.wait.kind == WaitKind::Granted) state.wait = Wait();
  if (static_cast<int64_t>(state.wgmma_complete) < target) {
    return machine.block(thread, {WaitKind::Wgmma, 0, target});
  }
  if (machine.observed()) {
    machine.note_sync({machine.actor_of(thread), EffectAction::Wait, UINT32_MAX,
                       Completion::WgmmaGroup, static_cast<uint64_t>(std::max<int64_t>(target, 0)),
                       0, false});
  }
  return Step::Next;
}

// a = groups that may stay in flight.
Step exec_wait(Thread& thread, const Instruction& in) {
  return wait_groups(thread, in.a);
}

struct DerefPayload {
  const AccessPlan* accumulator;
  int64_t wait_n;
};

// d = result.
Step exec_deref(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const DerefPayload*>(in.payload);
  if (payload.wait_n >= 0) {
    if (const Step step = wait_groups(thread, payload.wait_n); step != Step::Next) return step;
  }
  ClusterMachine& machine = thread.machine();
  const AccessPlan& plan = *payload.accumulator;
  const Access access = resolve(plan, thread.registers());
  machine.touch(machine.actor_of(thread), plan, access, false, Proxy::Generic, {}, thread.index());
  load_view(plan, access, {machine.data(plan, thread.index(), 0), &machine.site(plan).layout},
            thread.pointer(in.d));
  return Step::Next;
}

// a = value.
Step exec_accumulator_store(Thread& thread, const Instruction& in) {
  const AccessPlan& plan = *static_cast<const AccessPlan*>(in.payload);
  ClusterMachine& machine = thread.machine();
  const Access access = resolve(plan, thread.registers());
  machine.touch(machine.actor_of(thread), plan, access, true, Proxy::Generic, {}, thread.index());
  store_view(plan, access, {machine.data(plan, thread.index(), 0), &machine.site(plan).layout},
             thread.pointer(in.a));
  return Step::Next;
}

bool is_accumulator(const Type& type) {
  return type.is_ref() && type.space == MemorySpace::Regs;
}

void verify_mma(VerifyContext& context, const Op& op) {
  const Type& acc = context.module().value(op.operands[0]).type;
  const Type& a = context.module().value(op.operands[1]).type;
  const Type& b = context.module().value(op.operands[2]).type;
  if (!is_accumulator(acc)) return context.error("the accumulator must be a ref to regs");
  const bool a_in_registers = a.is_array();
  if ((!a_in_registers && (!a.is_ref() || a.space != MemorySpace::Smem)) || !b.is_ref() ||
      b.space != MemorySpace::Smem) {
    return context.error("A must be in registers or smem, B in smem");
  }
  if (!acc.transforms.empty() || !a.transforms.empty() || !b.transforms.empty()) {
    return context.error("a ref has layout transforms; unswizzle and untile it first");
  }
  if (acc.rank() != 2 || a.rank() != 2 || b.rank() != 2 || acc.shape[0] != a.shape[0] ||
      a.shape[1] != b.shape[0] || acc.shape[1] != b.shape[1]) {
    return context.error(fmt::format("shapes do not fit a product: {} += {} @ {}", to_string(acc),
                                     to_string(a), to_string(b)));
  }
  if (!contraction_supported(a.element, b.element, acc.element)) {
    return context.diagnose("mma.dtype", {{"op", "wgmma"},
                                          {"a", std::string(element_name(a.element))},
                                          {"b", std::string(element_name(b.element))},
                                          {"accumulator", std::string(element_name(acc.element))}});
  }
  const int64_t m = acc.shape[0], n = acc.shape[1], k = a.shape[1];
  // An instruction contracts 32 bytes of each row of A.
  const int64_t k_step = 256 / element_info(a.element).storage_bits;
  std::string reason;
  if (m % 64 != 0) {
    reason = fmt::format("{} rows are not a multiple of 64", m);
  } else if (n % 8 != 0 || n > 256) {
    reason = fmt::format("{} columns are not a multiple of 8 up to 256", n);
  } else if (k % k_step != 0) {
    reason = fmt::format("the contracted {} are not a multiple of {}", k, k_step);
  }
  if (reason.empty()) return;
  const auto text = [](const Type& type) { return fmt::format("{}", fmt::join(type.shape, ",")); };
  context.diagnose("mma.shape", {{"op", "wgmma"},
                                 {"a", text(a)},
                                 {"b", text(b)},
                                 {"accumulator", text(acc)},
                                 {"reason", reason}});
}

void compile_mma(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  MmaPayload payload;
  payload.behavior = &kMmaBehavior;
  payload.accumulator = compiler.access(op.operands[0]);
  const Type& a = compiler.operand_type(id, 1);
  const Type& b = compiler.operand_type(id, 2);
  payload.a_type = a.element;
  payload.m = a.shape[0];
  payload.k = a.shape[1];
  payload.n = b.shape[1];
  payload.a_bytes = a.element_count() * static_cast<int64_t>(register_bytes(a.element));
  if (a.is_array()) {
    payload.a_slot = compiler.operand(id, 1);
  } else {
    payload.a = compiler.access(op.operands[1]);
  }
  payload.b = compiler.access(op.operands[2]);
  if (!payload.accumulator->dim_strides[0] || payload.accumulator->dim_strides[1] != 1) {
    return compiler.unsupported(id, "the accumulator view is not row-major");
  }
  compiler.need_staging(payload.a_bytes +
                        b.element_count() * static_cast<int64_t>(register_bytes(b.element)));
  compiler.emit(id, exec_mma, compiler.payload(payload), true);
}

void verify_wait(VerifyContext& context, const Op& op) {
  const int64_t n = int_attribute(op.attributes, "n", 0);
  if (n < 0 || n > INT32_MAX) context.error("n must not be negative");
}

void compile_wait(Compiler& compiler, OpId id) {
  compiler.emit(id, exec_wait, nullptr, true).a =
      static_cast<uint32_t>(int_attribute(compiler.op(id).attributes, "n", 0));
}

void verify_deref(VerifyContext& context, const Op& op) {
  const Type& acc = context.module().value(op.operands[0]).type;
  if (!is_accumulator(acc)) return context.error("the operand must be a ref to regs");
  if (int_attribute(op.attributes, "wait_n", 0) < -1) {
    context.error("wait_n is -1 (no wait) or the number of groups that may stay in flight");
  }
}

std::vector<Type> infer_deref(const Module& module, const Op& op) {
  const Type& acc = module.value(op.operands[0]).type;
  return {Type::array(acc.element, acc.shape)};
}

void compile_deref(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const DerefPayload payload = {compiler.access(op.operands[0]),
                                int_attribute(op.attributes, "wait_n", 0)};
  const Slot result = compiler.result(id);
  compiler.emit(id, exec_deref, compiler.payload(payload), true).d = result;
}

void verify_accumulator_store(VerifyContext& context, const Op& op) {
  const Type& acc = context.module().value(op.operands[0]).type;
  if (!is_accumulator(acc)) return context.error("the operand must be a ref to regs");
  if (context.module().value(op.operands[1]).type != Type::array(acc.element, acc.shape)) {
    context.error("the value must have the accumulator's shape and element type");
  }
}

void compile_accumulator_store(Compiler& compiler, OpId id) {
  const AccessPlan* plan = compiler.access(compiler.op(id).operands[0]);
  const Slot value = compiler.operand(id, 1);
  compiler.emit(id, exec_accumulator_store, plan, true).a = value;
}

constexpr std::string_view kExample = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "a": ref<smem, f16[64,16]>, %2 "b": ref<smem, f16[16,8]>)
      %3 = shape.broadcast_in_dim f16(0.5) {dimensions = []} : f16[64,16]
      %4 = shape.broadcast_in_dim f16(2.0) {dimensions = []} : f16[16,8]
      memory.store %1, %3
      memory.store %2, %4
      fence.commit_smem
      scope.run_scoped {collective_axes = []} {
        (%5 "acc": ref<regs, f32[64,8]>)
        %6 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[64,8]
        wgmma.accumulator_store %5, %6
        wgmma.mma %5, %1, %2
        wgmma.wait {n = 0}
        %7 = wgmma.accumulator_deref %5 {wait_n = 0} : f32[64,8]
        memory.store %0, %7
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)";

}  // namespace

extern const OpDef kWgmmaMma = {
    .name = "wgmma.mma",
    .operands = {{"accumulator", OperandKind::Ref},
                 {"a", OperandKind::Any},
                 {"b", OperandKind::Ref}},
    .effects = {{EffectAction::Read, "a", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Read, "b", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Read, "accumulator", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Write, "accumulator", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Commit, "", Proxy::Async, Completion::WgmmaGroup}},
    .verify = verify_mma,
    .compile = compile_mma,
    .primitives = {"wgmma_ref"},
    .help = "accumulator += a @ b, asynchronously, as one group of the warpgroup.",
    .example = kExample,
    .source = "PTX ISA, wgmma.mma_async and wgmma.commit_group; plgpu.wgmma",
};

extern const OpDef kWgmmaWait = {
    .name = "wgmma.wait",
    .attributes = {{"n", AttributeKind::Int, true, "newest groups that may stay in flight"}},
    .effects = {{EffectAction::Wait, "", Proxy::Async, Completion::WgmmaGroup}},
    .verify = verify_wait,
    .compile = compile_wait,
    .primitives = {"wgmma_wait"},
    .help = "Waits until at most n of the warpgroup's wgmmas are in flight.",
    .example = kExample,
    .source = "PTX ISA, wgmma.wait_group; plgpu.wgmma_wait",
};

extern const OpDef kWgmmaAccumulatorDeref = {
    .name = "wgmma.accumulator_deref",
    .operands = {{"accumulator", OperandKind::Ref}},
    .attributes = {{"wait_n", AttributeKind::Int, true,
                    "groups that may stay in flight; -1 reads without a wait"}},
    .effects = {{EffectAction::Wait, "", Proxy::Async, Completion::WgmmaGroup},
                {EffectAction::Read, "accumulator"}},
    .infer = infer_deref,
    .verify = verify_deref,
    .compile = compile_deref,
    .primitives = {"wgmma_accumulator_deref"},
    .help = "Waits for wgmmas, then reads the accumulator.",
    .example = kExample,
    .source = "jax/_src/pallas/mosaic_gpu/primitives.py, wgmma_accumulator_deref_p",
};

extern const OpDef kWgmmaAccumulatorStore = {
    .name = "wgmma.accumulator_store",
    .operands = {{"accumulator", OperandKind::Ref}, {"value", OperandKind::Array}},
    .effects = {{EffectAction::Write, "accumulator"}},
    .verify = verify_accumulator_store,
    .compile = compile_accumulator_store,
    .primitives = {"wgmma_accumulator_store"},
    .help = "Overwrites an accumulator; no wgmma on it may be in flight.",
    .example = kExample,
    .source = "jax/_src/pallas/mosaic_gpu/primitives.py, wgmma_accumulator_store_p",
};

}  // namespace pallasite
