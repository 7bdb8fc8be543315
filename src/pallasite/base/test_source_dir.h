// Where the tests find the files of this repository.
#pragma once

#include <string>

namespace pallasite::test {

// The root of the source tree. Stated in one translation unit only, so that the others compile to
// the same object wherever the tree lies.
std::string source_dir();

}  // namespace pallasite::test
