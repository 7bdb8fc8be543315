// The type of an operand, as inference and verification ask for it.
#pragma once

#include "pallasite/ir/module.h"

namespace pallasite {

inline const Type& operand_type(const Module& module, const Op& op, size_t i = 0) {
  return module.value(op.operands[i]).type;
}

}  // namespace pallasite
