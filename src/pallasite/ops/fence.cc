// Proxy fences.
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

// Memory is one here, so the fence moves no data; it is an event for those who check the order.
Step exec_commit_smem(Thread& thread, const Instruction&) {
  ClusterMachine& machine = thread.machine();
  if (machine.observed()) {
    machine.note_sync(
        {machine.actor_of(thread), EffectAction::Fence, UINT32_MAX, Completion::Now, 0, 0, false});
  }
  return Step::Next;
}

void compile_commit_smem(Compiler& compiler, OpId id) {
  compiler.emit(id, exec_commit_smem, nullptr, true);
}

}  // namespace

extern const OpDef kFenceCommitSmem = {
    .name = "fence.commit_smem",
    .effects = {{EffectAction::Fence}},
    .compile = compile_commit_smem,
    .primitives = {"commit_smem"},
    .help =
        "Orders the warpgroup's earlier loads and stores of shared memory before later accesses of "
        "the async proxy: copies and tensor cores.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[8,32]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "scratch": ref<smem, f32[8,32]>)
      %2 = shape.broadcast_in_dim f32(3.0) {dimensions = []} : f32[8,32]
      memory.store %1, %2
      fence.commit_smem
      copy.smem_to_gmem %1, %0 {commit_group = true}
      copy.wait_smem_to_gmem {n = 0, wait_read_only = false}
      control.yield
    }
    control.yield
  }
}
)",
    .source = "PTX ISA, fence.proxy.async.shared::cta; plgpu.commit_smem",
};

}  // namespace pallasite
