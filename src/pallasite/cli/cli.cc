#include "pallasite/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "pallasite/api/display.h"
#include "pallasite/api/options.h"
#include "pallasite/base/edit_distance.h"
#include "pallasite/base/version.h"
#include "pallasite/cli/verbs.h"

namespace pallasite {

namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 clean or only warnings, 1 the program failed for another reason, 2 usage, "
    "3 error, 4 unsupported, 5 resource, 6 internal, 7 incomplete, 130 interrupted outside of any "
    "kernel; of several the worst counts.";

// A command line, taken apart as far as words go.
struct Words {
  const VerbSpec* verb = nullptr;
  std::vector<std::string> operands;
  // By name, in order; a flag has an empty value.
  std::vector<std::pair<std::string, std::string>> options;
  // `-m module`.
  std::optional<std::string> module;
  // The program's own.
  std::vector<std::string> rest;
  bool help = false;

  bool has(std::string_view name) const {
    return std::ranges::any_of(options, [&](const auto& option) { return option.first == name; });
  }
  // The last one, as is usual; empty if there is none.
  std::string text(std::string_view name) const {
    std::string value;
    for (const auto& [option, given] : options) {
      if (option == name) value = given;
    }
    return value;
  }
  std::vector<std::string> all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [option, given] : options) {
      if (option == name) values.push_back(given);
    }
    return values;
  }
  bool names_program() const {
    return verb->takes_program() &&
           (module || (!operands.empty() && !operands[0].ends_with(".pir")));
  }
};

