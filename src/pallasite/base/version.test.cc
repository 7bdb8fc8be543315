#include "pallasite/base/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "pallasite/base/test_source_dir.h"

namespace pallasite {
namespace {

TEST(Version, IsTheOneInPyproject) {
  std::ifstream pyproject(test::source_dir() + "/pyproject.toml");
  ASSERT_TRUE(pyproject);
  const std::string wanted = "version = \"" + std::string(version()) + "\"";
  std::string line;
  while (std::getline(pyproject, line)) {
    if (line.starts_with("version = ")) break;
  }
  EXPECT_EQ(line, wanted);
}

}  // namespace
}  // namespace pallasite
