// Happens-before by vector clocks, after the rules of JAX's interpreter (jax/_src/pallas/
// mosaic_gpu/interpret/race_detection_state.py), as the plainest checker that the interfaces have
// to carry: full clocks, a log of every access.
//
// Each thread has two clocks: what its generic accesses come after, and what its async accesses
// come after. A fence lifts the second to the first. It differs from JAX's interpreter on purpose:
// an operation has an identity of its own instead of one of five; a waiter takes over what arrived
// up to its phase, not what has arrived since (else the verdict depends on the schedule); groups
// are those that were committed; clusters are concurrent; operands of wgmma are checked.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "pallasite/san/test_observed_run.h"
#include "pallasite/sim/transfer.h"

namespace pallasite::test {

using Clock = std::map<uint32_t, uint64_t>;

inline void join(Clock& clock, const Clock& other) {
  for (const auto& [id, tick] : other) clock[id] = std::max(clock[id], tick);
}

struct Bundle {
  Clock generic;
  Clock async;

  void join(const Bundle& other) {
    test::join(generic, other.generic);
    test::join(async, other.async);
  }
  Bundle after(uint32_t id, uint64_t tick) const {
    Bundle later = *this;
    later.generic[id] = tick;
    later.async[id] = tick;
    return later;
  }
};

enum class RaceKind : uint8_t {
  // Nothing orders the two.
  Unordered,
  // Ordered, but no fence makes a generic access known to the async proxy.
  MissingFence,
  // In different clusters.
  Clusters,
  // Not a pair: a copy to global memory whose source nobody has waited for at the thread's end.
  UnawaitedRead,
};

// The two instructions in order, each with its thread in the cluster.
struct Race {
  RaceKind kind = RaceKind::Unordered;
  std::pair<uint32_t, uint32_t> first;
  std::pair<uint32_t, uint32_t> second;
  auto operator<=>(const Race&) const = default;
};

class VectorClockRecorder : public Observer {
 public:
  const std::set<Race>& races() const { return races_; }
  size_t accesses() const { return accesses_; }

  void on_cluster_start(const ClusterMachine& machine) override {
    cluster_ = machine.state().cluster;
    threads_.assign(machine.state().threads.size(), ThreadClocks());
    phases_.assign(machine.state().barriers.size(), {});
    next_id_ = static_cast<uint32_t>(threads_.size());
    agents_.clear();
    std::erase_if(log_, [](const auto& entry) { return entry.first.space != MemorySpace::Gmem; });
  }

  // Memory and barriers of an earlier instance of the scope are others, as in JAX's interpreter.
  void on_fresh(const ClusterMachine& machine, uint32_t block, uint32_t scope) override {
    const ScopeSite& site = machine.program().scopes[scope];
    for (uint32_t a : site.allocations) {
      log_.erase({MemorySpace::Smem, cluster_, block, a});
    }
    for (uint32_t b : site.barriers) {
      const BarrierSite& barrier = machine.program().barriers[b];
      for (uint32_t i = 0; i < barrier.count; ++i) {
        phases_[machine.barrier_number(block, barrier.first + i)].clear();
      }
    }
  }

  void on_issue(const ClusterMachine&, const IssueEvent& event) override {
    ThreadClocks& thread = tick(event.actor.event.thread);
    const uint32_t id = next_id_++;
    agents_[{event.actor.event.thread, event.actor.event.number}] =
        Operation{id, event.actor.pc, event.completion, thread.clocks};
    if (event.completion.kind != Completion::Mbarrier) thread.operations.push_back(event.actor);
  }

  void on_sync(const ClusterMachine&, const SyncEvent& event) override {
    if (event.actor.event.kind != EventKind::Thread) {
      // The bytes of a copy have landed.
      phase(event).join(operation(event.actor).written());
      return;
    }
    ThreadClocks& thread = threads_[event.actor.event.thread];
    switch (event.action) {
      case EffectAction::Fence:
        join(thread.clocks.async, thread.clocks.generic);
        break;
      case EffectAction::Arrive:
        tick(event.actor.event.thread);
        phase(event).join(thread.clocks);
        break;
      case EffectAction::Test:
        if (event.amount == 0) break;
        [[fallthrough]];
      case EffectAction::Wait:
        tick(event.actor.event.thread);
        if (event.barrier != UINT32_MAX) {
          thread.clocks.join(phase(event));
        } else {
          wait_for_groups(thread, event);
        }
        break;
      default:
        break;
    }
  }

  void on_access(const ClusterMachine& machine, const AccessEvent& event) override {
    if (event.plan->space == MemorySpace::Regs) return;
    ++accesses_;
    const bool smem = event.plan->space == MemorySpace::Smem;
    Logged access;
    access.event = event;
    access.cluster = cluster_;
    Bundle clocks;
    bool async = false;
    if (event.actor.event.kind == EventKind::Thread) {
      const ThreadClocks& thread = tick(event.actor.event.thread);
      clocks = thread.clocks;
      access.id = event.actor.event.thread;
      access.tick = clocks.generic.at(access.id);
    } else {
      const Operation& agent = operation(event.actor);
      const bool reads = event.actor.event.kind == EventKind::AgentRead;
      clocks = reads ? agent.read() : agent.written();
      access.id = agent.id;
      access.tick = reads ? kRead : kWritten;
      // The baseline has no async order for reads of global memory.
      async = smem || event.write;
    }
    auto& log = log_[place_of(machine, event)];
    for (const Logged& earlier : log) check(machine, earlier, access, clocks, async);
    log.push_back(access);
  }

