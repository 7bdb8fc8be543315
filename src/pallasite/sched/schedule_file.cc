#include "pallasite/sched/schedule_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace pallasite {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// By EventKind.
constexpr std::array<std::string_view, 4> kSuffixes = {"", " read", " write", " complete"};

std::string to_text(const EventId& event) {
  return fmt::format("{}.{}{}", event.thread, event.number,
                     kSuffixes[static_cast<size_t>(event.kind)]);
}

std::optional<EventId> parse_event(std::string_view text) {
  EventId event;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, event.thread);
  if (error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, number_error] = std::from_chars(dot + 1, end, event.number);
  if (number_error != std::errc()) return std::nullopt;
  const std::string_view suffix(rest, static_cast<size_t>(end - rest));
  for (size_t kind = 0; kind < kSuffixes.size(); ++kind) {
    if (kSuffixes[kind] != suffix) continue;
    event.kind = static_cast<EventKind>(kind);
    return event;
  }
  return std::nullopt;
}

// Thrown by the readers below, with what is wrong.
struct Malformed {
  std::string what;
};

const Json& member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) {
    throw Malformed{fmt::format("`{}` is missing", name)};
  }
  return object[name];
}

std::string text_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) throw Malformed{fmt::format("`{}` is no text", name)};
  return value.get<std::string>();
}

uint64_t count_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_unsigned()) throw Malformed{fmt::format("`{}` is no count", name)};
  return value.get<uint64_t>();
}

const Json& list_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_array()) throw Malformed{fmt::format("`{}` is no list", name)};
  return value;
}

Choice read_choice(const Json& json) {
  Choice choice;
  for (const Json& event : list_member(json, "of")) {
    const auto id = event.is_string() ? parse_event(event.get<std::string>()) : std::nullopt;
    if (!id) throw Malformed{fmt::format("{} is no event", event.dump())};
    choice.enabled.push_back(*id);
  }
  const uint64_t picked = count_member(json, "picked");
  if (picked >= choice.enabled.size()) {
    throw Malformed{fmt::format("event {} of {} is picked", picked, choice.enabled.size())};
  }
  choice.picked = static_cast<uint32_t>(picked);
  return choice;
}

Diagnostic file_mismatch(const std::string& what) {
  return DiagnosticBuilder(Kind::SchedReplayMismatch).variant("file").arg("what", what).build();
}

}  // namespace

std::string write_schedule(const Schedule& schedule) {
  Json json;
  json["schedule"] = kFormat;
  json["version"] = schedule.identity.version;
  json["module"] = schedule.identity.module_hash;
  json["inputs"] = schedule.identity.inputs_hash;
  json["options"] = schedule.identity.options;
  json["clusters"] = Json::array();
  for (const ClusterChoices& cluster : schedule.clusters) {
    Json choices = Json::array();
    for (const Choice& choice : cluster.choices) {
      Json of = Json::array();
      for (const EventId& event : choice.enabled) of.push_back(to_text(event));
      choices.push_back({{"of", std::move(of)}, {"picked", choice.picked}});
    }
    json["clusters"].push_back({{"cluster", cluster.cluster}, {"choices", std::move(choices)}});
  }
  return json.dump() + "\n";
}

ReadScheduleResult read_schedule(std::string_view text, const ScheduleIdentity& expected) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return {std::nullopt, file_mismatch("it is not JSON")};
  try {
    if (const uint64_t format = count_member(json, "schedule"); format != kFormat) {
      throw Malformed{fmt::format("it has format {}, and this program reads {}", format, kFormat)};
    }
    Schedule schedule;
    schedule.identity = {text_member(json, "version"), text_member(json, "module"),
                         text_member(json, "inputs"), text_member(json, "options")};
    const ScheduleIdentity& recorded = schedule.identity;
    for (const auto& [what, before, now] :
         {std::tuple("version", &recorded.version, &expected.version),
          std::tuple("module", &recorded.module_hash, &expected.module_hash),
          std::tuple("inputs", &recorded.inputs_hash, &expected.inputs_hash),
          std::tuple("options", &recorded.options, &expected.options)}) {
      if (*before == *now) continue;
      return {std::nullopt, DiagnosticBuilder(Kind::SchedReplayMismatch)
                                .variant("identity")
                                .arg("what", what)
                                .arg("recorded", *before)
                                .arg("current", *now)
                                .build()};
    }
    for (const Json& record : list_member(json, "clusters")) {
      ClusterChoices& cluster = schedule.clusters.emplace_back();
      cluster.cluster = static_cast<int64_t>(count_member(record, "cluster"));
      for (const Json& choice : list_member(record, "choices")) {
        cluster.choices.push_back(read_choice(choice));
      }
    }
    return {std::move(schedule), std::nullopt};
  } catch (const Malformed& malformed) {
    return {std::nullopt, file_mismatch(malformed.what)};
  }
}

}  // namespace pallasite
