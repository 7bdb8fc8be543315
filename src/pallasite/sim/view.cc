#include "pallasite/sim/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "pallasite/base/check.h"

namespace pallasite {

namespace {

// Drops digits of size 1 (but keeps one, so that an index still has a coordinate to move) and joins
// neighbours that continue one another.
void normalize(ViewDim& dim) {
  std::vector<Digit> joined;
  const bool single = dim.size() == 1;
  for (const Digit& digit : dim.digits) {
    if (single && !joined.empty()) break;
    if (!single && digit.size == 1) continue;
    if (!joined.empty() && joined.back().dim == digit.dim &&
        joined.back().step == digit.size * digit.step) {
      joined.back().size *= digit.size;
      joined.back().step = digit.step;
    } else {
      joined.push_back(digit);
    }
  }
  dim.digits = std::move(joined);
}

}  // namespace

int64_t ViewDim::size() const {
  int64_t n = 1;
  for (const Digit& digit : digits) n *= digit.size;
  return n;
}

std::vector<int64_t> View::shape() const {
  std::vector<int64_t> shape;
  for (const ViewDim& dim : dims) shape.push_back(dim.size());
  return shape;
}

std::string View::index(std::span<const SliceStart> starts, std::span<const int64_t> sizes,
                        std::span<const int64_t> strides, std::span<const int64_t> squeeze) {
  PALLASITE_CHECK(starts.size() == dims.size() && sizes.size() == dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    ViewDim& dim = dims[d];
    const int64_t stride = strides.empty() ? 1 : strides[d];
    const bool whole =
        !starts[d].slot && starts[d].constant == 0 && stride == 1 && sizes[d] == dim.size();
    if (whole) continue;
    if (dim.digits.empty()) {
      // A dim of extent 1 that a reshape made: no coordinate stands behind it.
      if (starts[d].slot || starts[d].constant != 0) {
        return fmt::format(
            "dim {} has extent 1 and was made by a reshape and is indexed at other than 0", d);
      }
      continue;
    }
    if (dim.digits.size() == 1) {
      Digit& digit = dim.digits[0];
      if (starts[d].slot) {
        terms.push_back({digit.dim, *starts[d].slot, starts[d].type, digit.step});
      } else {
        start[digit.dim] += starts[d].constant * digit.step;
      }
      digit.size = sizes[d];
      digit.step *= stride;
      continue;
    }
    // Several digits: a slice is a view again only if it covers whole inner digits, or one element.
    if (starts[d].slot || stride != 1) {
      return fmt::format(
          "dim {} was merged from several dims and is sliced at a position known only "
          "when the kernel runs",
          d);
    }
    int64_t position = starts[d].constant;
    int64_t size = sizes[d];
    for (size_t i = dim.digits.size(); i-- > 0;) {
      Digit& digit = dim.digits[i];
      const int64_t full = digit.size;
      if (i == 0) {
        start[digit.dim] += position * digit.step;
        digit.size = size;
      } else if (full == 0 || (position % full == 0 && size % full == 0)) {
        // The slice takes this digit whole.
        position /= std::max<int64_t>(full, 1);
        size /= std::max<int64_t>(full, 1);
      } else if (position % full + size <= full) {
        // The slice lies within one round of this digit.
        start[digit.dim] += position % full * digit.step;
        digit.size = size;
        position /= full;
        size = 1;
      } else {
        return fmt::format("dim {} was merged from several dims and the slice cuts them", d);
      }
    }
  }
  for (size_t i = squeeze.size(); i-- > 0;) dims.erase(dims.begin() + squeeze[i]);
  return "";
}

std::string View::untile(std::span<const int64_t> tiling) {
  const size_t n = tiling.size();
  if (dims.size() < 2 * n) {
    return fmt::format("a tiling of rank {} on a view of rank {}", n, dims.size());
  }
  const size_t first_inner = dims.size() - n;
  for (size_t i = 0; i < n; ++i) {
    if (dims[first_inner + i].size() != tiling[i]) {
      return fmt::format("dim {} has extent {} but the tiling says {}", first_inner + i,
                         dims[first_inner + i].size(), tiling[i]);
    }
    ViewDim& outer = dims[first_inner - n + i];
    const std::vector<Digit>& inner = dims[first_inner + i].digits;
    outer.digits.insert(outer.digits.end(), inner.begin(), inner.end());
    normalize(outer);
  }
  dims.resize(first_inner);
  return "";
}

std::string View::transpose(std::span<const int64_t> permutation) {
  if (permutation.size() != dims.size()) return "the permutation has another rank";
  std::vector<ViewDim> permuted;
  for (int64_t p : permutation) permuted.push_back(dims[p]);
  dims = std::move(permuted);
  return "";
}

std::string View::reshape(std::span<const int64_t> shape) {
  std::vector<Digit> digits;
  for (const ViewDim& dim : dims) {
    digits.insert(digits.end(), dim.digits.begin(), dim.digits.end());
  }
  std::vector<ViewDim> result(shape.size());
  // From the minor end, each new dim takes digits until it is full, splitting the last one.
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t want = shape[d];
    std::vector<Digit> taken;
    while (want > 1) {
      while (!digits.empty() && digits.back().size == 1) digits.pop_back();
      if (digits.empty()) return "the element counts differ";
      Digit& digit = digits.back();
      if (want % digit.size == 0) {
        want /= digit.size;
        taken.push_back(digit);
        digits.pop_back();
      } else if (digit.size % want == 0) {
        taken.push_back({want, digit.dim, digit.step});
        digit.size /= want;
        digit.step *= want;
        want = 1;
      } else {
        return fmt::format("the reshape to [{}] cuts a dim of extent {}", fmt::join(shape, ","),
                           digit.size);
      }
    }
    result[d].digits.assign(taken.rbegin(), taken.rend());
    normalize(result[d]);
  }
  dims = std::move(result);
  return "";
}

