// A missing wait shows in the values under late data: each kernel here comes without and with the
// wait that it needs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "pallasite/sched/test_schedules.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::Array;
using test::KernelRun;
using test::TestKernel;

constexpr uint64_t kSeeds = 200;

struct Case {
  const char* name;
  // `IN_TIME` stands for the wait, `TOO_LATE` for the same wait where it comes too late.
  const char* text;
  const char* wait;
};

const Case kCases[] = {
    {"ReadBeforeTheCopyIsAwaited", R"(pir 1

kernel @read {
  grid = [1] ["x"]
  input %0 "in": ref<gmem, f32[8]>
  output %1 "out": ref<gmem, f32[8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "tile": ref<smem, f32[8]>, %3 "ready": barrier<[], arrivals=1>)
      copy.gmem_to_smem %0, %2, %3 {collective_axes = [], oob_mode = "zeros"}
      IN_TIME
      %4 = memory.load %2 : f32[8]
      memory.store %1, %4
      TOO_LATE
      control.yield
    }
    control.yield
  }
}
)",
     "barrier.wait %3"},
    {"SourceOverwrittenBeforeTheProductIsAwaited", R"(pir 1

kernel @overwrite {
  grid = [1] ["x"]
  input %0 "a": ref<gmem, f32[64,8]>
  output %1 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "a_tile": ref<smem, f32[64,8]>, %3 "b_tile": ref<smem, f32[8,8]>)
      %4 = memory.load %0 : f32[64,8]
      memory.store %2, %4
      %5 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,8]
      memory.store %3, %5
      fence.commit_smem
      scope.run_scoped {collective_axes = []} {
        (%6 "acc": ref<regs, f32[64,8]>)
        wgmma.mma %6, %2, %3
        IN_TIME
        %7 = arith.add %4, %4 : f32[64,8]
        memory.store %2, %7
        TOO_LATE
        %8 = wgmma.accumulator_deref %6 {wait_n = 0} : f32[64,8]
        memory.store %1, %8
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)",
     "wgmma.wait {n = 0}"},
    {"StageReleasedBeforeTheProductIsAwaited", R"(pir 1

kernel @release {
  grid = [1] ["x"]
  threads = 2 "wg"
  input %0 "a": ref<gmem, f32[2,64,8]>
  output %1 "out": ref<gmem, f32[64,8]>
  body {
    %2 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "stage": ref<smem, f32[64,8]>, %4 "b_tile": ref<smem, f32[8,8]>, %5 "full": barrier<[], arrivals=1>, %6 "free": barrier<[], arrivals=1>)
      %7 = view.index %0 {sizes = [1, 64, 8], squeeze = [0], starts = [0, 0, 0]} : ref<gmem, f32[64,8]>
      %8 = view.index %0 {sizes = [1, 64, 8], squeeze = [0], starts = [1, 0, 0]} : ref<gmem, f32[64,8]>
      control.cond %2 {
        copy.gmem_to_smem %7, %3, %5 {collective_axes = [], oob_mode = "zeros"}
        barrier.wait %6
        copy.gmem_to_smem %8, %3, %5 {collective_axes = [], oob_mode = "zeros"}
        control.yield
      } {
        %9 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,8]
        memory.store %4, %9
        fence.commit_smem
        scope.run_scoped {collective_axes = []} {
          (%10 "acc": ref<regs, f32[64,8]>)
          barrier.wait %5
          wgmma.mma %10, %3, %4
          IN_TIME
          barrier.arrive %6
          TOO_LATE
          barrier.wait %5
          %11 = wgmma.accumulator_deref %10 {wait_n = 0} : f32[64,8]
          memory.store %1, %11
          control.yield
        }
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)",
     "wgmma.wait {n = 0}"},
    {"AccumulatorReadWithoutAWait", R"(pir 1

kernel @accumulator {
  grid = [1] ["x"]
  input %0 "a": ref<gmem, f32[64,8]>
  output %1 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "a_tile": ref<smem, f32[64,8]>, %3 "b_tile": ref<smem, f32[8,8]>)
      %4 = memory.load %0 : f32[64,8]
      memory.store %2, %4
      %5 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,8]
      memory.store %3, %5
      fence.commit_smem
      scope.run_scoped {collective_axes = []} {
        (%6 "acc": ref<regs, f32[64,8]>)
        wgmma.mma %6, %2, %3
        wgmma.mma %6, %2, %3
        IN_TIME
        %8 = wgmma.accumulator_deref %6 {wait_n = -1} : f32[64,8]
        memory.store %1, %8
        TOO_LATE
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)",
     "wgmma.wait {n = 0}"},
    {"SourceReusedBeforeTheCopyHasReadIt", R"(pir 1

kernel @reuse {
  grid = [1] ["x"]
  output %1 "out": ref<gmem, f32[8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "tile": ref<smem, f32[8]>)
      %3 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8]
      memory.store %2, %3
      fence.commit_smem
      copy.smem_to_gmem %2, %1 {commit_group = true}
      IN_TIME
      %4 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[8]
      memory.store %2, %4
      TOO_LATE
      control.yield
    }
    control.yield
  }
}
)",
     "copy.wait_smem_to_gmem {n = 0, wait_read_only = true}"},
    {"DestinationReadBeforeTheCopyIsAwaited", R"(pir 1

kernel @destination {
  grid = [1] ["x"]
  output %1 "out": ref<gmem, f32[8]>
  output %5 "seen": ref<gmem, f32[8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "tile": ref<smem, f32[8]>)
      %3 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8]
      memory.store %2, %3
      fence.commit_smem
      copy.smem_to_gmem %2, %1 {commit_group = true}
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true}
      IN_TIME
      %4 = memory.load %1 : f32[8]
      memory.store %5, %4
      TOO_LATE
      control.yield
    }
    control.yield
  }
}
)",
     "copy.wait_smem_to_gmem {n = 0, wait_read_only = false}"},
    {"AccumulatorOverwrittenWithoutAWait", R"(pir 1

kernel @accumulator_store {
  grid = [1] ["x"]
  input %0 "a": ref<gmem, f32[64,8]>
  output %1 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "a_tile": ref<smem, f32[64,8]>, %3 "b_tile": ref<smem, f32[8,8]>)
      %4 = memory.load %0 : f32[64,8]
      memory.store %2, %4
      %5 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,8]
      memory.store %3, %5
      fence.commit_smem
      scope.run_scoped {collective_axes = []} {
        (%6 "acc": ref<regs, f32[64,8]>)
        wgmma.mma %6, %2, %3
        IN_TIME
        wgmma.accumulator_store %6, %4
        TOO_LATE
        %8 = wgmma.accumulator_deref %6 {wait_n = 0} : f32[64,8]
        memory.store %1, %8
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)",
     "wgmma.wait {n = 0}"},
};

