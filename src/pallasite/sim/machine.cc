#include "pallasite/sim/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pallasite/base/check.h"
#include "pallasite/ir/location.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

// A thread that runs this long without blocking lets the others have a turn, so that a loop that
// waits for a value in memory does not keep the one that would write it from running.
constexpr uint64_t kQuantum = 1 << 18;
// Turns between two calls of the interrupt poll.
constexpr uint32_t kPollPeriod = 32;

}  // namespace

Box box_of(const AccessPlan& plan, const Access& access) {
  Box box;
  for (size_t d = 0; d < plan.logical_shape.size(); ++d) {
    box.begin.push_back(access.start[d]);
    box.end.push_back(access.start[d] + plan.reach[d] + 1);
  }
  return box;
}

ClusterMachine::ClusterMachine(const Program& program, ClusterState& state,
                               std::vector<GmemBuffer> gmem, const MachineOptions& options,
                               const Policy* policy, std::vector<Observer*> observers,
                               Footprint* footprint, FreshMemory* fresh)
    : program_(program),
      state_(state),
      gmem_(std::move(gmem)),
      options_(options),
      policy_(policy),
      observers_(std::move(observers)),
      footprint_(footprint),
      fresh_(fresh) {}

ClusterMachine::~ClusterMachine() = default;

void ClusterMachine::start(int64_t cluster) {
  const size_t blocks = program_.blocks_per_cluster;
  const size_t threads = blocks * program_.threads_per_block;
  state_.cluster = cluster;
  state_.threads.assign(threads, ThreadState());
  state_.registers.resize(threads * program_.register_bytes);
  for (uint32_t t = 0; t < threads; ++t) {
    for (const RegisterConstant& constant : program_.constants) {
      std::copy(constant.data.begin(), constant.data.end(), registers(t) + constant.slot);
    }
  }
  // Scopes fill their memory when they are entered, so the bytes of an earlier cluster never show.
  state_.smem.resize(blocks * program_.smem_bytes);
  state_.barriers.assign(blocks * program_.barriers_per_block, BarrierState());
  state_.observed.assign(state_.barriers.size() * program_.threads_per_block, -1);
  state_.scopes.assign(blocks * program_.scopes.size(), ScopeState());
  state_.early.clear();
  state_.agents.clear();
  state_.agents_issued = 0;
  state_.progress = ClusterState::kFirstProgress;
  state_.steps = 0;
  state_.prints.clear();
  state_.running.reset();
  state_.choices.clear();
  state_.choices_made = 0;
  findings_.clear();
  value_findings_.clear();
  faulted_ = false;
  for (Observer* observer : observers_) observer->on_cluster_start(*this);
  fill_before_start();
}

Outcome ClusterMachine::run() {
  return run_turns(UINT64_MAX);
}

Outcome ClusterMachine::run_turns(uint64_t turns) {
  for (; turns > 0; --turns) {
    switch (policy_ == nullptr ? turn_fixed() : turn_with_policy()) {
      case TurnEnd::Progress:
        break;
      case TurnEnd::Finished:
        for (Observer* observer : observers_) observer->on_cluster_end(*this);
        return Outcome::Finished;
      case TurnEnd::Fault:
        return cut_short(Outcome::Fault);
      case TurnEnd::StepLimit:
        return cut_short(Outcome::StepLimit);
      case TurnEnd::Interrupted:
        return cut_short(Outcome::Interrupted);
    }
  }
  return Outcome::Paused;
}

Outcome ClusterMachine::cut_short(Outcome outcome) {
  for (Observer* observer : observers_) observer->on_cluster_cut_short(*this);
  return outcome;
}

