// A diagnostic as data: a kind, typed arguments and locations. No text is made here (see render.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pallasite/diag/kind.h"

namespace pallasite {

// One frame of a chain of calls. Line and column count from 1; 0 means unknown.
struct SourceFrame {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string function = {};
  // Why code that the user did not write is here, e.g. "inserted by emit_pipeline".
  std::string note = {};
  bool operator==(const SourceFrame&) const = default;
};

struct SourceLocation {
  // Innermost first; empty means unknown.
  std::vector<SourceFrame> frames = {};

  static SourceLocation at(std::string file, int line, int column = 0, std::string function = "");
  bool operator==(const SourceLocation&) const = default;
};

struct LoopIteration {
  // Empty where the loop has no name.
  std::string loop = {};
  int64_t iteration = 0;
  auto operator<=>(const LoopIteration&) const = default;
};

// A simulated thread in the words of the kernel's author.
struct ThreadName {
  // Grid, then cluster axes, in the user's order: x=0, y=3.
  std::vector<std::pair<std::string, int64_t>> axes = {};
  // Empty for a kernel with one thread per block and no name for it.
  std::string thread_axis = {};
  int64_t thread = 0;
  // Within the thread; -1 outside of a warp-specialised region.
  int64_t warp = -1;
  // Outermost loop first.
  std::vector<LoopIteration> iterations = {};
  auto operator<=>(const ThreadName&) const = default;
};

// A half-open box of indices, one range per dimension.
struct Box {
  std::vector<int64_t> begin = {};
  std::vector<int64_t> end = {};
  bool operator==(const Box&) const = default;
};

using Shape = std::vector<int64_t>;
using Names = std::vector<std::string>;
using Argument = std::variant<int64_t, std::string, Names, Box, ThreadName, Shape>;

struct NamedArgument {
  std::string name = {};
  Argument value;
  bool operator==(const NamedArgument&) const = default;
};

// A place in the user's code with what happened there.
struct Label {
  std::string text = {};
  SourceLocation location = {};
  std::optional<ThreadName> thread = {};
  bool operator==(const Label&) const = default;
};

// One thread of a machine that cannot go on.
struct TableRow {
  ThreadName thread;
  // "waiting", "polling", "done", ...
  std::string state = {};
  // What it waits on; empty if on nothing.
  std::string object = {};
  std::optional<int64_t> phase = {};
  std::optional<int64_t> arrivals_seen = {};
  std::optional<int64_t> arrivals_expected = {};
  std::optional<int64_t> bytes_seen = {};
  std::optional<int64_t> bytes_expected = {};
  SourceLocation location = {};
  bool operator==(const TableRow&) const = default;
};

struct Diagnostic {
  Kind kind;
  // From the kind, unless the run's options changed it.
  Level level;
  // Which of the kind's sentences applies; empty where it has only one.
  std::string variant = {};
  std::vector<NamedArgument> arguments = {};
  // The access itself first, then what it conflicts with.
  std::vector<Label> labels = {};
  std::vector<TableRow> table = {};
  // Facts that only this run knows, shown after the help of the kind, e.g. who could still arrive.
  std::string extra_help = {};
  // How many equal findings this one stands for.
  int64_t count = 1;

  const Argument* find(std::string_view name) const;
  bool operator==(const Diagnostic&) const = default;
};

// The verdict of one diagnostic: that of its kind, or of its level where options changed it.
Verdict verdict_of(const Diagnostic& diagnostic);

// Builds a diagnostic and checks it against the facts of its kind. A wrong name or type is a bug of
// the emitter, so it throws InternalError.
//
//   DiagnosticBuilder(Kind::BarrierMissedPhase).variant("wait").arg("ref", name)....at(location,
//   thread)
class DiagnosticBuilder {
 public:
  explicit DiagnosticBuilder(Kind kind);

  DiagnosticBuilder& variant(std::string name);
  DiagnosticBuilder& arg(std::string_view name, Argument value);
  // Any integer and any text, in the one type that an Argument has for them.
  template <typename T>
  requires(!std::is_same_v<T, Argument>) DiagnosticBuilder& arg(std::string_view name,
                                                                const T& value) {
    if constexpr (std::is_integral_v<T>) {
      return arg(name, Argument(static_cast<int64_t>(value)));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return arg(name, Argument(std::string(std::string_view(value))));
    } else {
      return arg(name, Argument(value));
    }
  }
  // The access itself; its words come from the kind unless given. It becomes the first label, also
  // after others.
  DiagnosticBuilder& at(SourceLocation location, std::optional<ThreadName> thread = std::nullopt,
                        std::string text = "");
  DiagnosticBuilder& label(std::string text, SourceLocation location,
                           std::optional<ThreadName> thread = std::nullopt);
  DiagnosticBuilder& row(TableRow row);
  DiagnosticBuilder& help(std::string text);
  DiagnosticBuilder& level(Level level);

  // Also checks that every argument that the chosen sentences name is there.
  Diagnostic build() const;

 private:
  Diagnostic diagnostic_;
  bool has_place_ = false;
};

}  // namespace pallasite
