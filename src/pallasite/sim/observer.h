// What checkers see of a run. The machine tells every enabled observer; with none, nothing is
// built.
//
// Promises: events come in the order in which the schedule performs them. An access is told before
// its bytes change hands, a synchronisation event after its effect. All ids are static (sites, ops)
// or follow from the program order of a thread (event numbers), so they are the same in every
// schedule in which the event happens. Clusters are observed one at a time, or by one observer
// each.
#pragma once

#include <cstdint>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/program.h"
#include "pallasite/sim/schedule.h"
#include "pallasite/sim/view.h"

namespace pallasite {

class ClusterMachine;

// Who acts: a thread, or an agent that it issued.
struct Actor {
  EventId event;
  uint32_t pc = 0;
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

struct AccessEvent {
  Actor actor;
  bool write = false;
  Proxy proxy = Proxy::Generic;
  CompletionChannel completion;
  const AccessPlan* plan = nullptr;
  Access access;
  // The block whose shared memory is accessed; the thread's number for registers.
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
  // Barrier: completed phases before the event. Group: its number, or for a wait the number of
  // groups that are complete afterwards.
  uint64_t count = 0;
  // Arrivals or bytes; for a test, whether it succeeded; for a bulk wait, 1 if only reads are
  // awaited.
  int64_t amount = 0;
  // The event completed a phase of the barrier.
  bool completes_phase = false;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_cluster_start(const ClusterMachine&) {}
  virtual void on_cluster_end(const ClusterMachine&) {}
  virtual void on_thread_end(const ClusterMachine&, uint32_t thread) { (void)thread; }
  virtual void on_access(const ClusterMachine&, const AccessEvent&) {}
  virtual void on_sync(const ClusterMachine&, const SyncEvent&) {}
  // A thread enters a scope, after its memory is there; or leaves it, before it is gone. `last` is
  // set when no thread is left inside.
  virtual void on_scope(const ClusterMachine&, const Actor&, uint32_t scope, bool enter,
                        bool last) {
    (void)scope, (void)enter, (void)last;
  }
};

}  // namespace pallasite
