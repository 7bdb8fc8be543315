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

inline constexpr uint32_t kNoAgent = UINT32_MAX;

struct Choice {
  std::vector<EventId> enabled;
  uint32_t picked = 0;
  bool operator==(const Choice&) const = default;
};

// What a policy is asked.
struct ChoicePoint {
  // Counts the choices of the cluster from 0.
  uint64_t number = 0;
  // Sorted, at least two.
  std::span<const EventId> enabled;
  // What the fixed schedule would do: an index into `enabled`.
  size_t fixed = 0;
};

// Picks among enabled events. The machine keeps the order rules: everything it offers may happen.
// A policy answers from the choice point alone, so that a copied machine state goes on with it.
class Policy {
 public:
  // Refuses to go on: the schedule that is replayed does not fit the run.
  static constexpr size_t kRefuse = SIZE_MAX;

  virtual ~Policy() = default;
  // Index into `point.enabled`.
  virtual size_t choose(const ChoicePoint& point) const = 0;
};

}  // namespace pallasite
