#include "pallasite/api/diagnose.h"

#include <gtest/gtest.h>

#include "pallasite/api/options.h"
#include "pallasite/base/check.h"
#include "pallasite/diag/render.h"

namespace pallasite {
namespace {

TEST(DiagnosticFromJson, has_all_that_the_object_states) {
  const Diagnostic diagnostic = diagnostic_from_json(R"({
    "code": "compile.refused", "variant": "primitive",
    "arguments": {"text": "Unimplemented primitive: sort", "chip": "sm_90a", "primitive": "sort"},
    "frames": [{"file": "k.py", "line": 3, "column": 7, "function": "kernel"},
               {"file": "k.py", "line": 9, "note": "inserted by emit_pipeline"}]})");
  EXPECT_EQ(diagnostic.kind, Kind::CompileRefused);
  EXPECT_EQ(diagnostic.level, Level::Error);
  EXPECT_EQ(message(diagnostic),
            "JAX refuses this kernel for sm_90a: Unimplemented primitive: sort");
  EXPECT_NE(help(diagnostic).find("what `sort` does"), std::string::npos);
  ASSERT_EQ(diagnostic.labels.size(), 1u);
  const std::vector<SourceFrame> frames = {
      {.file = "k.py", .line = 3, .column = 7, .function = "kernel"},
      {.file = "k.py", .line = 9, .note = "inserted by emit_pipeline"}};
  EXPECT_EQ(diagnostic.labels[0].location.frames, frames);
}

TEST(DiagnosticFromJson, takes_integers_a_level_and_no_place) {
  const Diagnostic diagnostic = diagnostic_from_json(R"({
    "code": "assume.multiple-of", "arguments": {"value": 3, "factor": 2}, "level": "note"})");
  EXPECT_EQ(diagnostic.level, Level::Note);
  EXPECT_EQ(message(diagnostic), "3 was promised to be a multiple of 2 and is not");
  EXPECT_TRUE(diagnostic.labels[0].location.frames.empty());
}

TEST(DiagnosticFromJson, refuses_what_is_no_diagnostic) {
  for (const char* text :
       {"", "[]", R"({"variant": "x"})", R"({"code": "no.such"})",
        R"({"code": "ir.parse", "arguments": {"what": [1]}})",
        R"({"code": "ir.parse", "arguments": {"what": "x"}, "level": "loud"})",
        R"({"code": "ir.parse", "arguments": {"what": "x"}, "frames": [{"line": 1}]})"}) {
    EXPECT_THROW(diagnostic_from_json(text), OptionError) << text;
  }
  EXPECT_THROW(diagnostic_from_json(R"({"code": "compile.refused", "variant": "refused"})"),
               InternalError);
}

}  // namespace
}  // namespace pallasite
