// Ops for the tests of ir/, so that these hold whatever ops the registry has.
#pragma once

#include <span>

#include "pallasite/ir/op_def.h"

namespace pallasite {

// Sorted by name: the view ops and stand-ins with the names and signatures of real ops.
std::span<const OpDef* const> test_ops();

}  // namespace pallasite
