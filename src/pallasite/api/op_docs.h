// The op table as text and as data.
#pragma once

#include <string>

#include "pallasite/ir/op_def.h"

namespace pallasite {

// "barrier.wait (barrier)": operands in parentheses, attributes in braces; `?` marks what is
// optional.
std::string op_signature(const OpDef& def);
// All that the op states, for a terminal.
std::string op_text(const OpDef& def);
std::string op_to_json(const OpDef& def);
// A JSON list of all ops.
std::string ops_to_json();

}  // namespace pallasite
