// Snapshots of a run: the state of a cluster's machine, and the global memory it writes.
//
// Memory is kept in chunks of 4 KiB, each with a hash. A snapshot shares the chunks that have not
// changed with the snapshot that was taken before it; which have changed is found by comparing, so
// taking one reads all memory once and the machine pays nothing between two of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pallasite/sim/gmem.h"
#include "pallasite/sim/state.h"

namespace pallasite {

// Bytes in shared, immutable chunks.
class ChunkedMemory {
 public:
  static constexpr size_t kChunk = 4096;

  // Takes the chunks of `earlier` that hold the same bytes. Adds the size of those it had to make
  // to `*new_bytes`.
  ChunkedMemory(std::span<const std::byte> bytes, const ChunkedMemory* earlier, size_t* new_bytes);

  size_t size() const { return size_; }
  void copy_to(std::byte* target) const;
  // Equal for equal bytes, on every machine.
  uint64_t hash() const;

 private:
  struct Chunk {
    uint64_t hash = 0;
    // The last chunk of a memory is filled up with zeros.
    std::array<std::byte, kChunk> bytes{};
  };

  size_t size_ = 0;
  std::vector<std::shared_ptr<const Chunk>> chunks_;
};

class Snapshot {
 public:
  // `gmem` are the buffers that the kernel writes; those that it only reads need not be among them.
  Snapshot(const ClusterState& state, const std::vector<GmemBuffer>& gmem,
           const Snapshot* earlier = nullptr);

  // Puts a state and buffers of the same sizes back to what they were.
  void restore(ClusterState& state, const std::vector<GmemBuffer>& gmem) const;

  // Bytes of the chunks that this snapshot does not share with the earlier one.
  size_t new_bytes() const { return new_bytes_; }
  // Of all memory in the snapshot: registers, shared memory, data under way, global memory.
  uint64_t memory_hash() const;

 private:
  size_t new_bytes_ = 0;
  // All but the memory.
  ClusterState rest_;
  // Registers, shared memory, staging memory, then the buffers.
  std::vector<ChunkedMemory> memories_;
};

}  // namespace pallasite
