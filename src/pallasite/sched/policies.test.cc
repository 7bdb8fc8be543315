#include "pallasite/sched/policies.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pallasite/sched/test_schedules.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::KernelRun;
using test::TestKernel;

std::vector<EventId> threads(uint32_t count) {
  std::vector<EventId> events;
  for (uint32_t t = 0; t < count; ++t) events.push_back({t, 0, EventKind::Thread});
  return events;
}

TEST(RandomPolicy, IsAFunctionOfSeedAndCluster) {
  const std::vector<EventId> enabled = threads(5);
  const auto picks = [&](uint64_t seed, int64_t cluster) {
    const RandomPolicy policy(seed, cluster);
    std::string text;
    for (uint64_t i = 0; i < 32; ++i) text += std::to_string(policy.choose({i, enabled, 0}));
    return text;
  };
  // The same on every platform.
  EXPECT_EQ(picks(0, 0), "34023204444310342110404143122030");
  EXPECT_EQ(picks(1, 0), "21423330113402400131401243442021");
  EXPECT_NE(picks(0, 0), picks(0, 1));
  EXPECT_NE(picks(0, 1), picks(1, 0));
}

TEST(RandomPolicy, PicksEachEventAboutEquallyOften) {
  for (uint32_t count = 2; count <= 7; ++count) {
    const std::vector<EventId> enabled = threads(count);
    std::vector<int> picked(count);
    const RandomPolicy policy(3, 4);
    const int rounds = 7000;
    for (int i = 0; i < rounds; ++i) ++picked[policy.choose({uint64_t(i), enabled, 0})];
    for (int n : picked) EXPECT_NEAR(n, rounds / int(count), rounds / int(count) / 5);
  }
}

// Both threads write the word, then each copies what it sees.
constexpr std::string_view kOrderDependent = R"(pir 1

kernel @order {
  grid = [2] ["x"]
  threads = 2 "wg"
  output %0 "word": ref<gmem, i32[2]>
  output %1 "seen": ref<gmem, i32[2,2]>
  body {
    %2 = thread.axis_index {axis = "wg"} : i32
    %3 = thread.axis_index {axis = "x"} : i32
    %4 = view.index %0, %3 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %5 = view.index %1, %3, %2 {sizes = [1, 1], squeeze = [0, 1], starts = [?, ?]} : ref<gmem, i32[]>
    memory.store %4, %2
    %6 = memory.load %4 : i32
    memory.store %5, %6
    debug.print %2, %6 {format = "thread {} sees {}"}
    control.yield
  }
}
)";

std::string prints(const KernelRun& run) {
  std::string text;
  for (const GridPrint& print : run.result.prints) {
    text += std::to_string(print.cluster) + ": " + print.text + "\n";
  }
  return text;
}

TEST(Schedules, AKernelWithARaceHasSeveralOutcomesAndEachIsReplayed) {
  const TestKernel kernel(kOrderDependent);
  std::set<std::vector<test::Array>> outcomes;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const KernelRun run = kernel.run(test::random_schedule(seed, AsyncValues::Eager));
    ASSERT_TRUE(run.clean()) << run.messages();
    outcomes.insert(run.arrays);
    ASSERT_EQ(run.result.choices.size(), 2u);
    const KernelRun again =
        kernel.run(test::replayed_schedule(run.result.choices, AsyncValues::Eager));
    ASSERT_TRUE(again.clean()) << again.messages();
    EXPECT_EQ(again.arrays, run.arrays);
    EXPECT_EQ(prints(again), prints(run));
    EXPECT_EQ(again.result.steps, run.result.steps);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again.result.choices[i].choices, run.result.choices[i].choices);
    }
  }
  EXPECT_GE(outcomes.size(), 2u);
}

TEST(Schedules, AReplayThatDoesNotFitIsRefused) {
  const TestKernel kernel(kOrderDependent);
  const KernelRun run = kernel.run(test::random_schedule(1, AsyncValues::Eager));
  std::vector<ClusterChoices> choices = run.result.choices;
  ASSERT_GE(choices[0].choices.size(), 3u);
  choices[0].choices.pop_back();
  KernelRun replay = kernel.run(test::replayed_schedule(choices, AsyncValues::Eager));
  EXPECT_EQ(replay.codes(), "sched.replay-mismatch");
  EXPECT_EQ(replay.result.outcome, Outcome::Fault);
  choices = run.result.choices;
  choices[0].choices[1].enabled[0].number += 1;
  replay = kernel.run(test::replayed_schedule(choices, AsyncValues::Eager));
  EXPECT_EQ(message(replay.result.findings.at(0)),
            "the schedule that is replayed does not fit this run at choice 1");
}

}  // namespace
}  // namespace pallasite
