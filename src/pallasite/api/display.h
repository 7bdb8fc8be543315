// What a person sees of a run besides its report: the lines of debug_print, and how far it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pallasite/sim/grid.h"

namespace pallasite {

// Coordinates in the axis names of the user: {"x", 0}, {"wg", 1}.
using Coordinates = std::vector<std::pair<std::string, int64_t>>;

struct Display {
  // Each line says which thread printed it, where several print.
  bool prefix_prints = false;
  // Only threads at these coordinates print. A kernel without such an axis prints all.
  Coordinates print_block = {};
  // A line on standard error, if that is a terminal.
  bool progress = false;
};

// Changes what a JSON object states: prefix_prints, print_block ("x=0,wg=1"), progress. Throws
// OptionError.
void set_display(Display& display, std::string_view json);

// "x=0,wg=1"; throws OptionError.
Coordinates parse_coordinates(std::string_view text);

// Whether a thread of that name has the axis.
bool has_axis(const ThreadName& thread, std::string_view axis);

// The lines, each with its line end.
std::string text_of_prints(std::span<const GridPrint> prints, const Display& display);

// One line on a terminal, which appears when a run takes its time, and is gone when it ends.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  // Null: shows nothing.
  explicit ProgressLine(std::ostream* terminal, std::string kernel,
                        Clock::duration patience = std::chrono::seconds(2))
      : terminal_(terminal),
        kernel_(std::move(kernel)),
        start_(Clock::now()),
        show_from_(start_ + patience) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(int64_t done, int64_t total);
  // Takes the line away until the next update, so that others can write.
  void hide();

 private:
  std::ostream* terminal_;
  std::string kernel_;
  Clock::time_point start_;
  Clock::time_point show_from_;
  bool shown_ = false;
};

// What the line says, without what moves the cursor.
std::string progress_text(std::string_view kernel, int64_t done, int64_t total, double seconds);

}  // namespace pallasite
