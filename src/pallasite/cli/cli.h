// The command line: one verb per file. Everything but the streams and the signal comes in as
// arguments, so that tests run it in process.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace pallasite {

struct CliEnvironment {
  std::ostream& out;
  std::ostream& err;
  // True ends a run; see RunOptions.
  std::function<bool()> poll_interrupt = {};
  bool color = false;
};

// `args` without the program's name. Returns the exit code.
int run_cli(const std::vector<std::string>& args, const CliEnvironment& environment);

inline constexpr int kUsageError = 2;

// Arguments of the verbs, as they were typed.
struct RunArguments {
  std::string file;
  // NAME=FILE.
  std::vector<std::string> arrays;
  std::vector<std::string> outputs;
  std::string arch;
  std::string checks;
  std::optional<int64_t> seed;
  std::string schedule;
  std::string async_values;
  std::string uninitialized_memory;
  std::optional<uint64_t> max_steps;
  std::optional<uint32_t> workers;
  std::string record;
  std::string replay;
  // Of the report; "-": standard output.
  std::string json;
  bool fail_on_warning = false;
};
int run_verb(const RunArguments& arguments, const CliEnvironment& environment);

struct VerifyArguments {
  std::string file;
  bool json = false;
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

// The text of a file; nothing, and a line to `err`, if it cannot be read.
std::optional<std::string> read_text(const std::string& path, std::ostream& err);

}  // namespace pallasite
