// Loads modules and runs them: what the command line, the XLA handler and the Python module share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pallasite/api/display.h"
#include "pallasite/api/options.h"
#include "pallasite/api/report.h"
#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/module.h"
#include "pallasite/sim/program.h"

namespace pallasite {

// A module that was read, verified and compiled; with `program` null, `diagnostics` say why.
// Immutable.
struct LoadedModule {
  std::string text;
  std::string file;
  std::string hash;
  // Null if the text does not parse.
  std::shared_ptr<const Module> module;
  std::shared_ptr<const Program> program;
  // All that was found before running, of any level.
  std::vector<Diagnostic> diagnostics;
  std::string arch;
  bool arch_guessed = false;
};

// An array of the host in packed form (numerics/element_type.h), row-major.
struct HostArray {
  // Of a kernel parameter; empty: the next parameter of its role, in order.
  std::string name;
  // As numpy or the IR name it.
  std::string dtype;
  std::vector<int64_t> shape;
  std::byte* data = nullptr;
};

// An array with its own memory.
struct OwnedArray {
  HostArray array;
  std::vector<std::byte> bytes;
};

// The user's name of a parameter, or one made of its role and number.
std::string parameter_name(const Kernel& kernel, size_t index);

// Memory for all outputs of the kernel.
std::vector<OwnedArray> make_outputs(const Module& module);

class Session {
 public:
  explicit Session(size_t max_modules = 128, size_t max_text_bytes = size_t{64} << 20)
      : max_modules_(max_modules), max_text_bytes_(max_text_bytes) {}

  // Reads a module, or finds it where the same text was read under the same options before. `file`
  // is what messages call it; empty where only the kernel's own source is of interest. `key`, if
  // the caller has a hash of the text at hand, saves making one. Never throws for what is wrong
  // with the text.
  std::shared_ptr<const LoadedModule> load(std::string_view text, std::string_view file,
                                           const RunOptions& options,
                                           std::optional<uint64_t> key = std::nullopt);

  // Runs the module. Inputs and outputs are given by name or in order; outputs that are not given
  // are dropped. Nothing of the caller's but the outputs is written. Outputs of a kernel that could
  // not start are filled with what fresh memory holds. Never throws: what goes wrong is in the
  // report.
  Report run(const LoadedModule& loaded, std::span<const HostArray> inputs,
             std::span<const HostArray> outputs, const RunOptions& options);

  // The same as something to look into: it gets no number and is nobody's last report.
  static Report rerun(const LoadedModule& loaded, std::span<const HostArray> inputs,
                      std::span<const HostArray> outputs, const RunOptions& options) {
    return run_quietly(loaded, inputs, outputs, options);
  }

  size_t cached_modules() const;

  // Options that a run has unless it states others.
  void set_options(RunOptions options);
  RunOptions options() const;

  // How whoever runs kernels here is to be told of them.
  void set_display(Display display);
  Display display() const;

 private:
  struct Key {
    uint64_t hash = 0;
    size_t text_bytes = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.hash ^ key.text_bytes; }
  };
  struct Entry {
    Key key;
    // What the options stated.
    std::string arch;
    bool legality_is_note = false;
    bool check_values = true;
    std::shared_ptr<const LoadedModule> module;
  };
  using Entries = std::list<Entry>;

  Entries::iterator find(const Key& key, std::string_view text, const RunOptions& options);
  void remember(Report& report);
  // Replaces the report by that of the first schedule that finds a fault, if any does.
  static void try_more_schedules(Report& report, const LoadedModule& loaded,
                                 std::span<const HostArray> inputs, const RunOptions& options);
  static Report run_quietly(const LoadedModule& loaded, std::span<const HostArray> inputs,
                            std::span<const HostArray> outputs, const RunOptions& options);
  static Report attempt(const LoadedModule& loaded, std::span<const HostArray> inputs,
                        std::span<const HostArray> outputs, const RunOptions& options);

  const size_t max_modules_;
  const size_t max_text_bytes_;
  mutable std::mutex lock_;
  // Most recently used first.
  Entries entries_;
  std::unordered_multimap<Key, Entries::iterator, KeyHash> index_;
  size_t text_bytes_ = 0;
  RunOptions options_;
  Display display_;
  uint64_t reports_ = 0;
};

// The one registry of the process.
Session& process_session();

}  // namespace pallasite
