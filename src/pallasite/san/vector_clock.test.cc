#include <gtest/gtest.h>

#include "pallasite/san/test_vector_clock.h"

namespace pallasite {
namespace {

using test::ObservedKernel;
using test::Race;
using test::RaceKind;
using test::Schedule;
using test::VectorClockRecorder;

constexpr uint64_t kSeeds = 20;

std::string text_of(const ObservedKernel& kernel, const std::set<Race>& races) {
  constexpr const char* kNames[] = {"unordered", "missing fence", "clusters", "unawaited read"};
  std::string text;
  for (const Race& race : races) {
    text += std::string(text.empty() ? "" : "; ") + kNames[size_t(race.kind)];
    for (const auto& [pc, thread] : {race.first, race.second}) {
      text += " " + std::string(kernel.op_def(pc).name) + "/" + std::to_string(thread);
    }
  }
  return text;
}

// What is found, which has to be the same under every schedule. Each pair is written as "kind op/
// thread op/thread".
std::string races_of(const ObservedKernel& kernel) {
  if (!kernel.runs()) return "does not run";
  std::optional<std::set<Race>> expected;
  for (const Schedule& schedule : test::all_schedules(kSeeds)) {
    VectorClockRecorder recorder;
    kernel.run(recorder, schedule);
    EXPECT_GT(recorder.accesses(), 0u);
    if (!expected) expected = recorder.races();
    EXPECT_EQ(text_of(kernel, *expected), text_of(kernel, recorder.races())) << schedule.name();
    EXPECT_EQ(*expected, recorder.races()) << schedule.name();
  }
  return text_of(kernel, *expected);
}

// A kernel of one cluster of one block; lines of `body` may use %0 (in), %1 (out), both f32[8,32]
// in global memory, %2 "tile" of the same shape in shared memory, the barriers %3 and %4 of one
// arrival and %9 of two, %5 (the number of the warpgroup) and %6 (an array of that shape).
std::string races_in(const std::string& body, int threads = 1) {
  const std::string axes = threads == 1 ? "[]" : "[\"wg\"]";
  const std::string number =
      threads == 1 ? "" : "    %5 = thread.axis_index {axis = \"wg\"} : i32\n";
  return races_of(ObservedKernel(
      "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n" +
      (threads == 1 ? "" : "  threads = " + std::to_string(threads) + " \"wg\"\n") +
      "  input %0 \"in\": ref<gmem, f32[8,32]>\n  output %1 \"out\": ref<gmem, f32[8,32]>\n"
      "  body {\n" +
      number + "    scope.run_scoped {collective_axes = " + axes +
      "} {\n      (%2 \"tile\": ref<smem, f32[8,32]>, %3 \"ready\": barrier<[], arrivals=1>, %4 "
      "\"free\": barrier<[], arrivals=1>, %9 \"both\": barrier<[], arrivals=2>)\n"
      "      %6 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,32]\n" +
      body + "      control.yield\n    }\n    control.yield\n  }\n}\n"));
}

constexpr const char* kCopyIn =
    "copy.gmem_to_smem %0, %2, %3 {collective_axes = [], oob_mode = \"zeros\"}\n";
constexpr const char* kCopyOut = "copy.smem_to_gmem %2, %1 {commit_group = true}\n";
constexpr const char* kAwaitReads = "copy.wait_smem_to_gmem {n = 0, wait_read_only = true}\n";
constexpr const char* kFill = "memory.store %2, %6\n";
constexpr const char* kFence = "fence.commit_smem\n";

std::string lines(std::initializer_list<const char*> list) {
  std::string text;
  for (const char* line : list) text += line;
  return text;
}

std::string by_warpgroup(const std::string& of_0, const std::string& of_1) {
  return "control.cond %5 {\n" + of_0 + "control.yield\n} {\n" + of_1 + "control.yield\n}\n";
}

TEST(VectorClock, StoreBeforeACopyNeedsAFence) {
  EXPECT_EQ(races_in(lines({kFill, kCopyOut, kAwaitReads})),
            "missing fence memory.store/0 copy.smem_to_gmem/0");
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, kAwaitReads})), "");
}

