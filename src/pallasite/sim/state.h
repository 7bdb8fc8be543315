// The state of a machine that runs one cluster: plain data, addressed by index.
//
// Copying a ClusterState copies the machine at that point: nothing in it points anywhere, and a
// ClusterMachine over the copy goes on to the same end. GMEM is not part of it (gmem.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pallasite/base/aligned_bytes.h"
#include "pallasite/sim/schedule.h"
#include "pallasite/sim/view.h"

namespace pallasite {

enum class ThreadStatus : uint8_t { Ready, Blocked, Done };

enum class WaitKind : uint8_t {
  None,
  // object = barrier number in the cluster, target = number of completed phases waited for.
  Barrier,
  // object = scope, until all threads of the block have come.
  ScopeEntry,
  // Until bulk groups below `target` have been read, or written.
  BulkRead,
  BulkWrite,
  // Until wgmma groups below `target` are complete.
  Wgmma,
  // What the thread waited for has come; the instruction that waits takes note and goes on.
  Granted,
};

struct Wait {
  WaitKind kind = WaitKind::None;
  uint32_t object = 0;
  int64_t target = 0;
  bool operator==(const Wait&) const = default;
};

// A committed bulk group (copies to GMEM) that is not complete.
struct BulkGroup {
  uint64_t number = 0;
  uint32_t reads_pending = 0;
  uint32_t writes_pending = 0;
};

struct ThreadState {
  uint32_t pc = 0;
  ThreadStatus status = ThreadStatus::Ready;
  Wait wait;
  // Numbers the thread's visible events; with the thread's index, an event's name in any schedule.
  uint64_t events = 0;
  // Not 0 once the thread has let others go first: it is worth running again when the machine's
  // progress count is greater than this.
  uint64_t polled_at = 0;
  // Instructions since the thread last gave way to others.
  uint64_t run_length = 0;
  // Copies to GMEM since the last commit.
  BulkGroup open_group;
  // Oldest first.
  std::vector<BulkGroup> bulk_groups;
  uint64_t bulk_committed = 0;
  // Groups below this number hold no copy whose source the thread has not seen read.
  uint64_t bulk_reads_awaited = 0;
  // The last copy to GMEM: one more than its group's number, its source and its instruction.
  uint64_t last_bulk_group = 0;
  uint32_t last_bulk_site = 0;
  uint32_t last_bulk_pc = 0;
  uint64_t wgmma_issued = 0;
  uint64_t wgmma_complete = 0;
  // Barriers that the thread has waited on and freed since it last allocated barriers.
  std::vector<uint32_t> freed_barriers;
};

// One mbarrier. Of hardware's single parity bit the whole phase number is kept, so that a wait on a
// phase of the right parity but the wrong number is found.
struct BarrierState {
  // The barrier array that it is part of now: scopes one after another use the same barriers.
  uint32_t site = 0;
  int64_t arrivals = 0;
  int64_t pending_bytes = 0;
  // Bytes announced in this phase, for reports.
  int64_t expected_bytes = 0;
  // Completed phases.
  int64_t phase = 0;
  // Threads (bit = number in block) that waited on it, freed it and then allocated other barriers.
  uint32_t reallocated = 0;
};

struct ScopeState {
  uint32_t waiting = 0;
  uint32_t inside = 0;
  // Counts the instances of the scope in this block.
  uint64_t generation = 0;
};

// What another block of the cluster did to an instance of a scope that this block has yet to enter:
// on hardware the barriers are there all along, and shared memory keeps what is written to it. It
// comes into effect when the block enters.
struct EarlyEvent {
  uint32_t block = 0;
  uint32_t scope = 0;
  // ScopeState::generation of the instance.
  uint64_t generation = 0;
  // Who acts, and the barrier in the cluster that tells of it.
  EventId event;
  uint32_t pc = 0;
  uint32_t barrier = UINT32_MAX;
  // What counts towards the barrier.
  int64_t arrivals = 0;
  int64_t bytes = 0;
  // Otherwise a write: where, and the elements in register form.
  bool write = false;
  Access access;
  std::vector<std::byte> values;
};

enum class AgentStage : uint8_t { Free, Issued, Read, Written };

// An asynchronous operation under way. Its instruction says what its events do.
struct Agent {
  AgentStage stage = AgentStage::Free;
  uint32_t thread = 0;
  uint32_t pc = 0;
  // Index in ClusterState::agents; kNoAgent while the issuing instruction runs.
  uint32_t place = kNoAgent;
  // The issuing thread's event number: the agent's name in any schedule.
  uint64_t event = 0;
  // Counts all agents of the cluster in order of issue.
  uint64_t order = 0;
  Access operands[3];
  // Barrier in the cluster, or group number of the issuing thread.
  uint32_t barrier = UINT32_MAX;
  uint64_t group = 0;
  int64_t bytes = 0;
};

struct Print {
  uint32_t thread = 0;
  std::string text;
};

struct ClusterState {
  // One less is still a valid ThreadState::polled_at.
  static constexpr uint64_t kFirstProgress = 2;

  int64_t cluster = 0;
  // blocks x threads.
  std::vector<ThreadState> threads;
  // Register files, one after another.
  AlignedBytes registers;
  // Shared memory of the blocks, one after another.
  AlignedBytes smem;
  std::vector<BarrierState> barriers;
  // barriers x threads of the block: phases observed, -1 before the first wait.
  std::vector<int64_t> observed;
  // blocks x scopes.
  std::vector<ScopeState> scopes;
  // In the order in which they happened.
  std::vector<EarlyEvent> early;
  std::vector<Agent> agents;
  // Loop iterations of agent i's thread at issue, outermost first, at i * Program::loop_depth. The
  // thread goes on, so its registers no longer say.
  std::vector<int64_t> agent_iterations;
  // Staging memory of agent i at i * Program::staging_bytes.
  AlignedBytes staging;
  uint64_t agents_issued = 0;
  // Grows whenever something that a poll could see may have changed.
  uint64_t progress = kFirstProgress;
  uint64_t steps = 0;
  std::vector<Print> prints;
  // The thread that ran last, if it could have gone on; the fixed schedule lets it.
  std::optional<uint32_t> running;
  uint64_t choices_made = 0;
  // With MachineOptions::record_choices.
  std::vector<Choice> choices;
};

}  // namespace pallasite
