#include "pallasite/sim/compiler.h"

#include <gtest/gtest.h>

#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::run_text;

// Scalar functions that are inlined while an array chain is pending reuse their own values' names;
// the chain must keep reading the slots it had seen.
TEST(Compiler, InlinedScalarsDoNotDisturbAPendingChain) {
  constexpr std::string_view kText = R"(pir 1

func @next(%0: i32) -> (i32) {
  %1 = arith.mul %0, i32(3) : i32
  %2 = arith.add %1, i32(1) : i32
  control.yield %2
}

kernel @k {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[8]>
  output %1 "last": ref<gmem, i32[]>
  body {
    %2 = control.call i32(1) {callee = "next"} : i32
    %3 = shape.broadcast_in_dim %2 {dimensions = []} : i32[8]
    %4 = shape.iota {dimension = 0} : i32[8]
    %5 = arith.add %3, %4 : i32[8]
    %6 = control.call %2 {callee = "next"} : i32
    %7 = arith.mul %5, %4 : i32[8]
    %8 = control.call %6 {callee = "next"} : i32
    %9 = arith.add %7, %5 : i32[8]
    %10 = control.call %8 {callee = "next"} : i32
    memory.store %0, %9
    memory.store %1, %10
    control.yield
  }
}
)";
  for (ObservationLevel level : {ObservationLevel::Fused, ObservationLevel::EachOp}) {
    const test::TextRun run = run_text(kText, level);
    ASSERT_TRUE(run.clean()) << run.explain();
    const auto* out = reinterpret_cast<const int32_t*>(run.buffers[0].data());
    for (int32_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], (4 + i) * i + (4 + i));
    EXPECT_EQ(*reinterpret_cast<const int32_t*>(run.buffers[1].data()), 121);
  }
}

TEST(Compiler, AScopeMayHoldAccumulatorsBesideSharedMemory) {
  constexpr std::string_view kText = R"(pir 1

kernel @k {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "acc": ref<regs, f32[64,8]>, %2 "a": ref<smem, f16[64,16]>, %3 "b": ref<smem, f16[16,8]>, %4 "ready": barrier<[], arrivals=1>)
      %5 = shape.broadcast_in_dim f16(1.0) {dimensions = []} : f16[64,16]
      memory.store %2, %5
      %6 = shape.broadcast_in_dim f16(2.0) {dimensions = []} : f16[16,8]
      memory.store %3, %6
      fence.commit_smem
      barrier.arrive %4
      barrier.wait %4
      wgmma.mma %1, %2, %3
      %7 = wgmma.accumulator_deref %1 {wait_n = 0} : f32[64,8]
      memory.store %0, %7
      control.yield
    }
    control.yield
  }
}
)";
  const test::TextRun run = run_text(kText, ObservationLevel::Fused);
  ASSERT_TRUE(run.clean()) << run.explain();
  const auto* out = reinterpret_cast<const float*>(run.buffers[0].data());
  for (int i = 0; i < 64 * 8; ++i) ASSERT_EQ(out[i], 32.0f);
}

TEST(Compiler, LeaderTrackedBarriersAreUnsupportedByName) {
  constexpr std::string_view kText = R"(pir 1

kernel @k {
  grid = [1] ["x"]
  cluster = [2] ["c"]
  body {
    scope.run_scoped {collective_axes = []} {
      (%0 "done": barrier<[], arrivals=1, cluster=["c"], leader_tracked>)
      barrier.arrive %0
      control.yield
    }
    control.yield
  }
}
)";
  const test::TextRun run = run_text(kText, ObservationLevel::Fused);
  ASSERT_EQ(run.findings.size(), 1u) << run.explain();
  EXPECT_EQ(run.findings[0].kind, Kind::RunUnsupported) << run.explain();
}

}  // namespace
}  // namespace pallasite
