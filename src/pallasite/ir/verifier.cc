#include "pallasite/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "pallasite/base/check.h"
#include "pallasite/ir/limits.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/text.h"
#include "pallasite/ir/verify_type.h"

namespace pallasite {

namespace {

std::string_view text_of(OperandKind kind) {
  switch (kind) {
    case OperandKind::Array:
      return "an array";
    case OperandKind::Scalar:
      return "a scalar";
    case OperandKind::Index:
      return "an integer scalar";
    case OperandKind::Predicate:
      return "a bool scalar";
    case OperandKind::Ref:
      return "a ref";
    case OperandKind::Barrier:
      return "a single barrier";
    case OperandKind::Any:
      return "a value";
  }
  PALLASITE_CHECK(false);
}

bool fits(const Type& type, OperandKind kind) {
  switch (kind) {
    case OperandKind::Array:
      return type.is_array();
    case OperandKind::Scalar:
      return type.is_scalar();
    case OperandKind::Index:
      return type.is_scalar() && is_integer(type.element);
    case OperandKind::Predicate:
      return type.is_scalar() && type.element == ElementType::Bool;
    case OperandKind::Ref:
      return type.is_ref();
    case OperandKind::Barrier:
      return type.is_barrier() && type.shape.empty();
    case OperandKind::Any:
      return true;
  }
  PALLASITE_CHECK(false);
}

// By AttributeKind, which has the order of Attribute's alternatives.
constexpr std::string_view kAttributeKinds[] = {"a bool",
                                                "an integer",
                                                "a float such as 0.5",
                                                "text",
                                                "a list of integers",
                                                "a list of strings",
                                                "bytes such as hex\"00ff\""};

std::string types_text(const std::vector<Type>& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text.empty() ? "nothing" : text;
}

// Thrown when there are enough diagnostics, and caught in verify.
struct TooMany {};

class Verifier {
 public:
  Verifier(const Module& module, const TextPositions* positions)
      : module_(module), positions_(positions), is_visible_(module.num_values(), false) {}

  std::vector<Diagnostic> run() {
    try {
      check_locations();
      check_functions();
      check_kernel();
    } catch (const TooMany&) {
    }
    return std::move(diagnostics_);
  }

 private:
  class Context : public VerifyContext {
   public:
    Context(Verifier& verifier, OpId op) : verifier_(verifier), op_(op) {}
    const Module& module() const override { return verifier_.module_; }
    void error(std::string message) override { verifier_.error_at(op_, std::move(message)); }
    void diagnose(std::string_view code,
                  std::vector<std::pair<std::string, std::string>> arguments) override {
      verifier_.diagnose_at(op_, code, arguments);
    }

   private:
    Verifier& verifier_;
    OpId op_;
  };

  void report(DiagnosticBuilder& builder, TextPosition position, LocationId location) {
    SourceLocation source = source_location(module_, location);
    SourceLocation text = positions_ == nullptr ? SourceLocation() : positions_->at(position);
    if (!text.frames.empty()) {
      builder.at(std::move(text));
      if (!source.frames.empty()) builder.label("written here", std::move(source));
    } else if (!source.frames.empty()) {
      builder.at(std::move(source));
    }
    diagnostics_.push_back(builder.build());
    if (diagnostics_.size() >= kMaxVerifyDiagnostics) throw TooMany();
  }

  void report_at(OpId id, DiagnosticBuilder& builder) {
    bool has_position = positions_ != nullptr && id.index < positions_->ops.size();
    if (!has_position && source_location(module_, module_.op(id).location).frames.empty()) {
      builder.help(fmt::format("the op is {}", module_.op_path(id)));
    }
    report(builder, has_position ? positions_->ops[id.index] : TextPosition(),
           module_.op(id).location);
  }

