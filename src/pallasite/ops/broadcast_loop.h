// Broadcasts as a step of a fused loop.
#pragma once

#include "pallasite/ops/elementwise.h"

namespace pallasite {

// The loop for Compiler::emit_chain_broadcast; all variants give the same bits.
ElementLoop broadcast_loop(ElementType element, LoopPath path = LoopPath::Best);

}  // namespace pallasite
