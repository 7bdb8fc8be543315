// Text -> parse -> verify -> print -> parse -> print: nothing crashes, and the second text equals
// the first. The mutator changes tokens and lines, and edits modules that parse by the ops' own
// signatures, so that most of what it makes is well formed.
#include "pallasite/ir/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "pallasite/ir/lexer.h"
#include "pallasite/ir/printer.h"
#include "pallasite/ir/test_ops.h"
#include "pallasite/ir/verifier.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace pallasite {
namespace {

const std::vector<const OpDef*>& fuzz_ops() {
  static const std::vector<const OpDef*> ops = with_stand_ins(all_ops());
  return ops;
}

const OpDef* fuzz_op(std::string_view name) {
  for (const OpDef* def : fuzz_ops()) {
    if (def->name == name) return def;
  }
  return nullptr;
}

// A property that does not hold ends the run, as a crash would.
void require(bool condition, const char* what) {
  if (condition) return;
  fmt::print(stderr, "property violated: {}\n", what);
  std::abort();
}

std::vector<std::string> messages(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : diagnostics) result.push_back(message(diagnostic));
  return result;
}

void check_paths(const Module& module) {
  std::set<std::string_view> names;
  for (const Function& function : module.functions()) {
    // Two functions of one name are left to the verifier; their ops have no path of their own.
    if (!names.insert(function.name).second) return;
  }
  // Each takes time linear in the siblings.
  size_t count = std::min<size_t>(module.num_ops(), 64);
  for (uint32_t i = 0; i < count; ++i) {
    OpId id(i);
    require(module.find_op(module.op_path(id)) == id, "find_op is the inverse of op_path");
  }
}

// What an editor may rely on, of a module that verifies.
void check_edits(Module& module) {
  std::string before = print_module(module);
  size_t count = std::min<size_t>(module.num_ops(), 32);
  for (uint32_t i = 0; i < count; ++i) {
    OpId id(i);
    RegionId parent = module.op(id).parent;
    size_t position = module.position_in_region(id);
    module.move_op(id, parent, 0);
    module.move_op(id, parent, position == 0 ? 0 : position + 1);
    require(module.position_in_region(id) == position, "an op moves away and back");
  }
  require(print_module(module) == before, "moving back restores the text");
  for (uint32_t i = 0; i < count; ++i) {
    OpId id(i);
    const std::vector<ValueId> results = module.op(id).results;
    auto is_used = [&](ValueId value) { return module.has_uses(value); };
    bool is_gone = !module.op(id).parent.valid();
    if (is_gone || module.op(id).def->terminator || std::ranges::any_of(results, is_used)) continue;
    module.remove_op(id);
    require(module.op_path(id).empty(), "a removed op has no path");
  }
  require(verify(module).empty(), "a module verifies without ops that nothing uses");
}

