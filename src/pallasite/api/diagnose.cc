#include "pallasite/api/diagnose.h"

#include <nlohmann/json.hpp>

#include "pallasite/api/options.h"

namespace pallasite {

namespace {

using Json = nlohmann::json;

SourceLocation location_of(const Json& frames) {
  SourceLocation location;
  for (const Json& frame : frames) {
    location.frames.push_back({.file = frame.at("file"),
                               .line = frame.at("line"),
                               .column = frame.value("column", 0),
                               .function = frame.value("function", ""),
                               .note = frame.value("note", "")});
  }
  return location;
}

Level level_of(const std::string& name) {
  for (Level level : {Level::Error, Level::Warning, Level::Note, Level::Strict}) {
    if (name_of(level) == name) return level;
  }
  throw OptionError("no level is named " + name);
}

Diagnostic built_from(const Json& object) {
  const std::string code = object.at("code");
  const std::optional<Kind> kind = find_kind(code);
  if (!kind) throw OptionError("no diagnostic has the code " + code);
  DiagnosticBuilder builder(*kind);
  builder.variant(object.value("variant", ""));
  const Json arguments = object.value("arguments", Json::object());
  for (const auto& [name, value] : arguments.items()) {
    if (value.is_number_integer()) {
      builder.arg(name, value.get<int64_t>());
    } else {
      builder.arg(name, value.get<std::string>());
    }
  }
  if (object.contains("level")) builder.level(level_of(object.at("level")));
  return builder.at(location_of(object.value("frames", Json::array()))).build();
}

}  // namespace

Diagnostic diagnostic_from_json(std::string_view json) {
  try {
    return built_from(Json::parse(json));
  } catch (const Json::exception& error) {
    throw OptionError(std::string("diagnostic: ") + error.what());
  }
}

}  // namespace pallasite
