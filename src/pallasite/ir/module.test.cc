#include "pallasite/ir/module.h"

#include <gtest/gtest.h>

#include "pallasite/base/check.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/printer.h"
#include "pallasite/ir/test_ops.h"

namespace pallasite {
namespace {

constexpr std::string_view kText = R"(pir 1

func @"a/0" (%0: i32) -> (i32) {
  %1 = arith.rem %0, i32(2) : i32
  control.yield %1
}

kernel @k {
  grid = [] []
  body {
    %0 = thread.axis_index {axis = "x"} : i32
    control.cond %0 {
      test.free
      control.yield
    } {
      %1 = arith.rem %0, %0 : i32
      test.free %1, %0
      control.yield
    }
    test.free %0
    control.yield
  }
}
)";

std::unique_ptr<Module> parsed(std::string_view text = kText) {
  ParseResult result = parse_module(text, "k.pir", test_ops());
  return std::move(result.module);
}

const OpDef* def_named(std::string_view name) {
  for (const OpDef* def : test_ops()) {
    if (def->name == name) return def;
  }
  return nullptr;
}

std::string body_of(const Module& module) {
  std::string text = print_module(module);
  size_t start = text.find("  body {\n") + 9;
  return text.substr(start, text.rfind("  }\n}") - start);
}

TEST(Module, PathsOfOps) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  for (uint32_t i = 0; i < module->num_ops(); ++i) {
    EXPECT_EQ(module->find_op(module->op_path(OpId(i))), OpId(i));
  }
  EXPECT_EQ(module->op(*module->find_op("kernel/1.1/0")).def->name, "arith.rem");
  EXPECT_EQ(module->op(*module->find_op("@\"a/0\"/1")).def->name, "control.yield");
  for (const char* path : {"", "kernel", "kernel/", "kernel/4", "kernel/0.0/0", "kernel/1.2/0",
                           "kernel/1.1", "kernel/1.1/", "kernel/1.1/3", "kernel/1/1", "kernel/-1",
                           "kernel/0x", "kernel/99999999999", "@a/0", "@\"a/0\"/2", "body/0"}) {
    EXPECT_EQ(module->find_op(path), std::nullopt) << path;
  }
}

TEST(Module, PathsSurvivePrinting) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  std::unique_ptr<Module> again = parsed(print_module(*module));
  ASSERT_TRUE(again);
  for (uint32_t i = 0; i < module->num_ops(); ++i) {
    std::optional<OpId> same = again->find_op(module->op_path(OpId(i)));
    ASSERT_TRUE(same.has_value());
    EXPECT_EQ(again->op(*same).def, module->op(OpId(i)).def);
  }
}

TEST(Module, InsertMoveRemove) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  OpId rem = *module->find_op("kernel/1.1/0");
  OpId use = *module->find_op("kernel/1.1/1");
  OpId cond = *module->find_op("kernel/1");
  ValueId index = module->op(rem).operands[0];
  ValueId result = module->op(rem).results[0];

  EXPECT_THROW(module->remove_op(rem), InternalError);
  EXPECT_TRUE(module->has_uses(result));
  module->replace_uses(result, index);
  EXPECT_FALSE(module->has_uses(result));
  module->move_op(rem, module->kernel.body, 1);
  EXPECT_EQ(module->op_path(rem), "kernel/1");
  EXPECT_EQ(module->op_path(use), "kernel/2.1/0");
  module->insert_op(module->op(cond).regions[0], 0, def_named("arith.rem"), {index, index},
                    {Type::array(ElementType::S32)}, {}, LocationId());
  EXPECT_EQ(body_of(*module), R"(    %0 = thread.axis_index {axis = "x"} : i32
    %1 = arith.rem %0, %0 : i32
    control.cond %0 {
      %2 = arith.rem %0, %0 : i32
      test.free
      control.yield
    } {
      test.free %0, %0
      control.yield
    }
    test.free %0
    control.yield
)");
  module->remove_op(rem);
  EXPECT_EQ(module->op_path(rem), "");
  module->remove_op(cond);
  EXPECT_EQ(module->op_path(use), "");
  // The uses that went with the op count no more.
  module->op(*module->find_op("kernel/1")).operands.clear();
  EXPECT_FALSE(module->has_uses(index));
  EXPECT_EQ(body_of(*module), R"(    %0 = thread.axis_index {axis = "x"} : i32
    test.free
    control.yield
)");
}

// The position is counted before the move.
TEST(Module, MoveWithinARegion) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  OpId first = *module->find_op("kernel/0");
  auto path_after_move_to = [&](size_t position) {
    module->move_op(first, module->kernel.body, position);
    return module->op_path(first);
  };
  EXPECT_EQ(path_after_move_to(3), "kernel/2");
  EXPECT_EQ(path_after_move_to(3), "kernel/2");
  EXPECT_EQ(path_after_move_to(2), "kernel/2");
  EXPECT_EQ(path_after_move_to(4), "kernel/3");
  EXPECT_EQ(path_after_move_to(0), "kernel/0");
  EXPECT_THROW(module->move_op(first, module->kernel.body, 5), InternalError);
}

TEST(Module, ValuesKnowWhereTheyComeFrom) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  OpId op = *module->find_op("@\"a/0\"/0");
  const Value& argument = module->value(module->op(op).operands[0]);
  EXPECT_EQ(argument.region, module->functions()[0].body);
  EXPECT_FALSE(argument.op.valid());
  const Value& literal = module->value(module->op(op).operands[1]);
  EXPECT_EQ(literal.literal, (Literal{ElementType::S32, 2}));
  EXPECT_FALSE(literal.region.valid());
  const Value& result = module->value(module->op(op).results[0]);
  EXPECT_EQ(result.op, op);
  EXPECT_EQ(module->find_function("a/0"), FunctionId(0));
  EXPECT_EQ(module->find_function("b"), std::nullopt);
}

TEST(Module, UsesOfRemovedOpsPrintAsUnknown) {
  std::unique_ptr<Module> module = parsed();
  ASSERT_TRUE(module);
  ValueId stray = module->add_result(*module->find_op("@\"a/0\"/0"), Type::array(ElementType::S32));
  module->op(*module->find_op("kernel/2")).operands = {stray};
  EXPECT_NE(body_of(*module).find("test.free %?"), std::string::npos);
}

TEST(Module, AttributesFallBack) {
  Attributes attributes = {{"b", true},
                           {"i", int64_t{3}},
                           {"l", std::vector<int64_t>{1, 2}},
                           {"s", std::string("text")},
                           {"t", std::vector<std::string>{"a"}}};
  EXPECT_TRUE(bool_attribute(attributes, "b", false));
  EXPECT_FALSE(bool_attribute(attributes, "i", false));
  EXPECT_EQ(int_attribute(attributes, "i", 7), 3);
  EXPECT_EQ(int_attribute(attributes, "b", 7), 7);
  EXPECT_EQ(string_attribute(attributes, "s"), "text");
  EXPECT_EQ(string_attribute(attributes, "none", "else"), "else");
  EXPECT_EQ(ints_attribute(attributes, "l").size(), 2u);
  EXPECT_TRUE(ints_attribute(attributes, "t").empty());
  EXPECT_EQ(strings_attribute(attributes, "t")[0], "a");
  EXPECT_TRUE(strings_attribute(attributes, "l").empty());
  EXPECT_EQ(find_attribute(attributes, "none"), nullptr);
}

}  // namespace
}  // namespace pallasite
