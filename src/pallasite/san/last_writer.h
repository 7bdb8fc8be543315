// Who wrote one element of a global array last.
#pragma once

#include <cstdint>
#include <optional>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

struct LastWrite {
  // Of an asynchronous operation: the thread that issued it, as it was then, and its line.
  ThreadName thread;
  SourceLocation location;
  bool asynchronous = false;
  // How often the element was written, this time included.
  int64_t writes = 0;
};

class LastWriter : public Observer {
 public:
  // `element` counts in the row-major order of the array.
  LastWriter(uint64_t buffer, int64_t element) : buffer_(buffer), element_(element) {}

  void on_access(const ClusterMachine& machine, const AccessEvent& event) override;

  // None: nothing wrote it.
  const std::optional<LastWrite>& last() const { return last_; }

 private:
  const uint64_t buffer_;
  const int64_t element_;
  std::optional<LastWrite> last_;
};

}  // namespace pallasite
