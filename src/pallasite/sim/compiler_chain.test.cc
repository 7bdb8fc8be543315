// What could go wrong where a chain of ops reads and writes memory in place: each test compares the
// fused program with the one that runs op by op, on a kernel where doing it at the wrong time, or
// on the wrong bytes, gives another result.
#include <algorithm>
#include <cmath>

#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::array_of;
using test::KernelRun;
using test::TestKernel;

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 251) / 8 - 13;
  return values;
}

struct Pair {
  KernelRun fused;
  KernelRun each;
};

// Runs a kernel at both levels, with one and with three workers; all have to agree.
Pair run_both(const std::string& text, const std::vector<std::vector<float>>& inputs,
              GridOptions options = {}) {
  std::vector<test::Array> arrays;
  for (const std::vector<float>& input : inputs) arrays.push_back(array_of(input));
  const TestKernel fused(text), each(text, "test.pir", ObservationLevel::EachOp);
  Pair pair;
  if (!fused.runs() || !each.runs()) return pair;
  pair = {fused.run(options, arrays), each.run(options, arrays)};
  EXPECT_EQ(pair.fused.arrays, pair.each.arrays) << text;
  EXPECT_EQ(pair.fused.messages(), pair.each.messages()) << text;
  options.workers = 3;
  const KernelRun parallel = fused.run(options, arrays);
  EXPECT_EQ(parallel.arrays, pair.fused.arrays) << text;
  EXPECT_EQ(parallel.messages(), pair.fused.messages()) << text;
  return pair;
}

size_t instructions(const std::string& text) {
  const TestKernel kernel(text);
  return kernel.runs() ? kernel.program().code.size() : 0;
}

TEST(Chain, AnInputThatSharesTheOutputsBufferIsReadBeforeItIsOverwritten) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[2048]>
  output %1 "out" aliases %0: ref<gmem, f32[2048]>
  body {
    %2 = memory.load %0 : f32[2048]
    %3 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[2048]
    memory.store %1, %3
    %4 = arith.add %2, %2 : f32[2048]
    memory.store %1, %4
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(2048);
  const Pair pair = run_both(text, {x});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(pair.fused.get<float>(0)[i], 2 * x[i]) << i;
}

TEST(Chain, ARefIsReadAfterAStoreAndTheOldValueStays) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[512]>
  output %1 "out": ref<gmem, f32[512]>
  output %2 "sum": ref<gmem, f32[512]>
  body {
    %3 = memory.load %0 : f32[512]
    %4 = arith.neg %3 : f32[512]
    memory.store %1, %4
    %5 = memory.load %1 : f32[512]
    %6 = arith.mul %5, %3 : f32[512]
    memory.store %1, %6
    %7 = memory.load %1 : f32[512]
    %8 = arith.add %7, %5 : f32[512]
    memory.store %2, %8
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(512);
  const Pair pair = run_both(text, {x});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(pair.fused.get<float>(1)[i], -x[i] * x[i]) << i;
    ASSERT_EQ(pair.fused.get<float>(2)[i], -x[i] * x[i] - x[i]) << i;
  }
}

// A round that wrote its elements before the next round read the same ones would double some twice.
TEST(Chain, SlicesOfOneArrayOverlap) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[8192]>
  output %1 "out" aliases %0: ref<gmem, f32[8192]>
  body {
    %2 = view.index %0 {starts = [0], sizes = [8128]} : ref<gmem, f32[8128]>
    %3 = view.index %1 {starts = [64], sizes = [8128]} : ref<gmem, f32[8128]>
    %4 = memory.load %2 : f32[8128]
    %5 = arith.add %4, %4 : f32[8128]
    %6 = arith.neg %5 : f32[8128]
    memory.store %3, %6
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(8192);
  const Pair pair = run_both(text, {x});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  for (size_t i = 64; i < x.size(); ++i) {
    ASSERT_EQ(pair.fused.get<float>(0)[i], -2 * x[i - 64]) << i;
  }
}

