// Stand-ins with the names and signatures of real ops, so that the tests of ir/ hold whatever ops
// the registry has.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "pallasite/ir/op_def.h"

namespace pallasite {

namespace test_op {

inline std::vector<Type> infer_first_operand(const Module& module, const Op& op) {
  return {module.value(op.operands[0]).type};
}

inline std::vector<Type> infer_i32(const Module&, const Op&) {
  return {Type::array(ElementType::S32)};
}

inline void verify_yields(VerifyContext& context, const Op& op) {
  if (op.operands.size() > 4) context.error("more than 4 values");
}

inline const OpDef kArithRem = {
    .name = "arith.rem",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "y", .kind = OperandKind::Array}},
    .pure = true,
    .infer = infer_first_operand,
};

inline const OpDef kBarrierWait = {
    .name = "barrier.wait",
    .operands = {{.name = "barrier", .kind = OperandKind::Barrier}},
};

inline const OpDef kControlCall = {
    .name = "control.call",
    .operands = {{.name = "args", .variadic = true}},
    .attributes = {{.name = "callee", .kind = AttributeKind::String}},
};

inline const OpDef kControlCond = {
    .name = "control.cond",
    .operands = {{.name = "index", .kind = OperandKind::Scalar}},
    .regions = kDynamic,
};

inline const OpDef kControlYield = {
    .name = "control.yield",
    .operands = {{.name = "values", .variadic = true}},
    .terminator = true,
    .verify = verify_yields,
};

inline const OpDef kCopyStart = {
    .name = "copy.start",
    .operands = {{.name = "src", .kind = OperandKind::Ref},
                 {.name = "predicate", .kind = OperandKind::Predicate, .optional = true}},
};

inline const OpDef kScopeRunScoped = {
    .name = "scope.run_scoped",
    .attributes = {{.name = "collective_axes", .kind = AttributeKind::Strings}},
    .regions = 1,
};

inline const OpDef kTestAttributes = {
    .name = "test.attributes",
    .attributes = {{.name = "bool", .kind = AttributeKind::Bool, .required = false},
                   {.name = "bytes", .kind = AttributeKind::Bytes, .required = false},
                   {.name = "float", .kind = AttributeKind::Float, .required = false},
                   {.name = "int", .kind = AttributeKind::Int, .required = false},
                   {.name = "ints", .kind = AttributeKind::Ints, .required = false},
                   {.name = "string", .kind = AttributeKind::String, .required = false},
                   {.name = "strings", .kind = AttributeKind::Strings, .required = false}},
};

inline const OpDef kTestFree = {
    .name = "test.free",
    .operands = {{.name = "values", .variadic = true}},
};

inline const OpDef kThreadAxisIndex = {
    .name = "thread.axis_index",
    .attributes = {{.name = "axis", .kind = AttributeKind::String}},
    .pure = true,
    .infer = infer_i32,
};

}  // namespace test_op

// Sorted by name, of `preferred` and the stand-ins whose names it does not have.
inline std::vector<const OpDef*> with_stand_ins(std::span<const OpDef* const> preferred) {
  using namespace test_op;
  std::vector<const OpDef*> all(preferred.begin(), preferred.end());
  for (const OpDef* def :
       {&kArithRem, &kBarrierWait, &kControlCall, &kControlCond, &kControlYield, &kCopyStart,
        &kScopeRunScoped, &kTestAttributes, &kTestFree, &kThreadAxisIndex}) {
    auto is_it = [&](const OpDef* other) { return other->name == def->name; };
    if (std::ranges::none_of(all, is_it)) all.push_back(def);
  }
  std::ranges::sort(all, {}, &OpDef::name);
  return all;
}

// The view ops and all stand-ins.
inline std::span<const OpDef* const> test_ops() {
  static const std::vector<const OpDef*> ops = [] {
    std::vector<const OpDef*> views;
    for (std::string_view name :
         {"view.index", "view.reshape", "view.transpose", "view.unswizzle", "view.untile"}) {
      views.push_back(find_op_def(name));
    }
    return with_stand_ins(views);
  }();
  return ops;
}

}  // namespace pallasite
