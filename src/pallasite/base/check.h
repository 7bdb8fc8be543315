// Checks of our own invariants. A failed one is a bug of pallasite (verdict `internal`), never of
// the kernel: faults of a kernel are Diagnostics.
#pragma once

#include <stdexcept>
#include <string>

namespace pallasite {

// Thrown by PALLASITE_CHECK; api/ turns it into the verdict `internal`.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_check(const char* file, int line, const std::string& what) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace pallasite

#define PALLASITE_CHECK(condition, ...)                                                     \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::pallasite::fail_check(__FILE__, __LINE__, std::string(#condition " " __VA_ARGS__)); \
  } while (false)
