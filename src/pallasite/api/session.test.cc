#include "pallasite/api/session.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "pallasite/api/content_hash.h"

namespace pallasite {
namespace {

// Doubles each of four elements, one block each.
constexpr std::string_view kDouble = R"(pir 1
#0 = loc("kernel.py", 7, 1, "double")

kernel @double {
  grid = [4] ["x"]
  input %0 "x": ref<gmem, i32[4]>
  output %1 "out": ref<gmem, i32[4]>
  body {
    %2 = thread.axis_index {axis = "x"} : i32
    %3 = view.index %0, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %4 = view.index %1, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %5 = memory.load %3 : i32
    %6 = arith.add %5, %5 : i32
    memory.store %4, %6
    control.yield
  } #0
}
)";

// Every block but the first two writes outside of its output.
constexpr std::string_view kOutside = R"(pir 1
#0 = loc("kernel.py", 9, 1, "outside")

kernel @outside {
  grid = [4] ["x"]
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = view.index %0, %1 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    memory.store %2, i32(1) #0
    control.yield
  }
}
)";

// Each of two threads may come first. If it is wg=0, it takes what fresh memory holds for an index.
constexpr std::string_view kIndexRace = R"(pir 1

kernel @index_race {
  grid = [1] ["x"]
  threads = 2 "wg"
  input %0 "x": ref<gmem, i32[1]>
  output %1 "out" aliases %0: ref<gmem, i32[1]>
  body {
    %2 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "index": ref<smem, i32[]>)
      control.cond %2 {
        %4 = memory.load %3 : i32
        %5 = view.index %1, %4 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
        %6 = memory.load %5 : i32
        %7 = arith.add %6, %6 : i32
        memory.store %5, %7
        control.yield
      } {
        memory.store %3, i32(0)
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)";

// Two threads share a buffer: which goes first is a choice.
constexpr std::string_view kTwoThreads = R"(pir 1

kernel @two_threads {
  grid = [4] ["x"]
  threads = 2 "wg"
  input %0 "x": ref<gmem, i32[4]>
  output %1 "out": ref<gmem, i32[4]>
  body {
    %2 = thread.axis_index {axis = "wg"} : i32
    %3 = thread.axis_index {axis = "x"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%4 "scratch": ref<smem, i32[]>, %5 "ready": barrier<[], arrivals=1>)
      control.cond %2 {
        barrier.wait %5
        %6 = memory.load %4 : i32
        %7 = view.index %1, %3 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
        memory.store %7, %6
        control.yield
      } {
        %8 = view.index %0, %3 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
        %9 = memory.load %8 : i32
        memory.store %4, %9
        barrier.arrive %5
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)";

constexpr std::string_view kDeadlock = R"(pir 1
#0 = loc("kernel.py", 12, 5, "body")

kernel @deadlock {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[2]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "ready": barrier<[], arrivals=2>)
      barrier.wait %2 #0
      control.yield
    }
    control.yield
  }
}
)";

constexpr std::string_view kForever = R"(pir 1

kernel @forever {
  grid = [1] ["x"]
  body {
    %0 = control.while i32(0) {
      (%1: i32)
      control.yield bool(true)
    } {
      (%2: i32)
      %3 = arith.add %2, i32(1) : i32
      control.yield %3
    } : i32
    control.yield
  }
}
)";

HostArray array(std::string name, std::vector<int32_t>& values) {
  return {std::move(name),
          "int32",
          {static_cast<int64_t>(values.size())},
          reinterpret_cast<std::byte*>(values.data())};
}

RunOptions with_workers(uint32_t workers) {
  RunOptions options;
  options.workers = workers;
  return options;
}

Report run(Session& session, std::string_view text, std::vector<HostArray> inputs = {},
           std::vector<HostArray> outputs = {}, const RunOptions& options = {}) {
  return session.run(*session.load(text, "k.pir", options), inputs, outputs, options);
}

std::string codes(const Report& report) {
  std::string text;
  for (const Diagnostic& finding : report.findings) text += message(finding) + "\n";
  return text;
}

