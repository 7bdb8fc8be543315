#include "pallasite/ir/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "pallasite/ir/lexer.h"
#include "pallasite/ir/limits.h"
#include "pallasite/ir/text.h"

namespace pallasite {

namespace {

// Thrown at the first error and caught in parse_module.
struct ParseFailure {
  uint32_t line;
  uint32_t column;
  std::string message;
};

std::string describe(const Token& token) {
  if (token.kind == TokenKind::End) return "the end of the text";
  constexpr size_t kLongest = 40;
  if (token.text.size() > kLongest) return fmt::format("`{}...`", token.text.substr(0, kLongest));
  return fmt::format("`{}`", token.text);
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const OpDef* const> ops, Module& module,
         TextPositions& positions)
      : lexer_(text),
        ops_(ops),
        module_(module),
        positions_(positions),
        num_value_numbers_(std::max<size_t>(text.size(), 1 << 16)) {
    token_ = lexer_.next();
    next_token_ = lexer_.next();
  }

  void parse() {
    parse_version();
    while (token_.kind == TokenKind::Location) parse_location_line();
    while (token_.is_word("func")) parse_function();
    if (!token_.is_word("kernel")) {
      fail(module_.functions().empty() ? "expected a location line, `func` or `kernel`"
                                       : "expected `func` or `kernel`");
    }
    parse_kernel();
    if (token_.kind != TokenKind::End) fail("expected the end of the text after the kernel");
  }

 private:
  [[noreturn]] void fail_at(const Token& token, std::string message) {
    throw ParseFailure{token.line, token.column, std::move(message)};
  }

  // At the current token, and names it where the message says what is expected.
  [[noreturn]] void fail(std::string message) {
    if (token_.kind == TokenKind::Bad) fail_at(token_, std::string(token_.problem));
    if (message.starts_with("expected")) message += ", found " + describe(token_);
    fail_at(token_, std::move(message));
  }

  Token take() {
    Token taken = token_;
    token_ = next_token_;
    next_token_ = lexer_.next();
    return taken;
  }

  Token expect(TokenKind kind, std::string_view what) {
    if (token_.kind != kind) fail(fmt::format("expected {}", what));
    return take();
  }

  void expect_mark(std::string_view mark, std::string_view where) {
    if (!token_.is(mark)) fail(fmt::format("expected `{}` {}", mark, where));
    take();
  }

  bool take_mark(std::string_view mark) {
    if (!token_.is(mark)) return false;
    take();
    return true;
  }

  void expect_word(std::string_view word) {
    if (!token_.is_word(word)) fail(fmt::format("expected `{}`", word));
    take();
  }

  bool take_word(std::string_view word) {
    if (!token_.is_word(word)) return false;
    take();
    return true;
  }

  // Items between marks, separated by commas. The open mark has been taken; takes the close mark.
  template <typename ParseItem>
  void parse_list(std::string_view close, std::string_view what, ParseItem parse_item) {
    if (take_mark(close)) return;
    while (true) {
      parse_item();
      if (take_mark(close)) return;
      if (!take_mark(",")) fail(fmt::format("expected `,` or `{}` after {}", close, what));
    }
  }

  // An integer between bounds.
  int64_t integer(std::string_view what, int64_t smallest, int64_t largest) {
    Token token = expect(TokenKind::Integer, what);
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc() || value < smallest || value > largest) {
      fail_at(token, fmt::format("{} is between {} and {}", what, smallest, largest));
    }
    return value;
  }

  // The number of `%3` or `#3`.
  uint32_t number_of(const Token& token, uint64_t largest, std::string_view what) {
    uint32_t number = 0;
    std::string_view digits = token.text.substr(1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || number > largest) {
      fail_at(token,
              fmt::format("{} are numbered from 0 in order; this number is too large", what));
    }
    return number;
  }

  std::string string_of(const Token& token, std::string_view text) {
    size_t error_offset = 0;
    std::optional<std::string> value = unquote(text, error_offset);
    if (value) return *std::move(value);
    Token place = token;
    place.column += uint32_t(token.text.size() - text.size() + error_offset);
    fail_at(place, "this is neither UTF-8 nor an escape of JSON");
  }

  std::string string(std::string_view what) {
    Token token = expect(TokenKind::String, what);
    return string_of(token, token.text);
  }

