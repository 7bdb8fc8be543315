#include "pallasite/ops/elementwise.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

namespace pallasite {

extern const OpDef kArithAdd;
extern const OpDef kArithMul;
extern const OpDef kArithMax;
extern const OpDef kArithLt;
extern const OpDef kArithExp;

namespace {

// One op on arrays that stay in cache (64x64) or do not (1 Mi), for each instruction set.
void run_binary(benchmark::State& state, const OpDef& def, ElementType element) {
  const auto path = LoopPath(state.range(0));
  const auto count = size_t(state.range(1));
  if (!convert_path_supported(path)) {
    state.SkipWithError("not supported here");
    return;
  }
  const size_t bytes = count * register_bytes(element);
  std::vector<std::byte> x(bytes), y(bytes), out(bytes);
  const std::vector<double> ones(count, 1.25);
  convert(ElementType::F64, ones.data(), element, x.data(), count);
  convert(ElementType::F64, ones.data(), element, y.data(), count);
  const Type type = Type::array(element, {int64_t(count)});
  const std::vector<Type> operands(def.operands.size(), type);
  const Attributes attributes;
  const ElementFunction function = def.element_function(
      {.operands = operands, .result = type, .attributes = attributes, .path = path});
  const void* inputs[] = {x.data(), y.data()};
  for (auto _ : state) {
    function.kernel.loop(out.data(), inputs, count, function.immediate.get());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

const std::vector<std::vector<int64_t>> kRanges = {
    {int64_t(LoopPath::Portable), int64_t(LoopPath::Avx2), int64_t(LoopPath::Avx512)},
    {64 * 64, 1 << 20}};

BENCHMARK_CAPTURE(run_binary, add_f32, kArithAdd, ElementType::F32)->ArgsProduct(kRanges);
BENCHMARK_CAPTURE(run_binary, add_f16, kArithAdd, ElementType::F16)->ArgsProduct(kRanges);
BENCHMARK_CAPTURE(run_binary, add_i32, kArithAdd, ElementType::S32)->ArgsProduct(kRanges);
BENCHMARK_CAPTURE(run_binary, max_f32, kArithMax, ElementType::F32)->ArgsProduct(kRanges);
BENCHMARK_CAPTURE(run_binary, lt_f32, kArithLt, ElementType::F32)->ArgsProduct(kRanges);
BENCHMARK_CAPTURE(run_binary, exp_f32, kArithExp, ElementType::F32)->Args({0, 64 * 64});

}  // namespace
}  // namespace pallasite
