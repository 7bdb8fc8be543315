#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pallasite/api/session.h"
#include "pallasite/cli/cli.h"
#include "pallasite/cli/npy.h"
#include "pallasite/ir/parser.h"

namespace pallasite {

namespace {

struct NamedFile {
  std::string name;
  std::string file;
};

NamedFile split(const std::string& text, std::string_view option) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw UsageError(fmt::format("{} {}: expected NAME=FILE", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

RunOptions options_of(const RunArguments& arguments, const CliEnvironment& environment) {
  RunOptions options = options_of_environment();
  if (!arguments.arch.empty()) options.arch = canonical_arch(arguments.arch);
  if (!arguments.checks.empty()) set_checks(options, arguments.checks);
  if (!arguments.schedule.empty()) set_schedule(options, arguments.schedule);
  if (!arguments.async_values.empty()) set_async_values(options, arguments.async_values);
  if (!arguments.uninitialized_memory.empty()) {
    set_uninitialized_memory(options, arguments.uninitialized_memory);
  }
  if (arguments.schedules) options.schedules = *arguments.schedules;
  if (arguments.seed) options.seed = static_cast<uint64_t>(*arguments.seed);
  if (arguments.max_steps) options.max_steps = arguments.max_steps;
  if (arguments.workers) options.workers = arguments.workers;
  options.record_choices = !arguments.record.empty();
  options.poll_interrupt = environment.poll_interrupt;
  return options;
}

// The element type of the input of that name; of an unknown one the binding will tell.
ElementType wanted_type(const LoadedModule& loaded, const std::string& name) {
  if (loaded.module == nullptr) return ElementType::F32;
  const Module& module = *loaded.module;
  const std::vector<ValueId>& values = module.region(module.kernel.body).arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    if (module.kernel.parameters[i].role == KernelParameter::Role::Input &&
        parameter_name(module.kernel, i) == name) {
      return module.value(values[i]).type.element;
    }
  }
  return ElementType::F32;
}

OwnedArray read_input(const NamedFile& named, const LoadedModule& loaded,
                      const CliEnvironment& environment) {
  const std::optional<std::string> contents = read_text(named.file, environment.err);
  if (!contents) throw UsageError(fmt::format("no array for {}", named.name));
  OwnedArray input;
  try {
    NpyArray array = parse_npy(*contents);
    const ElementType wanted = wanted_type(loaded, named.name);
    input.array = {named.name, element_type_of(array, wanted), array.shape, nullptr};
    input.bytes = std::move(array.bytes);
    if (is_sub_byte(wanted) && parse_element_type(input.array.dtype) == wanted) {
      const std::vector<std::byte> registers = std::move(input.bytes);
      input.bytes.assign(packed_bytes(wanted, registers.size()), std::byte{0});
      pack(wanted, registers.data(), input.bytes.data(), 0, registers.size());
    }
  } catch (const NpyError& error) {
    throw UsageError(fmt::format("{}: {}", named.file, error.what()));
  }
  input.array.data = input.bytes.data();
  return input;
}

void write_output(const std::string& path, const OwnedArray& output) {
  const ElementType element = *parse_element_type(output.array.dtype);
  NpyArray array{descr_of(element), output.array.shape, output.bytes};
  if (is_sub_byte(element)) {
    size_t count = 1;
    for (int64_t extent : array.shape) count *= static_cast<size_t>(extent);
    array.bytes.assign(count, std::byte{0});
    unpack(element, output.bytes.data(), 0, array.bytes.data(), count);
  }
  write_file(path, format_npy(array));
}

// Inputs that were not given, holding zeros; says which.
void add_zero_inputs(const LoadedModule& loaded, std::vector<OwnedArray>& inputs,
                     const RunArguments& arguments, const CliEnvironment& environment) {
  if (loaded.module == nullptr) return;
  const Module& module = *loaded.module;
  const std::vector<ValueId>& values = module.region(module.kernel.body).arguments;
  std::string made_up;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string name = parameter_name(module.kernel, i);
    if (module.kernel.parameters[i].role != KernelParameter::Role::Input ||
        std::ranges::any_of(inputs, [&](const auto& given) { return given.array.name == name; })) {
      continue;
    }
    const Type& type = module.value(values[i]).type;
    OwnedArray input;
    input.array = {name, std::string(element_name(type.element)), type.shape, nullptr};
    size_t count = 1;
    for (int64_t extent : type.shape) count *= static_cast<size_t>(extent);
    input.bytes.assign(packed_bytes(type.element, count), std::byte{0});
    input.array.data = input.bytes.data();
    inputs.push_back(std::move(input));
    made_up += (made_up.empty() ? "" : ", ") + name;
  }
  if (!made_up.empty() && !arguments.quiet) {
    environment.err << "inputs of zeros, as none were given: " << made_up << "\n";
  }
}

// An axis that no thread of the kernel has is a typing error, unless nothing was printed.
void refuse_unknown_axes(const Display& display, const std::vector<GridPrint>& prints) {
  if (prints.empty()) return;
  const ThreadName& thread = prints.front().thread;
  for (const auto& [axis, value] : display.print_block) {
    if (has_axis(thread, axis)) continue;
    std::string known = thread.thread_axis;
    for (const auto& [name, coordinate] : thread.axes) known += (known.empty() ? "" : ", ") + name;
    throw UsageError(fmt::format("--print-block {}={}: the kernel's axes are {}", axis, value,
                                 known.empty() ? "none" : known));
  }
}

// The command that shows the same findings again.
std::string command_again(const RunArguments& arguments, uint64_t seed) {
  std::string command = fmt::format("pallasite {} --schedule random --seed {}", arguments.verb,
                                    static_cast<int64_t>(seed));
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", name, shell_word(value));
  };
  add("--arch", arguments.arch);
  add("--checks", arguments.checks);
  add("--async-values", arguments.async_values);
  add("--uninitialized-memory", arguments.uninitialized_memory);
  if (arguments.max_steps) add("--max-steps", std::to_string(*arguments.max_steps));
  command += " " + shell_word(arguments.file);
  for (const std::string& array : arguments.arrays) add("--arg", array);
  return command;
}

// The kernel did not run, for what was typed: arrays that are not those it takes, or a file that is
// no schedule.
bool is_usage(const Report& report) {
  const auto is_typed = [](const Diagnostic& finding) {
    return finding.kind == Kind::ModuleArgument ||
           (finding.kind == Kind::SchedReplayMismatch && finding.variant == "file");
  };
  return std::ranges::any_of(report.findings, is_typed);
}

bool did_run(const Report& report) {
  return std::ranges::find(report.checks, "machine") != report.checks.end();
}

int run(const RunArguments& arguments, const CliEnvironment& environment) {
  const std::optional<std::string> text = read_kernel(arguments.file, environment.err);
  if (!text) return kUsageError;
  RunOptions options = options_of(arguments, environment);
  if (!arguments.replay.empty()) {
    std::optional<std::string> recorded = read_text(arguments.replay, environment.err);
    if (!recorded) return kUsageError;
    options.replay = std::move(*recorded);
    options.schedule = ScheduleKind::Replay;
  }
  Session& session = process_session();
  const auto loaded = session.load(*text, arguments.file, options);
  std::vector<OwnedArray> inputs;
  std::vector<HostArray> input_views;
  for (const std::string& argument : arguments.arrays) {
    inputs.push_back(read_input(split(argument, "--arg"), *loaded, environment));
    input_views.push_back(inputs.back().array);
  }
  if (arguments.zero_inputs) {
    add_zero_inputs(*loaded, inputs, arguments, environment);
    input_views.clear();
    for (const OwnedArray& input : inputs) input_views.push_back(input.array);
  }
  std::vector<OwnedArray> outputs;
  if (loaded->module) outputs = make_outputs(*loaded->module);
  std::vector<HostArray> output_views;
  for (const OwnedArray& output : outputs) output_views.push_back(output.array);
  std::vector<std::pair<std::string, const OwnedArray*>> wanted;
  for (const std::string& argument : arguments.outputs) {
    const NamedFile named = split(argument, "--out");
    const OwnedArray* found = nullptr;
    std::string known;
    for (const OwnedArray& output : outputs) {
      if (output.array.name == named.name) found = &output;
      known += (known.empty() ? "" : ", ") + output.array.name;
    }
    if (found == nullptr && loaded->module) {
      throw UsageError(fmt::format("--out {}: the kernel's outputs are {}", argument,
                                   known.empty() ? "none" : known));
    }
    wanted.emplace_back(named.file, found);
  }
  const Display display{.prefix_prints = true,
                        .print_block = parse_coordinates(arguments.print_block)};
  Report report;
  {
    ProgressLine line(arguments.quiet ? nullptr : environment.terminal,
                      loaded->module ? loaded->module->kernel.name : arguments.file);
    options.on_progress = [&line](int64_t done, int64_t total) { line.update(done, total); };
    report = session.run(*loaded, input_views, output_views, options);
  }
  refuse_unknown_axes(display, report.prints);
  std::string told;
  const std::string json = silence(report, true, *text, environment, told);
  environment.out << text_of_prints(report.prints, display);
  environment.out.flush();
  FileSourceReader files;
  TextSourceReader reader(arguments.file, *text, &files);
  if (!arguments.quiet || report.verdict != Verdict::Clean) {
    environment.err << render_text(report, reader, {.color = environment.color});
  }
  if (!arguments.quiet) environment.err << told;
  if (options.schedule == ScheduleKind::Random && report.verdict != Verdict::Clean &&
      did_run(report)) {
    environment.err << "found under a random schedule; to see it again:\n  "
                    << command_again(arguments, report.seed) << "\n";
  }
  if (!report.failed()) {
    for (const auto& [path, output] : wanted) write_output(path, *output);
  } else if (!wanted.empty()) {
    environment.err << "no output was written\n";
  }
  if (!report.recorded_schedule.empty()) write_file(arguments.record, report.recorded_schedule);
  write_json(arguments.json, json, environment);
  if (is_usage(report)) {
    if (std::ranges::any_of(report.findings, [](const Diagnostic& finding) {
          return finding.kind == Kind::ModuleArgument && finding.variant == "missing";
        })) {
      environment.err << "pallasite: an input is given with --arg NAME=FILE.npy; "
                         "`pallasite check` takes zeros for those that are not\n";
    }
    return kUsageError;
  }
  return exit_code_of(report.verdict, arguments.fail_on_warning);
}

}  // namespace

RunOptions options_of_environment() {
  RunOptions options;
  for (const std::string_view name :
       {"arch", "checks", "schedule", "async_values", "uninitialized_memory", "seed", "schedules",
        "max_steps", "workers"}) {
    std::string variable = fmt::format("PALLASITE_{}", name);
    std::ranges::transform(variable, variable.begin(),
                           [](unsigned char c) { return std::toupper(c); });
    const char* text = std::getenv(variable.c_str());
    if (text == nullptr || *text == '\0') continue;
    const bool is_number =
        name == "seed" || name == "schedules" || name == "max_steps" || name == "workers";
    const nlohmann::json value = is_number ? nlohmann::json::parse(text, nullptr, false) : text;
    try {
      if (value.is_discarded()) throw OptionError(fmt::format("{}: expected an integer", text));
      set_options(options, nlohmann::json{{name, value}}.dump());
    } catch (const OptionError& error) {
      throw UsageError(fmt::format("{}: {}", variable, error.what()));
    }
  }
  return options;
}

int run_verb(const RunArguments& arguments, const CliEnvironment& environment) {
  return run(arguments, environment);
}

}  // namespace pallasite