// The division is pending when the load leaves the array; the run ends there, and what was found
// before counts.
TEST(Chain, AFaultInTheMiddleKeepsWhatWasFoundAndStoredBefore) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, i32[8192]>
  output %1 "before": ref<gmem, i32[8192]>
  output %2 "after": ref<gmem, i32[8192]>
  body {
    %3 = memory.load %0 : i32[8192]
    %4 = arith.add %3, %3 : i32[8192]
    memory.store %1, %4
    %5 = arith.div %4, %3 : i32[8192]
    %6 = view.index %0, i32(64) {starts = [?], sizes = [8192]} : ref<gmem, i32[8192]>
    %7 = memory.load %6 : i32[8192]
    %8 = arith.add %5, %7 : i32[8192]
    memory.store %2, %8
    control.yield
  }
}
)";
  std::vector<float> zeros(8192);
  const Pair pair = run_both(text, {zeros});
  EXPECT_EQ(pair.fused.codes(), "arith.div-zero gmem.oob");
  EXPECT_EQ(pair.fused.get<int32_t>(1), std::vector<int32_t>(8192, 0));
  EXPECT_EQ(pair.fused.get<int32_t>(2), std::vector<int32_t>(8192, INT32_MAX));
}

TEST(Chain, BlocksReadRowsThatOthersDoNotTouch) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [16] ["x"]
  input %0 "x": ref<gmem, f32[16,8,192]>
  input %1 "y": ref<gmem, f32[16,8,192]>
  output %2 "out": ref<gmem, f32[16,192,8]>
  body {
    %3 = thread.axis_index {axis = "x"} : i32
    %4 = view.index %0, %3 {starts = [?, 0, 64], sizes = [1, 8, 128], squeeze = [0]} : ref<gmem, f32[8,128]>
    %5 = view.index %1, %3 {starts = [?, 0, 0], sizes = [1, 8, 128], squeeze = [0]} : ref<gmem, f32[8,128]>
    %6 = view.index %2, %3 {starts = [?, 0, 0], sizes = [1, 128, 8], squeeze = [0]} : ref<gmem, f32[128,8]>
    %7 = view.transpose %6 {permutation = [1, 0]} : ref<gmem, f32[8,128]>
    %8 = memory.load %4 : f32[8,128]
    %9 = memory.load %5 : f32[8,128]
    %10 = arith.mul %8, %9 : f32[8,128]
    %11 = arith.add %10, %8 : f32[8,128]
    memory.store %7, %11
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(16 * 8 * 192);
  std::vector<float> y = ramp(16 * 8 * 192 + 5);
  y.erase(y.begin(), y.begin() + 5);
  const Pair pair = run_both(text, {x, y});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  const std::vector<float> out = pair.fused.get<float>(2);
  for (size_t b = 0; b < 16; ++b) {
    for (size_t i = 0; i < 8; ++i) {
      for (size_t j = 0; j < 192; ++j) {
        const float a = x[(b * 8 + i) * 192 + j % 128 + 64], c = y[(b * 8 + i) * 192 + j];
        const float found = out[(b * 192 + j) * 8 + i];
        // What no store came to is as fresh memory is.
        if (j < 128) {
          ASSERT_EQ(found, a * c + a);
        } else {
          ASSERT_TRUE(std::isnan(found));
        }
      }
    }
  }
}

// The trip count decides whether an op that needs registers reads the array first.
TEST(Chain, ABranchReadsAnArrayThatWasLeftInMemory) {
  for (const char* taken : {"true", "false"}) {
    const std::string text = std::string(R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[32,64]>
  output %1 "turned": ref<gmem, f32[64,32]>
  output %2 "out": ref<gmem, f32[32,64]>
  body {
    %3 = memory.load %0 : f32[32,64]
    control.cond bool()") + taken +
                             R"() {
      control.yield
    } {
      %4 = shape.transpose %3 {permutation = [1, 0]} : f32[64,32]
      memory.store %1, %4
      control.yield
    }
    %5 = arith.add %3, %3 : f32[32,64]
    memory.store %2, %5
    %6 = shape.transpose %3 {permutation = [1, 0]} : f32[64,32]
    memory.store %1, %6
    control.yield
  }
}
)";
    const std::vector<float> x = ramp(32 * 64);
    const Pair pair = run_both(text, {x});
    ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(pair.fused.get<float>(2)[i], 2 * x[i]);
      ASSERT_EQ(pair.fused.get<float>(1)[i % 64 * 32 + i / 64], x[i]);
    }
  }
}

