// Printing from a kernel.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "pallasite/ir/op_def.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

struct PrintedValue {
  Slot slot;
  Type type;
};

struct PrintPayload {
  // The text between the values; one more than there are values.
  std::vector<std::string> pieces;
  std::vector<PrintedValue> values;
};

// As Python prints the number.
std::string number_text(ElementType type, const std::byte* element) {
  const ElementInfo& info = element_info(type);
  if (info.is_bool) return *element != std::byte{0} ? "True" : "False";
  if (info.is_float) {
    std::string text;
    double value = 0;
    if (type == ElementType::F64) {
      std::memcpy(&value, element, sizeof value);
      text = fmt::format("{}", value);
    } else {
      float narrow = 0;
      convert(type, element, ElementType::F32, &narrow, 1);
      value = narrow;
      text = fmt::format("{}", narrow);
    }
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (info.is_signed) {
    int64_t value = 0;
    convert(type, element, ElementType::S64, &value, 1);
    return std::to_string(value);
  }
  uint64_t value = 0;
  convert(type, element, ElementType::U64, &value, 1);
  return std::to_string(value);
}

void append_array(std::string& text, const Type& type, size_t dim, const std::byte*& element) {
  if (dim == type.shape.size()) {
    text += number_text(type.element, element);
    element += register_bytes(type.element);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < type.shape[dim]; ++i) {
    if (i > 0) text += ", ";
    append_array(text, type, dim + 1, element);
  }
  text += ']';
}

Step exec_print(Thread& thread, const Instruction& in) {
  const auto& payload = *static_cast<const PrintPayload*>(in.payload);
  std::string text = payload.pieces[0];
  for (size_t i = 0; i < payload.values.size(); ++i) {
    const std::byte* element = thread.pointer(payload.values[i].slot);
    append_array(text, payload.values[i].type, 0, element);
    text += payload.pieces[i + 1];
  }
  thread.machine().state().prints.push_back({thread.index(), std::move(text)});
  return Step::Next;
}

// Splits a format at its `{}`; `{{` and `}}` stand for braces. False if it has anything else.
bool split_format(std::string_view format, std::vector<std::string>& pieces) {
  pieces.assign(1, "");
  for (size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c != '{' && c != '}') {
      pieces.back() += c;
      continue;
    }
    if (i + 1 >= format.size()) return false;
    const char next = format[++i];
    if (next == c) {
      pieces.back() += c;
    } else if (c == '{' && next == '}') {
      pieces.emplace_back();
    } else {
      return false;
    }
  }
  return true;
}

void verify_print(VerifyContext& context, const Op& op) {
  std::vector<std::string> pieces;
  if (!split_format(string_attribute(op.attributes, "format"), pieces)) {
    return context.error("the format has braces that are neither {}, {{ nor }}");
  }
  if (pieces.size() != op.operands.size() + 1) {
    context.error(fmt::format("the format has {} holes for {} values", pieces.size() - 1,
                              op.operands.size()));
  }
}

void compile_print(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  PrintPayload payload;
  split_format(string_attribute(op.attributes, "format"), payload.pieces);
  for (ValueId value : op.operands) {
    payload.values.push_back({compiler.use(value), compiler.type(value)});
  }
  compiler.emit(id, exec_print, compiler.payload(std::move(payload)), true);
}

}  // namespace

extern const OpDef kDebugPrint = {
    .name = "debug.print",
    .operands = {{.name = "values", .kind = OperandKind::Array, .variadic = true}},
    .attributes = {{"format", AttributeKind::String, true, "text with a {} for each value"}},
    .effects = {{EffectAction::Output}},
    .verify = verify_print,
    .compile = compile_print,
    .primitives = {"debug_print"},
    .help = "Prints values. Lines come in the order of the clusters, then of the run.",
    .example = R"(pir 1

kernel @example {
  grid = [2] ["x"]
  body {
    %0 = thread.axis_index {axis = "x"} : i32
    debug.print %0 {format = "block {}"}
    control.yield
  }
}
)",
    .source = "pl.debug_print",
};

}  // namespace pallasite
