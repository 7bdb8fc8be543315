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
  // Whether every cluster came to its end. What was found is then beside a result of the kernel; or
  // else it is why there is none.
  bool finished = false;
  // The name of the policy, with the seed of a random one, and the choices if they were asked for.
  std::string schedule = "fixed";
  uint64_t seed = 0;
  // How many schedules ran after the stated one (RunOptions::schedules).
  uint64_t more_schedules = 0;
  uint64_t schedules_asked_for = 0;
  std::vector<ClusterChoices> choices;
  // The text that RunOptions::replay takes; empty unless the choices were asked for.
  std::string recorded_schedule;
  std::string module_hash;
  std::string inputs_hash;
  // What the caller of the run asked for.
  std::string on_finding = "raise";
  // Counts the reports of this process; 0 for none.
  uint64_t id = 0;
  // How many of the prints the caller was told of while the kernel ran.
  size_t prints_told = 0;
  // As the options said.
  std::string program;
  int64_t origin = 0;
  uint32_t devices = 1;
  // Of a program on several devices: which one, and the how manieth kernel of the program it was
  // there.
  int64_t device = 0;
  uint64_t sequence = 0;
  // It is an error that is yet to be raised, once all devices have left the program: the text.
  std::string deferred;

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

// The report without the findings at these positions, and with the verdict of the others.
Report without_findings(Report report, const std::vector<size_t>& positions);

inline constexpr int kReportSchemaVersion = 1;
// Without the host's part it is the same for every number of workers.
std::string to_json(const Report& report, bool with_host = true, int indent = -1);

// All findings, worst first, and one line of summary.
std::string render_text(const Report& report, SourceReader& reader,
                        const RenderOptions& options = {});

}  // namespace pallasite