std::optional<ClusterMachine::Enabled> ClusterMachine::next_fixed() {
  const auto first_thread = [&]() -> std::optional<Enabled> {
    for (uint32_t t = 0; t < state_.threads.size(); ++t) {
      const ThreadState& thread = state_.threads[t];
      if (thread.status != ThreadStatus::Ready || thread.polled_at != 0) continue;
      return Enabled{{t, thread.events, EventKind::Thread}, t};
    }
    return std::nullopt;
  };
  const auto oldest_agent = [&]() -> std::optional<Enabled> {
    std::optional<Enabled> oldest;
    for (uint32_t a = 0; a < state_.agents.size(); ++a) {
      const Agent& agent = state_.agents[a];
      const auto kind = agent_enabled(agent);
      if (!kind || (oldest && state_.agents[oldest->subject].order < agent.order)) continue;
      oldest = Enabled{{agent.thread, agent.event, *kind}, a};
    }
    return oldest;
  };
  // Eager agents end where they are issued.
  const bool eager = options_.async_values == AsyncValues::Eager;
  if (eager && policy_ != nullptr) {
    if (const auto agent = oldest_agent()) return agent;
  }
  if (state_.running) {
    const ThreadState& thread = state_.threads[*state_.running];
    return Enabled{{*state_.running, thread.events, EventKind::Thread}, *state_.running};
  }
  if (const auto thread = first_thread()) return thread;
  if (const auto agent = oldest_agent()) return agent;
  for (ThreadState& thread : state_.threads) {
    if (worth_running(thread)) thread.polled_at = 0;
  }
  return first_thread();
}

ClusterMachine::TurnEnd ClusterMachine::turn_fixed() {
  const std::optional<Enabled> next = next_fixed();
  if (!next) return stuck();
  if (next->event.kind == EventKind::Thread) {
    run_thread(next->subject, false);
  } else {
    run_agent_event(next->subject);
  }
  return check_limits();
}

ClusterMachine::TurnEnd ClusterMachine::check_limits() {
  if (faulted_) return TurnEnd::Fault;
  if (options_.max_steps && state_.steps >= *options_.max_steps &&
      std::any_of(state_.threads.begin(), state_.threads.end(),
                  [](const ThreadState& thread) { return thread.status != ThreadStatus::Done; })) {
    return TurnEnd::StepLimit;
  }
  if (options_.poll_interrupt != nullptr && ++turns_since_poll_ >= kPollPeriod) {
    turns_since_poll_ = 0;
    if ((*options_.poll_interrupt)()) *options_.interrupted = true;
  }
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed)) {
    return TurnEnd::Interrupted;
  }
  return TurnEnd::Progress;
}

ClusterMachine::TurnEnd ClusterMachine::turn_with_policy() {
  const std::optional<Enabled> fixed = next_fixed();
  if (!fixed) return stuck();
  enabled_.clear();
  for (uint32_t t = 0; t < state_.threads.size(); ++t) {
    const ThreadState& thread = state_.threads[t];
    if (worth_running(thread)) enabled_.push_back({{t, thread.events, EventKind::Thread}, t});
  }
  for (uint32_t a = 0; a < state_.agents.size(); ++a) {
    const Agent& agent = state_.agents[a];
    if (const auto kind = agent_enabled(agent)) {
      enabled_.push_back({{agent.thread, agent.event, *kind}, a});
    }
  }
  size_t picked = 0;
  if (enabled_.size() > 1) {
    std::sort(enabled_.begin(), enabled_.end(),
              [](const Enabled& a, const Enabled& b) { return a.event < b.event; });
    enabled_ids_.clear();
    for (const Enabled& enabled : enabled_) enabled_ids_.push_back(enabled.event);
    ChoicePoint point;
    point.number = state_.choices_made;
    point.enabled = enabled_ids_;
    point.fixed = static_cast<size_t>(
        std::find(enabled_ids_.begin(), enabled_ids_.end(), fixed->event) - enabled_ids_.begin());
    picked = policy_->choose(point);
    if (picked >= enabled_.size()) {
      const uint32_t thread = enabled_ids_[0].thread;
      fault({enabled_ids_[0], state_.threads[thread].pc},
            DiagnosticBuilder(Kind::SchedReplayMismatch)
                .variant("choice")
                .arg("choice", state_.choices_made));
      return TurnEnd::Fault;
    }
    ++state_.choices_made;
    if (options_.record_choices) {
      state_.choices.push_back({enabled_ids_, static_cast<uint32_t>(picked)});
    }
  }
  const Enabled next = enabled_[picked];
  if (next.event.kind == EventKind::Thread) {
    run_thread(next.subject, true);
  } else {
    run_agent_event(next.subject);
  }
  return check_limits();
}

