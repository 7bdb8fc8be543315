// What one run did, as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/diag/render.h"
#include "pallasite/sim/grid.h"

namespace pallasite {

struct Report {
  Verdict verdict = Verdict::Clean;
  // Equal findings are one, with their count.
  std::vector<Diagnostic> findings;
  std::vector<GridPrint> prints;
  std::string kernel;
  std::string arch;
  bool arch_guessed = false;
  // The checks that ran; and those that this version does not have yet, which no verdict covers.
  std::vector<std::string> checks;
  std::vector<std::string> checks_not_built = {"races", "definedness"};
  uint64_t steps = 0;
  int64_t clusters = 0;
  // The name of the policy, and the choices if they were asked for.
  std::string schedule = "fixed";
  std::vector<ClusterChoices> choices;
  // The text that RunOptions::replay takes; empty unless the choices were asked for.
  std::string recorded_schedule;
  std::string module_hash;
  std::string inputs_hash;
  // What the caller of the run asked for.
  std::string on_finding = "raise";
  // Counts the reports of this process; 0 for none.
  uint64_t id = 0;

  // How the host did it. Nothing here is a function of module, inputs and options.
  struct Host {
    double seconds = 0;
    uint32_t workers = 0;
    std::vector<int64_t> clusters_by_worker;
    bool serial_after_conflict = false;
  };
  Host host;

  // Whether outputs may not be used: nothing or not all of the kernel ran.
  bool failed() const { return verdict > Verdict::Warning; }
};

// Makes one of equal findings, keeping the smallest by (cluster, thread, iteration), and computes
// the verdict. Two findings are equal if they are of one kind and sentence, at the same places of
// the source, about objects of the same names.
void settle(Report& report);

inline constexpr int kReportSchemaVersion = 1;
// Without the host's part it is the same for every number of workers.
std::string to_json(const Report& report, bool with_host = true, int indent = -1);

// All findings, worst first, and one line of summary.
std::string render_text(const Report& report, SourceReader& reader,
                        const RenderOptions& options = {});

}  // namespace pallasite
