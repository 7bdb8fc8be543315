#include "pallasite/cli/cli.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "pallasite/base/version.h"

namespace pallasite {

namespace {

void add_run(CLI::App& app, RunArguments& run) {
  app.add_option("module", run.file, "the kernel, a .pir file")->required();
  app.add_option("--arg", run.arrays, "NAME=FILE.npy: an input")->take_all();
  app.add_option("--out", run.outputs, "NAME=FILE.npy: where to keep an output")->take_all();
  app.add_option("--arch", run.arch, "the chip to be: h100, b200, a100, or sm_90a, ...");
  app.add_option("--checks", run.checks, "none or default");
  app.add_option("--seed", run.seed, "of the random choices of a run");
  app.add_option("--schedule", run.schedule, "the order in which threads run: fixed or random");
  app.add_option("--async-values", run.async_values,
                 "when asynchronous copies write: eager (at issue) or late");
  app.add_option("--uninitialized-memory", run.uninitialized_memory,
                 "what fresh memory holds: nan or zero");
  app.add_option("--max-steps", run.max_steps, "give up after so many steps")
      ->check(CLI::PositiveNumber);
  app.add_option("--workers", run.workers, "threads of the host (else PALLASITE_WORKERS, or all)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--record", run.record, "write the schedule of this run to a file");
  app.add_option("--replay", run.replay, "run the schedule of a file")->excludes("--schedule");
  app.add_option("--json", run.json, "write the report to a file; - for standard output");
  app.add_option_function<std::string>(
         "--fail-on", [&run](const std::string&) { run.fail_on_warning = true; },
         "warning: exit with 3 for warnings too")
      ->check(CLI::IsMember({"warning"}));
}

}  // namespace

int run_cli(const std::vector<std::string>& args, const CliEnvironment& environment) {
  CLI::App app("Runs Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault",
               "pallasite");
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 clean or only warnings, 2 usage, 3 error, 4 unsupported, 5 resource, 6 "
      "internal, 7 incomplete.");
  RunArguments run;
  CLI::App* run_app = app.add_subcommand("run", "run a kernel on arrays");
  add_run(*run_app, run);
  VerifyArguments verify;
  CLI::App* verify_app = app.add_subcommand("verify", "check a .pir file without running it");
  verify_app->add_option("module", verify.file, "the kernel, a .pir file")->required();
  verify_app->add_flag("--json", verify.json, "diagnostics as JSON");
  ExplainArguments explain;
  CLI::App* explain_app = app.add_subcommand("explain", "what a diagnostic means");
  explain_app->add_option("code", explain.code, "such as sched.deadlock");
  explain_app->add_flag("--all", explain.all, "every diagnostic");
  explain_app->add_flag("--json", explain.json, "the catalogue entry as JSON");
  OpsArguments ops;
  CLI::App* ops_app = app.add_subcommand("ops", "the ops that kernels are made of");
  ops_app->add_option("name", ops.name, "such as barrier.wait");
  ops_app->add_flag("--json", ops.json, "the op table as JSON");
  // CLI11 takes the last argument first.
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, environment.out, environment.err) == 0 ? 0 : kUsageError;
  }
  if (run_app->parsed()) return run_verb(run, environment);
  if (verify_app->parsed()) return verify_verb(verify, environment);
  if (explain_app->parsed()) return explain_verb(explain, environment);
  return ops_verb(ops, environment);
}

std::optional<std::string> read_text(const std::string& path, std::ostream& err) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) {
    err << "pallasite: cannot read " << path << "\n";
    return std::nullopt;
  }
  return std::move(text).str();
}

}  // namespace pallasite
