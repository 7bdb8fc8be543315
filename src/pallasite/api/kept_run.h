// A kernel with what it was run on. Runs are deterministic, so it can run again with somebody
// watching: the first run pays nothing but the copy of its inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/api/session.h"

namespace pallasite {

// What was asked for is not there; the message says what is.
class LookupError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class KeptRun {
 public:
  // Before the run: it may write over its inputs.
  KeptRun(std::shared_ptr<const LoadedModule> loaded, std::span<const HostArray> inputs,
          const RunOptions& options);
  // After it.
  void mark_outputs(std::span<const HostArray> outputs);

  const std::string& kernel() const;
  // Of the grid, then of the cluster.
  std::vector<std::string> axes() const;
  // Number of the output with these contents, whatever its shape.
  std::optional<size_t> find_output(const HostArray& array) const;

  // JSON: who wrote an element of an output last. `output` and `writes` always; if there are any,
  // `thread`, `location` and `asynchronous`; else `instead`, what the element holds.
  std::string last_writer(size_t output, int64_t element,
                          std::function<bool()> poll_interrupt) const;

  struct Value {
    std::string name;
    // Of a barrier array: s64, with three numbers for each barrier (completed phases, arrivals and
    // bytes that are awaited in the current one).
    ElementType element = ElementType::S64;
    std::vector<int64_t> shape;
    bool is_barrier = false;
    // In register form.
    std::vector<std::byte> bytes;
  };
  // `request` is JSON: `name`; `block` (an object of axes, or null), `thread` (or null); `at`
  // ("end" or "FILE:LINE") and `occurrence`. Throws LookupError.
  Value value(std::string_view request, std::function<bool()> poll_interrupt) const;

 private:
  struct Output {
    std::string name;
    std::string dtype;
    std::string hash;
    uint64_t bytes = 0;
  };

  Report rerun(Observer& observer, std::function<bool()> poll_interrupt) const;

  std::shared_ptr<const LoadedModule> loaded_;
  RunOptions options_;
  std::vector<OwnedArray> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace pallasite