TEST(VectorClock, ReadOfALoadedTileNeedsTheBarrier) {
  EXPECT_EQ(races_in(lines({kCopyIn, "%7 = memory.load %2 : f32[8,32]\n", "memory.store %1, %7\n",
                            "barrier.wait %3\n"})),
            "unordered copy.gmem_to_smem/0 memory.load/0");
  EXPECT_EQ(races_in(lines({kCopyIn, "barrier.wait %3\n", "%7 = memory.load %2 : f32[8,32]\n",
                            "memory.store %1, %7\n"})),
            "");
}

TEST(VectorClock, WarpgroupsMayNotWriteTheSameElements) {
  EXPECT_EQ(races_in(kFill, 2), "unordered memory.store/0 memory.store/1");
  // Every other row: the boxes of the two overlap, the elements do not.
  const std::string value = "%8 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[4,32]\n";
  const auto rows = [](const std::string& ref, const char* starts) {
    return ref + " = view.index %1 {sizes = [4, 32], starts = " + starts +
           ", strides = [2, 1]} : ref<gmem, f32[4,32]>\nmemory.store " + ref + ", %8\n";
  };
  EXPECT_EQ(races_in(value + by_warpgroup(rows("%10", "[0, 0]"), rows("%11", "[1, 0]")), 2), "");
  EXPECT_EQ(races_in(value + by_warpgroup(rows("%10", "[0, 0]"), rows("%11", "[0, 0]")), 2),
            "unordered memory.store/0 memory.store/1");
}

TEST(VectorClock, SourceOfACopyStaysUntilItIsRead) {
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, kFill, kAwaitReads})),
            "unordered copy.smem_to_gmem/0 memory.store/0");
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, kAwaitReads, kFill})), "");
  // The wait leaves the newest group pending.
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut,
                            "copy.wait_smem_to_gmem {n = 1, wait_read_only = true}\n", kFill,
                            kAwaitReads})),
            "unordered copy.smem_to_gmem/0 memory.store/0");
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, "copy.commit_group\n",
                            "copy.wait_smem_to_gmem {n = 1, wait_read_only = true}\n", kFill,
                            kAwaitReads})),
            "");
}

TEST(VectorClock, DestinationOfACopyIsNotWrittenByAWaitForReads) {
  const char* read = "%7 = memory.load %1 : f32[8,32]\n";
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, kAwaitReads, read})),
            "unordered copy.smem_to_gmem/0 memory.load/0");
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut,
                            "copy.wait_smem_to_gmem {n = 0, wait_read_only = false}\n", read})),
            "");
}

TEST(VectorClock, ArriveAndWaitOrder) {
  const std::string load = "%7 = memory.load %2 : f32[8,32]\nmemory.store %1, %7\n";
  const std::string fill_and_arrive = lines({kFill, "barrier.arrive %3\n"});
  EXPECT_EQ(races_in(by_warpgroup(fill_and_arrive, "barrier.wait %3\n" + load), 2), "");
  EXPECT_EQ(races_in(by_warpgroup(fill_and_arrive, load + "barrier.wait %3\n"), 2),
            "unordered memory.store/0 memory.load/1");
  EXPECT_EQ(
      races_in(by_warpgroup(lines({"barrier.arrive %3\n", kFill}), "barrier.wait %3\n" + load), 2),
      "unordered memory.store/0 memory.load/1");
}

TEST(VectorClock, AnArrivalOrdersOnlyItsOwnPhase) {
  // The writer fills the tile between two phases. Whether it has arrived in the second when the
  // reader goes on from the first depends on the schedule; the verdict may not.
  const char* both = "barrier.arrive_and_wait %9\n";
  const std::string writer = lines({both, kFill, both});
  const char* read = "%7 = memory.load %2 : f32[8,32]\n";
  EXPECT_EQ(races_in(by_warpgroup(writer, lines({both, read, both})), 2),
            "unordered memory.store/0 memory.load/1");
  EXPECT_EQ(races_in(by_warpgroup(writer, lines({both, both, read})), 2), "");
}

