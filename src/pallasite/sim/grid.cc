#include "pallasite/sim/grid.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "pallasite/numerics/fill.h"
#include "pallasite/numerics/float_mode.h"

namespace pallasite {

namespace {

struct Interrupt {
  std::atomic<bool> flag{false};
  std::function<bool()> poll;
};

struct ClusterResult {
  Outcome outcome = Outcome::Finished;
  std::vector<Diagnostic> findings;
  std::vector<GridPrint> prints;
  std::vector<Choice> choices;
  uint64_t steps = 0;
};

// Tells of prints while the grid runs. A grid that runs again in launch order prints the same
// again, so what was told once is skipped.
class PrintRelease {
 public:
  explicit PrintRelease(const GridOptions& options)
      : tell_(options.on_prints), interval_(options.print_interval), next_(Clock::now()) {
    next_ += interval_;
  }

  bool wanted() const { return tell_ != nullptr; }
  bool due() const { return wanted() && Clock::now() >= next_; }
  // Of all prints of the grid.
  size_t told() const { return told_; }
  void tell(std::span<const GridPrint> prints) {
    next_ = Clock::now() + interval_;
    if (prints.empty()) return;
    told_ += prints.size();
    tell_(prints);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::function<void(std::span<const GridPrint>)>& tell_;
  std::chrono::milliseconds interval_;
  Clock::time_point next_;
  size_t told_ = 0;
};

// The prints of the clusters that have ended and before which, in launch order, all have ended. If
// no two clusters have met by then, each of them read what it reads in launch order: whatever comes
// later, their prints stay. All workers add to it.
class CertainPrints {
 public:
  CertainPrints(int64_t clusters, std::optional<uint64_t> max_steps)
      : ended_(static_cast<size_t>(clusters)), max_steps_(max_steps) {}

  void end(int64_t cluster, const ClusterResult& part) {
    const std::lock_guard hold(lock_);
    ended_[static_cast<size_t>(cluster)] = true;
    if (!part.prints.empty()) waiting_[cluster] = part.prints;
    if (max_steps_) steps_[cluster] = part.steps;
    for (; first_ < ended_.size() && ended_[first_]; ++first_) {
      const auto at = static_cast<int64_t>(first_);
      // In launch order the grid may come to its limit before the end of this cluster.
      if (max_steps_ && (steps_before_ += steps_[at]) > *max_steps_) {
        first_ = ended_.size();
        break;
      }
      const auto found = waiting_.find(at);
      if (found == waiting_.end()) continue;
      std::move(found->second.begin(), found->second.end(), std::back_inserter(certain_));
      waiting_.erase(found);
    }
  }

  std::vector<GridPrint> after(size_t told) {
    const std::lock_guard hold(lock_);
    return {certain_.begin() + static_cast<ptrdiff_t>(told), certain_.end()};
  }

 private:
  std::mutex lock_;
  std::vector<bool> ended_;
  const std::optional<uint64_t> max_steps_;
  std::map<int64_t, std::vector<GridPrint>> waiting_;
  std::map<int64_t, uint64_t> steps_;
  uint64_t steps_before_ = 0;
  size_t first_ = 0;
  std::vector<GridPrint> certain_;
};

// Everything that a worker needs, kept from cluster to cluster.
class Worker {
 public:
  Worker(const Program& program, const std::vector<GmemBuffer>& gmem, const GridOptions& options,
         Footprint* footprint, FreshMemory* fresh, Interrupt& interrupt, bool polls)
      : program_(program),
        gmem_(gmem),
        options_(options),
        footprint_(footprint),
        fresh_(fresh),
        interrupt_(interrupt),
        polls_(polls) {
    make_machine(nullptr, options.machine.max_steps);
  }

  ClusterResult run(int64_t cluster, std::optional<uint64_t> max_steps) {
    std::unique_ptr<Policy> policy;
    if (options_.policy) policy = options_.policy(cluster);
    if (policy != nullptr || max_steps) make_machine(policy.get(), max_steps);
    machine_->start(cluster);
    ClusterResult result;
    result.outcome = machine_->run();
    result.steps = state_.steps;
    result.findings = machine_->take_findings();
    result.prints = prints(0);
    state_.prints.clear();
    if (options_.record_choices) result.choices = std::move(state_.choices);
    if (result.outcome == Outcome::StepLimit || result.outcome == Outcome::Interrupted) {
      result.findings.push_back(cut_short(result.outcome));
    }
    // The machine must not keep a policy that is gone.
    if (policy != nullptr) make_machine(nullptr, max_steps);
    return result;
  }

