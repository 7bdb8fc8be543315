#include "pallasite/diag/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "pallasite/base/check.h"
#include "pallasite/diag/message_template.h"

namespace pallasite {
namespace {

template <typename Range, typename Print>
std::string join(const Range& range, std::string_view separator, Print&& print) {
  std::string text;
  for (const auto& element : range) {
    if (!text.empty()) text += separator;
    text += print(element);
  }
  return text;
}

// Everything but the iterations.
std::string place_of(const ThreadName& thread) {
  std::string text;
  if (thread.warp >= 0) text = fmt::format("warp {}", thread.warp);
  if (!thread.thread_axis.empty()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " of ", thread.thread_axis, thread.thread);
  }
  if (!thread.axes.empty()) {
    text += fmt::format("{}block ({})", text.empty() ? "" : " of ",
                        join(thread.axes, ", ", [](auto& axis) {
                          return fmt::format("{}={}", axis.first, axis.second);
                        }));
  }
  return text.empty() ? "the only thread" : text;
}

// As Python writes tuples, so that a shape can be pasted.
std::string tuple_text(const Shape& shape) {
  std::string text = join(shape, ", ", [](int64_t size) { return std::to_string(size); });
  return fmt::format("({}{})", text, shape.size() == 1 ? "," : "");
}

std::string fill(std::string_view text, const Diagnostic& diagnostic) {
  std::string result;
  for (const TemplatePiece& piece : split_template(text)) {
    if (!piece.is_argument) {
      result += piece.text;
      continue;
    }
    const Argument* argument = diagnostic.find(piece.text);
    PALLASITE_CHECK(argument != nullptr, "DiagnosticBuilder::build checks this");
    result += piece.as_jax ? to_jax_text(std::get<ThreadName>(*argument)) : to_text(*argument);
  }
  return result;
}

const MessageVariant& variant_of(const Diagnostic& diagnostic) {
  const MessageVariant* found = facts_of(diagnostic.kind).find_message(diagnostic.variant);
  PALLASITE_CHECK(found != nullptr, "DiagnosticBuilder checks this");
  return *found;
}

// What stands before the code: the level of a fault, or the class of a verdict that is none.
std::string_view title_of(const Diagnostic& diagnostic) {
  const KindFacts& facts = facts_of(diagnostic.kind);
  return facts.verdict ? name_of(*facts.verdict) : name_of(diagnostic.level);
}

class TerminalWriter {
 public:
  TerminalWriter(const Diagnostic& diagnostic, SourceReader* reader, const RenderOptions& options)
      : diagnostic_(diagnostic), reader_(reader), options_(options) {}

  std::string write() {
    gutter_ = gutter_width();
    title();
    size_t number = diagnostic_.labels.size();
    for (const Label& label : diagnostic_.labels) this->label(label, number--);
    table();
    std::string rule = fill(facts_of(diagnostic_.kind).rule, diagnostic_);
    remark("rule", rule);
    remark("help", help(diagnostic_));
    if (diagnostic_.count > 1) remark("note", fmt::format("found {} times", diagnostic_.count));
    return std::move(out_);
  }

 private:
  enum class Paint { Title, Frame, Mark };

