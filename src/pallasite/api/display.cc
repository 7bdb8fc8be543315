#include "pallasite/api/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pallasite/api/options.h"

namespace pallasite {

namespace {

using Json = nlohmann::json;

// The coordinate of a thread, or nothing where its kernel has no such axis.
const int64_t* coordinate(const ThreadName& thread, std::string_view axis) {
  for (const auto& [name, value] : thread.axes) {
    if (name == axis) return &value;
  }
  return thread.thread_axis == axis ? &thread.thread : nullptr;
}

bool is_at(const ThreadName& thread, const Coordinates& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis_and_value) {
    const int64_t* value = coordinate(thread, axis_and_value.first);
    return value == nullptr || *value == axis_and_value.second;
  });
}

std::string prefix_of(const ThreadName& thread) {
  std::string text;
  for (const auto& [name, value] : thread.axes) text += fmt::format(" {}={}", name, value);
  if (!thread.thread_axis.empty()) text += fmt::format(" {}={}", thread.thread_axis, thread.thread);
  return text.empty() ? "" : fmt::format("[{}] ", text.substr(1));
}

bool flag_of(const Json& value, std::string_view name) {
  if (!value.is_boolean()) throw OptionError(fmt::format("{}: expected true or false", name));
  return value.get<bool>();
}

}  // namespace

void set_display(Display& display, std::string_view json) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw OptionError("display: expected a JSON object");
  for (const auto& [name, value] : object.items()) {
    if (name == "prefix_prints") {
      display.prefix_prints = flag_of(value, name);
    } else if (name == "progress") {
      display.progress = flag_of(value, name);
    } else if (name == "print_block" && value.is_string()) {
      display.print_block = parse_coordinates(value.get<std::string>());
    } else {
      throw OptionError(fmt::format("display: {} is unknown", name));
    }
  }
}

Coordinates parse_coordinates(std::string_view text) {
  Coordinates coordinates;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const size_t equals = item.find('=');
    int64_t value = 0;
    const char* last = item.data() + item.size();
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == item.size() ||
        std::from_chars(item.data() + equals + 1, last, value).ptr != last) {
      throw OptionError(fmt::format("print_block={}: expected coordinates such as x=0,wg=1", text));
    }
    coordinates.emplace_back(item.substr(0, equals), value);
    begin = end + 1;
  }
  return coordinates;
}

bool has_axis(const ThreadName& thread, std::string_view axis) {
  return coordinate(thread, axis) != nullptr;
}

std::string text_of_prints(std::span<const GridPrint> prints, const Display& display) {
  std::vector<const GridPrint*> wanted;
  for (const GridPrint& print : prints) {
    if (is_at(print.thread, display.print_block)) wanted.push_back(&print);
  }
  const bool prefix =
      display.prefix_prints && std::ranges::any_of(wanted, [&](const GridPrint* print) {
        return print->thread != wanted.front()->thread;
      });
  std::string text;
  for (const GridPrint* print : wanted) {
    if (prefix) text += prefix_of(print->thread);
    text += print->text;
    text += '\n';
  }
  return text;
}

std::string progress_text(std::string_view kernel, int64_t done, int64_t total, double seconds) {
  if (total <= 1 || done <= 0) {
    return fmt::format("pallasite: {}: {} of {} clusters, {:.0f} s", kernel, done, total, seconds);
  }
  const double rate = static_cast<double>(done) / seconds;
  return fmt::format("pallasite: {}: {} of {} clusters ({}%), {:.3g} a second, about {:.0f} s left",
                     kernel, done, total, 100 * done / total, rate,
                     static_cast<double>(total - done) / rate);
}

void ProgressLine::update(int64_t done, int64_t total) {
  if (terminal_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now < show_from_) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // Back to the start of the line; what is left of an earlier, longer text goes.
  *terminal_ << '\r' << progress_text(kernel_, done, total, seconds) << "\x1b[K" << std::flush;
  shown_ = true;
}

void ProgressLine::hide() {
  if (shown_) *terminal_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

ProgressLine::~ProgressLine() {
  hide();
}

}  // namespace pallasite
