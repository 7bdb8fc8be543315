// Chains that are made of strips: random ones against the same kernel op by op, and what joins one.
#include "pallasite/sim/strip.h"

#include <bit>
#include <cmath>
#include <random>

#include "pallasite/sim/fused_loop.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::array_of;
using test::KernelRun;
using test::TestKernel;

bool is_nan(uint32_t code) {
  return std::isnan(std::bit_cast<float>(code));
}

// Codes of f32 or i32: zeros, infinities, NaNs of several payloads, subnormals, ties and others.
std::vector<uint32_t> codes(size_t count, std::mt19937& random) {
  static const uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0xffc12345, 0x7f812345, 0x7fc54321, 1,          0x807fffff,
                                      0x3f800000, 0xbf800001, 0x4b800001, 0x7f7fffff, 0x00800000};
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) {
    const float number = static_cast<float>(random() % 4096) / 256 - 8;
    value = random() % 4 == 0 ? kSpecial[random() % std::size(kSpecial)]
                              : std::bit_cast<uint32_t>(number);
  }
  return values;
}

// A kernel of random ops on arrays of `rows` times `columns` elements.
struct RandomKernel {
  std::mt19937 random;
  size_t rows;
  size_t columns;
  bool is_float;
  std::string body;
  int next = 6;
  std::vector<int> arrays;

  size_t pick(size_t count) { return random() % count; }
  std::string type() const { return is_float ? "f32" : "i32"; }
  std::string wide() const {
    return type() + "[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  }
  std::string value(int number) const { return "%" + std::to_string(number); }
  int add(const std::string& op, const std::string& result) {
    body += "    " + value(next) + " = " + op + " : " + result + "\n";
    return next++;
  }
  // Recent ones more often, so that there are long ways without a stop.
  int any_array() { return arrays[pick(2) == 0 ? arrays.size() - 1 : pick(arrays.size())]; }

  void add_op() {
    static const char* kFloatBinary[] = {"add", "sub", "mul", "max", "min", "div"};
    static const char* kIntegerBinary[] = {"add", "sub", "mul", "and", "or", "xor"};
    static const char* kFloatUnary[] = {"neg", "abs", "square", "tanh"};
    static const char* kIntegerUnary[] = {"neg", "not", "square", "abs"};
    switch (pick(10)) {
      case 0: {
        const auto* const* ops = is_float ? kFloatUnary : kIntegerUnary;
        arrays.push_back(
            add("arith." + std::string(ops[pick(4)]) + " " + value(any_array()), wide()));
        break;
      }
      case 1: {
        static const char* kFloats[] = {"0.5", "-0.0", "3.0", "nan", "inf"};
        const std::string literal = is_float ? "f32(" + std::string(kFloats[pick(5)]) + ")"
                                             : "i32(" + std::to_string(pick(9)) + ")";
        arrays.push_back(add("shape.broadcast_in_dim " + literal + " {dimensions = []}", wide()));
        break;
      }
      case 2:
        // Of a value for each row, or for each column.
        arrays.push_back(pick(2) == 0
                             ? add("shape.broadcast_in_dim %4 {dimensions = [0]}", wide())
                             : add("shape.broadcast_in_dim %5 {dimensions = [1]}", wide()));
        break;
      case 3: {
        if (pick(3) != 0) break;
        const std::string thin = type() + "[" + std::to_string(rows) + "]";
        const std::string reduce = is_float && pick(2) == 0 ? "reduce.max " : "reduce.sum ";
        const int joined = add(reduce + value(any_array()) + " {axes = [1]}", thin);
        arrays.push_back(
            add("shape.broadcast_in_dim " + value(joined) + " {dimensions = [0]}", wide()));
        break;
      }
      default: {
        const auto* const* ops = is_float ? kFloatBinary : kIntegerBinary;
        const int x = any_array(), y = any_array();
        arrays.push_back(add("arith." + std::string(ops[pick(6)]) + " " + value(x) + ", " +
                                 value(pick(8) == 0 ? x : y),
                             wide()));
        break;
      }
    }
  }

  std::string text(size_t ops) {
    const std::string row = type() + "[" + std::to_string(rows) + "]";
    const std::string column = type() + "[" + std::to_string(columns) + "]";
    const std::string input_type = "ref<gmem, " + wide() + ">\n";
    std::string start = "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n";
    start += "  input %0 \"x\": " + input_type + "  input %1 \"y\": " + input_type;
    start += "  input %2 \"row\": ref<gmem, " + row + ">\n";
    start += "  input %3 \"column\": ref<gmem, " + column + ">\n";
    start += "  output %4 \"out\": " + input_type + "  output %5 \"middle\": " + input_type;
    // Numbers in the text follow the definitions, so the loads come first.
    body = "";
    next = 6;
    const int x = add("memory.load %0", wide()), y = add("memory.load %1", wide());
    const int of_rows = add("memory.load %2", row), of_columns = add("memory.load %3", column);
    arrays = {x, y};
    for (size_t i = 0; i < ops; ++i) {
      add_op();
      if (pick(9) == 0) body += "    memory.store %5, " + value(any_array()) + "\n";
    }
    body += "    memory.store %4, " + value(arrays.back()) + "\n";
    for (const auto& [from, to] : {std::pair{std::string("broadcast_in_dim %4 "), of_rows},
                                   std::pair{std::string("broadcast_in_dim %5 "), of_columns}}) {
      for (size_t at; (at = body.find(from)) != std::string::npos;)
        body.replace(at, from.size(), "broadcast_in_dim " + value(to) + " ");
    }
    return start + "  body {\n" + body + "    control.yield\n  }\n}\n";
  }
};

TEST(Strip, RandomChainsGiveTheBitsOfSingleOps) {
  const std::pair<size_t, size_t> shapes[] = {{16, 128}, {7, 129},  {3, 1000}, {9, 256},  {64, 64},
                                              {1, 5000}, {40, 384}, {128, 2},  {2, 2048}, {5, 640}};
  size_t strips = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const auto [rows, columns] = shapes[seed % std::size(shapes)];
    RandomKernel kernel{.random = std::mt19937(seed),
                        .rows = rows,
                        .columns = columns,
                        .is_float = seed % 4 != 3,
                        .body = "",
                        .arrays = {}};
    const std::string text = kernel.text(3 + seed % 30);
    std::vector<test::Array> inputs;
    for (size_t count : {rows * columns, rows * columns, rows, columns})
      inputs.push_back(array_of(codes(count, kernel.random)));
    const TestKernel fused(text), each(text, "test.pir", ObservationLevel::EachOp);
    ASSERT_TRUE(fused.runs() && each.runs()) << text;
    for (const Instruction& in : fused.program().code) {
      if (in.exec != exec_fused) continue;
      for (const FusedStep& step : static_cast<const FusedPayload*>(in.payload)->steps)
        strips += step.kit != nullptr;
    }
    const KernelRun found = fused.run({}, inputs), expected = each.run({}, inputs);
    ASSERT_TRUE(expected.clean()) << expected.messages();
    for (size_t array : {4, 5}) {
      const auto values = found.get<uint32_t>(array), wanted = expected.get<uint32_t>(array);
      for (size_t i = 0; i < values.size(); ++i) {
        // Of two NaNs a sum or product may be either.
        if (kernel.is_float && is_nan(values[i]) && is_nan(wanted[i])) continue;
        ASSERT_EQ(values[i], wanted[i])
            << "seed " << seed << ", element " << i << " of %" << array << "\n"
            << text;
      }
    }
  }
  EXPECT_GT(strips, 400u);
}

