#include "pallasite/ir/verifier.h"

#include <gtest/gtest.h>

#include "pallasite/diag/render.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/parser.h"
#include "pallasite/ir/test_ops.h"

namespace pallasite {
namespace {

// Each finding as "line:column: message", one a line.
std::string findings(const std::string& text) {
  ParseResult result = parse_module(text, "k.pir", test_ops());
  if (!result.module) return message(result.diagnostics[0]);
  std::string out;
  for (const Diagnostic& diagnostic : verify(*result.module, &result.positions)) {
    const SourceFrame& frame = diagnostic.labels.at(0).location.frames.at(0);
    EXPECT_EQ(frame.file, "k.pir");
    if (!out.empty()) out += '\n';
    out += std::to_string(frame.line) + ":" + std::to_string(frame.column) + ": " +
           message(diagnostic);
  }
  return out;
}

// Ops in a kernel with a ref %0 and an i32 %1; the first op stands on line 10.
std::string findings_in_body(const std::string& ops) {
  return findings(
      "pir 1\nkernel @k {\n  grid = [2] [\"x\"]\n  threads = 2 \"wg\"\n"
      "  output %0 \"out\": ref<gmem, f32[8,128]>\n  body {\n"
      "    %1 = thread.axis_index {axis = \"x\"} : i32\n"
      "    scope.run_scoped {collective_axes = []} {\n"
      "      (%2: ref<smem, f16[2,2,8,64], unswizzle(128), untile(8, 64)>, %3: barrier<[2], "
      "arrivals=1>)\n" +
      ops + "\n      control.yield\n    }\n    control.yield\n  }\n}\n");
}

std::string findings_of_kernel(const std::string& header) {
  return findings("pir 1\nkernel @k {\n" + header + "  body {\n    control.yield\n  }\n}\n");
}

struct Case {
  const char* text;
  const char* findings;
};

TEST(Verifier, Signatures) {
  const Case kCases[] = {
      {"copy.start %0", ""},
      {"copy.start %0, bool(true)", ""},
      {"copy.start", "10:1: `copy.start`: takes 1 to 2 operands, not 0"},
      {"copy.start %0, bool(true), bool(true)", "10:1: `copy.start`: takes 1 to 2 operands, not 3"},
      {"barrier.wait", "10:1: `barrier.wait`: takes 1 operands, not 0"},
      {"copy.start i32(1)", "10:1: `copy.start`: `src` is a ref, not i32"},
      {"copy.start %0, i32(1)", "10:1: `copy.start`: `predicate` is a bool scalar, not i32"},
      {"barrier.wait %3",
       "10:1: `barrier`: Attempting to operate on barrier without indexing, but `num_barriers = "
       "2`"},
      {"control.cond %0 {\ncontrol.yield\n}",
       "10:1: `control.cond`: `index` is a scalar, not ref<gmem, f32[8,128]>"},
      {"%4 = arith.rem %0, %1 : i32",
       "10:1: `arith.rem`: `x` is an array, not ref<gmem, f32[8,128]>"},
      {"%4 = arith.rem %1, %1 : f32", "10:1: `arith.rem`: the result is i32, not f32"},
      {"arith.rem %1, %1", "10:1: `arith.rem`: the result is i32, not nothing"},
      {"%4, %5 = arith.rem %1, %1 : i32, i32",
       "10:1: `arith.rem`: the result is i32, not i32, i32"},
      {"%4 = thread.axis_index : i32", "10:1: `thread.axis_index`: attribute `axis` is missing"},
      {"%4 = thread.axis_index {axes = \"x\"} : i32",
       "10:1: `thread.axis_index`: attribute `axis` is missing\n"
       "10:1: `thread.axis_index`: has no attribute `axes`; the nearest is `axis`"},
      {"%4 = thread.axis_index {axis = 3} : i32",
       "10:1: `thread.axis_index`: attribute `axis` is text, not an integer"},
      {"test.attributes {float = 1}",
       "10:1: `test.attributes`: attribute `float` is a float such as 0.5, not an integer"},
      {"test.attributes {strings = [1]}",
       "10:1: `test.attributes`: attribute `strings` is a list of strings, not a list of integers"},
      {"test.attributes {ints = [?]}",
       "10:1: `test.attributes`: attribute `ints` has an entry `?`; only `starts` may have one"},
      {"test.attributes {zzz = 1}", "10:1: `test.attributes`: has no attribute `zzz`"},
  };
  for (const Case& c : kCases) EXPECT_EQ(findings_in_body(c.text), c.findings) << c.text;
}

TEST(Verifier, Regions) {
  const Case kCases[] = {
      {"control.cond bool(true)", "10:1: `control.cond`: has one or more regions, not 0"},
      {"copy.start %0 {\ncontrol.yield\n}", "10:1: `copy.start`: has 0 regions, not 1"},
      {"control.cond bool(true) {\n}",
       "10:1: `control.cond`: region 0 does not end with `control.yield`"},
      {"control.cond bool(true) {\ntest.free\n} {\ncontrol.yield\n}",
       "10:1: `control.cond`: region 0 does not end with `control.yield`"},
      {"control.yield", "10:1: `control.yield`: ends a region, but ops follow it"},
      // What a region defines ends with it, and results begin after it.
      {"control.cond bool(true) {\n%5 = thread.axis_index {axis = \"x\"} : i32\ncontrol.yield\n}\n"
       "test.free %5",
       "14:1: `test.free`: operand 0 is not visible here: it is defined in another region or "
       "function, or below"},
      {"control.cond bool(true) {\n(%5: i32)\ncontrol.yield\n} {\ntest.free %5\ncontrol.yield\n}",
       "14:1: `test.free`: operand 0 is not visible here: it is defined in another region or "
       "function, or below"},
      {"control.cond bool(true) {\ntest.free %0, %1, %2, %3\ncontrol.yield\n}", ""},
      {"control.cond bool(true) {\ncontrol.yield i32(1), i32(2), i32(3), i32(4), i32(5)\n}",
       "11:1: `control.yield`: more than 4 values"},
      {"control.cond bool(true) {\n(%5: ref<gmem, i32[8,8], untile(8)>)\ncontrol.yield\n}",
       "10:1: `control.cond`: ref<gmem, i32[8,8], untile(8)>: only refs to smem have layout "
       "transforms"},
      {"control.cond bool(true) {\n(%5: ref<smem, i32[8], untile(8)>)\ncontrol.yield\n}",
       "10:1: `control.cond`: ref<smem, i32[8], untile(8)>: the last dimensions are not the tile "
       "of "
       "untile, with as many before them"},
      {"control.cond bool(true) {\n(%5: ref<smem, i32[8], unswizzle(8)>)\ncontrol.yield\n}",
       "10:1: `control.cond`: ref<smem, i32[8], unswizzle(8)>: unswizzle takes one argument, 16, "
       "32, "
       "64 or 128 bytes"},
      {"control.cond bool(true) {\n(%5: ref<smem, i32[8], untile()>)\ncontrol.yield\n}",
       "10:1: `control.cond`: ref<smem, i32[8], untile()>: untile takes the extents of a tile"},
  };
  for (const Case& c : kCases) EXPECT_EQ(findings_in_body(c.text), c.findings) << c.text;
}

TEST(Verifier, Views) {
  const Case kCases[] = {
      {"%4 = view.index %3, %1 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], "
       "arrivals=1>",
       ""},
      // Bounds are a matter of the run.
      {"%4 = view.index %0 {sizes = [16, 8], starts = [-4, 500]} : ref<gmem, f32[16,8]>", ""},
      {"%4 = view.index %0 {sizes = [4, 8], starts = [0, 0], strides = [2, 1]} : ref<gmem, "
       "f32[4,8]>",
       ""},
      {"%4 = view.index %1 {sizes = [], starts = []} : i32",
       "10:1: `view.index`: `ref` is a ref or a barrier, not the array i32"},
      {"%4 = view.index %0 {sizes = [1], starts = [0, 0]} : ref<gmem, f32[1]>",
       "10:1: `view.index`: `sizes` has 1 entries for the 2 dimensions of ref<gmem, f32[8,128]>"},
      {"%4 = view.index %0, %1 {sizes = [1, 1], starts = [0, 0]} : ref<gmem, f32[1,1]>",
       "10:1: `view.index`: `starts` has 0 entries `?`, but 1 operands follow the ref"},
      {"%4 = view.index %0 {sizes = [1, -1], starts = [0, 0]} : ref<gmem, f32[1]>",
       "10:1: `view.index`: `sizes` has the negative entry -1"},
      {"%4 = view.index %3 {sizes = [1], starts = [0], strides = [2]} : barrier<[1], arrivals=1>",
       "10:1: `view.index`: stride 2 of barrier<[2], arrivals=1>; only refs to gmem have strides "
       "other "
       "than 1"},
      {"%4 = view.index %0 {sizes = [1, 1], starts = [0, 0], strides = [0, 1]} : ref<gmem, "
       "f32[1,1]>",
       "10:1: `view.index`: `strides` has an entry that is not positive"},
      {"%4 = view.index %0 {sizes = [1, 1], squeeze = [2], starts = [0, 0]} : ref<gmem, f32[1]>",
       "10:1: `view.index`: `squeeze` = [2] is no ascending list of the 2 dimensions"},
      {"%4 = view.index %0 {sizes = [1, 2], squeeze = [1], starts = [0, 0]} : ref<gmem, f32[1]>",
       "10:1: `view.index`: `squeeze` drops dimension 1, which has size 2 instead of 1"},
      {"%4 = view.index %0 {sizes = [1, 2], squeeze = [0], starts = [0, 0]} : ref<gmem, f32[1,2]>",
       "10:1: `view.index`: the result is ref<gmem, f32[2]>, not ref<gmem, f32[1,2]>"},
      {"%4 = view.unswizzle %2 {swizzle = 128} : ref<smem, f16[2,2,8,64]>\n"
       "%5 = view.untile %4 {tiling = [8, 64]} : ref<smem, f16[16,128]>\n"
       "%6 = view.transpose %5 {permutation = [1, 0]} : ref<smem, f16[128,16]>\n"
       "%7 = view.reshape %6 : ref<smem, f16[2048]>",
       ""},
      {"%4 = view.unswizzle %0 {swizzle = 8} : ref<gmem, f32[8,128]>",
       "10:1: `view.unswizzle`: `swizzle` is 16, 32, 64 or 128 bytes, not 8\n"
       "10:1: `view.unswizzle`: only refs to smem are swizzled, not ref<gmem, f32[8,128]>"},
      {"%4 = view.untile %2 {tiling = [64, 8]} : ref<smem, f16[16,128]>",
       "10:1: `view.untile`: the last dimensions of ref<smem, f16[2,2,8,64], unswizzle(128), "
       "untile(8, "
       "64)> are not the tile [64, 8]"},
      {"%4 = view.untile %2 {tiling = []} : ref<smem, f16[16,128]>",
       "10:1: `view.untile`: `tiling` = [] is no list of tile extents"},
      {"%4 = view.untile %2 {tiling = [2, 8, 64]} : ref<smem, f16[16,128]>",
       "10:1: `view.untile`: a tiling of 3 dimensions needs a ref of rank 6 or more, not ref<smem, "
       "f16[2,2,8,64], unswizzle(128), untile(8, 64)>"},
      {"%4 = view.untile %0 {tiling = [8]} : ref<gmem, f32[8]>",
       "10:1: `view.untile`: only refs to smem are tiled, not ref<gmem, f32[8,128]>"},
      {"%4 = view.transpose %0 {permutation = [1, 1]} : ref<gmem, f32[128,8]>",
       "10:1: `view.transpose`: `permutation` = [1, 1] does not name each of the 2 dimensions of "
       "ref<gmem, f32[8,128]> once"},
      {"%4 = view.reshape %0 : ref<gmem, f32[8,64]>",
       "10:1: `view.reshape`: shape [8, 64] has 512 elements, but the ref's shape [8, 128] has "
       "1024"},
      {"%4 = view.reshape %0 : ref<smem, f32[1024]>",
       "10:1: `view.reshape`: a view of ref<gmem, f32[8,128]> as ref<smem, f32[1024]> changes more "
       "than the shape"},
      {"view.reshape %0", "10:1: `view.reshape`: has one result, not 0"},
  };
  for (const Case& c : kCases) EXPECT_EQ(findings_in_body(c.text), c.findings) << c.text;
}

TEST(Verifier, Kernels) {
  const Case kCases[] = {
      {"  grid = [] []\n", ""},
      {"  grid = [2] []\n", "2:1: `kernel @k`: `grid` has 1 sizes and 0 names"},
      {"  grid = [0] [\"x\"]\n", "2:1: `kernel @k`: `grid` has an axis of size 0"},
      {"  grid = [1048576, 1048576] [\"x\", \"y\"]\n",
       "2:1: `kernel @k`: `grid` has 2^40 blocks or more"},
      {"  grid = [2] [\"x\"]\n  cluster = [2] [\"x\"]\n",
       "2:1: `kernel @k`: two axes are named `x`"},
      {"  grid = [2] [\"\"]\n", "2:1: `kernel @k`: an axis has no name"},
      {"  grid = [2] [\"x\"]\n  threads = 2 \"x\"\n", "2:1: `kernel @k`: two axes are named `x`"},
      {"  grid = [] []\n  cluster = [1, 1, 1, 1] [\"a\", \"b\", \"c\", \"d\"]\n",
       "2:1: `kernel @k`: `cluster` has 4 axes, more than 3"},
      {"  grid = [] []\n  cluster = [16] [\"a\"]\n", ""},
      {"  grid = [] []\n  cluster = [17] [\"a\"]\n",
       "2:1: cluster (17,) has 17 blocks, more than 16"},
      {"  grid = [] []\n  threads = 0\n", "2:1: `kernel @k`: `threads` is 0, not positive"},
      {"  grid = [] []\n  threads = 8 \"wg\"\n", ""},
      {"  grid = [] []\n  threads = 9 \"wg\"\n",
       "2:1: a block of 9 warpgroups has 1152 threads, more than 1024"},
      {"  grid = [] []\n  input %0 \"x\": ref<smem, f32[8]>\n",
       "2:1: `kernel @k`: parameter `x` is ref<smem, f32[8]>, not a ref to gmem"},
      {"  grid = [] []\n  input %0: i32\n",
       "2:1: `kernel @k`: parameter 0 is i32, not a ref to gmem"},
      {"  grid = [] []\n  input %0: ref<gmem, i32>\n  output %1 aliases %0: ref<gmem, i32>\n", ""},
      {"  grid = [] []\n  input %0: ref<gmem, i32>\n  output %1 aliases %0: ref<gmem, f32>\n",
       "2:1: `kernel @k`: parameter 1 is ref<gmem, f32>, but aliases an input that is ref<gmem, "
       "i32>"},
      {"  grid = [] []\n  output %0: ref<gmem, i32>\n  output %1 aliases %0: ref<gmem, i32>\n",
       "2:1: `kernel @k`: parameter 1 aliases; only an output shares the buffer of an input"},
      {"  grid = [] []\n  input %0: ref<gmem, i32>\n  output %1 aliases %0: ref<gmem, i32>\n"
       "  output %2 aliases %0: ref<gmem, i32>\n",
       "2:1: `kernel @k`: parameter 2 aliases an input whose buffer another output has"},
  };
  for (const Case& c : kCases) EXPECT_EQ(findings_of_kernel(c.text), c.findings) << c.text;
}

TEST(Verifier, Functions) {
  const std::string kKernel = "kernel @k {\n  grid = [] []\n  body {\n    control.yield\n  }\n}\n";
  const Case kCases[] = {
      {"func @f(%0: i32) -> (i32) {\ncontrol.yield %0\n}\n", ""},
      {"func @f() -> (i32) {\n}\n", "2:1: `func @f`: the body does not end with `control.yield`"},
      {"func @f() -> (i32) {\ncontrol.yield\n}\n",
       "3:1: `control.yield`: yields nothing, but the body returns i32"},
      {"func @f() -> () {\ncontrol.yield\n}\nfunc @f() -> () {\ncontrol.yield\n}\n",
       "5:1: `func @f`: another function has this name"},
      {"func @f() -> () {\ncontrol.call {callee = \"f\"}\ncontrol.yield\n}\n",
       "3:1: `control.call`: @f calls itself, by way of this call; recursion has no bound here"},
      {"func @f() -> () {\ncontrol.call {callee = \"g\"}\ncontrol.yield\n}\n"
       "func @g() -> () {\ncontrol.call {callee = \"h\"}\ncontrol.call {callee = \"h\"}\n"
       "control.yield\n}\n"
       "func @h() -> () {\ncontrol.call {callee = \"f\"}\ncontrol.yield\n}\n",
       "12:1: `control.call`: @f calls itself, by way of this call; recursion has no bound here"},
      {"func @long_name() -> () {\ncontrol.call {callee = \"long_nane\"}\ncontrol.yield\n}\n",
       "3:1: `control.call`: no function is named @long_nane; the nearest is @long_name"},
      {"func @f() -> (ref<gmem, i32[4], unswizzle(32)>) {\ncontrol.call {callee = \"quite else\"}\n"
       "control.yield\n}\n",
       "2:1: `func @f`: ref<gmem, i32[4], unswizzle(32)>: only refs to smem have layout "
       "transforms\n"
       "3:1: `control.call`: no function is named @\"quite else\"\n"
       "4:1: `control.yield`: yields nothing, but the body returns ref<gmem, i32[4], "
       "unswizzle(32)>"},
  };
  for (const Case& c : kCases) EXPECT_EQ(findings("pir 1\n" + (c.text + kKernel)), c.findings);
}

TEST(Verifier, KernelYieldsNothing) {
  EXPECT_EQ(
      findings("pir 1\nkernel @k {\n  grid = [] []\n  body {\n    control.yield i32(1)\n  }\n}"),
      "5:5: `control.yield`: yields i32, but the body returns nothing");
}

TEST(Verifier, GivesUpAfterMany) {
  std::string ops;
  for (int i = 0; i < 1000; ++i) ops += "copy.start\n";
  std::string text = findings_in_body(ops);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1, int64_t(kMaxVerifyDiagnostics));
}

// The place in the text, then where the kernel's author wrote it; without text the source alone.
TEST(Verifier, ShowsTextAndSource) {
  std::string text =
      "pir 1\n"
      "#0 = loc(\"kernel.py\", 12, 5, \"kernel\")\n"
      "#1 = loc(\"pipeline.py\", 80, 9, \"body\", \"inserted by emit_pipeline\") from #0\n"
      "kernel @k {\n  grid = [] []\n  body {\n    barrier.wait i32(1) #1\n    control.yield\n  "
      "}\n}\n";
  ParseResult result = parse_module(text, "k.pir", test_ops());
  ASSERT_TRUE(result.module);
  std::vector<Diagnostic> with_text = verify(*result.module, &result.positions);
  ASSERT_EQ(with_text.size(), 1u);
  ASSERT_EQ(with_text[0].labels.size(), 2u);
  EXPECT_EQ(with_text[0].labels[0].location, SourceLocation::at("k.pir", 7, 5));
  EXPECT_EQ(with_text[0].labels[1].location, source_location(*result.module, LocationId(1)));
  std::vector<Diagnostic> without_text = verify(*result.module);
  ASSERT_EQ(without_text.size(), 1u);
  ASSERT_EQ(without_text[0].labels.size(), 1u);
  const std::vector<SourceFrame>& frames = without_text[0].labels[0].location.frames;
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].file, "pipeline.py");
  EXPECT_EQ(frames[0].note, "inserted by emit_pipeline");
  EXPECT_EQ(frames[1].function, "kernel");
  // The path of an op is of use only where no source is known.
  EXPECT_EQ(help(without_text[0]).find("the op is"), std::string::npos);
}

