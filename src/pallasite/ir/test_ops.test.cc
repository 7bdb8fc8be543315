#include "pallasite/ir/test_ops.h"

#include <algorithm>
#include <vector>

namespace pallasite {

namespace {

std::vector<Type> infer_first_operand(const Module& module, const Op& op) {
  return {module.value(op.operands[0]).type};
}

std::vector<Type> infer_i32(const Module&, const Op&) {
  return {Type::array(ElementType::S32)};
}

void verify_yields(VerifyContext& context, const Op& op) {
  if (op.operands.size() > 4) context.error("more than 4 values");
}

const OpDef kArithRem = {
    .name = "arith.rem",
    .operands = {{.name = "x", .kind = OperandKind::Array},
                 {.name = "y", .kind = OperandKind::Array}},
    .pure = true,
    .infer = infer_first_operand,
};

const OpDef kBarrierWait = {
    .name = "barrier.wait",
    .operands = {{.name = "barrier", .kind = OperandKind::Barrier}},
};

const OpDef kControlCall = {
    .name = "control.call",
    .operands = {{.name = "args", .variadic = true}},
    .attributes = {{.name = "callee", .kind = AttributeKind::String}},
};

const OpDef kControlCond = {
    .name = "control.cond",
    .operands = {{.name = "index", .kind = OperandKind::Scalar}},
    .regions = kDynamic,
};

const OpDef kControlYield = {
    .name = "control.yield",
    .operands = {{.name = "values", .variadic = true}},
    .terminator = true,
    .verify = verify_yields,
};

const OpDef kCopyStart = {
    .name = "copy.start",
    .operands = {{.name = "src", .kind = OperandKind::Ref},
                 {.name = "predicate", .kind = OperandKind::Predicate, .optional = true}},
};

const OpDef kScopeRunScoped = {
    .name = "scope.run_scoped",
    .attributes = {{.name = "collective_axes", .kind = AttributeKind::Strings}},
    .regions = 1,
};

const OpDef kTestAttributes = {
    .name = "test.attributes",
    .attributes = {{.name = "bool", .kind = AttributeKind::Bool, .required = false},
                   {.name = "bytes", .kind = AttributeKind::Bytes, .required = false},
                   {.name = "float", .kind = AttributeKind::Float, .required = false},
                   {.name = "int", .kind = AttributeKind::Int, .required = false},
                   {.name = "ints", .kind = AttributeKind::Ints, .required = false},
                   {.name = "string", .kind = AttributeKind::String, .required = false},
                   {.name = "strings", .kind = AttributeKind::Strings, .required = false}},
};

const OpDef kTestFree = {
    .name = "test.free",
    .operands = {{.name = "values", .variadic = true}},
};

const OpDef kThreadAxisIndex = {
    .name = "thread.axis_index",
    .attributes = {{.name = "axis", .kind = AttributeKind::String}},
    .pure = true,
    .infer = infer_i32,
};

}  // namespace

std::span<const OpDef* const> test_ops() {
  static const std::vector<const OpDef*> ops = [] {
    std::vector<const OpDef*> all = {
        &kArithRem,  &kBarrierWait,    &kControlCall,    &kControlCond, &kControlYield,
        &kCopyStart, &kScopeRunScoped, &kTestAttributes, &kTestFree,    &kThreadAxisIndex};
    for (std::string_view name :
         {"view.index", "view.reshape", "view.transpose", "view.unswizzle", "view.untile"}) {
      all.push_back(find_op_def(name));
    }
    return all;
  }();
  return ops;
}

}  // namespace pallasite
