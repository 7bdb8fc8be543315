#include "pallasite/diag/diagnostic.h"

#include <algorithm>

#include "pallasite/base/check.h"
#include "pallasite/diag/message_template.h"

namespace pallasite {
namespace {

static_assert(std::variant_size_v<Argument> == static_cast<size_t>(ArgumentType::Shape) + 1,
              "ArgumentType lists the alternatives of Argument in their order");

void require_arguments(const Diagnostic& diagnostic, std::string_view text) {
  for (const TemplatePiece& piece : split_template(text)) {
    if (!piece.is_argument) continue;
    if (diagnostic.find(piece.text) == nullptr) {
      fail_check(
          __FILE__, __LINE__,
          std::string(code_of(diagnostic.kind)) + " lacks the argument " + std::string(piece.text));
    }
  }
}

}  // namespace

SourceLocation SourceLocation::at(std::string file, int line, int column, std::string function) {
  return SourceLocation{{SourceFrame{std::move(file), line, column, std::move(function), ""}}};
}

const Argument* Diagnostic::find(std::string_view name) const {
  auto found = std::find_if(arguments.begin(), arguments.end(),
                            [&](const NamedArgument& argument) { return argument.name == name; });
  return found == arguments.end() ? nullptr : &found->value;
}

Verdict verdict_of(const Diagnostic& diagnostic) {
  const KindFacts& facts = facts_of(diagnostic.kind);
  if (facts.verdict || diagnostic.level == facts.level) return verdict_of(diagnostic.kind);
  return verdict_of(diagnostic.level);
}

DiagnosticBuilder::DiagnosticBuilder(Kind kind) {
  diagnostic_.kind = kind;
  diagnostic_.level = facts_of(kind).level;
}

DiagnosticBuilder& DiagnosticBuilder::variant(std::string name) {
  PALLASITE_CHECK(facts_of(diagnostic_.kind).find_message(name) != nullptr,
                  "the kind has no such sentence: " + name);
  diagnostic_.variant = std::move(name);
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::arg(std::string_view name, Argument value) {
  const ArgumentSpec* spec = facts_of(diagnostic_.kind).find_argument(name);
  if (spec == nullptr || static_cast<size_t>(spec->type) != value.index()) {
    fail_check(__FILE__, __LINE__,
               std::string(code_of(diagnostic_.kind)) + " has no argument of that type named " +
                   std::string(name));
  }
  PALLASITE_CHECK(diagnostic_.find(name) == nullptr, "an argument is given twice");
  diagnostic_.arguments.push_back({std::string(name), std::move(value)});
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::at(SourceLocation location, std::optional<ThreadName> thread,
                                         std::string text) {
  PALLASITE_CHECK(!has_place_, "the access itself is given twice");
  has_place_ = true;
  if (text.empty()) text = facts_of(diagnostic_.kind).label;
  // The first label, whatever has been labelled before.
  diagnostic_.labels.insert(diagnostic_.labels.begin(),
                            {std::move(text), std::move(location), std::move(thread)});
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::label(std::string text, SourceLocation location,
                                            std::optional<ThreadName> thread) {
  diagnostic_.labels.push_back({std::move(text), std::move(location), std::move(thread)});
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::row(TableRow row) {
  diagnostic_.table.push_back(std::move(row));
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::help(std::string text) {
  diagnostic_.extra_help = std::move(text);
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::level(Level level) {
  diagnostic_.level = level;
  return *this;
}

Diagnostic DiagnosticBuilder::build() const {
  const KindFacts& facts = facts_of(diagnostic_.kind);
  const MessageVariant* message = facts.find_message(diagnostic_.variant);
  PALLASITE_CHECK(message != nullptr, "the kind has several sentences and none was chosen");
  require_arguments(diagnostic_, message->text);
  require_arguments(diagnostic_, message->help.empty() ? facts.help : message->help);
  require_arguments(diagnostic_, facts.rule);
  return diagnostic_;
}

}  // namespace pallasite