  // Those of the cluster that is running, from the given one on.
  std::vector<GridPrint> prints(size_t first) const {
    std::vector<GridPrint> found;
    for (size_t i = first; i < state_.prints.size(); ++i) {
      const Print& print = state_.prints[i];
      found.push_back({state_.cluster, machine_->thread_name(print.thread, 0), print.text});
    }
    return found;
  }

 private:
  void make_machine(const Policy* policy, std::optional<uint64_t> max_steps) {
    MachineOptions machine = options_.machine;
    machine.max_steps = max_steps;
    machine.interrupted = &interrupt_.flag;
    machine.record_choices = options_.record_choices;
    if (polls_ && interrupt_.poll) machine.poll_interrupt = &interrupt_.poll;
    machine_.emplace(program_, state_, gmem_, machine, policy, options_.observers, footprint_,
                     fresh_);
  }

  Diagnostic cut_short(Outcome outcome) {
    DiagnosticBuilder builder(outcome == Outcome::StepLimit ? Kind::RunStepLimit
                                                            : Kind::RunInterrupted);
    builder.arg("steps", outcome == Outcome::StepLimit && options_.machine.max_steps
                             ? static_cast<int64_t>(*options_.machine.max_steps)
                             : static_cast<int64_t>(state_.steps));
    machine_->describe_stuck(builder);
    uint32_t first = 0;
    while (first + 1 < state_.threads.size() &&
           state_.threads[first].status == ThreadStatus::Done) {
      ++first;
    }
    const uint32_t pc = state_.threads[first].pc;
    return builder.at(machine_->location(pc), machine_->thread_name(first, pc)).build();
  }

  const Program& program_;
  const std::vector<GmemBuffer>& gmem_;
  const GridOptions& options_;
  Footprint* footprint_;
  FreshMemory* fresh_;
  Interrupt& interrupt_;
  // It runs on the thread that called run_grid.
  bool polls_;
  ClusterState state_;
  std::optional<ClusterMachine> machine_;
};

void count_cluster(const GridOptions& options) {
  if (options.clusters_done != nullptr) {
    options.clusters_done->fetch_add(1, std::memory_order_relaxed);
  }
}

bool trivial(const ClusterResult& part) {
  return part.findings.empty() && part.prints.empty() && part.choices.empty();
}

void append(GridResult& result, int64_t cluster, ClusterResult&& part) {
  std::move(part.findings.begin(), part.findings.end(), std::back_inserter(result.findings));
  std::move(part.prints.begin(), part.prints.end(), std::back_inserter(result.prints));
  if (!part.choices.empty()) result.choices.push_back({cluster, std::move(part.choices)});
}

// While alive, what polls for an interrupt also tells of prints.
class ScopedRelease {
 public:
  ScopedRelease(Interrupt& interrupt, PrintRelease& release, const std::function<void()>& tell)
      : interrupt_(interrupt), before_(interrupt.poll) {
    if (!release.wanted()) return;
    interrupt.poll = [this, &release, &tell] {
      if (release.due()) tell();
      return before_ && before_();
    };
  }
  ~ScopedRelease() { interrupt_.poll = std::move(before_); }
  ScopedRelease(const ScopedRelease&) = delete;
  ScopedRelease& operator=(const ScopedRelease&) = delete;

