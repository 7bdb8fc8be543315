#include "pallasite/diag/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pallasite/base/check.h"
#include "pallasite/base/edit_distance.h"
#include "pallasite/diag/message_template.h"

namespace pallasite {
namespace {

constexpr const CatalogueEntry* kEntries[] = {
#define PALLASITE_DIAGNOSTIC(name, code) &catalogue::name,
#include "pallasite/diag/kinds.def"
#undef PALLASITE_DIAGNOSTIC
};

std::string escape_pattern(std::string_view text) {
  std::string pattern;
  for (char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string_view argument_pattern(ArgumentType type) {
  return type == ArgumentType::Integer ? "-?\\d+" : ".+";
}

// JAX's own sentences do not name the ref in front, and put a key where we put a quoted name.
std::string pattern_of(const KindFacts& facts, const MessageVariant& message) {
  constexpr std::string_view kRefPrefix = "`{ref}`: ";
  std::string_view text = message.text;
  if (message.from_jax && text.starts_with(kRefPrefix)) text.remove_prefix(kRefPrefix.size());
  std::vector<TemplatePiece> pieces = split_template(text);
  std::string pattern;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].is_argument) {
      pattern += argument_pattern(facts.find_argument(pieces[i].text)->type);
      continue;
    }
    std::string_view literal = pieces[i].text;
    if (message.from_jax && i > 0 && literal.starts_with('`')) literal.remove_prefix(1);
    if (message.from_jax && i + 1 < pieces.size() && literal.ends_with('`'))
      literal.remove_suffix(1);
    pattern += escape_pattern(literal);
  }
  return pattern;
}

// FNV-1a: the id of an entry stays the same as long as its code does.
std::string id_of(std::string_view code) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : code) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string_view comment_of(ExampleLanguage language) {
  return language == ExampleLanguage::Pir ? "//" : "#";
}

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <size_t N>
Json to_json_list(const Lines<N>& lines) {
  Json list = Json::array();
  for (std::string_view line : lines.used()) list.push_back(line);
  return list;
}

Json entry_json(Kind kind) {
  const KindFacts& facts = facts_of(kind);
  const CatalogueEntry& entry = entry_of(kind);
  std::string_view comment = comment_of(entry.language);
  Json record = {
      {"id", id_of(code_of(kind))},
      {"repo", "pallasite"},
      {"slug", entry.slug},
      {"errorCode", code_of(kind)},
      {"errorMessage", facts.messages[0].text},
      {"messagePattern", message_pattern(kind)},
      {"errorType", "exception"},
      {"errorClass", text_or_null(error_class_of(kind))},
      {"httpStatus", nullptr},
      {"severity", name_of(facts.level)},
      {"documentation", entry.documentation},
      {"triggerScenarios", entry.triggers},
      {"commonSituations", entry.situations},
      {"solutions", to_json_list(entry.solutions)},
      {"exampleFix",
       fmt::format("{0} before\n{1}\n{0} after\n{2}", comment, entry.before, entry.after)},
      {"handlingStrategy", entry.handling},
      {"validationCode", text_or_null(entry.validation)},
      {"typeGuard", nullptr},
      {"tryCatchPattern", nullptr},
      {"preventionTips", to_json_list(entry.prevention)},
      {"tags", to_json_list(entry.tags)},
      {"schemaVersion", 2},
  };
  Json variants = Json::array();
  for (const MessageVariant& message : facts.message_variants()) {
    variants.push_back({{"name", message.name},
                        {"message", message.text},
                        {"pattern", pattern_of(facts, message)},
                        {"help", message.help.empty() ? facts.help : message.help}});
  }
  Json ours = {
      {"verdict", name_of(verdict_of(kind))},
      {"variants", std::move(variants)},
      {"rule", text_or_null(facts.rule)},
      {"ruleSource", facts.source},
      {"exampleLanguage", name_of(entry.language)},
      {"exampleBefore", entry.before},
      {"exampleAfter", entry.after},
  };
  return {{"record", std::move(record)}, {"pallasite", std::move(ours)}};
}

// Breaks at blanks so that no line is longer than a page of a terminal.
std::string wrap(std::string_view text, std::string_view indent) {
  constexpr size_t kWidth = 96;
  std::string out;
  std::string line(indent);
  size_t words = 0;
  while (!text.empty()) {
    size_t blank = text.find(' ');
    std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (words > 0 && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = indent;
      words = 0;
    }
    if (words++ > 0) line += ' ';
    line += word;
  }
  return out + line + "\n";
}

