// TMA copies between global and shared memory, and their groups.
//
// Model: PTX cp.async.bulk.tensor. Into shared memory: the issuing thread arrives on the barrier
// and announces the bytes; the data and their bytes arrive later, in any order between copies. To
// global memory: copies belong to the bulk group that the issuing thread commits next; groups
// complete in order. Elements outside of global memory read as zero and are not written.
#include <fmt/format.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

enum class OobMode : uint8_t { Zeros, Undefined, PromiseInBounds };

struct PlanPair {
  const AccessPlan* gmem = nullptr;
  const AccessPlan* smem = nullptr;
};

// a = predicate slot or kNoSlot.
struct CopyPayload : AgentPayload {
  // One, or for a multicast one for each block of the group: the part that it loads.
  std::vector<PlanPair> parts;
  PlanPair whole;
  const BarrierView* barrier = nullptr;
  std::vector<uint32_t> multicast_axes;
  int64_t bytes = 0;
  OobMode oob_mode = OobMode::Zeros;
  bool commit_group = false;
};

const CopyPayload& payload_of(const ClusterMachine& machine, const Agent& agent) {
  return *static_cast<const CopyPayload*>(machine.instruction(agent.pc).payload);
}

// Which part of a multicast the issuing block loads, and to whom it goes.
struct Multicast {
  std::vector<uint32_t> blocks;
  size_t part = 0;
};

Multicast multicast_of(const ClusterMachine& machine, const CopyPayload& payload, uint32_t thread) {
  const uint32_t block = machine.block_of(thread);
  if (payload.multicast_axes.empty()) return {{block}, 0};
  Multicast result{machine.blocks_along(block, payload.multicast_axes), 0};
  result.part = static_cast<size_t>(std::find(result.blocks.begin(), result.blocks.end(), block) -
                                    result.blocks.begin());
  return result;
}

Memory memory_of(ClusterMachine& machine, const AccessPlan& plan, const Agent& agent,
                 uint32_t block) {
  return {machine.data(plan, agent.thread, block), &machine.site(plan).layout};
}

std::string ref_name(const ClusterMachine& machine, const AccessPlan& plan) {
  const std::string& name = machine.site(plan).name;
  return name.empty() ? "ref" : name;
}

bool check_smem_bounds(Thread& thread, const AccessPlan& plan, const Access& access, bool write) {
  if (access.in_bounds) return true;
  ClusterMachine& machine = thread.machine();
  machine.fault(machine.actor_of(thread), DiagnosticBuilder(Kind::SmemOob)
                                              .variant(write ? "store" : "read")
                                              .arg("ref", ref_name(machine, plan))
                                              .arg("access", box_of(plan, access))
                                              .arg("shape", Shape(plan.logical_shape)));
  return false;
}

// --- global to shared ---

void load_read(ClusterMachine& machine, const Agent& agent, std::byte* staging) {
  const CopyPayload& payload = payload_of(machine, agent);
  const Multicast multicast = multicast_of(machine, payload, agent.thread);
  const AccessPlan& plan = *payload.parts[multicast.part].gmem;
  machine.touch(machine.actor_of(agent, EventKind::AgentRead), plan, agent.operands[0], false,
                Proxy::Async, machine.channel_of(agent), 0);
  load_view_clipped(plan, agent.operands[0], memory_of(machine, plan, agent, 0), staging);
}

template <typename Deliver>
void for_each_target(ClusterMachine& machine, const Agent& agent, Deliver deliver) {
  const CopyPayload& payload = payload_of(machine, agent);
  const Multicast multicast = multicast_of(machine, payload, agent.thread);
  const AccessPlan& smem = *payload.parts[multicast.part].smem;
  const uint32_t own = machine.block_of(agent.thread);
  const uint32_t in_block = agent.barrier - machine.barrier_number(own, 0);
  for (uint32_t block : multicast.blocks) {
    const bool early = machine.is_early(own, block, smem);
    // Told to observers when it takes effect.
    if (!early) {
      const uint32_t barrier = machine.barrier_number(block, in_block);
      machine.touch(machine.actor_of(agent, EventKind::AgentWrite), smem, agent.operands[1], true,
                    Proxy::Async,
                    {Completion::Mbarrier, barrier,
                     static_cast<uint64_t>(machine.state().barriers[barrier].phase)},
                    block);
    }
    deliver(smem, block, early);
  }
}