 private:
  Interrupt& interrupt_;
  std::function<bool()> before_;
};

GridResult run_serial(const Program& program, const std::vector<GmemBuffer>& gmem,
                      const GridOptions& options, FreshMemory* fresh, Interrupt& interrupt,
                      PrintRelease& release) {
  GridResult result;
  const Worker* running = nullptr;
  const std::function<void()> tell = [&] {
    std::vector<GridPrint> prints;
    const size_t ended = result.prints.size();
    for (size_t i = release.told(); i < ended; ++i) prints.push_back(result.prints[i]);
    for (GridPrint& print : running->prints(std::max(release.told(), ended) - ended)) {
      prints.push_back(std::move(print));
    }
    release.tell(prints);
  };
  const ScopedRelease scoped(interrupt, release, tell);
  Worker worker(program, gmem, options, nullptr, fresh, interrupt, true);
  running = &worker;
  for (int64_t cluster = 0; cluster < program.clusters; ++cluster) {
    std::optional<uint64_t> left = options.machine.max_steps;
    if (left) *left -= std::min(*left, result.steps);
    ClusterResult part = worker.run(cluster, left);
    result.outcome = part.outcome;
    result.steps += part.steps;
    ++result.clusters_run;
    count_cluster(options);
    append(result, cluster, std::move(part));
    if (result.outcome != Outcome::Finished) break;
  }
  result.clusters_by_worker = {result.clusters_run};
  return result;
}

// Null if the grid has to run again in launch order.
std::optional<GridResult> run_parallel(const Program& program, const std::vector<GmemBuffer>& gmem,
                                       const GridOptions& options, FreshMemory* fresh,
                                       Interrupt& interrupt, PrintRelease& release) {
  struct Share {
    uint64_t steps = 0;
    int64_t clusters = 0;
    std::vector<std::pair<int64_t, ClusterResult>> parts;
  };
  Footprint footprint(gmem, program.parameter_written);
  const auto workers = static_cast<uint32_t>(std::min<int64_t>(options.workers, program.clusters));
  // A few clusters at a time; towards the end of a small grid one.
  const int64_t batch = std::clamp<int64_t>(program.clusters / (workers * 8), 1, 64);
  std::vector<Share> shares(workers);
  std::optional<CertainPrints> certain;
  if (release.wanted()) certain.emplace(program.clusters, options.machine.max_steps);
  const std::function<void()> tell = [&] { release.tell(certain->after(release.told())); };
  const ScopedRelease scoped(interrupt, release, tell);
  std::atomic<int64_t> next{0};
  // A cluster has failed or two have met: the rest is not worth running.
  std::atomic<bool> abandon{false};
  std::exception_ptr error;
  std::mutex lock;
  std::condition_variable ended;
  uint32_t running = workers;
  const auto fail = [&] {
    const std::lock_guard hold(lock);
    error = std::current_exception();
    // Ends the clusters that other workers are running.
    interrupt.flag = true;
    abandon = true;
  };
  const auto work = [&](uint32_t index) {
    try {
      const ScopedFloatMode float_mode;
      Worker worker(program, gmem, options, &footprint, fresh, interrupt, index == 0);
      Share& share = shares[index];
      while (!abandon) {
        const int64_t begin = next.fetch_add(batch);
        if (begin >= program.clusters) break;
        const int64_t end = std::min(begin + batch, program.clusters);
        for (int64_t cluster = begin; cluster < end && !abandon; ++cluster) {
          ClusterResult part = worker.run(cluster, options.machine.max_steps);
          share.steps += part.steps;
          ++share.clusters;
          count_cluster(options);
          if (part.outcome != Outcome::Finished || footprint.conflict()) abandon = true;
          if (certain && !abandon) certain->end(cluster, part);
          if (!trivial(part)) share.parts.emplace_back(cluster, std::move(part));
        }
      }
    } catch (...) {
      fail();
    }
    const std::lock_guard hold(lock);
    --running;
    ended.notify_all();
  };
  {
    std::vector<std::jthread> threads;
    for (uint32_t i = 1; i < workers; ++i) threads.emplace_back(work, i);
    work(0);
    std::unique_lock hold(lock);
    while (running > 0) {
      ended.wait_for(hold, std::chrono::milliseconds(50));
      if (!interrupt.poll || interrupt.flag) continue;
      hold.unlock();
      try {
        if (interrupt.poll()) interrupt.flag = true;
      } catch (...) {
        fail();
      }
      hold.lock();
    }
  }
  if (error) std::rethrow_exception(error);
  GridResult result;
  std::vector<std::pair<int64_t, ClusterResult>> parts;
  for (Share& share : shares) {
    result.steps += share.steps;
    result.clusters_run += share.clusters;
    result.clusters_by_worker.push_back(share.clusters);
    std::move(share.parts.begin(), share.parts.end(), std::back_inserter(parts));
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto interrupted = std::find_if(parts.begin(), parts.end(), [](const auto& entry) {
    return entry.second.outcome == Outcome::Interrupted;
  });
  if (interrupted != parts.end()) {
    // Whoever interrupts a run does not want another one.
    result.outcome = Outcome::Interrupted;
    if (certain) result.prints = certain->after(0);
    append(result, interrupted->first, std::move(interrupted->second));
    return result;
  }
  if (abandon || footprint.conflict() ||
      (options.machine.max_steps && result.steps > *options.machine.max_steps)) {
    return std::nullopt;
  }
  for (auto& [cluster, part] : parts) append(result, cluster, std::move(part));
  return result;
}

// What has to be done to global memory before a run, and again before a second one.
class GlobalMemory {
 public:
  // `observed`: someone reads it that the machine does not know of.
  GlobalMemory(const Program& program, const std::vector<GmemBuffer>& gmem, bool zero_fill,
               bool observed)
      : program_(program),
        buffers_(gmem),
        zero_fill_(zero_fill),
        observed_(observed),
        fresh_(gmem.size(), zero_fill) {
    const std::vector<KernelParameter>& parameters = program.module->kernel.parameters;
    std::vector<bool> aliased(parameters.size());
    for (const KernelParameter& parameter : parameters) {
      if (parameter.aliases) aliased[*parameter.aliases] = true;
    }
    saved_.resize(parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].role != KernelParameter::Role::Input || !program.parameter_written[i]) {
        continue;
      }
      saved_[i].assign(gmem[i].data, gmem[i].data + gmem[i].bytes);
      // A kernel may write to an input that is no output: the caller's array stays as it is.
      if (!aliased[i]) {
        private_.push_back(saved_[i]);
        buffers_[i].data = private_.back().data();
      }
    }
  }

