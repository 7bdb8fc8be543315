// All elementwise ops of the table with operands for each, for tests that loop over them.
#pragma once

#include <map>

#include "pallasite/ops/run_text.h"

namespace pallasite::test {

// Attributes that an op cannot do without.
inline const std::map<std::string_view, Attributes>& required_attributes() {
  static const std::map<std::string_view, Attributes> all = {
      {"arith.integer_pow", {{"y", int64_t{-3}}}},
      {"arith.reduce_precision", {{"exponent_bits", int64_t{5}}, {"mantissa_bits", int64_t{7}}}},
      {"arith.round", {{"method", std::string("away")}}},
  };
  return all;
}

inline Attributes attributes_of(const OpDef& def) {
  const auto found = required_attributes().find(def.name);
  return found == required_attributes().end() ? Attributes() : found->second;
}

inline std::string attribute_text(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    text += text.empty() ? " {" : ", ";
    text += std::string(name) + " = ";
    if (const auto* number = std::get_if<int64_t>(&value)) text += std::to_string(*number);
    if (const auto* word = std::get_if<std::string>(&value)) text += "\"" + *word + "\"";
  }
  return text.empty() ? text : text + "}";
}

inline std::vector<Array> operands_of(const OpDef& def, ElementType element) {
  std::vector<Array> operands;
  if (def.operands.size() == 1) {
    operands.push_back(adversarial_array(element));
    return operands;
  }
  auto [x, y] = adversarial_pairs(element, element);
  // Of three operands the third is the first, moved on by a few.
  if (def.operands.size() == 3) {
    Array z(element, x.count);
    for (size_t i = 0; i < x.count; ++i) z.set_bits(i, x.bits((i + 7) % x.count));
    operands.push_back(std::move(z));
  }
  operands.push_back(std::move(x));
  operands.push_back(std::move(y));
  return operands;
}

inline std::vector<ElementType> all_elements() {
  std::vector<ElementType> elements;
  for (ElementType element : kIntegerTypes) elements.push_back(element);
  for (ElementType element : kFloatTypes) elements.push_back(element);
  elements.push_back(ElementType::Bool);
  return elements;
}

}  // namespace pallasite::test
