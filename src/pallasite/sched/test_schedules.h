// Grid options for runs under other schedules than the fixed one, for tests.
#pragma once

#include "pallasite/sched/policies.h"
#include "pallasite/sim/grid.h"

namespace pallasite::test {

inline GridOptions fixed_schedule(AsyncValues values) {
  GridOptions options;
  options.machine.async_values = values;
  return options;
}

inline GridOptions random_schedule(uint64_t seed, AsyncValues values) {
  GridOptions options = fixed_schedule(values);
  options.policy = [seed](int64_t cluster) {
    return make_policy({.kind = ScheduleOptions::Kind::Random, .seed = seed}, cluster);
  };
  options.record_choices = true;
  return options;
}

inline GridOptions replayed_schedule(const std::vector<ClusterChoices>& choices,
                                     AsyncValues values) {
  GridOptions options = fixed_schedule(values);
  options.policy = [&choices](int64_t cluster) {
    return make_policy({.kind = ScheduleOptions::Kind::Replay, .replay = &choices}, cluster);
  };
  options.record_choices = true;
  return options;
}

// The fixed order, spelled out choice by choice.
inline GridOptions explicit_schedule(AsyncValues values) {
  GridOptions options = fixed_schedule(values);
  options.policy = [](int64_t) { return std::make_unique<FixedPolicy>(); };
  options.record_choices = true;
  return options;
}

}  // namespace pallasite::test
