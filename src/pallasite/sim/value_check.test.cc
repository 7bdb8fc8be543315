#include "pallasite/sim/value_check.h"

#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::KernelRun;
using test::TestKernel;

size_t instructions(const std::string& text, bool check_values) {
  ParseResult parsed = parse_module(text, "test.pir");
  if (parsed.module == nullptr || !verify(*parsed.module, &parsed.positions).empty()) {
    ADD_FAILURE() << text;
    return 0;
  }
  const Compiler::Result compiled =
      Compiler::compile(std::move(parsed.module), {.check_values = check_values});
  return compiled.program->code.size();
}

// Divides the iota of a kernel by %2, which `divisor` defines.
std::string dividing(const std::string& divisor) {
  return "pir 1\n\nfunc @quotient(%0: i32[8], %1: i32) -> (i32[8]) {\n"
         "  %2 = shape.broadcast_in_dim %1 {dimensions = []} : i32[8]\n"
         "  %3 = arith.div %0, %2 : i32[8]\n  control.yield %3\n}\n\n"
         "kernel @test {\n  grid = [1] [\"x\"]\n  output %0 \"out\": ref<gmem, i32[8]>\n  body {\n"
         "    %1 = shape.iota {dimension = 0} : i32[8]\n" +
         divisor + "    memory.store %0, %2\n    control.yield\n  }\n}\n";
}

std::string call(const std::string& number) {
  return "    %2 = control.call %1, i32(" + number + ") {callee = \"quotient\"} : i32[8]\n";
}

TEST(ValueCheck, IsNotThereWhereTheValuesAreKnownToBeGood) {
  const std::string good = dividing(call("4"));
  EXPECT_EQ(instructions(good, true), instructions(good, false));
  const std::string bad = dividing(call("0"));
  EXPECT_GT(instructions(bad, true), instructions(bad, false));
  const std::string unknown = dividing("    %2 = arith.div %1, %1 : i32[8]\n");
  EXPECT_GT(instructions(unknown, true), instructions(unknown, false));
}

TEST(ValueCheck, TellsTheCallsOfOneFunctionApart) {
  const std::string both =
      "    %3 = control.call %1, i32(4) {callee = \"quotient\"} : i32[8]\n"
      "    %4 = control.call %3, i32(0) {callee = \"quotient\"} : i32[8]\n"
      "    %2 = control.call %4, i32(2) {callee = \"quotient\"} : i32[8]\n";
  const KernelRun run = TestKernel(dividing(both)).run();
  EXPECT_EQ(run.result.outcome, Outcome::Finished);
  EXPECT_EQ(run.codes(), "arith.div-zero");
  EXPECT_EQ(run.get<int32_t>(0), std::vector<int32_t>(8, 0));
}

TEST(ValueCheck, CountsInALoopAndFindsTheSameWithAnyNumberOfWorkers) {
  const std::string text =
      "pir 1\n\nkernel @test {\n  grid = [16] [\"x\"]\n"
      "  output %0 \"out\": ref<gmem, u16[16,700]>\n  body {\n"
      "    %1 = thread.axis_index {axis = \"x\"} : i32\n"
      "    %2 = shape.iota {dimension = 0} : u16[700]\n"
      "    %3 = control.scan %2 {length = 5, num_carry = 1} {\n      (%4: u16[700])\n"
      "      %5 = arith.shift_left %2, %4 : u16[700]\n"
      "      control.yield %5\n    } : u16[700]\n"
      "    %6 = view.index %0, %1 {starts = [?, 0], sizes = [1, 700], squeeze = [0]} : "
      "ref<gmem, u16[700]>\n"
      "    memory.store %6, %3\n    control.yield\n  }\n}\n";
  const TestKernel kernel(text);
  if (!kernel.runs()) return;
  const KernelRun one = kernel.run();
  ASSERT_EQ(one.result.findings.size(), 16u);
  for (const Diagnostic& finding : one.result.findings) {
    EXPECT_EQ(finding.count, 5);
    EXPECT_EQ(message(finding),
              "an integer of 16 bits is shifted by 16 at index (16,); 684 of 700 amounts are out "
              "of range");
    ASSERT_EQ(finding.labels[0].thread->iterations.size(), 1u);
    EXPECT_EQ(finding.labels[0].thread->iterations[0].iteration, 0);
  }
  GridOptions options;
  options.workers = 4;
  const KernelRun four = kernel.run(options);
  EXPECT_EQ(four.result.findings, one.result.findings);
  EXPECT_EQ(four.arrays, one.arrays);
}

TEST(ValueCheck, KnowsEveryType) {
  const struct {
    ElementType element;
    uint64_t amount;
    bool violates;
  } cases[] = {
      {ElementType::S2, 1, false},   {ElementType::S2, 0xff, true},   {ElementType::U4, 3, false},
      {ElementType::U4, 4, true},    {ElementType::S8, 7, false},     {ElementType::S8, 0x80, true},
      {ElementType::U64, 63, false}, {ElementType::U64, ~0ull, true}, {ElementType::U1, 0, false},
      {ElementType::U1, 1, true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(violates(ValueTest::BelowWidth, c.element, c.amount), c.violates)
        << element_name(c.element) << " " << c.amount;
  }
  EXPECT_TRUE(violates(ValueTest::Nonzero, ElementType::S64, 0));
  EXPECT_FALSE(violates(ValueTest::Nonzero, ElementType::S64, 1ull << 63));
}

}  // namespace
}  // namespace pallasite
