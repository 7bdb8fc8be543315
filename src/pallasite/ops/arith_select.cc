// Elementwise ops whose operands may have rank 0 beside arrays: clamp and select_n.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

struct Clamp : ElementFunctor<3, kNumbers> {
  template <typename L, typename T>
  static T apply(T low, T x, T high) {
    return element_min(element_max(low, x), high);
  }
};

bool is_scalar_beside(const ElementRequest& request, size_t operand) {
  return request.operands[operand].is_scalar() && !request.result.is_scalar();
}

ElementFunction bind_clamp(const ElementRequest& request) {
  const bool low = is_scalar_beside(request, 0);
  const bool high = is_scalar_beside(request, 2);
  if (low && high) return element_function_of<Clamp, 0b101>(request);
  if (low) return element_function_of<Clamp, 0b001>(request);
  if (high) return element_function_of<Clamp, 0b100>(request);
  return element_function_of<Clamp>(request);
}

std::vector<Type> infer_second_operand(const Module& module, const Op& op) {
  return {module.value(op.operands[1]).type};
}

void verify_clamp(VerifyContext& context, const Op& op) {
  const Type& x = context.module().value(op.operands[1]).type;
  if (!in_domain(kNumbers, x.element)) context.error("`arith.clamp` takes numbers, not bool");
  for (size_t i : {0, 2}) {
    const Type& bound = context.module().value(op.operands[i]).type;
    if (bound != x && bound != Type::array(x.element))
      context.error(
          fmt::format("a bound of `arith.clamp` is {} beside {}; it is of the same type "
                      "or a scalar",
                      to_string(bound), to_string(x)));
  }
}

// True takes case 1. Works on the bits of elements of any type.
template <typename Bits>
struct SelectLoops {
  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count) {
    const auto* which = static_cast<const uint8_t*>(inputs[0]);
    const auto* on_false = static_cast<const Bits*>(inputs[1]);
    const auto* on_true = static_cast<const Bits*>(inputs[2]);
    auto* result = static_cast<Bits*>(out);
    PALLASITE_INDEPENDENT_ITERATIONS
    for (size_t i = 0; i < count; ++i) {
      const Bits x = on_false[i], y = on_true[i];
      result[i] = which[i] != 0 ? y : x;
    }
  }
  static void portable(void* out, const void* const* inputs, size_t count, const void*) {
    body(out, inputs, count);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static void avx2(void* out, const void* const* inputs, size_t count,
                                           const void*) {
    body(out, inputs, count);
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] static void avx512(
      void* out, const void* const* inputs, size_t count, const void*) {
    body(out, inputs, count);
  }
#endif
  static Step scalar(Thread& thread, const Instruction& instruction) {
    const bool which = thread.at<uint8_t>(instruction.a) != 0;
    thread.at<Bits>(instruction.d) = thread.at<Bits>(which ? instruction.c : instruction.b);
    return Step::Next;
  }
  static ElementwiseKernel kernel(LoopPath path) {
    return {.loop = choose_loop<SelectLoops>(path), .scalar = scalar};
  }
};

// Any number of cases, any kind of `which`.
struct SelectPlan {
  size_t cases = 0;
  bool which_is_bool = false;
  bool which_is_scalar = false;
};

// An index out of range takes the nearest case.
size_t selected_case(const SelectPlan& plan, const void* which, size_t i) {
  const int64_t index = plan.which_is_bool ? int64_t(static_cast<const uint8_t*>(which)[i])
                                           : int64_t(static_cast<const int32_t*>(which)[i]);
  return size_t(std::clamp<int64_t>(index, 0, int64_t(plan.cases) - 1));
}

template <typename Bits>
void select_any_loop(void* out, const void* const* inputs, size_t count, const void* immediate) {
  const auto& plan = *static_cast<const SelectPlan*>(immediate);
  auto* result = static_cast<Bits*>(out);
  if (plan.which_is_scalar) {
    std::memmove(out, inputs[1 + selected_case(plan, inputs[0], 0)], count * sizeof(Bits));
    return;
  }
  for (size_t i = 0; i < count; ++i)
    result[i] = static_cast<const Bits*>(inputs[1 + selected_case(plan, inputs[0], i)])[i];
}

