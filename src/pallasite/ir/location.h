// Source locations of a module, in the form that diagnostics show.
#pragma once

#include "pallasite/diag/diagnostic.h"
#include "pallasite/ir/module.h"

namespace pallasite {

// The chain of frames, innermost first; empty if `id` is invalid.
SourceLocation source_location(const Module& module, LocationId id);

}  // namespace pallasite
