// Ops that choose, order and combine elements by other arrays.
#include <gtest/gtest.h>

#include <algorithm>

#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::Array;
using test::run_op_kernel;

Array numbers(ElementType element, const std::vector<double>& values) {
  Array x(element, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    x.set_bits(i, is_float(element) ? test::float_bits(element, values[i])
                                    : test::wrapped_bits(element, int64_t(values[i])));
  return x;
}

void expect_numbers(const Array& x, const std::vector<double>& values) {
  const Array expected = numbers(x.element, values);
  ASSERT_EQ(x.count, values.size());
  for (size_t i = 0; i < x.count; ++i) EXPECT_EQ(x.bits(i), expected.bits(i)) << i;
}

const std::string kRows =
    "batching_dims = [], dropped_dims = [0], index_batching_dims = [], index_map = [0], "
    "window_dims = [1]";

TEST(Gather, PartsOutsideAreMovedOrFilled) {
  const Array x = numbers(ElementType::F16, {0, 1, 2, 3, 4, 5});
  const Array places = numbers(ElementType::S8, {2, -1, 7});
  const auto gather = [&](const std::string& mode) {
    return run_op_kernel({"f16[3,2]", "i8[3,1]"}, {&x, &places}, "f16[3,2]", ElementType::F16, 6,
                         "gather.gather $0, $1, f16(9.0) {mode = \"" + mode + "\", " + kRows + "}");
  };
  expect_numbers(gather("clip"), {4, 5, 0, 1, 4, 5});
  expect_numbers(gather("fill"), {4, 5, 9, 9, 9, 9});
}

TEST(Gather, AnIndexBeyondSignedRangeIsOutside) {
  const Array x = numbers(ElementType::S32, {5, 6, 7, 8});
  Array places(ElementType::U64, 2);
  places.set_bits(0, ~uint64_t(0));
  places.set_bits(1, 1);
  const Array out =
      run_op_kernel({"i32[2,2]", "u64[2,1]"}, {&x, &places}, "i32[2,2]", ElementType::S32, 4,
                    "gather.gather $0, $1, i32(-1) {mode = \"clip\", " + kRows + "}");
  expect_numbers(out, {7, 8, 7, 8});
}

TEST(Scatter, PartsComeInTheOrderOfTheIndices) {
  const Array x = numbers(ElementType::BF16, {1, 1, 1, 1});
  const Array places = numbers(ElementType::S32, {1, 3, 1, 0});
  const Array parts = numbers(ElementType::BF16, {2, 3, 4, 5, 6, 7, 8, 9});
  const auto scatter = [&](const std::string& combine, const std::string& mode) {
    return run_op_kernel({"bf16[2,2]", "i32[4,1]", "bf16[4,2]"}, {&x, &places, &parts}, "bf16[2,2]",
                         ElementType::BF16, 4,
                         "gather.scatter $0, $1, $2 {combine = \"" + combine + "\", mode = \"" +
                             mode + "\", " + kRows + "}");
  };
  expect_numbers(scatter("set", "drop"), {8, 9, 6, 7});
  expect_numbers(scatter("add", "drop"), {9, 10, 9, 11});
  expect_numbers(scatter("add", "clip"), {9, 10, 13, 16});
  expect_numbers(scatter("sub", "drop"), {-7, -8, -7, -9});
}

TEST(Sort, EqualKeysKeepTheirOrder) {
  for (ElementType element : {ElementType::S4, ElementType::U8, ElementType::S64, ElementType::F16,
                              ElementType::F32, ElementType::F64, ElementType::F8E5M2}) {
    const Array x = numbers(element, {3, 1, 2, 1, 3, 0});
    const Array order = numbers(ElementType::S32, {0, 1, 2, 3, 4, 5});
    const std::string type = std::string(element_name(element)) + "[6]";
    const std::string text =
        "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n  input %0 \"a\": "
        "ref<gmem, " +
        type +
        ">\n  input %1 \"b\": ref<gmem, i32[6]>\n"
        "  output %2 \"out\": ref<gmem, i32[6]>\n  body {\n"
        "    %3 = memory.load %0 : " +
        type +
        "\n"
        "    %4 = memory.load %1 : i32[6]\n"
        "    %5, %6 = sort.sort %3, %4 {dimension = 0, num_keys = 1} : " +
        type + ", i32[6]\n    memory.store %2, %6\n    control.yield\n  }\n}\n";
    const test::TextRun run = test::run_text(text, ObservationLevel::Fused, {&x, &order});
    ASSERT_TRUE(run.clean()) << run.explain();
    Array out(ElementType::S32, 6);
    unpack(ElementType::S32, run.buffers.back().data(), 0, out.data.data(), 6);
    expect_numbers(out, {5, 1, 3, 2, 0, 4});
  }
}

TEST(Dot, IntegersWrap) {
  for (ElementType element :
       {ElementType::S8, ElementType::U16, ElementType::S32, ElementType::U64, ElementType::S4}) {
    const Array a = numbers(element, {7, 6, 5, 4, 3, 2});
    const Array b = numbers(element, {1, 2, 3, 4, 5, 6});
    const std::string name(element_name(element));
    const Array out = run_op_kernel({name + "[1,2,3]", name + "[1,3,2]"}, {&a, &b},
                                    name + "[1,2,2]", element, 4, "dot.general $0, $1");
    expect_numbers(out, {50, 68, 23, 32});
    const Array transposed =
        run_op_kernel({name + "[1,2,3]", name + "[1,2,3]"}, {&a, &b}, name + "[1,2,2]", element, 4,
                      "dot.general $0, $1 {transpose_b = true}");
    expect_numbers(transposed, {34, 88, 16, 43});
  }
}

// Known answers of the authors of Threefry.
TEST(Random, ThreefryGivesThePublishedBits) {
  struct Known {
    uint32_t key[2], counter[2], bits[2];
  };
  const Known kKnown[] = {
      {{0, 0}, {0, 0}, {0x6b200159u, 0x99ba4efeu}},
      {{~0u, ~0u}, {~0u, ~0u}, {0x1cb996fcu, 0xbb002be7u}},
      {{0x13198a2eu, 0x03707344u}, {0x243f6a88u, 0x85a308d3u}, {0xc4923a9cu, 0x483df7a0u}},
  };
  for (const Known& known : kKnown) {
    const auto literal = [](uint32_t word) { return "u32(" + std::to_string(word) + ")"; };
    const std::string text =
        "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n  output %0 \"x\": ref<gmem, u32>\n"
        "  output %1 \"y\": ref<gmem, u32>\n  body {\n    %2, %3 = random.threefry2x32 " +
        literal(known.key[0]) + ", " + literal(known.key[1]) + ", " + literal(known.counter[0]) +
        ", " + literal(known.counter[1]) +
        " : u32, u32\n    memory.store %0, %2\n    memory.store %1, %3\n    control.yield\n  "
        "}\n}\n";
    const test::TextRun run = test::run_text(text, ObservationLevel::Fused);
    ASSERT_TRUE(run.clean()) << run.explain();
    for (int i = 0; i < 2; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, run.buffers[i].data(), 4);
      EXPECT_EQ(bits, known.bits[i]);
    }
  }
}

TEST(Window, OverlapsAndSteps) {
  const Array x = numbers(ElementType::F32, {0, 1, 2, 3, 4, 5, 6});
  const Array out =
      run_op_kernel({"f32[7]"}, {&x}, "f32[2,2]", ElementType::F32, 4,
                    "window.windows $0 {dilations = [3], sizes = [2], strides = [2]}");
  expect_numbers(out, {0, 2, 3, 5});
}

}  // namespace
}  // namespace pallasite
