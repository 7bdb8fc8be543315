// Text to module.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/diag/render.h"
#include "pallasite/ir/module.h"
#include "pallasite/ir/op_def.h"

namespace pallasite {

// A place in .pir text, from 1; the column counts bytes. 0: unknown.
struct TextPosition {
  uint32_t line = 0;
  uint32_t column = 0;
};

// Where the parts of a module stand in its text.
struct TextPositions {
  std::string file;
  // By index of the op, function.
  std::vector<TextPosition> ops;
  std::vector<TextPosition> functions;
  TextPosition kernel;

  SourceLocation at(TextPosition position) const;
};

// Gives ops that have no location that of their line in the text, so that reports of a module that
// was written by hand still name a line.
void locate_in_text(Module& module, const TextPositions& positions);

struct ParseResult {
  // Null if there are diagnostics.
  std::unique_ptr<Module> module;
  // Of the kind `ir.parse`.
  std::vector<Diagnostic> diagnostics;
  TextPositions positions;
};

// Reads the text form of docs/ir.md, in time linear in the text. What it returns still has to be
// verified. `file_name` is only for messages; `ops` (sorted by name) are those the text may use.
ParseResult parse_module(std::string_view text, std::string_view file_name,
                         std::span<const OpDef* const> ops = all_ops());

// Gives the lines of one text to a renderer of diagnostics, and of other files what `next` gives.
class TextSourceReader : public SourceReader {
 public:
  TextSourceReader(std::string file, std::string_view text, SourceReader* next = nullptr);
  std::optional<std::string> line(const std::string& file, int number) override;

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
  SourceReader* next_;
};

}  // namespace pallasite
