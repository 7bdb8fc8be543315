#include "pallasite/sim/transfer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pallasite/base/check.h"
#include "pallasite/numerics/element_type.h"
#include "pallasite/numerics/fill.h"

namespace pallasite {

RunCursor::RunCursor(const AccessPlan& plan, const Access& access)
    : digits_(plan.strides.data()), run_start_(access.offset) {
  if (plan.element_count == 0) {
    done_ = true;
    return;
  }
  if (!plan.strides.empty()) {
    outer_ = plan.strides.size() - 1;
    run_size_ = plan.strides.back().size;
    stride_ = plan.strides.back().stride;
  }
  PALLASITE_CHECK(outer_ <= std::size(index_));
  offset_ = run_start_;
  count_ = run_size_;
}

void RunCursor::advance(int64_t elements) {
  count_ -= elements;
  offset_ += elements * stride_;
  if (count_ > 0) return;
  size_t d = outer_;
  while (d > 0) {
    --d;
    run_start_ += digits_[d].stride;
    if (++index_[d] < digits_[d].size) {
      offset_ = run_start_;
      count_ = run_size_;
      return;
    }
    run_start_ -= digits_[d].stride * digits_[d].size;
    index_[d] = 0;
  }
  done_ = true;
}

namespace {

int64_t remap(const AccessPlan& plan, const Layout& layout, int64_t offset) {
  if (!plan.remapped) return offset;
  return layout.logical_offset(layout.physical_offset(offset, plan.swizzle_undone), layout.swizzle);
}

// Elements of a run at stride `stride`, of N bytes each, to or from adjacent memory.
template <size_t N, bool kToMemory>
void strided_run(std::byte* memory, int64_t stride, std::byte* packed, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::byte* element = memory + i * stride * static_cast<int64_t>(N);
    if constexpr (kToMemory) {
      std::memcpy(element, packed + i * N, N);
    } else {
      std::memcpy(packed + i * N, element, N);
    }
  }
}

template <bool kToMemory>
void move_run(std::byte* memory, int64_t stride, std::byte* packed, int64_t count, size_t bytes) {
  if (stride == 1) {
    if constexpr (kToMemory) {
      std::memcpy(memory, packed, count * bytes);
    } else {
      std::memcpy(packed, memory, count * bytes);
    }
    return;
  }
  switch (bytes) {
    case 1:
      return strided_run<1, kToMemory>(memory, stride, packed, count);
    case 2:
      return strided_run<2, kToMemory>(memory, stride, packed, count);
    case 4:
      return strided_run<4, kToMemory>(memory, stride, packed, count);
    default:
      return strided_run<8, kToMemory>(memory, stride, packed, count);
  }
}

// Between a view and adjacent elements in register form.
template <bool kToMemory>
void move_view(const AccessPlan& plan, const Access& access, const Memory& memory,
               std::byte* registers) {
  const size_t bytes = register_bytes(plan.element);
  const bool sub_byte = is_sub_byte(plan.element);
  for (RunCursor cursor(plan, access); !cursor.done();) {
    int64_t count = cursor.count();
    if (plan.remapped || (sub_byte && cursor.stride() != 1)) count = 1;
    const int64_t offset = remap(plan, *memory.layout, cursor.offset());
    if (sub_byte) {
      if constexpr (kToMemory) {
        pack(plan.element, registers, memory.data, offset, count);
      } else {
        unpack(plan.element, memory.data, offset, registers, count);
      }
    } else {
      move_run<kToMemory>(memory.data + offset * static_cast<int64_t>(bytes), cursor.stride(),
                          registers, count, bytes);
    }
    registers += count * bytes;
    cursor.advance(count);
  }
}

// Visits every element of a view in order with its element offset, or -1 where it is outside of the
// allocation.
template <typename Visit>
void for_each_element(const AccessPlan& plan, const Access& access, const Layout& layout,
                      Visit visit) {
  const size_t n = plan.digits.size();
  const size_t rank = plan.logical_shape.size();
  std::array<int64_t, kMaxRank * 2> index{};
  PALLASITE_CHECK(n <= index.size());
  std::array<int64_t, kMaxRank> at = access.start;
  for (int64_t i = 0; i < plan.element_count; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank && offset >= 0; ++d) {
      const bool inside = at[d] >= 0 && at[d] < plan.logical_shape[d];
      offset = inside ? offset + at[d] * plan.logical_strides[d] : -1;
    }
    visit(offset < 0 ? -1 : remap(plan, layout, offset));
    for (size_t d = n; d-- > 0;) {
      const Digit& digit = plan.digits[d];
      at[digit.dim] += digit.step;
      if (++index[d] < digit.size) break;
      at[digit.dim] -= digit.step * digit.size;
      index[d] = 0;
    }
  }
}

}  // namespace

