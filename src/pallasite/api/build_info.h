// What this build of the engine is, and what of the machine it uses.
#pragma once

#include <string>

namespace pallasite {

struct BuildInfo {
  std::string version;
  // Such as "g++ 12.2.0".
  std::string compiler;
  // "release", or "debug" where assertions are on.
  std::string build;
  std::string machine;
  // Of the loops that convert elements; the library of products chooses its own.
  std::string instruction_set;
  std::string onednn;
  unsigned processors = 0;
};

BuildInfo build_info();
std::string to_json(const BuildInfo& info);

}  // namespace pallasite
