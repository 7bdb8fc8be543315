// Which instruction, thread and loop iterations wrote each element last.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "pallasite/san/test_observed_run.h"
#include "pallasite/sim/transfer.h"

namespace pallasite::test {

struct Writer {
  uint32_t pc = 0;
  int64_t cluster = 0;
  // Number in the cluster.
  uint32_t thread = 0;
  std::vector<int64_t> iterations = {};
  auto operator<=>(const Writer&) const = default;
};

class LastWriterMap : public Observer {
 public:
  struct Cell {
    const Writer* writer = nullptr;
    uint32_t writes = 0;
  };

  void on_cluster_start(const ClusterMachine& machine) override {
    iterations_.resize(machine.program().loop_depth);
  }

  void on_fresh(const ClusterMachine& machine, uint32_t block, uint32_t scope) override {
    forget(machine, MemorySpace::Smem, block, scope);
  }

  void on_scope(const ClusterMachine& machine, const ScopeEvent& event) override {
    if (!event.enter) return;
    forget(machine, MemorySpace::Regs, event.actor.event.thread, event.scope);
  }

  void on_access(const ClusterMachine& machine, const AccessEvent& event) override {
    if (!event.write) return;
    Writer writer;
    writer.pc = event.actor.pc;
    writer.cluster = machine.state().cluster;
    writer.thread = event.actor.event.thread;
    const size_t loops = machine.iterations(event.actor, iterations_);
    writer.iterations.assign(iterations_.begin(), iterations_.begin() + ptrdiff_t(loops));
    const Writer& kept = *writers_.insert(std::move(writer)).first;
    const Layout& layout = machine.site(*event.plan).layout;
    auto& cells = cells_[place_of(machine, event)];
    cells.resize(static_cast<size_t>(layout.element_count()));
    for_each_element_run(*event.plan, event.access, layout, [&](int64_t first, int64_t count) {
      for (int64_t i = first; i < first + count; ++i) {
        cells[size_t(i)].writer = &kept;
        ++cells[size_t(i)].writes;
      }
    });
  }

  const std::map<Place, std::vector<Cell>>& cells() const { return cells_; }
  const std::vector<Cell>& buffer(uint64_t number) const {
    return cells_.at({MemorySpace::Gmem, -1, 0, number});
  }

  // Empty if both maps say the same of every element, else the first difference.
  static std::string difference(const LastWriterMap& a, const LastWriterMap& b) {
    const auto text = [](const Place& place, size_t element) {
      return "cluster " + std::to_string(place.cluster) + ", owner " + std::to_string(place.owner) +
             ", id " + std::to_string(place.id) + ", element " + std::to_string(element);
    };
    if (a.cells_.size() != b.cells_.size()) return "other places";
    for (auto i = a.cells_.begin(), j = b.cells_.begin(); i != a.cells_.end(); ++i, ++j) {
      if (i->first != j->first || i->second.size() != j->second.size()) return text(i->first, 0);
      for (size_t e = 0; e < i->second.size(); ++e) {
        const Cell& x = i->second[e];
        const Cell& y = j->second[e];
        const bool same = x.writer == nullptr || y.writer == nullptr ? x.writer == y.writer
                                                                     : *x.writer == *y.writer;
        if (!same || x.writes != y.writes) return text(i->first, e);
      }
    }
    return "";
  }

 private:
  void forget(const ClusterMachine& machine, MemorySpace space, uint32_t owner, uint32_t scope) {
    for (uint32_t index : machine.program().scopes[scope].allocations) {
      const AllocationSite& site = machine.program().allocations[index];
      if (site.space != space) continue;
      auto& cells = cells_[{space, machine.state().cluster, owner, index}];
      cells.assign(static_cast<size_t>(site.layout.element_count()), Cell());
    }
  }

  std::map<Place, std::vector<Cell>> cells_;
  // Nodes of a set do not move.
  std::set<Writer> writers_;
  std::vector<int64_t> iterations_;
};

}  // namespace pallasite::test