  std::string optional_string() {
    return token_.kind == TokenKind::String ? string("a name") : std::string();
  }

  std::string symbol_name() {
    Token token = expect(TokenKind::Symbol, "a name such as `@add_one`");
    std::string_view text = token.text.substr(1);
    return text.starts_with('"') ? string_of(token, text) : std::string(text);
  }

  void parse_version() {
    if (!token_.is_word("pir")) fail("expected `pir 1` at the start of a module");
    take();
    Token token = expect(TokenKind::Integer, "the version of the text form");
    if (token.text != "1") {
      fail_at(token,
              fmt::format("version {} of the text form; only version 1 is known", token.text));
    }
  }

  void parse_location_line() {
    Token number = take();
    size_t index = module_.locations().size();
    if (number_of(number, std::numeric_limits<uint32_t>::max(), "locations") != index) {
      fail_at(number, fmt::format("locations are numbered from 0 in order; this is `#{}`", index));
    }
    expect_mark("=", "after the number of a location");
    expect_word("loc");
    expect_mark("(", "after `loc`");
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
    Location location;
    location.file = string("the file's name");
    expect_mark(",", "after the file's name");
    location.line = int32_t(integer("a line number", 0, kLargest));
    expect_mark(",", "after the line number");
    location.column = int32_t(integer("a column number", 0, kLargest));
    expect_mark(",", "after the column number");
    location.function = string("the function's name");
    if (take_mark(",")) location.note = string("a note");
    expect_mark(")", "after a location");
    if (take_word("from")) location.from = location_reference();
    module_.add_location(std::move(location));
  }

  LocationId location_reference() {
    Token token = expect(TokenKind::Location, "a location such as `#0`");
    uint32_t index = number_of(token, std::numeric_limits<uint32_t>::max(), "locations");
    if (index >= module_.locations().size()) {
      fail_at(token, fmt::format("location `{}` is not defined above", token.text));
    }
    return LocationId(index);
  }

  LocationId optional_location() {
    return token_.kind == TokenKind::Location ? location_reference() : LocationId();
  }

  // `[8,128]`, with the bracket still to come.
  std::vector<int64_t> shape() {
    std::vector<int64_t> dims;
    Token start = token_;
    expect_mark("[", "before a shape");
    int64_t count = 1;
    parse_list("]", "a dimension", [&] {
      if (int64_t(dims.size()) == kMaxRank) {
        fail(fmt::format("a shape has at most {} dimensions", kMaxRank));
      }
      int64_t dim = integer("a dimension", 0, kMaxElementCount - 1);
      if (dim != 0 && count > (kMaxElementCount - 1) / dim) {
        fail_at(start, "a shape has fewer than 2^40 elements");
      }
      // Later dimensions are checked as if a zero were not there.
      count *= std::max<int64_t>(dim, 1);
      dims.push_back(dim);
    });
    return dims;
  }

  ElementType element_type() {
    Token token = expect(TokenKind::Identifier, "an element type such as `f32`");
    std::optional<ElementType> element = element_named(token.text);
    if (!element) fail_at(token, fmt::format("no element type is named `{}`", token.text));
    return *element;
  }

  // Only the names of the text form, not JAX's.
  static std::optional<ElementType> element_named(std::string_view name) {
    std::optional<ElementType> element = parse_element_type(name);
    if (element && element_name(*element) != name) return std::nullopt;
    return element;
  }

  Type array_type() {
    ElementType element = element_type();
    return Type::array(element, token_.is("[") ? shape() : std::vector<int64_t>());
  }

  Type type() {
    if (token_.kind != TokenKind::Identifier) {
      fail(
          "expected a type such as `f32[8,128]`, `ref<smem, f16[64]>` or `barrier<[2], "
          "arrivals=1>`");
    }
    if (token_.text == "ref") return ref_type();
    if (token_.text == "barrier") return barrier_type();
    return array_type();
  }

  MemorySpace memory_space() {
    Token token = expect(TokenKind::Identifier, "a memory space");
    for (MemorySpace space :
         {MemorySpace::Gmem, MemorySpace::Smem, MemorySpace::Tmem, MemorySpace::Regs}) {
      if (token.text == memory_space_name(space)) return space;
    }
    fail_at(token, fmt::format("no memory space is named `{}`; there are gmem, smem, tmem and regs",
                               token.text));
  }

