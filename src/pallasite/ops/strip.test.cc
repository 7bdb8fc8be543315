// Every op that can be part of a strip, with every type and on each instruction set: the bits of
// its loop, whatever its operands are.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "pallasite/ops/run_text.h"

namespace pallasite {
namespace {

using test::Array;

std::string hex_of(const Array& array, size_t i) {
  return std::to_string(array.bits(i)) + " (" + std::to_string(array.number(i)) + ")";
}

struct Case {
  const OpDef* def;
  ElementType element;
  LoopPath path;
  const Attributes* attributes;

  ElementFunction function(const std::vector<const Array*>& inputs) const {
    return test::function_of(*def, inputs, element, path, *attributes, int64_t(inputs[0]->count));
  }

  // The strips of `calls`, which end in `out`.
  static Array run(const StripKit& kit, std::vector<StripCall> calls, ElementType element,
                   size_t count) {
    Array out(element, count);
    calls.push_back({kit.store_last, out.data.data()});
    kit.run(calls.data(), 0, count * kit.element_bytes);
    return out;
  }

  void expect(const Array& found, const Array& expected, const Array& x, const Array& y,
              StripForm form) const {
    for (size_t i = 0; i < found.count; ++i) {
      // Of two NaNs it may be either.
      if (x.bits(i) != y.bits(i) && std::isnan(x.number(i)) && std::isnan(y.number(i)) &&
          std::isnan(found.number(i)) && std::isnan(expected.number(i)))
        continue;
      ASSERT_EQ(found.bits(i), expected.bits(i))
          << def->name << " of " << element_name(element) << " path " << int(path) << " form "
          << int(form) << ": " << hex_of(x, i) << ", " << hex_of(y, i) << " gives "
          << hex_of(found, i) << ", not " << hex_of(expected, i);
    }
  }
};

Array repeated(const Array& array, size_t i, size_t count) {
  Array all(array.element, count);
  for (size_t k = 0; k < count; ++k) all.set_bits(k, array.bits(i));
  return all;
}

// Grown to whole strips.
Array padded(const Array& array, size_t elements) {
  Array grown(array.element, (array.count + elements - 1) / elements * elements);
  for (size_t i = 0; i < grown.count; ++i) grown.set_bits(i, array.bits(i % array.count));
  return grown;
}

void run_unary(const Case& c, const StripOp& op) {
  Array x = padded(test::adversarial_array(c.element), op.kit->elements);
  const Array expected = test::run_op(*c.def, {&x}, c.element, c.path, *c.attributes);
  const Array found =
      Case::run(*op.kit, {{op.kit->load, x.data.data()}, {op.form(StripForm::Alone), nullptr}},
                c.element, x.count);
  c.expect(found, expected, x, x, StripForm::Alone);
}

void run_binary(const Case& c, const StripOp& op) {
  using enum StripForm;
  const StripKit& kit = *op.kit;
  const auto [x_pairs, y_pairs] = test::adversarial_pairs(c.element, c.element);
  Array x = padded(x_pairs, kit.elements), y = padded(y_pairs, kit.elements);
  const auto loop = [&](const Array& first, const Array& second) {
    return test::run_op(*c.def, {&first, &second}, c.element, c.path, *c.attributes);
  };
  const auto strips = [&](StripCode begin, Array& value, StripForm form, std::byte* other) {
    return Case::run(kit, {{begin, value.data.data()}, {op.form(form), other}}, c.element, x.count);
  };
  c.expect(strips(kit.load, x, BeforeArray, y.data.data()), loop(x, y), x, y, BeforeArray);
  c.expect(strips(kit.load, x, AfterArray, y.data.data()), loop(y, x), x, y, AfterArray);
  c.expect(strips(kit.load, x, Alone, nullptr), loop(x, x), x, x, Alone);
  // All values of the first one beside each of the second: in the first pairs.
  const size_t step = test::adversarial_bits(c.element).size();
  for (size_t k = 0; k < step; ++k) {
    const Array all = repeated(y, k, x.count);
    std::byte* scalar = y.data.data() + k * kit.element_bytes;
    c.expect(strips(kit.load, x, BeforeScalar, scalar), loop(x, all), x, all, BeforeScalar);
    c.expect(strips(kit.load, x, AfterScalar, scalar), loop(all, x), x, all, AfterScalar);
    if (k % 8 != 0) continue;
    Array one = repeated(y, k, 1);
    c.expect(strips(kit.repeat, one, BeforeArray, x.data.data()), loop(all, x), all, x,
             BeforeArray);
  }
}

bool takes(const OpDef& def, ElementType element) {
  const std::string type = test::type_text(element, {16});
  std::string op = std::string(def.name);
  for (size_t i = 0; i < def.operands.size(); ++i)
    op += (i == 0 ? " $" : ", $") + std::to_string(i);
  return test::run_text(test::op_kernel(std::vector(def.operands.size(), type), type, op),
                        ObservationLevel::Fused)
      .finished;
}

TEST(Strip, EveryOpGivesTheBitsOfItsLoop) {
  std::map<std::string, int> types_of;
  const Attributes none;
  for (const OpDef* def : all_ops()) {
    const size_t arity = def->operands.size();
    if (def->element_function == nullptr || !def->attributes.empty() || arity > 2) continue;
    for (ElementType element : {ElementType::F32, ElementType::F64, ElementType::S32,
                                ElementType::U32, ElementType::S64, ElementType::U64}) {
      if (!takes(*def, element)) continue;
      bool has_strip = false;
      for (LoopPath path : {LoopPath::Portable, LoopPath::Avx2, LoopPath::Avx512}) {
        if (!convert_path_supported(path)) continue;
        const Case c{def, element, path, &none};
        Array x(element, 16);
        const StripOp op = c.function(std::vector<const Array*>(arity, &x)).kernel.strip;
        has_strip = op.kit != nullptr;
        if (!has_strip) break;
        arity == 1 ? run_unary(c, op) : run_binary(c, op);
      }
      if (has_strip) ++types_of[std::string(def->name)];
    }
  }
  const std::map<std::string, int> expected = {
      {"arith.abs", 2},    {"arith.add", 6}, {"arith.and", 4}, {"arith.div", 2}, {"arith.max", 2},
      {"arith.min", 2},    {"arith.mul", 6}, {"arith.neg", 6}, {"arith.not", 4}, {"arith.or", 4},
      {"arith.square", 6}, {"arith.sub", 6}, {"arith.xor", 4},
  };
  EXPECT_EQ(types_of, expected);
}

}  // namespace
}  // namespace pallasite
