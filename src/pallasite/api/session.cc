#include "pallasite/api/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "pallasite/api/arguments.h"
#include "pallasite/api/content_hash.h"
#include "pallasite/base/check.h"
#include "pallasite/base/version.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/verifier.h"
#include "pallasite/numerics/fill.h"
#include "pallasite/sched/policies.h"
#include "pallasite/sched/schedule_file.h"

namespace pallasite {

namespace {

using Clock = std::chrono::steady_clock;

Diagnostic internal_failure(const std::string& what, SourceLocation location = {}) {
  return DiagnosticBuilder(Kind::RunInternal).arg("what", what).at(std::move(location)).build();
}

bool blocks(const Diagnostic& diagnostic) {
  return verdict_of(diagnostic) > Verdict::Warning;
}

// Copies of arrays: a kernel may write over an input that shares its buffer with an output.
class HostCopies {
 public:
  explicit HostCopies(std::span<const HostArray> arrays) {
    for (HostArray array : arrays) {
      const std::optional<ElementType> element = parse_element_type(array.dtype);
      if (element && array.data != nullptr) {
        int64_t count = 1;
        for (int64_t extent : array.shape) count *= extent;
        const size_t bytes = packed_bytes(*element, static_cast<size_t>(count));
        std::vector<std::byte>& copy = memory_.emplace_back(array.data, array.data + bytes);
        array.data = copy.data();
      }
      arrays_.push_back(std::move(array));
    }
  }
  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  std::span<const HostArray> arrays() const { return arrays_; }