  void error_at(OpId id, std::string message) {
    DiagnosticBuilder builder(Kind::IrVerify);
    const OpDef* def = module_.op(id).def;
    builder.variant("op")
        .arg("op", def == nullptr ? std::string_view("?") : def->name)
        .arg("what", Argument(std::move(message)));
    report_at(id, builder);
  }

  void diagnose_at(OpId id, std::string_view code,
                   const std::vector<std::pair<std::string, std::string>>& arguments) {
    std::optional<Kind> kind = find_kind(code);
    PALLASITE_CHECK(kind.has_value(), "an op reports an unknown kind of diagnostic");
    DiagnosticBuilder builder(*kind);
    for (const auto& [name, text] : arguments) {
      const ArgumentSpec* spec = facts_of(*kind).find_argument(name);
      if (spec == nullptr && name == "variant") {
        builder.variant(text);
      } else {
        builder.arg(name, argument_of(spec, text));
      }
    }
    report_at(id, builder);
  }

  // Lists are given separated by commas.
  static Argument argument_of(const ArgumentSpec* spec, const std::string& text) {
    std::vector<std::string> parts;
    for (size_t start = 0; !text.empty() && start <= text.size();) {
      size_t end = std::min(text.find(',', start), text.size());
      parts.push_back(text.substr(start, end - start));
      start = end + 1;
    }
    auto number = [](const std::string& digits) {
      int64_t value = 0;
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      PALLASITE_CHECK(error == std::errc(), "an op reports text as a number");
      return value;
    };
    switch (spec == nullptr ? ArgumentType::Text : spec->type) {
      case ArgumentType::Integer:
        return number(text);
      case ArgumentType::Names:
        return parts;
      case ArgumentType::Shape: {
        Shape shape;
        for (const std::string& part : parts) shape.push_back(number(part));
        return shape;
      }
      default:
        return text;
    }
  }

  void kernel_error(std::string message) {
    DiagnosticBuilder builder(Kind::IrVerify);
    builder.variant("header")
        .arg("op", Argument("kernel " + symbol(module_.kernel.name)))
        .arg("what", Argument(std::move(message)));
    report_kernel(builder);
  }

  void report_kernel(DiagnosticBuilder& builder) {
    report(builder, positions_ == nullptr ? TextPosition() : positions_->kernel,
           module_.kernel.location);
  }

  void function_error(size_t index, std::string message) {
    DiagnosticBuilder builder(Kind::IrVerify);
    builder.variant("header")
        .arg("op", Argument("func " + symbol(module_.functions()[index].name)))
        .arg("what", Argument(std::move(message)));
    bool has_position = positions_ != nullptr && index < positions_->functions.size();
    report(builder, has_position ? positions_->functions[index] : TextPosition(), LocationId());
  }

  void check_locations() {
    for (size_t i = 0; i < module_.locations().size(); ++i) {
      LocationId from = module_.locations()[i].from;
      if (from.valid() && from.index >= i) {
        kernel_error(
            fmt::format("location #{} comes from #{}, which is not above it", i, from.index));
      }
    }
  }

  void check_functions() {
    for (size_t i = 0; i < module_.functions().size(); ++i) {
      bool is_new = function_of_.emplace(module_.functions()[i].name, i).second;
      if (!is_new) function_error(i, "another function has this name");
    }
    callees_.resize(module_.functions().size());
    for (size_t i = 0; i < module_.functions().size(); ++i) {
      const Function& function = module_.functions()[i];
      for (const Type& type : function.result_types) {
        if (std::string problem = type_problem(type); !problem.empty()) function_error(i, problem);
      }
      current_function_ = i;
      bool types_fit =
          check_arguments(function.body, [&](std::string problem) { function_error(i, problem); });
      if (!types_fit) continue;
      check_body(function.body, function.result_types,
                 [&](std::string message) { function_error(i, std::move(message)); });
    }
    check_recursion();
    current_function_ = kKernel;
  }

