// Diagnostics that Python finds: what JAX itself says of a kernel.
#pragma once

#include <string>
#include <string_view>

#include "pallasite/diag/diagnostic.h"

namespace pallasite {

// The diagnostic that a JSON object describes: `code`, `variant`, `arguments` (integers and texts),
// `level` ("error" and so on; that of the kind if it is missing) and `frames`, innermost first, of
// the place. Throws OptionError for anything else, InternalError where it does not fit its kind.
Diagnostic diagnostic_from_json(std::string_view json);

}  // namespace pallasite
