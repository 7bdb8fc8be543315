#include "pallasite/ir/parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/ir/printer.h"
#include "pallasite/ir/test_ops.h"
#include "pallasite/ir/text.h"
#include "pallasite/ir/verifier.h"

namespace pallasite {
namespace {

// The first block of code of docs/ir.md.
std::string example_of_docs() {
  std::ifstream file(test::source_dir() + "/docs/ir.md");
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  size_t start = text.find("```\n") + 4;
  return text.substr(start, text.find("```", start) - start);
}

// A kernel with these ops in its body.
std::string kernel_with(const std::string& ops, const std::string& header = "") {
  return "pir 1\n\nkernel @k {\n  grid = [] []\n" + header + "  body {\n" + ops +
         "    control.yield\n  }\n}\n";
}

// "line:column: message", then the line and a caret below it.
std::string parse_error(std::string_view text) {
  ParseResult result = parse_module(text, "k.pir", test_ops());
  if (result.module) return "parsed";
  EXPECT_EQ(result.diagnostics.size(), 1u);
  const Diagnostic& diagnostic = result.diagnostics[0];
  EXPECT_EQ(diagnostic.kind, Kind::IrParse);
  const SourceFrame& frame = diagnostic.labels.at(0).location.frames.at(0);
  EXPECT_EQ(frame.file, "k.pir");
  TextSourceReader reader("k.pir", text);
  std::string report = render_terminal(diagnostic, reader);
  size_t caret = report.find("^ here");
  EXPECT_NE(caret, std::string::npos) << report;
  size_t mark_line = report.rfind('\n', caret) + 1;
  size_t code_line = report.rfind('\n', mark_line - 2) + 1;
  // Without the gutter of line numbers.
  auto without_gutter = [](std::string line) { return line.substr(line.find("| ") + 2); };
  std::string code = without_gutter(report.substr(code_line, mark_line - 1 - code_line));
  std::string mark = without_gutter(report.substr(mark_line, caret + 1 - mark_line));
  return std::to_string(frame.line) + ":" + std::to_string(frame.column) + ": " +
         message(diagnostic) + "\n" + code + "\n" + mark;
}

std::string printed(std::string_view text) {
  ParseResult result = parse_module(text, "k.pir", test_ops());
  return result.module ? print_module(*result.module) : parse_error(text);
}

// A literal of some type after parsing and printing.
std::string literal(const std::string& text) {
  std::string out = printed(kernel_with("    test.free " + text + "\n"));
  size_t start = out.find("test.free ");
  if (start == std::string::npos) return out;
  return out.substr(start + 10, out.find('\n', start) - start - 10);
}

TEST(Parser, ExampleOfDocsRoundTripsAndVerifies) {
  std::string text = example_of_docs();
  EXPECT_EQ(printed(text), text);
  ParseResult result = parse_module(text, "k.pir", test_ops());
  ASSERT_TRUE(result.module);
  for (const Diagnostic& diagnostic : verify(*result.module, &result.positions)) {
    ADD_FAILURE() << render_plain(diagnostic);
  }
  EXPECT_EQ(result.module->num_ops(), 8u);
  EXPECT_EQ(result.module->kernel.thread_name, "wg");
  EXPECT_EQ(result.module->locations()[1].note, "inserted by emit_pipeline");
  EXPECT_EQ(result.module->locations()[1].from, LocationId(0));
}

TEST(Parser, EveryFormRoundTrips) {
  std::string text = R"(pir 1
#0 = loc("a \"b\" \\ \u0001\n\té.py", 0, 2147483647, "<lambda>", "a note")

func @"no identifier"() -> () {
  control.yield
}

func @two(%0 "x": f32[8], %1: ref<smem, u8[4]>) -> (f32[8], i32) {
  control.yield %0, i32(-4)
}

kernel @"<lambda>" {
  grid = [2, 3] ["x", "y"]
  cluster = [1, 2] ["a", "b"]
  threads = 3
  attributes = {arch = "h100", empty = [], scale = -0.5}
  input %0 "in": ref<gmem, f32[8]>
  output %1 aliases %0: ref<gmem, f32[8]>
  body {
    test.attributes {bool = true, bytes = hex"00ff7f", float = 1e+100, int = -3, ints = [1, ?, -9223372036854775807], string = "", strings = ["a", "\u001f"]} #0
    test.attributes {bool = false, bytes = hex"", float = -inf, int = -9223372036854775808, ints = [], strings = []}
    test.attributes {float = nan}
    %2, %3 = control.call %0, bool(true) {callee = "two"} : f32[8], i32 #0
    %4 = control.cond bool(false) {
    } {
      (%5: i32, %6 "b": barrier<[2,3], arrivals=4, orders_tensor_core, cluster=["x", ["y", "z"]], leader_tracked>)
      %7 = arith.rem %5, %5 : i32
      control.yield %7
    } : i32
    scope.run_scoped {collective_axes = []} {
      (%8: ref<tmem, f8e4m3fn[0,12]>, %9: ref<regs, i1>, %10: barrier<[], arrivals=0>)
      control.yield
    }
    control.yield
  } #0
}
)";
  EXPECT_EQ(printed(text), text);
}

TEST(Parser, PrintsTheCanonicalForm) {
  std::string text = R"(// A comment.
pir 1 kernel @k { grid = [] [] threads = 1 attributes = {}
  body {
    %70 = test.free f16( 1.0 ), // the next line has another operand
      i32(2) : // the type
        i32
    %3 = arith.rem %70,%70:i32
    test.attributes { string = "\u00e9\ud83d\ude00\/", float=0.50, }
  } }
)";
  EXPECT_EQ(parse_error(text),
            "8:68: expected the name of an attribute, found `}`\n"
            "    test.attributes { string = \"\\u00e9\\ud83d\\ude00\\/\", float=0.50, }\n"
            "                                                                   ^");
  text.replace(text.find("0.50, }"), 7, "0.50}");
  EXPECT_EQ(printed(text), R"(pir 1

kernel @k {
  grid = [] []
  body {
    %0 = test.free f16(1.0), i32(2) : i32
    %1 = arith.rem %0, %0 : i32
    test.attributes {float = 0.5, string = "é😀/"}
  }
}
)");
}

