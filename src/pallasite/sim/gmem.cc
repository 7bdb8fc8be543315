#include "pallasite/sim/gmem.h"

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

}  // namespace pallasite
