// Barriers and scopes of the machine.
//
// Barrier model: PTX mbarrier (pending arrivals and a transaction count in bytes; a phase completes
// when both are done), with the rules that JAX's interpreter checks in every run (jax/_src/pallas/
// mosaic_gpu/interpret/shared_memory.py, Barrier and BarrierReallocationChecker): some thread must
// see each phase, and a thread that waits must see all of them. The parity bit is replaced by the
// full phase number, so a wait on a stale phase is an error here where hardware would go on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "pallasite/base/check.h"
#include "pallasite/numerics/element_type.h"
#include "pallasite/numerics/fill.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

// PTX ISA, mbarrier: the transaction count of a phase.
constexpr int64_t kMaxPendingBytes = (1 << 20) - 1;

}  // namespace

const BarrierSite& ClusterMachine::barrier_site(uint32_t barrier) const {
  return program_.barriers[state_.barriers[barrier].site];
}

std::string ClusterMachine::barrier_name(uint32_t barrier) const {
  const BarrierSite& site = barrier_site(barrier);
  const std::string name = site.name.empty() ? "barrier" : site.name;
  if (site.count == 1) return name;
  return fmt::format("{}[{}]", name, barrier % program_.barriers_per_block - site.first);
}

uint32_t ClusterMachine::select_barrier(Thread& thread, const BarrierView& view) {
  const BarrierSite& site = program_.barriers[view.site];
  int64_t index = view.index;
  // Checked per dim: an index past the end of one dim may still name another barrier.
  std::array<int64_t, kMaxRank> at{};
  for (size_t d = 0; d < site.shape.size(); ++d) at[d] = view.view.start[d];
  for (size_t i = 0; i < view.terms.size(); ++i) {
    const int64_t value = read_index(thread.registers(), view.terms[i].slot, view.terms[i].type);
    index += value * view.terms[i].coefficient;
    at[view.terms[i].dim] += value * view.view.terms[i].coefficient;
  }
  for (size_t d = 0; d < site.shape.size(); ++d) {
    if (at[d] >= 0 && at[d] < site.shape[d]) [[likely]]
      continue;
    fault(actor_of(thread), DiagnosticBuilder(Kind::BarrierIndex)
                                .variant("out-of-range")
                                .arg("ref", site.name.empty() ? "barrier" : site.name)
                                .arg("index", Shape(at.begin(), at.begin() + site.shape.size()))
                                .arg("shape", Shape(site.shape)));
    return UINT32_MAX;
  }
  return barrier_number(block_of(thread.index()), site.first + static_cast<uint32_t>(index));
}

bool ClusterMachine::barrier_arrive(const Actor& actor, uint32_t barrier, int64_t count) {
  BarrierState& state = state_.barriers[barrier];
  const int64_t expected = barrier_site(barrier).arrivals;
  state.arrivals += count;
  if (state.arrivals > expected) {
    fault(actor, DiagnosticBuilder(Kind::BarrierOverArrive)
                     .arg("ref", barrier_name(barrier))
                     .arg("phase", state.phase)
                     .arg("arrivals", state.arrivals)
                     .arg("expected", expected));
    return false;
  }
  note_progress();
  const int64_t phase = state.phase;
  const bool complete = state.arrivals == expected && state.pending_bytes == 0;
  if (observed()) {
    note_sync({actor, EffectAction::Arrive, barrier, Completion::Now, static_cast<uint64_t>(phase),
               count, complete});
  }
  return complete_phase_if_done(actor, barrier);
}

bool ClusterMachine::barrier_expect(const Actor& actor, uint32_t barrier, int64_t bytes) {
  BarrierState& state = state_.barriers[barrier];
  state.pending_bytes += bytes;
  state.expected_bytes += bytes;
  if (state.pending_bytes > kMaxPendingBytes) {
    fault(actor, DiagnosticBuilder(Kind::BarrierTxOverflow)
                     .arg("ref", barrier_name(barrier))
                     .arg("phase", state.phase)
                     .arg("bytes", state.pending_bytes)
                     .arg("limit", kMaxPendingBytes));
    return false;
  }
  note_progress();
  if (observed()) {
    note_sync({actor, EffectAction::Expect, barrier, Completion::Now,
               static_cast<uint64_t>(state.phase), bytes, false});
  }
  return true;
}