template <typename Bits>
ElementFunction bind_select_of(const ElementRequest& request) {
  const SelectPlan plan = {.cases = request.operands.size() - 1,
                           .which_is_bool = request.operands[0].element == ElementType::Bool,
                           .which_is_scalar = is_scalar_beside(request, 0)};
  if (plan.cases == 2 && plan.which_is_bool && !plan.which_is_scalar)
    return {.kernel = SelectLoops<Bits>::kernel(request.path)};
  return {.kernel = {.loop = select_any_loop<Bits>},
          .immediate = std::make_shared<const SelectPlan>(plan),
          .scalar_inputs = plan.which_is_scalar ? 1u : 0u};
}

ElementFunction bind_select(const ElementRequest& request) {
  switch (register_bytes(request.result.element)) {
    case 1:
      return bind_select_of<uint8_t>(request);
    case 2:
      return bind_select_of<uint16_t>(request);
    case 4:
      return bind_select_of<uint32_t>(request);
    default:
      return bind_select_of<uint64_t>(request);
  }
}

void verify_select(VerifyContext& context, const Op& op) {
  const auto type = [&](size_t i) -> const Type& {
    return context.module().value(op.operands[i]).type;
  };
  if (op.operands.size() < 2) {
    context.error("`arith.select_n` has no case to select");
    return;
  }
  if (type(0).element != ElementType::Bool && type(0).element != ElementType::S32)
    context.error("`which` of `arith.select_n` is bool or i32, not " + to_string(type(0)));
  if (type(0).element == ElementType::Bool && op.operands.size() > 3)
    context.error("a bool selects between two cases at most");
  if (!type(0).is_scalar() && type(0).shape != type(1).shape)
    context.error(
        fmt::format("`which` of `arith.select_n` is {} beside {}; it has the same shape "
                    "or is a scalar",
                    to_string(type(0)), to_string(type(1))));
  for (size_t i = 2; i < op.operands.size(); ++i) {
    if (type(i) == type(1)) continue;
    context.error(fmt::format("cases of `arith.select_n` differ in type: {} and {}",
                              to_string(type(1)), to_string(type(i))));
    return;
  }
}

std::vector<Type> infer_select(const Module& module, const Op& op) {
  if (op.operands.size() < 2) return {};
  return infer_second_operand(module, op);
}

}  // namespace

extern const OpDef kArithClamp = {
    .name = "arith.clamp",
    .operands = {{.name = "lo", .kind = OperandKind::Array},
                 {.name = "x", .kind = OperandKind::Array},
                 {.name = "hi", .kind = OperandKind::Array}},
    .pure = true,
    .infer = infer_second_operand,
    .verify = verify_clamp,
    .compile = compile_elementwise,
    .element_function = bind_clamp,
    .primitives = {"clamp"},
    .help =
        "min(max(lo, x), hi): where the bounds cross, the upper one holds. A NaN in any of the "
        "three gives NaN. Each bound is an array of x's type or a scalar.",
    .example = PALLASITE_EXAMPLE("f32[8]",
                                 "    %1 = shape.iota {dimension = 0} : f32[8]\n"
                                 "    %2 = arith.clamp f32(1.5), %1, f32(5.0) : f32[8]\n"
                                 "    memory.store %0, %2\n"),
    .source = "jax.lax.clamp",
};

extern const OpDef kArithSelectN = {
    .name = "arith.select_n",
    .operands = {{.name = "which", .kind = OperandKind::Array},
                 {.name = "cases", .kind = OperandKind::Array, .variadic = true}},
    .pure = true,
    .infer = infer_select,
    .verify = verify_select,
    .compile = compile_elementwise,
    .element_function = bind_select,
    .primitives = {"select_n"},
    .help =
        "Takes each element from the case that `which` names: false the first, true the second, "
        "or by number. A number out of range takes the nearest case. All cases are computed.",
    .example =
        PALLASITE_EXAMPLE("i32[8]",
                          "    %1 = shape.iota {dimension = 0} : i32[8]\n"
                          "    %2 = arith.neg %1 : i32[8]\n"
                          "    %3 = shape.broadcast_in_dim i32(4) {dimensions = []} : i32[8]\n"
                          "    %4 = arith.lt %1, %3 : bool[8]\n"
                          "    %5 = arith.select_n %4, %1, %2 : i32[8]\n"
                          "    memory.store %0, %5\n"),
    .source = "jax.lax.select_n",
};

}  // namespace pallasite
