// Schedules as values: what could happen next, and which of it did.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace pallasite {

enum class EventKind : uint8_t {
  // A thread goes on up to its next visible instruction.
  Thread,
  // The three events of an asynchronous operation.
  AgentRead,
  AgentWrite,
  AgentComplete,
};

// The name of an event, the same in every schedule: the issuing thread (its number in the cluster),
// that thread's own event number, and which event of the operation it is.
struct EventId {
  uint32_t thread = 0;
  uint64_t number = 0;
  EventKind kind = EventKind::Thread;
  auto operator<=>(const EventId&) const = default;
};

struct Choice {
  std::vector<EventId> enabled;
  uint32_t picked = 0;
  bool operator==(const Choice&) const = default;
};

// Picks among enabled events. The machine keeps the order rules: everything it offers may happen.
// One policy object serves one run of one cluster.
class Policy {
 public:
  virtual ~Policy() = default;
  // Index into `enabled`, which is not empty and sorted. Returning SIZE_MAX refuses to go on: the
  // schedule that is replayed does not fit the run.
  virtual size_t choose(std::span<const EventId> enabled) = 0;
};

}  // namespace pallasite
