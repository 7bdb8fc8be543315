// Grids: any number of workers gives the same outputs, findings, prints and steps.
#include "pallasite/sim/grid.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "pallasite/sim/test_kernel.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pallasite {
namespace {

using test::Array;
using test::KernelRun;
using test::TestKernel;

GridOptions with_workers(uint32_t workers) {
  GridOptions options;
  options.workers = workers;
  return options;
}

std::string prints(const KernelRun& run) {
  std::string text;
  for (const GridPrint& print : run.result.prints) {
    text += std::to_string(print.cluster) + ": " + print.text + "\n";
  }
  return text;
}

void expect_same(const KernelRun& run, const KernelRun& serial) {
  EXPECT_EQ(run.result.outcome, serial.result.outcome);
  EXPECT_EQ(run.arrays, serial.arrays);
  EXPECT_EQ(run.messages(), serial.messages());
  EXPECT_EQ(prints(run), prints(serial));
  EXPECT_EQ(run.result.steps, serial.result.steps);
}

// Each block doubles its 64 numbers, through SMEM, and says so.
constexpr std::string_view kIndependent = R"(pir 1

kernel @independent {
  grid = [4, 4] ["y", "x"]
  input %0 "in": ref<gmem, f32[4,4,64]>
  output %1 "out": ref<gmem, f32[4,4,64]>
  body {
    %2 = thread.axis_index {axis = "y"} : i32
    %3 = thread.axis_index {axis = "x"} : i32
    scope.run_scoped {collective_axes = []} {
      (%4 "tile": ref<smem, f32[64]>, %5 "ready": barrier<[], arrivals=1>)
      %6 = view.index %0, %2, %3 {sizes = [1, 1, 64], squeeze = [0, 1], starts = [?, ?, 0]} : ref<gmem, f32[64]>
      copy.gmem_to_smem %6, %4, %5 {collective_axes = [], oob_mode = "zeros"}
      barrier.wait %5
      %7 = memory.load %4 : f32[64]
      %8 = arith.add %7, %7 : f32[64]
      %9 = view.index %1, %2, %3 {sizes = [1, 1, 64], squeeze = [0, 1], starts = [?, ?, 0]} : ref<gmem, f32[64]>
      memory.store %9, %8
      debug.print %2, %3 {format = "block {} {}"}
      control.yield
    }
    control.yield
  }
}
)";

TEST(Grid, IsTheSameForAnyNumberOfWorkers) {
  const TestKernel kernel(kIndependent);
  std::vector<float> in(1024);
  std::iota(in.begin(), in.end(), 0.0f);
  const KernelRun serial = kernel.run(with_workers(1), {test::array_of(in)});
  ASSERT_TRUE(serial.clean()) << serial.messages();
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(serial.get<float>(1)[i], 2 * in[i]);
  EXPECT_EQ(serial.result.prints.size(), 16u);
  EXPECT_EQ(serial.result.prints[6].text, "block 1 2");
  for (uint32_t workers : {2u, 3u, 40u}) {
    const KernelRun run = kernel.run(with_workers(workers), {test::array_of(in)});
    EXPECT_FALSE(run.result.serial_after_conflict);
    EXPECT_EQ(run.result.clusters_by_worker.size(), std::min(workers, 16u));
    expect_same(run, serial);
  }
}

TEST(Grid, KeepsSubnormalsWhateverTheCallersMode) {
  const TestKernel kernel(kIndependent);
  const std::vector<float> in(1024, 1e-40f);
  for (uint32_t workers : {1u, 3u}) {
#if defined(__x86_64__)
    const unsigned mode = _mm_getcsr();
    // Flush to zero, denormals are zero.
    _mm_setcsr(mode | 0x8040);
#endif
    const KernelRun run = kernel.run(with_workers(workers), {test::array_of(in)});
#if defined(__x86_64__)
    EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u) << "the caller's mode is gone";
    _mm_setcsr(mode);
#endif
    ASSERT_TRUE(run.clean()) << run.messages();
    constexpr float kTwice = 1e-40f + 1e-40f;
    for (float value : run.get<float>(1)) ASSERT_EQ(value, kTwice);
  }
}

// Every block writes the same word after it has read what was there.
constexpr std::string_view kConflict = R"(pir 1

