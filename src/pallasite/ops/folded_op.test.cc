// Every elementwise op of the table on operands that are known when the kernel is compiled: the op
// is gone from the program, and the bits are those that it gives for the same values from memory.
#include <gtest/gtest.h>

#include "pallasite/ir/text.h"
#include "pallasite/ops/test_op_table.h"
#include "pallasite/sim/fused_loop.h"

namespace pallasite {
namespace {

using test::Array;
using test::type_text;

// Element i of the result is the op of element i of each operand.
struct Case {
  const OpDef* def;
  std::vector<const Array*> inputs;
  ElementType result;
  Attributes attributes = {};
};

// Those that are tried: few enough for a kernel that has an op for each.
std::vector<size_t> elements_of(const Case& tried) {
  const size_t count = tried.inputs[0]->count;
  std::vector<size_t> elements;
  for (size_t i = 0; i < count; i += 1 + count / 96) elements.push_back(i);
  return elements;
}

// The text of a kernel, written line by line.
class KernelText {
 public:
  // Returns the name of the value.
  std::string op(const std::string& op, const std::string& type) {
    const std::string name = "%" + std::to_string(next_++);
    body_ += "    " + name + " = " + op + " : " + type + "\n";
    return name;
  }
  std::string parameter(const std::string& role, const std::string& type) {
    const std::string name = "%" + std::to_string(next_++);
    header_ += "  " + role + " " + name + " \"p\": ref<gmem, " + type + ">\n";
    return name;
  }
  void line(const std::string& line) { body_ += "    " + line + "\n"; }
  std::string text() const {
    return "pir 1\n\nkernel @test {\n  grid = [1] [\"x\"]\n" + header_ + "  body {\n" + body_ +
           "    control.yield\n  }\n}\n";
  }

