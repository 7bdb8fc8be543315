// Global memory: the buffers of a run, and which cluster touched what of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

}  // namespace pallasite
