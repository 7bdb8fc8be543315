#include "pallasite/api/options.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "pallasite/base/check.h"

namespace pallasite {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
  throw OptionError(fmt::format("{}={}: expected {}", name, value, expected));
}

std::string text_of(const Json& value, std::string_view name) {
  if (!value.is_string()) refuse(name, value.dump(), "a string");
  return value.get<std::string>();
}

// JSON has integers up to the largest of 64 bits without a sign.
bool is_in(const Json& value, IntegerRange range) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) return false;
  return value.get<int64_t>() >= range.least && value.get<int64_t>() <= range.most;
}

int64_t integer_of(const Json& value, std::string_view name) {
  const IntegerRange range = range_of(name);
  if (!is_in(value, range)) {
    refuse(name, value.dump(), fmt::format("an integer from {} to {}", range.least, range.most));
  }
  return value.get<int64_t>();
}

void set_on_finding(RunOptions& options, const std::string& text) {
  for (OnFinding on : {OnFinding::Raise, OnFinding::Warn, OnFinding::Record}) {
    if (name_of(on) == text) {
      options.on_finding = on;
      return;
    }
  }
  refuse("on_finding", text, "raise, warn or record");
}

void set_from(RunOptions& options, const Json& object) {
  if (!object.is_object()) throw OptionError("options: expected a JSON object");
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    if (name == "checks") {
      set_checks(options, text_of(value, name));
    } else if (name == "on_finding") {
      set_on_finding(options, text_of(value, name));
    } else if (name == "seed") {
      options.seed = static_cast<uint64_t>(integer_of(value, name));
    } else if (name == "schedule") {
      set_schedule(options, text_of(value, name));
    } else if (name == "schedules") {
      options.schedules = static_cast<uint64_t>(integer_of(value, name));
    } else if (name == "async_values") {
      set_async_values(options, text_of(value, name));
    } else if (name == "max_steps") {
      options.max_steps = static_cast<uint64_t>(integer_of(value, name));
    } else if (name == "workers") {
      options.workers = static_cast<uint32_t>(integer_of(value, name));
    } else if (name == "uninitialized_memory") {
      set_uninitialized_memory(options, text_of(value, name));
    } else if (name == "out_of_bounds_reads") {
      const std::string text = text_of(value, name);
      if (text != "raise" && text != "uninitialized") refuse(name, text, "raise or uninitialized");
      options.fill_out_of_bounds_loads = text == "uninitialized";
    } else if (name == "arch") {
      options.arch = canonical_arch(text_of(value, name));
    } else if (name == "arch_guessed") {
      if (!value.is_boolean()) refuse(name, value.dump(), "true or false");
      options.arch_guessed = value.get<bool>();
    } else if (name == "program") {
      options.program = text_of(value, name);
    } else if (name == "devices") {
      options.devices = static_cast<uint32_t>(integer_of(value, name));
    } else if (name == "keep_inputs") {
      if (!value.is_boolean()) refuse(name, value.dump(), "true or false");
      options.keep_inputs = value.get<bool>();
    } else if (name == "compiler_asked") {
      if (!value.is_boolean()) refuse(name, value.dump(), "true or false");
      options.compiler_asked = value.get<bool>();
    } else if (name == "origin") {
      options.origin = integer_of(value, name);
    } else if (name == "run") {
      set_from(options, value);
    } else if (name == "jax") {
      options.legality_is_note = true;
    } else {
      throw OptionError(fmt::format("no option is named {}", name));
    }
  }
}

struct Architecture {
  std::string_view name;
  // Of one block.
  int64_t smem_limit;
  std::vector<std::string_view> spellings;
};

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all = {
      {"sm_90a", 227 * 1024, {"h100", "sm_90a", "sm_90", "sm90a", "sm90"}},
      {"sm_100a", 227 * 1024, {"b200", "sm_100a", "sm_100", "sm100a", "sm100"}},
      {"sm_80", 163 * 1024, {"a100", "sm_80", "sm80"}},
  };
  return all;
}

}  // namespace

std::string_view name_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::Random:
      return "random";
    case ScheduleKind::Replay:
      return "replay";
    default:
      return "fixed";
  }
}

std::string_view name_of(OnFinding on_finding) {
  switch (on_finding) {
    case OnFinding::Warn:
      return "warn";
    case OnFinding::Record:
      return "record";
    default:
      return "raise";
  }
}

IntegerRange range_of(std::string_view option) {
  static constexpr std::pair<std::string_view, IntegerRange> kRanges[] = {
      {"devices", {1, 1 << 20}},  {"max_steps", {1, INT64_MAX}}, {"num_sms", {1, INT32_MAX}},
      {"origin", {0, INT64_MAX}}, {"schedules", {0, 1'000'000}}, {"seed", {INT64_MIN, INT64_MAX}},
      {"workers", {1, 1024}},
  };
  for (const auto& [name, range] : kRanges) {
    if (name == option) return range;
  }
  PALLASITE_CHECK(false, "an option without a range: " + std::string(option));
}

void set_options(RunOptions& options, std::string_view json) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw OptionError("options: not JSON");
  set_from(options, object);
}

void set_checks(RunOptions& options, const std::string& text) {
  bool values = false;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view name = std::string_view(text).substr(begin, end - begin);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name != "none" && name != "default" && name != "values") {
      refuse("checks", name, "none, default or values");
    }
    values |= name != "none";
    begin = end + 1;
  }
  options.checks = text;
  options.check_values = values;
}

void set_schedule(RunOptions& options, const std::string& text) {
  if (text != "fixed" && text != "random") refuse("schedule", text, "fixed or random");
  options.schedule = text == "random" ? ScheduleKind::Random : ScheduleKind::Fixed;
}

void set_async_values(RunOptions& options, const std::string& text) {
  if (text != "eager" && text != "late") refuse("async_values", text, "eager or late");
  options.async_values = text == "late" ? AsyncValues::Late : AsyncValues::Eager;
}

void set_uninitialized_memory(RunOptions& options, const std::string& text) {
  if (text != "nan" && text != "zero") refuse("uninitialized_memory", text, "nan or zero");
  options.zero_fill = text == "zero";
}

std::string canonical_arch(std::string_view text) {
  std::string known;
  for (const Architecture& architecture : architectures()) {
    for (std::string_view spelling : architecture.spellings) {
      if (spelling == text) return std::string(architecture.name);
    }
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", architecture.spellings[0],
                         architecture.name);
  }
  throw OptionError(fmt::format("arch={} is not modelled; known: {}", text, known));
}

CompileOptions compile_options(const RunOptions& options, std::string_view arch) {
  CompileOptions compile;
  compile.check_values = options.check_values;
  for (const Architecture& architecture : architectures()) {
    if (architecture.name == arch) compile.smem_limit = architecture.smem_limit;
  }
  // JAX's interpreter asks nothing about the chip.
  if (options.legality_is_note) compile.smem_limit = std::numeric_limits<int64_t>::max() / 2;
  return compile;
}

}  // namespace pallasite
