// Checks of types, whatever op they stand in.
#pragma once

#include <string>

#include "pallasite/ir/type.h"

namespace pallasite {

// What is wrong with a type, as one sentence; empty if nothing is.
std::string type_problem(const Type& type);

}  // namespace pallasite