bool ClusterMachine::barrier_complete_bytes(const Actor& actor, uint32_t barrier, int64_t bytes) {
  BarrierState& state = state_.barriers[barrier];
  // May go below zero: the bytes of a multicast can land before this block has announced them.
  state.pending_bytes -= bytes;
  note_progress();
  const bool complete =
      state.arrivals == barrier_site(barrier).arrivals && state.pending_bytes == 0;
  if (observed()) {
    note_sync({actor, EffectAction::Complete, barrier, Completion::Now,
               static_cast<uint64_t>(state.phase), bytes, complete});
  }
  return complete_phase_if_done(actor, barrier);
}

bool ClusterMachine::complete_phase_if_done(const Actor& actor, uint32_t barrier) {
  BarrierState& state = state_.barriers[barrier];
  if (state.arrivals != barrier_site(barrier).arrivals || state.pending_bytes != 0) return true;
  ++state.phase;
  state.arrivals = 0;
  state.expected_bytes = 0;

  const uint32_t threads = program_.threads_per_block;
  const uint32_t block = barrier / program_.barriers_per_block;
  int64_t* observed = &state_.observed[size_t{barrier} * threads];
  bool anyone = false;
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t index = block * threads + t;
    ThreadState& thread = state_.threads[index];
    if (thread.status == ThreadStatus::Blocked && thread.wait.kind == WaitKind::Barrier &&
        thread.wait.object == barrier) {
      // A waiter sees the phase at the moment it completes, whenever it runs next.
      observed[t] = thread.wait.target;
      grant(index);
    }
    anyone |= observed[t] >= 0;
  }
  if (state.phase == 2 && !anyone) {
    fault(actor, DiagnosticBuilder(Kind::BarrierUnobservedPhase).arg("ref", barrier_name(barrier)));
    return false;
  }
  for (uint32_t t = 0; t < threads; ++t) {
    if (observed[t] < 0 || observed[t] >= state.phase - 2) continue;
    const uint32_t index = block * threads + t;
    const uint32_t pc = state_.threads[index].pc;
    const ThreadName name = thread_name(index, pc);
    DiagnosticBuilder builder(Kind::BarrierMissedPhase);
    builder.variant("arrive")
        .arg("ref", barrier_name(barrier))
        .arg("thread", name)
        .arg("observed", observed[t])
        .arg("completed", state.phase - 1)
        .arg("missed", observed[t] + 1);
    SourceLocation at = location(pc);
    if (!at.frames.empty()) builder.label("the thread that missed it is here", at, name);
    fault(actor, std::move(builder));
    return false;
  }
  return true;
}

Step ClusterMachine::barrier_wait(Thread& thread, uint32_t barrier) {
  BarrierState& state = state_.barriers[barrier];
  ThreadState& waiter = thread.state();
  int64_t& observed =
      state_
          .observed[size_t{barrier} * program_.threads_per_block + thread_in_block(thread.index())];
  const Actor actor = actor_of(thread);
  const auto passed = [&] {
    if (this->observed()) {
      note_sync({actor, EffectAction::Wait, barrier, Completion::Now,
                 static_cast<uint64_t>(observed - 1), 0, false});
    }
    return Step::Next;
  };
  if (waiter.wait.kind == WaitKind::Granted) {
    waiter.wait = Wait();
    return passed();
  }
  if (observed < 0 && state.phase > 1) {
    return fault(actor,
                 DiagnosticBuilder(Kind::BarrierLateFirstWait)
                     .arg("ref", barrier_name(barrier))
                     .arg("thread", thread_name(thread.index(), waiter.pc))
                     .arg("index", static_cast<int64_t>(barrier % program_.barriers_per_block -
                                                        barrier_site(barrier).first))
                     .arg("phase", state.phase));
  }
  const int64_t seen = std::max<int64_t>(observed, 0);
  if (seen <= state.phase - 2) {
    return fault(actor, DiagnosticBuilder(Kind::BarrierMissedPhase)
                            .variant("wait")
                            .arg("ref", barrier_name(barrier))
                            .arg("thread", thread_name(thread.index(), waiter.pc))
                            .arg("missed", seen + 1)
                            .arg("phase", state.phase));
  }
  if (seen == state.phase) return block(thread, {WaitKind::Barrier, barrier, seen + 1});
  observed = seen + 1;
  return passed();
}

