// The machine that runs one cluster: steps its threads and agents, keeps memory and barriers.
//
// Ops act through it; it tells observers. All its state that outlives a step is in ClusterState.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/numerics/contraction.h"
#include "pallasite/sim/gmem.h"
#include "pallasite/sim/observer.h"
#include "pallasite/sim/program.h"
#include "pallasite/sim/state.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

// When the data of an asynchronous operation moves.
enum class AsyncValues : uint8_t {
  // At issue.
  Eager,
  // As late as the rules let it: destinations hold poison until then.
  Late,
};

struct MachineOptions {
  AsyncValues async_values = AsyncValues::Eager;
  // Floats of fresh memory are zero instead of NaN (JAX's uninitialized_memory="zero").
  bool zero_fill = false;
  // A load reads what fresh memory holds where it leaves an array, and is no fault (JAX's
  // out_of_bounds_reads="uninitialized").
  bool fill_out_of_bounds_loads = false;
  // Instructions that the cluster may run; none: no limit.
  std::optional<uint64_t> max_steps;
  // Set from anywhere to end the run.
  std::atomic<bool>* interrupted = nullptr;
  // Called now and then by the machine; true sets `interrupted`.
  const std::function<bool()>* poll_interrupt = nullptr;
  // Keeps what a policy picked in ClusterState::choices.
  bool record_choices = false;
};

// How the run of a cluster ended.
enum class Outcome : uint8_t {
  Finished,
  // A diagnostic of the kernel ended it.
  Fault,
  StepLimit,
  Interrupted,
  // Paused by run_turns.
  Paused,
};

// What happens at the events of an asynchronous operation. One static object per op; an instruction
// that issues agents has a payload that starts with AgentPayload.
struct AgentBehavior {
  // Reads the sources into staging memory.
  void (*read)(ClusterMachine&, const Agent&, std::byte* staging) = nullptr;
  // Writes the destination from staging memory.
  void (*write)(ClusterMachine&, const Agent&, const std::byte* staging) = nullptr;
  // Both at once, without staging.
  void (*transfer)(ClusterMachine&, const Agent&) = nullptr;
  // At issue, when the data moves later: saves what the operation takes from registers.
  void (*capture)(ClusterMachine&, const Agent&, std::byte* staging) = nullptr;
  // Fills the destination with poison, when the data comes later.
  void (*poison)(ClusterMachine&, const Agent&) = nullptr;
  // Where `thread` writes in the shared memory of every block of its multicast.
  const AccessPlan& (*peer_plan)(const ClusterMachine&, uint32_t thread, uint32_t pc) = nullptr;
  // Announces the end.
  void (*complete)(ClusterMachine&, const Agent&) = nullptr;
  // How the end of the accesses is announced.
  Completion completion = Completion::Now;
  // Agents of one thread with the same behaviour start their reads in order of issue.
  bool in_order = false;
};
struct AgentPayload {
  const AgentBehavior* behavior = nullptr;
};

// The coordinates that an access spans in its allocation, for reports.
Box box_of(const AccessPlan& plan, const Access& access);

class ClusterMachine {
 public:
  // `policy` null is the fixed schedule. The state is started anew by `start`.
  ClusterMachine(const Program& program, ClusterState& state, std::vector<GmemBuffer> gmem,
                 const MachineOptions& options, const Policy* policy = nullptr,
                 std::vector<Observer*> observers = {}, Footprint* footprint = nullptr,
                 FreshMemory* fresh = nullptr);
  ~ClusterMachine();

  // Puts the state at the start of a cluster's program.
  void start(int64_t cluster);
  // Runs to the end; a state that was copied in the middle goes on from there.
  Outcome run();
  // Runs at most `turns` scheduler turns, for tests and debuggers.
  Outcome run_turns(uint64_t turns);

  const std::vector<Diagnostic>& findings() const { return findings_; }
  // Findings about values come first: what else was found may follow from them. They are in the
  // order of the kernel's text, so that neither the schedule nor fusion changes it.
  std::vector<Diagnostic> take_findings();