  Type ref_type() {
    take();
    expect_mark("<", "after `ref`");
    MemorySpace space = memory_space();
    expect_mark(",", "after the memory space");
    Type result = array_type();
    result.form = Type::Form::Ref;
    result.space = space;
    while (take_mark(",")) {
      LayoutTransform transform;
      Token name = expect(TokenKind::Identifier, "`unswizzle` or `untile`");
      if (name.text == "untile") {
        transform.kind = LayoutTransform::Kind::Untile;
      } else if (name.text != "unswizzle") {
        fail_at(name,
                fmt::format("no layout transform is named `{}`; there are unswizzle and untile",
                            name.text));
      }
      expect_mark("(", "after the name of a layout transform");
      parse_list(")", "an extent", [&] {
        transform.arguments.push_back(
            integer("an argument of a layout transform", 1, kMaxElementCount - 1));
      });
      result.transforms.push_back(std::move(transform));
    }
    expect_mark(">", "at the end of the ref's type");
    return result;
  }

  Type barrier_type() {
    take();
    expect_mark("<", "after `barrier`");
    std::vector<int64_t> dims = shape();
    expect_mark(",", "after the barriers' shape");
    BarrierSpec spec;
    expect_word("arrivals");
    expect_mark("=", "after `arrivals`");
    spec.num_arrivals = integer("a number of arrivals", 0, kMaxElementCount - 1);
    // Each at most once, in this order.
    int stage = 0;
    while (take_mark(",")) {
      Token word =
          expect(TokenKind::Identifier, "`orders_tensor_core`, `cluster` or `leader_tracked`");
      if (word.text == "orders_tensor_core" && stage < 1) {
        stage = 1;
        spec.orders_tensor_core = true;
      } else if (word.text == "cluster" && stage < 2) {
        stage = 2;
        expect_mark("=", "after `cluster`");
        expect_mark("[", "before the cluster axes");
        parse_list("]", "an axis", [&] {
          std::vector<std::string>& group = spec.cluster_axes.emplace_back();
          const auto axis = [&] { group.push_back(string("the name of a cluster axis")); };
          if (!take_mark("[")) return axis();
          parse_list("]", "an axis", axis);
          if (group.size() < 2) fail_at(word, "a group of cluster axes has two or more");
        });
      } else if (word.text == "leader_tracked" && stage < 3) {
        stage = 3;
        spec.leader_tracked = true;
      } else {
        fail_at(word,
                "a barrier's type has `orders_tensor_core`, `cluster` and `leader_tracked`, each "
                "at most once, in this order");
      }
    }
    expect_mark(">", "at the end of the barriers' type");
    return Type::barriers(std::move(spec), std::move(dims));
  }

  // `{name = value, ...}`, with the brace still to come. `def` says what an empty list is a list
  // of.
  Attributes attributes(const OpDef* def) {
    Attributes result;
    take();
    parse_list("}", "an attribute", [&] {
      Token name = expect(TokenKind::Identifier, "the name of an attribute");
      if (name.text.find_first_of(".-") != std::string_view::npos) {
        fail_at(name, "an attribute's name has letters, digits and underscores");
      }
      expect_mark("=", "after the name of an attribute");
      bool is_new = result.emplace(std::string(name.text), attribute(def, name.text)).second;
      if (!is_new) fail_at(name, fmt::format("attribute `{}` is given twice", name.text));
    });
    return result;
  }

  Attribute attribute(const OpDef* def, std::string_view name) {
    switch (token_.kind) {
      case TokenKind::Integer:
        return integer("an integer attribute", std::numeric_limits<int64_t>::min(),
                       std::numeric_limits<int64_t>::max());
      case TokenKind::Float:
        return float_number();
      case TokenKind::String:
        return string("text");
      case TokenKind::Identifier: {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (take_word("true")) return true;
        if (take_word("false")) return false;
        if (take_word("inf")) return kInfinity;
        if (take_word("-inf")) return -kInfinity;
        if (take_word("nan")) return std::numeric_limits<double>::quiet_NaN();
        if (take_word("hex")) return bytes();
        fail("expected the value of an attribute");
      }
      default:
        if (token_.is("[")) return list_attribute(def, name);
        fail("expected the value of an attribute");
    }
  }