const AccessPlan& load_peer_plan(const ClusterMachine& machine, uint32_t thread, uint32_t pc) {
  const auto& payload = *static_cast<const CopyPayload*>(machine.instruction(pc).payload);
  return *payload.parts[multicast_of(machine, payload, thread).part].smem;
}

void load_write(ClusterMachine& machine, const Agent& agent, const std::byte* staging) {
  for_each_target(machine, agent, [&](const AccessPlan& smem, uint32_t block, bool early) {
    if (early) {
      machine.keep_early_write(machine.actor_of(agent, EventKind::AgentWrite), agent.barrier, block,
                               smem, agent.operands[1], staging);
    } else {
      store_view(smem, agent.operands[1], memory_of(machine, smem, agent, block), staging);
    }
  });
}

void load_transfer(ClusterMachine& machine, const Agent& agent) {
  const CopyPayload& payload = payload_of(machine, agent);
  const Multicast multicast = multicast_of(machine, payload, agent.thread);
  const AccessPlan& gmem = *payload.parts[multicast.part].gmem;
  const AccessPlan& smem = *payload.parts[multicast.part].smem;
  const uint32_t own = machine.block_of(agent.thread);
  const bool early =
      std::any_of(multicast.blocks.begin(), multicast.blocks.end(),
                  [&](uint32_t block) { return machine.is_early(own, block, smem); });
  if (!agent.operands[0].in_bounds || early) {
    std::byte* staging =
        machine.scratch(1, static_cast<size_t>(gmem.element_count) * register_bytes(gmem.element));
    load_read(machine, agent, staging);
    load_write(machine, agent, staging);
    return;
  }
  machine.touch(machine.actor_of(agent, EventKind::AgentRead), gmem, agent.operands[0], false,
                Proxy::Async, machine.channel_of(agent), 0);
  for_each_target(machine, agent, [&](const AccessPlan& target, uint32_t block, bool) {
    copy_view(target, agent.operands[1], memory_of(machine, target, agent, block), gmem,
              agent.operands[0], memory_of(machine, gmem, agent, 0));
  });
}

void load_poison(ClusterMachine& machine, const Agent& agent) {
  const CopyPayload& payload = payload_of(machine, agent);
  const Multicast multicast = multicast_of(machine, payload, agent.thread);
  const AccessPlan& smem = *payload.parts[multicast.part].smem;
  const uint32_t own = machine.block_of(agent.thread);
  for (uint32_t block : multicast.blocks) {
    // Its memory is poison already when the peer enters.
    if (machine.is_early(own, block, smem)) continue;
    fill_view(smem, agent.operands[1], memory_of(machine, smem, agent, block), false);
  }
}

void load_complete(ClusterMachine& machine, const Agent& agent) {
  const CopyPayload& payload = payload_of(machine, agent);
  const Multicast multicast = multicast_of(machine, payload, agent.thread);
  const Actor actor = machine.actor_of(agent, EventKind::AgentComplete);
  for (uint32_t block : multicast.blocks) {
    if (!machine.peer_complete_bytes(actor, agent.barrier, block, agent.bytes)) return;
  }
}

constexpr AgentBehavior kLoadBehavior = {
    .read = load_read,
    .write = load_write,
    .transfer = load_transfer,
    .poison = load_poison,
    .peer_plan = load_peer_plan,
    .complete = load_complete,
    .completion = Completion::Mbarrier,
};

