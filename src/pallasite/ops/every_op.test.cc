// Every elementwise op of the table, with every type that it takes, on adversarial values: the same
// bits in a fused loop, op by op, on each instruction set and as a scalar instruction.
//
// A new op is found here by itself. What its values are, its family's tests know.
#include <gtest/gtest.h>

#include <map>

#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::Array;

// Attributes that an op cannot do without.
const std::map<std::string_view, Attributes>& required_attributes() {
  static const std::map<std::string_view, Attributes> all = {
      {"arith.integer_pow", {{"y", int64_t{-3}}}},
      {"arith.reduce_precision", {{"exponent_bits", int64_t{5}}, {"mantissa_bits", int64_t{7}}}},
      {"arith.round", {{"method", std::string("away")}}},
  };
  return all;
}

// Their operands are of different types, or the result's follows from no operand.
const std::map<std::string_view, std::string_view> kTestedElsewhere = {
    {"arith.convert", "convert.test.cc and tests/properties/conversions_test.py"},
    {"arith.select_n", "arith.test.cc"},
};

std::string attribute_text(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    text += text.empty() ? " {" : ", ";
    text += std::string(name) + " = ";
    if (const auto* number = std::get_if<int64_t>(&value)) text += std::to_string(*number);
    if (const auto* word = std::get_if<std::string>(&value)) text += "\"" + *word + "\"";
  }
  return text.empty() ? text : text + "}";
}

std::vector<Array> operands_of(const OpDef& def, ElementType element) {
  std::vector<Array> operands;
  if (def.operands.size() == 1) {
    operands.push_back(test::adversarial_array(element));
    return operands;
  }
  auto [x, y] = test::adversarial_pairs(element, element);
  // Of three operands the third is the first, moved on by a few.
  if (def.operands.size() == 3) {
    Array z(element, x.count);
    for (size_t i = 0; i < x.count; ++i) z.set_bits(i, x.bits((i + 7) % x.count));
    operands.push_back(std::move(z));
  }
  operands.push_back(std::move(x));
  operands.push_back(std::move(y));
  return operands;
}

// False if the op does not take the type.
bool run_everywhere(const OpDef& def, ElementType element, ElementType result) {
  const auto found = required_attributes().find(def.name);
  const Attributes attributes = found == required_attributes().end() ? Attributes() : found->second;
  const std::vector<Array> operands = operands_of(def, element);
  const size_t count = operands[0].count;
  const std::string type = test::type_text(element, {int64_t(count)});
  std::string op = std::string(def.name);
  std::vector<const Array*> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    op += (i == 0 ? " $" : ", $") + std::to_string(i);
    inputs.push_back(&operands[i]);
  }
  const std::string text =
      test::op_kernel(std::vector<std::string>(operands.size(), type),
                      test::type_text(result, {int64_t(count)}), op + attribute_text(attributes));
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
  std::vector<ElementType> elements(std::begin(test::kIntegerTypes), std::end(test::kIntegerTypes));
  elements.insert(elements.end(), std::begin(test::kFloatTypes), std::end(test::kFloatTypes));
  elements.push_back(ElementType::Bool);
  size_t ops = 0, ran = 0;
  for (const OpDef* def : all_ops()) {
    if (def->element_function == nullptr || kTestedElsewhere.count(def->name) != 0) continue;
    ++ops;
    size_t types = 0;
    for (ElementType element : elements) {
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
