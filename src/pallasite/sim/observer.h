// What checkers see of a run. The machine tells every installed observer; with none, no event is
// built. docs/interfaces.md says what each field may be relied on for.
//
// Promises:
// - Events come in the order in which the schedule performs them. An access is told before its
//   bytes change hands, an issue before the first access of its agent, a synchronisation event
//   after its effect.
// - All ids are static (sites, ops) or follow from the program order of a thread (event numbers),
//   so they are the same in every schedule in which the event happens. One instruction may cause
//   several events; they share its event number.
// - Pointers (plans) point into the Program and live as long as it does.
// - Clusters are observed one at a time.
#pragma once

#include <cstdint>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/program.h"
#include "pallasite/sim/schedule.h"
#include "pallasite/sim/view.h"

namespace pallasite {

class ClusterMachine;

// Who acts: a thread, or an agent that it issued. An agent's events have the event number of the
// instruction that issued it. ClusterMachine::iterations and thread_name know for both the loop
// iterations of that instruction.
struct Actor {
  EventId event;
  uint32_t pc = 0;
  // Of an agent whose thread has moved on: its place in ClusterState::agents.
  uint32_t agent = kNoAgent;
};

// What the end of an asynchronous access is announced by.
struct CompletionChannel {
  Completion kind = Completion::Now;
  // Mbarrier: number in the cluster.
  uint32_t barrier = UINT32_MAX;
  // Mbarrier: the phase that the access is part of. Groups: the group's number in the issuing
  // thread.
  uint64_t count = 0;
};

// A thread starts an asynchronous operation. The thread's state at this moment is what the
// operation may rely on; its accesses follow, at once or much later.
struct IssueEvent {
  // The thread, at the issuing instruction.
  Actor actor;
  // Of a multicast: the issuing block's own barrier.
  CompletionChannel completion;
};

struct AccessEvent {
  Actor actor;
  bool write = false;
  Proxy proxy = Proxy::Generic;
  CompletionChannel completion;
  const AccessPlan* plan = nullptr;
  Access access;
  // The block whose shared memory is accessed; the thread whose registers; 0 for global memory.
  uint32_t owner = 0;
  // Whole elements are skipped where the access is out of bounds (copies).
  bool clipped = false;
};

struct SyncEvent {
  Actor actor;
  EffectAction action = EffectAction::Fence;
  // Barrier number in the cluster; UINT32_MAX for thread-wide events (fences, groups).
  uint32_t barrier = UINT32_MAX;
  // Which counter a thread-wide Commit or Wait is about.
  Completion group = Completion::Now;
  // Barrier: the phase that the event counts towards, or that a wait or test asks for, from 0.
  // Commit: the number of the group. Group wait: groups below this number are complete.
  uint64_t count = 0;
  // Arrivals or bytes; for a test, whether it succeeded; for a bulk wait, 1 if only reads are
  // awaited.
  int64_t amount = 0;
  // The event completed a phase of the barrier.
  bool completes_phase = false;
};

// A thread enters a scope, after its memory is there; or leaves it, before it is gone.
struct ScopeEvent {
  Actor actor;
  uint32_t scope = 0;
  bool enter = false;
  // On leaving: no thread is left inside.
  bool last = false;
  // Of a collective scope: counts its instances in the block from 0. All threads of the block came
  // to the entry of instance n before any of them entered it.
  uint64_t instance = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_cluster_start(const ClusterMachine&) {}
  // Only of a cluster that ran to its end.
  virtual void on_cluster_end(const ClusterMachine&) {}
  // Of one that a fault, a limit or an interrupt ended: the machine is as that left it. No event
  // follows.
  virtual void on_cluster_cut_short(const ClusterMachine&) {}
  virtual void on_thread_end(const ClusterMachine&, uint32_t thread) { (void)thread; }
  // The shared memory and the barriers of a scope come to life in a block: nothing has been written
  // to them. In a cluster of several blocks the first instances do so at the start, since peers may
  // write before a block has entered. Registers come to life when their thread enters (on_scope).
  virtual void on_fresh(const ClusterMachine&, uint32_t block, uint32_t scope) {
    (void)block, (void)scope;
  }
  virtual void on_scope(const ClusterMachine&, const ScopeEvent&) {}
  virtual void on_issue(const ClusterMachine&, const IssueEvent&) {}
  virtual void on_access(const ClusterMachine&, const AccessEvent&) {}
  virtual void on_sync(const ClusterMachine&, const SyncEvent&) {}
};

}  // namespace pallasite
