#include "pallasite/cli/verbs.h"

#include <algorithm>

#include "pallasite/base/check.h"

namespace pallasite {

namespace {

constexpr OptionSpec kOptions[] = {
    {"--all", ValueKind::Flag, "", "every diagnostic"},
    {"--arch", ValueKind::Text, "CHIP", "the chip to be: h100, b200, a100, or sm_90a, ...",
     "h100 b200 a100"},
    {"--arg", ValueKind::NamedFile, "NAME=FILE.npy", "an input; may be given several times", "",
     OptionScope::KernelFile},
    {"--async-values", ValueKind::Choice, "WHEN",
     "when asynchronous copies and products take effect: at issue, or as late as they may",
     "eager late"},
    {"--checks", ValueKind::Text, "NAMES", "the checks to run, separated by commas",
     "default none values compile"},
    {"--fail-on", ValueKind::Choice, "LEVEL", "exit with 3 for warnings too", "warning"},
    {"--json", ValueKind::File, "FILE", "write the report as JSON; - for standard output"},
    {"--max-steps", ValueKind::Integer, "N", "give up after so many steps of a kernel"},
    {"--no-run", ValueKind::Flag, "", "judge kernels without running them"},
    {"--num-sms", ValueKind::Integer, "N", "how many SMs the chip has", "", OptionScope::Program},
    {"--numerics", ValueKind::Choice, "MODE", "the arithmetic of matrix products",
     "declared hardware exact", OptionScope::Program},
    {"--on-finding", ValueKind::Choice, "HOW",
     "whether a fault raises an exception in the program, warns, or is only recorded",
     "raise warn record", OptionScope::Program},
    {"--out", ValueKind::NamedFile, "NAME=FILE.npy", "where to keep an output; several times", "",
     OptionScope::KernelFile},
    {"--print-block", ValueKind::Text, "x=0,y=1",
     "print lines of debug_print of these blocks or threads only, by the kernel's axis names"},
    {"--quiet", ValueKind::Flag, "", "no progress, no summary; findings only"},
    {"--record", ValueKind::File, "FILE", "write the schedule of this run", "",
     OptionScope::KernelFile},
    {"--replay", ValueKind::File, "FILE", "run the schedule of a file", "",
     OptionScope::KernelFile},
    {"--schedule", ValueKind::Choice, "ORDER", "the order in which threads run", "fixed random"},
    {"--schedules", ValueKind::Integer, "N",
     "try so many random schedules after the stated one, until one finds a fault"},
    {"--seed", ValueKind::Integer, "N", "of the random choices of a run"},
    {"--uninitialized-memory", ValueKind::Choice, "WHAT", "what fresh memory holds", "nan zero",
     OptionScope::KernelFile},
    {"--workers", ValueKind::Integer, "N",
     "threads of the host (else PALLASITE_WORKERS, or all of them)"},
};

const std::vector<VerbSpec>& verbs() {
  static const std::vector<VerbSpec> all = {
      {.name = "run",
       .summary = "run a Python program, or a kernel in a .pir file",
       .operand = VerbOperand::Target,
       .options = {"--arch",    "--checks",       "--schedule",    "--schedules",
                   "--seed",    "--async-values", "--max-steps",   "--workers",
                   "--fail-on", "--json",         "--print-block", "--quiet",
                   "--num-sms", "--on-finding",   "--numerics",    "--arg",
                   "--out",     "--record",       "--replay",      "--uninitialized-memory"},
       .details = "Options come before the program: all that follows it is the program's own.",
       .examples = "pallasite run --arch h100 train_step.py --steps 3\n"
                   "pallasite run --arch h100 -m package.tool\n"
                   "pallasite run k.pir --arg x=x.npy --out y=y.npy"},
      {.name = "check",
       .summary = "a verdict: like run, but a fault does not end the program",
       .operand = VerbOperand::Target,
       .options = {"--no-run", "--arch", "--checks", "--schedule", "--schedules", "--seed",
                   "--async-values", "--max-steps", "--workers", "--fail-on", "--json",
                   "--print-block", "--quiet", "--num-sms", "--numerics", "--arg",
                   "--uninitialized-memory"},
       .details = "Of a program: findings are recorded and raise nothing, so that every kernel is "
                  "judged. Of a .pir file: inputs that are not given hold zeros, and no output is "
                  "kept. With --no-run kernels are converted, verified and compared with the chip, "
                  "and their outputs hold NaN.",
       .examples = "pallasite check --arch h100 train_step.py\n"
                   "pallasite check --no-run --arch h100 train_step.py\n"
                   "pallasite check k.pir"},
      {.name = "verify",
       .summary = "whether a .pir file is well-formed and fits the chip, without running it",
       .operand = VerbOperand::KernelFile,
       .options = {"--arch", "--fail-on", "--json", "--quiet"},
       .examples = "pallasite verify k.pir"},
      {.name = "replay",
       .summary = "run a kernel under a schedule that `run --record` wrote",
       .operand = VerbOperand::ScheduleAndKernel,
       .options = {"--arg", "--out", "--arch", "--checks", "--async-values", "--max-steps",
                   "--workers", "--fail-on", "--json", "--print-block", "--quiet",
                   "--uninitialized-memory"},
       .details = "Kernel, inputs and options have to be those of the recorded run. A program is "
                  "replayed by its seed: run --schedule random --seed N program.py",
       .examples = "pallasite run --schedule random --seed 7 --record s.json k.pir --arg x=x.npy\n"
                   "pallasite replay s.json k.pir --arg x=x.npy"},
      {.name = "explain",
       .summary = "what a diagnostic means, and how to mend what it tells of",
       .operand = VerbOperand::Code,
       .options = {"--all", "--json"},
       .examples = "pallasite explain sched.deadlock\npallasite explain --all"},
      {.name = "ops",
       .summary = "the ops that kernels are made of",
       .operand = VerbOperand::Op,
       .options = {"--json"},
       .examples = "pallasite ops\npallasite ops barrier.wait"},
      {.name = "doctor",
       .summary = "what is installed, what is set, and whether it works",
       .options = {"--json"},
       .details = "Exits with 1 if something is broken.",
       .examples = "pallasite doctor"},
      {.name = "completion",
       .summary = "completion of this command for a shell",
       .operand = VerbOperand::Shell,
       .examples = "source <(pallasite completion bash)\n"
                   "pallasite completion zsh > ~/.zfunc/_pallasite"},
  };
  return all;
}

}  // namespace

bool VerbSpec::takes(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::span<const VerbSpec> all_verbs() {
  return verbs();
}

const VerbSpec* find_verb(std::string_view name) {
  for (const VerbSpec& verb : verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

const OptionSpec& option_spec(const VerbSpec& verb, std::string_view name) {
  static constexpr OptionSpec kAsJson = {"--json", ValueKind::Flag, "", "as JSON"};
  if (name == kAsJson.name &&
      (verb.operand == VerbOperand::Code || verb.operand == VerbOperand::Op)) {
    return kAsJson;
  }
  const auto found = std::ranges::find(kOptions, name, &OptionSpec::name);
  PALLASITE_CHECK(found != std::end(kOptions));
  return *found;
}

}  // namespace pallasite
