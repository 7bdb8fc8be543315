#include <ostream>

#include "pallasite/cli/cli.h"
#include "pallasite/diag/catalogue.h"

namespace pallasite {

int explain_verb(const ExplainArguments& arguments, const CliEnvironment& environment) {
  if (arguments.code.empty() != arguments.all) {
    environment.err << "pallasite: explain takes one code, or --all\n";
    return kUsageError;
  }
  if (arguments.all) {
    if (arguments.json) {
      environment.out << catalogue_to_json(1) << "\n";
      return 0;
    }
    for (size_t i = 0; i < kKindCount; ++i) {
      environment.out << code_of(kind_at(i)) << ": " << facts_of(kind_at(i)).messages[0].text
                      << "\n";
    }
    return 0;
  }
  const std::optional<Kind> kind = find_kind(arguments.code);
  if (!kind) {
    environment.err << "pallasite: no diagnostic has the code " << arguments.code << "\n";
    const std::vector<std::string> near = suggest_codes(arguments.code);
    for (size_t i = 0; i < near.size(); ++i) {
      environment.err << (i == 0 ? "did you mean " : ", ") << near[i];
    }
    environment.err << (near.empty() ? "`pallasite explain --all` lists them" : "?") << "\n";
    return kUsageError;
  }
  if (arguments.json && find_entry(arguments.code) == nullptr) {
    environment.err << "pallasite: " << arguments.code
                    << " has no catalogue entry: " << entry_of(*kind).exemption << "\n";
    return kUsageError;
  }
  environment.out << (arguments.json ? entry_to_json(*kind, 1) + "\n" : explain(*kind));
  return 0;
}

}  // namespace pallasite
