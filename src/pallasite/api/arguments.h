// Arrays of the host as the parameters of a kernel.
#pragma once

#include <list>
#include <span>
#include <string>
#include <vector>

#include "pallasite/api/session.h"
#include "pallasite/sim/gmem.h"

namespace pallasite {

struct BoundArguments {
  // Of the kind module.argument; empty if the kernel can run.
  std::vector<Diagnostic> problems;
  // One for each parameter.
  std::vector<GmemBuffer> buffers;
  // Memory of outputs that the caller did not give.
  std::list<std::vector<std::byte>> own;
  // Positions of the inputs, in order.
  std::vector<size_t> input_positions;

  std::string inputs_hash() const;
};

// Every input has to be there, of exactly the shape and element type that the kernel takes. An
// output that shares the buffer of an input first gets that input's contents.
BoundArguments bind_arguments(const Module& module, std::span<const HostArray> inputs,
                              std::span<const HostArray> outputs);

}  // namespace pallasite
