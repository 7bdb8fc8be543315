#include "pallasite/ir/printer.h"

#include <fmt/format.h>

#include <iterator>

#include "pallasite/base/check.h"
#include "pallasite/ir/limits.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/ir/text.h"

namespace pallasite {

namespace {

class Printer {
 public:
  explicit Printer(const Module& module)
      : module_(module), numbers_(module.num_values(), kUnnumbered) {}

  std::string print() {
    out_ = "pir 1\n";
    for (size_t i = 0; i < module_.locations().size(); ++i) print_location_line(i);
    for (const Function& function : module_.functions()) print_function(function);
    print_kernel();
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kUnnumbered = UINT32_MAX;

  template <typename... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void indent(int depth) { out_.append(size_t(depth) * 2, ' '); }

  void print_location_line(size_t index) {
    const Location& location = module_.locations()[index];
    write("#{} = loc({}, {}, {}, {}", index, quoted(location.file), location.line, location.column,
          quoted(location.function));
    if (!location.note.empty()) write(", {}", quoted(location.note));
    out_ += ')';
    if (location.from.valid()) write(" from #{}", location.from.index);
    out_ += '\n';
  }

  void number_body(RegionId id) {
    first_number_ = next_number_;
    number_region(id, 0);
  }

  // In the order of the text, so that a use that comes too early still prints as what it names.
  void number_region(RegionId id, int depth) {
    PALLASITE_CHECK(depth <= 2 * kMaxNesting, "regions are nested too deeply");
    const Region& region = module_.region(id);
    for (ValueId argument : region.arguments) numbers_[argument.index] = next_number_++;
    for (OpId op_id : region.ops) {
      const Op& op = module_.op(op_id);
      for (ValueId result : op.results) numbers_[result.index] = next_number_++;
      for (RegionId inner : op.regions) number_region(inner, depth + 1);
    }
  }

  void print_value(ValueId id) {
    if (const std::optional<Literal>& literal = module_.value(id).literal) {
      out_ += to_string(*literal);
    } else if (numbers_[id.index] == kUnnumbered || numbers_[id.index] < first_number_) {
      // Of another function, or of an op that was removed: no text says so.
      out_ += "%?";
    } else {
      write("%{}", numbers_[id.index] - first_number_);
    }
  }

  void print_values(const std::vector<ValueId>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      print_value(values[i]);
    }
  }

  void print_argument(ValueId id, std::string_view name) {
    print_value(id);
    if (!name.empty()) write(" {}", quoted(name));
    write(": {}", to_string(module_.value(id).type));
  }

  void print_arguments(const std::vector<ValueId>& arguments) {
    out_ += '(';
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out_ += ", ";
      print_argument(arguments[i], module_.value(arguments[i]).name);
    }
    out_ += ')';
  }

  void print_attributes(const Attributes& attributes) {
    out_ += '{';
    bool is_first = true;
    for (const auto& [name, value] : attributes) {
      write("{}{} = {}", is_first ? "" : ", ", name, to_string(value));
      is_first = false;
    }
    out_ += '}';
  }

  void print_ops(const Region& region, int depth) {
    for (OpId id : region.ops) print_op(module_.op(id), depth);
  }

  void print_op(const Op& op, int depth) {
    indent(depth);
    if (!op.results.empty()) {
      print_values(op.results);
      out_ += " = ";
    }
    out_ += op.def->name;
    if (!op.operands.empty()) {
      out_ += ' ';
      print_values(op.operands);
    }
    if (!op.attributes.empty()) {
      out_ += ' ';
      print_attributes(op.attributes);
    }
    for (RegionId id : op.regions) {
      const Region& region = module_.region(id);
      out_ += " {\n";
      if (!region.arguments.empty()) {
        indent(depth + 1);
        print_arguments(region.arguments);
        out_ += '\n';
      }
      print_ops(region, depth + 1);
      indent(depth);
      out_ += '}';
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      write("{}{}", i == 0 ? " : " : ", ", to_string(module_.value(op.results[i]).type));
    }
    print_location(op.location);
    out_ += '\n';
  }

  void print_location(LocationId location) {
    if (location.valid()) write(" #{}", location.index);
  }

  void print_function(const Function& function) {
    number_body(function.body);
    write("\nfunc {}", symbol(function.name));
    const Region& body = module_.region(function.body);
    print_arguments(body.arguments);
    out_ += " -> (";
    for (size_t i = 0; i < function.result_types.size(); ++i) {
      write("{}{}", i == 0 ? "" : ", ", to_string(function.result_types[i]));
    }
    out_ += ") {\n";
    print_ops(body, 1);
    out_ += "}\n";
  }

  void print_axes(std::string_view word, const std::vector<int64_t>& sizes,
                  const std::vector<std::string>& names) {
    write("  {} = {} {}\n", word, list_text(std::span<const int64_t>(sizes)),
          list_text(std::span<const std::string>(names)));
  }

  void print_kernel() {
    const Kernel& kernel = module_.kernel;
    number_body(kernel.body);
    write("\nkernel {} {{\n", symbol(kernel.name));
    print_axes("grid", kernel.grid, kernel.grid_names);
    if (!kernel.cluster.empty() || !kernel.cluster_names.empty()) {
      print_axes("cluster", kernel.cluster, kernel.cluster_names);
    }
    if (kernel.num_threads != 1 || !kernel.thread_name.empty()) {
      write("  threads = {}", kernel.num_threads);
      if (!kernel.thread_name.empty()) write(" {}", quoted(kernel.thread_name));
      out_ += '\n';
    }
    if (!kernel.attributes.empty()) {
      out_ += "  attributes = ";
      print_attributes(kernel.attributes);
      out_ += '\n';
    }
    const Region& body = module_.region(kernel.body);
    PALLASITE_CHECK(kernel.parameters.size() == body.arguments.size());
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const KernelParameter& parameter = kernel.parameters[i];
      ValueId id = body.arguments[i];
      out_ += parameter.role == KernelParameter::Role::Input ? "  input " : "  output ";
      print_value(id);
      if (!parameter.name.empty()) write(" {}", quoted(parameter.name));
      if (parameter.aliases) {
        out_ += " aliases ";
        print_value(body.arguments.at(*parameter.aliases));
      }
      write(": {}\n", to_string(module_.value(id).type));
    }
    out_ += "  body {\n";
    print_ops(body, 2);
    out_ += "  }";
    print_location(kernel.location);
    out_ += "\n}\n";
  }

  const Module& module_;
  // By index of the value; the text counts from `first_number_`, that of the current function.
  std::vector<uint32_t> numbers_;
  uint32_t first_number_ = 0;
  uint32_t next_number_ = 0;
  std::string out_;
};

}  // namespace

std::string print_module(const Module& module) {
  return Printer(module).print();
}

}  // namespace pallasite