View whole_view(uint32_t site, const Layout& layout) {
  View view;
  view.site = site;
  for (const Digit& digit : layout.physical_digits) {
    view.dims.push_back({{digit}});
  }
  view.start.assign(layout.logical_shape.size(), 0);
  return view;
}

View whole_view(uint32_t site, std::span<const int64_t> shape) {
  View view;
  view.site = site;
  for (size_t d = 0; d < shape.size(); ++d) {
    view.dims.push_back({{Digit{shape[d], static_cast<uint32_t>(d), 1}}});
  }
  view.start.assign(shape.size(), 0);
  return view;
}

AccessPlan make_access_plan(const View& view, const Layout& layout, MemorySpace space) {
  AccessPlan plan;
  plan.site = view.site;
  plan.space = space;
  plan.element = layout.element;
  plan.logical_shape = layout.logical_shape;
  plan.logical_strides = layout.logical_strides;
  plan.shape = view.shape();
  for (int64_t d : plan.shape) plan.element_count *= d;
  plan.start = view.start;
  plan.terms = view.terms;
  plan.reach.assign(layout.logical_shape.size(), 0);
  const int64_t declared = layout.swizzle == 16 ? 0 : layout.swizzle;
  const int64_t undone = view.swizzle_undone == 16 ? 0 : view.swizzle_undone;
  plan.remapped = declared != undone;
  plan.swizzle_undone = undone;
  for (const ViewDim& dim : view.dims) {
    std::optional<int64_t> dim_stride;
    if (dim.digits.empty()) dim_stride = 0;
    for (const Digit& digit : dim.digits) {
      plan.reach[digit.dim] += (digit.size - 1) * digit.step;
      const int64_t stride = digit.step * layout.logical_strides[digit.dim];
      if (dim.digits.size() == 1) dim_stride = stride;
      plan.digits.push_back(digit);
      if (digit.size == 1) continue;
      if (!plan.strides.empty() && plan.strides.back().stride == digit.size * stride) {
        plan.strides.back().size *= digit.size;
        plan.strides.back().stride = stride;
      } else {
        plan.strides.push_back({digit.size, stride});
      }
    }
    plan.dim_strides.push_back(dim_stride);
  }
  return plan;
}

int64_t read_index(const std::byte* registers, Slot slot, ElementType type) {
  const std::byte* p = registers + slot;
  const auto load = [p]<typename T>(T value) {
    std::memcpy(&value, p, sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (element_info(type).register_bytes) {
    case 1:
      return element_info(type).is_signed ? load(int8_t{}) : load(uint8_t{});
    case 2:
      return element_info(type).is_signed ? load(int16_t{}) : load(uint16_t{});
    case 4:
      return element_info(type).is_signed ? load(int32_t{}) : load(uint32_t{});
    default:
      return load(int64_t{});
  }
}

Access resolve(const AccessPlan& plan, const std::byte* registers) {
  Access access;
  const size_t rank = plan.logical_shape.size();
  for (size_t d = 0; d < rank; ++d) access.start[d] = plan.start[d];
  for (const StartTerm& term : plan.terms) {
    // Unsigned: an index far out of range must not overflow before it is found out of bounds.
    access.start[term.dim] =
        static_cast<int64_t>(static_cast<uint64_t>(access.start[term.dim]) +
                             static_cast<uint64_t>(read_index(registers, term.slot, term.type)) *
                                 static_cast<uint64_t>(term.coefficient));
  }
  for (size_t d = 0; d < rank; ++d) {
    const int64_t start = access.start[d];
    access.in_bounds &= start >= 0 && start <= plan.logical_shape[d] - 1 - plan.reach[d];
    access.offset = static_cast<int64_t>(static_cast<uint64_t>(access.offset) +
                                         static_cast<uint64_t>(start) *
                                             static_cast<uint64_t>(plan.logical_strides[d]));
  }
  return access;
}

}  // namespace pallasite
