// Memory that begins with a cache line: an access of the widest vectors touches one line only.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace pallasite {

inline constexpr size_t kCacheLine = 64;

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <typename U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kCacheLine)));
  }
  void deallocate(T* memory, size_t) { ::operator delete(memory, std::align_val_t(kCacheLine)); }

  bool operator==(const CacheLineAllocator&) const { return true; }
};

using AlignedBytes = std::vector<std::byte, CacheLineAllocator<std::byte>>;

}  // namespace pallasite
