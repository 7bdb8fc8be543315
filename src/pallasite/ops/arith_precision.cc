// arith.reduce_precision.
#include <fmt/format.h>

#include "pallasite/ops/elementwise.h"

namespace pallasite {
namespace {

// The format that an element has, and what is to be left of it.
struct Reduction {
  int bits = 32;
  int mantissa_bits = 23;
  int exponent_bits = 8;
  int kept_mantissa = 23;
  int kept_exponent = 8;
};

// On the code, so that rounding may carry into the exponent, and a subnormal is rounded as its code
// is.
template <typename Code>
Code reduced(Code code, const Reduction& to) {
  const Code one = 1;
  const Code sign = code & Code(one << (to.bits - 1));
  const Code infinity = Code(((one << to.exponent_bits) - 1) << to.mantissa_bits);
  Code magnitude = code ^ sign;
  if (magnitude > infinity) return code;
  if (to.kept_mantissa < to.mantissa_bits) {
    const int dropped = to.mantissa_bits - to.kept_mantissa;
    const Code last = magnitude >> dropped & 1;
    magnitude += Code((one << (dropped - 1)) - 1 + last);
    magnitude &= Code(~((one << dropped) - 1));
  }
  if (to.kept_exponent < to.exponent_bits) {
    const Code bias = Code((one << (to.exponent_bits - 1)) - 1);
    const Code kept_bias = Code((one << (to.kept_exponent - 1)) - 1);
    const Code exponent = magnitude >> to.mantissa_bits;
    if (exponent > bias + kept_bias) magnitude = infinity;
    if (exponent <= bias - kept_bias) magnitude = 0;
  }
  return sign | magnitude;
}

template <typename Code>
void reduce_loop(void* out, const void* const* inputs, size_t count, const void* immediate) {
  const Reduction to = *static_cast<const Reduction*>(immediate);
  const auto* codes = static_cast<const Code*>(inputs[0]);
  auto* results = static_cast<Code*>(out);
  for (size_t i = 0; i < count; ++i) results[i] = Code(reduced<uint64_t>(codes[i], to));
}

ElementFunction bind_precision(const ElementRequest& request) {
  const ElementInfo& info = element_info(request.operands[0].element);
  Reduction to;
  to.bits = info.storage_bits;
  to.mantissa_bits = info.mantissa_bits;
  to.exponent_bits = info.exponent_bits;
  to.kept_mantissa = int(int_attribute(request.attributes, "mantissa_bits", 23));
  to.kept_exponent = int(int_attribute(request.attributes, "exponent_bits", 8));
  ElementFunction function;
  function.kernel.loop = info.register_bytes == 1   ? reduce_loop<uint8_t>
                         : info.register_bytes == 2 ? reduce_loop<uint16_t>
                         : info.register_bytes == 4 ? reduce_loop<uint32_t>
                                                    : reduce_loop<uint64_t>;
  function.immediate = std::make_shared<const Reduction>(to);
  return function;
}

void verify_precision(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, kFloats);
  const ElementType element = context.module().value(op.operands[0]).type.element;
  if (is_float(element) && element_info(element).specials != FloatSpecials::Ieee)
    context.error(
        fmt::format("`arith.reduce_precision` takes IEEE formats, not {}", element_name(element)));
  const int64_t exponent = int_attribute(op.attributes, "exponent_bits", 0);
  const int64_t mantissa = int_attribute(op.attributes, "mantissa_bits", 0);
  if (exponent < 1 || exponent > 64 || mantissa < 0 || mantissa > 64)
    context.error("at least one bit of exponent, no fewer than 0 of mantissa, at most 64 of each");
}

}  // namespace

extern const OpDef kArithReducePrecision = {
    .name = "arith.reduce_precision",
    .operands = {{.name = "x", .kind = OperandKind::Array}},
    .attributes = {{.name = "exponent_bits", .kind = AttributeKind::Int, .help = "at least 1"},
                   {.name = "mantissa_bits", .kind = AttributeKind::Int, .help = "at least 0"}},
    .pure = true,
    .infer = infer_first_operand,
    .verify = verify_precision,
    .compile = compile_elementwise,
    .element_function = bind_precision,
    .primitives = {"reduce_precision"},
    .help =
        "The nearest value that a float with fewer bits has, ties to even. What is too large "
        "becomes infinite, what is below its normal numbers becomes zero.",
    .example = PALLASITE_UNARY_EXAMPLE_WITH("arith.reduce_precision",
                                            "{exponent_bits = 5, mantissa_bits = 2}", "f32", "f32"),
    .source = "jax.lax.reduce_precision",
};

}  // namespace pallasite