  // Reports each function from which a path of calls leads back to it, once for each circle found.
  void check_recursion() {
    enum class State : uint8_t { New, Open, Done };
    std::vector<State> states(callees_.size(), State::New);
    // The path of open functions, each with the number of its callees that were looked at.
    std::vector<std::pair<size_t, size_t>> path;
    for (size_t root = 0; root < callees_.size(); ++root) {
      if (states[root] != State::New) continue;
      states[root] = State::Open;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        auto& [function, next] = path.back();
        if (next == callees_[function].size()) {
          states[function] = State::Done;
          path.pop_back();
          continue;
        }
        auto [callee, call] = callees_[function][next++];
        if (states[callee] == State::Open) {
          error_at(call,
                   fmt::format("{} calls itself, by way of this call; recursion has no bound here",
                               symbol(module_.functions()[callee].name)));
        } else if (states[callee] == State::New) {
          states[callee] = State::Open;
          path.emplace_back(callee, 0);
        }
      }
    }
  }

  void check_kernel() {
    const Kernel& kernel = module_.kernel;
    std::set<std::string_view> names;
    auto check_name = [&](const std::string& name) {
      if (name.empty()) return kernel_error("an axis has no name");
      if (!names.insert(name).second) kernel_error(fmt::format("two axes are named `{}`", name));
    };
    auto check_axes = [&](std::string_view what, const std::vector<int64_t>& sizes,
                          const std::vector<std::string>& axis_names) {
      if (sizes.size() != axis_names.size()) {
        kernel_error(
            fmt::format("`{}` has {} sizes and {} names", what, sizes.size(), axis_names.size()));
      }
      for (const std::string& name : axis_names) check_name(name);
      int64_t count = 1;
      for (int64_t size : sizes) {
        if (size < 1) {
          kernel_error(fmt::format("`{}` has an axis of size {}", what, size));
          return int64_t{0};
        }
        // Saturates: any count this large is refused below.
        count = size > kMaxElementCount / count ? kMaxElementCount : count * size;
      }
      return count;
    };
    if (check_axes("grid", kernel.grid, kernel.grid_names) >= kMaxElementCount) {
      kernel_error("`grid` has 2^40 blocks or more");
    }
    int64_t num_blocks = check_axes("cluster", kernel.cluster, kernel.cluster_names);
    if (kernel.cluster.size() > 3) {
      kernel_error(fmt::format("`cluster` has {} axes, more than 3", kernel.cluster.size()));
    }
    constexpr int64_t kMaxClusterBlocks = 16;
    if (num_blocks > kMaxClusterBlocks) {
      DiagnosticBuilder builder(Kind::LaunchClusterSize);
      builder.variant("too-large")
          .arg("cluster", Argument(Shape(kernel.cluster)))
          .arg("blocks", Argument(num_blocks))
          .arg("limit", Argument(kMaxClusterBlocks));
      report_kernel(builder);
    }
    if (!kernel.thread_name.empty()) check_name(kernel.thread_name);
    constexpr int64_t kMaxWarpgroups = 8;
    constexpr int64_t kWarpgroupThreads = 128;
    if (kernel.num_threads < 1) {
      kernel_error(fmt::format("`threads` is {}, not positive", kernel.num_threads));
    } else if (kernel.num_threads > kMaxWarpgroups) {
      DiagnosticBuilder builder(Kind::LaunchThreads);
      builder.arg("threads", Argument(kernel.num_threads * kWarpgroupThreads))
          .arg("limit", Argument(kMaxWarpgroups * kWarpgroupThreads))
          .arg("warpgroups", Argument(kernel.num_threads));
      report_kernel(builder);
    }
    check_parameters();
    bool types_fit =
        check_arguments(kernel.body, [&](std::string problem) { kernel_error(problem); });
    if (!types_fit) return;
    check_body(kernel.body, {}, [&](std::string message) { kernel_error(std::move(message)); });
  }

