// What is folded, what is not, and what either costs. That the bits are right for every op:
// ops/folded_op.test.cc.
#include <cmath>

#include "pallasite/numerics/float_mode.h"
#include "pallasite/sim/fused_loop.h"
#include "pallasite/sim/test_kernel.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pallasite {
namespace {

using test::array_of;
using test::KernelRun;
using test::TestKernel;

std::string kernel(const std::string& header, const std::string& body,
                   const std::string& functions = "") {
  return "pir 1\n\n" + functions + "kernel @test {\n  grid = [1] [\"x\"]\n" + header +
         "  body {\n" + body + "    control.yield\n  }\n}\n";
}

// Code of a kernel but for the end of the thread.
std::vector<Instruction> code_of_kernel(const TestKernel& kernel) {
  std::vector<Instruction> code = kernel.program().code;
  code.pop_back();
  return code;
}

// Steps of the only fused loop in a kernel.
size_t steps_of_chain(const TestKernel& kernel) {
  size_t steps = 0, loops = 0;
  for (const Instruction& in : kernel.program().code) {
    if (in.exec != exec_fused) continue;
    const auto& fused = *static_cast<const FusedPayload*>(in.payload);
    steps += fused.once.size() + fused.steps.size();
    ++loops;
  }
  EXPECT_EQ(loops, 1u);
  return steps;
}

// Runs a kernel folded and op by op; both have to agree.
KernelRun run_both(const std::string& text, const std::vector<test::Array>& inputs = {}) {
  const KernelRun folded = TestKernel(text).run({}, inputs);
  const KernelRun each = TestKernel(text, "test.pir", ObservationLevel::EachOp).run({}, inputs);
  EXPECT_EQ(folded.arrays, each.arrays) << text;
  EXPECT_EQ(folded.messages(), each.messages()) << text;
  return folded;
}

// (7 + x) * 6 - 2 as f32, of a scalar x.
std::string arithmetic(const std::string& header, const std::string& load, const std::string& x) {
  return kernel(header + "  output %1 \"out\": ref<gmem, f32>\n",
                load + "    %3 = arith.add i32(7), " + x +
                    " : i32\n"
                    "    %4 = arith.mul %3, i32(6) : i32\n"
                    "    %5 = arith.sub %4, i32(2) : i32\n"
                    "    %6 = arith.convert %5 : f32\n"
                    "    memory.store %1, %6\n");
}

TEST(Folding, LeavesOnlyTheStore) {
  const std::string known = arithmetic("", "", "i32(5)");
  const std::string unknown =
      arithmetic("  input %0 \"x\": ref<gmem, i32>\n", "    %2 = memory.load %0 : i32\n", "%2");
  const TestKernel folded(known), computed(unknown);
  EXPECT_EQ(code_of_kernel(folded).size(), 1u);
  EXPECT_EQ(code_of_kernel(computed).size(), 6u);
  EXPECT_EQ(run_both(known).get<float>(0), std::vector<float>{70});
  EXPECT_EQ(run_both(unknown, {array_of<int32_t>({5})}).get<float>(1), std::vector<float>{70});
}

TEST(Folding, IsNotDoneForADebugger) {
  const TestKernel each(arithmetic("", "", "i32(5)"), "test.pir", ObservationLevel::EachOp);
  EXPECT_EQ(code_of_kernel(each).size(), 5u);
}

TEST(Folding, KeepsScalarsCloseTogether) {
  std::string body;
  const int count = 200;
  for (int i = 0; i < count; ++i) {
    const std::string value = "%" + std::to_string(i + 1);
    body += "    " + value + " = arith.mul i32(" + std::to_string(i) + "), i32(3) : i32\n" +
            "    memory.store %0, " + value + "\n";
  }
  const std::string text = kernel("  output %0 \"out\": ref<gmem, i32>\n", body);
  // Numbers that the text has, and multiples of 3 beyond them.
  const int expected = count + 2 * count / 3;
  EXPECT_LE(TestKernel(text).program().register_bytes, 8u * (expected + 1) + 2 * 64);
  EXPECT_EQ(run_both(text).get<int32_t>(0), std::vector<int32_t>{3 * (count - 1)});
}

TEST(Folding, MakesAnArrayOfEqualElementsARepeat) {
  const std::string header =
      "  input %0 \"x\": ref<gmem, f32[64,64]>\n  output %1 \"out\": ref<gmem, f32[64,64]>\n";
  const std::string text = kernel(header, R"(
    %2 = memory.load %0 : f32[64,64]
    %3 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[64,1]
    %4 = arith.sqrt %3 : f32[64,1]
    %5 = shape.broadcast_in_dim %4 {dimensions = [0, 1]} : f32[64,64]
    %6 = shape.broadcast_in_dim f32(3.0) {dimensions = []} : f32[64,64]
    %7 = arith.mul %5, %6 : f32[64,64]
    %8 = shape.transpose %7 {permutation = [1, 0]} : f32[64,64]
    %9 = arith.mul %2, %8 : f32[64,64]
    memory.store %1, %9
)");
  const TestKernel folded(text);
  std::vector<float> x(4096);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 16;
  const KernelRun run = run_both(text, {array_of(x)});
  EXPECT_TRUE(run.clean()) << run.messages();
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(run.get<float>(1)[i], x[i] * (std::sqrt(2.0f) * 3));
  // A load, the place of the store, the loop; %3 and %4 are of another size.
  const std::string direct = kernel(header, R"(
    %2 = memory.load %0 : f32[64,64]
    %8 = shape.broadcast_in_dim f32(4.2426405) {dimensions = []} : f32[64,64]
    %9 = arith.mul %2, %8 : f32[64,64]
    memory.store %1, %9
)");
  EXPECT_EQ(TestKernel(direct).run({}, {array_of(x)}).arrays, run.arrays);
  // The repeat is no step: the product reads its scalar.
  EXPECT_EQ(steps_of_chain(TestKernel(direct)), 1u);
  const std::string same_size = kernel(header, R"(
    %2 = memory.load %0 : f32[64,64]
    %3 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[64,64]
    %4 = arith.sqrt %3 : f32[64,64]
    %6 = shape.broadcast_in_dim f32(3.0) {dimensions = []} : f32[64,64]
    %7 = arith.mul %4, %6 : f32[64,64]
    %9 = arith.mul %2, %7 : f32[64,64]
    memory.store %1, %9
)");
  EXPECT_EQ(steps_of_chain(TestKernel(same_size)), 1u);
  // Only constants were added.
  EXPECT_LE(TestKernel(same_size).program().register_bytes,
            TestKernel(direct).program().register_bytes + 2 * 64);
  EXPECT_EQ(run_both(same_size, {array_of(x)}).arrays, run.arrays);
}

// A value that folded ops read, and another op too, is still there.
TEST(Folding, KeepsWhatOthersRead) {
  const std::string text = kernel(
      "  output %0 \"a\": ref<gmem, f32[200]>\n  output %1 \"b\": ref<gmem, f32[200]>\n"
      "  output %2 \"c\": ref<gmem, f32[]>\n",
      R"(
    %3 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[200]
    %4 = arith.exp %3 : f32[200]
    %5 = arith.log %4 : f32[200]
    %6 = shape.slice %5 {starts = [3], limits = [4]} : f32[1]
    %7 = shape.squeeze %6 {dimensions = [0]} : f32
    memory.store %0, %4
    memory.store %1, %5
    memory.store %2, %7
)");
  const KernelRun run = run_both(text);
  EXPECT_TRUE(run.clean()) << run.messages();
  EXPECT_EQ(run.get<float>(0), std::vector<float>(200, std::exp(2.0f)));
  EXPECT_EQ(run.get<float>(1), std::vector<float>(200, run.get<float>(2)[0]));
}

TEST(Folding, KnowsTheArgumentsOfEachCallByThemselves) {
  const std::string text = kernel(
      "  input %0 \"x\": ref<gmem, i32>\n  output %1 \"out\": ref<gmem, i32[3]>\n", R"(
    %2 = memory.load %0 : i32
    %3 = control.call i32(3) {callee = "f"} : i32[1]
    %4 = control.call %2 {callee = "f"} : i32[1]
    %5 = control.call i32(4) {callee = "f"} : i32[1]
    %6 = shape.concatenate %3, %4, %5 {dimension = 0} : i32[3]
    memory.store %1, %6
)",
      "func @g(%0: i32) -> (i32) {\n  %1 = arith.mul %0, %0 : i32\n  control.yield %1\n}\n\n"
      "func @f(%0: i32) -> (i32[1]) {\n  %1 = control.call %0 {callee = \"g\"} : i32\n"
      "  %2 = arith.add %1, %0 : i32\n"
      "  %3 = shape.broadcast_in_dim %2 {dimensions = []} : i32[1]\n  control.yield %3\n}\n\n");
  EXPECT_EQ(run_both(text, {array_of<int32_t>({10})}).get<int32_t>(1),
            (std::vector<int32_t>{12, 110, 20}));
}

