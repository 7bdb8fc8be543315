// The one place where diagnostics become text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pallasite/diag/diagnostic.h"

namespace pallasite {

// Gives lines of the user's source. Injected, so that a run on another machine or a test needs no
// files.
class SourceReader {
 public:
  virtual ~SourceReader() = default;
  // The line without its end, or nothing if it cannot be had.
  virtual std::optional<std::string> line(const std::string& file, int number) = 0;
};

// Reads files from disk, each of them once.
class FileSourceReader : public SourceReader {
 public:
  std::optional<std::string> line(const std::string& file, int number) override;

 private:
  // Lines by file; a file that cannot be read has none.
  std::map<std::string, std::vector<std::string>> files_;
};

struct RenderOptions {
  bool color = false;
  // Frames of one location; the rest is counted.
  int max_frames = 6;
  // Rows of a thread table; the rest is counted.
  int max_rows = 32;
};

// "wg=1 of block (x=0, y=3), iteration 2"
std::string to_text(const ThreadName& thread);
// "Warpgroup(wg=1 of block (x=0, y=3))", the form that tests written for JAX's interpreter match.
std::string to_jax_text(const ThreadName& thread);
std::string to_text(const Box& box);
std::string to_text(const Argument& argument);

// One line: what was observed.
std::string message(const Diagnostic& diagnostic);
// What to do about it; may be empty.
std::string help(const Diagnostic& diagnostic);
// The full report, several lines, ending in a line end.
std::string render_terminal(const Diagnostic& diagnostic, SourceReader& reader,
                            const RenderOptions& options = {});
// The same without colour and without source lines.
std::string render_plain(const Diagnostic& diagnostic);

// One JSON object. Its schema only grows; `schema_version` changes when a field changes its
// meaning.
inline constexpr int kJsonSchemaVersion = 1;
std::string to_json(const Diagnostic& diagnostic, int indent = -1);
// Parts of it.
std::string to_json(const ThreadName& thread);
std::string to_json(const SourceLocation& location);

}  // namespace pallasite