void expect_doubles(Session& session) {
  std::vector<int32_t> x = {1, 2, 3, 4}, out(4);
  const Report report = run(session, kDouble, {array("x", x)}, {array("out", out)});
  EXPECT_EQ(report.verdict, Verdict::Clean) << codes(report);
  EXPECT_EQ(out, (std::vector<int32_t>{2, 4, 6, 8}));
  EXPECT_EQ(x, (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST(Session, RunsOnArraysByNameOrInOrder) {
  Session session;
  expect_doubles(session);
  std::vector<int32_t> x = {5, 6, 7, 8}, out(4);
  const Report report = run(session, kDouble, {array("", x)}, {array("", out)});
  EXPECT_EQ(report.verdict, Verdict::Clean) << codes(report);
  EXPECT_EQ(out, (std::vector<int32_t>{10, 12, 14, 16}));
  EXPECT_EQ(report.kernel, "double");
  EXPECT_EQ(report.arch, "sm_90a");
  EXPECT_TRUE(report.arch_guessed);
  EXPECT_EQ(report.clusters, 4);
}

TEST(Session, ArraysThatDoNotFitAreNamed) {
  Session session;
  std::vector<int32_t> x = {1, 2, 3, 4}, three = {1, 2, 3}, out(4, 17);
  HostArray floats = array("x", x);
  floats.dtype = "float32";
  const std::vector<std::pair<std::vector<HostArray>, std::string>> cases = {
      {{}, "argument `x` is missing\n"},
      {{array("x", three)}, "argument `x` has shape (3,), and the kernel takes (4,)\n"},
      {{floats}, "argument `x` has element type float32, and the kernel takes int32\n"},
      {{array("x", x), array("y", x)}, "the kernel has no argument `y`\n"},
      {{array("", x), array("", x)}, "the kernel has no argument `number 1`\n"},
  };
  for (const auto& [inputs, expected] : cases) {
    const Report report = run(session, kDouble, inputs, {array("out", out)});
    EXPECT_EQ(report.verdict, Verdict::Error);
    EXPECT_EQ(codes(report), expected);
    EXPECT_EQ(report.clusters, 0);
    // Nobody may take an old value for a result.
    EXPECT_EQ(out[0], std::numeric_limits<int32_t>::max());
  }
  expect_doubles(session);
}

TEST(Session, NextKernelRunsAfterEachKindOfFailure) {
  Session session;
  EXPECT_EQ(run(session, "pir 1\nnonsense").verdict, Verdict::Error);
  expect_doubles(session);
  EXPECT_EQ(run(session, kOutside).verdict, Verdict::Error);
  expect_doubles(session);
  EXPECT_EQ(run(session, kDeadlock).verdict, Verdict::Error);
  expect_doubles(session);
  RunOptions limited;
  limited.max_steps = 1000;
  EXPECT_EQ(run(session, kForever, {}, {}, limited).verdict, Verdict::Incomplete);
  expect_doubles(session);
  RunOptions interrupted;
  interrupted.poll_interrupt = [] { return true; };
  const Report report = run(session, kForever, {}, {}, interrupted);
  EXPECT_EQ(report.verdict, Verdict::Incomplete);
  EXPECT_EQ(report.findings.at(0).kind, Kind::RunInterrupted);
  expect_doubles(session);
}

TEST(Session, OurOwnFailureIsSaidToBeOurs) {
  Session session;
  RunOptions options;
  options.poll_interrupt = []() -> bool { throw std::runtime_error("the poll broke"); };
  const Report report = run(session, kForever, {}, {}, options);
  EXPECT_EQ(report.verdict, Verdict::Internal);
  FileSourceReader reader;
  const std::string text = render_text(report, reader);
  EXPECT_NE(text.find("the poll broke"), std::string::npos) << text;
  EXPECT_NE(text.find("export the kernel"), std::string::npos) << text;
  expect_doubles(session);
}

TEST(Session, MemoryABlockHasNotGotIsAResource) {
  Session session;
  const std::string text = R"(pir 1

kernel @large {
  grid = [1] ["x"]
  body {
    scope.run_scoped {collective_axes = []} {
      (%0 "large": ref<smem, f32[60000]>)
      control.yield
    }
    control.yield
  }
}
)";
  EXPECT_EQ(run(session, text).verdict, Verdict::Resource);
  RunOptions jax;
  set_options(jax, R"({"jax": {"detect_races": false}})");
  EXPECT_EQ(run(session, text, {}, {}, jax).verdict, Verdict::Clean);
  EXPECT_EQ(run(session, text).verdict, Verdict::Resource);
}

TEST(Session, EqualFindingsAreOne) {
  Report report;
  const auto finding = [](int64_t x, int64_t index) {
    ThreadName thread;
    thread.axes = {{"x", x}};
    return DiagnosticBuilder(Kind::AssumeMultipleOf)
        .arg("value", index)
        .arg("factor", 8)
        .at(SourceLocation::at("kernel.py", 3), thread)
        .help(std::to_string(index))
        .build();
  };
  report.findings = {finding(2, 0), finding(1, 1), finding(3, 2)};
  report.findings.push_back(finding(0, 3));
  report.findings.back().labels[0].location.frames[0].line = 4;
  settle(report);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].count, 3);
  EXPECT_EQ(report.findings[0].extra_help, "1");
  EXPECT_EQ(report.findings[1].count, 1);
}