 private:
  std::list<std::vector<std::byte>> memory_;
  std::vector<HostArray> arrays_;
};

// What only the hardware's compiler and driver refuse.
bool is_legality(Kind kind) {
  const std::string_view code = code_of(kind);
  return code.starts_with("launch.") || code.starts_with("regs.") || kind == Kind::MmaShape;
}

std::string guess_arch(const Module& module) {
  for (size_t i = 0; i < module.num_ops(); ++i) {
    const OpDef* def = module.op(OpId(static_cast<uint32_t>(i))).def;
    if (def != nullptr && def->name.starts_with("tcgen05.")) return "sm_100a";
  }
  return "sm_90a";
}

void choose_arch(LoadedModule& loaded, const RunOptions& options) {
  if (!options.arch.empty()) {
    loaded.arch = options.arch;
    loaded.arch_guessed = options.arch_guessed;
    return;
  }
  loaded.arch = string_attribute(loaded.module->kernel.attributes, "arch");
  if (!loaded.arch.empty()) return;
  loaded.arch = guess_arch(*loaded.module);
  loaded.arch_guessed = true;
}

void read(LoadedModule& loaded, const RunOptions& options) {
  ParseResult parsed = parse_module(loaded.text, loaded.file.empty() ? "module.pir" : loaded.file);
  loaded.diagnostics = std::move(parsed.diagnostics);
  if (parsed.module == nullptr) {
    PALLASITE_CHECK(!loaded.diagnostics.empty());
    return;
  }
  const std::shared_ptr<Module> module = std::move(parsed.module);
  loaded.module = module;
  choose_arch(loaded, options);
  for (Diagnostic& diagnostic :
       verify(*module, loaded.file.empty() ? nullptr : &parsed.positions)) {
    if (options.legality_is_note && is_legality(diagnostic.kind)) diagnostic.level = Level::Note;
    loaded.diagnostics.push_back(std::move(diagnostic));
  }
  if (std::ranges::any_of(loaded.diagnostics, blocks)) return;
  if (!loaded.file.empty()) locate_in_text(*module, parsed.positions);
  Compiler::Result compiled = Compiler::compile(module, compile_options(options, loaded.arch));
  std::ranges::move(compiled.diagnostics, std::back_inserter(loaded.diagnostics));
  loaded.program = std::move(compiled.program);
  PALLASITE_CHECK(loaded.program != nullptr || std::ranges::any_of(loaded.diagnostics, blocks));
}

void fill_fresh(const HostArray& array, bool zero) {
  const std::optional<ElementType> element = parse_element_type(array.dtype);
  if (!element || array.data == nullptr) return;
  size_t count = 1;
  for (int64_t extent : array.shape) count *= static_cast<size_t>(extent);
  if (zero) {
    fill_zero(*element, array.data, count);
  } else {
    fill_uninitialized(*element, array.data, count);
  }
}

// At most every 100 ms tells the caller how far the run is, and looks at the caller's flag.
std::function<bool()> at_intervals(const RunOptions& options, const std::atomic<int64_t>& done,
                                   int64_t total) {
  if (!options.poll_interrupt && !options.on_progress) return nullptr;
  return [&options, &done, total, next = Clock::now() + std::chrono::milliseconds(100)]() mutable {
    const Clock::time_point now = Clock::now();
    if (now < next) return false;
    next = now + std::chrono::milliseconds(100);
    if (options.on_progress) options.on_progress(done.load(std::memory_order_relaxed), total);
    return options.poll_interrupt && options.poll_interrupt();
  };
}

// What a recorded schedule depends on besides the module and its inputs.
std::string text_of_options(const RunOptions& options) {
  return fmt::format("async_values={} uninitialized_memory={}{}",
                     options.async_values == AsyncValues::Late ? "late" : "eager",
                     options.zero_fill ? "zero" : "nan",
                     options.fill_out_of_bounds_loads ? " out_of_bounds_reads=uninitialized" : "");
}

// Null for the fixed schedule. `replay` has to live as long as the run.
std::function<std::unique_ptr<Policy>(int64_t)> policies_of(
    const RunOptions& options, const std::vector<ClusterChoices>& replay) {
  switch (options.schedule) {
    case ScheduleKind::Random:
      return [seed = options.seed](int64_t cluster) -> std::unique_ptr<Policy> {
        return std::make_unique<RandomPolicy>(seed, cluster);
      };
    case ScheduleKind::Replay:
      return [&replay](int64_t cluster) {
        return make_policy({.kind = ScheduleOptions::Kind::Replay, .replay = &replay}, cluster);
      };
    case ScheduleKind::Fixed:
      break;
  }
  if (!options.record_choices) return nullptr;
  // The fixed schedule makes no choices unless they are spelled out.
  return [](int64_t) -> std::unique_ptr<Policy> { return std::make_unique<FixedPolicy>(); };
}

}  // namespace

Session::Entries::iterator Session::find(const Key& key, std::string_view text,
                                         const RunOptions& options) {
  const auto [begin, end] = index_.equal_range(key);
  for (auto it = begin; it != end; ++it) {
    const Entry& entry = *it->second;
    if (entry.arch == options.arch && entry.legality_is_note == options.legality_is_note &&
        entry.check_values == options.check_values && entry.module->text == text) {
      return it->second;
    }
  }
  return entries_.end();
}

std::shared_ptr<const LoadedModule> Session::load(std::string_view text, std::string_view file,
                                                  const RunOptions& options,
                                                  std::optional<uint64_t> key_given) {
  Key key{key_given.value_or(0), text.size()};
  if (!key_given) {
    ContentHash hash;
    hash.add(text.data(), text.size());
    key.hash = hash.value();
  }
  {
    const std::lock_guard hold(lock_);
    const auto found = find(key, text, options);
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->module;
    }
  }
  auto loaded = std::make_shared<LoadedModule>();
  loaded->text = text;
  loaded->file = file;
  ContentHash hash;
  hash.add(text.data(), text.size());
  loaded->hash = hash.text();
  try {
    read(*loaded, options);
  } catch (const std::exception& error) {
    loaded->program = nullptr;
    loaded->diagnostics.push_back(internal_failure(error.what()));
  }
  const std::lock_guard hold(lock_);
  const auto found = find(key, text, options);
  // Another thread may have read it meanwhile.
  if (found != entries_.end()) return found->module;
  entries_.push_front({key, options.arch, options.legality_is_note, options.check_values, loaded});
  index_.emplace(key, entries_.begin());
  text_bytes_ += text.size();
  while (entries_.size() > 1 && (entries_.size() > max_modules_ || text_bytes_ > max_text_bytes_)) {
    const auto oldest = std::prev(entries_.end());
    const auto [begin, end] = index_.equal_range(oldest->key);
    index_.erase(std::find_if(begin, end, [&](const auto& item) { return item.second == oldest; }));
    text_bytes_ -= oldest->module->text.size();
    entries_.pop_back();
  }
  return loaded;
}

size_t Session::cached_modules() const {
  const std::lock_guard hold(lock_);
  return entries_.size();
}

void Session::set_options(RunOptions options) {
  const std::lock_guard hold(lock_);
  options_ = std::move(options);
}

RunOptions Session::options() const {
  const std::lock_guard hold(lock_);
  return options_;
}

void Session::set_display(Display display) {
  const std::lock_guard hold(lock_);
  display_ = std::move(display);
}

Display Session::display() const {
  const std::lock_guard hold(lock_);
  return display_;
}

void Session::remember(Report& report) {
  const std::lock_guard hold(lock_);
  report.id = ++reports_;
}

Report Session::run(const LoadedModule& loaded, std::span<const HostArray> inputs,
                    std::span<const HostArray> outputs, const RunOptions& options) {
  Report report = run_quietly(loaded, inputs, outputs, options);
  remember(report);
  return report;
}

