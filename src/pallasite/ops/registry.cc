#include <algorithm>
#include <array>

#include "pallasite/ir/op_def.h"

namespace pallasite {

#define PALLASITE_OP(X) extern const OpDef k##X;
#include "pallasite/ops/ops.def"
#undef PALLASITE_OP

namespace {

constexpr std::array kOps = {
#define PALLASITE_OP(X) &k##X,
#include "pallasite/ops/ops.def"
#undef PALLASITE_OP
};

}  // namespace

std::span<const OpDef* const> all_ops() {
  return kOps;
}

const OpDef* find_op_def(std::string_view name) {
  auto it = std::ranges::lower_bound(kOps, name, {}, &OpDef::name);
  return it != kOps.end() && (*it)->name == name ? *it : nullptr;
}

}  // namespace pallasite
