#include "pallasite/ops/strip.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pallasite {
namespace {

// Begins each strip.
template <typename T>
struct StripRun {
  template <size_t kBytes>
  using Native = typename Wide<T, kBytes>::Native;

  static void portable(const StripCall* calls, size_t begin, size_t end) {
    const auto first = reinterpret_cast<StripFunction<Native<16>>>(calls->code);
    const Native<16> x = {};
    for (; begin < end; begin += kStripVectors * 16) first(calls, begin, x, x, x, x, x, x, x, x);
  }
#if defined(__x86_64__)
  // What runs next waits long for registers that were left dirty, and the compiler does not see
  // that the calls leave them so.
  [[gnu::target("avx2,fma")]] static void avx2(const StripCall* calls, size_t begin, size_t end) {
    const auto first = reinterpret_cast<StripFunction<Native<32>>>(calls->code);
    const Native<32> x = {};
    for (; begin < end; begin += kStripVectors * 32) first(calls, begin, x, x, x, x, x, x, x, x);
    _mm256_zeroupper();
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma")]] static void avx512(
      const StripCall* calls, size_t begin, size_t end) {
    const auto first = reinterpret_cast<StripFunction<Native<64>>>(calls->code);
    const Native<64> x = {};
    for (; begin < end; begin += kStripVectors * 64) first(calls, begin, x, x, x, x, x, x, x, x);
    _mm256_zeroupper();
  }
#endif
};

template <typename T>
StripKit make_strip_kit(LoopPath path) {
  StripKit kit;
  const size_t bytes = path == LoopPath::Avx512 ? 64 : path == LoopPath::Avx2 ? 32 : 16;
  kit.elements = kStripVectors * bytes / sizeof(T);
  kit.element_bytes = sizeof(T);
  kit.load = StripVariants<StripLoad, T>::choose(path);
  kit.repeat = StripVariants<StripRepeat, T>::choose(path);
  kit.store = StripVariants<StripStore<false>, T>::choose(path);
  kit.store_last = StripVariants<StripStore<true>, T>::choose(path);
  kit.run = StripRun<T>::portable;
#if defined(__x86_64__)
  if (path == LoopPath::Avx2) kit.run = StripRun<T>::avx2;
  if (path == LoopPath::Avx512) kit.run = StripRun<T>::avx512;
#endif
  return kit;
}

}  // namespace

template <typename T>
const StripKit* strip_kit(LoopPath path) {
  static const StripKit kPortable = make_strip_kit<T>(LoopPath::Portable);
#if defined(__x86_64__)
  static const StripKit kAvx2 = make_strip_kit<T>(LoopPath::Avx2);
  static const StripKit kAvx512 = make_strip_kit<T>(LoopPath::Avx512);
  if (path == LoopPath::Avx2) return &kAvx2;
  if (path == LoopPath::Avx512) return &kAvx512;
#endif
  return &kPortable;
}

template const StripKit* strip_kit<float>(LoopPath);
template const StripKit* strip_kit<double>(LoopPath);
template const StripKit* strip_kit<int32_t>(LoopPath);
template const StripKit* strip_kit<uint32_t>(LoopPath);
template const StripKit* strip_kit<int64_t>(LoopPath);
template const StripKit* strip_kit<uint64_t>(LoopPath);

}  // namespace pallasite