TEST(Parser, LiteralsKeepTheirBits) {
  for (const char* text : {"i32(4)",
                           "i32(-2147483648)",
                           "u32(4294967295)",
                           "i64(-9223372036854775808)",
                           "u64(18446744073709551615)",
                           "i4(-8)",
                           "u4(15)",
                           "i1(-1)",
                           "bool(true)",
                           "bool(false)",
                           "f32(0.5)",
                           "f32(-0.0)",
                           "f32(nan)",
                           "f32(-inf)",
                           "f32(0x7fc00001)",
                           "f32(1e-45)",
                           "f32(3.4028235e+38)",
                           "f64(5e-324)",
                           "f64(0.1)",
                           "f64(nan)",
                           "f64(0xfff8000000000001)",
                           "f16(nan)",
                           "f16(65504.0)",
                           "f16(5.9604645e-08)",
                           "bf16(inf)",
                           "f8e4m3fn(448.0)",
                           "f8e4m3fn(nan)",
                           "f8e4m3fn(0xff)",
                           "f8e5m2(-inf)",
                           "f8e8m0fnu(5.877472e-39)",
                           "f8e8m0fnu(nan)",
                           "f4e2m1fn(-6.0)",
                           "f6e3m2fn(28.0)"}) {
    EXPECT_EQ(literal(text), text);
  }
  // Other spellings of the same bits.
  EXPECT_EQ(literal("f32(0x7fc00000)"), "f32(nan)");
  EXPECT_EQ(literal("f32(0x3f000000)"), "f32(0.5)");
  EXPECT_EQ(literal("f32(1)"), "f32(1.0)");
  EXPECT_EQ(literal("f32(0.1000000000)"), "f32(0.1)");
  EXPECT_EQ(literal("f16(0.1)"), "f16(0.099975586)");
}

TEST(Parser, EveryCodeOfSmallFloatsRoundTrips) {
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    auto element = ElementType(i);
    const ElementInfo& info = element_info(element);
    if (!info.is_float || info.storage_bits > 16) continue;
    for (uint64_t bits = 0; bits >> info.storage_bits == 0; ++bits) {
      std::string text = to_string(Literal{element, bits});
      size_t open = text.find('(');
      std::optional<Literal> back =
          parse_literal(element, text.substr(open + 1, text.size() - open - 2));
      ASSERT_TRUE(back.has_value()) << text;
      ASSERT_EQ(back->bits, bits) << text;
    }
  }
}

