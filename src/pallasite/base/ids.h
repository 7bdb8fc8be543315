// Typed indices: a ThreadId cannot be passed where a BlockId is wanted.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace pallasite {

template <typename Tag>
struct Id {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t i) : index(i) {}
  constexpr bool valid() const { return index != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace pallasite

template <typename Tag>
struct std::hash<pallasite::Id<Tag>> {
  size_t operator()(pallasite::Id<Tag> id) const noexcept { return id.index; }
};