// Rows of all sizes about those that a chain takes, with steps before and after each sum; the rows
// of one chain are joined four at a time.
TEST(Chain, RowsGiveTheSameBitsInsideOfAChain) {
  for (const char* op : {"reduce.sum", "reduce.max", "reduce.min", "reduce.prod"}) {
    for (const int row : {3, 16, 17, 64, 129, 1024, 2500, 5000}) {
      const std::string wide = "f32[7," + std::to_string(row) + "]";
      const std::string text =
          "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n  input %0 \"x\": ref<gmem, " + wide +
          ">\n  output %1 \"out\": ref<gmem, " + wide +
          ">\n  body {\n    %2 = memory.load %0 : " + wide + "\n    %3 = " + op +
          " %2 {axes = [1]} : f32[7]\n" +
          "    %4 = shape.broadcast_in_dim %3 {dimensions = [0]} : " + wide +
          "\n    %5 = arith.sub %2, %4 : " + wide + "\n    %6 = arith.mul %5, %5 : " + wide +
          "\n    %7 = " + op + " %6 {axes = [1]} : f32[7]\n" +
          "    %8 = shape.broadcast_in_dim f32(3.0) {dimensions = []} : f32[7]\n"
          "    %9 = arith.add %7, %8 : f32[7]\n"
          "    %10 = shape.broadcast_in_dim %9 {dimensions = [0]} : " +
          wide + "\n    %11 = arith.div %5, %10 : " + wide +
          "\n    memory.store %1, %11\n    control.yield\n  }\n}\n";
      std::vector<float> x = ramp(7 * static_cast<size_t>(row));
      x[1] = -0.0F;
      x[static_cast<size_t>(row)] = NAN;
      const Pair pair = run_both(text, {x});
      EXPECT_TRUE(pair.fused.clean()) << pair.fused.messages();
      // Joined, the sums are no instructions of their own.
      if (row == 64) {
        EXPECT_LT(instructions(text), 12u);
      }
    }
  }
}

// Each row is of two values, the second in one place, so that its largest and smallest are zeros of
// either sign, infinities and NaNs.
TEST(Chain, RowsOfZerosInfinitiesAndNansGiveTheSameBits) {
  const float values[] = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, -NAN, 1.0F, -1e-45F};
  const size_t kinds = std::size(values), rows = kinds * kinds;
  for (const size_t row : {64, 133}) {
    std::vector<float> x(rows * row);
    for (size_t r = 0; r < rows; ++r) {
      std::fill_n(&x[r * row], row, values[r / kinds]);
      x[r * row + r * 7 % row] = values[r % kinds];
    }
    for (const char* op : {"reduce.max", "reduce.min"}) {
      const std::string wide = "f32[64," + std::to_string(row) + "]";
      const Pair pair = run_both(
          "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n  input %0 \"x\": ref<gmem, " + wide +
              ">\n  output %1 \"out\": ref<gmem, f32[64]>\n  body {\n    %2 = memory.load %0 : " +
              wide + "\n    %3 = arith.neg %2 : " + wide + "\n    %4 = " + op +
              " %3 {axes = [1]} : f32[64]\n    memory.store %1, %4\n    control.yield\n  }\n}\n",
          {x});
      EXPECT_TRUE(pair.fused.clean()) << pair.fused.messages();
    }
  }
}

// A vector along each axis and a scalar: of rows, and of elements within a row, some of which do
// not divide the elements of a round.
TEST(Chain, RepeatsOperandsAlongEitherAxis) {
  for (const int row : {2, 30, 128, 1000, 1500, 4096}) {
    for (const int axis : {0, 1}) {
      const std::string wide = "f32[9," + std::to_string(row) + "]";
      const std::string thin = "f32[" + std::to_string(axis == 0 ? 9 : row) + "]";
      const std::string text =
          "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n  input %0 \"x\": ref<gmem, " + wide +
          ">\n  input %1 \"y\": ref<gmem, " + thin + ">\n  output %2 \"out\": ref<gmem, " + wide +
          ">\n  body {\n    %3 = memory.load %0 : " + wide + "\n    %4 = memory.load %1 : " + thin +
          "\n    %5 = shape.broadcast_in_dim %4 {dimensions = [" + std::to_string(axis) +
          "]} : " + wide +
          "\n    %6 = shape.broadcast_in_dim f32(0.5) {dimensions = []} : " + wide +
          "\n    %7 = arith.mul %6, %6 : " + wide + "\n    %8 = arith.mul %3, %7 : " + wide +
          "\n    %9 = arith.add %8, %5 : " + wide +
          "\n    memory.store %2, %9\n    control.yield\n  }\n}\n";
      const auto columns = static_cast<size_t>(row);
      const std::vector<float> x = ramp(9 * columns);
      const std::vector<float> y = ramp(axis == 0 ? 9 : columns);
      const Pair pair = run_both(text, {x, y});
      ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
      const std::vector<float> out = pair.fused.get<float>(2);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(out[i], x[i] / 4 + y[axis == 0 ? i / columns : i % columns]) << i;
      }
    }
  }
}

