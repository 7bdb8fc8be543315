// Moves elements between views, and between views and registers.
//
// `data` is always the start of an allocation's storage; the plan and the access say which
// elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pallasite/sim/view.h"

namespace pallasite {

// Where an allocation's bytes are, and how they lie.
struct Memory {
  std::byte* data = nullptr;
  const Layout* layout = nullptr;
};

// View to registers (register form, view order) and back. The access is in bounds.
void load_view(const AccessPlan& plan, const Access& access, const Memory& memory, void* registers);
void store_view(const AccessPlan& plan, const Access& access, const Memory& memory,
                const void* registers);

// The same for an access that may leave the allocation: elements outside are read as `outside` says
// and not written. Sub-byte elements are handled like all others.
enum class Outside : uint8_t { Zero, Fresh };
void load_view_clipped(const AccessPlan& plan, const Access& access, const Memory& memory,
                       void* registers, Outside outside = Outside::Zero);
void store_view_clipped(const AccessPlan& plan, const Access& access, const Memory& memory,
                        const void* registers);

// View to view of the same element count and type, in view order. Both in bounds.
void copy_view(const AccessPlan& to, const Access& to_access, const Memory& to_memory,
               const AccessPlan& from, const Access& from_access, const Memory& from_memory);

// Fills a view with what fresh memory holds (or zero). Out-of-bounds elements are skipped.
void fill_view(const AccessPlan& plan, const Access& access, const Memory& memory, bool zero);

// Calls visit(first_element, elements) for each run of adjacent elements of the storage that the
// access touches, clipped to the allocation: what a checker compares, since neighbours of less than
// a byte are apart. Runs come in view order.
template <typename Visit>
void for_each_element_run(const AccessPlan& plan, const Access& access, const Layout& layout,
                          Visit visit);

// Calls visit(first_byte, bytes) for each run of adjacent bytes that the access touches in the
// storage, clipped to the allocation. Runs come in view order.
template <typename Visit>
void for_each_run(const AccessPlan& plan, const Access& access, const Layout& layout, Visit visit);

// Storage offset of each element of a view, in view order; -1 where it lies outside.
std::vector<int64_t> element_offsets(const AccessPlan& plan, const Access& access,
                                     const Layout& layout);

// Iterates over runs of elements at a constant stride, in view order.
class RunCursor {
 public:
  RunCursor(const AccessPlan& plan, const Access& access);

  bool done() const { return done_; }
  // Element offset of the current run's start.
  int64_t offset() const { return offset_; }
  // Elements left in the current run, and the distance between them.
  int64_t count() const { return count_; }
  int64_t stride() const { return stride_; }
  void advance(int64_t elements);

 private:
  const AccessDigit* digits_;
  size_t outer_ = 0;
  int64_t index_[kMaxRank * 2] = {};
  int64_t run_start_ = 0;
  int64_t run_size_ = 1;
  int64_t offset_ = 0;
  int64_t count_ = 0;
  int64_t stride_ = 1;
  bool done_ = false;
};

template <typename Visit>
void for_each_element_run(const AccessPlan& plan, const Access& access, const Layout& layout,
                          Visit visit) {
  if (!access.in_bounds || plan.remapped) {
    for (int64_t offset : element_offsets(plan, access, layout)) {
      if (offset >= 0) visit(offset, int64_t{1});
    }
    return;
  }
  for (RunCursor cursor(plan, access); !cursor.done();) {
    const int64_t count = cursor.stride() == 1 ? cursor.count() : 1;
    visit(cursor.offset(), count);
    cursor.advance(count);
  }
}

template <typename Visit>
void for_each_run(const AccessPlan& plan, const Access& access, const Layout& layout, Visit visit) {
  const int64_t bits = element_info(plan.element).storage_bits;
  for_each_element_run(plan, access, layout, [&](int64_t first, int64_t count) {
    const int64_t first_byte = first * bits / 8;
    visit(first_byte, ((first + count) * bits + 7) / 8 - first_byte);
  });
}

}  // namespace pallasite
