#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

int64_t count_of(const Index& shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

// Whole numbers, so that sums are exact in f32 whatever their order.
Array whole_numbers(ElementType element, size_t count) {
  Array x(element, count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = int64_t(i * 37 % 101) % 9 - 4;
    x.set_bits(i, is_float(element) ? test::float_bits(element, double(value))
                                    : test::wrapped_bits(element, value));
  }
  return x;
}

Index without(const Index& shape, const Index& axes) {
  Index kept;
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::find(axes.begin(), axes.end(), int64_t(d)) == axes.end()) kept.push_back(shape[d]);
  return kept;
}

struct Reduction {
  std::string name;
  __int128 start;
  __int128 (*integers)(__int128 x, __int128 y);
};

const Reduction kReductions[] = {
    {"sum", 0, [](__int128 x, __int128 y) { return x + y; }},
    {"prod", 1,
     [](__int128 x, __int128 y) { return __int128(int64_t(uint64_t(x) * uint64_t(y))); }},
    {"max", INT64_MIN, [](__int128 x, __int128 y) { return std::max(x, y); }},
    {"min", INT64_MAX, [](__int128 x, __int128 y) { return std::min(x, y); }},
    {"and", -1, [](__int128 x, __int128 y) { return x & y; }},
    {"or", 0, [](__int128 x, __int128 y) { return x | y; }},
};

struct Case {
  Index shape;
  Index axes;
};

const Case kCases[] = {
    {{37}, {0}},
    {{5, 67}, {1}},
    {{67, 5}, {0}},
    {{6, 7}, {0, 1}},
    {{3, 18, 5}, {1}},
    {{3, 18, 5}, {0, 2}},
    {{2, 3, 4, 20}, {1, 3}},
    {{2, 3, 4, 20}, {0, 2}},
    {{2, 1, 33, 1}, {1, 2}},
    {{4, 5}, {}},
    {{1, 1}, {0}},
    {{2, 700}, {1}},
    {{700, 2}, {0}},
};

TEST(Reduce, IntegersOverAnyAxes) {
  for (ElementType element : {ElementType::S32, ElementType::U32, ElementType::S8, ElementType::U16,
                              ElementType::S64, ElementType::S4, ElementType::U4}) {
    for (const Case& c : kCases) {
      const Array x = whole_numbers(element, size_t(count_of(c.shape)));
      const Index result_shape = without(c.shape, c.axes);
      for (const Reduction& reduction : kReductions) {
        std::map<size_t, __int128> expected;
        for_each_index(c.shape, [&](const Index& index) {
          Index kept;
          for (size_t d = 0; d < index.size(); ++d)
            if (std::find(c.axes.begin(), c.axes.end(), int64_t(d)) == c.axes.end())
              kept.push_back(index[d]);
          const __int128 value = x.integer(flat_index(c.shape, index));
          const auto [at, is_new] =
              expected.try_emplace(flat_index(result_shape, kept), reduction.start);
          at->second = is_new && (reduction.name == "max" || reduction.name == "min")
                           ? value
                           : reduction.integers(at->second, value);
        });
        const Array out =
            run_op_kernel({type_text(element, c.shape)}, {&x}, type_text(element, result_shape),
                          element, size_t(count_of(result_shape)),
                          "reduce." + reduction.name + " $0 {axes = " + list_text(c.axes) + "}");
        for (size_t i = 0; i < out.count; ++i)
          ASSERT_EQ(out.bits(i), test::wrapped_bits(element, expected.at(i)))
              << reduction.name << " " << element_name(element) << list_text(c.shape)
              << list_text(c.axes);
      }
    }
  }
}

TEST(Reduce, FloatsOverAnyAxes) {
  for (ElementType element : {ElementType::F32, ElementType::F64, ElementType::F16,
                              ElementType::BF16, ElementType::F8E4M3FN}) {
    for (const Case& c : kCases) {
      const Array x = whole_numbers(element, size_t(count_of(c.shape)));
      const Index result_shape = without(c.shape, c.axes);
      std::vector<double> sums(size_t(count_of(result_shape)), 0);
      std::vector<double> largest(sums.size(), -INFINITY), smallest(sums.size(), INFINITY);
      for_each_index(c.shape, [&](const Index& index) {
        Index kept;
        for (size_t d = 0; d < index.size(); ++d)
          if (std::find(c.axes.begin(), c.axes.end(), int64_t(d)) == c.axes.end())
            kept.push_back(index[d]);
        const double value = x.number(flat_index(c.shape, index));
        const size_t at = flat_index(result_shape, kept);
        sums[at] += value;
        largest[at] = std::max(largest[at], value);
        smallest[at] = std::min(smallest[at], value);
      });
      const std::pair<std::string, const std::vector<double>*> checks[] = {
          {"sum", &sums}, {"max", &largest}, {"min", &smallest}};
      for (const auto& [name, expected] : checks) {
        const Array out = run_op_kernel(
            {type_text(element, c.shape)}, {&x}, type_text(element, result_shape), element,
            sums.size(), "reduce." + name + " $0 {axes = " + list_text(c.axes) + "}");
        for (size_t i = 0; i < out.count; ++i)
          ASSERT_EQ(out.bits(i), test::float_bits(element, (*expected)[i]))
              << name << " " << element_name(element) << list_text(c.shape) << list_text(c.axes);
      }
    }
  }
}