Step exec_load(Thread& thread, const Instruction& in) {
  if (in.a != kNoSlot && thread.at<uint8_t>(in.a) == 0) return Step::Next;
  const auto& payload = *static_cast<const CopyPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  const uint32_t barrier = machine.select_barrier(thread, *payload.barrier);
  if (barrier == UINT32_MAX) return Step::Fault;
  const Multicast multicast = multicast_of(machine, payload, thread.index());
  const PlanPair& part = payload.parts[multicast.part];
  Agent agent;
  agent.thread = thread.index();
  agent.pc = thread.state().pc;
  agent.event = thread.state().events;
  agent.barrier = barrier;
  agent.group = static_cast<uint64_t>(machine.state().barriers[barrier].phase);
  agent.bytes = payload.bytes / static_cast<int64_t>(payload.parts.size());
  agent.operands[0] = resolve(*part.gmem, thread.registers());
  agent.operands[1] = resolve(*part.smem, thread.registers());
  if (!check_smem_bounds(thread, *part.smem, agent.operands[1], true)) return Step::Fault;
  if (!agent.operands[0].in_bounds && payload.oob_mode == OobMode::PromiseInBounds) {
    const Access whole = resolve(*payload.whole.gmem, thread.registers());
    return machine.fault(machine.actor_of(thread),
                         DiagnosticBuilder(Kind::TmaOobPromise)
                             .arg("ref", ref_name(machine, *payload.whole.gmem))
                             .arg("access", box_of(*payload.whole.gmem, whole))
                             .arg("shape", Shape(part.gmem->logical_shape)));
  }
  const Actor actor = machine.actor_of(thread);
  if (!machine.barrier_expect(actor, barrier, payload.bytes) ||
      !machine.barrier_arrive(actor, barrier)) {
    return Step::Fault;
  }
  machine.issue(agent);
  return machine.faulted() ? Step::Fault : Step::Next;
}

// --- shared to global ---

BulkGroup* find_group(ThreadState& thread, uint64_t number) {
  if (number == thread.bulk_committed) return &thread.open_group;
  for (BulkGroup& group : thread.bulk_groups) {
    if (group.number == number) return &group;
  }
  return nullptr;
}

void store_read(ClusterMachine& machine, const Agent& agent, std::byte* staging) {
  const AccessPlan& plan = *payload_of(machine, agent).whole.smem;
  machine.touch(machine.actor_of(agent, EventKind::AgentRead), plan, agent.operands[1], false,
                Proxy::Async, machine.channel_of(agent), machine.block_of(agent.thread));
  load_view(plan, agent.operands[1],
            memory_of(machine, plan, agent, machine.block_of(agent.thread)), staging);
  --find_group(machine.thread(agent.thread), agent.group)->reads_pending;
  machine.wake_groups(agent.thread);
}

void store_write(ClusterMachine& machine, const Agent& agent, const std::byte* staging) {
  const AccessPlan& plan = *payload_of(machine, agent).whole.gmem;
  machine.touch(machine.actor_of(agent, EventKind::AgentWrite), plan, agent.operands[0], true,
                Proxy::Async, machine.channel_of(agent), 0);
  store_view_clipped(plan, agent.operands[0], memory_of(machine, plan, agent, 0), staging);
}

void store_transfer(ClusterMachine& machine, const Agent& agent) {
  const CopyPayload& payload = payload_of(machine, agent);
  const AccessPlan& gmem = *payload.whole.gmem;
  const AccessPlan& smem = *payload.whole.smem;
  const uint32_t block = machine.block_of(agent.thread);
  const CompletionChannel channel = machine.channel_of(agent);
  machine.touch(machine.actor_of(agent, EventKind::AgentRead), smem, agent.operands[1], false,
                Proxy::Async, channel, block);
  machine.touch(machine.actor_of(agent, EventKind::AgentWrite), gmem, agent.operands[0], true,
                Proxy::Async, channel, 0);
  const Memory from = memory_of(machine, smem, agent, block);
  const Memory to = memory_of(machine, gmem, agent, 0);
  if (agent.operands[0].in_bounds) {
    copy_view(gmem, agent.operands[0], to, smem, agent.operands[1], from);
    return;
  }
  std::byte* staging =
      machine.scratch(1, static_cast<size_t>(smem.element_count) * register_bytes(smem.element));
  load_view(smem, agent.operands[1], from, staging);
  store_view_clipped(gmem, agent.operands[0], to, staging);
}