Step ClusterMachine::run_thread(uint32_t index, bool to_next_visible) {
  ThreadState& state = state_.threads[index];
  Thread thread(*this, state, registers(index), index);
  state.polled_at = 0;
  const Instruction* code = program_.code.data();
  uint64_t budget = kQuantum - state.run_length;
  if (options_.max_steps) {
    budget = std::min(budget, *options_.max_steps - std::min(*options_.max_steps, state_.steps));
  }
  Step step = Step::Next;
  uint64_t run = 0;
  uint64_t visible = 0;
  while (run < budget) {
    const Instruction& instruction = code[state.pc];
    if (instruction.visible) {
      if (to_next_visible && visible > 0) break;
      ++visible;
    }
    ++run;
    step = instruction.exec(thread, instruction);
    if (step == Step::Next) [[likely]] {
      ++state.pc;
      state.events += instruction.visible;
      continue;
    }
    if (step == Step::Jump) continue;
    if (step == Step::Yielded || step == Step::Polled) {
      ++state.pc;
      ++state.events;
    }
    break;
  }
  state_.steps += run;
  state.run_length += run;
  const bool goes_on = step == Step::Next || step == Step::Jump;
  // A thread whose quantum is over gives way like one whose test failed.
  if (step == Step::Polled) {
    state.polled_at = state_.progress;
  } else if (step == Step::Yielded || (goes_on && state.run_length >= kQuantum)) {
    state.polled_at = state_.progress - 1;
  }
  if (!goes_on || state.run_length >= kQuantum) {
    state.run_length = 0;
    state_.running.reset();
  } else {
    state_.running = index;
  }
  if (step == Step::Done) {
    state.status = ThreadStatus::Done;
    note_progress();
    for (Observer* observer : observers_) observer->on_thread_end(*this, index);
  }
  return step;
}

std::optional<EventKind> ClusterMachine::agent_enabled(const Agent& agent) const {
  if (agent.stage == AgentStage::Free) return std::nullopt;
  const auto* payload = static_cast<const AgentPayload*>(program_.code[agent.pc].payload);
  if (payload->behavior->in_order) {
    for (const Agent& other : state_.agents) {
      if (other.stage == AgentStage::Free || other.thread != agent.thread ||
          other.order >= agent.order) {
        continue;
      }
      const auto* before = static_cast<const AgentPayload*>(program_.code[other.pc].payload);
      if (before->behavior == payload->behavior) return std::nullopt;
    }
  }
  switch (agent.stage) {
    case AgentStage::Issued:
      return EventKind::AgentRead;
    case AgentStage::Read:
      return EventKind::AgentWrite;
    default:
      return EventKind::AgentComplete;
  }
}

void ClusterMachine::run_agent_event(uint32_t index) {
  // Copied: completing an agent frees its place in the table.
  const Agent agent = state_.agents[index];
  const auto* payload = static_cast<const AgentPayload*>(program_.code[agent.pc].payload);
  std::byte* staging = state_.staging.data() + size_t{index} * program_.staging_bytes;
  note_progress();
  switch (agent.stage) {
    case AgentStage::Issued:
      payload->behavior->read(*this, agent, staging);
      state_.agents[index].stage = AgentStage::Read;
      return;
    case AgentStage::Read:
      payload->behavior->write(*this, agent, staging);
      state_.agents[index].stage = AgentStage::Written;
      return;
    case AgentStage::Written:
      state_.agents[index].stage = AgentStage::Free;
      payload->behavior->complete(*this, agent);
      return;
    case AgentStage::Free:
      return;
  }
}