TEST(Parser, LiteralsThatDoNotFit) {
  for (const char* text :
       {"i32(2147483648)", "u32(-1)", "i4(8)", "u4(16)", "i1(1)", "u64(18446744073709551616)",
        "i32(0.5)", "i32(0x10)", "i32(true)", "bool(1)", "f16(1e6)", "f32(1e39)",
        "f32(0x1ffffffff)", "f4e2m1fn(nan)", "f4e2m1fn(7.0)", "f8e4m3fn(inf)", "f8e8m0fnu(-1.0)",
        "f8e8m0fnu(0.0)", "f32(\"1\")"}) {
    std::string error = parse_error(kernel_with("    test.free " + std::string(text) + "\n"));
    EXPECT_NE(error.find("is no value of"), std::string::npos) << text << ": " << error;
  }
}

struct Broken {
  const char* text;
  const char* report;
};

// What stands wrong, and the report.
TEST(Parser, GoldenErrors) {
  const Broken kBroken[] = {
      {"", "1:1: expected `pir 1` at the start of a module, found the end of the text\n\n^"},
      {"pir 2", "1:5: version 2 of the text form; only version 1 is known\npir 2\n    ^"},
      {"pir 1\n#1 = loc(\"f\", 1, 2, \"g\")",
       "2:1: locations are numbered from 0 in order; this is `#0`\n#1 = loc(\"f\", 1, 2, "
       "\"g\")\n^"},
      {"pir 1\n#0 = loc(\"f\", -1, 2, \"g\")",
       "2:15: a line number is between 0 and 2147483647\n#0 = loc(\"f\", -1, 2, \"g\")\n"
       "              ^"},
      {"pir 1\n#0 = loc(\"f\", 1, 2, \"g\") from #0",
       "2:31: location `#0` is not defined above\n#0 = loc(\"f\", 1, 2, \"g\") from #0\n"
       "                              ^"},
      {"pir 1\n#0 = loc(\"f", "2:10: this string has no closing quote\n#0 = loc(\"f\n         ^"},
      {"pir 1\n#0 = loc(\"a\\q\", 1, 2, \"g\")",
       "2:12: this is neither UTF-8 nor an escape of JSON\n#0 = loc(\"a\\q\", 1, 2, \"g\")\n"
       "           ^"},
      {"pir 1\n#0 = loc(\"\xff\", 1, 2, \"g\")",
       "2:11: this is neither UTF-8 nor an escape of JSON\n#0 = loc(\"\xff\", 1, 2, \"g\")\n"
       "          ^"},
      {"pir 1\nmodule @k",
       "2:1: expected a location line, `func` or `kernel`, found `module`\nmodule @k\n^"},
      {"pir 1\nkernel k {",
       "2:8: expected a name such as `@add_one`, found `k`\nkernel k {\n       ^"},
      {"pir 1\nkernel @k {\n  threads = 1\n",
       "3:3: expected `grid`, the first line of a kernel, found `threads`\n  threads = 1\n  ^"},
      {"pir 1\nkernel @k {\n  grid = [2 3] [\"x\"]\n",
       "3:13: expected `,` or `]` after a size, found `3`\n  grid = [2 3] [\"x\"]\n            ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  threads = 2 \"wg\"\n  cluster = [1] [\"c\"]\n",
       "5:3: expected a line of the kernel, in the order grid, cluster, threads, attributes, input "
       "and output, body, found `cluster`\n  cluster = [1] [\"c\"]\n  ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    barrier.wiat\n",
       "5:5: no op is named `barrier.wiat`; the nearest is `barrier.wait`\n    barrier.wiat\n    "
       "^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    quantum.leap\n",
       "5:5: no op is named `quantum.leap`\n    quantum.leap\n    ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.free %0\n",
       "5:15: value `%0` is not defined above\n    test.free %0\n              ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: i32\n  input %0: i32\n",
       "5:9: value `%0` is defined twice\n  input %0: i32\n        ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    %99999999 = test.free : i32\n",
       "5:5: values are numbered from 0 in order; this number is too large\n"
       "    %99999999 = test.free : i32\n    ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    %0, %1 = test.free : i32\n  }\n}",
       "6:3: expected the types of 2 results, found `}`\n  }\n  ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    %0 = test.free : i32, i32\n",
       "5:25: more types than results; there are 1 results\n    %0 = test.free : i32, i32\n"
       "                        ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.free : i32\n",
       "5:15: this op has types for results, but no results\n    test.free : i32\n              ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.free x\n",
       "5:15: expected an operand such as `%0` or `i32(4)`, found `x`\n    test.free x\n"
       "              ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.free f16(1e9)\n",
       "5:19: `1e9` is no value of f16\n    test.free f16(1e9)\n                  ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: float32\n",
       "4:13: no element type is named `float32`\n  input %0: float32\n            ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: ref<l2, i32>\n",
       "4:17: no memory space is named `l2`; there are gmem, smem, tmem and regs\n"
       "  input %0: ref<l2, i32>\n                ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: ref<smem, i32, twist(3)>\n",
       "4:28: no layout transform is named `twist`; there are unswizzle and untile\n"
       "  input %0: ref<smem, i32, twist(3)>\n                           ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: i32[-1]\n",
       "4:17: a dimension is between 0 and 1099511627775\n  input %0: i32[-1]\n                ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: i32[1048576,1048576]\n",
       "4:16: a shape has fewer than 2^40 elements\n  input %0: i32[1048576,1048576]\n"
       "               ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: i32[1,1,1,1,1,1,1,1,1,1,1,1,1]\n",
       "4:41: a shape has at most 12 dimensions\n  input %0: i32[1,1,1,1,1,1,1,1,1,1,1,1,1]\n"
       "                                        ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  input %0: barrier<[2], leader_tracked>\n",
       "4:26: expected `arrivals`, found `leader_tracked`\n"
       "  input %0: barrier<[2], leader_tracked>\n                         ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.attributes {int = 1, int = 2}\n",
       "5:31: attribute `int` is given twice\n    test.attributes {int = 1, int = 2}\n"
       "                              ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.attributes {int = "
       "9223372036854775808}\n",
       "5:28: an integer attribute is between -9223372036854775808 and 9223372036854775807\n"
       "    test.attributes {int = 9223372036854775808}\n                           ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.attributes {bytes = hex\"0\"}\n",
       "5:33: bytes are pairs of hexadecimal digits\n    test.attributes {bytes = hex\"0\"}\n"
       "                                ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.attributes {ints = [1, \"a\"]}\n",
       "5:33: expected an integer of a list, found `\"a\"`\n    test.attributes {ints = [1, "
       "\"a\"]}\n"
       "                                ^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    control.yield\n  }\n}\nkernel @l {",
       "8:1: expected the end of the text after the kernel, found `kernel`\nkernel @l {\n^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n\t$",
       "5:2: no token starts with this character\n\t$\n\t^"},
      {"pir 1\nkernel @k {\n  grid = [] []\n  body {\n    test.free 12ab\n",
       "5:15: a number ends before a letter or a point\n    test.free 12ab\n              ^"},
  };
  for (const Broken& broken : kBroken) EXPECT_EQ(parse_error(broken.text), broken.report);
}

