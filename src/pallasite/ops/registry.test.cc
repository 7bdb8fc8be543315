#include <gtest/gtest.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"
#include "pallasite/ir/printer.h"
#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

TEST(Registry, IsSortedAndFindsEachOp) {
  std::span<const OpDef* const> ops = all_ops();
  ASSERT_FALSE(ops.empty());
  EXPECT_TRUE(std::ranges::is_sorted(ops, {}, &OpDef::name)) << "sort ops.def by the ops' names";
  for (size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(find_op_def(ops[i]->name), ops[i]);
    EXPECT_TRUE(i == 0 || ops[i - 1]->name != ops[i]->name) << ops[i]->name;
  }
  EXPECT_EQ(find_op_def("no.such_op"), nullptr);
  EXPECT_EQ(find_op_def(""), nullptr);
}

// What the verifier takes for granted of a signature.
TEST(Registry, SignaturesAreInOrder) {
  for (const OpDef* def : all_ops()) {
    EXPECT_NE(def->name.find('.'), std::string_view::npos) << def->name;
    bool optional_before = false;
    for (size_t i = 0; i < def->operands.size(); ++i) {
      const OperandSpec& operand = def->operands[i];
      bool is_last = i + 1 == def->operands.size();
      EXPECT_TRUE(!operand.variadic || is_last) << def->name << " " << operand.name;
      EXPECT_TRUE(operand.optional || operand.variadic || !optional_before)
          << def->name << " " << operand.name;
      optional_before |= operand.optional;
    }
    for (const EffectSpec& effect : def->effects) {
      bool names_operand = std::ranges::any_of(
          def->operands, [&](const OperandSpec& spec) { return spec.name == effect.operand; });
      EXPECT_TRUE(effect.operand.empty() || names_operand) << def->name << " " << effect.operand;
    }
    EXPECT_TRUE(!def->pure || def->effects.empty()) << def->name;
  }
}

class EveryOp : public testing::TestWithParam<const OpDef*> {};

TEST_P(EveryOp, IsExplained) {
  const OpDef& def = *GetParam();
  EXPECT_FALSE(def.help.empty());
  EXPECT_FALSE(def.source.empty());
  EXPECT_FALSE(def.example.empty());
  for (const AttributeSpec& attribute : def.attributes)
    EXPECT_FALSE(attribute.name.empty()) << def.name;
  for (const OperandSpec& operand : def.operands) EXPECT_FALSE(operand.name.empty()) << def.name;
}

TEST_P(EveryOp, HasAnExampleThatUsesItAndPrintsBack) {
  const OpDef& def = *GetParam();
  const ParseResult parsed = parse_module(def.example, "example.pir");
  ASSERT_NE(parsed.module, nullptr) << render_plain(parsed.diagnostics.at(0));
  EXPECT_EQ(print_module(*parsed.module), def.example);
  bool used = false;
  for (uint32_t i = 0; i < parsed.module->num_ops(); ++i)
    used = used || parsed.module->op(OpId(i)).def == &def;
  EXPECT_TRUE(used);
  for (const KernelParameter& parameter : parsed.module->kernel.parameters)
    EXPECT_EQ(parameter.role, KernelParameter::Role::Output) << "an example has no inputs";
}

TEST_P(EveryOp, RunsItsExampleCleanWithTheSameBitsAtBothLevels) {
  const OpDef& def = *GetParam();
  ASSERT_FALSE(def.example.empty());
  const test::TextRun fused = test::run_text(def.example, ObservationLevel::Fused);
  const test::TextRun each = test::run_text(def.example, ObservationLevel::EachOp);
  EXPECT_TRUE(fused.clean()) << fused.explain();
  EXPECT_TRUE(each.clean()) << each.explain();
  EXPECT_EQ(fused.buffers, each.buffers);
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, testing::ValuesIn(all_ops().begin(), all_ops().end()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           std::string name(info.param->name);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace pallasite
