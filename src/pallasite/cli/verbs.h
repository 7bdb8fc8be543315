// The one table of the command line: verbs, their options, their examples. Parsing, help and
// completion are made of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pallasite {

enum class ValueKind : uint8_t {
  // No value.
  Flag,
  Text,
  // A path.
  File,
  // NAME=PATH, may be given several times.
  NamedFile,
  // In the range that api/options.h states for the option.
  Integer,
  // One of OptionSpec::choices.
  Choice,
};

// What an option is about. Shown as headings in the help of verbs that take both kinds of targets.
enum class OptionScope : uint8_t { Any, KernelFile, Program };

struct OptionSpec {
  std::string_view name;
  ValueKind kind = ValueKind::Flag;
  // What the help calls the value.
  std::string_view value = {};
  std::string_view help = {};
  // Separated by spaces. For a Choice what it may be; for others what completion offers.
  std::string_view choices = {};
  OptionScope scope = OptionScope::Any;
};

enum class VerbOperand : uint8_t { None, Target, KernelFile, ScheduleAndKernel, Code, Op, Shell };

struct VerbSpec {
  std::string_view name;
  std::string_view summary;
  VerbOperand operand = VerbOperand::None;
  std::vector<std::string_view> options = {};
  // Shown below the options.
  std::string_view details = {};
  // One command a line.
  std::string_view examples = {};

  bool takes(std::string_view option) const;
  // A Python program may be named, and all that follows it is the program's own.
  bool takes_program() const { return operand == VerbOperand::Target; }
};

std::span<const VerbSpec> all_verbs();
// Null if there is none.
const VerbSpec* find_verb(std::string_view name);
// An option as a verb has it: where all output may be JSON, `--json` takes no file.
const OptionSpec& option_spec(const VerbSpec& verb, std::string_view name);

std::string completion_for_bash();
std::string completion_for_zsh();

}  // namespace pallasite
