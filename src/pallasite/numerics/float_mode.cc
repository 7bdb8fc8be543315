#include "pallasite/numerics/float_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "no floating-point control register is known for this processor"
#endif

namespace pallasite {
namespace {

// Out of line for the callers, so that no arithmetic moves across a change of the mode.
#if defined(__x86_64__)
// All exceptions masked, no sticky flags.
constexpr uint64_t kDefaultMode = 0x1f80;
uint64_t get_mode() {
  return _mm_getcsr();
}
void set_mode(uint64_t mode) {
  _mm_setcsr(unsigned(mode));
}
#else
constexpr uint64_t kDefaultMode = 0;
uint64_t get_mode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_mode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode) : "memory");
}
#endif

}  // namespace

ScopedFloatMode::ScopedFloatMode() : saved_(get_mode()) {
  set_mode(kDefaultMode);
}

ScopedFloatMode::~ScopedFloatMode() {
  set_mode(saved_);
}

}  // namespace pallasite