TEST(Session, ReportsAndOutputsDoNotDependOnWorkers) {
  for (std::string_view text : {kDouble, kOutside}) {
    std::vector<std::string> reports;
    std::vector<std::vector<int32_t>> outputs;
    for (uint32_t workers : {1u, 2u, 3u}) {
      Session session;
      std::vector<int32_t> x = {1, 2, 3, 4}, out(text == kDouble ? 4 : 2);
      std::vector<HostArray> inputs;
      if (text == kDouble) inputs.push_back(array("x", x));
      const Report report = run(session, text, inputs, {array("out", out)}, with_workers(workers));
      EXPECT_EQ(report.host.workers, workers);
      reports.push_back(to_json(report, /*with_host=*/false));
      outputs.push_back(out);
    }
    EXPECT_EQ(reports[0], reports[1]);
    EXPECT_EQ(reports[0], reports[2]);
    EXPECT_EQ(outputs[0], outputs[1]);
    EXPECT_EQ(outputs[0], outputs[2]);
  }
}

TEST(Session, ARecordedScheduleIsReplayedAndFitsNoOtherRun) {
  for (ScheduleKind kind : {ScheduleKind::Fixed, ScheduleKind::Random}) {
    Session session;
    std::vector<int32_t> x = {1, 2, 3, 4}, out(4);
    RunOptions options;
    options.schedule = kind;
    options.seed = 5;
    options.record_choices = true;
    const Report first = run(session, kTwoThreads, {array("x", x)}, {array("out", out)}, options);
    EXPECT_EQ(first.verdict, Verdict::Clean) << codes(first);
    EXPECT_EQ(out, x);
    ASSERT_EQ(first.choices.size(), 4u);
    EXPECT_FALSE(first.choices[0].choices.empty());
    options.schedule = ScheduleKind::Replay;
    options.replay = first.recorded_schedule;
    const Report second = run(session, kTwoThreads, {array("x", x)}, {array("out", out)}, options);
    EXPECT_EQ(second.verdict, Verdict::Clean) << codes(second);
    EXPECT_EQ(second.recorded_schedule, first.recorded_schedule);
    x[0] = 9;
    const Report other = run(session, kTwoThreads, {array("x", x)}, {array("out", out)}, options);
    ASSERT_EQ(other.findings.size(), 1u);
    EXPECT_EQ(other.findings[0].kind, Kind::SchedReplayMismatch);
    EXPECT_EQ(other.clusters, 0);
  }
}

TEST(Session, CacheIsBoundedAndKnowsOptions) {
  Session session(4);
  const auto text = [](int i) { return std::string(kDouble) + "// " + std::to_string(i) + "\n"; };
  const auto first = session.load(text(0), "", {});
  EXPECT_EQ(session.load(text(0), "", {}), first);
  for (int i = 1; i < 20; ++i) session.load(text(i), "", {});
  EXPECT_EQ(session.cached_modules(), 4u);
  EXPECT_NE(session.load(text(0), "", {}), first);
  RunOptions blackwell;
  blackwell.arch = "sm_100a";
  EXPECT_EQ(session.load(text(0), "", blackwell)->arch, "sm_100a");
  EXPECT_EQ(session.load(text(0), "", {})->arch, "sm_90a");
  // A key that two texts share does not mix them up.
  const auto one = session.load(text(1), "", {}, 7);
  const auto two = session.load(text(2), "", {}, 7);
  EXPECT_NE(one, two);
  EXPECT_EQ(session.load(text(1), "", {}, 7), one);

  Session small(100, 3 * text(0).size());
  for (int i = 0; i < 9; ++i) small.load(text(i), "", {});
  EXPECT_EQ(small.cached_modules(), 3u);
}

