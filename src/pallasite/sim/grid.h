// Runs all clusters of a grid.
//
// Clusters are concurrent; what runs here is as if they ran one after another in launch order. With
// several workers they run in parallel, each keeping the footprint of its accesses to global
// memory. If two of them conflict, or one does not finish, global memory is restored and the grid
// runs again in launch order; that run is the result. So outputs and findings do not depend on the
// number of workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

struct GridPrint {
  int64_t cluster = 0;
  ThreadName thread;
  std::string text;
};

struct GridOptions {
  MachineOptions machine;
  // Threads of the host that run clusters; at least 1.
  uint32_t workers = 1;
  // Makes the policy of one cluster; null for the fixed schedule.
  std::function<std::unique_ptr<Policy>(int64_t cluster)> policy;
  // Observers of all clusters: the grid then runs on one worker.
  std::vector<Observer*> observers;
  // Called on the thread that called run_grid, often: it should look at a clock first. True ends
  // the run.
  std::function<bool()> poll_interrupt;
  // Told of prints while the grid runs, on the thread that called run_grid: the next ones of
  // GridResult::prints, as soon as nothing can change them any more. Those that remain at the end
  // are not told.
  std::function<void(std::span<const GridPrint>)> on_prints;
  // The least time between two calls of on_prints.
  std::chrono::milliseconds print_interval{100};
  // Keeps the choices that the policy made.
  bool record_choices = false;
  // Counts the clusters that have ended, for a display of progress; starts again at 0 where the
  // grid does.
  std::atomic<int64_t>* clusters_done = nullptr;
};

struct ClusterChoices {
  int64_t cluster = 0;
  std::vector<Choice> choices;
};

struct GridResult {
  Outcome outcome = Outcome::Finished;
  std::vector<Diagnostic> findings;
  std::vector<GridPrint> prints;
  // How many of them on_prints was told.
  size_t prints_told = 0;
  std::vector<ClusterChoices> choices;
  uint64_t steps = 0;
  int64_t clusters_run = 0;
  // Clusters that each worker ran, for traces; and whether the grid ran again in launch order.
  std::vector<int64_t> clusters_by_worker;
  bool serial_after_conflict = false;
};

// `gmem` has one buffer per kernel parameter; of an output that aliases an input, that of the input
// is used. Other outputs are first filled with what fresh memory holds. Inputs that the kernel
// writes to although they are no outputs are copied first.
GridResult run_grid(const Program& program, const std::vector<GmemBuffer>& gmem,
                    const GridOptions& options);

}  // namespace pallasite