void store_poison(ClusterMachine& machine, const Agent& agent) {
  const AccessPlan& plan = *payload_of(machine, agent).whole.gmem;
  machine.prepare_fresh(plan, agent.operands[0], true);
  fill_view(plan, agent.operands[0], memory_of(machine, plan, agent, 0), false);
}

void store_complete(ClusterMachine& machine, const Agent& agent) {
  BulkGroup* group = find_group(machine.thread(agent.thread), agent.group);
  // With the data moved at issue, reading and writing end together.
  if (machine.options().async_values == AsyncValues::Eager) --group->reads_pending;
  --group->writes_pending;
  machine.wake_groups(agent.thread);
}

constexpr AgentBehavior kStoreBehavior = {
    .read = store_read,
    .write = store_write,
    .transfer = store_transfer,
    .poison = store_poison,
    .complete = store_complete,
    .completion = Completion::BulkGroup,
};

void commit(Thread& thread) {
  ClusterMachine& machine = thread.machine();
  ThreadState& state = thread.state();
  BulkGroup group = state.open_group;
  group.number = state.bulk_committed++;
  if (group.reads_pending + group.writes_pending > 0) state.bulk_groups.push_back(group);
  state.open_group = BulkGroup();
  if (machine.observed()) {
    machine.note_sync({machine.actor_of(thread), EffectAction::Commit, UINT32_MAX,
                       Completion::BulkGroup, group.number, 0, false});
  }
}

Step exec_store(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const CopyPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  if (in.a == kNoSlot || thread.at<uint8_t>(in.a) != 0) {
    ThreadState& state = thread.state();
    Agent agent;
    agent.thread = thread.index();
    agent.pc = state.pc;
    agent.event = state.events;
    agent.group = state.bulk_committed;
    agent.bytes = payload.bytes;
    agent.operands[0] = resolve(*payload.whole.gmem, thread.registers());
    agent.operands[1] = resolve(*payload.whole.smem, thread.registers());
    if (!check_smem_bounds(thread, *payload.whole.smem, agent.operands[1], false)) {
      return Step::Fault;
    }
    state.last_bulk_group = state.bulk_committed + 1;
    state.last_bulk_site = payload.whole.smem->site;
    state.last_bulk_pc = state.pc;
    ++state.open_group.reads_pending;
    ++state.open_group.writes_pending;
    machine.issue(agent);
  }
  if (payload.commit_group) commit(thread);
  return machine.faulted() ? Step::Fault : Step::Next;
}

Step exec_commit_group(Thread& thread, const Instruction&) {
  commit(thread);
  return Step::Next;
}

// a = groups that may stay pending, b = wait for reads only.
Step exec_wait_groups(Thread& thread, const Instruction& in) {
  ClusterMachine& machine = thread.machine();
  ThreadState& state = thread.state();
  const auto target = static_cast<int64_t>(state.bulk_committed) - in.a;
  if (state.wait.kind == WaitKind::Granted) {
    state.wait = Wait();
  } else {
    const bool pending =
        std::any_of(state.bulk_groups.begin(), state.bulk_groups.end(), [&](const BulkGroup& g) {
          return static_cast<int64_t>(g.number) < target &&
                 (g.reads_pending > 0 || (in.b == 0 && g.writes_pending > 0));
        });
    if (pending) {
      return machine.block(thread,
                           {in.b != 0 ? WaitKind::BulkRead : WaitKind::BulkWrite, 0, target});
    }
  }
  if (target > 0) {
    state.bulk_reads_awaited = std::max(state.bulk_reads_awaited, static_cast<uint64_t>(target));
  }
  if (machine.observed()) {
    machine.note_sync({machine.actor_of(thread), EffectAction::Wait, UINT32_MAX,
                       Completion::BulkGroup, static_cast<uint64_t>(std::max<int64_t>(target, 0)),
                       in.b, false});
  }
  return Step::Next;
}