TEST(Parser, NestingIsBounded) {
  auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "control.cond bool(true) {\n";
    for (int i = 0; i < depth; ++i) text += "control.yield\n}\n";
    return kernel_with(text);
  };
  EXPECT_NE(printed(nested(100)).find("pir 1"), std::string::npos);
  EXPECT_NE(parse_error(nested(101)).find("regions are nested more than 100 deep"),
            std::string::npos);
  EXPECT_NE(parse_error(nested(1000000)).find("regions are nested more than 100 deep"),
            std::string::npos);
}

TEST(Parser, EveryPrefixIsAnError) {
  std::string text = example_of_docs();
  size_t end = text.find_last_of('}');
  for (size_t length = 0; length < end; ++length) {
    ParseResult result = parse_module(text.substr(0, length), "k.pir", test_ops());
    EXPECT_FALSE(result.module) << length;
    EXPECT_EQ(result.diagnostics.size(), 1u);
  }
}

TEST(Parser, EveryDroppedByteEndsWell) {
  std::string text = example_of_docs();
  for (size_t i = 0; i < text.size(); ++i) {
    std::string broken = text.substr(0, i) + text.substr(i + 1);
    ParseResult result = parse_module(broken, "k.pir", test_ops());
    if (!result.module) continue;
    verify(*result.module, &result.positions);
    std::string canonical = print_module(*result.module);
    EXPECT_EQ(printed(canonical), canonical);
  }
}

TEST(Parser, PositionsOfOps) {
  ParseResult result = parse_module(example_of_docs(), "k.pir", test_ops());
  ASSERT_TRUE(result.module);
  ASSERT_EQ(result.positions.ops.size(), result.module->num_ops());
  std::optional<OpId> wait = result.module->find_op("kernel/0.0/2");
  ASSERT_TRUE(wait.has_value());
  EXPECT_EQ(result.positions.ops[wait->index].line, 22u);
  EXPECT_EQ(result.positions.ops[wait->index].column, 7u);
  EXPECT_EQ(result.positions.kernel.line, 10u);
  EXPECT_EQ(result.positions.functions.at(0).line, 5u);
}

}  // namespace
}  // namespace pallasite