  std::string paint(Paint paint, std::string text) const {
    if (!options_.color) return text;
    const char* code = "1;34";
    if (paint != Paint::Frame) {
      code = verdict_of(diagnostic_) > Verdict::Warning ? "1;31" : "1;33";
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  // Room for the largest line number that is shown.
  size_t gutter_width() const {
    size_t width = 1;
    for (const Label& label : diagnostic_.labels) {
      if (label.location.frames.empty()) continue;
      width = std::max(width, std::to_string(label.location.frames[0].line).size());
    }
    return width;
  }

  void title() {
    std::string head = fmt::format("{}[{}]", title_of(diagnostic_), code_of(diagnostic_.kind));
    out_ += fmt::format("{}: {}\n", paint(Paint::Title, head), message(diagnostic_));
  }

  static std::string frame_text(const SourceFrame& frame) {
    std::string text = frame.file;
    if (frame.line > 0) text += fmt::format(":{}", frame.line);
    if (frame.line > 0 && frame.column > 0) text += fmt::format(":{}", frame.column);
    if (!frame.function.empty()) text += fmt::format(" in `{}`", frame.function);
    if (!frame.note.empty()) text += fmt::format(", {}", frame.note);
    return text;
  }

  // The words of a label. With several, they count backwards in time: the last thing has the
  // highest.
  std::string label_text(const Label& label, size_t number) const {
    std::string text =
        diagnostic_.labels.size() > 1 ? fmt::format("({}) {}", number, label.text) : label.text;
    if (label.thread) text += fmt::format(", by {}", to_text(*label.thread));
    return text;
  }

  void label(const Label& label, size_t number) {
    std::string pad(gutter_, ' ');
    std::string bar = paint(Paint::Frame, "|");
    std::string text = label_text(label, number);
    const std::vector<SourceFrame>& frames = label.location.frames;
    if (frames.empty()) {
      out_ += fmt::format("{}{} {}\n", pad, paint(Paint::Frame, "-->"), text);
      return;
    }
    const SourceFrame& frame = frames[0];
    out_ += fmt::format("{}{} {}\n", pad, paint(Paint::Frame, "-->"), frame_text(frame));
    std::optional<std::string> line;
    if (reader_ != nullptr && frame.line > 0) line = reader_->line(frame.file, frame.line);
    if (line) {
      size_t column = mark_column(*line, frame.column);
      std::string number_text = fmt::format("{:>{}}", frame.line, gutter_);
      out_ += fmt::format("{} {}\n", pad, bar);
      out_ += fmt::format("{} {} {}\n", paint(Paint::Frame, number_text), bar, *line);
      out_ += fmt::format("{} {} {}{} {}\n", pad, bar, indent_like(*line, column),
                          paint(Paint::Mark, "^"), paint(Paint::Mark, text));
    } else {
      out_ += fmt::format("{} {} {}\n", pad, paint(Paint::Frame, "="), text);
    }
    callers(frames, pad);
  }

  void callers(const std::vector<SourceFrame>& frames, const std::string& pad) {
    size_t shown = std::min(frames.size(), static_cast<size_t>(std::max(options_.max_frames, 1)));
    for (size_t i = 1; i < shown; ++i) {
      // Where a function begins says nothing beside the line of it that was just shown.
      if (!frames[i].function.empty() && frames[i].function == frames[i - 1].function &&
          frames[i].file == frames[i - 1].file) {
        continue;
      }
      out_ += fmt::format("{}{} called at {}\n", pad, paint(Paint::Frame, ":::"),
                          frame_text(frames[i]));
    }
    if (shown < frames.size()) {
      out_ += fmt::format("{}{} and {} more frame{}\n", pad, paint(Paint::Frame, ":::"),
                          frames.size() - shown, frames.size() - shown == 1 ? "" : "s");
    }
  }

  // Where to point, from 0: the column if known, else the first character that is not blank.
  static size_t mark_column(const std::string& line, int column) {
    if (column > 0) return std::min(static_cast<size_t>(column - 1), line.size());
    size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? 0 : first;
  }

  // Blanks that are as wide as the start of the line, tabs included.
  static std::string indent_like(const std::string& line, size_t columns) {
    std::string indent;
    for (size_t i = 0; i < columns; ++i) {
      auto byte = static_cast<unsigned char>(line[i]);
      bool continues_character = (byte & 0xC0) == 0x80;
      if (!continues_character) indent += byte == '\t' ? '\t' : ' ';
    }
    return indent;
  }

  static std::string progress(const std::optional<int64_t>& seen,
                              const std::optional<int64_t>& expected) {
    if (!seen && !expected) return "";
    std::string left = seen ? std::to_string(*seen) : "?";
    std::string right = expected ? std::to_string(*expected) : "?";
    return fmt::format("{}/{}", left, right);
  }

  void table() {
    if (diagnostic_.table.empty()) return;
    std::vector<std::array<std::string, 7>> cells = {
        {"thread", "state", "object", "phase", "arrivals", "bytes", "at"}};
    size_t shown =
        std::min(diagnostic_.table.size(), static_cast<size_t>(std::max(options_.max_rows, 1)));
    for (size_t i = 0; i < shown; ++i) {
      const TableRow& row = diagnostic_.table[i];
      const std::vector<SourceFrame>& frames = row.location.frames;
      cells.push_back({to_text(row.thread), row.state, row.object,
                       row.phase ? std::to_string(*row.phase) : "",
                       progress(row.arrivals_seen, row.arrivals_expected),
                       progress(row.bytes_seen, row.bytes_expected),
                       frames.empty() ? "" : fmt::format("{}:{}", frames[0].file, frames[0].line)});
    }
    std::array<size_t, 7> widths{};
    for (const auto& row : cells) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string pad(gutter_, ' ');
    std::string bar = paint(Paint::Frame, "|");
    out_ += fmt::format("{} {}\n", pad, bar);
    for (const auto& row : cells) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out_ += fmt::format("{} {} {}\n", pad, bar, line);
    }
    if (shown < diagnostic_.table.size()) {
      out_ +=
          fmt::format("{} {} and {} more thread{}\n", pad, bar, diagnostic_.table.size() - shown,
                      diagnostic_.table.size() - shown == 1 ? "" : "s");
    }
  }

  void remark(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    out_ += fmt::format("{} {} {}: {}\n", std::string(gutter_, ' '), paint(Paint::Frame, "="), name,
                        text);
  }

  const Diagnostic& diagnostic_;
  SourceReader* reader_;
  const RenderOptions& options_;
  size_t gutter_ = 1;
  std::string out_;
};

}  // namespace

std::optional<std::string> FileSourceReader::line(const std::string& file, int number) {
  auto [entry, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = entry->second;
  if (is_new) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(std::move(line));
    }
  }
  if (number < 1 || static_cast<size_t>(number) > lines.size()) return std::nullopt;
  return lines[number - 1];
}