// --- verification and compilation ---

bool check_copy(VerifyContext& context, const Op& op, MemorySpace from, MemorySpace to) {
  const Type& source = context.module().value(op.operands[0]).type;
  const Type& target = context.module().value(op.operands[1]).type;
  if (source.space != from || target.space != to) {
    context.error(fmt::format("copies from {} to {}, but the operands are {} and {}",
                              memory_space_name(from), memory_space_name(to), to_string(source),
                              to_string(target)));
    return false;
  }
  if (!source.transforms.empty() || !target.transforms.empty()) {
    context.error("a ref has layout transforms; unswizzle and untile it first");
    return false;
  }
  if (source.element != target.element || source.shape != target.shape) {
    context.error(fmt::format("source {} and destination {} differ in shape or element type",
                              to_string(source), to_string(target)));
    return false;
  }
  return true;
}

// Blocks that share one multicast.
int64_t group_size(const Kernel& kernel, std::span<const std::string> axes) {
  int64_t size = 1;
  for (const std::string& axis : axes) {
    const auto it = std::find(kernel.cluster_names.begin(), kernel.cluster_names.end(), axis);
    if (it == kernel.cluster_names.end()) return -1;
    size *= kernel.cluster[static_cast<size_t>(it - kernel.cluster_names.begin())];
  }
  return size;
}

// The dim along which a multicast is cut: the first that divides evenly. -1 if there is none.
int64_t multicast_dim(const std::vector<int64_t>& shape, int64_t blocks) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % blocks == 0) return static_cast<int64_t>(d);
  }
  return -1;
}

void verify_load(VerifyContext& context, const Op& op) {
  if (!check_copy(context, op, MemorySpace::Gmem, MemorySpace::Smem)) return;
  const std::string mode = string_attribute(op.attributes, "oob_mode", "zeros");
  if (mode != "zeros" && mode != "undefined" && mode != "promise_in_bounds") {
    return context.error("oob_mode must be \"zeros\", \"undefined\" or \"promise_in_bounds\"");
  }
  const auto axes = strings_attribute(op.attributes, "collective_axes");
  const int64_t blocks = group_size(context.module().kernel, axes);
  if (blocks < 0) {
    std::string names;
    for (const std::string& name : context.module().kernel.cluster_names) {
      names += (names.empty() ? "" : ",") + name;
    }
    return context.diagnose("ctx.unknown-axis", {{"axis", axes[0]}, {"axes", names}});
  }
  const Type& source = context.module().value(op.operands[0]).type;
  if (blocks > 1 && multicast_dim(source.shape, blocks) < 0) {
    context.error(fmt::format("no dim of {} can be divided among the {} blocks of the multicast",
                              to_string(source), blocks));
  }
}

void verify_store(VerifyContext& context, const Op& op) {
  check_copy(context, op, MemorySpace::Smem, MemorySpace::Gmem);
}

const AccessPlan* plan_of(Compiler& compiler, const View& view) {
  const AllocationSite& site = compiler.program().allocations[view.site];
  return compiler.payload(make_access_plan(view, site.layout, site.space));
}

CopyPayload make_payload(Compiler& compiler, ValueId gmem, ValueId smem) {
  CopyPayload payload;
  payload.whole = {compiler.access(gmem), compiler.access(smem)};
  payload.bytes = static_cast<int64_t>(packed_bytes(
      payload.whole.smem->element, static_cast<size_t>(payload.whole.smem->element_count)));
  compiler.need_staging(payload.whole.smem->element_count *
                        static_cast<int64_t>(register_bytes(payload.whole.smem->element)));
  return payload;
}

