#include "pallasite/san/value_watcher.h"

#include <algorithm>

namespace pallasite {

bool names_file(const std::string& path, const std::string& file) {
  return path == file || (path.size() > file.size() && path.ends_with(file) &&
                          path[path.size() - file.size() - 1] == '/');
}

uint32_t ValueWatcher::scope(const ClusterMachine& machine) const {
  const Program& program = machine.program();
  return point_.barriers ? program.barriers[*point_.barriers].scope
                         : program.allocations[*point_.allocation].scope;
}

bool ValueWatcher::is_register(const ClusterMachine& machine) const {
  return point_.allocation &&
         machine.program().allocations[*point_.allocation].space == MemorySpace::Regs;
}

void ValueWatcher::on_cluster_start(const ClusterMachine& machine) {
  if (!is_here(machine)) return;
  started_ = true;
  const Program& program = machine.program();
  // The arrays of the kernel are there all along.
  alive_ = scope(machine) == UINT32_MAX;
  last_.assign(program.threads_per_block, {});
  if (at_end()) return;
  on_line_.assign(program.code.size(), false);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    for (const SourceFrame& frame : machine.location(pc).frames) {
      if (frame.line == point_.line && names_file(frame.file, point_.file)) on_line_[pc] = true;
    }
  }
}

void ValueWatcher::on_fresh(const ClusterMachine& machine, uint32_t block, uint32_t scope_index) {
  if (is_here(machine) && block == point_.block && scope_index == scope(machine) &&
      !is_register(machine)) {
    alive_ = true;
  }
}

void ValueWatcher::on_scope(const ClusterMachine& machine, const ScopeEvent& event) {
  if (!is_here(machine)) return;
  const uint32_t thread = event.actor.event.thread;
  if (machine.block_of(thread) == point_.block && event.scope == scope(machine)) {
    const bool ours =
        !is_register(machine) || machine.thread_in_block(thread) == point_.thread.value_or(0);
    if (event.enter) {
      alive_ |= ours;
    } else if (ours && (event.last || is_register(machine))) {
      if (at_end()) capture(machine);
      alive_ = false;
    }
  }
  come_to(machine, event.actor);
}

void ValueWatcher::on_issue(const ClusterMachine& machine, const IssueEvent& event) {
  come_to(machine, event.actor);
}

void ValueWatcher::on_access(const ClusterMachine& machine, const AccessEvent& event) {
  if (event.actor.event.kind == EventKind::Thread) come_to(machine, event.actor);
}

void ValueWatcher::on_sync(const ClusterMachine& machine, const SyncEvent& event) {
  if (event.actor.event.kind == EventKind::Thread) come_to(machine, event.actor);
}

void ValueWatcher::end(const ClusterMachine& machine, bool cut_short) {
  const bool global = scope(machine) == UINT32_MAX;
  const bool last_cluster = machine.state().cluster + 1 == machine.program().clusters;
  if (!at_end()) return;
  if (global) {
    // What the last cluster leaves of the arrays of the kernel is what there is to see.
    if (last_cluster || cut_short) capture(machine);
    return;
  }
  if (is_here(machine) && alive_) capture(machine);
}

void ValueWatcher::come_to(const ClusterMachine& machine, const Actor& actor) {
  if (at_end() || !is_here(machine)) return;
  const uint32_t thread = actor.event.thread;
  if (machine.block_of(thread) != point_.block) return;
  const uint32_t number = machine.thread_in_block(thread);
  if (point_.thread && *point_.thread != number) return;
  Last& last = last_[number];
  const bool on_line = on_line_[actor.pc];
  // Several instructions of a line are one visit, until a loop comes back to it.
  const bool comes = on_line && (!last.on_line || actor.pc < last.pc);
  last = {actor.pc, on_line};
  if (!comes) return;
  const int64_t visit = visits_++;
  if (alive_ && (point_.occurrence < 0 || visit == point_.occurrence)) capture(machine);
}

void ValueWatcher::capture(const ClusterMachine& machine) {
  const Program& program = machine.program();
  const ClusterState& state = machine.state();
  found_ = true;
  if (point_.barriers) {
    const BarrierSite& site = program.barriers[*point_.barriers];
    barriers_.clear();
    for (uint32_t i = 0; i < site.count; ++i) {
      const BarrierState& barrier =
          state.barriers[machine.barrier_number(point_.block, site.first + i)];
      barriers_.push_back({barrier.phase, barrier.arrivals, barrier.pending_bytes});
    }
    return;
  }
  const AllocationSite& site = program.allocations[*point_.allocation];
  const std::byte* data = nullptr;
  auto size = static_cast<size_t>(site.layout.bytes());
  switch (site.space) {
    case MemorySpace::Gmem:
      data = machine.gmem()[site.address].data;
      break;
    case MemorySpace::Smem:
      data = state.smem.data() + point_.block * program.smem_bytes + site.address;
      break;
    default: {
      const size_t thread =
          size_t{point_.block} * program.threads_per_block + point_.thread.value_or(0);
      data = state.registers.data() + thread * program.register_bytes + site.address;
      size = static_cast<size_t>(site.layout.element_count()) *
             element_info(site.layout.element).register_bytes;
    }
  }
  bytes_.assign(data, data + size);
}

}  // namespace pallasite
