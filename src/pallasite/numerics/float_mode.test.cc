#include "pallasite/numerics/float_mode.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pallasite {
namespace {

// Volatile, so that the sum is made at run time in the mode of that moment.
float add(float a, float b) {
  volatile float x = a, y = b;
  volatile float sum = x + y;
  return sum;
}

double subtract(double a, double b) {
  volatile double x = a, y = b;
  volatile double difference = x - y;
  return difference;
}

#if defined(__x86_64__)
constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;

void flush_subnormals() {
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
}
#else
void flush_subnormals() {
  const uint64_t mode = uint64_t(1) << 24;
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
#endif

TEST(ScopedFloatMode, KeepsSubnormalsAndRestoresTheCallersMode) {
  const ScopedFloatMode outer;
  flush_subnormals();
  ASSERT_EQ(add(1e-39f, 1e-39f), 0.0f) << "the test could not set flush-to-zero";
  ASSERT_EQ(subtract(0x1.8p-1022, 0x1p-1022), 0.0);
  {
    const ScopedFloatMode mode;
    EXPECT_EQ(add(1e-39f, 1e-39f), 2e-39f);
    EXPECT_EQ(subtract(0x1.8p-1022, 0x1p-1022), 0x1p-1023);
  }
  EXPECT_EQ(add(1e-39f, 1e-39f), 0.0f) << "the mode of the caller was not restored";
}

TEST(ScopedFloatMode, RoundsToNearest) {
  const ScopedFloatMode outer;
  std::fesetround(FE_UPWARD);
  ASSERT_GT(add(1.0f, 0x1p-30f), 1.0f);
  {
    const ScopedFloatMode mode;
    EXPECT_EQ(add(1.0f, 0x1p-30f), 1.0f);
    EXPECT_EQ(add(1.0f, 0x1.8p-24f), 1.0f + 0x1p-23f);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

#if defined(__x86_64__)
TEST(ScopedFloatMode, MasksExceptions) {
  const ScopedFloatMode outer;
  const unsigned unmasked_division = _mm_getcsr() & ~0x0200u;
  _mm_setcsr(unmasked_division);
  {
    const ScopedFloatMode mode;
    volatile float zero = 0;
    volatile float quotient = 1.0f / zero;
    EXPECT_TRUE(std::isinf(quotient));
  }
  EXPECT_EQ(_mm_getcsr() & 0x0200u, 0u);
}
#endif

}  // namespace
}  // namespace pallasite