void compile_load(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  CopyPayload payload = make_payload(compiler, op.operands[0], op.operands[1]);
  payload.behavior = &kLoadBehavior;
  payload.barrier = compiler.barrier(op.operands[2]);
  const std::string mode = string_attribute(op.attributes, "oob_mode", "zeros");
  payload.oob_mode = mode == "promise_in_bounds" ? OobMode::PromiseInBounds
                     : mode == "undefined"       ? OobMode::Undefined
                                                 : OobMode::Zeros;
  const Kernel& kernel = compiler.module().kernel;
  const auto axes = strings_attribute(op.attributes, "collective_axes");
  const int64_t blocks = group_size(kernel, axes);
  if (blocks == 1) {
    payload.parts.push_back(payload.whole);
  } else {
    for (const std::string& axis : axes) {
      payload.multicast_axes.push_back(static_cast<uint32_t>(
          std::find(kernel.cluster_names.begin(), kernel.cluster_names.end(), axis) -
          kernel.cluster_names.begin()));
    }
    const std::vector<int64_t>& shape = payload.whole.smem->shape;
    const int64_t dim = multicast_dim(shape, blocks);
    for (int64_t part = 0; part < blocks; ++part) {
      PlanPair pair;
      for (const auto& [ref, plan] :
           {std::pair(op.operands[0], &pair.gmem), std::pair(op.operands[1], &pair.smem)}) {
        View view = compiler.view(ref);
        std::vector<SliceStart> starts(shape.size());
        std::vector<int64_t> sizes = shape;
        sizes[static_cast<size_t>(dim)] /= blocks;
        starts[static_cast<size_t>(dim)].constant = part * sizes[static_cast<size_t>(dim)];
        if (const std::string error = view.index(starts, sizes, {}, {}); !error.empty()) {
          return compiler.unsupported(id, error);
        }
        *plan = plan_of(compiler, view);
      }
      payload.parts.push_back(pair);
    }
  }
  const Slot predicate = op.operands.size() > 3 ? compiler.operand(id, 3) : kNoSlot;
  const uint32_t site = payload.barrier->site;
  Instruction& in = compiler.emit(id, exec_load, compiler.payload(std::move(payload)), true);
  in.a = predicate;
  in.arrives_on = site;
}

void compile_store(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  compiler.note_written(op.operands[1]);
  CopyPayload payload = make_payload(compiler, op.operands[1], op.operands[0]);
  payload.behavior = &kStoreBehavior;
  payload.parts.push_back(payload.whole);
  payload.commit_group = bool_attribute(op.attributes, "commit_group", true);
  const Slot predicate = op.operands.size() > 2 ? compiler.operand(id, 2) : kNoSlot;
  compiler.emit(id, exec_store, compiler.payload(std::move(payload)), true).a = predicate;
}

void compile_commit_group(Compiler& compiler, OpId id) {
  compiler.emit(id, exec_commit_group, nullptr, true);
}

void verify_wait(VerifyContext& context, const Op& op) {
  const int64_t n = int_attribute(op.attributes, "n", 0);
  if (n < 0 || n > INT32_MAX) context.error("n must not be negative");
}

void compile_wait(Compiler& compiler, OpId id) {
  const Attributes& attributes = compiler.op(id).attributes;
  Instruction& in = compiler.emit(id, exec_wait_groups, nullptr, true);
  in.a = static_cast<uint32_t>(int_attribute(attributes, "n", 0));
  in.b = bool_attribute(attributes, "wait_read_only", false);
}

constexpr std::string_view kExample = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f16[8,128]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "tile": ref<smem, f16[1,1,8,64], unswizzle(128), untile(8, 64)>, %2 "ready": barrier<[], arrivals=1>)
      %3 = shape.broadcast_in_dim f16(1.5) {dimensions = []} : f16[8,128]
      memory.store %0, %3
      %4 = view.unswizzle %1 {swizzle = 128} : ref<smem, f16[1,1,8,64]>
      %5 = view.untile %4 {tiling = [8, 64]} : ref<smem, f16[8,64]>
      %6 = view.index %0 {sizes = [8, 64], starts = [0, 0]} : ref<gmem, f16[8,64]>
      %7 = view.index %0 {sizes = [8, 64], starts = [0, 64]} : ref<gmem, f16[8,64]>
      copy.gmem_to_smem %6, %5, %2 {collective_axes = [], oob_mode = "zeros"}
      barrier.wait %2
      copy.smem_to_gmem %5, %7 {commit_group = false}
      copy.commit_group
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true}
      control.yield
    }
    control.yield
  }
}
)";

}  // namespace

