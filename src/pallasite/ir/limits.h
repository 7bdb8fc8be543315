// Bounds of what a module may state, so that no small text asks for a huge amount of work.
#pragma once

#include <cstdint>

namespace pallasite {

inline constexpr int64_t kMaxRank = 12;
// Elements of one type.
inline constexpr int64_t kMaxElementCount = int64_t{1} << 40;
// Regions within regions.
inline constexpr int kMaxNesting = 100;

}  // namespace pallasite
