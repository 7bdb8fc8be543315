#include <algorithm>
#include <ostream>

#include "pallasite/api/session.h"
#include "pallasite/cli/cli.h"
#include "pallasite/ir/parser.h"

namespace pallasite {

int verify_verb(const VerifyArguments& arguments, const CliEnvironment& environment) {
  const std::optional<std::string> text = read_text(arguments.file, environment.err);
  if (!text) return kUsageError;
  const auto loaded = process_session().load(*text, arguments.file, RunOptions());
  Verdict verdict = Verdict::Clean;
  FileSourceReader files;
  TextSourceReader reader(arguments.file, *text, &files);
  std::string list;
  for (const Diagnostic& diagnostic : loaded->diagnostics) {
    verdict = worst_of(verdict, verdict_of(diagnostic));
    if (arguments.json) {
      list += (list.empty() ? "" : ",\n ") + to_json(diagnostic);
    } else {
      environment.err << render_terminal(diagnostic, reader, {.color = environment.color}) << "\n";
    }
  }
  if (arguments.json) {
    environment.out << "[" << list << "]\n";
  } else if (verdict <= Verdict::Warning) {
    environment.out << arguments.file << ": kernel " << loaded->module->kernel.name
                    << " can run on " << loaded->arch << "\n";
  }
  return exit_code_of(verdict);
}

}  // namespace pallasite
