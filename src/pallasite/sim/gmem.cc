#include "pallasite/sim/gmem.h"

#include <algorithm>
#include <cstring>

#include "pallasite/numerics/fill.h"

namespace pallasite {

Footprint::Footprint(const std::vector<GmemBuffer>& buffers, const std::vector<bool>& written) {
  // Two parameters may name the same bytes (an output that aliases an input): they share granules.
  granules_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!written[i] || buffers[i].bytes == 0) continue;
    granules_[i] = std::make_unique<Granule[]>((buffers[i].bytes + kGranule - 1) / kGranule);
  }
}

void Footprint::touch(uint32_t buffer, int64_t first_byte, int64_t bytes, bool write,
                      uint32_t cluster) {
  Granule* granules = granules_[buffer].get();
  if (granules == nullptr || bytes <= 0) return;
  const uint32_t me = cluster + 1;
  for (int64_t g = first_byte / kGranule; g <= (first_byte + bytes - 1) / kGranule; ++g) {
    Granule& granule = granules[g];
    // Both sides first leave their mark, then look for the other's: whatever the interleaving, at
    // least one of two conflicting clusters sees both.
    if (write) {
      uint32_t previous = granule.writer.load();
      if (previous != me) previous = granule.writer.exchange(me);
      const uint32_t reader = granule.reader.load();
      if ((previous != 0 && previous != me) || (reader != 0 && reader != me)) conflict_ = true;
    } else {
      uint32_t previous = granule.reader.load();
      while (previous != me && previous != kMany &&
             !granule.reader.compare_exchange_weak(previous, previous == 0 ? me : kMany)) {
      }
      const uint32_t writer = granule.writer.load();
      if (writer != 0 && writer != me) conflict_ = true;
    }
  }
}

void FreshMemory::start(uint32_t number, ElementType element, const GmemBuffer& memory) {
  Buffer& buffer = buffers_[number];
  buffer.memory = memory;
  buffer.element = element;
  buffer.states =
      std::make_unique<std::atomic<uint8_t>[]>((memory.bytes + kGranule - 1) / kGranule);
}

void FreshMemory::fill_granules(const Buffer& buffer, int64_t begin, int64_t end) const {
  const auto element_bytes = static_cast<int64_t>(register_bytes(buffer.element));
  std::byte* first = buffer.memory.data + begin * kGranule;
  const int64_t bytes = std::min(end * kGranule, buffer.memory.bytes) - begin * kGranule;
  const auto count = static_cast<size_t>(bytes / element_bytes);
  if (zero_) {
    fill_zero(buffer.element, first, count);
  } else {
    fill_uninitialized(buffer.element, first, count);
  }
}

void FreshMemory::make_hold(const Buffer& buffer, int64_t granule) const {
  std::atomic<uint8_t>& state = buffer.states[granule];
  uint8_t found = state.load(std::memory_order_acquire);
  if (found == kHolds) return;
  if (found == kFresh && state.compare_exchange_strong(found, kBeingFilled)) {
    fill_granules(buffer, granule, granule + 1);
    state.store(kHolds, std::memory_order_release);
    return;
  }
  // Another cluster has other bytes of it, and is about to be done.
  while (state.load(std::memory_order_acquire) != kHolds) {
  }
}

void FreshMemory::touch(uint32_t number, int64_t first_byte, int64_t bytes, bool write) {
  const Buffer& buffer = buffers_[number];
  if (bytes <= 0) return;
  const int64_t end_byte = first_byte + bytes;
  const int64_t begin = first_byte / kGranule;
  const int64_t end = (end_byte + kGranule - 1) / kGranule;
  if (!write) {
    for (int64_t g = begin; g < end; ++g) make_hold(buffer, g);
    return;
  }
  // At both ends the access may leave a part of a granule as it was.
  int64_t whole = begin, whole_end = end;
  if (first_byte % kGranule != 0) make_hold(buffer, whole++);
  if (whole < end && end_byte % kGranule != 0 && end_byte != buffer.memory.bytes) {
    make_hold(buffer, --whole_end);
  }
  for (int64_t g = whole; g < whole_end; ++g) {
    buffer.states[g].store(kHolds, std::memory_order_relaxed);
  }
}

void FreshMemory::finish() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.states == nullptr) continue;
    const int64_t granules = (buffer.memory.bytes + kGranule - 1) / kGranule;
    // No other thread is at work now, so the states are plain bytes.
    static_assert(sizeof(std::atomic<uint8_t>) == 1);
    const auto* states = reinterpret_cast<const uint8_t*>(buffer.states.get());
    for (int64_t g = 0; g < granules;) {
      const void* fresh = std::memchr(states + g, kFresh, static_cast<size_t>(granules - g));
      if (fresh == nullptr) break;
      g = static_cast<const uint8_t*>(fresh) - states;
      int64_t end = g;
      while (end < granules && buffer.states[end].load(std::memory_order_relaxed) == kFresh) ++end;
      fill_granules(buffer, g, end);
      g = end + 1;
    }
  }
}

}  // namespace pallasite
