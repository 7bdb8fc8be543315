#include "pallasite/diag/kind.h"

#include "pallasite/base/check.h"

namespace pallasite {
namespace {

struct Row {
  std::string_view name;
  std::string_view code;
  const KindFacts* facts;
};

constexpr Row kRows[] = {
#define PALLASITE_DIAGNOSTIC(name, code) {#name, code, &kind_facts::name},
#include "pallasite/diag/kinds.def"
#undef PALLASITE_DIAGNOSTIC
};
static_assert(std::size(kRows) == kKindCount);

const Row& row_of(Kind kind) {
  auto index = static_cast<size_t>(kind);
  PALLASITE_CHECK(index < kKindCount);
  return kRows[index];
}

// The arrays of KindFacts are filled from the front; an unused element has no text.
template <size_t N>
size_t used(const std::array<MessageVariant, N>& messages) {
  size_t count = 0;
  while (count < N && !messages[count].text.empty()) ++count;
  return count;
}

template <size_t N>
size_t used(const std::array<ArgumentSpec, N>& arguments) {
  size_t count = 0;
  while (count < N && !arguments[count].name.empty()) ++count;
  return count;
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::Error:
      return "error";
    case Level::Warning:
      return "warning";
    case Level::Note:
      return "note";
    case Level::Strict:
      return "strict";
  }
  PALLASITE_CHECK(false);
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return "clean";
    case Verdict::Warning:
      return "warning";
    case Verdict::Incomplete:
      return "incomplete";
    case Verdict::Resource:
      return "resource";
    case Verdict::Unsupported:
      return "unsupported";
    case Verdict::Error:
      return "error";
    case Verdict::Internal:
      return "internal";
  }
  PALLASITE_CHECK(false);
}

int exit_code_of(Verdict verdict, bool fail_on_warning) {
  switch (verdict) {
    case Verdict::Clean:
      return 0;
    case Verdict::Warning:
      return fail_on_warning ? 3 : 0;
    case Verdict::Error:
      return 3;
    case Verdict::Unsupported:
      return 4;
    case Verdict::Resource:
      return 5;
    case Verdict::Internal:
      return 6;
    case Verdict::Incomplete:
      return 7;
  }
  PALLASITE_CHECK(false);
}

std::span<const ArgumentSpec> KindFacts::argument_specs() const {
  return std::span(arguments).first(used(arguments));
}

std::span<const MessageVariant> KindFacts::message_variants() const {
  return std::span(messages).first(used(messages));
}

const MessageVariant* KindFacts::find_message(std::string_view name) const {
  for (const MessageVariant& message : message_variants()) {
    if (message.name == name) return &message;
  }
  return nullptr;
}

const ArgumentSpec* KindFacts::find_argument(std::string_view name) const {
  for (const ArgumentSpec& argument : argument_specs()) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

const KindFacts& facts_of(Kind kind) {
  return *row_of(kind).facts;
}
std::string_view name_of(Kind kind) {
  return row_of(kind).name;
}
std::string_view code_of(Kind kind) {
  return row_of(kind).code;
}

Verdict verdict_of(Level level) {
  switch (level) {
    case Level::Error:
      return Verdict::Error;
    case Level::Warning:
      return Verdict::Warning;
    case Level::Strict:
      return Verdict::Warning;
    case Level::Note:
      return Verdict::Clean;
  }
  PALLASITE_CHECK(false);
}

Verdict verdict_of(Kind kind) {
  const KindFacts& facts = facts_of(kind);
  if (facts.verdict) return *facts.verdict;
  return verdict_of(facts.level);
}

std::optional<Kind> find_kind(std::string_view code) {
  for (size_t i = 0; i < kKindCount; ++i) {
    if (kRows[i].code == code) return kind_at(i);
  }
  return std::nullopt;
}

}  // namespace pallasite