  void check_parameters() {
    const Kernel& kernel = module_.kernel;
    const std::vector<ValueId>& arguments = module_.region(kernel.body).arguments;
    if (kernel.parameters.size() != arguments.size()) {
      return kernel_error(fmt::format("{} parameters are described, but the body has {} arguments",
                                      kernel.parameters.size(), arguments.size()));
    }
    std::set<uint32_t> shared;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const KernelParameter& parameter = kernel.parameters[i];
      const Type& type = module_.value(arguments[i]).type;
      std::string what = parameter.name.empty() ? fmt::format("parameter {}", i)
                                                : fmt::format("parameter `{}`", parameter.name);
      if (!type.is_ref() || type.space != MemorySpace::Gmem) {
        kernel_error(fmt::format("{} is {}, not a ref to gmem", what, to_string(type)));
      }
      if (!parameter.aliases) continue;
      uint32_t other = *parameter.aliases;
      bool is_pair = parameter.role == KernelParameter::Role::Output && other < arguments.size() &&
                     kernel.parameters[other].role == KernelParameter::Role::Input;
      if (!is_pair) {
        kernel_error(fmt::format("{} aliases; only an output shares the buffer of an input", what));
      } else if (module_.value(arguments[other]).type != type) {
        kernel_error(fmt::format("{} is {}, but aliases an input that is {}", what, to_string(type),
                                 to_string(module_.value(arguments[other]).type)));
      } else if (!shared.insert(other).second) {
        kernel_error(fmt::format("{} aliases an input whose buffer another output has", what));
      }
    }
  }

  template <typename Report>
  bool check_arguments(RegionId id, Report report_problem) {
    bool all_fit = true;
    for (ValueId argument : module_.region(id).arguments) {
      std::string problem = type_problem(module_.value(argument).type);
      if (problem.empty()) continue;
      all_fit = false;
      report_problem(std::move(problem));
    }
    return all_fit;
  }

  // The body of a function or kernel.
  template <typename Report>
  void check_body(RegionId id, const std::vector<Type>& result_types, Report report_problem) {
    const Region& body = module_.region(id);
    if (!check_region(id, 0)) {
      return report_problem("the body does not end with `control.yield`");
    }
    OpId last = body.ops.back();
    std::vector<Type> yielded;
    for (ValueId value : module_.op(last).operands) yielded.push_back(module_.value(value).type);
    if (yielded != result_types) {
      error_at(last, fmt::format("yields {}, but the body returns {}", types_text(yielded),
                                 types_text(result_types)));
    }
  }

  // False if the region does not end with a terminator. Its values are visible within it alone.
  bool check_region(RegionId id, int depth) {
    const Region& region = module_.region(id);
    for (ValueId argument : region.arguments) is_visible_[argument.index] = true;
    for (size_t i = 0; i < region.ops.size(); ++i) {
      check_op(region.ops[i], i + 1 == region.ops.size(), depth);
    }
    for (ValueId argument : region.arguments) is_visible_[argument.index] = false;
    for (OpId op : region.ops) {
      for (ValueId result : module_.op(op).results) is_visible_[result.index] = false;
    }
    if (region.ops.empty()) return false;
    const OpDef* last = module_.op(region.ops.back()).def;
    return last != nullptr && last->terminator;
  }

  void check_op(OpId id, bool is_last, int depth) {
    const Op& op = module_.op(id);
    size_t num_errors = diagnostics_.size();
    if (op.def == nullptr) return error_at(id, "the op has no definition");
    if (op.location.valid() && op.location.index >= module_.locations().size()) {
      error_at(id, fmt::format("location #{} is not in the table", op.location.index));
    }
    if (op.def->terminator && !is_last) error_at(id, "ends a region, but ops follow it");
    check_operands(id, op);
    check_attributes(id, op);
    check_call(id, op);
    check_regions(id, op, depth);
    for (ValueId result : op.results) {
      is_visible_[result.index] = true;
      if (std::string problem = type_problem(module_.value(result).type); !problem.empty()) {
        error_at(id, std::move(problem));
      }
    }
    // What an OpDef checks itself relies on all this.
    if (diagnostics_.size() != num_errors) return;
    Context context(*this, id);
    if (op.def->verify != nullptr) op.def->verify(context, op);
    if (diagnostics_.size() != num_errors) return;
    check_result_types(id, op);
  }

