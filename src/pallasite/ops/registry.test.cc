#include <gtest/gtest.h>

#include <algorithm>

#include "pallasite/ir/op_def.h"

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

}  // namespace
}  // namespace pallasite
