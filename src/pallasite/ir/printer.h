// Module to text.
#pragma once

#include <string>

#include "pallasite/ir/module.h"

namespace pallasite {

// The canonical text: values are numbered anew, everything else is as the module has it. The text
// of a verified module parses and prints back identically.
std::string print_module(const Module& module);

}  // namespace pallasite
