// Arrivals and waits on mbarriers.
#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

// a = predicate slot or kNoSlot, d = result slot.
struct BarrierPayload {
  const BarrierView* barrier;
  // Of a ClusterBarrier: for each of its entries the cluster axes it names.
  std::vector<std::vector<uint32_t>> cluster_axes;
};

BarrierPayload make_payload(Compiler& compiler, OpId id) {
  BarrierPayload payload;
  payload.barrier = compiler.barrier(compiler.op(id).operands[0]);
  const std::vector<std::string>& names = compiler.module().kernel.cluster_names;
  for (const auto& group : compiler.operand_type(id, 0).barrier.cluster_axes) {
    std::vector<uint32_t>& axes = payload.cluster_axes.emplace_back();
    for (const std::string& axis : group) {
      axes.push_back(
          static_cast<uint32_t>(std::find(names.begin(), names.end(), axis) - names.begin()));
    }
  }
  return payload;
}

Step exec_arrive(Thread& thread, const Instruction& in) {
  if (in.a != kNoSlot && thread.at<uint8_t>(in.a) == 0) return Step::Next;
  const auto& payload = *static_cast<const BarrierPayload*>(in.payload);
  ClusterMachine& machine = thread.machine();
  const uint32_t barrier = machine.select_barrier(thread, *payload.barrier);
  if (barrier == UINT32_MAX) return Step::Fault;
  const Actor actor = machine.actor_of(thread);
  if (!machine.barrier_arrive(actor, barrier)) return Step::Fault;
  // Also on the barrier of every block that differs from this one in exactly one collective axis.
  const uint32_t block = machine.block_of(thread.index());
  for (const std::vector<uint32_t>& axes : payload.cluster_axes) {
    for (uint32_t other : machine.blocks_along(block, axes)) {
      if (other != block && !machine.peer_arrive(actor, barrier, other)) return Step::Fault;
    }
  }
  return Step::Next;
}

Step exec_wait(Thread& thread, const Instruction& in) {
  ClusterMachine& machine = thread.machine();
  const uint32_t barrier =
      machine.select_barrier(thread, *static_cast<const BarrierPayload*>(in.payload)->barrier);
  if (barrier == UINT32_MAX) return Step::Fault;
  return machine.barrier_wait(thread, barrier);
}

Step exec_test(Thread& thread, const Instruction& in) {
  ClusterMachine& machine = thread.machine();
  const uint32_t barrier =
      machine.select_barrier(thread, *static_cast<const BarrierPayload*>(in.payload)->barrier);
  if (barrier == UINT32_MAX) return Step::Fault;
  bool passed = false;
  const Step step = machine.barrier_test(thread, barrier, &passed);
  thread.at<uint8_t>(in.d) = passed;
  return step;
}

void compile_arrive(Compiler& compiler, OpId id) {
  const auto* payload = compiler.payload(make_payload(compiler, id));
  const Slot predicate = compiler.op(id).operands.size() > 1 ? compiler.operand(id, 1) : kNoSlot;
  Instruction& in = compiler.emit(id, exec_arrive, payload, true);
  in.a = predicate;
  in.arrives_on = payload->barrier->site;
}

void compile_wait(Compiler& compiler, OpId id) {
  compiler.emit(id, exec_wait, compiler.payload(make_payload(compiler, id)), true);
}

void compile_arrive_and_wait(Compiler& compiler, OpId id) {
  const auto* payload = compiler.payload(make_payload(compiler, id));
  Instruction& arrive = compiler.emit(id, exec_arrive, payload, true);
  arrive.a = kNoSlot;
  arrive.arrives_on = payload->barrier->site;
  compiler.emit(id, exec_wait, payload, true);
}

void compile_test(Compiler& compiler, OpId id) {
  const auto* payload = compiler.payload(make_payload(compiler, id));
  const Slot result = compiler.result(id);
  compiler.emit(id, exec_test, payload, true).d = result;
}

std::vector<Type> infer_test(const Module&, const Op&) {
  return {Type::array(ElementType::Bool)};
}

void verify_leader_tracking(VerifyContext& context, const Op& op) {
  if (context.module().value(op.operands[0]).type.barrier.leader_tracked) {
    context.diagnose("run.unsupported",
                     {{"variant", "op"},
                      {"op", std::string(op.def->name)},
                      {"params", "leader_tracked=True"},
                      {"reason", "leader-tracked cluster barriers are not modelled"}});
  }
}

constexpr std::string_view kExample = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "ready": barrier<[], arrivals=1>, %3 "both": barrier<[], arrivals=2>)
      control.cond %1 {
        memory.store %0, i32(5)
        barrier.arrive %2
        control.yield
      } {
        barrier.wait %2
        %4 = memory.load %0 : i32
        memory.store %0, %4
        control.yield
      }
      barrier.arrive_and_wait %3
      control.yield
    }
    control.yield
  }
}
)";

}  // namespace

extern const OpDef kBarrierArrive = {
    .name = "barrier.arrive",
    .operands = {{"barrier", OperandKind::Barrier},
                 {.name = "predicate", .kind = OperandKind::Predicate, .optional = true}},
    .effects = {{EffectAction::Arrive, "barrier"}},
    .verify = verify_leader_tracking,
    .compile = compile_arrive,
    .primitives = {"barrier_arrive"},
    .help =
        "One arrival on a barrier, which publishes what the thread did before. On a ClusterBarrier "
        "also one on the barrier of each block that differs in exactly one collective axis.",
    .example = kExample,
    .source = "PTX ISA, mbarrier.arrive; semantics of plgpu.barrier_arrive",
};

extern const OpDef kBarrierWait = {
    .name = "barrier.wait",
    .operands = {{"barrier", OperandKind::Barrier}},
    .effects = {{EffectAction::Wait, "barrier"}},
    .compile = compile_wait,
    .primitives = {"barrier_wait"},
    .help =
        "Blocks until the thread's next phase of the barrier is complete: all arrivals and all "
        "bytes. A thread that waits on a barrier has to see every phase.",
    .example = kExample,
    .source = "PTX ISA, mbarrier.try_wait.parity; plgpu.barrier_wait",
};

extern const OpDef kBarrierArriveAndWait = {
    .name = "barrier.arrive_and_wait",
    .operands = {{"barrier", OperandKind::Barrier}},
    .effects = {{EffectAction::Arrive, "barrier"}, {EffectAction::Wait, "barrier"}},
    .verify = verify_leader_tracking,
    .compile = compile_arrive_and_wait,
    .primitives = {"barrier_arrive_and_wait"},
    .help = "Arrives on a barrier and waits for the phase.",
    .example = kExample,
    .source = "plgpu.barrier_arrive_and_wait",
};

extern const OpDef kBarrierTest = {
    .name = "barrier.test",
    .operands = {{"barrier", OperandKind::Barrier}},
    .effects = {{EffectAction::Test, "barrier"}},
    .infer = infer_test,
    .compile = compile_test,
    .primitives = {"barrier_test"},
    .help =
        "Whether the thread's next phase of the barrier is complete. True counts as having waited; "
        "false lets other threads go first.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "ready": barrier<[], arrivals=1>)
      control.cond %1 {
        %3 = control.while bool(false) {
          (%4: bool)
          %5 = arith.not %4 : bool
          control.yield %5
        } {
          (%6: bool)
          %7 = barrier.test %2 : bool
          control.yield %7
        } : bool
        memory.store %0, i32(1)
        control.yield
      } {
        barrier.arrive %2
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)",
    .source = "PTX ISA, mbarrier.test_wait.parity; plgpu.barrier_test",
};

}  // namespace pallasite