void ClusterMachine::issue(Agent agent) {
  const auto* payload = static_cast<const AgentPayload*>(program_.code[agent.pc].payload);
  agent.order = state_.agents_issued++;
  note_progress();
  if (observed()) {
    const IssueEvent event = {actor_of(agent, EventKind::Thread), channel_of(agent)};
    for (Observer* observer : observers_) observer->on_issue(*this, event);
  }
  const bool eager = options_.async_values == AsyncValues::Eager;
  if (eager) {
    payload->behavior->transfer(*this, agent);
    // Under the fixed schedule nothing can come between the data and the completion.
    if (policy_ == nullptr) {
      if (!faulted_) payload->behavior->complete(*this, agent);
      return;
    }
    agent.stage = AgentStage::Written;
  } else {
    agent.stage = AgentStage::Issued;
  }
  uint32_t place = 0;
  while (place < state_.agents.size() && state_.agents[place].stage != AgentStage::Free) ++place;
  if (place == state_.agents.size()) {
    state_.agents.emplace_back();
    state_.staging.resize(state_.agents.size() * program_.staging_bytes);
    state_.agent_iterations.resize(state_.agents.size() * program_.loop_depth);
  }
  if (program_.loop_depth > 0) {
    iterations(
        actor_of(agent, EventKind::Thread),
        {&state_.agent_iterations[size_t{place} * program_.loop_depth], program_.loop_depth});
  }
  if (!eager) {
    if (payload->behavior->capture != nullptr) {
      payload->behavior->capture(*this, agent,
                                 state_.staging.data() + size_t{place} * program_.staging_bytes);
    }
    payload->behavior->poison(*this, agent);
  }
  agent.place = place;
  state_.agents[place] = agent;
}

void ClusterMachine::grant(uint32_t thread) {
  ThreadState& state = state_.threads[thread];
  state.status = ThreadStatus::Ready;
  state.wait.kind = WaitKind::Granted;
}

Step ClusterMachine::block(Thread& thread, Wait wait) {
  ThreadState& state = thread.state();
  state.wait = wait;
  state.status = ThreadStatus::Blocked;
  return Step::Blocked;
}

void ClusterMachine::wake_groups(uint32_t index) {
  ThreadState& state = state_.threads[index];
  // Groups complete in the order of commit.
  while (!state.bulk_groups.empty() && state.bulk_groups.front().writes_pending == 0 &&
         state.bulk_groups.front().reads_pending == 0) {
    state.bulk_groups.erase(state.bulk_groups.begin());
  }
  if (state.status != ThreadStatus::Blocked) return;
  const auto below_target_done = [&](auto pending) {
    return std::none_of(
        state.bulk_groups.begin(), state.bulk_groups.end(), [&](const BulkGroup& group) {
          return static_cast<int64_t>(group.number) < state.wait.target && pending(group) != 0;
        });
  };
  bool done = false;
  switch (state.wait.kind) {
    case WaitKind::BulkRead:
      done = below_target_done([](const BulkGroup& group) { return group.reads_pending; });
      break;
    case WaitKind::BulkWrite:
      done = below_target_done(
          [](const BulkGroup& group) { return group.reads_pending + group.writes_pending; });
      break;
    case WaitKind::Wgmma:
      done = static_cast<int64_t>(state.wgmma_complete) >= state.wait.target;
      break;
    default:
      break;
  }
  if (done) grant(index);
}

int64_t ClusterMachine::grid_coordinate(size_t axis) const {
  const std::vector<int64_t>& grid = program_.module->kernel.grid;
  int64_t rest = state_.cluster;
  for (size_t i = grid.size(); i-- > axis + 1;) rest /= grid[i];
  return rest % grid[axis];
}

int64_t ClusterMachine::cluster_coordinate(uint32_t block, size_t axis) const {
  const std::vector<int64_t>& cluster = program_.module->kernel.cluster;
  int64_t rest = block;
  for (size_t i = cluster.size(); i-- > axis + 1;) rest /= cluster[i];
  return rest % cluster[axis];
}

std::vector<uint32_t> ClusterMachine::blocks_along(uint32_t block,
                                                   const std::vector<uint32_t>& axes) const {
  std::vector<uint32_t> blocks;
  const size_t n = program_.module->kernel.cluster.size();
  for (uint32_t other = 0; other < program_.blocks_per_cluster; ++other) {
    bool same = true;
    for (size_t axis = 0; axis < n && same; ++axis) {
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
      same = cluster_coordinate(other, axis) == cluster_coordinate(block, axis);
    }
    if (same) blocks.push_back(other);
  }
  return blocks;
}

std::byte* ClusterMachine::data(const AccessPlan& plan, uint32_t thread, uint32_t block) {
  const AllocationSite& site = program_.allocations[plan.site];
  switch (plan.space) {
    case MemorySpace::Gmem:
      return gmem_[site.address].data;
    case MemorySpace::Smem:
      return state_.smem.data() + block * program_.smem_bytes + site.address;
    default:
      return registers(thread) + site.address;
  }
}