std::string to_text(const ThreadName& thread) {
  std::string text = place_of(thread);
  for (const LoopIteration& iteration : thread.iterations) {
    text += fmt::format(", iteration {}", iteration.iteration);
    if (!iteration.loop.empty()) text += fmt::format(" of `{}`", iteration.loop);
  }
  return text;
}

std::string to_jax_text(const ThreadName& thread) {
  return fmt::format("{}({})", thread.warp >= 0 ? "Warp" : "Warpgroup", place_of(thread));
}

std::string to_text(const Box& box) {
  PALLASITE_CHECK(box.begin.size() == box.end.size());
  std::string text;
  for (size_t i = 0; i < box.begin.size(); ++i) {
    text += fmt::format("{}{}:{}", i == 0 ? "" : ", ", box.begin[i], box.end[i]);
  }
  return text;
}

std::string to_text(const Argument& argument) {
  struct Printer {
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(const std::string& text) const { return text; }
    // As Python writes lists of names: JAX's messages do.
    std::string operator()(const Names& names) const {
      return fmt::format("[{}]",
                         join(names, ", ", [](auto& name) { return fmt::format("'{}'", name); }));
    }
    std::string operator()(const Box& box) const { return to_text(box); }
    std::string operator()(const ThreadName& thread) const { return to_text(thread); }
    std::string operator()(const Shape& shape) const { return tuple_text(shape); }
  };
  return std::visit(Printer{}, argument);
}

std::string message(const Diagnostic& diagnostic) {
  return fill(variant_of(diagnostic).text, diagnostic);
}

std::string help(const Diagnostic& diagnostic) {
  const MessageVariant& variant = variant_of(diagnostic);
  std::string_view own = variant.help.empty() ? facts_of(diagnostic.kind).help : variant.help;
  std::string text = fill(own, diagnostic);
  if (!diagnostic.extra_help.empty()) {
    text += (text.empty() ? "" : "; ") + diagnostic.extra_help;
  }
  return text;
}

std::string render_terminal(const Diagnostic& diagnostic, SourceReader& reader,
                            const RenderOptions& options) {
  return TerminalWriter(diagnostic, &reader, options).write();
}

std::string render_plain(const Diagnostic& diagnostic) {
  RenderOptions options;
  return TerminalWriter(diagnostic, nullptr, options).write();
}

}  // namespace pallasite