TEST(VectorClock, SuccessfulTestIsAWait) {
  const std::string fill_and_arrive = lines({kFill, "barrier.arrive %3\n"});
  const std::string poll =
      "%10 = control.while bool(false) {\n(%11: bool)\n%12 = arith.not %11 : bool\n"
      "control.yield %12\n} {\n(%13: bool)\n%14 = barrier.test %3 : bool\ncontrol.yield %14\n"
      "} : bool\n";
  const std::string read = "%7 = memory.load %2 : f32[8,32]\n";
  EXPECT_EQ(races_in(by_warpgroup(fill_and_arrive, poll + read), 2), "");
  EXPECT_EQ(races_in(by_warpgroup(fill_and_arrive, read + poll), 2),
            "unordered memory.store/0 memory.load/1");
}

TEST(VectorClock, ReusedTileNeedsAFenceBeforeTheNextLoad) {
  // Write after read across the proxies: the reader commits before it hands the tile back.
  const auto body = [](const char* fence) {
    return by_warpgroup(lines({kCopyIn, "barrier.wait %4\n", kCopyIn}),
                        lines({"barrier.wait %3\n", "%7 = memory.load %2 : f32[8,32]\n", fence,
                               "barrier.arrive %4\n", "barrier.wait %3\n"}));
  };
  const std::string races = races_in(body(""), 2);
  EXPECT_NE(races.find("missing fence"), std::string::npos) << races;
  EXPECT_EQ(races_in(body(kFence), 2), "");
}

TEST(VectorClock, KernelMayNotEndBeforeItsCopiesHaveReadTheirSource) {
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut})),
            "unawaited read copy.smem_to_gmem/0 copy.smem_to_gmem/0");
  EXPECT_EQ(races_in(lines({kFill, kFence, kCopyOut, kAwaitReads})), "");
  EXPECT_EQ(races_in(lines(
                {kFill, kFence, "copy.smem_to_gmem %2, %1 {commit_group = false}\n", kAwaitReads})),
            "unawaited read copy.smem_to_gmem/0 copy.smem_to_gmem/0");
}

TEST(VectorClock, ClustersAreConcurrent) {
  const auto kernel = [](const char* starts) {
    return std::string(R"(pir 1

kernel @test {
  grid = [2] ["x"]
  output %0 "out": ref<gmem, i4[2,3]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = view.index %0, %1 {sizes = [1, 3], squeeze = [0], starts = )") +
           starts + R"(} : ref<gmem, i4[3]>
    %3 = shape.broadcast_in_dim i4(1) {dimensions = []} : i4[3]
    memory.store %2, %3
    control.yield
  }
}
)";
  };
  // The two rows share a byte but no element.
  EXPECT_EQ(races_of(ObservedKernel(kernel("[?, 0]"))), "");
  std::string same = kernel("[0, 0]");
  same.replace(same.find("%0, %1 {sizes"), 6, "%0");
  EXPECT_EQ(races_of(ObservedKernel(same)), "clusters memory.store/0 memory.store/0");
}

class VectorClockGolden : public testing::TestWithParam<const char*> {};

TEST_P(VectorClockGolden, IsFreeOfRaces) {
  const std::string folder = "tests/lower/golden/jax-0.12/";
  EXPECT_EQ(races_of(ObservedKernel(test::read_source_file(folder + GetParam() + ".pir"))), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, VectorClockGolden,
                         testing::Values("hopper_matmul", "hopper_matmul_cluster_m",
                                         "hopper_matmul_with_c", "two_warpgroups"));

// The golden kernel with one synchronisation taken out at a time.
TEST(VectorClock, HopperMatmulNeedsEachOfItsSynchronisations) {
  const std::string text = test::read_source_file("tests/lower/golden/jax-0.12/hopper_matmul.pir");
  const auto without = [&](const std::string& op) {
    std::string edited = text;
    const size_t at = edited.find(op);
    EXPECT_NE(at, std::string::npos) << op;
    const size_t begin = edited.rfind('\n', at);
    edited.erase(begin, edited.find('\n', at) - begin);
    return races_of(ObservedKernel(edited));
  };
  EXPECT_NE(without("fence.commit_smem"), "");
  EXPECT_NE(without("barrier.wait %119"), "");
  EXPECT_NE(without("copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #76"), "");
}

}  // namespace
}  // namespace pallasite