Step ClusterMachine::barrier_test(Thread& thread, uint32_t barrier, bool* passed) {
  BarrierState& state = state_.barriers[barrier];
  int64_t& observed =
      state_
          .observed[size_t{barrier} * program_.threads_per_block + thread_in_block(thread.index())];
  const int64_t seen = std::max<int64_t>(observed, 0);
  const Actor actor = actor_of(thread);
  if (seen <= state.phase - 2) {
    return fault(actor, DiagnosticBuilder(Kind::BarrierMissedPhase)
                            .variant("wait")
                            .arg("ref", barrier_name(barrier))
                            .arg("thread", thread_name(thread.index(), thread.state().pc))
                            .arg("missed", seen + 1)
                            .arg("phase", state.phase));
  }
  *passed = seen < state.phase;
  if (*passed) observed = seen + 1;
  if (this->observed()) {
    note_sync({actor, EffectAction::Test, barrier, Completion::Now, static_cast<uint64_t>(seen),
               *passed, false});
  }
  return *passed ? Step::Next : Step::Yielded;
}

bool ClusterMachine::check_freed_barriers(Thread& thread) {
  ThreadState& state = thread.state();
  const uint32_t t = thread_in_block(thread.index());
  for (uint32_t barrier : state.freed_barriers) {
    BarrierState& freed = state_.barriers[barrier];
    const int64_t observed = state_.observed[size_t{barrier} * program_.threads_per_block + t];
    if (observed != freed.phase) {
      const ThreadName name = thread_name(thread.index(), state.pc);
      fault(actor_of(thread),
            DiagnosticBuilder(Kind::BarrierReallocUnobserved)
                .variant("realloc")
                .arg("ref", barrier_name(barrier))
                .arg("index", static_cast<int64_t>(barrier % program_.barriers_per_block -
                                                   barrier_site(barrier).first))
                .arg("allocator", name)
                .arg("thread", name)
                .arg("observed", observed - 1)
                .arg("completed", freed.phase - 1));
      return false;
    }
    // Others may still arrive on it: looked at again when the last thread leaves its scope.
    const uint32_t scope = barrier_site(barrier).scope;
    if (state_.scopes[block_of(thread.index()) * program_.scopes.size() + scope].inside > 0) {
      freed.reallocated |= 1u << t;
    }
  }
  state.freed_barriers.clear();
  return true;
}

Step ClusterMachine::end_thread(Thread& thread) {
  const ThreadState& state = thread.state();
  if (state.last_bulk_group <= state.bulk_reads_awaited) return Step::Done;
  Actor actor = actor_of(thread);
  actor.pc = state.last_bulk_pc;
  const std::string& name = program_.allocations[state.last_bulk_site].name;
  report(actor, DiagnosticBuilder(Kind::TmaUnawaitedRead)
                    .arg("ref", name.empty() ? "a ref" : name)
                    .arg("thread", thread_name(thread.index(), actor.pc)));
  return Step::Done;
}

void ClusterMachine::fill_registers(uint32_t thread, const ScopeSite& scope) {
  for (uint32_t index : scope.allocations) {
    const AllocationSite& site = program_.allocations[index];
    if (site.space != MemorySpace::Regs) continue;
    // Hopper accumulators start as zero and are defined.
    fill_zero(site.layout.element, registers(thread) + site.address,
              static_cast<size_t>(site.layout.element_count()));
  }
}

