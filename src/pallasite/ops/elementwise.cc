#include "pallasite/ops/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace pallasite {
namespace {

// Elements that are widened at a time: the buffers stay in the L1 cache and on the stack.
constexpr size_t kBlock = 512;
constexpr int kMaxArity = 3;

void widened_loop(void* out, const void* const* inputs, size_t count, const void* immediate) {
  const auto& widened = *static_cast<const WidenedLoop*>(immediate);
  const size_t bytes = register_bytes(widened.element);
  const size_t result_bytes = widened.test ? 1 : bytes;
  float wide[kMaxArity][kBlock];
  float wide_result[kBlock];
  const void* wide_inputs[kMaxArity] = {};
  for (int k = 0; k < widened.arity; ++k) {
    wide_inputs[k] = wide[k];
    if ((widened.scalar_inputs >> k & 1) != 0)
      convert(widened.element, inputs[k], ElementType::F32, wide[k], 1);
  }
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t n = std::min(kBlock, count - i);
    for (int k = 0; k < widened.arity; ++k) {
      if ((widened.scalar_inputs >> k & 1) != 0) continue;
      const auto* codes = static_cast<const std::byte*>(inputs[k]) + i * bytes;
      convert(widened.element, codes, ElementType::F32, wide[k], n);
    }
    auto* target = static_cast<std::byte*>(out) + i * result_bytes;
    if (widened.test) {
      widened.f32_loop(target, wide_inputs, n, widened.immediate.get());
    } else {
      widened.f32_loop(wide_result, wide_inputs, n, widened.immediate.get());
      convert(ElementType::F32, wide_result, widened.element, target, n);
    }
  }
}

std::string domain_name(unsigned domain) {
  std::string name;
  const auto add = [&](unsigned kind, const char* kind_name) {
    if ((domain & kind) == 0) return;
    if (!name.empty()) name += " or ";
    name += kind_name;
  };
  add(kBools, "bool");
  add(kIntegers, "integer");
  add(kFloats, "float");
  return name;
}

}  // namespace

bool in_domain(unsigned domain, ElementType element) {
  if (element == ElementType::Bool) return (domain & kBools) != 0;
  return (domain & (is_float(element) ? kFloats : kIntegers)) != 0;
}

ElementFunction widened_function(WidenedLoop widened) {
  PALLASITE_CHECK(widened.arity <= kMaxArity);
  ElementFunction function;
  function.kernel.loop = widened_loop;
  function.scalar_inputs = widened.scalar_inputs;
  function.immediate = std::make_shared<const WidenedLoop>(std::move(widened));
  return function;
}

std::vector<Type> infer_first_operand(const Module& module, const Op& op) {
  return {module.value(op.operands[0]).type};
}

std::vector<Type> infer_test(const Module& module, const Op& op) {
  return {Type::array(ElementType::Bool, module.value(op.operands[0]).type.shape)};
}

void verify_one_type(VerifyContext& context, const Op& op, unsigned domain) {
  const Type& first = context.module().value(op.operands[0]).type;
  for (ValueId operand : op.operands) {
    const Type& type = context.module().value(operand).type;
    if (type == first) continue;
    context.error(fmt::format("operands of `{}` differ in type: {} and {}", op.def->name,
                              to_string(first), to_string(type)));
    return;
  }
  if (!in_domain(domain, first.element))
    context.error(fmt::format("`{}` takes {} elements, not {}", op.def->name, domain_name(domain),
                              element_name(first.element)));
}

void compile_elementwise(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  std::vector<Type> operands;
  for (ValueId operand : op.operands) operands.push_back(compiler.type(operand));
  const ElementFunction function = op.def->element_function(
      {.operands = operands, .result = compiler.result_type(id), .attributes = op.attributes});
  if (function.immediate != nullptr) compiler.program().payloads.push_back(function.immediate);
  compiler.emit_elementwise(id, function.kernel, function.immediate.get(), function.scalar_inputs);
}

}  // namespace pallasite
