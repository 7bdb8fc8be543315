#include "pallasite/ops/broadcast_loop.h"

#include <algorithm>
#include <cstring>

namespace pallasite {

namespace {

// Elements of a broadcast in which whole rows of the operand, or single elements of it, are
// repeated.
template <typename Bits>
struct BroadcastLoops {
  [[gnu::always_inline]] static void body(void* out_pointer, const void* const* inputs,
                                          size_t count, const void* immediate) {
    const auto& part = *static_cast<const ChainRepeat*>(immediate);
    const auto* source = static_cast<const Bits*>(inputs[0]);
    auto* out = static_cast<Bits*>(out_pointer);
    // Position of the next element in the operand, and how often it has been given.
    size_t at = part.begin / part.repeat % part.period;
    size_t given = part.begin % part.repeat;
    while (count > 0) {
      size_t n;
      if (part.repeat == 1) {
        n = std::min(count, part.period - at);
        std::memcpy(out, source + at, n * sizeof(Bits));
        at += n;
      } else {
        n = std::min(count, part.repeat - given);
        const Bits value = source[at];
        for (size_t i = 0; i < n; ++i) out[i] = value;
        given += n;
        if (given == part.repeat) ++at, given = 0;
      }
      if (at == part.period) at = 0;
      out += n;
      count -= n;
    }
  }
  static void portable(void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static void avx2(void* out, const void* const* inputs, size_t count,
                                           const void* immediate) {
    body(out, inputs, count, immediate);
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] static void avx512(
      void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#endif
};

}  // namespace

ElementLoop broadcast_loop(ElementType element, LoopPath path) {
  switch (register_bytes(element)) {
    case 1:
      return BroadcastLoops<uint8_t>::portable;
    case 2:
      return BroadcastLoops<uint16_t>::portable;
    case 4:
      return choose_loop<BroadcastLoops<uint32_t>>(path);
    default:
      return choose_loop<BroadcastLoops<uint64_t>>(path);
  }
}

}  // namespace pallasite