// What no text can say, but a module built by hand can.
TEST(Verifier, ModulesBuiltByHand) {
  ParseResult result =
      parse_module("pir 1\nkernel @k {\n  grid = [] []\n  body {\n    control.yield\n  }\n}\n",
                   "k.pir", test_ops());
  ASSERT_TRUE(result.module);
  Module& module = *result.module;
  auto errors = [&] {
    std::string out;
    for (const Diagnostic& diagnostic : verify(module)) out += message(diagnostic) + "\n";
    return out;
  };
  const OpDef* test_free = nullptr;
  OpId op = module.insert_op(module.kernel.body, 0, nullptr, {}, {}, {}, LocationId(7));
  EXPECT_EQ(errors(), "`?`: the op has no definition\n");
  for (const OpDef* def : test_ops()) {
    if (def->name == "test.free") test_free = def;
  }
  module.op(op).def = test_free;
  EXPECT_EQ(errors(), "`test.free`: location #7 is not in the table\n");
  module.op(op).location = LocationId();
  module.op(op).operands = {module.add_literal({ElementType::S4, 0x7f})};
  EXPECT_EQ(errors(), "`test.free`: operand 0 is a literal with bits that i4 does not have\n");
  module.op(op).operands.clear();
  module.add_result(op, Type::array(ElementType::F32, std::vector<int64_t>(13, 1)));
  EXPECT_EQ(errors(), "`test.free`: a type has rank 13, more than 12\n");
  module.value(module.op(op).results[0]).type = Type::array(ElementType::F32, {-1});
  EXPECT_EQ(errors(), "`test.free`: a type has the negative dimension -1\n");
  module.value(module.op(op).results[0]).type = Type::array(ElementType::F32, {1 << 30, 1 << 30});
  EXPECT_EQ(errors(), "`test.free`: f32[1073741824,1073741824] has 2^40 elements or more\n");
  module.value(module.op(op).results[0]).type = Type::array(ElementType::F32);
  EXPECT_EQ(errors(), "");
  // Seen only after the op.
  module.op(op).operands = module.op(op).results;
  EXPECT_NE(errors().find("operand 0 is not visible here"), std::string::npos);
  module.op(op).operands.clear();
  Location circular;
  circular.from = LocationId(0);
  module.add_location(circular);
  EXPECT_EQ(errors(), "`kernel @k`: location #0 comes from #0, which is not above it\n");
  EXPECT_EQ(source_location(module, LocationId(0)).frames.size(), 1u);
}

TEST(Verifier, DeepModulesBuiltByHand) {
  ParseResult result = parse_module(
      "pir 1\nkernel @k {\n  grid = [] []\n  body {\n    control.cond bool(true) {\n"
      "      control.yield\n    }\n    control.yield\n  }\n}\n",
      "k.pir", test_ops());
  ASSERT_TRUE(result.module);
  Module& module = *result.module;
  OpId cond = *module.find_op("kernel/0");
  const OpDef* def = module.op(cond).def;
  const OpDef* yield = module.op(*module.find_op("kernel/1")).def;
  std::vector<ValueId> operands = module.op(cond).operands;
  RegionId region = module.op(cond).regions[0];
  for (int i = 0; i < 1000; ++i) {
    OpId inner = module.insert_op(region, 0, def, operands, {}, {}, LocationId());
    region = module.add_region(inner);
    module.append_op(region, yield, {}, {}, {}, LocationId());
  }
  std::vector<Diagnostic> diagnostics = verify(module);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(message(diagnostics[0]), "`control.cond`: regions are nested more than 100 deep");
}

}  // namespace
}  // namespace pallasite
