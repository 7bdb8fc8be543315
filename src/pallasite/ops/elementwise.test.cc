#include <gtest/gtest.h>

#include <cmath>

#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::Array;

Array ramp(ElementType element, size_t count) {
  Array x(element, count);
  for (size_t i = 0; i < count; ++i)
    x.set_bits(i, test::float_bits(element, double(i % 97) / 8 - 6));
  return x;
}

// A chain that changes width five times, with operands of rank 0, a value that is used again far
// below and one that is stored in the middle.
constexpr const char* kChain = R"(pir 1

kernel @chain {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f16[17,59]>
  output %1 "middle": ref<gmem, f32[17,59]>
  output %2 "out": ref<gmem, i8[17,59]>
  body {
    %3 = memory.load %0 : f16[17,59]
    %4 = arith.convert %3 : f32[17,59]
    %5 = arith.clamp f32(-2.5), %4, f32(3.25) : f32[17,59]
    %6 = arith.mul %5, %5 : f32[17,59]
    memory.store %1, %6
    %7 = shape.broadcast_in_dim f32(4.0) {dimensions = []} : f32[17,59]
    %8 = arith.lt %6, %7 : bool[17,59]
    %9 = arith.neg %4 : f32[17,59]
    %10 = arith.select_n %8, %9, %6 : f32[17,59]
    %11 = arith.convert %10 : f64[17,59]
    %12 = arith.sub %11, %11 : f64[17,59]
    %13 = arith.add %11, %12 : f64[17,59]
    %14 = arith.convert %13 : i32[17,59]
    %15 = arith.select_n bool(true), %14, %14 : i32[17,59]
    %16 = arith.convert %15 : i8[17,59]
    memory.store %2, %16
    control.yield
  }
}
)";

TEST(Elementwise, FusedChainsGiveTheBitsOfSingleOps) {
  const size_t count = 17 * 59;
  const Array x = ramp(ElementType::F16, count);
  const test::TextRun fused = test::run_text(kChain, ObservationLevel::Fused, {&x});
  const test::TextRun each = test::run_text(kChain, ObservationLevel::EachOp, {&x});
  ASSERT_TRUE(fused.clean()) << fused.explain();
  ASSERT_TRUE(each.clean()) << each.explain();
  EXPECT_EQ(fused.buffers, each.buffers);
  Array middle(ElementType::F32, count), out(ElementType::S8, count);
  std::memcpy(middle.data.data(), fused.buffers[1].data(), middle.data.size());
  std::memcpy(out.data.data(), fused.buffers[2].data(), out.data.size());
  for (size_t i = 0; i < count; ++i) {
    const double v = x.number(i);
    const double square = std::pow(std::min(std::max(v, -2.5), 3.25), 2);
    ASSERT_EQ(middle.number(i), square);
    ASSERT_EQ(out.integer(i), __int128(std::trunc(square < 4 ? square : -v)));
  }
}

TEST(Elementwise, ScalarsTakeTheFastPathAndTheWidenedOne) {
  const auto run = [](ElementType element, const std::string& type, const std::string& op) {
    return test::run_op_kernel({}, {}, type, element, 1, op);
  };
  EXPECT_EQ(run(ElementType::S32, "i32", "arith.add i32(2147483647), i32(1)").integer(0),
            INT32_MIN);
  EXPECT_EQ(run(ElementType::S32, "i32", "arith.rem i32(-7), i32(3)").integer(0), -1);
  EXPECT_EQ(run(ElementType::F16, "f16", "arith.add f16(2048.0), f16(1.0)").number(0), 2048);
  EXPECT_EQ(run(ElementType::F32, "f32", "arith.integer_pow f32(3.0) {y = -2}").number(0),
            double(1.0f / 9));
  EXPECT_EQ(run(ElementType::Bool, "bool", "arith.lt u8(3), u8(200)").bits(0), 1u);
  EXPECT_EQ(
      run(ElementType::F32, "f32", "arith.select_n i32(7), f32(1.0), f32(2.0), f32(3.0), f32(4.0)")
          .number(0),
      4);
  EXPECT_EQ(run(ElementType::F32, "f32", "arith.clamp f32(0.0), f32(5.0), f32(1.0)").number(0), 1);
  EXPECT_EQ(run(ElementType::S8, "i8", "arith.convert f32(300.0)").integer(0), 127);
}

TEST(Elementwise, BitcastsBetweenWidths) {
  Array x(ElementType::S32, 3);
  for (size_t i = 0; i < 3; ++i) x.set_bits(i, 0x04030201u + 0x10101010u * uint32_t(i));
  const Array bytes =
      test::run_op_kernel({"i32[3]"}, {&x}, "u8[3,4]", ElementType::U8, 12, "arith.bitcast $0");
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(bytes.bits(i), 1 + i % 4 + 16 * (i / 4));
  const Array back =
      test::run_op_kernel({"u8[3,4]"}, {&bytes}, "f32[3]", ElementType::F32, 3, "arith.bitcast $0");
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(back.bits(i), x.bits(i));
  Array nibbles(ElementType::S4, 16);
  for (size_t i = 0; i < 16; ++i) nibbles.set_bits(i, test::wrapped_bits(ElementType::S4, int(i)));
  const Array unsigned_nibbles = test::run_op_kernel({"i4[16]"}, {&nibbles}, "u4[16]",
                                                     ElementType::U4, 16, "arith.bitcast $0");
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(unsigned_nibbles.bits(i), i);
  const Array pairs =
      test::run_op_kernel({"i4[8,2]"}, {&nibbles}, "u8[8]", ElementType::U8, 8, "arith.bitcast $0");
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(pairs.bits(i), 2 * i + 16 * (2 * i + 1));
}

TEST(Elementwise, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& input, const std::string& output,
                          const std::string& op) {
    const test::TextRun run =
        test::run_text(test::op_kernel({input}, output, op), ObservationLevel::Fused);
    EXPECT_FALSE(run.findings.empty()) << op;
    for (const Diagnostic& d : run.findings) EXPECT_EQ(d.kind, Kind::IrVerify) << op;
  };
  refused("f32[4]", "f32[4]", "arith.add $0, f32(1.0)");
  refused("f32[4]", "f32[4]", "arith.and $0, $0");
  refused("f32[4]", "f32[4]", "arith.lt $0, $0");
  refused("bool[4]", "bool[4]", "arith.add $0, $0");
  refused("i32[4]", "i32[4]", "arith.exp $0");
  refused("i32[4]", "i32[4]", "arith.integer_pow $0 {y = -1}");
  refused("f32[4]", "f32[4]", "arith.round $0 {method = \"up\"}");
  refused("f8e4m3fn[4]", "f8e4m3fn[4]", "arith.nextafter $0, $0");
  refused("f32[4]", "f32[4]", "arith.clamp i32(0), $0, f32(1.0)");
  refused("f32[4]", "f32[4]", "arith.select_n f32(1.0), $0, $0");
  refused("bool[4]", "bool[4]", "arith.select_n $0, $0, $0, $0");
  refused("f32[4]", "f16[2,2]", "arith.convert $0");
  refused("f32[4]", "f16[4]", "arith.bitcast $0");
  refused("bool[4]", "u8[4]", "arith.bitcast $0");
}

}  // namespace
}  // namespace pallasite
