// Checks of a module before it runs.
#pragma once

#include <vector>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/module.h"

namespace pallasite {

struct TextPositions;

// What is wrong with the module, in the order of its text; empty if it may be compiled. Checks what
// holds for every op from its OpDef, then what the OpDef checks itself. Gives up after
// kMaxVerifyDiagnostics. With `positions`, of the text that the module was parsed from, diagnostics
// point there and to the kernel's source; else to the source alone.
//
// Of a module that was built by hand it is assumed that all ids are of its tables.
std::vector<Diagnostic> verify(const Module& module, const TextPositions* positions = nullptr);

inline constexpr size_t kMaxVerifyDiagnostics = 100;

}  // namespace pallasite