  double float_number() {
    Token token = take();
    double value = 0;
    auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc()) fail_at(token, "this number does not fit into 64 bits");
    return value;
  }

  Bytes bytes() {
    Token token = expect(TokenKind::String, "bytes such as `hex\"00ff\"`");
    std::string_view digits = token.text.substr(1, token.text.size() - 2);
    Bytes result;
    result.data.resize(digits.size() / 2);
    for (size_t i = 0; i < result.data.size(); ++i) {
      uint8_t byte = 0;
      const char* pair = digits.data() + 2 * i;
      auto [end, error] = std::from_chars(pair, pair + 2, byte, 16);
      if (error != std::errc() || end != pair + 2)
        fail_at(token, "bytes are pairs of hexadecimal digits");
      result.data[i] = char(byte);
    }
    if (digits.size() % 2 != 0) fail_at(token, "bytes are pairs of hexadecimal digits");
    return result;
  }

  Attribute list_attribute(const OpDef* def, std::string_view name) {
    take();
    if (token_.is("]")) {
      take();
      if (is_list_of_strings(def, name)) return std::vector<std::string>();
      return std::vector<int64_t>();
    }
    if (token_.kind == TokenKind::String) {
      std::vector<std::string> values;
      parse_list("]", "a string", [&] { values.push_back(string("a string")); });
      return values;
    }
    std::vector<int64_t> values;
    parse_list("]", "an integer", [&] {
      // The smallest integer is kept for `?`.
      values.push_back(take_mark("?") ? kDynamic
                                      : integer("an integer of a list",
                                                std::numeric_limits<int64_t>::min() + 1,
                                                std::numeric_limits<int64_t>::max()));
    });
    return values;
  }

  static bool is_list_of_strings(const OpDef* def, std::string_view name) {
    if (def == nullptr) return false;
    return std::ranges::any_of(def->attributes, [&](const AttributeSpec& spec) {
      return spec.name == name && spec.kind == AttributeKind::Strings;
    });
  }

  // Names `id` by the number of `token`, for the rest of the function.
  void define(const Token& token, ValueId id) {
    // Bounded by the text, so that a large number takes no large table.
    uint32_t number = number_of(token, num_value_numbers_, "values");
    if (number >= value_names_.size()) value_names_.resize(size_t(number) + 1);
    NamedValue& entry = value_names_[number];
    if (entry.function == function_count_) {
      fail_at(token, fmt::format("value `{}` is defined twice", token.text));
    }
    entry = {id, function_count_};
  }

  ValueId value_named(const Token& token) {
    uint32_t number = number_of(token, std::numeric_limits<uint32_t>::max(), "values");
    if (number >= value_names_.size() || value_names_[number].function != function_count_) {
      fail_at(token, fmt::format("value `{}` is not defined above", token.text));
    }
    return value_names_[number].id;
  }

  ValueId operand() {
    if (token_.kind == TokenKind::Value) return value_named(take());
    if (token_.kind != TokenKind::Identifier) {
      fail("expected an operand such as `%0` or `i32(4)`");
    }
    Token name = token_;
    std::optional<ElementType> element = element_named(name.text);
    if (!element) fail("expected an operand such as `%0` or `i32(4)`");
    take();
    expect_mark("(", "after the element type of a literal");
    Token text = take();
    bool is_value = text.kind == TokenKind::Integer || text.kind == TokenKind::Float ||
                    text.kind == TokenKind::Hex || text.kind == TokenKind::Identifier;
    std::optional<Literal> literal = is_value ? parse_literal(*element, text.text) : std::nullopt;
    if (!literal) fail_at(text, fmt::format("{} is no value of {}", describe(text), name.text));
    expect_mark(")", "after a literal");
    return module_.add_literal(*literal);
  }

  void parse_argument(RegionId region) {
    Token number = expect(TokenKind::Value, "an argument such as `%0: i32`");
    std::string name = optional_string();
    expect_mark(":", "before the type of an argument");
    define(number, module_.add_argument(region, type(), std::move(name)));
  }

  // `(%0 "name": type, ...)`, with the parenthesis still to come.
  void parse_arguments(RegionId region) {
    expect_mark("(", "before arguments");
    parse_list(")", "an argument", [&] { parse_argument(region); });
  }

  // The ops of a region and its closing brace.
  void parse_ops(RegionId region) {
    while (!token_.is("}")) {
      if (token_.kind != TokenKind::Value && token_.kind != TokenKind::Identifier) {
        fail("expected an op or `}`");
      }
      parse_op(region);
    }
    take();
  }

  const OpDef* op_named(const Token& token) {
    auto it = std::ranges::lower_bound(ops_, token.text, {}, &OpDef::name);
    if (it != ops_.end() && (*it)->name == token.text) return *it;
    std::vector<std::string_view> names;
    for (const OpDef* def : ops_) names.push_back(def->name);
    std::string_view nearest = nearest_name(token.text, names);
    fail_at(token, nearest.empty() ? fmt::format("no op is named {}", describe(token))
                                   : fmt::format("no op is named {}; the nearest is `{}`",
                                                 describe(token), nearest));
  }

  void parse_op(RegionId region) {
    Token start = token_;
    std::vector<Token> results;
    if (token_.kind == TokenKind::Value) {
      do {
        results.push_back(expect(TokenKind::Value, "a result such as `%0`"));
      } while (take_mark(","));
      expect_mark("=", "between the results and the op");
    }
    Token name = expect(TokenKind::Identifier, "the name of an op");
    const OpDef* def = op_named(name);
    // An operand on the next line would be the result of the next op.
    std::vector<ValueId> operands;
    bool has_operand = token_.kind == TokenKind::Value || token_.kind == TokenKind::Identifier;
    if (has_operand && !token_.starts_line) {
      do {
        operands.push_back(operand());
      } while (take_mark(","));
    }
    Attributes given;
    bool has_attributes = token_.is("{") && next_token_.kind == TokenKind::Identifier &&
                          next_token_.text.find('.') == std::string_view::npos;
    if (has_attributes) given = attributes(def);
    OpId op =
        module_.append_op(region, def, std::move(operands), {}, std::move(given), LocationId());
    positions_.ops.push_back({start.line, start.column});
    while (token_.is("{")) parse_region(module_.add_region(op));
    parse_result_types(op, results);
    module_.op(op).location = optional_location();
  }

  void parse_region(RegionId region) {
    if (++depth_ > kMaxNesting) {
      fail(fmt::format("regions are nested more than {} deep", kMaxNesting));
    }
    take();
    if (token_.is("(")) parse_arguments(region);
    parse_ops(region);
    --depth_;
  }

  void parse_result_types(OpId op, const std::vector<Token>& results) {
    if (results.empty()) {
      if (token_.is(":")) fail("this op has types for results, but no results");
      return;
    }
    expect_mark(":", "before the types of the results");
    for (size_t i = 0; i < results.size(); ++i) {
      if (i > 0 && !take_mark(",")) {
        fail(fmt::format("expected the types of {} results", results.size()));
      }
      define(results[i], module_.add_result(op, type()));
    }
    if (token_.is(",")) {
      fail(fmt::format("more types than results; there are {} results", results.size()));
    }
  }

  void start_function() {
    ++function_count_;
    depth_ = 0;
  }

  void parse_function() {
    start_function();
    Token start = take();
    Function function;
    function.name = symbol_name();
    function.body = module_.add_region();
    parse_arguments(function.body);
    expect_mark("->", "before the types that the function returns");
    expect_mark("(", "before the types that the function returns");
    parse_list(")", "a type", [&] { function.result_types.push_back(type()); });
    expect_mark("{", "before the body of the function");
    parse_ops(function.body);
    module_.add_function(std::move(function));
    positions_.functions.push_back({start.line, start.column});
  }

  // `[2, 4] ["x", "y"]`
  void parse_axes(std::vector<int64_t>& sizes, std::vector<std::string>& names) {
    take();
    expect_mark("=", "before the sizes of axes");
    expect_mark("[", "before the sizes of axes");
    parse_list("]", "a size", [&] {
      sizes.push_back(integer("the size of an axis", std::numeric_limits<int64_t>::min() + 1,
                              std::numeric_limits<int64_t>::max()));
    });
    expect_mark("[", "before the names of axes");
    parse_list("]", "a name", [&] { names.push_back(string("the name of an axis")); });
  }

  void parse_kernel() {
    start_function();
    Token start = take();
    positions_.kernel = {start.line, start.column};
    Kernel& kernel = module_.kernel;
    kernel.name = symbol_name();
    kernel.body = module_.add_region();
    expect_mark("{", "after the kernel's name");
    if (!token_.is_word("grid")) fail("expected `grid`, the first line of a kernel");
    parse_axes(kernel.grid, kernel.grid_names);
    if (token_.is_word("cluster")) parse_axes(kernel.cluster, kernel.cluster_names);
    if (take_word("threads")) {
      expect_mark("=", "after `threads`");
      kernel.num_threads = integer("a number of threads", 0, 1 << 20);
      kernel.thread_name = optional_string();
    }
    if (take_word("attributes")) {
      expect_mark("=", "after `attributes`");
      if (!token_.is("{")) fail("expected `{` before the kernel's attributes");
      kernel.attributes = attributes(nullptr);
    }
    while (token_.is_word("input") || token_.is_word("output")) parse_parameter();
    if (!token_.is_word("body")) {
      fail(
          "expected a line of the kernel, in the order grid, cluster, threads, attributes, input "
          "and "
          "output, body");
    }
    take();
    expect_mark("{", "after `body`");
    parse_ops(kernel.body);
    kernel.location = optional_location();
    expect_mark("}", "at the end of the kernel");
  }

  void parse_parameter() {
    KernelParameter parameter;
    parameter.role =
        take().text == "input" ? KernelParameter::Role::Input : KernelParameter::Role::Output;
    Token number = expect(TokenKind::Value, "a parameter such as `%0`");
    parameter.name = optional_string();
    if (take_word("aliases")) {
      Token other = expect(TokenKind::Value, "the input whose buffer is shared");
      // Only parameters are defined yet.
      parameter.aliases = module_.value(value_named(other)).index;
    }
    expect_mark(":", "before the type of a parameter");
    define(number, module_.add_argument(module_.kernel.body, type(), parameter.name));
    module_.kernel.parameters.push_back(std::move(parameter));
  }

  struct NamedValue {
    ValueId id;
    // The function, counted from 1, in which the number has this meaning.
    uint32_t function = 0;
  };

  Lexer lexer_;
  std::span<const OpDef* const> ops_;
  Module& module_;
  TextPositions& positions_;
  Token token_;
  Token next_token_;
  // By number. Entries of an earlier function are stale, never cleared: many small functions that
  // use large numbers would take time for each.
  std::vector<NamedValue> value_names_;
  uint64_t num_value_numbers_;
  uint32_t function_count_ = 0;
  int depth_ = 0;
};

}  // namespace

