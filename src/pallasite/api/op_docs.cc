#include "pallasite/api/op_docs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pallasite {

namespace {

using Json = nlohmann::ordered_json;

std::string_view text_of(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Bool:
      return "bool";
    case AttributeKind::Int:
      return "integer";
    case AttributeKind::Float:
      return "float";
    case AttributeKind::String:
      return "string";
    case AttributeKind::Ints:
      return "integers";
    case AttributeKind::Strings:
      return "strings";
    case AttributeKind::Bytes:
      return "bytes";
  }
  return "";
}

Json op_json(const OpDef& def) {
  Json operands = Json::array();
  for (const OperandSpec& operand : def.operands) {
    operands.push_back(
        {{"name", operand.name}, {"optional", operand.optional}, {"variadic", operand.variadic}});
  }
  Json attributes = Json::array();
  for (const AttributeSpec& attribute : def.attributes) {
    attributes.push_back({{"name", attribute.name},
                          {"kind", text_of(attribute.kind)},
                          {"required", attribute.required},
                          {"help", attribute.help}});
  }
  return {{"name", def.name},
          {"signature", op_signature(def)},
          {"operands", operands},
          {"attributes", attributes},
          {"primitives", def.primitives},
          {"help", def.help},
          {"example", def.example},
          {"source", def.source}};
}

}  // namespace

std::string op_signature(const OpDef& def) {
  std::string text(def.name);
  std::string list;
  for (const OperandSpec& operand : def.operands) {
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", operand.name,
                        operand.variadic   ? "..."
                        : operand.optional ? "?"
                                           : "");
  }
  if (!list.empty()) text += " (" + list + ")";
  list.clear();
  for (const AttributeSpec& attribute : def.attributes) {
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", attribute.name,
                        attribute.required ? "" : "?");
  }
  if (!list.empty()) text += " {" + list + "}";
  return text;
}

std::string op_text(const OpDef& def) {
  std::string text = op_signature(def) + "\n\n" + std::string(def.help) + "\n";
  if (!def.attributes.empty()) text += "\nAttributes:\n";
  for (const AttributeSpec& attribute : def.attributes) {
    text += fmt::format("  {} ({}{}){}{}\n", attribute.name, text_of(attribute.kind),
                        attribute.required ? "" : ", optional", attribute.help.empty() ? "" : ": ",
                        attribute.help);
  }
  if (!def.primitives.empty()) {
    text += fmt::format("\nFrom JAX: {}\n", fmt::join(def.primitives, ", "));
  }
  if (!def.source.empty()) text += fmt::format("Source: {}\n", def.source);
  if (!def.example.empty()) text += fmt::format("\nExample:\n\n{}", def.example);
  return text;
}

std::string op_to_json(const OpDef& def) {
  return op_json(def).dump();
}

std::string ops_to_json() {
  Json list = Json::array();
  for (const OpDef* def : all_ops()) list.push_back(op_json(*def));
  return list.dump();
}

}  // namespace pallasite