double reduce_one(ElementType element, const std::vector<double>& values, const std::string& name) {
  Array x(element, values.size());
  for (size_t i = 0; i < values.size(); ++i) x.set_bits(i, test::float_bits(element, values[i]));
  return run_op_kernel({type_text(element, {int64_t(values.size())})}, {&x}, type_text(element, {}),
                       element, 1, "reduce." + name + " $0 {axes = [0]}")
      .number(0);
}

TEST(Reduce, SmallFloatsAreSummedInF32) {
  // In f16 steps 2048 + 1 would stay 2048.
  std::vector<double> values(101, 1);
  values[0] = 2048;
  EXPECT_EQ(reduce_one(ElementType::F16, values, "sum"), 2148);
  EXPECT_EQ(reduce_one(ElementType::BF16, std::vector<double>(1024, 1), "sum"), 1024);
  EXPECT_EQ(reduce_one(ElementType::F16, std::vector<double>(40, 2048), "sum"), INFINITY);
}

// Rounding shows the order, which no instruction set may change.
TEST(Reduce, SumsInTheStatedOrder) {
  constexpr size_t kRows = 3, kColumns = 1045;
  Array x(ElementType::F32, kRows * kColumns);
  for (size_t i = 0; i < x.count; ++i)
    x.set_bits(i, test::float_bits(ElementType::F32, std::sin(double(i * i)) * double(1 + i % 7)));
  const Array rows = run_op_kernel({"f32[3,1045]"}, {&x}, "f32[3]", ElementType::F32, kRows,
                                   "reduce.sum $0 {axes = [1]}");
  for (size_t r = 0; r < kRows; ++r) {
    float lanes[16] = {};
    for (size_t i = 0; i < kColumns; ++i) lanes[i % 16] += float(x.number(r * kColumns + i));
    for (size_t width : {8, 4, 2, 1})
      for (size_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
    ASSERT_EQ(float(rows.number(r)), lanes[0]);
  }
  const Array columns = run_op_kernel({"f32[3,1045]"}, {&x}, "f32[1045]", ElementType::F32,
                                      kColumns, "reduce.sum $0 {axes = [0]}");
  for (size_t c = 0; c < kColumns; ++c) {
    float sum = 0;
    for (size_t r = 0; r < kRows; ++r) sum += float(x.number(r * kColumns + c));
    ASSERT_EQ(float(columns.number(c)), sum);
  }
}

TEST(Reduce, NansAndZeros) {
  for (size_t at : {0, 3, 20, 36}) {
    std::vector<double> values(37, 1);
    values[at] = NAN;
    for (const char* name : {"sum", "prod", "max", "min"})
      EXPECT_TRUE(std::isnan(reduce_one(ElementType::F32, values, name))) << name << at;
  }
  EXPECT_FALSE(std::signbit(reduce_one(ElementType::F32, {-0.0, -0.0}, "sum")));
  EXPECT_FALSE(std::signbit(reduce_one(ElementType::F32, {-0.0, 0.0}, "max")));
  EXPECT_TRUE(std::signbit(reduce_one(ElementType::F32, {0.0, -0.0}, "min")));
  EXPECT_EQ(reduce_one(ElementType::F32, {-INFINITY, -INFINITY}, "max"), -INFINITY);
}

TEST(Reduce, BoolsAllAndAny) {
  Array x(ElementType::Bool, 6);
  for (size_t i = 0; i < 6; ++i) x.set_bits(i, i != 4 && i < 5);
  const auto rows = [&](const std::string& name) {
    const Array out = run_op_kernel({"bool[3,2]"}, {&x}, "bool[3]", ElementType::Bool, 3,
                                    "reduce." + name + " $0 {axes = [1]}");
    return std::vector<uint64_t>{out.bits(0), out.bits(1), out.bits(2)};
  };
  EXPECT_EQ(rows("and"), (std::vector<uint64_t>{1, 1, 0}));
  EXPECT_EQ(rows("or"), (std::vector<uint64_t>{1, 1, 0}));
  EXPECT_EQ(rows("max"), (std::vector<uint64_t>{1, 1, 0}));
}

TEST(Reduce, PositionsOfExtremes) {
  const auto find = [](ElementType element, const std::vector<double>& values,
                       const std::string& name) {
    Array x(element, values.size());
    for (size_t i = 0; i < values.size(); ++i) x.set_bits(i, test::float_bits(element, values[i]));
    return run_op_kernel({type_text(element, {int64_t(values.size())})}, {&x}, "i32",
                         ElementType::S32, 1, "reduce." + name + " $0 {axis = 0}")
        .bits(0);
  };
  for (ElementType element : {ElementType::F32, ElementType::F16}) {
    EXPECT_EQ(find(element, {1, 3, 2, 3}, "argmax"), 1u);
    EXPECT_EQ(find(element, {2, 1, 3, 1}, "argmin"), 1u);
    EXPECT_EQ(find(element, {1, NAN, 5, NAN}, "argmax"), 1u);
    EXPECT_EQ(find(element, {NAN, 1}, "argmin"), 0u);
    EXPECT_EQ(find(element, {0.0, -0.0}, "argmin"), 0u);
  }
  const Array x = whole_numbers(ElementType::S32, 60);
  const Array out = run_op_kernel({"i32[3,5,4]"}, {&x}, "i64[3,4]", ElementType::S64, 12,
                                  "reduce.argmax $0 {axis = 1}");
  for_each_index({3, 4}, [&](const Index& i) {
    int64_t best = 0;
    const auto value = [&](int64_t k) { return x.integer(flat_index({3, 5, 4}, {i[0], k, i[1]})); };
    for (int64_t k = 1; k < 5; ++k)
      if (value(k) > value(best)) best = k;
    ASSERT_EQ(int64_t(out.bits(flat_index({3, 4}, i))), best);
  });
}

TEST(Reduce, RunningReductions) {
  for (ElementType element : {ElementType::S32, ElementType::F32, ElementType::F16}) {
    const Index shape = {3, 6, 5};
    const Array x = whole_numbers(element, 90);
    const auto value = [&](const Index& i) {
      const size_t at = flat_index(shape, i);
      return is_float(element) ? x.number(at) : double(x.integer(at));
    };
    for (size_t axis : {0, 1, 2}) {
      for (bool reverse : {false, true}) {
        for (const std::string name : {"cumsum", "cummax", "cummin", "cumprod"}) {
          const Array out = run_op_kernel({type_text(element, shape)}, {&x},
                                          type_text(element, shape), element, 90,
                                          "reduce." + name + " $0 {axis = " + std::to_string(axis) +
                                              ", reverse = " + (reverse ? "true" : "false") + "}");
          for_each_index(shape, [&](const Index& i) {
            Index k = i;
            double expected = value(i);
            while (reverse ? ++k[axis] < shape[axis] : --k[axis] >= 0) {
              const double v = value(k);
              expected = name == "cumsum"   ? expected + v
                         : name == "cummax" ? std::max(expected, v)
                         : name == "cummin" ? std::min(expected, v)
                                            : expected * v;
            }
            const size_t at = flat_index(shape, i);
            if (is_float(element)) {
              ASSERT_EQ(out.number(at), expected) << name << axis << reverse;
            } else {
              ASSERT_EQ(double(out.integer(at)), expected) << name << axis << reverse;
            }
          });
        }
      }
    }
  }
}

TEST(Reduce, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& input, const std::string& output,
                          const std::string& op) {
    const test::TextRun run =
        test::run_text(test::op_kernel({input}, output, op), ObservationLevel::Fused);
    EXPECT_FALSE(run.findings.empty()) << op;
    for (const Diagnostic& d : run.findings) EXPECT_EQ(d.kind, Kind::IrVerify) << op;
  };
  refused("f32[4,5]", "f32[4]", "reduce.sum $0 {axes = [2]}");
  refused("f32[4,5]", "f32[4]", "reduce.sum $0 {axes = [1, 1]}");
  refused("f32[4,5]", "f32[5]", "reduce.sum $0 {axes = [1]}");
  refused("f32[4]", "f32", "reduce.and $0 {axes = [0]}");
  refused("bool[4]", "bool", "reduce.sum $0 {axes = [0]}");
  refused("f32[4]", "f32", "reduce.argmax $0 {axis = 0}");
  refused("f32[4]", "i32", "reduce.argmax $0 {axis = 1}");
  refused("f32[4]", "f32[4]", "reduce.cumsum $0 {axis = -1, reverse = false}");
}

}  // namespace
}  // namespace pallasite
