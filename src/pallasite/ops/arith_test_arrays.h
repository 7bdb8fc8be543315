// Arrays in register form for the tests of elementwise ops.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "pallasite/ops/elementwise.h"

namespace pallasite::test {

inline constexpr ElementType kIntegerTypes[] = {
    ElementType::S1,  ElementType::U1,  ElementType::S2,  ElementType::U2,  ElementType::S4,
    ElementType::U4,  ElementType::S8,  ElementType::U8,  ElementType::S16, ElementType::U16,
    ElementType::S32, ElementType::U32, ElementType::S64, ElementType::U64};

inline constexpr ElementType kFloatTypes[] = {
    ElementType::BF16,       ElementType::F16,           ElementType::F32,
    ElementType::F64,        ElementType::F8E5M2,        ElementType::F8E4M3FN,
    ElementType::F8E4M3,     ElementType::F8E3M4,        ElementType::F8E4M3FNUZ,
    ElementType::F8E5M2FNUZ, ElementType::F8E4M3B11FNUZ, ElementType::F8E8M0FNU,
    ElementType::F4E2M1FN,   ElementType::F6E2M3FN,      ElementType::F6E3M2FN};

struct Array {
  ElementType element;
  size_t count = 0;
  std::vector<std::byte> data;

  Array(ElementType e, size_t n) : element(e), count(n), data(n * register_bytes(e)) {}

  // The register's bits, zero-extended.
  uint64_t bits(size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, data.data() + i * register_bytes(element), register_bytes(element));
    return value;
  }
  void set_bits(size_t i, uint64_t value) {
    std::memcpy(data.data() + i * register_bytes(element), &value, register_bytes(element));
  }
  // Of a float: exact.
  double number(size_t i) const {
    double value = 0;
    convert(element, data.data() + i * register_bytes(element), ElementType::F64, &value, 1,
            LoopPath::Portable);
    return value;
  }
  // Of an integer or bool.
  __int128 integer(size_t i) const {
    const uint64_t value = bits(i);
    if (!element_info(element).is_signed) return __int128(value);
    const int unused = 64 - 8 * int(register_bytes(element));
    return __int128(int64_t(value << unused) >> unused);
  }
};

// What a register of an integer type holds for a value that wraps to its width.
inline uint64_t wrapped_bits(ElementType element, __int128 value) {
  const ElementInfo& info = element_info(element);
  const int unused = 128 - info.storage_bits;
  const auto high = static_cast<unsigned __int128>(value) << unused;
  const __int128 wrapped = info.is_signed ? __int128(high) >> unused : __int128(high >> unused);
  const int register_unused = 64 - 8 * int(info.register_bytes);
  return (uint64_t(wrapped) << register_unused) >> register_unused;
}

inline uint64_t float_bits(ElementType element, double value) {
  Array one(element, 1);
  convert(ElementType::F64, &value, element, one.data.data(), 1, LoopPath::Portable);
  return one.bits(0);
}

// Values at the edges of a type, all values of a small one.
inline std::vector<uint64_t> adversarial_bits(ElementType element) {
  const ElementInfo& info = element_info(element);
  std::vector<uint64_t> values;
  if (info.storage_bits <= 6 || (info.storage_bits == 8 && !info.is_bool)) {
    for (int v = 0; v < 1 << info.storage_bits; ++v)
      values.push_back(info.is_float ? uint64_t(v) : wrapped_bits(element, v));
    return values;
  }
  if (info.is_bool) return {0, 1};
  std::mt19937_64 random(7);
  if (!info.is_float) {
    const __int128 top = __int128(1) << (info.storage_bits - 1);
    for (__int128 center : {__int128(0), top, 2 * top, top / 2})
      for (int d = -3; d <= 3; ++d) values.push_back(wrapped_bits(element, center + d));
    for (int shift : {7, 8, 15, 16, 31, 32, 33, 63, 64})
      values.push_back(wrapped_bits(element, shift));
    for (int i = 0; i < 20; ++i)
      values.push_back(wrapped_bits(element, __int128(random() >> (random() % 64))));
    return values;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const uint64_t sign = uint64_t(1) << (info.storage_bits - 1);
  for (double v : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 1.0 / 3, 65504.0, 8388608.0, 8388609.0,
                   4503599627370497.0, 1e30, 3.4e38, 1e-30, infinity})
    values.push_back(float_bits(element, v));
  const uint64_t one = float_bits(element, 1.0);
  const uint64_t top = float_bits(element, infinity);
  // Neighbours of one half and one, the smallest and largest values, quiet NaNs of two payloads.
  for (uint64_t v :
       {float_bits(element, 0.5) - 1, one - 1, one + 1, uint64_t(1), uint64_t(2), top - 1,
        float_bits(element, std::ldexp(1.0, 1 - info.bias)),
        float_bits(element, std::ldexp(1.0, 1 - info.bias)) - 1,
        top | (sign >> (info.exponent_bits + 1)), top | (sign >> (info.exponent_bits + 1)) | 1})
    values.push_back(v);
  for (int i = 0; i < 24; ++i) values.push_back(random() & (2 * sign - 1));
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(values[i] ^ sign);
  // A signalling NaN is not a value that arithmetic gives; which bits it becomes is left open.
  const uint64_t quiet = sign >> (info.exponent_bits + 1);
  for (uint64_t& v : values)
    if ((v & (sign - 1)) > top) v |= quiet;
  return values;
}