  void check_operands(OpId id, const Op& op) {
    const std::vector<OperandSpec>& specs = op.def->operands;
    auto is_required = [](const OperandSpec& spec) { return !spec.optional && !spec.variadic; };
    size_t num_required = size_t(std::ranges::count_if(specs, is_required));
    bool is_variadic = !specs.empty() && specs.back().variadic;
    bool too_many = !is_variadic && op.operands.size() > specs.size();
    if (op.operands.size() < num_required || too_many) {
      std::string_view more = is_variadic ? " or more" : "";
      std::string range = num_required == specs.size() || is_variadic
                              ? std::to_string(num_required)
                              : fmt::format("{} to {}", num_required, specs.size());
      error_at(id, fmt::format("takes {}{} operands, not {}", range, more, op.operands.size()));
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Value& value = module_.value(op.operands[i]);
      if (!value.literal && !is_visible_[op.operands[i].index]) {
        error_at(id,
                 fmt::format("operand {} is not visible here: it is defined in another region or "
                             "function, or below",
                             i));
      } else if (value.literal && !is_canonical(value)) {
        error_at(id, fmt::format("operand {} is a literal with bits that {} does not have", i,
                                 element_name(value.literal->element)));
      }
      if (specs.empty() || (i >= specs.size() && !is_variadic)) continue;
      const OperandSpec& spec = specs[std::min(i, specs.size() - 1)];
      if (spec.kind == OperandKind::Barrier && value.type.is_barrier() &&
          !value.type.shape.empty()) {
        barrier_array_at(id, op.operands[i]);
      } else if (!fits(value.type, spec.kind)) {
        error_at(id, fmt::format("`{}` is {}, not {}", spec.name, text_of(spec.kind),
                                 to_string(value.type)));
      }
    }
  }

  // An operation on several barriers where it takes one.
  void barrier_array_at(OpId id, ValueId array) {
    const Value* root = &module_.value(array);
    std::string selection;
    while (root->op.valid() && module_.op(root->op).operands.size() > 0) {
      const Op& view = module_.op(root->op);
      for (int64_t start : ints_attribute(view.attributes, "starts")) {
        std::string text = start == kDynamic ? "?" : std::to_string(start);
        selection = selection.empty() ? text : text + ", " + selection;
      }
      root = &module_.value(view.operands[0]);
    }
    DiagnosticBuilder builder(Kind::BarrierIndex);
    builder.arg("ref", root->name.empty() ? std::string("barrier") : root->name);
    if (selection.empty()) {
      builder.variant("missing").arg("num_barriers", root->type.element_count());
    } else {
      builder.variant("partial")
          .arg("selection", "(" + selection + ")")
          .arg("shape", Argument(Shape(root->type.shape)));
    }
    report_at(id, builder);
  }

  // A literal that its text gives back.
  static bool is_canonical(const Value& value) {
    const Literal& literal = *value.literal;
    if (value.type != Type::array(literal.element)) return false;
    std::string text = to_string(literal);
    size_t open = text.find('(');
    std::string_view inside = std::string_view(text).substr(open + 1, text.size() - open - 2);
    return parse_literal(literal.element, inside) == literal;
  }

