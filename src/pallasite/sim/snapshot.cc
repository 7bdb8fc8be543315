#include "pallasite/sim/snapshot.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "pallasite/base/check.h"

namespace pallasite {

namespace {

// An odd multiplier and a rotation per 8 bytes; the words are read as little-endian.
uint64_t hash_words(const std::byte* bytes, size_t size, uint64_t hash) {
  static_assert(std::endian::native == std::endian::little);
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    hash = std::rotl(hash ^ word, 29) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

uint64_t combine(uint64_t hash, uint64_t value) {
  return hash_words(reinterpret_cast<const std::byte*>(&value), sizeof value, hash);
}

}  // namespace

ChunkedMemory::ChunkedMemory(std::span<const std::byte> bytes, const ChunkedMemory* earlier,
                             size_t* new_bytes)
    : size_(bytes.size()) {
  chunks_.reserve((size_ + kChunk - 1) / kChunk);
  for (size_t begin = 0; begin < size_; begin += kChunk) {
    const std::span<const std::byte> part = bytes.subspan(begin, std::min(kChunk, size_ - begin));
    const size_t index = chunks_.size();
    // A memory may have grown: what lies behind its old end is zero in the old last chunk, and need
    // not be in the new.
    if (earlier != nullptr && begin + part.size() <= earlier->size_ &&
        (part.size() == kChunk || size_ == earlier->size_) &&
        std::memcmp(earlier->chunks_[index]->bytes.data(), part.data(), part.size()) == 0) {
      chunks_.push_back(earlier->chunks_[index]);
      continue;
    }
    auto chunk = std::make_shared<Chunk>();
    std::copy(part.begin(), part.end(), chunk->bytes.begin());
    chunk->hash = hash_words(chunk->bytes.data(), kChunk, 0);
    chunks_.push_back(std::move(chunk));
    *new_bytes += sizeof(Chunk);
  }
}

void ChunkedMemory::copy_to(std::byte* target) const {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const size_t begin = i * kChunk;
    std::memcpy(target + begin, chunks_[i]->bytes.data(), std::min(kChunk, size_ - begin));
  }
}

uint64_t ChunkedMemory::hash() const {
  uint64_t hash = size_;
  for (const auto& chunk : chunks_) hash = combine(hash, chunk->hash);
  return hash;
}

Snapshot::Snapshot(const ClusterState& state, const std::vector<GmemBuffer>& gmem,
                   const Snapshot* earlier)
    : rest_(state) {
  const auto add = [&](std::span<const std::byte> bytes) {
    const size_t index = memories_.size();
    const bool known = earlier != nullptr && index < earlier->memories_.size();
    memories_.emplace_back(bytes, known ? &earlier->memories_[index] : nullptr, &new_bytes_);
  };
  for (auto* memory : {&rest_.registers, &rest_.smem, &rest_.staging}) {
    add(*memory);
    *memory = {};
  }
  for (const GmemBuffer& buffer : gmem) add({buffer.data, static_cast<size_t>(buffer.bytes)});
}

void Snapshot::restore(ClusterState& state, const std::vector<GmemBuffer>& gmem) const {
  PALLASITE_CHECK(gmem.size() + 3 == memories_.size(), "other buffers than in the snapshot");
  state = rest_;
  size_t index = 0;
  for (auto* memory : {&state.registers, &state.smem, &state.staging}) {
    memory->resize(memories_[index].size());
    memories_[index++].copy_to(memory->data());
  }
  for (const GmemBuffer& buffer : gmem) {
    PALLASITE_CHECK(static_cast<size_t>(buffer.bytes) == memories_[index].size(),
                    "a buffer of another size than in the snapshot");
    memories_[index++].copy_to(buffer.data);
  }
}

uint64_t Snapshot::memory_hash() const {
  uint64_t hash = 0;
  for (const ChunkedMemory& memory : memories_) hash = combine(hash, memory.hash());
  return hash;
}

}  // namespace pallasite