void ClusterMachine::fill_shared(uint32_t block, const ScopeSite& scope) {
  for (uint32_t index : scope.allocations) {
    const AllocationSite& site = program_.allocations[index];
    if (site.space == MemorySpace::Regs) continue;
    const auto count = static_cast<size_t>(site.layout.element_count());
    std::byte* memory = state_.smem.data() + block * program_.smem_bytes + site.address;
    if (options_.zero_fill) {
      fill_zero(site.layout.element, memory, count);
    } else {
      fill_uninitialized(site.layout.element, memory, count);
    }
  }
  for (uint32_t index : scope.barriers) {
    const BarrierSite& site = program_.barriers[index];
    for (uint32_t i = 0; i < site.count; ++i) {
      const uint32_t barrier = barrier_number(block, site.first + i);
      state_.barriers[barrier] = BarrierState();
      state_.barriers[barrier].site = index;
      std::fill_n(&state_.observed[size_t{barrier} * program_.threads_per_block],
                  program_.threads_per_block, -1);
    }
  }
  const auto index = static_cast<uint32_t>(&scope - program_.scopes.data());
  for (Observer* observer : observers_) observer->on_fresh(*this, block, index);
}

// Blocks of a cluster may write into each other's shared memory and arrive on each other's barriers
// before the other block has entered the scope: Mosaic GPU initialises all barriers before the
// first op and then synchronises the cluster.
void ClusterMachine::fill_before_start() {
  if (program_.blocks_per_cluster == 1) return;
  for (const ScopeSite& scope : program_.scopes) {
    if (!scope.collective || !scope.first_at_its_addresses) continue;
    for (uint32_t block = 0; block < program_.blocks_per_cluster; ++block) {
      fill_shared(block, scope);
    }
  }
}

std::string ClusterMachine::allocation_names(const ScopeSite& scope) const {
  std::string text;
  const auto add = [&](const std::string& name) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name.empty() ? "a ref" : name);
  };
  for (uint32_t a : scope.allocations) add(program_.allocations[a].name);
  for (uint32_t b : scope.barriers) add(program_.barriers[b].name);
  return text.empty() ? "nothing" : text;
}

bool ClusterMachine::scope_is_early(uint32_t block, uint32_t peer, uint32_t scope) const {
  const auto generation = [&](uint32_t of) {
    return state_.scopes[of * program_.scopes.size() + scope].generation;
  };
  // The first instance where nothing has been before was filled before the start.
  const bool filled = program_.scopes[scope].first_at_its_addresses && generation(peer) == 0;
  return block != peer && !filled && generation(peer) < generation(block);
}

bool ClusterMachine::is_early(uint32_t block, uint32_t peer, const AccessPlan& plan) const {
  return scope_is_early(block, peer, program_.allocations[plan.site].scope);
}

EarlyEvent ClusterMachine::early_event(const Actor& actor, uint32_t own_barrier,
                                       uint32_t peer) const {
  const uint32_t block = own_barrier / program_.barriers_per_block;
  EarlyEvent event;
  event.block = peer;
  event.scope = barrier_site(own_barrier).scope;
  event.generation = state_.scopes[block * program_.scopes.size() + event.scope].generation;
  event.event = actor.event;
  event.pc = actor.pc;
  event.barrier = barrier_number(peer, own_barrier % program_.barriers_per_block);
  return event;
}

void ClusterMachine::keep_early_write(const Actor& actor, uint32_t own_barrier, uint32_t peer,
                                      const AccessPlan& plan, const Access& access,
                                      const std::byte* values) {
  EarlyEvent event = early_event(actor, own_barrier, peer);
  event.scope = site(plan).scope;
  const uint32_t block = own_barrier / program_.barriers_per_block;
  event.generation = state_.scopes[block * program_.scopes.size() + event.scope].generation;
  event.write = true;
  event.access = access;
  const size_t bytes = static_cast<size_t>(plan.element_count) * register_bytes(plan.element);
  event.values.assign(values, values + bytes);
  state_.early.push_back(std::move(event));
}

