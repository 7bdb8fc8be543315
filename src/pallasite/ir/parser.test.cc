#include "pallasite/ir/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "pallasite/ir/printer.h"
#include "pallasite/ir/test_ops.h"

namespace pallasite {
namespace {

// The first block of code of docs/ir.md.
std::string example_of_docs() {
  std::ifstream file(PALLASITE_SOURCE_DIR "/docs/ir.md");
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  size_t start = text.find("```\n") + 4;
  return text.substr(start, text.find("```", start) - start);
}

std::string rendered(std::string_view text) {
  ParseResult result = parse_module(text, "test.pir", test_ops());
  if (result.module) return "parsed";
  TextSourceReader reader("test.pir", text);
  return render_terminal(result.diagnostics[0], reader);
}

void expect_round_trip(std::string_view text) {
  ParseResult result = parse_module(text, "test.pir", test_ops());
  ASSERT_TRUE(result.module) << rendered(text);
  EXPECT_EQ(print_module(*result.module), text);
}

TEST(Parser, ExampleOfDocsRoundTrips) {
  expect_round_trip(example_of_docs());
}

}  // namespace
}  // namespace pallasite