// All pairs of adversarial values, as two arrays.
inline std::pair<Array, Array> adversarial_pairs(ElementType x_element, ElementType y_element) {
  const std::vector<uint64_t> xs = adversarial_bits(x_element), ys = adversarial_bits(y_element);
  Array x(x_element, xs.size() * ys.size()), y(y_element, x.count);
  size_t n = 0;
  for (uint64_t a : xs) {
    for (uint64_t b : ys) {
      x.set_bits(n, a);
      y.set_bits(n++, b);
    }
  }
  return {std::move(x), std::move(y)};
}

inline Array adversarial_array(ElementType element) {
  const std::vector<uint64_t> values = adversarial_bits(element);
  Array x(element, values.size());
  for (size_t i = 0; i < values.size(); ++i) x.set_bits(i, values[i]);
  return x;
}

inline ElementFunction function_of(const OpDef& def, const std::vector<const Array*>& inputs,
                                   ElementType result, LoopPath path, const Attributes& attributes,
                                   int64_t count) {
  std::vector<Type> operands;
  for (const Array* input : inputs) {
    std::vector<int64_t> shape;
    if (int64_t(input->count) == count) shape.push_back(count);
    operands.push_back(Type::array(input->element, shape));
  }
  return def.element_function({.operands = operands,
                               .result = Type::array(result, {count}),
                               .attributes = attributes,
                               .path = path});
}

// Runs the loop of an op on whole arrays; an input of one element beside longer ones is a scalar.
inline Array run_op(const OpDef& def, const std::vector<const Array*>& inputs, ElementType result,
                    LoopPath path = LoopPath::Best, const Attributes& attributes = {}) {
  size_t count = 0;
  for (const Array* input : inputs) count = std::max(count, input->count);
  Array out(result, count);
  const ElementFunction function =
      function_of(def, inputs, result, path, attributes, int64_t(count));
  std::vector<const void*> pointers;
  for (const Array* input : inputs) pointers.push_back(input->data.data());
  function.kernel.loop(out.data.data(), pointers.data(), count, function.immediate.get());
  return out;
}

// Runs the scalar instruction of an op on element i. False if it has none.
inline bool run_scalar(const OpDef& def, const std::vector<const Array*>& inputs, size_t i,
                       const Attributes& attributes, Array& out) {
  std::vector<Type> operands;
  for (const Array* input : inputs) operands.push_back(Type::array(input->element));
  const ElementFunction function = def.element_function(
      {.operands = operands, .result = Type::array(out.element), .attributes = attributes});
  if (function.kernel.scalar == nullptr) return false;
  alignas(16) std::byte registers[64] = {};
  for (size_t k = 0; k < inputs.size(); ++k) {
    const uint64_t bits = inputs[k]->bits(i);
    std::memcpy(registers + 8 * k, &bits, 8);
  }
  // Elementwise instructions use nothing of a thread but its registers.
  alignas(64) static std::byte no_machine[64];
  Thread thread(*reinterpret_cast<ClusterMachine*>(no_machine),
                *reinterpret_cast<ThreadState*>(no_machine), registers, 0);
  Instruction instruction;
  instruction.a = 0;
  instruction.b = 8;
  instruction.c = 16;
  instruction.d = 24;
  instruction.payload = function.immediate.get();
  if (function.kernel.scalar(thread, instruction) != Step::Next) return false;
  std::memcpy(out.data.data() + i * register_bytes(out.element), registers + 24,
              register_bytes(out.element));
  return true;
}

}  // namespace pallasite::test