bool ClusterMachine::keep_early_signal(const Actor& actor, uint32_t own, uint32_t peer,
                                       int64_t arrivals, int64_t bytes) {
  const uint32_t block = own / program_.barriers_per_block;
  if (!scope_is_early(block, peer, barrier_site(own).scope)) return false;
  EarlyEvent event = early_event(actor, own, peer);
  event.arrivals = arrivals;
  event.bytes = bytes;
  state_.early.push_back(std::move(event));
  return true;
}

bool ClusterMachine::peer_arrive(const Actor& actor, uint32_t own, uint32_t peer) {
  if (keep_early_signal(actor, own, peer, 1, 0)) return true;
  return barrier_arrive(actor, barrier_number(peer, own % program_.barriers_per_block));
}

bool ClusterMachine::peer_complete_bytes(const Actor& actor, uint32_t own, uint32_t peer,
                                         int64_t bytes) {
  if (keep_early_signal(actor, own, peer, 0, bytes)) return true;
  return barrier_complete_bytes(actor, barrier_number(peer, own % program_.barriers_per_block),
                                bytes);
}

bool ClusterMachine::deliver_early(uint32_t block, uint32_t scope) {
  if (state_.early.empty()) return true;
  const uint64_t generation = state_.scopes[block * program_.scopes.size() + scope].generation;
  std::vector<EarlyEvent> later, now;
  for (EarlyEvent& event : state_.early) {
    const bool due = event.block == block && event.scope == scope && event.generation == generation;
    (due ? now : later).push_back(std::move(event));
  }
  state_.early = std::move(later);
  for (const EarlyEvent& event : now) {
    const Actor actor{event.event, event.pc};
    if (event.write) {
      const auto& payload = *static_cast<const AgentPayload*>(program_.code[event.pc].payload);
      const AccessPlan& plan = payload.behavior->peer_plan(*this, event.event.thread, event.pc);
      touch(actor, plan, event.access, true, Proxy::Async, {Completion::Mbarrier, event.barrier, 0},
            block);
      store_view(plan, event.access,
                 {data(plan, event.event.thread, block), &program_.allocations[plan.site].layout},
                 event.values.data());
      continue;
    }
    const bool fine = event.arrivals > 0
                          ? barrier_arrive(actor, event.barrier, event.arrivals)
                          : barrier_complete_bytes(actor, event.barrier, event.bytes);
    if (!fine) return false;
  }
  return true;
}

Step ClusterMachine::scope_enter(Thread& thread, uint32_t scope_index) {
  const ScopeSite& scope = program_.scopes[scope_index];
  const uint32_t block = block_of(thread.index());
  ThreadState& state = thread.state();
  ScopeState& instance = state_.scopes[block * program_.scopes.size() + scope_index];
  const auto entered = [&] {
    fill_registers(thread.index(), scope);
    if (observed()) note_scope(thread, scope_index, true, false);
    return Step::Next;
  };
  if (state.wait.kind == WaitKind::Granted) {
    state.wait = Wait();
    return entered();
  }
  if (!scope.collective) return entered();
  if (!scope.barriers.empty() && !check_freed_barriers(thread)) return Step::Fault;

  // Lowering puts a block-wide barrier here, so all threads must come to the same scope.
  const uint32_t threads = program_.threads_per_block;
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t other = block * threads + t;
    const ThreadState& waiting = state_.threads[other];
    if (waiting.status != ThreadStatus::Blocked || waiting.wait.kind != WaitKind::ScopeEntry ||
        waiting.wait.object == scope_index) {
      continue;
    }
    const ThreadName other_name = thread_name(other, waiting.pc);
    return fault(
        actor_of(thread),
        DiagnosticBuilder(Kind::ScopeDivergentAlloc)
            .arg("thread", thread_name(thread.index(), state.pc))
            .arg("allocation", allocation_names(scope))
            .arg("other", other_name)
            .arg("other_allocation", allocation_names(program_.scopes[waiting.wait.object]))
            .label("the other thread waits here", location(waiting.pc), other_name));
  }
  if (++instance.waiting < threads) {
    return block_on_scope(thread, scope_index, instance);
  }
  instance.waiting = 0;
  instance.inside = threads;
  const bool filled =
      program_.blocks_per_cluster > 1 && scope.first_at_its_addresses && instance.generation == 0;
  ++instance.generation;
  if (!filled) fill_shared(block, scope);
  note_progress();
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t other = block * threads + t;
    if (other != thread.index()) grant(other);
  }
  const Step step = entered();
  return deliver_early(block, scope_index) ? step : Step::Fault;
}