Report Session::run_quietly(const LoadedModule& loaded, std::span<const HostArray> inputs,
                            std::span<const HostArray> outputs, const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  Report report;
  bool started = true;
  try {
    const HostCopies kept(options.schedules > 0 ? inputs : std::span<const HostArray>());
    report = attempt(loaded, inputs, outputs, options);
    started = report.clusters > 0;
    if (options.schedules > 0) try_more_schedules(report, loaded, kept.arrays(), options);
  } catch (const std::exception& error) {
    // What was found before is of no use if we are wrong ourselves.
    report = Report();
    started = false;
    SourceLocation location;
    if (loaded.module) location = source_location(*loaded.module, loaded.module->kernel.location);
    report.findings.push_back(internal_failure(error.what(), std::move(location)));
  }
  if (loaded.module) report.kernel = loaded.module->kernel.name;
  report.arch = loaded.arch;
  report.arch_guessed = loaded.arch_guessed;
  report.module_hash = loaded.hash;
  report.on_finding = name_of(options.on_finding);
  settle(report);
  if (report.failed() && !started) {
    for (const HostArray& array : outputs) fill_fresh(array, options.zero_fill);
  }
  report.program = options.program;
  report.devices = options.devices;
  report.origin = options.origin;
  report.host.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

void Session::try_more_schedules(Report& report, const LoadedModule& loaded,
                                 std::span<const HostArray> inputs, const RunOptions& options) {
  RunOptions other = options;
  other.schedule = ScheduleKind::Random;
  other.record_choices = false;
  other.on_progress = nullptr;
  other.on_prints = nullptr;
  report.schedules_asked_for = options.schedules;
  settle(report);
  while (!report.failed() && report.more_schedules < options.schedules) {
    other.seed = ++report.more_schedules;
    std::vector<OwnedArray> scratch = make_outputs(*loaded.module);
    std::vector<HostArray> outputs;
    for (OwnedArray& output : scratch) outputs.push_back(output.array);
    Report found = attempt(loaded, inputs, outputs, other);
    settle(found);
    if (!found.failed()) continue;
    // What the stated schedule printed stays, and its warnings.
    report.findings.insert(report.findings.end(), found.findings.begin(), found.findings.end());
    report.finished = found.finished;
    report.schedule = found.schedule;
    report.seed = found.seed;
    report.steps = found.steps;
    report.clusters = found.clusters;
    settle(report);
  }
}

Report Session::attempt(const LoadedModule& loaded, std::span<const HostArray> inputs,
                        std::span<const HostArray> outputs, const RunOptions& options) {
  Report report;
  report.findings = loaded.diagnostics;
  report.checks = {"ir"};
  report.schedule = name_of(options.schedule);
  if (options.schedule == ScheduleKind::Random) report.seed = options.seed;
  if (loaded.program == nullptr) return report;
  const Program& program = *loaded.program;
  BoundArguments bound = bind_arguments(*loaded.module, inputs, outputs);
  if (!bound.problems.empty()) {
    std::ranges::move(bound.problems, std::back_inserter(report.findings));
    return report;
  }
  const bool replays = options.schedule == ScheduleKind::Replay;
  Schedule schedule;
  if (options.record_choices || replays) {
    report.inputs_hash = bound.inputs_hash();
    schedule.identity = {std::string(version()), loaded.hash, report.inputs_hash,
                         text_of_options(options)};
  }
  if (replays) {
    ReadScheduleResult read = read_schedule(options.replay, schedule.identity);
    if (!read.schedule) {
      report.findings.push_back(std::move(*read.mismatch));
      return report;
    }
    schedule.clusters = std::move(read.schedule->clusters);
  }
  GridOptions grid;
  grid.machine.async_values = options.async_values;
  grid.machine.zero_fill = options.zero_fill;
  grid.machine.fill_out_of_bounds_loads = options.fill_out_of_bounds_loads;
  grid.machine.max_steps = options.max_steps;
  grid.workers = options.workers.value_or(std::max(1u, std::thread::hardware_concurrency()));
  grid.policy = policies_of(options, schedule.clusters);
  grid.record_choices = options.record_choices;
  std::atomic<int64_t> clusters_done{0};
  grid.clusters_done = &clusters_done;
  grid.poll_interrupt = at_intervals(options, clusters_done, program.clusters);
  grid.on_prints = options.on_prints;
  grid.observers = options.observers;
  GridResult result = run_grid(program, bound.buffers, grid);
  // Barrier protocol, bounds, scopes and progress.
  report.checks.push_back("machine");
  if (options.check_values) report.checks.push_back("values");
  if (options.compiler_asked) report.checks.push_back("compile");
  std::ranges::move(result.findings, std::back_inserter(report.findings));
  PALLASITE_CHECK(result.outcome == Outcome::Finished || !report.findings.empty());
  report.finished = result.outcome == Outcome::Finished;
  report.prints = std::move(result.prints);
  report.prints_told = result.prints_told;
  report.steps = result.steps;
  report.clusters = result.clusters_run;
  report.choices = std::move(result.choices);
  if (options.record_choices) {
    report.recorded_schedule = write_schedule({schedule.identity, report.choices});
  }
  report.host.workers = grid.workers;
  report.host.clusters_by_worker = std::move(result.clusters_by_worker);
  report.host.serial_after_conflict = result.serial_after_conflict;
  return report;
}

Session& process_session() {
  static Session session;
  return session;
}

}  // namespace pallasite
