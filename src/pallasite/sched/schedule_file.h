// Recorded schedules as files: JSON with the choices of each cluster, and what they belong to.
//
// {"schedule": 1, "version": "0.1.0", "module": HASH, "inputs": HASH, "options": TEXT,
//  "clusters": [{"cluster": 0, "choices": [{"of": ["0.3", "1.2", "1.1 read"], "picked": 1}]}]}
//
// An event is written as thread.number, with `read`, `write` or `complete` for one of an
// asynchronous operation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/sim/grid.h"

namespace pallasite {

// What a run is a function of, besides the schedule. A schedule fits only the run that it was
// recorded in.
struct ScheduleIdentity {
  // Version of pallasite.
  std::string version;
  std::string module_hash;
  std::string inputs_hash;
  // The options that change a run, in any text that is equal for equal options.
  std::string options;
  bool operator==(const ScheduleIdentity&) const = default;
};

struct Schedule {
  ScheduleIdentity identity;
  std::vector<ClusterChoices> clusters;
};

std::string write_schedule(const Schedule& schedule);

struct ReadScheduleResult {
  std::optional<Schedule> schedule;
  // Why there is none, of the kind sched.replay-mismatch.
  std::optional<Diagnostic> mismatch;
};

// Reads a schedule for the run that `expected` describes; refuses that of any other.
ReadScheduleResult read_schedule(std::string_view text, const ScheduleIdentity& expected);

}  // namespace pallasite