void ClusterMachine::note_scope(const Thread& thread, uint32_t scope, bool enter, bool last) {
  ScopeEvent event = {actor_of(thread), scope, enter, last};
  if (program_.scopes[scope].collective) {
    const size_t first = block_of(thread.index()) * program_.scopes.size();
    event.instance = state_.scopes[first + scope].generation - 1;
  }
  for (Observer* observer : observers_) observer->on_scope(*this, event);
}

Step ClusterMachine::block_on_scope(Thread& thread, uint32_t scope, const ScopeState& instance) {
  return block(thread,
               {WaitKind::ScopeEntry, scope, static_cast<int64_t>(instance.generation) + 1});
}

Step ClusterMachine::scope_exit(Thread& thread, uint32_t scope_index) {
  const ScopeSite& scope = program_.scopes[scope_index];
  const uint32_t block = block_of(thread.index());
  const uint32_t t = thread_in_block(thread.index());
  ScopeState& instance = state_.scopes[block * program_.scopes.size() + scope_index];
  const bool last = !scope.collective || --instance.inside == 0;
  const Actor actor = actor_of(thread);
  if (observed()) note_scope(thread, scope_index, false, last);
  for (uint32_t index : scope.barriers) {
    const BarrierSite& site = program_.barriers[index];
    for (uint32_t i = 0; i < site.count; ++i) {
      const uint32_t barrier = barrier_number(block, site.first + i);
      BarrierState& state = state_.barriers[barrier];
      const int64_t* observed = &state_.observed[size_t{barrier} * program_.threads_per_block];
      if (observed[t] >= 0) thread.state().freed_barriers.push_back(barrier);
      if (!last) continue;
      if (state.arrivals != 0) {
        DiagnosticBuilder builder(Kind::BarrierPendingAtDealloc);
        builder.variant("arrivals")
            .arg("ref", barrier_name(barrier))
            .arg("arrivals", state.arrivals);
        label_arrivals(builder, site);
        return fault(actor, std::move(builder));
      }
      // Not only too few: bytes of a peer's multicast may have come that this block never
      // announced.
      if (state.pending_bytes != 0) {
        return fault(actor, DiagnosticBuilder(Kind::BarrierPendingAtDealloc)
                                .variant("bytes")
                                .arg("ref", barrier_name(barrier))
                                .arg("bytes", std::abs(state.pending_bytes)));
      }
      for (uint32_t other = 0; other < program_.threads_per_block; ++other) {
        if ((state.reallocated >> other & 1) == 0 || observed[other] == state.phase) continue;
        const uint32_t other_index = block * program_.threads_per_block + other;
        return fault(actor,
                     DiagnosticBuilder(Kind::BarrierReallocUnobserved)
                         .variant("dealloc")
                         .arg("ref", barrier_name(barrier))
                         .arg("index", static_cast<int64_t>(i))
                         .arg("thread", thread_name(other_index, state_.threads[other_index].pc))
                         .arg("observed", observed[other] - 1)
                         .arg("completed", state.phase - 1));
      }
    }
  }
  return Step::Next;
}

}  // namespace pallasite
