#include "pallasite/ir/location.h"

namespace pallasite {

SourceLocation source_location(const Module& module, LocationId id) {
  SourceLocation result;
  while (id.valid() && id.index < module.locations().size()) {
    const Location& location = module.location(id);
    result.frames.push_back({.file = location.file,
                             .line = location.line,
                             .column = location.column,
                             .function = location.function,
                             .note = location.note});
    // A frame's caller stands above it in the table; anything else could be a circle.
    if (location.from.valid() && location.from.index >= id.index) break;
    id = location.from;
  }
  return result;
}

}  // namespace pallasite