template <size_t N>
std::string bullets(const Lines<N>& lines) {
  std::string out;
  for (std::string_view line : lines.used()) {
    std::string item = wrap(line, "    ");
    item[2] = '-';
    out += item;
  }
  return out;
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    out += line.empty() ? "\n" : fmt::format("    {}\n", line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

std::string_view name_of(ExampleLanguage language) {
  switch (language) {
    case ExampleLanguage::Python:
      return "python";
    case ExampleLanguage::Pir:
      return "pir";
    case ExampleLanguage::Shell:
      return "shell";
  }
  PALLASITE_CHECK(false);
}

const CatalogueEntry& entry_of(Kind kind) {
  auto index = static_cast<size_t>(kind);
  PALLASITE_CHECK(index < std::size(kEntries));
  return *kEntries[index];
}

const CatalogueEntry* find_entry(std::string_view code) {
  std::optional<Kind> kind = find_kind(code);
  if (!kind || !entry_of(*kind).exemption.empty()) return nullptr;
  return &entry_of(*kind);
}

std::vector<std::string> suggest_codes(std::string_view code) {
  struct Candidate {
    size_t distance;
    std::string_view code;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  size_t limit = std::max<size_t>(2, code.size() / 3);
  for (size_t i = 0; i < kKindCount; ++i) {
    std::string_view known = code_of(kind_at(i));
    std::string_view area = known.substr(0, known.find('.'));
    std::string_view name = known.substr(area.size() + 1);
    size_t distance = std::min(edit_distance(code, known), edit_distance(code, name));
    // An area alone means all of its kinds, after the codes that are a typing error away.
    if (code == area) distance = limit;
    if (distance <= limit) candidates.push_back({distance, known});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> codes;
  for (const Candidate& candidate : candidates) {
    if (codes.size() < 3) codes.emplace_back(candidate.code);
  }
  return codes;
}

std::string message_pattern(Kind kind) {
  const KindFacts& facts = facts_of(kind);
  std::string pattern;
  for (const MessageVariant& message : facts.message_variants()) {
    if (!pattern.empty()) pattern += '|';
    pattern += pattern_of(facts, message);
  }
  return pattern;
}

std::string_view error_class_of(Kind kind) {
  switch (verdict_of(kind)) {
    case Verdict::Error:
      return "pallasite.KernelError";
    case Verdict::Unsupported:
      return "pallasite.UnsupportedError";
    case Verdict::Resource:
      return "pallasite.ResourceError";
    case Verdict::Warning:
      return "pallasite.KernelWarning";
    case Verdict::Clean:
    case Verdict::Incomplete:
    case Verdict::Internal:
      return "";
  }
  PALLASITE_CHECK(false);
}

std::string explain(Kind kind) {
  const KindFacts& facts = facts_of(kind);
  const CatalogueEntry& entry = entry_of(kind);
  std::string out = fmt::format("{} ({})\n\n", code_of(kind), name_of(verdict_of(kind)));
  for (const MessageVariant& message : facts.message_variants()) out += wrap(message.text, "  ");
  auto section = [&](std::string_view title, std::string_view body) {
    if (!body.empty()) out += fmt::format("\n{}:\n{}", title, body);
  };
  auto paragraph = [&](std::string_view title, std::string_view text) {
    if (!text.empty()) section(title, wrap(text, "  "));
  };
  paragraph("rule", facts.rule);
  paragraph("source of the rule", facts.source);
  if (!entry.exemption.empty()) {
    paragraph("no further entry", entry.exemption);
    return out;
  }
  paragraph("what it means", entry.documentation);
  paragraph("what triggers it", entry.triggers);
  paragraph("how one gets there", entry.situations);
  section("what to do", bullets(entry.solutions));
  section(fmt::format("example ({}), before", name_of(entry.language)), indented(entry.before));
  section("after", indented(entry.after));
  section("test for it", indented(entry.validation));
  section("how to keep clear of it", bullets(entry.prevention));
  return out;
}

std::string entry_to_json(Kind kind, int indent) {
  PALLASITE_CHECK(entry_of(kind).exemption.empty(), "an exempt kind has no entry");
  return entry_json(kind).dump(indent);
}

std::string catalogue_to_json(int indent) {
  Json list = Json::array();
  for (size_t i = 0; i < kKindCount; ++i) {
    if (entry_of(kind_at(i)).exemption.empty()) list.push_back(entry_json(kind_at(i)));
  }
  return list.dump(indent);
}

}  // namespace pallasite