void test(std::string_view text) {
  ParseResult first = parse_module(text, "fuzz.pir", fuzz_ops());
  require((first.module == nullptr) == !first.diagnostics.empty(), "a module or diagnostics");
  if (!first.module) {
    TextSourceReader reader("fuzz.pir", text);
    require(!render_terminal(first.diagnostics[0], reader).empty(), "errors render");
    return;
  }
  std::string canonical = print_module(*first.module);
  ParseResult second = parse_module(canonical, "fuzz.pir", fuzz_ops());
  require(second.module != nullptr, "printed text parses");
  require(print_module(*second.module) == canonical, "printing is stable");
  require(messages(verify(*first.module, &first.positions)) ==
              messages(verify(*second.module, &second.positions)),
          "printing changes nothing that the verifier sees");
  require(verify(*first.module).size() == verify(*second.module, &second.positions).size(),
          "findings do not depend on positions");
  check_paths(*first.module);
  if (verify(*first.module).empty()) check_edits(*first.module);
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string_view text) {
    if (chance(3)) {
      ParseResult result = parse_module(text, "fuzz.pir", fuzz_ops());
      if (result.module) {
        for (size_t i = 1 + below(4); i > 0; --i) edit(*result.module);
        return print_module(*result.module);
      }
    }
    return chance(3) ? mutate_lines(text) : mutate_tokens(text);
  }

 private:
  size_t below(size_t n) { return n == 0 ? 0 : random_() % n; }
  bool chance(size_t one_in) { return below(one_in) == 0; }
  template <typename T>
  const T& any(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  std::string mutate_lines(std::string_view text) {
    std::vector<std::string> lines;
    for (size_t start = 0; start < text.size();) {
      size_t end = std::min(text.find('\n', start), text.size() - 1);
      lines.emplace_back(text.substr(start, end + 1 - start));
      start = end + 1;
    }
    if (lines.empty()) return std::string(text);
    size_t at = below(lines.size());
    std::string moved = any(lines);
    switch (below(4)) {
      case 0:
        lines.erase(lines.begin() + long(at));
        break;
      case 1:
        lines.insert(lines.begin() + long(at), moved);
        break;
      case 2:
        lines[at] = moved;
        break;
      default:
        lines.insert(lines.begin() + long(at), std::string(any(fuzz_ops())->example));
        if (chance(2)) return std::string(any(fuzz_ops())->example);
    }
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
  }

  std::string mutate_tokens(std::string_view text) {
    std::vector<Token> tokens;
    Lexer lexer(text);
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
      tokens.push_back(token);
    }
    if (tokens.empty()) return "pir 1\n";
    std::string out(text);
    for (size_t i = 1 + below(3); i > 0; --i) {
      const Token& target = any(tokens);
      std::vector<std::string> same_kind;
      for (const Token& token : tokens) {
        if (token.kind == target.kind) same_kind.emplace_back(token.text);
      }
      std::string replacement;
      switch (below(4)) {
        case 0:
          break;
        case 1:
          replacement = any(same_kind);
          break;
        case 2:
          replacement = std::string(target.text) + " " + any(same_kind);
          break;
        default:
          replacement = any(interesting(target.kind));
      }
      // Tokens point into `text`; only the last ones of `out` may have moved.
      size_t offset = size_t(target.text.data() - text.data());
      if (offset + target.text.size() > out.size()) continue;
      out.replace(offset, target.text.size(), replacement);
    }
    return out;
  }

  std::vector<std::string> interesting(TokenKind kind) {
    switch (kind) {
      case TokenKind::Identifier: {
        std::vector<std::string> words = {"grid",
                                          "cluster",
                                          "threads",
                                          "attributes",
                                          "input",
                                          "output",
                                          "aliases",
                                          "body",
                                          "func",
                                          "kernel",
                                          "loc",
                                          "from",
                                          "ref",
                                          "barrier",
                                          "gmem",
                                          "smem",
                                          "tmem",
                                          "regs",
                                          "untile",
                                          "unswizzle",
                                          "arrivals",
                                          "orders_tensor_core",
                                          "leader_tracked",
                                          "true",
                                          "false",
                                          "nan",
                                          "inf",
                                          "-inf",
                                          "hex"};
        for (size_t i = 0; i < kElementTypeCount; ++i) {
          words.emplace_back(element_name(ElementType(i)));
        }
        words.emplace_back(any(fuzz_ops())->name);
        return words;
      }
      case TokenKind::Integer:
      case TokenKind::Float:
      case TokenKind::Hex:
        return {"0",
                "1",
                "-1",
                "2",
                "3",
                "8",
                "16",
                "64",
                "128",
                "127",
                "-128",
                "255",
                "256",
                "1099511627775",
                "1099511627776",
                "2147483647",
                "2147483648",
                "4294967296",
                "9223372036854775807",
                "-9223372036854775808",
                "18446744073709551615",
                "0.5",
                "-0.0",
                "1e39",
                "1e-400",
                "0x7fc00001",
                "0xff",
                "?"};
      case TokenKind::Value:
        return {"%0",          "%1",          "%2",     "%65535",   "%65536",
                "%4294967295", "%4294967296", "i32(0)", "f32(nan)", "bool(true)"};
      case TokenKind::Location:
        return {"#0", "#1", "#4294967295"};
      case TokenKind::String:
        return {"\"\"", "\"x\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "\"wg\""};
      case TokenKind::Symbol:
        return {"@f", "@\"<lambda>\"", "@\"\""};
      default:
        return {"(", ")", "{", "}", "[", "]", "<", ">", ",", ":", "=", "?", "->", "\n"};
    }
  }

  // All regions that a kernel or function reaches, with the values visible at their end.
  struct Place {
    RegionId region;
    std::vector<ValueId> values;
  };

  void collect(const Module& module, RegionId id, std::vector<ValueId> visible,
               std::vector<Place>& places) {
    const Region& region = module.region(id);
    visible.insert(visible.end(), region.arguments.begin(), region.arguments.end());
    for (OpId op : region.ops) {
      for (RegionId inner : module.op(op).regions) collect(module, inner, visible, places);
      const std::vector<ValueId>& results = module.op(op).results;
      visible.insert(visible.end(), results.begin(), results.end());
    }
    places.push_back({id, std::move(visible)});
  }

  void edit(Module& module) {
    std::vector<Place> places;
    collect(module, module.kernel.body, {}, places);
    for (const Function& function : module.functions()) collect(module, function.body, {}, places);
    const Place& place = any(places);
    std::vector<OpId> ops = module.region(place.region).ops;
    if (ops.empty() || chance(2)) return insert(module, place);
    OpId op = any(ops);
    switch (below(4)) {
      case 0: {
        bool is_used = false;
        for (ValueId result : module.op(op).results) is_used |= module.has_uses(result);
        // What its regions hold may be used in places that no verified module has.
        if (!is_used && module.op(op).regions.empty()) module.remove_op(op);
        break;
      }
      case 1:
        module.move_op(op, place.region, below(ops.size() + 1));
        break;
      case 2:
        if (!place.values.empty()) {
          module.replace_uses(any(place.values), any(place.values));
        }
        break;
      default:
        for (const AttributeSpec& spec : module.op(op).def->attributes) {
          if (chance(2)) module.op(op).attributes[std::string(spec.name)] = attribute(spec.kind);
        }
    }
  }

  class Silence : public VerifyContext {
   public:
    explicit Silence(const Module& module) : module_(module) {}
    const Module& module() const override { return module_; }
    void error(std::string) override { found = true; }
    void diagnose(std::string_view, std::vector<std::pair<std::string, std::string>>) override {
      found = true;
    }
    bool found = false;

   private:
    const Module& module_;
  };

  // An op whose operands and attributes fit its signature, in front of the region's terminator.
  void insert(Module& module, const Place& place) {
    const OpDef* def = any(fuzz_ops());
    if (def->terminator) return;
    std::vector<ValueId> operands;
    for (const OperandSpec& spec : def->operands) {
      size_t count = spec.variadic ? below(3) : spec.optional ? below(2) : 1;
      for (; count > 0; --count) {
        std::optional<ValueId> value = operand(module, spec.kind, place.values);
        if (!value) return;
        operands.push_back(*value);
      }
    }
    Attributes attributes;
    for (const AttributeSpec& spec : def->attributes) {
      if (!spec.required && chance(2)) continue;
      attributes[std::string(spec.name)] = attribute(spec.kind);
      // Entries for the dimensions of the first operand are right more often.
      bool has_rank = spec.kind == AttributeKind::Ints && !operands.empty() && !chance(4);
      if (!has_rank) continue;
      std::vector<int64_t> list = module.value(operands[0]).type.shape;
      for (int64_t& entry : list) entry = chance(2) ? entry : int64_t(below(3));
      attributes[std::string(spec.name)] = list;
    }
    size_t end = module.region(place.region).ops.size();
    size_t position = end == 0 ? 0 : end - 1;
    OpId op = module.insert_op(place.region, position, def, operands, {}, attributes, LocationId());
    const OpDef* yield = fuzz_op("control.yield");
    for (int64_t i = def->regions == kDynamic ? 2 : def->regions; i > 0; --i) {
      RegionId region = module.add_region(op);
      for (size_t count = below(3); count > 0; --count) module.add_argument(region, any_type());
      if (yield != nullptr) module.append_op(region, yield, {}, {}, {}, LocationId());
    }
    Silence context(module);
    if (def->infer == nullptr) {
      if (chance(2)) module.add_result(op, any_type());
      return;
    }
    if (def->verify != nullptr) def->verify(context, module.op(op));
    if (context.found) return;
    for (Type& type : def->infer(module, module.op(op))) module.add_result(op, std::move(type));
  }

  std::optional<ValueId> operand(Module& module, OperandKind kind,
                                 const std::vector<ValueId>& visible) {
    std::vector<ValueId> fitting;
    for (ValueId value : visible) {
      const Type& type = module.value(value).type;
      bool fits = kind == OperandKind::Any || (kind == OperandKind::Ref && type.is_ref()) ||
                  (kind == OperandKind::Barrier && type.is_barrier()) ||
                  (kind == OperandKind::Array && type.is_array()) ||
                  (kind == OperandKind::Scalar && type.is_scalar());
      if (fits) fitting.push_back(value);
    }
    if (!fitting.empty() && !chance(5)) return any(fitting);
    if (kind == OperandKind::Ref || kind == OperandKind::Barrier) return std::nullopt;
    bool is_bool = kind == OperandKind::Predicate;
    return module.add_literal({is_bool ? ElementType::Bool : ElementType::S32, below(2)});
  }

  std::vector<int64_t> any_shape() {
    std::vector<int64_t> shape(below(4));
    for (int64_t& dim : shape) dim = int64_t(1) << below(8);
    return shape;
  }

  Type any_type() {
    auto element = ElementType(below(kElementTypeCount));
    switch (below(4)) {
      case 0:
        return Type::ref(MemorySpace(below(4)), element, any_shape());
      case 1: {
        BarrierSpec spec;
        spec.num_arrivals = int64_t(below(3));
        spec.orders_tensor_core = chance(2);
        spec.leader_tracked = chance(4);
        if (chance(4)) spec.cluster_axes = {{"x"}, {"y", "z"}};
        return Type::barriers(spec, any_shape());
      }
      case 2:
        return Type::ref(
            MemorySpace::Smem, ElementType::F16, {2, 2, 8, 64},
            {{LayoutTransform::Kind::Unswizzle, {128}}, {LayoutTransform::Kind::Untile, {8, 64}}});
      default:
        return Type::array(element, any_shape());
    }
  }

  Attribute attribute(AttributeKind kind) {
    const std::vector<int64_t> kInts = {0, 1, 2, 8, 32, 64, 128, -1, kDynamic};
    const std::vector<std::string> kStrings = {"x", "wg", "zeros", "increase", "no such"};
    switch (kind) {
      case AttributeKind::Bool:
        return chance(2);
      case AttributeKind::Int:
        return any(kInts);
      case AttributeKind::Float:
        return double(below(5)) / 2;
      case AttributeKind::String:
        return any(kStrings);
      case AttributeKind::Ints: {
        std::vector<int64_t> list(below(4));
        for (int64_t& entry : list) entry = any(kInts);
        return list;
      }
      case AttributeKind::Strings: {
        std::vector<std::string> list(below(3));
        for (std::string& entry : list) entry = any(kStrings);
        return list;
      }
      case AttributeKind::Bytes:
        return Bytes{std::string(below(9), char(below(256)))};
    }
    return false;
  }

  std::mt19937 random_;
};

}  // namespace
}  // namespace pallasite

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pallasite::test(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string mutated = pallasite::Mutator(seed).mutate(text);
  if (mutated.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
