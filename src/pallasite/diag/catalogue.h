// The catalogue: for every kind of diagnostic what it means, when it happens and how to cure it.
// Entries are data in catalogue/<area>.cc; a kind without an entry states why.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/kind.h"

namespace pallasite {

enum class ExampleLanguage : uint8_t { Python, Pir, Shell };
std::string_view name_of(ExampleLanguage language);

// A short list that is written in place. Filled from the front.
template <size_t N>
struct Lines {
  std::array<std::string_view, N> lines{};

  std::span<const std::string_view> used() const {
    size_t count = 0;
    while (count < N && !lines[count].empty()) ++count;
    return std::span(lines).first(count);
  }
};

struct CatalogueEntry {
  // Why the kind has no entry; everything else is then empty.
  std::string_view exemption = {};
  // A short name made of the words of the message.
  std::string_view slug = {};
  // What it means and why it matters, one paragraph.
  std::string_view documentation = {};
  // What code does that triggers it.
  std::string_view triggers = {};
  // How people come to write that code.
  std::string_view situations = {};
  Lines<5> solutions = {};
  ExampleLanguage language = ExampleLanguage::Python;
  // Complete scripts. Python ones define `run()`, which calls the kernel and returns its result;
  // `before` triggers the kind and `after` runs clean.
  std::string_view before = {};
  std::string_view after = {};
  // "validation": can be tested before the kernel runs; "fix-kernel": the kernel has to change;
  // "rerun": run again under other options; "report": tell us.
  std::string_view handling = {};
  // Python that tests for the fault and runs as it stands; empty where nothing can be tested
  // beforehand.
  std::string_view validation = {};
  Lines<4> prevention = {};
  Lines<5> tags = {};
};

namespace catalogue {
#define PALLASITE_DIAGNOSTIC(name, code) extern const CatalogueEntry name;
#include "pallasite/diag/kinds.def"
#undef PALLASITE_DIAGNOSTIC
}  // namespace catalogue

// The entry of a kind, also if it only states an exemption.
const CatalogueEntry& entry_of(Kind kind);

// The entry of a code; null if the code is unknown or exempt.
const CatalogueEntry* find_entry(std::string_view code);

// Codes that a mistyped one may have meant, best first, at most three.
std::vector<std::string> suggest_codes(std::string_view code);

// A regular expression (ECMAScript and Python) that finds every sentence of the kind. For sentences
// that are JAX's it finds JAX's own text too.
std::string message_pattern(Kind kind);

// The name of the Python exception that carries a diagnostic of this kind; empty where none is
// raised.
std::string_view error_class_of(Kind kind);

// The text of `explain`.
std::string explain(Kind kind);

// One entry as JSON: `record` in the form of published error catalogues, `pallasite` for our own
// fields.
std::string entry_to_json(Kind kind, int indent = -1);

// All entries, as a JSON list.
std::string catalogue_to_json(int indent = -1);

}  // namespace pallasite