TEST(Folding, FindsWhatDoesNotChangeInALoop) {
  // Adds 2 * 3 to the carry, which is not known though it starts with a literal.
  const std::string text = kernel("  output %0 \"out\": ref<gmem, i32>\n", R"(
    %1 = control.while i32(1) {
      (%2: i32)
      %3 = arith.lt %2, i32(20) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.mul i32(2), i32(3) : i32
      %6 = arith.add %4, %5 : i32
      control.yield %6
    } : i32
    %7 = control.cond bool(true) {
      %8 = arith.neg i32(5) : i32
      control.yield %8
    } {
      %9 = arith.neg i32(4) : i32
      control.yield %9
    } : i32
    %10 = arith.add %1, %7 : i32
    memory.store %0, %10
)");
  EXPECT_EQ(run_both(text).get<int32_t>(0), std::vector<int32_t>{25 - 4});
  const TestKernel folded(text);
  size_t products = 0, sums = 0;
  for (const Instruction& in : code_of_kernel(folded)) {
    products += folded.program().op(in).def->name == "arith.mul";
    sums += folded.program().op(in).def->name == "arith.add";
  }
  EXPECT_EQ(products, 0u);
  EXPECT_EQ(sums, 2u);
}

TEST(Folding, LeavesWhatTheRunHasToReport) {
  for (const std::string op : {"arith.div", "arith.rem"}) {
    const std::string scalar = kernel("  output %0 \"out\": ref<gmem, i32>\n",
                                      "    %1 = arith.sub i32(2), i32(2) : i32\n    %2 = " + op +
                                          " i32(7), %1 : i32\n    %3 = arith.add %2, i32(1) : i32\n"
                                          "    memory.store %0, %3\n");
    const std::string array =
        kernel("  output %0 \"out\": ref<gmem, i32[80]>\n",
               "    %1 = shape.broadcast_in_dim i32(7) {dimensions = []} : i32[80]\n"
               "    %2 = arith.sub %1, %1 : i32[80]\n    %3 = " +
                   op + " %1, %2 : i32[80]\n    memory.store %0, %3\n");
    // The line of the op.
    for (const auto& [text, line] : {std::pair(scalar, 8), std::pair(array, 9)}) {
      const KernelRun run = run_both(text);
      ASSERT_EQ(run.codes(), "arith.div-zero") << text;
      ASSERT_FALSE(run.result.findings[0].labels.empty());
      const SourceLocation& where = run.result.findings[0].labels[0].location;
      ASSERT_FALSE(where.frames.empty());
      EXPECT_EQ(where.frames[0].line, line) << text;
    }
  }
  const std::string shift =
      kernel("  output %0 \"out\": ref<gmem, i32>\n",
             "    %1 = arith.add i32(30), i32(2) : i32\n"
             "    %2 = arith.shift_left i32(1), %1 : i32\n    memory.store %0, %2\n");
  EXPECT_EQ(run_both(shift).codes(), "arith.shift-range");
  // What keeps the rule is folded, with the test of it.
  const std::string good = kernel("  output %0 \"out\": ref<gmem, i32>\n",
                                  "    %1 = arith.add i32(30), i32(1) : i32\n"
                                  "    %2 = arith.shift_left i32(1), %1 : i32\n"
                                  "    memory.store %0, %2\n");
  EXPECT_EQ(code_of_kernel(TestKernel(good)).size(), 1u);
  EXPECT_EQ(run_both(good).get<int32_t>(0), std::vector<int32_t>{INT32_MIN});
}

// XLA's threads, in which kernels are compiled, flush subnormals.
TEST(Folding, HappensInTheModeOfARun) {
#if defined(__x86_64__)
  const std::string text = kernel("  output %0 \"out\": ref<gmem, f32>\n",
                                  "    %1 = arith.mul f32(1e-30), f32(1e-10) : f32\n"
                                  "    memory.store %0, %1\n");
  const ScopedFloatMode restored;
  _mm_setcsr(_mm_getcsr() | 0x8040);
  const TestKernel folded(text);
  EXPECT_EQ(code_of_kernel(folded).size(), 1u);
  // A comparison of floats would flush it too.
  EXPECT_NE(folded.run().get<uint32_t>(0)[0], 0u);
#else
  GTEST_SKIP() << "the mode is set as on x86";
#endif
}

}  // namespace
}  // namespace pallasite