// Scratch memory of the first values is free again when the repeated scalars come, which are set
// ahead of all.
TEST(Chain, RepeatedScalarsOutliveWhatTheRoundsCompute) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[5000]>
  output %1 "out": ref<gmem, f32[5000]>
  body {
    %2 = memory.load %0 : f32[5000]
    %3 = arith.mul %2, %2 : f32[5000]
    %4 = arith.neg %3 : f32[5000]
    %5 = arith.neg %4 : f32[5000]
    %6 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[5000]
    %7 = arith.mul %5, %6 : f32[5000]
    %8 = shape.broadcast_in_dim f32(3.0) {dimensions = []} : f32[5000]
    %9 = arith.add %7, %8 : f32[5000]
    %10 = arith.add %9, %6 : f32[5000]
    memory.store %1, %10
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(5000);
  const Pair pair = run_both(text, {x});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(pair.fused.get<float>(1)[i], 2 * x[i] * x[i] + 5) << i;
  }
}

// The clip is a chain of one element that converts its limits, and the last op repeats its result.
TEST(Chain, ScalarsThatAChainOfOneElementComputesComeBeforeWhatRepeatsThem) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[64]>
  output %1 "out": ref<gmem, f32[64]>
  body {
    %2 = memory.load %0 : f32[64]
    %3 = reduce.max %2 {axes = [0]} : f32
    %4 = shape.broadcast_in_dim %3 {dimensions = []} : f32[1]
    %5 = arith.convert i32(-64) : f32
    %6 = shape.broadcast_in_dim %5 {dimensions = []} : f32[1]
    %7 = arith.max %6, %4 : f32[1]
    %8 = arith.convert i32(64) : f32
    %9 = shape.broadcast_in_dim %8 {dimensions = []} : f32[1]
    %10 = arith.min %9, %7 : f32[1]
    %11 = shape.broadcast_in_dim %10 {dimensions = [0]} : f32[64]
    memory.store %1, %11
    control.yield
  }
}
)";
  const std::vector<float> x = ramp(64);
  const Pair pair = run_both(text, {x});
  ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
  const float largest = *std::max_element(x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(pair.fused.get<float>(1)[i], largest) << i;
}

// A store of 5 rows of 120 elements out of [40, 300]: its ends lie within granules, and neighbours
// share them.
TEST(Chain, FreshMemoryShowsWhereNothingWasStored) {
  for (const bool zero : {false, true}) {
    const std::string text = R"(pir 1

kernel @test {
  grid = [8] ["x"]
  input %0 "x": ref<gmem, f32[5,120]>
  output %1 "out": ref<gmem, f32[40,300]>
  output %2 "untouched": ref<gmem, i16[30000]>
  output %3 "read": ref<gmem, f32[8,4096]>
  output %4 "seen": ref<gmem, f32[8,4096]>
  body {
    %5 = thread.axis_index {axis = "x"} : i32
    %6 = arith.mul %5, i32(5) : i32
    %7 = view.index %1, %6 {starts = [?, 90], sizes = [5, 120]} : ref<gmem, f32[5,120]>
    %8 = memory.load %0 : f32[5,120]
    %9 = arith.neg %8 : f32[5,120]
    memory.store %7, %9
    %10 = view.index %3, %5 {starts = [?, 0], sizes = [1, 4096], squeeze = [0]} : ref<gmem, f32[4096]>
    %11 = memory.load %10 : f32[4096]
    %12 = view.index %4, %5 {starts = [?, 0], sizes = [1, 4096], squeeze = [0]} : ref<gmem, f32[4096]>
    memory.store %12, %11
    control.yield
  }
}
)";
    GridOptions options;
    options.machine.zero_fill = zero;
    const std::vector<float> x = ramp(600);
    const Pair pair = run_both(text, {x}, options);
    ASSERT_TRUE(pair.fused.clean()) << pair.fused.messages();
    const auto is_fresh = [&](float value) { return zero ? value == 0 : std::isnan(value); };
    const std::vector<float> out = pair.fused.get<float>(1);
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t row = i / 300, column = i % 300;
      if (column >= 90 && column < 210) {
        ASSERT_EQ(out[i], -x[row % 5 * 120 + column - 90]) << i;
      } else {
        ASSERT_TRUE(is_fresh(out[i])) << i;
      }
    }
    EXPECT_EQ(pair.fused.get<int16_t>(2), std::vector<int16_t>(30000, zero ? 0 : INT16_MAX));
    for (const float value : pair.fused.get<float>(3)) ASSERT_TRUE(is_fresh(value));
    for (const float value : pair.fused.get<float>(4)) ASSERT_TRUE(is_fresh(value));
  }
}

}  // namespace
}  // namespace pallasite
