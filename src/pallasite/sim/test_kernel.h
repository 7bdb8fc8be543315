// Kernels given as text, compiled once and run in several ways, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/render.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/verifier.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/grid.h"

namespace pallasite::test {

using Array = std::vector<std::byte>;

template <typename T>
Array array_of(const std::vector<T>& values) {
  Array bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::string messages(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += std::string(code_of(diagnostic.kind)) + ": " + message(diagnostic) + "\n";
  }
  return text;
}

struct KernelRun {
  GridResult result;
  // The buffers of all parameters at the end.
  std::vector<Array> arrays;

  template <typename T>
  std::vector<T> get(size_t parameter) const {
    std::vector<T> values(arrays[parameter].size() / sizeof(T));
    std::memcpy(values.data(), arrays[parameter].data(), arrays[parameter].size());
    return values;
  }
  bool clean() const { return result.outcome == Outcome::Finished && result.findings.empty(); }
  // Codes of the findings, separated by blanks.
  std::string codes() const {
    std::string text;
    for (const Diagnostic& finding : result.findings) {
      text += (text.empty() ? "" : " ") + std::string(code_of(finding.kind));
    }
    return text;
  }
  std::string messages() const { return test::messages(result.findings); }
};

class TestKernel {
 public:
  // An op without a location gets that of its line in the text.
  explicit TestKernel(std::string_view text, const std::string& file = "test.pir",
                      ObservationLevel level = ObservationLevel::Fused) {
    ParseResult parsed = parse_module(text, file);
    if (parsed.module == nullptr) {
      ADD_FAILURE() << messages(parsed.diagnostics);
      return;
    }
    const std::vector<Diagnostic> problems = verify(*parsed.module, &parsed.positions);
    if (!problems.empty()) {
      std::string text_of_all;
      for (const Diagnostic& problem : problems) text_of_all += render_plain(problem);
      ADD_FAILURE() << text_of_all;
      return;
    }
    locate_in_text(*parsed.module, parsed.positions);
    Compiler::Result compiled = Compiler::compile(std::move(parsed.module), {.level = level});
    EXPECT_EQ(messages(compiled.diagnostics), "");
    program_ = compiled.program;
  }

  bool runs() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }

  // Buffers for all parameters: the given arrays for the first, zeros for the rest.
  std::vector<Array> buffers(std::vector<Array> inputs = {}) const {
    const size_t count = program_->module->kernel.parameters.size();
    inputs.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const auto bytes = static_cast<size_t>(program_->allocations[i].layout.bytes());
      if (inputs[i].empty()) inputs[i].resize(bytes);
      EXPECT_EQ(inputs[i].size(), bytes) << "parameter " << i;
    }
    return inputs;
  }
  static std::vector<GmemBuffer> gmem(std::vector<Array>& arrays) {
    std::vector<GmemBuffer> buffers;
    for (Array& array : arrays) {
      buffers.push_back({array.data(), static_cast<int64_t>(array.size())});
    }
    return buffers;
  }

  KernelRun run(const GridOptions& options = {}, const std::vector<Array>& inputs = {}) const {
    if (!runs()) throw std::logic_error("the kernel does not compile");
    KernelRun run;
    run.arrays = buffers(inputs);
    run.result = run_grid(*program_, gmem(run.arrays), options);
    return run;
  }

 private:
  std::shared_ptr<const Program> program_;
};

}  // namespace pallasite::test
