#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "pallasite/ir/text.h"
#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::Array;
using test::flat_index;
using test::for_each_index;
using test::run_op_kernel;
using test::type_text;

using Index = std::vector<int64_t>;

// One of each width in registers.
constexpr ElementType kElements[] = {ElementType::S4, ElementType::U8, ElementType::F16,
                                     ElementType::F32, ElementType::S64};

// Elements that tell their place, as far as the type lets them.
Array numbered(ElementType element, size_t count) {
  Array x(element, count);
  for (size_t i = 0; i < count; ++i) {
    const auto value = __int128(i * 5 % 113);
    x.set_bits(i, is_float(element) ? test::float_bits(element, double(value))
                                    : test::wrapped_bits(element, value));
  }
  return x;
}

int64_t count_of(const Index& shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

// Checks an op on one array: element `index` of the result is element source(index) of x.
void expect_moves(const Index& shape, const Index& result_shape, const std::string& op,
                  const std::function<Index(const Index&)>& source) {
  for (ElementType element : kElements) {
    const Array x = numbered(element, size_t(count_of(shape)));
    const Array out =
        run_op_kernel({type_text(element, shape)}, {&x}, type_text(element, result_shape), element,
                      size_t(count_of(result_shape)), op);
    for_each_index(result_shape, [&](const Index& index) {
      const uint64_t expected = x.bits(flat_index(shape, source(index)));
      ASSERT_EQ(out.bits(flat_index(result_shape, index)), expected)
          << op << " " << list_text(index) << " " << element_name(element);
    });
  }
}

TEST(Shape, BroadcastRepeatsMissingAndSingleDims) {
  expect_moves({5}, {5, 7}, "shape.broadcast_in_dim $0 {dimensions = [0]}",
               [](const Index& i) { return Index{i[0]}; });
  expect_moves({7}, {5, 7}, "shape.broadcast_in_dim $0 {dimensions = [1]}",
               [](const Index& i) { return Index{i[1]}; });
  expect_moves({3, 1, 4}, {3, 6, 2, 4}, "shape.broadcast_in_dim $0 {dimensions = [0, 1, 3]}",
               [](const Index& i) {
                 return Index{i[0], 0, i[3]};
               });
  expect_moves({}, {3, 5}, "shape.broadcast_in_dim $0 {dimensions = []}",
               [](const Index&) { return Index{}; });
  expect_moves({6}, {1, 6}, "shape.broadcast_in_dim $0 {dimensions = [1]}",
               [](const Index& i) { return Index{i[1]}; });
}

TEST(Shape, ReshapeAndSqueezeKeepTheOrder) {
  expect_moves({4, 6}, {2, 12}, "shape.reshape $0", [](const Index& i) {
    const int64_t flat = i[0] * 12 + i[1];
    return Index{flat / 6, flat % 6};
  });
  expect_moves({1}, {}, "shape.reshape $0", [](const Index&) { return Index{0}; });
  expect_moves({}, {1, 1}, "shape.reshape $0", [](const Index&) { return Index{}; });
  expect_moves({1, 5, 1}, {5}, "shape.squeeze $0 {dimensions = [0, 2]}", [](const Index& i) {
    return Index{0, i[0], 0};
  });
  expect_moves({1, 1}, {}, "shape.squeeze $0 {dimensions = [0, 1]}", [](const Index&) {
    return Index{0, 0};
  });
}

TEST(Shape, SliceTakesSteps) {
  expect_moves({9, 10}, {4, 3},
               "shape.slice $0 {limits = [6, 9], starts = [2, 1], strides = [1, 3]}",
               [](const Index& i) {
                 return Index{2 + i[0], 1 + 3 * i[1]};
               });
  expect_moves({9}, {4}, "shape.slice $0 {limits = [9], starts = [5]}",
               [](const Index& i) { return Index{5 + i[0]}; });
}

TEST(Shape, TransposeOfManyShapes) {
  expect_moves({45, 70}, {70, 45}, "shape.transpose $0 {permutation = [1, 0]}", [](const Index& i) {
    return Index{i[1], i[0]};
  });
  expect_moves({3, 4, 5}, {5, 3, 4}, "shape.transpose $0 {permutation = [2, 0, 1]}",
               [](const Index& i) {
                 return Index{i[1], i[2], i[0]};
               });
  expect_moves({3, 4, 5}, {4, 3, 5}, "shape.transpose $0 {permutation = [1, 0, 2]}",
               [](const Index& i) {
                 return Index{i[1], i[0], i[2]};
               });
  expect_moves({2, 3, 4, 5}, {5, 4, 3, 2}, "shape.transpose $0 {permutation = [3, 2, 1, 0]}",
               [](const Index& i) {
                 return Index{i[3], i[2], i[1], i[0]};
               });
}

TEST(Shape, ReverseRunsBackward) {
  expect_moves({4, 6}, {4, 6}, "shape.reverse $0 {dimensions = [1]}", [](const Index& i) {
    return Index{i[0], 5 - i[1]};
  });
  expect_moves({4, 6}, {4, 6}, "shape.reverse $0 {dimensions = [0, 1]}", [](const Index& i) {
    return Index{3 - i[0], 5 - i[1]};
  });
}

TEST(Shape, DynamicSliceClampsItsStarts) {
  for (int64_t start : {-3, 0, 2, 4, 5, 100}) {
    const int64_t row = std::clamp<int64_t>(start, 0, 4);
    expect_moves(
        {7, 5}, {3, 2},
        "shape.dynamic_slice $0, i32(" + std::to_string(start) + "), i64(1) {sizes = [3, 2]}",
        [&](const Index& i) {
          return Index{row + i[0], 1 + i[1]};
        });
  }
  expect_moves({4}, {2}, "shape.dynamic_slice $0, u64(18446744073709551615) {sizes = [2]}",
               [](const Index& i) { return Index{2 + i[0]}; });
}

TEST(Shape, DynamicUpdateSliceReplacesAPart) {
  for (ElementType element : kElements) {
    const Array x = numbered(element, 35);
    Array update(element, 6);
    for (size_t i = 0; i < 6; ++i) update.set_bits(i, x.bits(34 - i));
    for (int64_t start : {-1, 3, 9}) {
      const Array out = run_op_kernel(
          {type_text(element, {7, 5}), type_text(element, {3, 2})}, {&x, &update},
          type_text(element, {7, 5}), element, 35,
          "shape.dynamic_update_slice $0, $1, i32(" + std::to_string(start) + "), i32(2)");
      const int64_t row = std::clamp<int64_t>(start, 0, 4);
      for_each_index({7, 5}, [&](const Index& i) {
        const bool inside = i[0] >= row && i[0] < row + 3 && i[1] >= 2 && i[1] < 4;
        const size_t at = flat_index({7, 5}, i);
        const uint64_t expected =
            inside ? update.bits(flat_index({3, 2}, {i[0] - row, i[1] - 2})) : x.bits(at);
        ASSERT_EQ(out.bits(at), expected);
      });
    }
  }
}

TEST(Shape, PadSurroundsAndCutsOff) {
  const auto three = [](ElementType element) {
    return is_float(element) ? test::float_bits(element, 3) : test::wrapped_bits(element, 3);
  };
  struct Case {
    int64_t low, high, interior;
  };
  for (Case c : {Case{1, 2, 0}, Case{0, 0, 2}, Case{-1, 1, 1}, Case{2, -2, 1}, Case{-2, -1, 3},
                 Case{-4, 0, 0}, Case{3, -7, 0}}) {
    const int64_t size = c.low + 5 + 4 * c.interior + c.high;
    const std::string attributes = " {high = [" + std::to_string(c.high) + ", 0], interior = [" +
                                   std::to_string(c.interior) + ", 0], low = [" +
                                   std::to_string(c.low) + ", 1]}";
    for (ElementType element : kElements) {
      const Array x = numbered(element, 20);
      Array value(element, 1);
      value.set_bits(0, three(element));
      const Array out = run_op_kernel({type_text(element, {5, 4}), type_text(element, {})},
                                      {&x, &value}, type_text(element, {size, 5}), element,
                                      size_t(size) * 5, "shape.pad $0, $1" + attributes);
      for_each_index({size, 5}, [&](const Index& i) {
        const int64_t at = i[0] - c.low;
        const bool inside =
            at >= 0 && at % (c.interior + 1) == 0 && at / (c.interior + 1) < 5 && i[1] >= 1;
        const uint64_t expected =
            inside ? x.bits(flat_index({5, 4}, {at / (c.interior + 1), i[1] - 1})) : three(element);
        ASSERT_EQ(out.bits(flat_index({size, 5}, i)), expected)
            << attributes << list_text(i) << element_name(element);
      });
    }
  }
}

TEST(Shape, ConcatenateJoinsAlongAnyDim) {
  for (ElementType element : kElements) {
    const Array a = numbered(element, 12), b = numbered(element, 20), c = numbered(element, 4);
    const Array columns = run_op_kernel(
        {type_text(element, {4, 3}), type_text(element, {4, 5}), type_text(element, {4, 1})},
        {&a, &b, &c}, type_text(element, {4, 9}), element, 36,
        "shape.concatenate $0, $1, $2 {dimension = 1}");
    for_each_index({4, 9}, [&](const Index& i) {
      const uint64_t expected = i[1] < 3   ? a.bits(size_t(i[0] * 3 + i[1]))
                                : i[1] < 8 ? b.bits(size_t(i[0] * 5 + i[1] - 3))
                                           : c.bits(size_t(i[0]));
      ASSERT_EQ(columns.bits(flat_index({4, 9}, i)), expected);
    });
    const Array rows = run_op_kernel({type_text(element, {3, 4}), type_text(element, {5, 4})},
                                     {&a, &b}, type_text(element, {8, 4}), element, 32,
                                     "shape.concatenate $0, $1 {dimension = 0}");
    for (size_t i = 0; i < 32; ++i) ASSERT_EQ(rows.bits(i), i < 12 ? a.bits(i) : b.bits(i - 12));
  }
}

TEST(Shape, IotaOfEveryType) {
  std::vector<ElementType> elements(std::begin(test::kIntegerTypes), std::end(test::kIntegerTypes));
  elements.insert(elements.end(), std::begin(test::kFloatTypes), std::end(test::kFloatTypes));
  for (ElementType element : elements) {
    for (size_t dimension : {0, 1, 2}) {
      const Index shape = {3, 300, 2};
      const Array out = run_op_kernel({}, {}, type_text(element, shape), element, 1800,
                                      "shape.iota {dimension = " + std::to_string(dimension) + "}");
      for_each_index(shape, [&](const Index& i) {
        const uint64_t expected = is_float(element)
                                      ? test::float_bits(element, double(i[dimension]))
                                      : test::wrapped_bits(element, i[dimension]);
        ASSERT_EQ(out.bits(flat_index(shape, i)), expected) << element_name(element);
      });
    }
  }
}

TEST(Shape, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& input, const std::string& output,
                          const std::string& op) {
    const test::TextRun run =
        test::run_text(test::op_kernel({input}, output, op), ObservationLevel::Fused);
    EXPECT_FALSE(run.findings.empty()) << op;
    for (const Diagnostic& d : run.findings) EXPECT_EQ(d.kind, Kind::IrVerify) << op;
  };
  refused("f32[4]", "f32[4,5]", "shape.broadcast_in_dim $0 {dimensions = [1]}");
  refused("f32[4]", "f32[4,5]", "shape.broadcast_in_dim $0 {dimensions = [2]}");
  refused("f32[4]", "f32[5]", "shape.reshape $0");
  refused("f32[4,2]", "f32[4]", "shape.squeeze $0 {dimensions = [1]}");
  refused("f32[4]", "f32[3]", "shape.slice $0 {limits = [5], starts = [2]}");
  refused("f32[4]", "f32[2]", "shape.slice $0 {limits = [4], starts = [1]}");
  refused("f32[4,5]", "f32[4,5]", "shape.transpose $0 {permutation = [0, 0]}");
  refused("f32[4,5]", "f32[4,5]", "shape.reverse $0 {dimensions = [2]}");
  refused("f32[4]", "f32[5]", "shape.dynamic_slice $0, i32(0) {sizes = [5]}");
  refused("f32[4]", "f32[2]", "shape.dynamic_slice $0 {sizes = [2]}");
  refused("f32[4]", "f32[6]", "shape.pad $0, i32(0) {high = [1], interior = [0], low = [1]}");
  refused("f32[4]", "f32[8]", "shape.concatenate $0, $0 {dimension = 1}");
  refused("f32[4]", "bool[4]", "shape.iota {dimension = 0}");
}

}  // namespace
}  // namespace pallasite
