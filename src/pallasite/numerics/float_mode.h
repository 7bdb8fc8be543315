// The floating-point environment in which all arithmetic of a run happens.
//
// XLA's CPU threads call handlers with flush-to-zero and denormals-are-zero set, and a thread
// started from one inherits that; results would then depend on who called.
#pragma once

#include <cstdint>

namespace pallasite {

// While alive, the calling thread rounds to nearest even, keeps subnormals and traps nothing. The
// destructor, on the same thread, restores what was set before.
class ScopedFloatMode {
 public:
  ScopedFloatMode();
  ~ScopedFloatMode();
  ScopedFloatMode(const ScopedFloatMode&) = delete;
  ScopedFloatMode& operator=(const ScopedFloatMode&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace pallasite