std::string with_wait(const Case& c, bool in_time) {
  std::string text = c.text;
  text.replace(text.find("IN_TIME"), 7, in_time ? c.wait : "");
  text.replace(text.find("TOO_LATE"), 8, in_time ? "" : c.wait);
  return text;
}

std::vector<Array> inputs_of(const TestKernel& kernel) {
  std::vector<Array> inputs;
  for (size_t i = 0; i < kernel.program().module->kernel.parameters.size(); ++i) {
    std::vector<float> values(
        static_cast<size_t>(kernel.program().allocations[i].layout.element_count()));
    for (size_t n = 0; n < values.size(); ++n) values[n] = 1.0f + static_cast<float>(n % 7);
    // The second half differs, so that a stage that is overwritten shows.
    for (size_t n = values.size() / 2; n < values.size(); ++n) values[n] += 100;
    inputs.push_back(test::array_of(values));
  }
  return inputs;
}

class Asynchrony : public testing::TestWithParam<Case> {};

TEST_P(Asynchrony, AMissingWaitShowsAndAWaitInTimeNever) {
  const TestKernel good(with_wait(GetParam(), true));
  const TestKernel bad(with_wait(GetParam(), false));
  ASSERT_TRUE(good.runs() && bad.runs());
  const std::vector<Array> inputs = inputs_of(good);
  const KernelRun truth = good.run({}, inputs);
  ASSERT_TRUE(truth.clean()) << truth.messages();
  for (size_t i = 0; i < truth.arrays.size(); ++i) {
    for (float value : truth.get<float>(i)) ASSERT_FALSE(std::isnan(value));
  }
  int wrong = 0;
  for (AsyncValues values : {AsyncValues::Eager, AsyncValues::Late}) {
    for (uint64_t seed = 0; seed <= kSeeds; ++seed) {
      const GridOptions options =
          seed == 0 ? test::fixed_schedule(values) : test::random_schedule(seed, values);
      const KernelRun run = good.run(options, inputs);
      ASSERT_TRUE(run.clean()) << "seed " << seed << ": " << run.messages();
      ASSERT_EQ(run.arrays, truth.arrays) << "seed " << seed;
      const KernelRun other = bad.run(options, inputs);
      ASSERT_TRUE(other.clean()) << "seed " << seed << ": " << other.messages();
      wrong += other.arrays != truth.arrays;
    }
  }
  EXPECT_GT(wrong, 0);
  // The fixed schedule alone finds it.
  EXPECT_NE(bad.run(test::fixed_schedule(AsyncValues::Late), inputs).arrays, truth.arrays);
}

INSTANTIATE_TEST_SUITE_P(Cases, Asynchrony, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pallasite
