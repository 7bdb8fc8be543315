#include "pallasite/api/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pallasite {

namespace {

using Json = nlohmann::ordered_json;

// Numbers say which element or phase it was, not what is wrong.
bool names_object(const NamedArgument& argument) {
  return std::holds_alternative<std::string>(argument.value) ||
         std::holds_alternative<Names>(argument.value);
}

bool is_equal(const Diagnostic& a, const Diagnostic& b) {
  if (a.kind != b.kind || a.level != b.level || a.variant != b.variant ||
      a.labels.size() != b.labels.size() || a.arguments.size() != b.arguments.size()) {
    return false;
  }
  for (size_t i = 0; i < a.labels.size(); ++i) {
    if (a.labels[i].text != b.labels[i].text || a.labels[i].location != b.labels[i].location) {
      return false;
    }
  }
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    if (a.arguments[i].name != b.arguments[i].name) return false;
    if (names_object(a.arguments[i]) && a.arguments[i] != b.arguments[i]) return false;
  }
  return true;
}

// Axes are in the order of the grid, whose last axis runs fastest, so comparing them compares
// clusters first.
bool is_smaller(const Diagnostic& a, const Diagnostic& b) {
  if (a.labels.empty() || b.labels.empty()) return false;
  return a.labels[0].thread < b.labels[0].thread;
}

Json event_json(const EventId& event) {
  return Json::array({event.thread, event.number, static_cast<int>(event.kind)});
}

Json choices_json(const std::vector<ClusterChoices>& clusters) {
  Json list = Json::array();
  for (const ClusterChoices& cluster : clusters) {
    Json choices = Json::array();
    for (const Choice& choice : cluster.choices) {
      Json enabled = Json::array();
      for (const EventId& event : choice.enabled) enabled.push_back(event_json(event));
      choices.push_back({{"enabled", std::move(enabled)}, {"picked", choice.picked}});
    }
    list.push_back({{"cluster", cluster.cluster}, {"choices", std::move(choices)}});
  }
  return list;
}

}  // namespace

void settle(Report& report) {
  std::vector<Diagnostic> kept;
  for (Diagnostic& finding : report.findings) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Diagnostic& other) {
      return is_equal(finding, other);
    });
    if (same == kept.end()) {
      kept.push_back(std::move(finding));
      continue;
    }
    const int64_t count = same->count + finding.count;
    if (is_smaller(finding, *same)) *same = std::move(finding);
    same->count = count;
  }
  report.findings = std::move(kept);
  report.verdict = Verdict::Clean;
  for (const Diagnostic& finding : report.findings) {
    report.verdict = worst_of(report.verdict, verdict_of(finding));
  }
}

Report without_findings(Report report, const std::vector<size_t>& positions) {
  std::vector<Diagnostic> kept;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    if (std::ranges::find(positions, i) == positions.end()) {
      kept.push_back(std::move(report.findings[i]));
    }
  }
  report.findings = std::move(kept);
  settle(report);
  return report;
}

std::string to_json(const Report& report, bool with_host, int indent) {
  Json findings = Json::array();
  for (const Diagnostic& finding : report.findings) {
    findings.push_back(Json::parse(to_json(finding)));
  }
  Json prints = Json::array();
  for (const GridPrint& print : report.prints) {
    prints.push_back(
        {{"cluster", print.cluster}, {"thread", to_text(print.thread)}, {"text", print.text}});
  }
  Json value = {
      {"schema_version", kReportSchemaVersion},
      {"verdict", name_of(report.verdict)},
      {"kernel", report.kernel},
      {"arch", report.arch},
      {"arch_guessed", report.arch_guessed},
      {"checks", report.checks},
      {"checks_not_built", report.checks_not_built},
      {"findings", std::move(findings)},
      {"prints", std::move(prints)},
      {"stats", {{"steps", report.steps}, {"clusters", report.clusters}}},
      {"finished", report.finished},
      {"policy", report.schedule},
      {"seed", report.seed},
      {"more_schedules", report.more_schedules},
      {"schedule", choices_json(report.choices)},
      {"module_hash", report.module_hash},
      {"inputs_hash", report.inputs_hash},
      {"on_finding", report.on_finding},
  };
  if (report.devices > 1) {
    value["devices"] = report.devices;
    value["device"] = report.device;
    value["sequence"] = report.sequence;
  }
  if (with_host) {
    value["id"] = report.id;
    if (report.origin != 0) value["origin"] = report.origin;
    if (!report.program.empty()) value["program"] = report.program;
    if (!report.deferred.empty()) value["deferred"] = report.deferred;
    value["host"] = {{"seconds", report.host.seconds},
                     {"workers", report.host.workers},
                     {"clusters_by_worker", report.host.clusters_by_worker},
                     {"serial_after_conflict", report.host.serial_after_conflict}};
  }
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string render_text(const Report& report, SourceReader& reader, const RenderOptions& options) {
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& finding : report.findings) order.push_back(&finding);
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return verdict_of(*b) < verdict_of(*a);
  });
  std::string text;
  for (const Diagnostic* finding : order) {
    text += render_terminal(*finding, reader, options);
    text += '\n';
  }
  if (report.more_schedules > 0 && report.failed()) {
    text += fmt::format(
        "found in schedule {} of {} after the stated one: schedule=\"random\", seed={} repeats "
        "it\n",
        report.more_schedules, report.schedules_asked_for, report.seed);
  }
  if (report.kernel.empty()) return text + fmt::format("no kernel: {}\n", name_of(report.verdict));
  text +=
      fmt::format("kernel {} on {}{}: {}\n", report.kernel, report.arch,
                  report.arch_guessed ? " (guessed from its ops)" : "", name_of(report.verdict));
  return text;
}

}  // namespace pallasite
