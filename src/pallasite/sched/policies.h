// Policies over the choice points of a run: the fixed schedule, a random one, and one read back.
//
// A policy answers from the choice point alone (its number, what is enabled), so it has no state: a
// machine state that was copied in the middle of a run goes on with the same policy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pallasite/sim/grid.h"
#include "pallasite/sim/schedule.h"

namespace pallasite {

// The fixed schedule in explicit form: the same run as without a policy, with its choices on
// record.
class FixedPolicy : public Policy {
 public:
  size_t choose(const ChoicePoint& point) const override { return point.fixed; }
};

// Every enabled event is equally likely. The choices are a function of (seed, cluster) and of what
// is enabled, on every platform.
class RandomPolicy : public Policy {
 public:
  RandomPolicy(uint64_t seed, int64_t cluster);
  size_t choose(const ChoicePoint& point) const override;

 private:
  uint64_t key_;
};

// Picks what was picked when the choices were recorded; refuses to go on where the run offers
// something else.
class ReplayPolicy : public Policy {
 public:
  explicit ReplayPolicy(std::vector<Choice> choices) : choices_(std::move(choices)) {}
  size_t choose(const ChoicePoint& point) const override;

 private:
  std::vector<Choice> choices_;
};

struct ScheduleOptions {
  enum class Kind : uint8_t { Fixed, Random, Replay };
  Kind kind = Kind::Fixed;
  uint64_t seed = 0;
  // For Kind::Replay; it has to live as long as policies are made from it.
  const std::vector<ClusterChoices>* replay = nullptr;
};

// The policy of one cluster, for GridOptions::policy; null for the fixed schedule. May be called by
// several workers at once.
std::unique_ptr<Policy> make_policy(const ScheduleOptions& options, int64_t cluster);

}  // namespace pallasite
