// A hash of bytes that is the same on every machine: names modules and inputs in recorded
// schedules, and finds programs in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pallasite {

class ContentHash {
 public:
  void add(const void* data, size_t bytes);
  uint64_t value() const;
  // 16 hexadecimal digits.
  std::string text() const;

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

}  // namespace pallasite
