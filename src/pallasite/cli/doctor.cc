#include <fmt/format.h>

#include <ostream>

#include "pallasite/api/build_info.h"
#include "pallasite/cli/cli.h"

namespace pallasite {

int doctor_verb(const std::string& json, const CliEnvironment& environment) {
  const BuildInfo info = build_info();
  if (json != "-") {
    environment.out << fmt::format(
        "pallasite {} ({}, {}, {})\n  instruction set  {}\n  oneDNN           {}\n"
        "  processors       {}\n  Python           none: this program runs .pir files only\n",
        info.version, info.compiler, info.build, info.machine, info.instruction_set, info.onednn,
        info.processors);
  }
  write_json(json, to_json(info), environment);
  return 0;
}

}  // namespace pallasite
