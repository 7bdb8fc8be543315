// Kernels run under observers and under many schedules, for tests.
#pragma once

#include <gtest/gtest.h>

#include <compare>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/diag/render.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/verifier.h"
#include "pallasite/sched/policies.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/grid.h"

namespace pallasite::test {

// The memory that an access is about: two accesses can touch the same element only if their places
// are equal. Elements of a place are numbered in storage order.
struct Place {
  MemorySpace space = MemorySpace::Gmem;
  // Of shared memory and registers; -1 for global memory.
  int64_t cluster = -1;
  uint32_t owner = 0;
  // Allocation site, or number of the buffer.
  uint64_t id = 0;
  auto operator<=>(const Place&) const = default;
};

inline Place place_of(const ClusterMachine& machine, const AccessEvent& event) {
  const AllocationSite& site = machine.site(*event.plan);
  if (site.space == MemorySpace::Gmem) return {site.space, -1, 0, site.address};
  return {site.space, machine.state().cluster, event.owner, event.plan->site};
}

inline std::string read_source_file(const std::string& path) {
  std::ifstream file(test::source_dir() + "/" + path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Schedule {
  bool random = false;
  uint64_t seed = 0;
  AsyncValues values = AsyncValues::Eager;

  std::string name() const {
    return (random ? "seed " + std::to_string(seed) : std::string("fixed")) +
           (values == AsyncValues::Late ? ", late" : ", eager");
  }
};

// The fixed schedule first.
inline std::vector<Schedule> all_schedules(uint64_t seeds) {
  std::vector<Schedule> schedules;
  for (AsyncValues values : {AsyncValues::Eager, AsyncValues::Late}) {
    schedules.push_back({false, 0, values});
    for (uint64_t seed = 0; seed < seeds; ++seed) schedules.push_back({true, seed, values});
  }
  return schedules;
}

// A module, compiled once.
class ObservedKernel {
 public:
  explicit ObservedKernel(std::string_view text, const std::string& file = "test.pir") {
    ParseResult parsed = parse_module(text, file);
    if (parsed.module == nullptr) {
      ADD_FAILURE() << render_plain(parsed.diagnostics.at(0));
      return;
    }
    for (const Diagnostic& problem : verify(*parsed.module, &parsed.positions)) {
      ADD_FAILURE() << render_plain(problem);
    }
    auto compiled = Compiler::compile(std::shared_ptr<const Module>(std::move(parsed.module)));
    for (const Diagnostic& problem : compiled.diagnostics) ADD_FAILURE() << render_plain(problem);
    program_ = compiled.program;
  }

  bool runs() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }
  const OpDef& op_def(uint32_t pc) const { return *program_->op(program_->code[pc]).def; }

  // Inputs are zero unless `inputs` has their bytes by name.
  GridResult run(
      Observer& observer, const Schedule& schedule,
      const std::vector<std::pair<std::string, std::vector<std::byte>>>& inputs = {}) const {
    std::vector<std::vector<std::byte>> arrays;
    std::vector<GmemBuffer> gmem;
    for (size_t i = 0; i < program_->module->kernel.parameters.size(); ++i) {
      const AllocationSite& site = program_->allocations[i];
      auto& array = arrays.emplace_back(static_cast<size_t>(site.layout.bytes()));
      for (const auto& [name, bytes] : inputs) {
        if (name == site.name) array = bytes;
      }
    }
    for (auto& array : arrays) gmem.push_back({array.data(), int64_t(array.size())});
    GridOptions options;
    options.machine.async_values = schedule.values;
    options.observers = {&observer};
    if (schedule.random) {
      options.policy = [&](int64_t cluster) {
        return std::make_unique<RandomPolicy>(schedule.seed, cluster);
      };
    }
    GridResult result = run_grid(*program_, gmem, options);
    EXPECT_EQ(result.outcome, Outcome::Finished) << schedule.name();
    for (const Diagnostic& finding : result.findings) {
      // Kernels that lack a wait are here for the observer to find.
      if (finding.kind != Kind::TmaUnawaitedRead) ADD_FAILURE() << render_plain(finding);
    }
    return result;
  }

 private:
  std::shared_ptr<const Program> program_;
};

}  // namespace pallasite::test