bool ClusterMachine::may_change(const AccessPlan& plan) const {
  return plan.space != MemorySpace::Gmem ||
         program_.parameter_written[program_.allocations[plan.site].address];
}

void ClusterMachine::prepare_fresh(const AccessPlan& plan, const Access& access, bool write) {
  if (fresh_ == nullptr || plan.space != MemorySpace::Gmem) return;
  const AllocationSite& site = program_.allocations[plan.site];
  const auto buffer = static_cast<uint32_t>(site.address);
  if (!fresh_->tracks(buffer)) return;
  for_each_run(plan, access, site.layout,
               [&](int64_t first, int64_t bytes) { fresh_->touch(buffer, first, bytes, write); });
}

void ClusterMachine::touch(const Actor& actor, const AccessPlan& plan, const Access& access,
                           bool write, Proxy proxy, CompletionChannel completion, uint32_t owner) {
  if (write && plan.space != MemorySpace::Regs) note_progress();
  prepare_fresh(plan, access, write);
  if (footprint_ != nullptr && plan.space == MemorySpace::Gmem) {
    const AllocationSite& site = program_.allocations[plan.site];
    const auto buffer = static_cast<uint32_t>(site.address);
    if (program_.parameter_written[buffer]) {
      for_each_run(plan, access, site.layout, [&](int64_t first, int64_t bytes) {
        footprint_->touch(buffer, first, bytes, write, static_cast<uint32_t>(state_.cluster));
      });
    }
  }
  if (observers_.empty()) return;
  AccessEvent event;
  event.actor = actor;
  event.write = write;
  event.proxy = proxy;
  event.completion = completion;
  event.plan = &plan;
  event.access = access;
  event.owner = plan.space == MemorySpace::Gmem ? 0 : owner;
  event.clipped = !access.in_bounds;
  for (Observer* observer : observers_) observer->on_access(*this, event);
}

void ClusterMachine::note_sync(const SyncEvent& event) {
  for (Observer* observer : observers_) observer->on_sync(*this, event);
}

Actor ClusterMachine::actor_of(const Thread& thread) const {
  const ThreadState& state = state_.threads[thread.index()];
  return {{thread.index(), state.events, EventKind::Thread}, state.pc};
}

CompletionChannel ClusterMachine::channel_of(const Agent& agent) const {
  const auto* payload = static_cast<const AgentPayload*>(program_.code[agent.pc].payload);
  return {payload->behavior->completion, agent.barrier, agent.group};
}

size_t ClusterMachine::iterations(const Actor& actor, std::span<int64_t> numbers) const {
  const std::vector<StaticFrame>& frames = program_.frames;
  size_t loops = 0;
  for (uint32_t f = program_.code[actor.pc].frame; f != 0; f = frames[f].parent) {
    loops += frames[f].iteration != kNoSlot;
  }
  if (actor.agent != kNoAgent) {
    const size_t first = size_t{actor.agent} * program_.loop_depth;
    std::copy_n(state_.agent_iterations.begin() + static_cast<ptrdiff_t>(first),
                std::min(loops, numbers.size()), numbers.begin());
    return loops;
  }
  const std::byte* file =
      state_.registers.data() + size_t{actor.event.thread} * program_.register_bytes;
  size_t loop = loops;
  for (uint32_t f = program_.code[actor.pc].frame; f != 0; f = frames[f].parent) {
    if (frames[f].iteration == kNoSlot) continue;
    if (--loop < numbers.size()) std::memcpy(&numbers[loop], file + frames[f].iteration, 8);
  }
  return loops;
}

std::byte* ClusterMachine::scratch(size_t index, size_t bytes) {
  if (scratch_[index].size() < bytes) scratch_[index].resize(bytes);
  return scratch_[index].data();
}

ThreadName ClusterMachine::thread_name(const Actor& actor) const {
  const uint32_t thread = actor.event.thread;
  const Kernel& kernel = program_.module->kernel;
  ThreadName name;
  for (size_t i = 0; i < kernel.grid_names.size(); ++i) {
    name.axes.push_back({kernel.grid_names[i], grid_coordinate(i)});
  }
  for (size_t i = 0; i < kernel.cluster_names.size(); ++i) {
    name.axes.push_back({kernel.cluster_names[i], cluster_coordinate(block_of(thread), i)});
  }
  name.thread_axis = kernel.thread_name;
  name.thread = thread_in_block(thread);
  std::vector<int64_t> numbers(program_.loop_depth);
  numbers.resize(iterations(actor, numbers));
  for (int64_t number : numbers) name.iterations.push_back({"", number});
  return name;
}