  void check_attributes(OpId id, const Op& op) {
    const std::vector<AttributeSpec>& specs = op.def->attributes;
    for (const AttributeSpec& spec : specs) {
      if (spec.required && find_attribute(op.attributes, spec.name) == nullptr) {
        error_at(id, fmt::format("attribute `{}` is missing", spec.name));
      }
    }
    for (const auto& [name, value] : op.attributes) {
      auto spec = std::ranges::find(specs, std::string_view(name), &AttributeSpec::name);
      if (spec == specs.end()) {
        std::vector<std::string_view> names;
        for (const AttributeSpec& known : specs) names.push_back(known.name);
        std::string_view nearest = nearest_name(name, names);
        error_at(id,
                 fmt::format("has no attribute `{}`{}", name,
                             nearest.empty() ? "" : fmt::format("; the nearest is `{}`", nearest)));
        continue;
      }
      if (value.index() != size_t(spec->kind)) {
        error_at(id,
                 fmt::format("attribute `{}` is {}, not {}", name,
                             kAttributeKinds[size_t(spec->kind)], kAttributeKinds[value.index()]));
      }
      const auto* list = std::get_if<std::vector<int64_t>>(&value);
      if (list != nullptr && name != "starts" && std::ranges::count(*list, kDynamic) != 0) {
        error_at(id,
                 fmt::format("attribute `{}` has an entry `?`; only `starts` may have one", name));
      }
    }
  }

  void check_call(OpId id, const Op& op) {
    if (op.def->name != "control.call") return;
    std::string callee = string_attribute(op.attributes, "callee");
    auto it = function_of_.find(callee);
    if (it == function_of_.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, index] : function_of_) names.push_back(name);
      std::ranges::sort(names);
      std::string_view nearest = nearest_name(callee, names);
      error_at(id, fmt::format("no function is named {}{}", symbol(callee),
                               nearest.empty() ? "" : "; the nearest is " + symbol(nearest)));
    } else if (current_function_ != kKernel) {
      callees_[current_function_].emplace_back(it->second, id);
    }
  }

  void check_regions(OpId id, const Op& op, int depth) {
    int64_t expected = op.def->regions;
    if (expected == kDynamic ? op.regions.empty() : int64_t(op.regions.size()) != expected) {
      error_at(id, fmt::format("has {} regions, not {}",
                               expected == kDynamic ? "one or more" : std::to_string(expected),
                               op.regions.size()));
    }
    if (depth == kMaxNesting && !op.regions.empty()) {
      return error_at(id, fmt::format("regions are nested more than {} deep", kMaxNesting));
    }
    for (size_t i = 0; i < op.regions.size(); ++i) {
      bool types_fit = check_arguments(
          op.regions[i], [&](std::string problem) { error_at(id, std::move(problem)); });
      if (!types_fit) continue;
      if (!check_region(op.regions[i], depth + 1)) {
        error_at(id, fmt::format("region {} does not end with `control.yield`", i));
      }
    }
  }

  void check_result_types(OpId id, const Op& op) {
    if (op.def->infer == nullptr) return;
    std::vector<Type> expected = op.def->infer(module_, op);
    std::vector<Type> stated;
    for (ValueId result : op.results) stated.push_back(module_.value(result).type);
    if (stated != expected) {
      error_at(id,
               fmt::format("the result is {}, not {}", types_text(expected), types_text(stated)));
      return;
    }
    for (const Type& type : expected) {
      if (std::string problem = type_problem(type); !problem.empty()) error_at(id, problem);
    }
  }

  static constexpr size_t kKernel = SIZE_MAX;

  const Module& module_;
  const TextPositions* positions_;
  std::vector<Diagnostic> diagnostics_;
  // By index of the value: defined above, in this region or one around it.
  std::vector<bool> is_visible_;
  std::unordered_map<std::string_view, size_t> function_of_;
  // Per function, the functions it calls, each with the call.
  std::vector<std::vector<std::pair<size_t, OpId>>> callees_;
  size_t current_function_ = kKernel;
};

}  // namespace

std::vector<Diagnostic> verify(const Module& module, const TextPositions* positions) {
  return Verifier(module, positions).run();
}

}  // namespace pallasite
