#include "pallasite/sim/machine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pallasite/diag/render.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/verifier.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/grid.h"

namespace pallasite {
namespace {

std::string messages(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += message(diagnostic) + "\n";
  return text;
}

struct KernelRun {
  std::shared_ptr<const Program> program;
  std::vector<std::vector<std::byte>> arrays;
  GridResult result;

  explicit KernelRun(std::string_view text, GridOptions options = {},
                     std::vector<std::vector<float>> inputs = {}) {
    auto parsed = parse_module(text, "test.pir");
    EXPECT_TRUE(parsed.module) << messages(parsed.diagnostics);
    auto problems = verify(*parsed.module);
    EXPECT_EQ(messages(problems), "");
    auto compiled = Compiler::compile(std::make_shared<const Module>(std::move(*parsed.module)));
    EXPECT_EQ(messages(compiled.diagnostics), "");
    program = compiled.program;
    std::vector<GmemBuffer> gmem;
    for (size_t i = 0; i < program->module->kernel.parameters.size(); ++i) {
      arrays.emplace_back(program->allocations[i].layout.bytes());
      if (i < inputs.size()) {
        std::memcpy(arrays[i].data(), inputs[i].data(), arrays[i].size());
      }
    }
    for (auto& array : arrays) gmem.push_back({array.data(), int64_t(array.size())});
    result = run_grid(*program, gmem, options);
  }
  template <typename T>
  std::vector<T> get(size_t i) const {
    std::vector<T> values(arrays[i].size() / sizeof(T));
    std::memcpy(values.data(), arrays[i].data(), arrays[i].size());
    return values;
  }
};

TEST(Machine, TwoThreadsHandOverThroughABarrier) {
  KernelRun run(R"(pir 1

kernel @hand_over {
  grid = [2] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    %2 = thread.axis_index {axis = "x"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "scratch": ref<smem, i32[]>, %4 "ready": barrier<[], arrivals=1>)
      control.cond %1 {
        barrier.wait %4
        %5 = memory.load %3 : i32
        %6 = view.index %0, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
        memory.store %6, %5
        control.yield
      } {
        memory.store %3, i32(7)
        barrier.arrive %4
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)");
  EXPECT_EQ(messages(run.result.findings), "");
  EXPECT_EQ(run.get<int32_t>(0), (std::vector<int32_t>{7, 7}));
}

TEST(Machine, DeadlockIsReportedWithEveryThread) {
  KernelRun run(R"(pir 1
#0 = loc("kernel.py", 12, 5, "body")

kernel @deadlock {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "ready": barrier<[], arrivals=2>)
      control.cond %1 {
        barrier.wait %2 #0
        control.yield
      } {
        barrier.arrive %2
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)");
  ASSERT_EQ(run.result.findings.size(), 1u);
  EXPECT_EQ(code_of(run.result.findings[0].kind), "sched.deadlock");
  EXPECT_EQ(run.result.findings[0].table.size(), 2u);
  // There is an arrival, though its line is not known.
  EXPECT_EQ(run.result.findings[0].extra_help, "");
}

}  // namespace
}  // namespace pallasite