SourceLocation ClusterMachine::location(uint32_t pc) const {
  const Instruction& instruction = program_.code[pc];
  SourceLocation location;
  if (instruction.op.valid()) {
    location = source_location(*program_.module, program_.module->op(instruction.op).location);
  }
  // Where a function was inlined, its ops' own frames come first, then those of the call.
  for (uint32_t f = instruction.frame; f != 0; f = program_.frames[f].parent) {
    const StaticFrame& frame = program_.frames[f];
    if (frame.iteration != kNoSlot) continue;
    for (SourceFrame& outer :
         source_location(*program_.module, program_.module->op(frame.op).location).frames) {
      if (std::find(location.frames.begin(), location.frames.end(), outer) ==
          location.frames.end()) {
        location.frames.push_back(std::move(outer));
      }
    }
  }
  return location;
}

Step ClusterMachine::fault(const Actor& actor, DiagnosticBuilder builder) {
  report(actor, std::move(builder));
  faulted_ = true;
  return Step::Fault;
}

void ClusterMachine::report(const Actor& actor, DiagnosticBuilder builder) {
  findings_.push_back(builder.at(location(actor.pc), thread_name(actor)).build());
}

ClusterMachine::ValueSite ClusterMachine::value_site(const Actor& actor) const {
  const Instruction& instruction = program_.code[actor.pc];
  return {instruction.op.index, instruction.frame, actor.event.thread};
}

bool ClusterMachine::count_value_finding(const Actor& actor) {
  const auto found = value_findings_.find(value_site(actor));
  if (found == value_findings_.end()) return false;
  ++found->second.count;
  return true;
}

void ClusterMachine::report_value(const Actor& actor, DiagnosticBuilder builder) {
  value_findings_.emplace(value_site(actor),
                          builder.at(location(actor.pc), thread_name(actor)).build());
}

std::vector<Diagnostic> ClusterMachine::take_findings() {
  std::vector<Diagnostic> all;
  for (auto& [site, finding] : value_findings_) all.push_back(std::move(finding));
  value_findings_.clear();
  std::move(findings_.begin(), findings_.end(), std::back_inserter(all));
  findings_.clear();
  return all;
}

TableRow ClusterMachine::table_row(uint32_t index) const {
  const ThreadState& thread = state_.threads[index];
  TableRow row;
  row.thread = thread_name(index, thread.pc);
  row.location = location(thread.pc);
  switch (thread.status) {
    case ThreadStatus::Done:
      row.state = "done";
      break;
    case ThreadStatus::Ready:
      row.state = thread.polled_at != 0 ? "polling" : "running";
      break;
    case ThreadStatus::Blocked:
      row.state = "waiting";
      break;
  }
  if (thread.status != ThreadStatus::Blocked) return row;
  switch (thread.wait.kind) {
    case WaitKind::Barrier: {
      const BarrierState& barrier = state_.barriers[thread.wait.object];
      row.object = barrier_name(thread.wait.object);
      row.phase = thread.wait.target - 1;
      row.arrivals_seen = barrier.arrivals;
      row.arrivals_expected = barrier_site(thread.wait.object).arrivals;
      if (barrier.expected_bytes != 0 || barrier.pending_bytes != 0) {
        row.bytes_expected = barrier.expected_bytes;
        row.bytes_seen = barrier.expected_bytes - barrier.pending_bytes;
      }
      break;
    }
    case WaitKind::ScopeEntry: {
      const size_t scope = block_of(index) * program_.scopes.size() + thread.wait.object;
      row.object = "entry of run_scoped";
      row.arrivals_seen = state_.scopes[scope].waiting;
      row.arrivals_expected = program_.threads_per_block;
      break;
    }
    case WaitKind::BulkRead:
    case WaitKind::BulkWrite:
      row.object = "its copies to GMEM";
      break;
    case WaitKind::Wgmma:
      row.object = "its wgmmas";
      break;
    default:
      break;
  }
  return row;
}