  const std::vector<GmemBuffer>& buffers() const { return buffers_; }
  FreshMemory* fresh() { return &fresh_; }
  // After the run that counts.
  void finish() { fresh_.finish(); }

  void reset() {
    const std::vector<KernelParameter>& parameters = program_.module->kernel.parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].role == KernelParameter::Role::Input) {
        if (!saved_[i].empty()) {
          std::memcpy(buffers_[i].data, saved_[i].data(), saved_[i].size());
        }
        continue;
      }
      if (parameters[i].aliases) continue;
      const Layout& layout = program_.allocations[i].layout;
      if (!observed_ && FreshMemory::worthwhile(layout.element, buffers_[i])) {
        fresh_.start(static_cast<uint32_t>(i), layout.element, buffers_[i]);
        continue;
      }
      const auto count = static_cast<size_t>(layout.element_count());
      if (zero_fill_) {
        fill_zero(layout.element, buffers_[i].data, count);
      } else {
        fill_uninitialized(layout.element, buffers_[i].data, count);
      }
    }
  }

 private:
  const Program& program_;
  std::vector<GmemBuffer> buffers_;
  bool zero_fill_;
  bool observed_;
  FreshMemory fresh_;
  std::vector<std::vector<std::byte>> saved_;
  std::list<std::vector<std::byte>> private_;
};

}  // namespace

GridResult run_grid(const Program& program, const std::vector<GmemBuffer>& gmem,
                    const GridOptions& options) {
  const ScopedFloatMode float_mode;
  GlobalMemory memory(program, gmem, options.machine.zero_fill, !options.observers.empty());
  memory.reset();
  Interrupt interrupt;
  PrintRelease release(options);
  if (options.poll_interrupt || options.machine.interrupted != nullptr) {
    interrupt.poll = [&options] {
      const std::atomic<bool>* flag = options.machine.interrupted;
      return (flag != nullptr && flag->load(std::memory_order_relaxed)) ||
             (options.poll_interrupt && options.poll_interrupt());
    };
  }
  const bool parallel = options.workers > 1 && program.clusters > 1 &&
                        program.clusters_independent && options.observers.empty();
  if (parallel) {
    if (auto result =
            run_parallel(program, memory.buffers(), options, memory.fresh(), interrupt, release)) {
      memory.finish();
      result->prints_told = release.told();
      return *result;
    }
    memory.reset();
    if (options.clusters_done != nullptr) *options.clusters_done = 0;
  }
  GridResult result =
      run_serial(program, memory.buffers(), options, memory.fresh(), interrupt, release);
  memory.finish();
  result.prints_told = release.told();
  result.serial_after_conflict = parallel;
  return result;
}

}  // namespace pallasite