// The steps of a kernel's only chain.
struct Steps {
  size_t strips = 0;
  size_t others = 0;
  size_t once = 0;
  bool operator==(const Steps&) const = default;
};

Steps steps_of(const std::string& ops, const std::string& stored) {
  const std::string text = R"(pir 1

kernel @test {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[16,256]>
  input %1 "y": ref<gmem, f32[16,256]>
  input %2 "row": ref<gmem, f32[16]>
  output %3 "out": ref<gmem, f32[16,256]>
  output %4 "other": ref<gmem, f32[16,256]>
  body {
    %5 = memory.load %0 : f32[16,256]
    %6 = memory.load %1 : f32[16,256]
    %7 = memory.load %2 : f32[16]
)" + ops + "    memory.store %3, " +
                           stored + "\n    control.yield\n  }\n}\n";
  const TestKernel kernel(text);
  Steps steps;
  if (!kernel.runs()) return steps;
  for (const Instruction& in : kernel.program().code) {
    if (in.exec != exec_fused) continue;
    const auto& fused = *static_cast<const FusedPayload*>(in.payload);
    for (const FusedStep& step : fused.steps) ++(step.kit != nullptr ? steps.strips : steps.others);
    steps.once += fused.once.size();
  }
  return steps;
}

TEST(Strip, SimpleOpsBecomeOneAndTheirScalarsStayScalars) {
  EXPECT_EQ(steps_of("    %8 = arith.mul %5, %6 : f32[16,256]\n"
                     "    %9 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[16,256]\n"
                     "    %10 = arith.add %8, %9 : f32[16,256]\n"
                     "    %11 = shape.broadcast_in_dim %7 {dimensions = [0]} : f32[16,256]\n"
                     "    %12 = arith.sub %11, %10 : f32[16,256]\n"
                     "    %13 = arith.mul %12, %12 : f32[16,256]\n",
                     "%13"),
            (Steps{.strips = 1}));
}

TEST(Strip, AValueThatIsReadOutsideOfTheChainIsWrittenOnTheWay) {
  EXPECT_EQ(steps_of("    %8 = arith.mul %5, %6 : f32[16,256]\n"
                     "    %9 = arith.add %8, %5 : f32[16,256]\n"
                     "    %10 = arith.mul %9, %8 : f32[16,256]\n"
                     "    %11 = shape.transpose %9 {permutation = [1, 0]} : f32[256,16]\n"
                     "    %12 = shape.reshape %11 : f32[16,256]\n"
                     "    memory.store %4, %12\n",
                     "%10"),
            (Steps{.strips = 1}));
}

// One op alone is a loop, which needs no value in registers.
TEST(Strip, OtherOpsEndIt) {
  EXPECT_EQ(steps_of("    %8 = arith.mul %5, %6 : f32[16,256]\n"
                     "    %9 = arith.exp %8 : f32[16,256]\n"
                     "    %10 = arith.mul %9, %6 : f32[16,256]\n"
                     "    %11 = arith.add %10, %5 : f32[16,256]\n",
                     "%11"),
            (Steps{.strips = 1, .others = 2}));
}

// What is no op of strips reads the array; it is made once.
TEST(Strip, ARepeatedScalarIsAnArrayForOtherOps) {
  EXPECT_EQ(steps_of("    %8 = shape.broadcast_in_dim f32(1.5) {dimensions = []} : f32[16,256]\n"
                     "    %9 = arith.atan2 %5, %8 : f32[16,256]\n"
                     "    %10 = arith.mul %9, %8 : f32[16,256]\n"
                     "    %11 = arith.add %10, %6 : f32[16,256]\n",
                     "%11"),
            (Steps{.strips = 1, .others = 1, .once = 1}));
}

}  // namespace
}  // namespace pallasite
