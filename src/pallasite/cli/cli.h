// The command line: one verb per file. Everything but the streams and the signal comes in as
// arguments, so that tests run it in process.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/api/options.h"
#include "pallasite/api/report.h"
#include "pallasite/diag/diagnostic.h"

namespace pallasite {

// What the user silenced of a report.
struct Silenced {
  // Of its findings.
  std::vector<size_t> positions = {};
  // Those findings as a JSON list, each with its reason.
  std::string findings = "[]";
  // What a person is told at the end; whole lines.
  std::string told = {};
};

struct CliEnvironment {
  std::ostream& out;
  std::ostream& err;
  // True ends a run; see RunOptions.
  std::function<bool()> poll_interrupt = {};
  bool color = false;
  // Where a line of progress may be shown; null where there is no terminal.
  std::ostream* terminal = nullptr;
  // Does what needs Python, given the request as JSON: `verb`, `module` or `script` with `args`,
  // `options` by their names in Python, and the other options of the verb. Returns the exit code.
  // Empty in a program without Python.
  std::function<int(const std::string& request)> python = {};
  // Which findings of a report (as JSON) on a kernel of this text are silenced. Throws UsageError.
  // Empty in a program without Python, where nothing can be silenced.
  std::function<Silenced(const std::string& report, const std::string& module_text)> silence = {};
};

// `args` without the program's name. Returns the exit code.
int run_cli(const std::vector<std::string>& args, const CliEnvironment& environment);

inline constexpr int kUsageError = 2;

// What the user typed cannot be done.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The defaults, with what PALLASITE_* variables of the environment state. Throws UsageError.
RunOptions options_of_environment();

// What run, check and replay do with a kernel of a file, as it was typed.
struct RunArguments {
  std::string_view verb = "run";
  std::string file;
  // NAME=FILE.
  std::vector<std::string> arrays;
  std::vector<std::string> outputs;
  std::string arch;
  std::string checks;
  std::optional<int64_t> seed;
  std::optional<uint64_t> schedules;
  std::string schedule;
  std::string async_values;
  std::string uninitialized_memory;
  std::string print_block;
  std::optional<uint64_t> max_steps;
  std::optional<uint32_t> workers;
  std::string record;
  std::string replay;
  // Of the report; "-": standard output.
  std::string json;
  bool fail_on_warning = false;
  bool quiet = false;
  // Inputs that are not given hold zeros.
  bool zero_inputs = false;
};
int run_verb(const RunArguments& arguments, const CliEnvironment& environment);

struct VerifyArguments {
  std::string file;
  std::string arch;
  std::string json;
  bool fail_on_warning = false;
  bool quiet = false;
};
int verify_verb(const VerifyArguments& arguments, const CliEnvironment& environment);

struct ExplainArguments {
  // Empty: all.
  std::string code;
  bool all = false;
  bool json = false;
};
int explain_verb(const ExplainArguments& arguments, const CliEnvironment& environment);

struct OpsArguments {
  std::string name;
  bool json = false;
};
int ops_verb(const OpsArguments& arguments, const CliEnvironment& environment);

// What this program knows of itself; with Python there is more to say, which it says itself.
int doctor_verb(const std::string& json, const CliEnvironment& environment);

int completion_verb(const std::string& shell, const CliEnvironment& environment);

// The text of a file; nothing, and a line to `err`, if it cannot be read.
std::optional<std::string> read_text(const std::string& path, std::ostream& err);
// The same of a kernel, which has to be text at all.
std::optional<std::string> read_kernel(const std::string& path, std::ostream& err);
// Why a file cannot be written; empty if it can.
std::string why_unwritable(const std::string& path);
// Throws UsageError.
void write_file(const std::string& path, const std::string& contents);
// To a file, or to standard output if it is "-".
void write_json(const std::string& path, const std::string& json,
                const CliEnvironment& environment);
// Takes out of a report what the user silenced. Returns the report as JSON, with what was taken
// out; `told` becomes what to tell a person of it.
std::string silence(Report& report, bool with_host, const std::string& module_text,
                    const CliEnvironment& environment, std::string& told);
// A word as a shell takes it.
std::string shell_word(std::string_view word);

}  // namespace pallasite
