#include "pallasite/sched/schedule_file.h"

#include <gtest/gtest.h>

#include "pallasite/diag/render.h"

namespace pallasite {
namespace {

const ScheduleIdentity kIdentity = {"0.1.0", "m1", "i1", "async_values=late"};

Schedule example() {
  Schedule schedule;
  schedule.identity = kIdentity;
  schedule.clusters = {{0, {{{{0, 3, EventKind::Thread}, {1, 2, EventKind::AgentRead}}, 1}}},
                       {7,
                        {{{{0, 0, EventKind::AgentWrite}, {0, 1, EventKind::AgentComplete}}, 0},
                         {{{0, 1ull << 40, EventKind::Thread}, {1, 0, EventKind::Thread}}, 1}}}};
  return schedule;
}

TEST(ScheduleFile, ReadsWhatItWrote) {
  const Schedule schedule = example();
  const std::string text = write_schedule(schedule);
  const ReadScheduleResult result = read_schedule(text, kIdentity);
  ASSERT_TRUE(result.schedule) << message(*result.mismatch);
  EXPECT_FALSE(result.mismatch);
  ASSERT_EQ(result.schedule->clusters.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.schedule->clusters[i].cluster, schedule.clusters[i].cluster);
    EXPECT_EQ(result.schedule->clusters[i].choices, schedule.clusters[i].choices);
  }
  EXPECT_EQ(write_schedule(*result.schedule), text);
}

TEST(ScheduleFile, RefusesTheScheduleOfAnotherRun) {
  const std::string text = write_schedule(example());
  const auto refusal = [&](ScheduleIdentity expected) {
    const ReadScheduleResult result = read_schedule(text, expected);
    EXPECT_FALSE(result.schedule);
    EXPECT_EQ(result.mismatch->kind, Kind::SchedReplayMismatch);
    return message(*result.mismatch);
  };
  EXPECT_EQ(refusal({"0.2.0", "m1", "i1", "async_values=late"}),
            "the schedule was recorded with version `0.1.0`, and this run has `0.2.0`");
  EXPECT_EQ(refusal({"0.1.0", "m2", "i1", "async_values=late"}),
            "the schedule was recorded with module `m1`, and this run has `m2`");
  EXPECT_EQ(refusal({"0.1.0", "m1", "i2", "async_values=late"}),
            "the schedule was recorded with inputs `i1`, and this run has `i2`");
  EXPECT_EQ(refusal({"0.1.0", "m1", "i1", "async_values=eager"}),
            "the schedule was recorded with options `async_values=late`, and this run has "
            "`async_values=eager`");
}

TEST(ScheduleFile, RefusesAnythingElseWithAReason) {
  const std::string good = write_schedule(example());
  const auto refusal = [&](const std::string& text) {
    const ReadScheduleResult result = read_schedule(text, kIdentity);
    EXPECT_FALSE(result.schedule) << text;
    return result.mismatch ? message(*result.mismatch) : "";
  };
  const auto with = [&](const std::string& old_part, const std::string& new_part) {
    const size_t at = good.find(old_part);
    EXPECT_NE(at, std::string::npos) << old_part;
    std::string text = good;
    return text.replace(at, old_part.size(), new_part);
  };
  const std::string start = "the file is no schedule that can be replayed: ";
  EXPECT_EQ(refusal("no json"), start + "it is not JSON");
  EXPECT_EQ(refusal("[]"), start + "`schedule` is missing");
  EXPECT_EQ(refusal(with("\"schedule\":1", "\"schedule\":2")),
            start + "it has format 2, and this program reads 1");
  EXPECT_EQ(refusal(with("\"picked\":1", "\"picked\":2")), start + "event 2 of 2 is picked");
  EXPECT_EQ(refusal(with("\"picked\":1", "\"picked\":-1")), start + "`picked` is no count");
  EXPECT_EQ(refusal(with("\"1.2 read\"", "\"1.2 reed\"")), start + "\"1.2 reed\" is no event");
  EXPECT_EQ(refusal(with("\"1.2 read\"", "\"1\"")), start + "\"1\" is no event");
  EXPECT_EQ(refusal(with("\"1.2 read\"", "5")), start + "5 is no event");
  EXPECT_EQ(refusal(with("\"module\":\"m1\"", "\"module\":1")), start + "`module` is no text");
  EXPECT_EQ(refusal(with("\"cluster\":7", "\"cluster\":\"7\"")), start + "`cluster` is no count");
  for (size_t length = 0; length + 2 < good.size(); length += 3) {
    EXPECT_NE(refusal(good.substr(0, length)), "");
  }
}

}  // namespace
}  // namespace pallasite
