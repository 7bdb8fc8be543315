// Runs modules given as text, for the tests of ops.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/render.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/verifier.h"
#include "pallasite/ops/arith_test_arrays.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/grid.h"

namespace pallasite::test {

struct TextRun {
  // Why it does not run, or what it found; empty if it is clean.
  std::vector<Diagnostic> findings;
  bool finished = false;
  // The buffers of all parameters at the end, in packed form.
  std::vector<std::vector<std::byte>> buffers;

  bool clean() const { return finished && findings.empty(); }
  std::string explain() const {
    std::string text;
    for (const Diagnostic& d : findings) text += render_plain(d) + "\n";
    return text;
  }
};

// `inputs` are in register form, for the input parameters in order.
inline TextRun run_text(std::string_view text, ObservationLevel level,
                        const std::vector<const Array*>& inputs = {}) {
  TextRun run;
  ParseResult parsed = parse_module(text, "test.pir");
  if (parsed.module == nullptr) {
    run.findings = std::move(parsed.diagnostics);
    return run;
  }
  run.findings = verify(*parsed.module, &parsed.positions);
  if (!run.findings.empty()) return run;
  std::shared_ptr<const Module> module = std::move(parsed.module);
  // What ops give for any operand is tested here, not what is reported of it.
  Compiler::Result compiled = Compiler::compile(module, {.level = level, .check_values = false});
  run.findings = std::move(compiled.diagnostics);
  if (compiled.program == nullptr) return run;
  const Kernel& kernel = module->kernel;
  size_t next_input = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Type& type = module->value(module->region(kernel.body).arguments[i]).type;
    const auto count = size_t(type.element_count());
    auto& buffer = run.buffers.emplace_back(packed_bytes(type.element, count));
    if (kernel.parameters[i].role == KernelParameter::Role::Input && next_input < inputs.size())
      pack(type.element, inputs[next_input++]->data.data(), buffer.data(), 0, count);
  }
  std::vector<GmemBuffer> gmem;
  for (auto& buffer : run.buffers) gmem.push_back({buffer.data(), int64_t(buffer.size())});
  GridResult result = run_grid(*compiled.program, gmem, GridOptions());
  run.finished = result.outcome == Outcome::Finished;
  run.findings = std::move(result.findings);
  return run;
}

// A kernel that loads its inputs as %(n+1), ... runs `body`, which defines `%out`, and stores that.
// In `body` input i is `$i`, and lines end with a newline.
inline std::string op_kernel(const std::vector<std::string>& inputs, const std::string& output,
                             const std::string& op) {
  std::string header, loads, op_text = op;
  const size_t n = inputs.size();
  for (size_t i = 0; i < n; ++i) {
    header += "  input %" + std::to_string(i) + " \"x" + std::to_string(i) + "\": ref<gmem, " +
              inputs[i] + ">\n";
    const std::string value = "%" + std::to_string(n + 1 + i);
    loads += "    " + value + " = memory.load %" + std::to_string(i) + " : " + inputs[i] + "\n";
    const std::string hole = "$" + std::to_string(i);
    for (size_t at; (at = op_text.find(hole)) != std::string::npos;)
      op_text.replace(at, hole.size(), value);
  }
  const std::string result = "%" + std::to_string(2 * n + 1);
  return "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n" + header + "  output %" +
         std::to_string(n) + " \"out\": ref<gmem, " + output + ">\n  body {\n" + loads + "    " +
         result + " = " + op_text + " : " + output + "\n    memory.store %" + std::to_string(n) +
         ", " + result + "\n    control.yield\n  }\n}\n";
}

// Runs one op on arrays at both observation levels, which have to agree; returns its result in
// register form. Shapes as in the text form: "f32[4,8]".
inline Array run_op_kernel(const std::vector<std::string>& input_types,
                           const std::vector<const Array*>& inputs, const std::string& output_type,
                           ElementType output_element, size_t output_count, const std::string& op) {
  const std::string text = op_kernel(input_types, output_type, op);
  Array out(output_element, output_count);
  const TextRun fused = run_text(text, ObservationLevel::Fused, inputs);
  const TextRun each = run_text(text, ObservationLevel::EachOp, inputs);
  EXPECT_TRUE(fused.clean()) << text << fused.explain();
  EXPECT_TRUE(each.clean()) << text << each.explain();
  EXPECT_EQ(fused.buffers, each.buffers) << text;
  if (!fused.buffers.empty())
    unpack(output_element, fused.buffers.back().data(), 0, out.data.data(), output_count);
  return out;
}

inline std::string type_text(ElementType element, const std::vector<int64_t>& shape) {
  return to_string(Type::array(element, shape));
}

// Calls visit(index) for every index of a shape, in row-major order.
template <typename Visit>
void for_each_index(const std::vector<int64_t>& shape, Visit&& visit) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  for (int64_t flat = 0; flat < count; ++flat) {
    std::vector<int64_t> index(shape.size());
    int64_t rest = flat;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    visit(index);
  }
}

inline size_t flat_index(const std::vector<int64_t>& shape, const std::vector<int64_t>& index) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + index[d];
  return size_t(flat);
}

}  // namespace pallasite::test
