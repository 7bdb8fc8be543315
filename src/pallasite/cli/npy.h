// Arrays in numpy's .npy files, versions 1 to 3 of the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

// The file is no .npy file, or one of a kind that is not read.
class NpyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct NpyArray {
  // As in the file: "<f4", "|b1", "|V1".
  std::string descr;
  std::vector<int64_t> shape;
  // Row-major, as numpy holds them: of types of fewer than 8 bits each element takes a byte.
  std::vector<std::byte> bytes;
};

// Of the contents of a file. Arrays in Fortran order are put into row-major order.
NpyArray parse_npy(std::string_view contents);
std::string format_npy(const NpyArray& array);

// The name of the array's element type. numpy keeps no names for the types of ml_dtypes, only their
// size, so an array of such a type is taken for what the kernel wants if the size fits.
std::string element_type_of(const NpyArray& array, ElementType wanted);
std::string descr_of(ElementType element);

}  // namespace pallasite