template <typename Names>
std::string suggestion(std::string_view typed, const Names& names) {
  std::string best;
  size_t least = std::max<size_t>(2, typed.size() / 3) + 1;
  for (std::string_view name : names) {
    const size_t distance = edit_distance(typed, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best.empty() ? "" : fmt::format("; did you mean {}?", best);
}

Words take_apart(const VerbSpec& verb, const std::vector<std::string>& args) {
  Words words;
  words.verb = &verb;
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--help" || word == "-h") {
      words.help = true;
      return words;
    }
    if (verb.takes_program() && word == "-m") {
      if (i + 1 == args.size()) throw UsageError("-m: which module?");
      words.module = args[i + 1];
      words.rest.assign(args.begin() + static_cast<std::ptrdiff_t>(i) + 2, args.end());
      return words;
    }
    if (word.size() < 2 || word[0] != '-') {
      words.operands.push_back(word);
      if (!words.names_program()) continue;
      words.rest.assign(args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      return words;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!verb.takes(name)) {
      throw UsageError(
          fmt::format("{} has no option {}{}", verb.name, name, suggestion(name, verb.options)));
    }
    if (option_spec(verb, name).kind == ValueKind::Flag) {
      if (equals != std::string::npos) throw UsageError(fmt::format("{} takes no value", name));
      words.options.emplace_back(name, "");
    } else if (equals != std::string::npos) {
      words.options.emplace_back(name, word.substr(equals + 1));
    } else if (i + 1 < args.size()) {
      words.options.emplace_back(name, args[++i]);
    } else {
      throw UsageError(fmt::format("{}: a value is missing", name));
    }
  }
  return words;
}

struct OperandText {
  std::string_view name;
  std::string_view help;
};

std::vector<OperandText> operands_of(VerbOperand kind) {
  switch (kind) {
    case VerbOperand::Target:
      return {
          {"TARGET", "program.py and its arguments, -m module and its arguments, or a .pir file"}};
    case VerbOperand::KernelFile:
      return {{"KERNEL", "a .pir file"}};
    case VerbOperand::ScheduleAndKernel:
      return {{"SCHEDULE", "what --record wrote"}, {"KERNEL", "a .pir file"}};
    case VerbOperand::Code:
      return {{"CODE", "such as sched.deadlock"}};
    case VerbOperand::Op:
      return {{"NAME", "such as barrier.wait"}};
    case VerbOperand::Shell:
      return {{"SHELL", "bash or zsh"}};
    case VerbOperand::None:
      break;
  }
  return {};
}

bool operand_is_optional(const VerbSpec& verb) {
  return verb.operand == VerbOperand::Code || verb.operand == VerbOperand::Op;
}

// None for what 64 bits do not hold, which CLI11 takes for the nearest number that they do.
std::optional<int64_t> integer(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

// What Python, and the engine, call an option.
std::string python_name(std::string_view flag) {
  std::string name(flag.substr(2));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string_view heading(OptionScope scope) {
  switch (scope) {
    case OptionScope::KernelFile:
      return "Options for a .pir file";
    case OptionScope::Program:
      return "Options for a program";
    default:
      return "Options";
  }
}

// CLI11 checks the values and writes the help.
struct Verb {
  explicit Verb(CLI::App& app, const VerbSpec& spec)
      : app(*app.add_subcommand(std::string(spec.name), std::string(spec.summary))) {
    for (const OperandText& operand : operands_of(spec.operand)) {
      CLI::Option* option = this->app.add_option(std::string(operand.name), operands.emplace_back(),
                                                 std::string(operand.help));
      option->type_name("");
      if (!operand_is_optional(spec)) option->required();
    }
    for (std::string_view name : spec.options) add(option_spec(spec, name), spec.takes_program());
    this->app.footer([&spec] {
      return fmt::format("{}{}Examples:\n  {}\n", spec.details, spec.details.empty() ? "" : "\n\n",
                         indented(spec.examples));
    });
  }

  void add(const OptionSpec& spec, bool has_scopes) {
    const std::string name(spec.name);
    const std::string help(spec.help);
    CLI::Option* option = nullptr;
    if (spec.kind == ValueKind::Flag) {
      option = app.add_flag(name, help);
    } else if (spec.kind == ValueKind::NamedFile) {
      option = app.add_option(name, lists[name], help)->allow_extra_args(false);
    } else {
      option = app.add_option(name, values[name], help)->take_last();
    }
    if (spec.kind == ValueKind::Integer) {
      check(option, [range = range_of(python_name(name))](const std::string& text) {
        const std::optional<int64_t> number = integer(text);
        if (!number) {
          return fmt::format("{} is no integer from {} to {}", text, range.least, range.most);
        }
        if (*number < range.least) return fmt::format("{} is less than {}", text, range.least);
        return *number > range.most ? fmt::format("{} is more than {}", text, range.most) : "";
      });
    }
    std::string type(spec.value);
    if (spec.kind == ValueKind::Choice) {
      std::vector<std::string> choices;
      std::istringstream list{std::string(spec.choices)};
      for (std::string choice; list >> choice;) choices.push_back(choice);
      check(option, [choices, name](const std::string& text) {
        if (std::ranges::find(choices, text) != choices.end()) return std::string();
        std::error_code ignored;
        if (name == "--schedule" && std::filesystem::is_regular_file(text, ignored)) {
          return fmt::format("expected {}, not a file; a recorded schedule is run with --replay {}",
                             fmt::join(choices, " or "), text);
        }
        return fmt::format("expected {}, not {}{}", fmt::join(choices, " or "), text,
                           suggestion(text, choices));
      });
      type = spec.choices;
      std::ranges::replace(type, ' ', '|');
    }
    if (spec.kind != ValueKind::Flag) option->type_name(type);
    if (has_scopes) option->group(std::string(heading(spec.scope)));
  }

  // A validator without a name, which would stand in the help.
  static void check(CLI::Option* option, std::function<std::string(const std::string&)> refuses) {
    option->check(CLI::Validator([refuses](std::string& text) { return refuses(text); }, ""));
  }

  static std::string indented(std::string_view lines) {
    std::string text;
    for (char c : lines) {
      text += c;
      if (c == '\n') text += "  ";
    }
    return text;
  }

  CLI::App& app;
  // Stable addresses: CLI11 keeps references.
  std::list<std::string> operands;
  std::map<std::string, std::string> values;
  std::map<std::string, std::vector<std::string>> lists;
};

template <typename Number>
std::optional<Number> number(const Words& words, std::string_view name) {
  if (!words.has(name)) return std::nullopt;
  // In range, as its check has passed.
  return static_cast<Number>(integer(words.text(name)).value());
}

RunArguments run_arguments(const Words& words) {
  RunArguments run;
  run.verb = words.verb->name;
  run.file = words.operands.back();
  run.arrays = words.all("--arg");
  run.outputs = words.all("--out");
  run.arch = words.text("--arch");
  run.checks = words.text("--checks");
  run.seed = number<int64_t>(words, "--seed");
  run.schedules = number<uint64_t>(words, "--schedules");
  run.schedule = words.text("--schedule");
  run.async_values = words.text("--async-values");
  run.uninitialized_memory = words.text("--uninitialized-memory");
  run.print_block = words.text("--print-block");
  run.max_steps = number<uint64_t>(words, "--max-steps");
  run.workers = number<uint32_t>(words, "--workers");
  run.record = words.text("--record");
  run.replay = words.verb->operand == VerbOperand::ScheduleAndKernel ? words.operands.front()
                                                                     : words.text("--replay");
  run.json = words.text("--json");
  run.fail_on_warning = words.has("--fail-on");
  run.quiet = words.has("--quiet");
  run.zero_inputs = words.verb->name == "check";
  return run;
}

VerifyArguments verify_arguments(const Words& words) {
  return {.file = words.operands.front(),
          .arch = words.text("--arch"),
          .json = words.text("--json"),
          .fail_on_warning = words.has("--fail-on"),
          .quiet = words.has("--quiet")};
}

// The names that Python knows the options by.
bool is_option_of_run(std::string_view name) {
  for (std::string_view own : {"--fail-on", "--json", "--no-run", "--print-block", "--quiet"}) {
    if (name == own) return false;
  }
  return true;
}

int hand_to_python(const Words& words, const CliEnvironment& environment) {
  if (!environment.python) {
    throw UsageError(fmt::format(
        "{} is not a .pir file, and this program has no Python: use the command of the Python "
        "package (pip install)",
        words.module ? "a module" : words.operands[0]));
  }
  nlohmann::json request = {{"verb", words.verb->name},
                            {"args", words.rest},
                            {"options", nlohmann::json::object()},
                            {"typed", nlohmann::json::array()}};
  if (words.module) {
    request["module"] = *words.module;
  } else {
    request["script"] = words.operands[0];
  }
  for (const auto& [name, text] : words.options) {
    const OptionSpec& spec = option_spec(*words.verb, name);
    if (spec.scope == OptionScope::KernelFile) {
      throw UsageError(fmt::format("{} is for .pir files", name));
    }
    const std::string key = python_name(name);
    nlohmann::json value = text;
    if (spec.kind == ValueKind::Flag) value = true;
    if (spec.kind == ValueKind::Integer) value = *number<int64_t>(words, name);
    if (is_option_of_run(name)) {
      request["options"][key] = value;
    } else {
      request[key] = value;
    }
    // What a command line that shows a finding again has to state beside the schedule that found
    // it.
    const bool is_of_schedule = name == "--schedule" || name == "--seed" || name == "--schedules";
    if (is_option_of_run(name) && !is_of_schedule) {
      request["typed"].push_back(name);
      request["typed"].push_back(text);
    }
  }
  parse_coordinates(words.text("--print-block"));
  return environment.python(request.dump());
}

void refuse_options_of_programs(const Words& words) {
  for (const auto& [name, value] : words.options) {
    if (option_spec(*words.verb, name).scope == OptionScope::Program) {
      throw UsageError(
          fmt::format("{} is for programs, and {} is a kernel", name, words.operands[0]));
    }
  }
}

// Before a run that may take long, rather than at its end.
void refuse_unwritable_files(const Words& words) {
  for (const std::string_view name : {"--json", "--record"}) {
    if (!words.verb->takes(name) || option_spec(*words.verb, name).kind != ValueKind::File)
      continue;
    const std::string file = words.text(name);
    if (file.empty() || (name == "--json" && file == "-")) continue;
    const std::string why = why_unwritable(file);
    if (!why.empty()) throw UsageError(fmt::format("{}: cannot write {}: {}", name, file, why));
  }
}

int dispatch(const Words& words, const CliEnvironment& environment) {
  refuse_unwritable_files(words);
  const std::string_view verb = words.verb->name;
  if (words.names_program()) return hand_to_python(words, environment);
  if (words.verb->takes_program()) refuse_options_of_programs(words);
  const std::string operand = words.operands.empty() ? "" : words.operands[0];
  if (verb == "verify" || words.has("--no-run")) {
    return verify_verb(verify_arguments(words), environment);
  }
  if (verb == "run" || verb == "check" || verb == "replay") {
    if (words.has("--replay") && words.has("--schedule")) {
      throw UsageError("--replay states the schedule: leave out --schedule");
    }
    return run_verb(run_arguments(words), environment);
  }
  if (verb == "explain") {
    return explain_verb({operand, words.has("--all"), words.has("--json")}, environment);
  }
  if (verb == "ops") return ops_verb({operand, words.has("--json")}, environment);
  if (verb == "completion") return completion_verb(operand, environment);
  if (environment.python) {
    return environment.python(
        nlohmann::json{{"verb", verb}, {"json", words.text("--json")}}.dump());
  }
  return doctor_verb(words.text("--json"), environment);
}

// As CLI11 takes it: operands first, each option with its value in one word; the last word first.
std::vector<std::string> for_parser(const Words& words) {
  std::vector<std::string> list{std::string(words.verb->name)};
  if (words.help) {
    list.emplace_back("--help");
  } else {
    if (words.module) list.push_back(*words.module);
    list.insert(list.end(), words.operands.begin(), words.operands.end());
    for (const auto& [name, value] : words.options) {
      const bool is_flag = option_spec(*words.verb, name).kind == ValueKind::Flag;
      list.push_back(is_flag ? name : name + "=" + value);
    }
  }
  std::ranges::reverse(list);
  return list;
}

std::string why_not(int error) {
  return error == 0 ? "it failed" : std::generic_category().message(error);
}

int run_words(const std::vector<std::string>& args, const CliEnvironment& environment) {
  CLI::App app("Runs Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault",
               "pallasite");
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(1);
  std::list<Verb> made;
  std::vector<std::string_view> names;
  for (const VerbSpec& spec : all_verbs()) {
    made.emplace_back(app, spec);
    names.push_back(spec.name);
  }
  // Of the program alone: a verb takes over what its parent has when it is made.
  app.footer("`pallasite VERB --help` shows a verb's options, with examples.\n\n" +
             std::string(kExitCodes));
  Words words;
  std::vector<std::string> list(args.rbegin(), args.rend());
  if (args.empty()) {
    environment.err << app.help();
    return kUsageError;
  }
  if (args[0].starts_with('-')) {
    static constexpr std::string_view kOfTheProgram[] = {"--help", "--version"};
    if (args[0] != "-h" && std::ranges::find(kOfTheProgram, args[0]) == std::end(kOfTheProgram)) {
      throw UsageError(fmt::format("there is no option {} before the verb{}", args[0],
                                   suggestion(args[0], kOfTheProgram)));
    }
  } else {
    const VerbSpec* verb = find_verb(args[0]);
    if (verb == nullptr) {
      throw UsageError(fmt::format("there is no verb {}{}", args[0], suggestion(args[0], names)));
    }
    words = take_apart(*verb, args);
    list = for_parser(words);
  }
  try {
    app.parse(list);
  } catch (const CLI::ParseError& error) {
    // Help, and the version.
    if (error.get_exit_code() == 0) return app.exit(error, environment.out, environment.err);
    const std::string verb = words.verb == nullptr ? "" : " " + std::string(words.verb->name);
    throw UsageError(fmt::format("{}; `pallasite{} --help` tells more", error.what(), verb));
  }
  return dispatch(words, environment);
}

}  // namespace

int run_cli(const std::vector<std::string>& args, const CliEnvironment& environment) {
  try {
    return run_words(args, environment);
  } catch (const UsageError& error) {
    environment.err << "pallasite: " << error.what() << "\n";
  } catch (const OptionError& error) {
    environment.err << "pallasite: " << error.what() << "\n";
  }
  return kUsageError;
}

std::optional<std::string> read_text(const std::string& path, std::ostream& err) {
  std::error_code ignored;
  errno = 0;
  // Some libraries open a folder, and read nothing from it.
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // Of an empty file nothing is inserted, which is a failure to `<<`.
  if (file && !is_folder && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (is_folder || !file.is_open() || file.bad() || !text) {
    err << "pallasite: cannot read " << path << ": "
        << (is_folder ? "it is a folder" : why_not(errno)) << "\n";
    return std::nullopt;
  }
  return std::move(text).str();
}

std::optional<std::string> read_kernel(const std::string& path, std::ostream& err) {
  std::optional<std::string> text = read_text(path, err);
  if (!text) return text;
  bool is_text = text->find('\0') == std::string::npos;
  try {
    // Refuses what is not UTF-8.
    if (is_text) static_cast<void>(nlohmann::json(*text).dump());
  } catch (const nlohmann::json::type_error&) {
    is_text = false;
  }
  if (is_text) return text;
  err << "pallasite: cannot read " << path
      << ": it is no text, and a .pir file is text that begins "
      << "with `pir 1`\n";
  return std::nullopt;
}

std::string why_unwritable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return "it is a folder";
  const bool was_there = std::filesystem::exists(path, ignored);
  errno = 0;
  const bool opens = std::ofstream(path, std::ios::binary | std::ios::app).is_open();
  if (!opens) return why_not(errno);
  // Only to try: a run that does not get to its end leaves no empty file.
  if (!was_there) std::filesystem::remove(path, ignored);
  return "";
}

void write_file(const std::string& path, const std::string& contents) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) throw UsageError(fmt::format("cannot write {}: {}", path, why_not(errno)));
}

void write_json(const std::string& path, const std::string& json,
                const CliEnvironment& environment) {
  if (path == "-") {
    environment.out << json << "\n";
  } else if (!path.empty()) {
    write_file(path, json + "\n");
  }
}

std::string silence(Report& report, bool with_host, const std::string& module_text,
                    const CliEnvironment& environment, std::string& told) {
  Silenced silenced;
  if (environment.silence) {
    silenced = environment.silence(to_json(report, with_host), module_text);
    report = without_findings(std::move(report), silenced.positions);
  }
  told = silenced.told;
  if (silenced.positions.empty()) return to_json(report, with_host, 1);
  nlohmann::json value = nlohmann::json::parse(to_json(report, with_host));
  value["silenced"] = nlohmann::json::parse(silenced.findings);
  return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=,:@%+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace pallasite
