// Global memory: the buffers of a run, and which cluster touched what of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

struct GmemBuffer {
  std::byte* data = nullptr;
  int64_t bytes = 0;
};

// Finds out whether two clusters of a parallel run conflict: the same granule touched by both, at
// least one of them writing. Safe from several threads; the answer does not depend on their order.
// A granule is 32 bytes, so neighbours may be found in conflict: then the grid runs again serially,
// which costs time and changes nothing.
class Footprint {
 public:
  static constexpr int64_t kGranule = 32;

  explicit Footprint(const std::vector<GmemBuffer>& buffers, const std::vector<bool>& written);

  void touch(uint32_t buffer, int64_t first_byte, int64_t bytes, bool write, uint32_t cluster);
  bool conflict() const { return conflict_.load(std::memory_order_relaxed); }

 private:
  // Cluster + 1 of the writer, and of the reader; 0 for none, kMany for several readers.
  static constexpr uint32_t kMany = UINT32_MAX;
  struct Granule {
    std::atomic<uint32_t> writer{0};
    std::atomic<uint32_t> reader{0};
  };
  // Null for buffers that nothing writes.
  std::vector<std::unique_ptr<Granule[]>> granules_;
  std::atomic<bool> conflict_{false};
};

// Outputs that hold what fresh memory holds wherever nothing has been written, without a pass over
// all of them: a granule is filled before the first access that does more or less than overwrite
// all of it, and what no access came to is filled at the end. Safe from several threads; where two
// clusters conflict the contents are as undefined as without it.
class FreshMemory {
 public:
  static constexpr int64_t kGranule = 256;

  // Of smaller buffers it is not worth the while, and below a byte granules are not enough.
  static bool worthwhile(ElementType element, const GmemBuffer& buffer) {
    return !is_sub_byte(element) && buffer.bytes >= 64 * kGranule;
  }

  FreshMemory(size_t buffers, bool zero) : buffers_(buffers), zero_(zero) {}
  // All of it is fresh.
  void start(uint32_t buffer, ElementType element, const GmemBuffer& memory);
  bool tracks(uint32_t buffer) const { return buffers_[buffer].states != nullptr; }
  // Has to come before the access.
  void touch(uint32_t buffer, int64_t first_byte, int64_t bytes, bool write);
  // Fills what is left.
  void finish();

 private:
  enum State : uint8_t { kFresh, kBeingFilled, kHolds };
  struct Buffer {
    GmemBuffer memory;
    ElementType element = ElementType::F32;
    std::unique_ptr<std::atomic<uint8_t>[]> states;
  };

  void fill_granules(const Buffer& buffer, int64_t begin, int64_t end) const;
  void make_hold(const Buffer& buffer, int64_t granule) const;

  std::vector<Buffer> buffers_;
  bool zero_;
};

}  // namespace pallasite