  void on_thread_end(const ClusterMachine&, uint32_t thread) override {
    for (const Actor& actor : threads_[thread].operations) {
      const Operation& agent = operation(actor);
      if (agent.completion.kind != Completion::BulkGroup || agent.read_awaited) continue;
      races_.insert({RaceKind::UnawaitedRead, {agent.pc, thread}, {agent.pc, thread}});
    }
  }

 private:
  static constexpr uint64_t kRead = 1;
  static constexpr uint64_t kWritten = 2;

  struct ThreadClocks {
    Bundle clocks;
    // Members of groups, in order of issue.
    std::vector<Actor> operations;
  };
  struct Operation {
    uint32_t id = 0;
    uint32_t pc = 0;
    CompletionChannel completion;
    // Of the thread at issue.
    Bundle issued;
    bool read_awaited = false;

    Bundle read() const { return issued.after(id, kRead); }
    Bundle written() const { return issued.after(id, kWritten); }
  };
  struct Logged {
    AccessEvent event;
    int64_t cluster = 0;
    uint32_t id = 0;
    uint64_t tick = 0;
  };

  ThreadClocks& tick(uint32_t thread) {
    ++threads_[thread].clocks.generic[thread];
    return threads_[thread];
  }

  Operation& operation(const Actor& actor) {
    return agents_.at({actor.event.thread, actor.event.number});
  }

  // What a waiter of the phase comes after.
  Bundle& phase(const SyncEvent& event) {
    std::vector<Bundle>& phases = phases_[event.barrier];
    while (phases.size() <= event.count) {
      phases.push_back(phases.empty() ? Bundle() : phases.back());
    }
    return phases[event.count];
  }

  void wait_for_groups(ThreadClocks& thread, const SyncEvent& event) {
    const bool reads_only = event.group == Completion::BulkGroup && event.amount != 0;
    for (const Actor& actor : thread.operations) {
      Operation& agent = operation(actor);
      if (agent.completion.kind != event.group || agent.completion.count >= event.count) continue;
      agent.read_awaited = true;
      thread.clocks.join(reads_only ? agent.read() : agent.written());
    }
  }

  void check(const ClusterMachine& machine, const Logged& earlier, const Logged& access,
             const Bundle& clocks, bool async) {
    if (!earlier.event.write && !access.event.write) return;
    const auto known = [&](const Clock& clock) {
      const auto it = clock.find(earlier.id);
      return it != clock.end() && it->second >= earlier.tick;
    };
    Race race;
    if (earlier.cluster != access.cluster) {
      race.kind = RaceKind::Clusters;
    } else if (known(async ? clocks.async : clocks.generic)) {
      return;
    } else if (known(clocks.generic)) {
      race.kind = RaceKind::MissingFence;
    }
    if (!overlap(machine, earlier.event, access.event)) return;
    race.first = {earlier.event.actor.pc, earlier.event.actor.event.thread};
    race.second = {access.event.actor.pc, access.event.actor.event.thread};
    if (race.second < race.first) std::swap(race.first, race.second);
    races_.insert(race);
  }

  static bool overlap(const ClusterMachine& machine, const AccessEvent& a, const AccessEvent& b) {
    if (!a.plan->remapped && !b.plan->remapped) {
      for (size_t d = 0; d < a.plan->logical_shape.size(); ++d) {
        if (a.access.start[d] > b.access.start[d] + b.plan->reach[d] ||
            b.access.start[d] > a.access.start[d] + a.plan->reach[d]) {
          return false;
        }
      }
    }
    const auto runs = [&](const AccessEvent& event) {
      std::vector<std::pair<int64_t, int64_t>> ranges;
      for_each_element_run(*event.plan, event.access, machine.site(*event.plan).layout,
                           [&](int64_t first, int64_t count) {
                             ranges.push_back({first, first + count});
                           });
      std::sort(ranges.begin(), ranges.end());
      return ranges;
    };
    const auto x = runs(a), y = runs(b);
    for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
      if (i->first < j->second && j->first < i->second) return true;
      i->second < j->second ? ++i : ++j;
    }
    return false;
  }

  int64_t cluster_ = 0;
  uint32_t next_id_ = 0;
  std::vector<ThreadClocks> threads_;
  // Per barrier and phase.
  std::vector<std::vector<Bundle>> phases_;
  // By thread and event number of the issuing instruction.
  std::map<std::pair<uint32_t, uint64_t>, Operation> agents_;
  std::map<Place, std::vector<Logged>> log_;
  std::set<Race> races_;
  size_t accesses_ = 0;
};

}  // namespace pallasite::test
