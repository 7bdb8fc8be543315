#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ostream>

#include "pallasite/api/session.h"
#include "pallasite/cli/cli.h"
#include "pallasite/cli/npy.h"
#include "pallasite/ir/parser.h"

namespace pallasite {

namespace {

// What the user typed cannot be done.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

void write_file(const std::string& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) throw UsageError("cannot write " + path);
}

RunOptions options_of(const RunArguments& arguments, const CliEnvironment& environment) {
  RunOptions options;
  if (!arguments.arch.empty()) options.arch = canonical_arch(arguments.arch);
  if (!arguments.checks.empty()) set_checks(options, arguments.checks);
  if (!arguments.schedule.empty()) set_schedule(options, arguments.schedule);
  if (!arguments.async_values.empty()) set_async_values(options, arguments.async_values);
  if (!arguments.uninitialized_memory.empty()) {
    set_uninitialized_memory(options, arguments.uninitialized_memory);
  }
  options.seed = static_cast<uint64_t>(arguments.seed.value_or(0));
  options.max_steps = arguments.max_steps;
  options.workers = arguments.workers;
  const char* workers = std::getenv("PALLASITE_WORKERS");
  if (!options.workers && workers != nullptr && *workers != '\0') {
    set_options(options, fmt::format("{{\"workers\": {}}}", workers));
  }
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

int run(const RunArguments& arguments, const CliEnvironment& environment) {
  const std::optional<std::string> text = read_text(arguments.file, environment.err);
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
  const Report report = session.run(*loaded, input_views, output_views, options);
  for (const GridPrint& print : report.prints) environment.out << print.text << "\n";
  environment.out.flush();
  FileSourceReader files;
  TextSourceReader reader(arguments.file, *text, &files);
  environment.err << render_text(report, reader, {.color = environment.color});
  if (!report.failed()) {
    for (const auto& [path, output] : wanted) write_output(path, *output);
  } else if (!wanted.empty()) {
    environment.err << "no output was written\n";
  }
  if (!report.recorded_schedule.empty()) write_file(arguments.record, report.recorded_schedule);
  if (arguments.json == "-") {
    environment.out << to_json(report, true, 1) << "\n";
  } else if (!arguments.json.empty()) {
    write_file(arguments.json, to_json(report, true, 1) + "\n");
  }
  return exit_code_of(report.verdict, arguments.fail_on_warning);
}

}  // namespace

int run_verb(const RunArguments& arguments, const CliEnvironment& environment) {
  try {
    return run(arguments, environment);
  } catch (const UsageError& error) {
    environment.err << "pallasite: " << error.what() << "\n";
  } catch (const OptionError& error) {
    environment.err << "pallasite: " << error.what() << "\n";
  }
  return kUsageError;
}

}  // namespace pallasite