TEST(Session, SeveralThreadsMayUseIt) {
  Session session(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&session, t] {
      for (int i = 0; i < 20; ++i) {
        expect_doubles(session);
        session.load(std::string(kDouble) + std::string(static_cast<size_t>(i % 3 + t), '\n'), "",
                     {});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(session.cached_modules(), 2u);
}

TEST(Session, MoreSchedulesRunUntilOneFindsAFault) {
  Session session;
  RunOptions options = with_workers(1);
  options.schedules = 20;
  // The output takes the place of the input, which every schedule has to find as it was.
  std::vector<int32_t> x = {21};
  const Report report = run(session, kIndexRace, {array("x", x)}, {array("out", x)}, options);
  ASSERT_EQ(report.verdict, Verdict::Error) << codes(report);
  EXPECT_EQ(report.findings.at(0).kind, Kind::GmemOob);
  EXPECT_FALSE(report.finished);
  EXPECT_EQ(report.schedule, "random");
  EXPECT_EQ(report.seed, report.more_schedules);
  EXPECT_EQ(x[0], 42);
  FileSourceReader reader;
  const std::string hint = "seed=" + std::to_string(report.seed) + " repeats it";
  EXPECT_NE(render_text(report, reader).find(hint), std::string::npos);
  // That seed alone, and those before it.
  for (uint64_t seed = 0; seed <= report.seed; ++seed) {
    RunOptions one = with_workers(1);
    one.schedule = seed == 0 ? ScheduleKind::Fixed : ScheduleKind::Random;
    one.seed = seed;
    x = {21};
    const Report again = run(session, kIndexRace, {array("x", x)}, {array("out", x)}, one);
    EXPECT_EQ(again.verdict, seed == report.seed ? Verdict::Error : Verdict::Clean) << seed;
    EXPECT_EQ(again.finished, seed != report.seed);
    if (seed == report.seed) {
      EXPECT_EQ(codes(again), codes(report));
    }
  }
  std::vector<int32_t> four = {1, 2, 3, 4}, out(4);
  const Report clean = run(session, kTwoThreads, {array("x", four)}, {array("out", out)}, options);
  EXPECT_EQ(clean.verdict, Verdict::Clean) << codes(clean);
  EXPECT_EQ(clean.more_schedules, 20u);
  EXPECT_EQ(clean.schedule, "fixed");
  EXPECT_EQ(out, four);
}

TEST(Session, FindingsThatAreLeftOutDoNotCount) {
  Session session;
  std::vector<int32_t> out(2);
  const Report report = run(session, kOutside, {}, {array("out", out)});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(without_findings(report, {}).verdict, Verdict::Error);
  EXPECT_EQ(without_findings(report, {0}).verdict, Verdict::Clean);
  EXPECT_TRUE(without_findings(report, {0}).findings.empty());
}

TEST(Options, RefusesWhatNoRunCanHave) {
  RunOptions options;
  for (const char* json : {"[]", "{", R"({"sede": 1})", R"({"seed": "1"})", R"({"max_steps": 0})",
                           R"({"workers": -1})", R"({"workers": 1.5})", R"({"schedule": "slow"})",
                           R"({"checks": "races"})", R"({"async_values": "never"})",
                           R"({"arch": "h200x"})", R"({"run": {"on_finding": "cry"}})",
                           R"({"uninitialized_memory": "one"})", R"({"schedules": -1})"}) {
    EXPECT_THROW(set_options(options, json), OptionError) << json;
  }
  set_options(options, R"({"schedule": "random"})");
  EXPECT_EQ(options.schedule, ScheduleKind::Random);
  set_options(options, R"({"seed": -1, "max_steps": null, "arch": "h100", "checks": "none, default",
                           "run": {"async_values": "late", "workers": 3}})");
  EXPECT_EQ(options.seed, ~uint64_t{0});
  EXPECT_EQ(options.arch, "sm_90a");
  EXPECT_EQ(options.async_values, AsyncValues::Late);
  EXPECT_EQ(options.workers, 3u);
  EXPECT_EQ(options.max_steps, std::nullopt);
}

TEST(ContentHash, DistinguishesContentsAndLengths) {
  const auto hash = [](std::initializer_list<std::string_view> parts) {
    ContentHash made;
    for (std::string_view part : parts) made.add(part.data(), part.size());
    return made.text();
  };
  EXPECT_EQ(hash({"kernel"}), hash({"kernel"}));
  EXPECT_NE(hash({"kernel"}), hash({"kernfl"}));
  EXPECT_NE(hash({"a", "b"}), hash({"ab"}));
  EXPECT_NE(hash({""}), hash({}));
  EXPECT_NE(hash({std::string_view("\0", 1)}), hash({std::string_view("\0\0", 2)}));
  EXPECT_EQ(hash({"kernel"}).size(), 16u);
}

}  // namespace
}  // namespace pallasite
