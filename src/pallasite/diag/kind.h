// The registry of diagnostic kinds: what is true of every diagnostic of one kind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pallasite {

// Strict findings are those a run reports only when asked to.
enum class Level : uint8_t { Error, Warning, Note, Strict };

// What a run amounts to, ordered from best to worst: of several verdicts the greatest wins.
enum class Verdict : uint8_t {
  Clean,
  Warning,
  Incomplete,
  Resource,
  Unsupported,
  Error,
  Internal,
};

constexpr Verdict worst_of(Verdict a, Verdict b) {
  return a < b ? b : a;
}
std::string_view name_of(Level level);
std::string_view name_of(Verdict verdict);

// The exit code of a command whose worst verdict is this one.
int exit_code_of(Verdict verdict, bool fail_on_warning = false);

enum class Kind : uint16_t {
#define PALLASITE_DIAGNOSTIC(name, code) name,
#include "pallasite/diag/kinds.def"
#undef PALLASITE_DIAGNOSTIC
};

#define PALLASITE_DIAGNOSTIC(name, code) +1
constexpr size_t kKindCount = 0
#include "pallasite/diag/kinds.def"
    ;
#undef PALLASITE_DIAGNOSTIC

enum class ArgumentType : uint8_t { Integer, Text, Names, Box, Thread, Shape };

struct ArgumentSpec {
  std::string_view name;
  ArgumentType type = ArgumentType::Text;
};

// One sentence a kind can say. `{name}` stands for an argument; `{name:jax}` for a thread in the
// form that JAX's interpreter prints, `Warpgroup(...)`.
struct MessageVariant {
  // How emitters choose it; the empty name is the kind's only sentence.
  std::string_view name;
  std::string_view text;
  // The sentence is JAX's own, which tests written for JAX match, so our rules of style do not
  // apply.
  bool from_jax = false;
  // Replaces the help of the kind where the cure differs.
  std::string_view help = {};
};

struct KindFacts {
  Level level = Level::Error;
  // Stated only where it does not follow from the level.
  std::optional<Verdict> verdict = std::nullopt;
  std::array<ArgumentSpec, 10> arguments{};
  std::array<MessageVariant, 6> messages{};
  // Words beside the guilty line.
  std::string_view label = "just happened here";
  // What the hardware or the language demands, in one sentence.
  std::string_view rule = {};
  // What to do about it.
  std::string_view help = {};
  // Where the rule is written down: PTX ISA section, JAX function, or our own document.
  std::string_view source = {};

  std::span<const ArgumentSpec> argument_specs() const;
  std::span<const MessageVariant> message_variants() const;
  const MessageVariant* find_message(std::string_view name) const;
  const ArgumentSpec* find_argument(std::string_view name) const;
};

const KindFacts& facts_of(Kind kind);
std::string_view name_of(Kind kind);
std::string_view code_of(Kind kind);
// The verdict of a finding of this level whose kind states none.
Verdict verdict_of(Level level);
Verdict verdict_of(Kind kind);
std::optional<Kind> find_kind(std::string_view code);

constexpr Kind kind_at(size_t index) {
  return static_cast<Kind>(index);
}

namespace kind_facts {
#define PALLASITE_DIAGNOSTIC(name, code) extern const KindFacts name;
#include "pallasite/diag/kinds.def"
#undef PALLASITE_DIAGNOSTIC
}  // namespace kind_facts

}  // namespace pallasite