std::vector<int64_t> element_offsets(const AccessPlan& plan, const Access& access,
                                     const Layout& layout) {
  std::vector<int64_t> offsets;
  offsets.reserve(plan.element_count);
  for_each_element(plan, access, layout, [&](int64_t offset) { offsets.push_back(offset); });
  return offsets;
}

void load_view(const AccessPlan& plan, const Access& access, const Memory& memory,
               void* registers) {
  move_view<false>(plan, access, memory, static_cast<std::byte*>(registers));
}

void store_view(const AccessPlan& plan, const Access& access, const Memory& memory,
                const void* registers) {
  move_view<true>(plan, access, memory,
                  const_cast<std::byte*>(static_cast<const std::byte*>(registers)));
}

void load_view_clipped(const AccessPlan& plan, const Access& access, const Memory& memory,
                       void* registers, Outside outside) {
  if (access.in_bounds) return load_view(plan, access, memory, registers);
  const size_t bytes = register_bytes(plan.element);
  std::array<std::byte, 16> packed{};
  std::array<std::byte, 16> element{};
  if (outside == Outside::Fresh) {
    fill_uninitialized(plan.element, packed.data(), 1);
    unpack(plan.element, packed.data(), 0, element.data(), 1);
  }
  auto* out = static_cast<std::byte*>(registers);
  for_each_element(plan, access, *memory.layout, [&](int64_t offset) {
    if (offset < 0) {
      std::memcpy(out, element.data(), bytes);
    } else {
      unpack(plan.element, memory.data, offset, out, 1);
    }
    out += bytes;
  });
}

void store_view_clipped(const AccessPlan& plan, const Access& access, const Memory& memory,
                        const void* registers) {
  if (access.in_bounds) return store_view(plan, access, memory, registers);
  const size_t bytes = register_bytes(plan.element);
  auto* in = static_cast<const std::byte*>(registers);
  for_each_element(plan, access, *memory.layout, [&](int64_t offset) {
    if (offset >= 0) pack(plan.element, in, memory.data, offset, 1);
    in += bytes;
  });
}

void copy_view(const AccessPlan& to, const Access& to_access, const Memory& to_memory,
               const AccessPlan& from, const Access& from_access, const Memory& from_memory) {
  const size_t bytes = register_bytes(to.element);
  const bool sub_byte = is_sub_byte(to.element);
  RunCursor target(to, to_access), source(from, from_access);
  while (!target.done() && !source.done()) {
    int64_t count = std::min(target.count(), source.count());
    if (to.remapped || from.remapped) count = 1;
    const int64_t at = remap(to, *to_memory.layout, target.offset());
    const int64_t of = remap(from, *from_memory.layout, source.offset());
    if (sub_byte) {
      count = std::min<int64_t>(count, 256);
      if (target.stride() != 1 || source.stride() != 1) count = 1;
      std::array<std::byte, 256> registers;
      unpack(to.element, from_memory.data, of, registers.data(), count);
      pack(to.element, registers.data(), to_memory.data, at, count);
    } else {
      std::byte* out = to_memory.data + at * static_cast<int64_t>(bytes);
      std::byte* in = from_memory.data + of * static_cast<int64_t>(bytes);
      if (source.stride() == 1) {
        move_run<true>(out, target.stride(), in, count, bytes);
      } else if (target.stride() == 1) {
        move_run<false>(in, source.stride(), out, count, bytes);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(out + i * target.stride() * static_cast<int64_t>(bytes),
                      in + i * source.stride() * static_cast<int64_t>(bytes), bytes);
        }
      }
    }
    target.advance(count);
    source.advance(count);
  }
}

void fill_view(const AccessPlan& plan, const Access& access, const Memory& memory, bool zero) {
  std::array<std::byte, 16> packed{};
  std::array<std::byte, 16> element{};
  if (zero) {
    fill_zero(plan.element, packed.data(), 1);
  } else {
    fill_uninitialized(plan.element, packed.data(), 1);
  }
  unpack(plan.element, packed.data(), 0, element.data(), 1);
  if (access.in_bounds && !plan.remapped) {
    for (RunCursor cursor(plan, access); !cursor.done();) {
      const int64_t count = cursor.stride() == 1 ? cursor.count() : 1;
      fill(plan.element, element.data(), memory.data, cursor.offset(), count);
      cursor.advance(count);
    }
    return;
  }
  for_each_element(plan, access, *memory.layout, [&](int64_t offset) {
    if (offset >= 0) pack(plan.element, element.data(), memory.data, offset, 1);
  });
}

}  // namespace pallasite