SourceLocation TextPositions::at(TextPosition position) const {
  return position.line == 0 ? SourceLocation()
                            : SourceLocation::at(file, int(position.line), int(position.column));
}

ParseResult parse_module(std::string_view text, std::string_view file_name,
                         std::span<const OpDef* const> ops) {
  ParseResult result;
  result.positions.file = file_name;
  auto module = std::make_unique<Module>();
  try {
    Parser(text, ops, *module, result.positions).parse();
    result.module = std::move(module);
  } catch (const ParseFailure& failure) {
    result.diagnostics.push_back(DiagnosticBuilder(Kind::IrParse)
                                     .arg("what", Argument(failure.message))
                                     .at(result.positions.at({failure.line, failure.column}))
                                     .build());
  }
  return result;
}

TextSourceReader::TextSourceReader(std::string file, std::string_view text, SourceReader* next)
    : file_(std::move(file)), next_(next) {
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    start = end + 1;
  }
}

std::optional<std::string> TextSourceReader::line(const std::string& file, int number) {
  if (file == file_) {
    if (number < 1 || size_t(number) > lines_.size()) return std::nullopt;
    return std::string(lines_[size_t(number) - 1]);
  }
  return next_ == nullptr ? std::nullopt : next_->line(file, number);
}

void locate_in_text(Module& module, const TextPositions& positions) {
  for (uint32_t i = 0; i < module.num_ops() && i < positions.ops.size(); ++i) {
    Op& op = module.op(OpId(i));
    if (op.location.valid()) continue;
    Location location;
    location.file = positions.file;
    location.line = static_cast<int32_t>(positions.ops[i].line);
    op.location = module.add_location(std::move(location));
  }
}

}  // namespace pallasite