kernel @conflict {
  grid = [16] ["x"]
  input %0 "start": ref<gmem, i32[1]>
  output %1 "last" aliases %0: ref<gmem, i32[1]>
  output %2 "before": ref<gmem, i32[16]>
  body {
    %3 = thread.axis_index {axis = "x"} : i32
    %4 = memory.load %1 : i32[1]
    %5 = view.index %2, %3 {sizes = [1], starts = [?]} : ref<gmem, i32[1]>
    memory.store %5, %4
    %6 = shape.broadcast_in_dim %3 {dimensions = []} : i32[1]
    memory.store %1, %6
    control.yield
  }
}
)";

TEST(Grid, RunsAgainInLaunchOrderAfterAConflict) {
  const TestKernel kernel(kConflict);
  const std::vector<Array> inputs = {test::array_of(std::vector<int32_t>{77})};
  const KernelRun serial = kernel.run(with_workers(1), inputs);
  ASSERT_TRUE(serial.clean()) << serial.messages();
  EXPECT_FALSE(serial.result.serial_after_conflict);
  // The aliased input is the output.
  EXPECT_EQ(serial.get<int32_t>(0), std::vector<int32_t>{15});
  std::vector<int32_t> before = {77};
  for (int32_t i = 0; i < 15; ++i) before.push_back(i);
  EXPECT_EQ(serial.get<int32_t>(2), before);
  for (uint32_t workers : {2u, 3u}) {
    const KernelRun run = kernel.run(with_workers(workers), inputs);
    EXPECT_TRUE(run.result.serial_after_conflict);
    expect_same(run, serial);
  }
}

// Block 7 leaves the array; so does 11, which comes too late to be told.
constexpr std::string_view kFails = R"(pir 1

kernel @fails {
  grid = [16] ["x"]
  input %0 "where": ref<gmem, i32[16]>
  output %1 "out": ref<gmem, i32[16,8]>
  body {
    %2 = thread.axis_index {axis = "x"} : i32
    debug.print %2 {format = "block {}"}
    %3 = view.index %0, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %4 = memory.load %3 : i32
    %5 = view.index %1, %4 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[8]>
    %6 = shape.broadcast_in_dim %2 {dimensions = []} : i32[8]
    memory.store %5, %6
    control.yield
  }
}
)";

TEST(Grid, AFailureIsTheSameForAnyNumberOfWorkers) {
  const TestKernel kernel(kFails);
  std::vector<int32_t> where(16);
  std::iota(where.begin(), where.end(), 0);
  where[7] = 16;
  where[11] = -1;
  const std::vector<Array> inputs = {test::array_of(where)};
  const KernelRun serial = kernel.run(with_workers(1), inputs);
  EXPECT_EQ(serial.codes(), "gmem.oob");
  EXPECT_EQ(serial.result.clusters_run, 8);
  ASSERT_EQ(serial.result.findings.size(), 1u);
  EXPECT_EQ(to_text(*serial.result.findings[0].labels[0].thread), "block (x=7)");
  for (uint32_t workers : {2u, 3u}) {
    const KernelRun run = kernel.run(with_workers(workers), inputs);
    expect_same(run, serial);
    EXPECT_EQ(run.result.findings, serial.result.findings);
  }
}

// Long enough that a worker which is late still finds work.
constexpr std::string_view kLong = R"(pir 1

kernel @long {
  grid = [256] ["x"]
  output %0 "out": ref<gmem, i32[256,8]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = control.scan i32(0) {length = 20000, num_carry = 1} {
      (%3: i32)
      %4 = arith.add %3, %1 : i32
      control.yield %4
    } : i32
    %5 = view.index %0, %1 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[8]>
    %6 = shape.broadcast_in_dim %2 {dimensions = []} : i32[8]
    memory.store %5, %6
    control.yield
  }
}
)";

TEST(Grid, AllWorkersWork) {
  const TestKernel kernel(kLong);
  const KernelRun run = kernel.run(with_workers(2));
  ASSERT_TRUE(run.clean()) << run.messages();
  ASSERT_EQ(run.result.clusters_by_worker.size(), 2u);
  EXPECT_GT(run.result.clusters_by_worker[0], 0);
  EXPECT_GT(run.result.clusters_by_worker[1], 0);
  EXPECT_EQ(run.result.clusters_by_worker[0] + run.result.clusters_by_worker[1], 256);
  for (int32_t x = 0; x < 256; ++x) {
    for (int32_t i = 0; i < 8; ++i) ASSERT_EQ(run.get<int32_t>(0)[x * 8 + i], 20000 * x);
  }
}