 private:
  size_t next_ = 0;
  std::string header_, body_;
};

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string op_text(const Case& tried, const std::vector<std::string>& operands) {
  return std::string(tried.def->name) + " " + join(operands) +
         test::attribute_text(tried.attributes);
}

std::string literal(const Array& values, size_t i) {
  return to_string(Literal{values.element, values.bits(i)});
}

// The op on each element by itself, on a literal or on what is read from an input.
std::string scalar_kernel(const Case& tried, bool literals) {
  KernelText kernel;
  std::vector<std::string> loaded;
  if (!literals) {
    std::vector<std::string> refs;
    for (const Array* input : tried.inputs)
      refs.push_back(kernel.parameter("input", type_text(input->element, {int64_t(input->count)})));
    for (size_t k = 0; k < refs.size(); ++k)
      loaded.push_back(
          kernel.op("memory.load " + refs[k],
                    type_text(tried.inputs[k]->element, {int64_t(tried.inputs[k]->count)})));
  }
  const std::vector<size_t> elements = elements_of(tried);
  const std::string all = type_text(tried.result, {int64_t(elements.size())});
  const std::string out = kernel.parameter("output", all);
  std::vector<std::string> rows;
  for (size_t i : elements) {
    std::vector<std::string> operands;
    for (size_t k = 0; k < tried.inputs.size(); ++k) {
      const ElementType element = tried.inputs[k]->element;
      if (literals) {
        operands.push_back(literal(*tried.inputs[k], i));
        continue;
      }
      const std::string row =
          kernel.op("shape.slice " + loaded[k] + " {limits = [" + std::to_string(i + 1) +
                        "], starts = [" + std::to_string(i) + "]}",
                    type_text(element, {1}));
      operands.push_back(
          kernel.op("shape.squeeze " + row + " {dimensions = [0]}", type_text(element, {})));
    }
    const std::string result = kernel.op(op_text(tried, operands), type_text(tried.result, {}));
    rows.push_back(kernel.op("shape.broadcast_in_dim " + result + " {dimensions = []}",
                             type_text(tried.result, {1})));
  }
  const std::string value = kernel.op("shape.concatenate " + join(rows) + " {dimension = 0}", all);
  kernel.line("memory.store " + out + ", " + value);
  return kernel.text();
}

// The op on arrays that repeat a literal, for element `i`.
std::string repeat_kernel(const Case& tried, size_t i, int64_t count) {
  KernelText kernel;
  const std::string type = type_text(tried.result, {count});
  const std::string out = kernel.parameter("output", type);
  std::vector<std::string> operands;
  for (const Array* input : tried.inputs) {
    operands.push_back(
        kernel.op("shape.broadcast_in_dim " + literal(*input, i) + " {dimensions = []}",
                  type_text(input->element, {count})));
  }
  kernel.line("memory.store " + out + ", " + kernel.op(op_text(tried, operands), type));
  return kernel.text();
}

// What both kernels above come to: the results as literals.
std::string result_kernel(const Array& results, int64_t count_of_each) {
  KernelText kernel;
  const std::string all = type_text(results.element, {int64_t(results.count) * count_of_each});
  const std::string out = kernel.parameter("output", all);
  std::vector<std::string> rows;
  for (size_t i = 0; i < results.count; ++i)
    rows.push_back(kernel.op("shape.broadcast_in_dim " + literal(results, i) + " {dimensions = []}",
                             type_text(results.element, {count_of_each})));
  std::string value = rows[0];
  if (rows.size() > 1)
    value = kernel.op("shape.concatenate " + join(rows) + " {dimension = 0}", all);
  kernel.line("memory.store " + out + ", " + value);
  return kernel.text();
}

// Instructions of a kernel, and steps of its fused loops.
size_t work_of(const std::string& text) {
  ParseResult parsed = parse_module(text, "test.pir");
  if (parsed.module == nullptr || !verify(*parsed.module, &parsed.positions).empty()) {
    ADD_FAILURE() << text;
    return 0;
  }
  const Compiler::Result compiled =
      Compiler::compile(std::move(parsed.module), {.check_values = false});
  size_t work = 0;
  for (const Instruction& in : compiled.program->code) {
    ++work;
    if (in.exec != exec_fused) continue;
    const auto& fused = *static_cast<const FusedPayload*>(in.payload);
    work += fused.once.size() + fused.steps.size();
  }
  return work;
}

// False if the op does not take the types.
bool folds(const Case& tried) {
  const std::string text = scalar_kernel(tried, true);
  const test::TextRun folded = test::run_text(text, ObservationLevel::Fused);
  if (!folded.finished) {
    for (const Diagnostic& d : folded.findings)
      EXPECT_EQ(d.kind, Kind::IrVerify) << render_plain(d);
    return false;
  }
  EXPECT_TRUE(folded.clean()) << folded.explain();
  const std::vector<size_t> elements = elements_of(tried);
  Array results(tried.result, elements.size());
  unpack(tried.result, folded.buffers.back().data(), 0, results.data.data(), results.count);
  EXPECT_EQ(work_of(text), work_of(result_kernel(results, 1))) << text;
  const std::string from_memory = scalar_kernel(tried, false);
  for (ObservationLevel level : {ObservationLevel::Fused, ObservationLevel::EachOp}) {
    const test::TextRun run = test::run_text(from_memory, level, tried.inputs);
    EXPECT_TRUE(run.clean()) << run.explain();
    EXPECT_EQ(run.buffers.back(), folded.buffers.back()) << text;
  }
  EXPECT_EQ(test::run_text(text, ObservationLevel::EachOp).buffers, folded.buffers) << text;

  // Longer than a round of a fused loop, and not a whole number of them.
  const size_t count = 1500;
  for (size_t n = 0; n < elements.size(); n += 1 + elements.size() / 4) {
    const std::string repeat = repeat_kernel(tried, elements[n], int64_t(count));
    const test::TextRun run = test::run_text(repeat, ObservationLevel::Fused);
    EXPECT_TRUE(run.clean()) << repeat << run.explain();
    Array one(tried.result, 1), all(tried.result, count);
    one.set_bits(0, results.bits(n));
    EXPECT_EQ(work_of(repeat), work_of(result_kernel(one, int64_t(count)))) << repeat;
    unpack(tried.result, run.buffers.back().data(), 0, all.data.data(), count);
    size_t same = 0;
    for (size_t i = 0; i < count; ++i) same += all.bits(i) == one.bits(0);
    EXPECT_EQ(same, count) << repeat;
    EXPECT_EQ(test::run_text(repeat, ObservationLevel::EachOp).buffers, run.buffers) << repeat;
  }
  return true;
}

std::vector<const Array*> pointers(const std::vector<Array>& arrays) {
  std::vector<const Array*> all;
  for (const Array& array : arrays) all.push_back(&array);
  return all;
}

TEST(FoldedOp, HasTheBitsThatItHasAtRunTime) {
  size_t ops = 0, ran = 0;
  for (const OpDef* def : all_ops()) {
    if (def->element_function == nullptr) continue;
    // Their operands differ in type: below.
    if (def->name == "arith.convert" || def->name == "arith.select_n") continue;
    ++ops;
    size_t types = 0;
    for (ElementType element : test::all_elements()) {
      const std::vector<Array> operands = test::operands_of(*def, element);
      bool runs = false;
      for (ElementType result : {element, ElementType::Bool}) {
        runs = runs || folds({def, pointers(operands), result, test::attributes_of(*def)});
      }
      types += runs;
    }
    EXPECT_GT(types, 0u) << def->name << " takes no type";
    ran += types;
  }
  EXPECT_GE(ops, 50u);
  EXPECT_GE(ran, 900u);
}

TEST(FoldedOp, ConvertsBetweenAllTypes) {
  const OpDef* convert = find_op_def("arith.convert");
  for (ElementType from : test::all_elements()) {
    const Array x = test::adversarial_array(from);
    // To its own type it is nothing at all.
    for (ElementType to : test::all_elements()) {
      if (to == from) continue;
      EXPECT_TRUE(folds({convert, {&x}, to})) << element_name(to);
    }
  }
}

TEST(FoldedOp, SelectsByBoolAndByNumber) {
  const OpDef* select = find_op_def("arith.select_n");
  for (ElementType element : test::all_elements()) {
    const auto [x, y] = test::adversarial_pairs(element, element);
    Array which(ElementType::Bool, x.count), number(ElementType::S32, x.count);
    for (size_t i = 0; i < x.count; ++i) {
      which.set_bits(i, i / 5 % 2);
      number.set_bits(i, uint32_t(int32_t(i / 3 % 7) - 2));
    }
    EXPECT_TRUE(folds({select, {&which, &x, &y}, element})) << element_name(element);
    EXPECT_TRUE(folds({select, {&number, &x, &y, &x}, element})) << element_name(element);
  }
}

}  // namespace
}  // namespace pallasite