  // --- for ops ---
  const Program& program() const { return program_; }
  const MachineOptions& options() const { return options_; }
  ClusterState& state() { return state_; }
  const ClusterState& state() const { return state_; }
  // One buffer for each parameter of the kernel.
  const std::vector<GmemBuffer>& gmem() const { return gmem_; }
  ThreadState& thread(uint32_t index) { return state_.threads[index]; }
  const Instruction& instruction(uint32_t pc) const { return program_.code[pc]; }
  std::byte* registers(uint32_t thread) {
    return state_.registers.data() + size_t{thread} * program_.register_bytes;
  }
  uint32_t block_of(uint32_t thread) const { return thread / program_.threads_per_block; }
  uint32_t thread_in_block(uint32_t thread) const { return thread % program_.threads_per_block; }
  // Index of a thread along a grid, cluster or thread axis (AxisRef of ops/thread.cc).
  int64_t grid_coordinate(size_t axis) const;
  int64_t cluster_coordinate(uint32_t block, size_t axis) const;
  // The blocks that differ from `block` only along the given cluster axes, itself included, in
  // order.
  std::vector<uint32_t> blocks_along(uint32_t block, const std::vector<uint32_t>& axes) const;

  // Memory. `block` owns the shared memory; `thread` the registers.
  std::byte* data(const AccessPlan& plan, uint32_t thread, uint32_t block);
  // False for parameters that nothing in the kernel writes.
  bool may_change(const AccessPlan& plan) const;
  const AllocationSite& site(const AccessPlan& plan) const {
    return program_.allocations[plan.site];
  }
  // Tells observers and the footprint about an access that is about to happen.
  void touch(const Actor& actor, const AccessPlan& plan, const Access& access, bool write,
             Proxy proxy, CompletionChannel completion, uint32_t owner);

  // Has fresh memory where an access that is about to happen needs it; `touch` does it too.
  void prepare_fresh(const AccessPlan& plan, const Access& access, bool write);

  // Barriers, by number in the cluster.
  uint32_t barrier_number(uint32_t block, uint32_t index_in_block) const {
    return block * program_.barriers_per_block + index_in_block;
  }
  // The barrier of the thread's block that a view selects; UINT32_MAX after a fault
  // (barrier.index).
  uint32_t select_barrier(Thread& thread, const BarrierView& view);
  // Each returns false when the event is a fault, which has then been recorded.
  bool barrier_arrive(const Actor& actor, uint32_t barrier, int64_t count = 1);
  bool barrier_expect(const Actor& actor, uint32_t barrier, int64_t bytes);
  bool barrier_complete_bytes(const Actor& actor, uint32_t barrier, int64_t bytes);
  // The same on the barrier that a peer block has in place of `own`.
  bool peer_arrive(const Actor& actor, uint32_t own, uint32_t peer);
  bool peer_complete_bytes(const Actor& actor, uint32_t own, uint32_t peer, int64_t bytes);
  Step barrier_wait(Thread& thread, uint32_t barrier);
  // Non-blocking; `*passed` tells whether the phase was complete.
  Step barrier_test(Thread& thread, uint32_t barrier, bool* passed);
  const BarrierSite& barrier_site(uint32_t barrier) const;
  std::string barrier_name(uint32_t barrier) const;

  // Scopes.
  Step scope_enter(Thread& thread, uint32_t scope);
  // The thread has run all of the kernel.
  Step end_thread(Thread& thread);
  Step scope_exit(Thread& thread, uint32_t scope);
  // Whether `peer` has yet to enter the instance of an allocation's scope that `block` is in, so
  // that a write into its shared memory has to be kept for it.
  bool is_early(uint32_t block, uint32_t peer, const AccessPlan& plan) const;
  void keep_early_write(const Actor& actor, uint32_t own_barrier, uint32_t peer,
                        const AccessPlan& plan, const Access& access, const std::byte* values);

  // Starts an asynchronous operation of the instruction at `agent.pc`.
  void issue(Agent agent);
  // Blocks the thread on `wait`, or goes on if it has been granted.
  Step block(Thread& thread, Wait wait);
  // Looks again at every thread that waits for `kind`.
  void wake_groups(uint32_t thread);
  // Something that a poll may see has changed.
  void note_progress() { ++state_.progress; }

  void note_sync(const SyncEvent& event);
  bool faulted() const { return faulted_; }
  bool observed() const { return !observers_.empty(); }
  Actor actor_of(const Thread& thread) const;
  static Actor actor_of(const Agent& agent, EventKind kind) {
    return {{agent.thread, agent.event, kind}, agent.pc, agent.place};
  }
  // What announces the end of an agent's accesses.
  CompletionChannel channel_of(const Agent& agent) const;
  // Iterations of the loops around the actor's instruction, outermost first: the number of the
  // iteration in which the instruction ran, also for an agent whose thread has moved on. Fills
  // `numbers` up to its size and returns how many loops there are.
  size_t iterations(const Actor& actor, std::span<int64_t> numbers) const;