// No event is enabled: all threads have ended, or the kernel can never go on.
ClusterMachine::TurnEnd ClusterMachine::stuck() {
  // The first thread that polls, if one does; else the first that waits.
  uint32_t first = UINT32_MAX;
  bool polling = false;
  for (uint32_t t = 0; t < state_.threads.size(); ++t) {
    const ThreadStatus status = state_.threads[t].status;
    if (status == ThreadStatus::Done) continue;
    if (first == UINT32_MAX || (status == ThreadStatus::Ready && !polling)) first = t;
    polling |= status == ThreadStatus::Ready;
  }
  if (first == UINT32_MAX) return TurnEnd::Finished;
  if (report_missing_at_scope()) return TurnEnd::Fault;
  const auto stuck_threads =
      std::count_if(state_.threads.begin(), state_.threads.end(), [&](const ThreadState& thread) {
        return thread.status == (polling ? ThreadStatus::Ready : ThreadStatus::Blocked);
      });
  DiagnosticBuilder builder(polling ? Kind::SchedLivelock : Kind::SchedDeadlock);
  builder.arg(polling ? "polling" : "blocked", static_cast<int64_t>(stuck_threads))
      .arg("threads", static_cast<int64_t>(state_.threads.size()));
  describe_stuck(builder);
  const ThreadState& thread = state_.threads[first];
  fault({{first, thread.events, EventKind::Thread}, thread.pc}, std::move(builder));
  return TurnEnd::Fault;
}

// A thread that waits for the others of its block to enter a scope while one of them has ended.
bool ClusterMachine::report_missing_at_scope() {
  const uint32_t threads = program_.threads_per_block;
  for (uint32_t t = 0; t < state_.threads.size(); ++t) {
    const ThreadState& thread = state_.threads[t];
    if (thread.status != ThreadStatus::Blocked || thread.wait.kind != WaitKind::ScopeEntry)
      continue;
    const uint32_t first = block_of(t) * threads;
    for (uint32_t other = first; other < first + threads; ++other) {
      if (state_.threads[other].status != ThreadStatus::Done) continue;
      fault({{t, thread.events, EventKind::Thread}, thread.pc},
            DiagnosticBuilder(Kind::ScopeDivergentAlloc)
                .arg("thread", thread_name(t, thread.pc))
                .arg("allocation", allocation_names(program_.scopes[thread.wait.object]))
                .arg("other", thread_name(other, state_.threads[other].pc))
                .arg("other_allocation", "nothing and has ended"));
      return true;
    }
  }
  return false;
}

// Every line that arrives on a barrier; how many there are.
size_t ClusterMachine::label_arrivals(DiagnosticBuilder& builder, const BarrierSite& site) const {
  const auto site_index = static_cast<uint32_t>(&site - program_.barriers.data());
  size_t found = 0;
  for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
    if (program_.code[pc].arrives_on != site_index) continue;
    ++found;
    SourceLocation at = location(pc);
    if (at.frames.empty()) continue;
    builder.label(fmt::format("arrives on `{}`", site.name), std::move(at));
  }
  return found;
}

void ClusterMachine::describe_stuck(DiagnosticBuilder& builder) const {
  std::vector<uint32_t> barriers;
  for (uint32_t t = 0; t < state_.threads.size(); ++t) {
    const ThreadState& thread = state_.threads[t];
    builder.row(table_row(t));
    if (thread.status == ThreadStatus::Done) continue;
    if (thread.wait.kind == WaitKind::Barrier && thread.status == ThreadStatus::Blocked &&
        std::find(barriers.begin(), barriers.end(), thread.wait.object) == barriers.end()) {
      barriers.push_back(thread.wait.object);
    }
  }
  // Who could still have come: every place in the program that arrives on a barrier someone waits
  // for. They are the lines to look at.
  std::string help;
  for (uint32_t barrier : barriers) {
    const BarrierSite& site = barrier_site(barrier);
    if (label_arrivals(builder, site) == 0) {
      help += fmt::format("{}no line of the kernel arrives on `{}`", help.empty() ? "" : "; ",
                          barrier_name(barrier));
    }
  }
  if (!help.empty()) builder.help(help);
}

}  // namespace pallasite
