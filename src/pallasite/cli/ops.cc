#include <ostream>

#include "pallasite/api/op_docs.h"
#include "pallasite/cli/cli.h"

namespace pallasite {

int ops_verb(const OpsArguments& arguments, const CliEnvironment& environment) {
  if (arguments.json && arguments.name.empty()) {
    environment.out << ops_to_json() << "\n";
    return 0;
  }
  if (arguments.name.empty()) {
    for (const OpDef* def : all_ops()) environment.out << op_signature(*def) << "\n";
    return 0;
  }
  if (const OpDef* def = find_op_def(arguments.name)) {
    environment.out << (arguments.json ? op_to_json(*def) + "\n" : op_text(*def));
    return 0;
  }
  environment.err << "pallasite: no op is named " << arguments.name << "\n";
  // A family, or the op without its family.
  std::string near;
  for (const OpDef* def : all_ops()) {
    const size_t dot = def->name.find('.');
    if (def->name.substr(0, dot) == arguments.name.substr(0, arguments.name.find('.')) ||
        def->name.substr(dot + 1) == arguments.name) {
      near += (near.empty() ? "" : ", ") + std::string(def->name);
    }
  }
  environment.err << (near.empty() ? "`pallasite ops` lists them" : "there are " + near) << "\n";
  return kUsageError;
}

}  // namespace pallasite
