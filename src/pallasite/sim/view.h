// Views of an allocation, known at compile time but for their start.
//
// A view's dim is a list of digits, each a part of one logical coordinate of the allocation. Index,
// slice, untile, transpose and reshape only cut, reorder and regroup digits; the start moves by
// constants and by index values from registers. So an access is a strided loop whatever chain of
// transforms led to it. Only an access with another swizzle than the declared one is not strided.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pallasite/ir/limits.h"
#include "pallasite/sim/layout.h"

namespace pallasite {

using Slot = uint32_t;

// Adds coefficient * (the integer in `slot`) to a coordinate.
struct StartTerm {
  uint32_t dim = 0;
  Slot slot = 0;
  ElementType type = ElementType::S32;
  int64_t coefficient = 1;
  bool operator==(const StartTerm&) const = default;
};

struct ViewDim {
  // Major to minor; adjacent digits that continue one another are one.
  std::vector<Digit> digits;
  int64_t size() const;
};

// The start of a slice: a constant, or the integer in a slot.
struct SliceStart {
  int64_t constant = 0;
  std::optional<Slot> slot;
  ElementType type = ElementType::S32;
};

struct View {
  // Allocation site, or barrier site for views of barrier arrays.
  uint32_t site = 0;
  std::vector<ViewDim> dims;
  // Start coordinate per logical dim of the allocation.
  std::vector<int64_t> start;
  std::vector<StartTerm> terms;
  // The swizzle that the accesses see applied to the physical bytes: the allocation's own when the
  // view has undone it, 0 when the view reads the physical bytes as they lie.
  int64_t swizzle_undone = 0;

  std::vector<int64_t> shape() const;

  // Each returns an empty string, or why the view cannot be made.
  std::string index(std::span<const SliceStart> starts, std::span<const int64_t> sizes,
                    std::span<const int64_t> strides, std::span<const int64_t> squeeze);
  std::string untile(std::span<const int64_t> tiling);
  std::string transpose(std::span<const int64_t> permutation);
  std::string reshape(std::span<const int64_t> shape);
};

// The physical array of an allocation, before any view.
View whole_view(uint32_t site, const Layout& layout);
// An array in plain row-major order (barrier arrays).
View whole_view(uint32_t site, std::span<const int64_t> shape);

// A digit of an access: index i moves the element offset by i * stride.
struct AccessDigit {
  int64_t size = 1;
  int64_t stride = 1;
};

// A view made ready for access.
struct AccessPlan {
  uint32_t site = 0;
  MemorySpace space = MemorySpace::Gmem;
  ElementType element = ElementType::S32;
  // Of the allocation.
  std::vector<int64_t> logical_shape;
  std::vector<int64_t> logical_strides;
  // Of the view.
  std::vector<int64_t> shape;
  int64_t element_count = 1;
  std::vector<int64_t> start;
  std::vector<StartTerm> terms;
  // Largest distance from the start per logical dim.
  std::vector<int64_t> reach;
  // In view order, major to minor: by coordinate, and merged by element stride.
  std::vector<Digit> digits;
  std::vector<AccessDigit> strides;
  // Of each view dim of rank-2 use: stride in elements, if the dim is one digit.
  std::vector<std::optional<int64_t>> dim_strides;
  // Set if offsets must go through Layout (the access undoes another swizzle than the declared
  // one).
  bool remapped = false;
  int64_t swizzle_undone = 0;
};

AccessPlan make_access_plan(const View& view, const Layout& layout, MemorySpace space);

// A plan with its start known: what an instruction or agent acts on. Plain data.
struct Access {
  // Start coordinate per logical dim.
  std::array<int64_t, kMaxRank> start{};
  // Element offset of the start.
  int64_t offset = 0;
  bool in_bounds = true;
};

Access resolve(const AccessPlan& plan, const std::byte* registers);

int64_t read_index(const std::byte* registers, Slot slot, ElementType type);

// A barrier selected from a barrier array.
struct BarrierView {
  uint32_t site = 0;
  int64_t index = 0;
  // dim is not used: coefficients are in barriers.
  std::vector<StartTerm> terms;
  // Start coordinates and extents, for the bounds check per dim.
  View view;
};

}  // namespace pallasite
