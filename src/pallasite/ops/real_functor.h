// What the functors of functions of real numbers share.
#pragma once

#include <cmath>
#include <limits>

#include "pallasite/ops/elementwise.h"

namespace pallasite {

template <int kOperands>
struct Real : ElementFunctor<kOperands, kFloats> {
  static constexpr bool kReal = true;
  template <typename L>
  static constexpr bool kVector = sizeof(typename L::Value) == sizeof(float);
};

template <typename T>
inline constexpr bool kDouble = std::is_same_v<T, double>;

template <typename T>
[[gnu::always_inline]] inline bool is_finite(T x) {
  return std::fabs(x) <= std::numeric_limits<T>::max();
}

[[gnu::always_inline]] inline float keep_nan(float x, float result) {
  return x != x ? x : result;
}

}  // namespace pallasite
