#include <nlohmann/json.hpp>

#include "pallasite/diag/render.h"

namespace pallasite {
namespace {

using Json = nlohmann::ordered_json;

Json to_json_value(const SourceLocation& location) {
  Json frames = Json::array();
  for (const SourceFrame& frame : location.frames) {
    Json value = {{"file", frame.file}, {"line", frame.line}, {"column", frame.column}};
    if (!frame.function.empty()) value["function"] = frame.function;
    if (!frame.note.empty()) value["note"] = frame.note;
    frames.push_back(std::move(value));
  }
  return frames;
}

Json to_json_value(const ThreadName& thread) {
  Json axes = Json::object();
  for (const auto& [name, index] : thread.axes) axes[name] = index;
  Json iterations = Json::array();
  for (const LoopIteration& iteration : thread.iterations) {
    iterations.push_back({{"loop", iteration.loop}, {"iteration", iteration.iteration}});
  }
  Json value = {{"axes", axes}, {"thread_axis", thread.thread_axis}, {"thread", thread.thread}};
  if (thread.warp >= 0) value["warp"] = thread.warp;
  if (!iterations.empty()) value["iterations"] = iterations;
  value["text"] = to_text(thread);
  return value;
}

Json to_json_value(const Argument& argument) {
  struct Converter {
    Json operator()(int64_t value) const { return value; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(const Names& names) const { return names; }
    Json operator()(const Box& box) const { return {{"begin", box.begin}, {"end", box.end}}; }
    Json operator()(const ThreadName& thread) const { return to_json_value(thread); }
    Json operator()(const Shape& shape) const { return shape; }
  };
  return std::visit(Converter{}, argument);
}

Json to_json_value(const TableRow& row) {
  Json value = {
      {"thread", to_json_value(row.thread)}, {"state", row.state}, {"object", row.object}};
  auto put = [&](const char* name, const std::optional<int64_t>& number) {
    if (number) value[name] = *number;
  };
  put("phase", row.phase);
  put("arrivals_seen", row.arrivals_seen);
  put("arrivals_expected", row.arrivals_expected);
  put("bytes_seen", row.bytes_seen);
  put("bytes_expected", row.bytes_expected);
  value["location"] = to_json_value(row.location);
  return value;
}

}  // namespace

std::string to_json(const ThreadName& thread) {
  return to_json_value(thread).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const SourceLocation& location) {
  return to_json_value(location).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Diagnostic& diagnostic, int indent) {
  const KindFacts& facts = facts_of(diagnostic.kind);
  Json arguments = Json::object();
  for (const NamedArgument& argument : diagnostic.arguments) {
    arguments[argument.name] = to_json_value(argument.value);
  }
  Json labels = Json::array();
  for (const Label& label : diagnostic.labels) {
    Json value = {{"text", label.text}, {"location", to_json_value(label.location)}};
    if (label.thread) value["thread"] = to_json_value(*label.thread);
    labels.push_back(std::move(value));
  }
  Json table = Json::array();
  for (const TableRow& row : diagnostic.table) table.push_back(to_json_value(row));
  Json value = {
      {"schema_version", kJsonSchemaVersion},
      {"code", code_of(diagnostic.kind)},
      {"level", name_of(diagnostic.level)},
      {"verdict", name_of(verdict_of(diagnostic))},
      {"message", message(diagnostic)},
      {"variant", diagnostic.variant},
      {"help", help(diagnostic)},
      {"source", facts.source},
      {"arguments", std::move(arguments)},
      {"labels", std::move(labels)},
      {"table", std::move(table)},
      {"count", diagnostic.count},
  };
  // Text from a user's file need not be UTF-8; a replaced character is better than no report.
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pallasite
