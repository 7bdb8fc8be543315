#include "pallasite/sched/policies.h"

#include <algorithm>

namespace pallasite {

namespace {

// The finaliser of SplitMix64: each bit of the argument changes each bit of the result with
// probability one half.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

RandomPolicy::RandomPolicy(uint64_t seed, int64_t cluster)
    : key_(mix(mix(seed) ^ static_cast<uint64_t>(cluster))) {}

size_t RandomPolicy::choose(const ChoicePoint& point) const {
  // The upper 32 bits as a fraction of the number of events: no event is favoured by more than
  // 2^-32.
  const uint64_t bits = mix(key_ ^ mix(point.number)) >> 32;
  return static_cast<size_t>(bits * point.enabled.size() >> 32);
}

size_t ReplayPolicy::choose(const ChoicePoint& point) const {
  if (point.number >= choices_.size()) return kRefuse;
  const Choice& choice = choices_[point.number];
  if (!std::equal(choice.enabled.begin(), choice.enabled.end(), point.enabled.begin(),
                  point.enabled.end())) {
    return kRefuse;
  }
  return choice.picked;
}

std::unique_ptr<Policy> make_policy(const ScheduleOptions& options, int64_t cluster) {
  switch (options.kind) {
    case ScheduleOptions::Kind::Random:
      return std::make_unique<RandomPolicy>(options.seed, cluster);
    case ScheduleOptions::Kind::Replay: {
      // A cluster without a record made no choices: the first one that it makes is refused.
      std::vector<Choice> choices;
      if (options.replay != nullptr) {
        for (const ClusterChoices& record : *options.replay) {
          if (record.cluster == cluster) choices = record.choices;
        }
      }
      return std::make_unique<ReplayPolicy>(std::move(choices));
    }
    case ScheduleOptions::Kind::Fixed:
      break;
  }
  return nullptr;
}

}  // namespace pallasite