extern const OpDef kCopyGmemToSmem = {
    .name = "copy.gmem_to_smem",
    .operands = {{"source", OperandKind::Ref},
                 {"destination", OperandKind::Ref},
                 {"barrier", OperandKind::Barrier},
                 {.name = "predicate", .kind = OperandKind::Predicate, .optional = true}},
    .attributes = {{"collective_axes", AttributeKind::Strings, true,
                    "cluster axes of a multicast; empty for a copy to the own block"},
                   {"oob_mode", AttributeKind::String, true,
                    "zeros, undefined or promise_in_bounds"}},
    .effects = {{EffectAction::Read, "source", Proxy::Async, Completion::Mbarrier},
                {EffectAction::Write, "destination", Proxy::Async, Completion::Mbarrier},
                {EffectAction::Expect, "barrier"},
                {EffectAction::Arrive, "barrier"},
                {EffectAction::Complete, "barrier", Proxy::Async, Completion::Mbarrier}},
    .verify = verify_load,
    .compile = compile_load,
    .primitives = {"copy_gmem_to_smem"},
    .help =
        "Starts a copy into shared memory: one arrival on the barrier now, the bytes when the data "
        "is there. With collective axes each block of the group loads an equal part and sends it "
        "to all of them.",
    .example = kExample,
    .source = "PTX ISA, cp.async.bulk.tensor and mbarrier.complete_tx; plgpu.copy_gmem_to_smem",
};

extern const OpDef kCopySmemToGmem = {
    .name = "copy.smem_to_gmem",
    .operands = {{"source", OperandKind::Ref},
                 {"destination", OperandKind::Ref},
                 {.name = "predicate", .kind = OperandKind::Predicate, .optional = true}},
    .attributes = {{"commit_group", AttributeKind::Bool, true,
                    "close a bulk group with this copy"}},
    .effects = {{EffectAction::Read, "source", Proxy::Async, Completion::BulkGroup},
                {EffectAction::Write, "destination", Proxy::Async, Completion::BulkGroup},
                {EffectAction::Commit, "", Proxy::Async, Completion::BulkGroup}},
    .verify = verify_store,
    .compile = compile_store,
    .primitives = {"copy_smem_to_gmem"},
    .help =
        "Starts a copy to global memory. The source may be reused, and the destination read, only "
        "after a wait for its group.",
    .example = kExample,
    .source =
        "PTX ISA, cp.async.bulk.tensor and cp.async.bulk.commit_group; plgpu.copy_smem_to_gmem",
};

extern const OpDef kCopyCommitGroup = {
    .name = "copy.commit_group",
    .effects = {{EffectAction::Commit, "", Proxy::Async, Completion::BulkGroup}},
    .compile = compile_commit_group,
    .primitives = {"commit_group"},
    .help =
        "Closes a bulk group with all copies to global memory that this thread has not committed.",
    .example = kExample,
    .source = "PTX ISA, cp.async.bulk.commit_group",
};

extern const OpDef kCopyWaitSmemToGmem = {
    .name = "copy.wait_smem_to_gmem",
    .attributes = {{"n", AttributeKind::Int, true, "newest groups that may stay pending"},
                   {"wait_read_only", AttributeKind::Bool, true,
                    "wait only until the sources have been read"}},
    .effects = {{EffectAction::Wait, "", Proxy::Async, Completion::BulkGroup}},
    .verify = verify_wait,
    .compile = compile_wait,
    .primitives = {"wait_smem_to_gmem"},
    .help = "Waits until at most n of the groups that this thread committed are pending.",
    .example = kExample,
    .source = "PTX ISA, cp.async.bulk.wait_group",
};

}  // namespace pallasite
