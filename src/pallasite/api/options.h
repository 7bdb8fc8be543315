// Options of a run, as Python, the FFI handler and the command line state them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/sim/compiler.h"
#include "pallasite/sim/grid.h"

namespace pallasite {

// An option that no run can have: an unknown name, a value that does not fit or is not built yet.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

enum class ScheduleKind : uint8_t { Fixed, Random, Replay };
std::string_view name_of(ScheduleKind kind);

// What the caller does with a finding of level error; the engine only passes it on.
enum class OnFinding : uint8_t { Raise, Warn, Record };
std::string_view name_of(OnFinding on_finding);

struct RunOptions {
  std::string checks = "default";
  // What `checks` says about values of operands (sim/value_check.h).
  bool check_values = true;
  OnFinding on_finding = OnFinding::Raise;
  ScheduleKind schedule = ScheduleKind::Fixed;
  uint64_t seed = 0;
  // How many random schedules, of the seeds from 1 on, run after the stated one until one finds a
  // fault. They write to memory of their own: outputs are those of the stated schedule.
  uint64_t schedules = 0;
  // For ScheduleKind::Replay: the text of a recorded schedule.
  std::string replay;
  // Has the report hold the choices, and the schedule that can be replayed.
  bool record_choices = false;
  AsyncValues async_values = AsyncValues::Eager;
  std::optional<uint64_t> max_steps;
  // None: as many as the host runs at once.
  std::optional<uint32_t> workers;
  // Fresh memory and outputs hold zeros (uninitialized_memory = "zero").
  bool zero_fill = false;
  // Loads that leave an array read the same there (out_of_bounds_reads = "uninitialized").
  bool fill_out_of_bounds_loads = false;
  // "sm_90a", ...; empty: as the module says, or else as its ops need.
  std::string arch;
  bool arch_guessed = false;
  // The user asked for JAX's own interpreter: what only the hardware's compiler refuses is a note.
  bool legality_is_note = false;
  // True ends the run as `run.interrupted`. Called on the thread that called run, at most every
  // 100 ms.
  std::function<bool()> poll_interrupt;
  // Told at the same moments how many of the clusters have ended.
  std::function<void(int64_t done, int64_t total)> on_progress;
  // Told of prints during a long run (GridOptions::on_prints); Report::prints_told counts them.
  std::function<void(std::span<const GridPrint>)> on_prints;
  // Who watches the run, which then has one worker.
  std::vector<Observer*> observers;
  // Of the program that the kernel is a part of: its name, and on how many devices it runs. On
  // several no handler may return an error, since the others would wait for it in vain.
  std::string program;
  uint32_t devices = 1;
  // Has the caller keep what the kernel was run on, so that it can run again (kept_run.h).
  bool keep_inputs = false;
  // A number of the caller's, for the report. 0 is none.
  int64_t origin = 0;
  // Whether JAX's own lowering for the chip was asked about the kernel: a check that is over before
  // the run.
  bool compiler_asked = false;
};

// Changes the options that a JSON object states: checks, on_finding, seed, schedule, schedules,
// async_values, max_steps, workers, uninitialized_memory, out_of_bounds_reads, arch, arch_guessed,
// program, devices, keep_inputs, origin, compiler_asked; `run` (an object of the same) and `jax` as
// python/pallasite/engine.py describes them. null leaves an option as it is. Throws OptionError.
void set_options(RunOptions& options, std::string_view json);

// The integers that an option may be, by its name; `num_sms` too, which only Python knows.
struct IntegerRange {
  int64_t least = 0;
  int64_t most = 0;
};
IntegerRange range_of(std::string_view option);

// Each sets one option from its text; throws OptionError.
void set_checks(RunOptions& options, const std::string& text);
void set_schedule(RunOptions& options, const std::string& text);
void set_async_values(RunOptions& options, const std::string& text);
void set_uninitialized_memory(RunOptions& options, const std::string& text);

// The architecture of a chip's name or of an architecture in any of its spellings ("h100", "sm90");
// throws OptionError.
std::string canonical_arch(std::string_view text);

CompileOptions compile_options(const RunOptions& options, std::string_view arch);

}  // namespace pallasite
