#include <ostream>

#include "pallasite/api/session.h"
#include "pallasite/cli/cli.h"
#include "pallasite/ir/parser.h"

namespace pallasite {

int verify_verb(const VerifyArguments& arguments, const CliEnvironment& environment) {
  const std::optional<std::string> text = read_kernel(arguments.file, environment.err);
  if (!text) return kUsageError;
  RunOptions options = options_of_environment();
  if (!arguments.arch.empty()) options.arch = canonical_arch(arguments.arch);
  const auto loaded = process_session().load(*text, arguments.file, options);
  Report report;
  report.findings = loaded->diagnostics;
  report.checks = {"ir"};
  if (loaded->module) report.kernel = loaded->module->kernel.name;
  report.arch = loaded->arch;
  report.arch_guessed = loaded->arch_guessed;
  report.module_hash = loaded->hash;
  settle(report);
  std::string told;
  const std::string json = silence(report, false, *text, environment, told);
  FileSourceReader files;
  TextSourceReader reader(arguments.file, *text, &files);
  for (const Diagnostic& diagnostic : report.findings) {
    environment.err << render_terminal(diagnostic, reader, {.color = environment.color}) << "\n";
  }
  if (!arguments.quiet) environment.err << told;
  write_json(arguments.json, json, environment);
  if (!report.failed() && !arguments.quiet && arguments.json != "-") {
    environment.out << arguments.file << ": kernel " << report.kernel << " can run on "
                    << report.arch << "\n";
  }
  return exit_code_of(report.verdict, arguments.fail_on_warning);
}

}  // namespace pallasite
