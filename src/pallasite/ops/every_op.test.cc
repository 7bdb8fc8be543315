// Every elementwise op of the table, with every type that it takes, on adversarial values: the same
// bits in a fused loop, op by op, on each instruction set and as a scalar instruction.
//
// A new op is found here by itself. What its values are, its family's tests know.
#include <gtest/gtest.h>

#include <map>

#include "pallasite/ops/test_op_table.h"

namespace pallasite {
namespace {

using test::Array;

// Their operands are of different types, or the result's follows from no operand.
const std::map<std::string_view, std::string_view> kTestedElsewhere = {
    {"arith.convert", "convert.test.cc and tests/properties/conversions_test.py"},
    {"arith.select_n", "arith.test.cc"},
};

// False if the op does not take the type.
bool run_everywhere(const OpDef& def, ElementType element, ElementType result) {
  const Attributes attributes = test::attributes_of(def);
  const std::vector<Array> operands = test::operands_of(def, element);
  const size_t count = operands[0].count;
  const std::string type = test::type_text(element, {int64_t(count)});
  std::string op = std::string(def.name);
  std::vector<const Array*> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    op += (i == 0 ? " $" : ", $") + std::to_string(i);
    inputs.push_back(&operands[i]);
  }
  const std::string text = test::op_kernel(std::vector<std::string>(operands.size(), type),
                                           test::type_text(result, {int64_t(count)}),
                                           op + test::attribute_text(attributes));
  const test::TextRun fused = test::run_text(text, ObservationLevel::Fused, inputs);
  if (!fused.finished) {
    for (const Diagnostic& d : fused.findings) EXPECT_EQ(d.kind, Kind::IrVerify) << render_plain(d);
    return false;
  }
  EXPECT_TRUE(fused.clean()) << fused.explain();
  const test::TextRun each = test::run_text(text, ObservationLevel::EachOp, inputs);
  EXPECT_EQ(each.buffers, fused.buffers) << text;
  Array expected(result, count);
  unpack(result, fused.buffers.back().data(), 0, expected.data.data(), count);
  for (LoopPath path : {LoopPath::Portable, LoopPath::Avx2, LoopPath::Avx512}) {
    if (!convert_path_supported(path)) continue;
    const Array out = test::run_op(def, inputs, result, path, attributes);
    EXPECT_EQ(out.data, expected.data)
        << def.name << " " << element_name(element) << " path " << int(path);
  }
  Array scalars(result, count);
  for (size_t i = 0; i < count; i += 1 + count / 256) {
    if (!test::run_scalar(def, inputs, i, attributes, scalars)) break;
    EXPECT_EQ(scalars.bits(i), expected.bits(i)) << def.name << " of a scalar, element " << i;
  }
  return true;
}

TEST(EveryOp, GivesTheSameBitsHoweverItRuns) {
  size_t ops = 0, ran = 0;
  for (const OpDef* def : all_ops()) {
    if (def->element_function == nullptr || kTestedElsewhere.count(def->name) != 0) continue;
    ++ops;
    size_t types = 0;
    for (ElementType element : test::all_elements()) {
      bool runs = run_everywhere(*def, element, element);
      if (!runs && element != ElementType::Bool)
        runs = run_everywhere(*def, element, ElementType::Bool);
      types += runs;
    }
    EXPECT_GT(types, 0u) << def->name << " takes no type";
    ran += types;
  }
  EXPECT_GE(ops, 50u);
  EXPECT_GE(ran, 900u);
}

}  // namespace
}  // namespace pallasite
