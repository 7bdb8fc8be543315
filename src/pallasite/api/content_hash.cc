#include "pallasite/api/content_hash.h"

#include <fmt/format.h>

#include <cstring>

namespace pallasite {

namespace {

// The finaliser of SplitMix64.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

void ContentHash::add(const void* data, size_t bytes) {
  // Only little-endian machines are supported, so a word is the same everywhere.
  const auto* at = static_cast<const std::byte*>(data);
  uint64_t state = mixed(state_ + bytes);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    state = (state ^ word) * 0x9fb21c651e98df25u;
    state ^= state >> 29;
  }
  uint64_t word = 0;
  if (bytes > 0) std::memcpy(&word, at, bytes);
  state_ = mixed(state ^ word);
}

uint64_t ContentHash::value() const {
  return mixed(state_);
}

std::string ContentHash::text() const {
  return fmt::format("{:016x}", value());
}

}  // namespace pallasite