TEST(Grid, AStepLimitIsTheSameForAnyNumberOfWorkers) {
  const TestKernel kernel(kIndependent);
  const uint64_t steps = kernel.run().result.steps;
  for (uint64_t limit : {steps, steps - 1, steps / 2, uint64_t{1}, uint64_t{0}}) {
    GridOptions options;
    options.machine.max_steps = limit;
    const KernelRun serial = kernel.run(options);
    EXPECT_EQ(serial.result.outcome, limit == steps ? Outcome::Finished : Outcome::StepLimit)
        << limit;
    EXPECT_EQ(serial.codes(), limit == steps ? "" : "run.step-limit");
    EXPECT_LE(serial.result.steps, limit);
    for (uint32_t workers : {2u, 3u}) {
      options.workers = workers;
      expect_same(kernel.run(options), serial);
    }
  }
}

constexpr std::string_view kEndless = R"(pir 1

kernel @endless {
  grid = [4] ["x"]
  output %0 "out": ref<gmem, i32[4,8]>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      control.yield bool(true)
    } {
      (%3: i32)
      %4 = arith.add %3, i32(1) : i32
      control.yield %4
    } : i32
    control.yield
  }
}
)";

TEST(Grid, CanBeInterrupted) {
  const TestKernel kernel(kEndless);
  const TestKernel next(kIndependent);
  for (uint32_t workers : {1u, 2u}) {
    GridOptions options = with_workers(workers);
    int polls = 0;
    options.poll_interrupt = [&polls] { return ++polls >= 3; };
    const KernelRun run = kernel.run(options);
    EXPECT_EQ(run.result.outcome, Outcome::Interrupted);
    EXPECT_EQ(run.codes(), "run.interrupted");
    EXPECT_GE(polls, 3);
    // Not run again in launch order: the report says where the run was.
    EXPECT_FALSE(run.result.serial_after_conflict);
    EXPECT_GT(run.result.steps, 0u);
    const KernelRun after = next.run(with_workers(workers));
    EXPECT_TRUE(after.clean()) << after.messages();
  }
}

TEST(Grid, CanBeInterruptedByAFlag) {
  const TestKernel kernel(kEndless);
  for (uint32_t workers : {1u, 2u}) {
    std::atomic<bool> flag{false};
    GridOptions options = with_workers(workers);
    options.machine.interrupted = &flag;
    std::jthread interrupter([&flag] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      flag = true;
    });
    EXPECT_EQ(kernel.run(options).codes(), "run.interrupted");
  }
}

TEST(Grid, AnErrorInThePollEndsTheRun) {
  const TestKernel kernel(kEndless);
  for (uint32_t workers : {1u, 2u}) {
    GridOptions options = with_workers(workers);
    options.poll_interrupt = []() -> bool { throw std::runtime_error("the poll failed"); };
    EXPECT_THROW(kernel.run(options), std::runtime_error);
  }
}

TEST(Grid, AnInputThatIsWrittenStaysAsItWas) {
  const TestKernel kernel(R"(pir 1

kernel @scribble {
  grid = [2] ["x"]
  input %0 "in": ref<gmem, i32[8]>
  output %1 "out": ref<gmem, i32[8]>
  body {
    %2 = memory.load %0 : i32[8]
    %3 = arith.add %2, %2 : i32[8]
    memory.store %0, %3
    memory.store %1, %3
    control.yield
  }
}
)");
  const std::vector<int32_t> in = {1, 2, 3, 4, 5, 6, 7, 8};
  for (uint32_t workers : {1u, 2u}) {
    const KernelRun run = kernel.run(with_workers(workers), {test::array_of(in)});
    ASSERT_TRUE(run.clean()) << run.messages();
    EXPECT_EQ(run.get<int32_t>(0), in);
    // The second block reads what the first wrote.
    EXPECT_EQ(run.get<int32_t>(1), (std::vector<int32_t>{4, 8, 12, 16, 20, 24, 28, 32}));
  }
}

}  // namespace
}  // namespace pallasite
