// What a buffer of a block, or a barrier array, holds at some point of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pallasite/sim/machine.h"

namespace pallasite {

struct WatchPoint {
  // Exactly one of both.
  std::optional<uint32_t> allocation;
  std::optional<uint32_t> barriers;
  int64_t cluster = 0;
  // In the cluster.
  uint32_t block = 0;
  // Number in the block; of registers: whose. Where a line is watched: who comes to it.
  std::optional<uint32_t> thread;
  // Empty: at the end of the life of the buffer, or of the run. Otherwise when a thread of the
  // block comes to this line: before its first access to memory there.
  std::string file;
  int line = 0;
  // Which time, from 0; -1 for the last.
  int64_t occurrence = 0;
};

// Whether a path is the file that a user means: the whole path, or the end of it.
bool names_file(const std::string& path, const std::string& file);

class ValueWatcher : public Observer {
 public:
  struct Barrier {
    int64_t phase = 0;
    int64_t arrivals = 0;
    int64_t pending_bytes = 0;
  };

  explicit ValueWatcher(WatchPoint point) : point_(std::move(point)) {}

  // Whether the program came to the point while the buffer was alive.
  bool found() const { return found_; }
  // Whether the block ran, and a thread of it came to the line, at whatever time.
  bool block_started() const { return started_; }
  bool line_reached() const { return visits_ > 0; }
  int64_t visits() const { return visits_; }
  // As the allocation lies in memory: packed, registers in register form.
  const std::vector<std::byte>& bytes() const { return bytes_; }
  const std::vector<Barrier>& barriers() const { return barriers_; }

  void on_cluster_start(const ClusterMachine& machine) override;
  void on_cluster_end(const ClusterMachine& machine) override { end(machine, false); }
  void on_cluster_cut_short(const ClusterMachine& machine) override { end(machine, true); }
  void on_fresh(const ClusterMachine& machine, uint32_t block, uint32_t scope) override;
  void on_scope(const ClusterMachine& machine, const ScopeEvent& event) override;
  void on_issue(const ClusterMachine& machine, const IssueEvent& event) override;
  void on_access(const ClusterMachine& machine, const AccessEvent& event) override;
  void on_sync(const ClusterMachine& machine, const SyncEvent& event) override;

 private:
  // What a thread did last.
  struct Last {
    uint32_t pc = 0;
    bool on_line = false;
  };

  bool at_end() const { return point_.file.empty(); }
  bool is_here(const ClusterMachine& machine) const {
    return machine.state().cluster == point_.cluster;
  }
  uint32_t scope(const ClusterMachine& machine) const;
  bool is_register(const ClusterMachine& machine) const;
  void end(const ClusterMachine& machine, bool cut_short);
  void come_to(const ClusterMachine& machine, const Actor& actor);
  void capture(const ClusterMachine& machine);

  const WatchPoint point_;
  bool started_ = false;
  bool alive_ = false;
  bool found_ = false;
  int64_t visits_ = 0;
  // By instruction; by thread of the block.
  std::vector<bool> on_line_;
  std::vector<Last> last_;
  std::vector<std::byte> bytes_;
  std::vector<Barrier> barriers_;
};

}  // namespace pallasite