  // Diagnostics. `at` gives location and thread to a builder.
  ThreadName thread_name(const Actor& actor) const;
  ThreadName thread_name(uint32_t thread, uint32_t pc) const {
    return thread_name({{thread, 0, EventKind::Thread}, pc});
  }
  SourceLocation location(uint32_t pc) const;
  Step fault(const Actor& actor, DiagnosticBuilder builder);
  // Records a finding that does not end the run.
  void report(const Actor& actor, DiagnosticBuilder builder);
  // Findings about values that do not end the run: those of one thread at one op are counted, and
  // the first stands for all. False if the thread has none there yet; `report_value` records it.
  bool count_value_finding(const Actor& actor);
  void report_value(const Actor& actor, DiagnosticBuilder builder);

  ContractionScratch& contraction_scratch() { return contraction_scratch_; }
  // Adds what every thread is doing, and who could still arrive, to a report.
  void describe_stuck(DiagnosticBuilder& builder) const;
  size_t label_arrivals(DiagnosticBuilder& builder, const BarrierSite& site) const;
  // Scratch memory of at least `bytes`, valid until the next call with the same `index` (0 to 3).
  std::byte* scratch(size_t index, size_t bytes);

 private:
  enum class TurnEnd : uint8_t { Progress, Finished, Fault, StepLimit, Interrupted };

  // An event that may happen: a thread that can go on, or the next event of an agent.
  struct Enabled {
    EventId event;
    // Thread or agent.
    uint32_t subject = 0;
  };

  // Op, frame and thread.
  using ValueSite = std::tuple<uint32_t, uint32_t, uint32_t>;

  Outcome cut_short(Outcome outcome);
  TurnEnd turn_fixed();
  TurnEnd turn_with_policy();
  // The order of the fixed schedule: the lowest-numbered thread that can go on, until it cannot;
  // then agents, oldest first; then threads that gave way, all of them once. Nothing if no event is
  // enabled.
  std::optional<Enabled> next_fixed();
  bool worth_running(const ThreadState& thread) const {
    return thread.status == ThreadStatus::Ready && thread.polled_at < state_.progress;
  }
  // Runs a thread until it blocks, polls in vain, ends, faults, or (with a policy) before its next
  // visible instruction.
  Step run_thread(uint32_t index, bool to_next_visible);
  void run_agent_event(uint32_t agent);
  std::optional<EventKind> agent_enabled(const Agent& agent) const;
  TurnEnd stuck();
  bool report_missing_at_scope();
  std::string allocation_names(const ScopeSite& scope) const;
  // After a turn: whether the run has to end for another reason than the kernel.
  TurnEnd check_limits();
  void grant(uint32_t thread);
  bool complete_phase_if_done(const Actor& actor, uint32_t barrier);
  TableRow table_row(uint32_t thread) const;
  ValueSite value_site(const Actor& actor) const;
  void note_scope(const Thread& thread, uint32_t scope, bool enter, bool last);
  Step block_on_scope(Thread& thread, uint32_t scope, const ScopeState& instance);
  bool check_freed_barriers(Thread& thread);
  void fill_registers(uint32_t thread, const ScopeSite& scope);
  void fill_shared(uint32_t block, const ScopeSite& scope);
  void fill_before_start();
  bool scope_is_early(uint32_t block, uint32_t peer, uint32_t scope) const;
  EarlyEvent early_event(const Actor& actor, uint32_t own_barrier, uint32_t peer) const;
  bool keep_early_signal(const Actor& actor, uint32_t own, uint32_t peer, int64_t arrivals,
                         int64_t bytes);
  bool deliver_early(uint32_t block, uint32_t scope);

  const Program& program_;
  ClusterState& state_;
  std::vector<GmemBuffer> gmem_;
  MachineOptions options_;
  const Policy* policy_;
  std::vector<Observer*> observers_;
  Footprint* footprint_;
  FreshMemory* fresh_;
  std::vector<Diagnostic> findings_;
  std::map<ValueSite, Diagnostic> value_findings_;
  bool faulted_ = false;
  uint32_t turns_since_poll_ = 0;
  // Memory of turn_with_policy, kept from turn to turn.
  std::vector<Enabled> enabled_;
  std::vector<EventId> enabled_ids_;
  ContractionScratch contraction_scratch_;
  AlignedBytes scratch_[4];
};

inline Step Thread::jump(uint32_t pc) {
  state_.pc = pc;
  return Step::Jump;
}

}  // namespace pallasite
