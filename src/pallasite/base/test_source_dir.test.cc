#include "pallasite/base/test_source_dir.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace pallasite::test {

std::string source_dir() {
  return PALLASITE_SOURCE_DIR;
}

TEST(SourceDir, IsTheRootOfTheTree) {
  EXPECT_TRUE(std::filesystem::exists(source_dir() + "/pyproject.toml"));
}

}  // namespace pallasite::test
