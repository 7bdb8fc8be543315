#include "pallasite/ir/parser.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "pallasite/ir/printer.h"
#include "pallasite/ir/test_ops.h"
#include "pallasite/ir/verifier.h"

namespace pallasite {
namespace {

// A kernel with ten thousand ops, half of them views with attributes and locations.
std::string large_module() {
  std::string text =
      "pir 1\n#0 = loc(\"kernel.py\", 12, 5, \"kernel\")\n\nkernel @k {\n  grid = [] []\n"
      "  output %0 \"out\": ref<gmem, f32[64,128]>\n  body {\n"
      "    %1 = thread.axis_index {axis = \"x\"} : i32 #0\n";
  constexpr int kNumPairs = 5000;
  for (int i = 0; i < kNumPairs; ++i) {
    int number = 2 + 2 * i;
    text += fmt::format("    %{} = arith.rem %{}, i32({}) : i32 #0\n", number,
                        i == 0 ? 1 : number - 2, i + 1);
    text += fmt::format(
        "    %{} = view.index %0, %{} {{sizes = [8, 128], squeeze = [], starts = [?, 0]}} : "
        "ref<gmem, f32[8,128]> #0\n",
        number + 1, number);
  }
  return text + "    control.yield\n  } #0\n}\n";
}

void parse(benchmark::State& state) {
  std::string text = large_module();
  for (auto _ : state) {
    ParseResult result = parse_module(text, "k.pir", test_ops());
    if (!result.module) state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(result.module);
  }
  state.SetBytesProcessed(int64_t(state.iterations() * text.size()));
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void verify_module(benchmark::State& state) {
  ParseResult result = parse_module(large_module(), "k.pir", test_ops());
  for (auto _ : state) {
    if (!verify(*result.module, &result.positions).empty()) state.SkipWithError("does not verify");
  }
}
BENCHMARK(verify_module)->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  ParseResult result = parse_module(large_module(), "k.pir", test_ops());
  for (auto _ : state) benchmark::DoNotOptimize(print_module(*result.module));
}
BENCHMARK(print)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pallasite
