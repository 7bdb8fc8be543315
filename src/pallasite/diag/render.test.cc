#include "pallasite/diag/render.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/diag/catalogue.h"

namespace pallasite {
namespace {

class FakeSources : public SourceReader {
 public:
  std::optional<std::string> line(const std::string& file, int number) override {
    auto found = lines_.find({file, number});
    if (found == lines_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::pair<std::string, int>, std::string> lines_ = {
      {{"kernel.py", 9}, "    plgpu.barrier_wait(full)"},
      {{"kernel.py", 41}, "        plgpu.barrier_arrive(full.at[slot])"},
      {{"kernel.py", 50}, "\tx_ref[i + 1]"},
      {{"k.pir", 3}, "  memory.store %0 i32(1)"},
  };
};

ThreadName thread(int64_t wg, int64_t x) {
  return ThreadName{.axes = {{"x", x}}, .thread_axis = "wg", .thread = wg};
}

// Compares with a file under testdata/; PALLASITE_BLESS=1 writes it instead.
void expect_golden(const std::string& name, const std::string& actual) {
  std::string path = test::source_dir() + "/src/pallasite/diag/testdata/" + name;
  const char* bless = std::getenv("PALLASITE_BLESS");
  if (bless != nullptr && std::string(bless) == "1") {
    std::ofstream(path) << actual;
    return;
  }
  std::ifstream stream(path);
  ASSERT_TRUE(stream) << path << " is missing; PALLASITE_BLESS=1 writes it";
  std::stringstream expected;
  expected << stream.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "PALLASITE_BLESS=1 rewrites " << path;
}

Diagnostic missed_phase() {
  ThreadName waiter = thread(2, 1);
  waiter.iterations = {{"", 3}};
  SourceLocation arrive{{{"kernel.py", 41, 9, "produce", ""},
                         {"pipeline.py", 120, 5, "body", "inserted by emit_pipeline"},
                         {"train.py", 7, 0, "step", ""}}};
  return DiagnosticBuilder(Kind::BarrierMissedPhase)
      .variant("arrive")
      .arg("ref", "full[1]")
      .arg("thread", thread(2, 1))
      .arg("observed", 0)
      .arg("completed", 2)
      .arg("missed", 1)
      .at(arrive, thread(0, 1))
      .label("occurred earlier here", SourceLocation::at("kernel.py", 9, 0, "consume"), waiter)
      .build();
}

Diagnostic deadlock() {
  TableRow waiting = {.thread = thread(1, 0),
                      .state = "waiting",
                      .object = "ready",
                      .phase = 0,
                      .arrivals_seen = 1,
                      .arrivals_expected = 2,
                      .location = SourceLocation::at("kernel.py", 9, 5)};
  TableRow loading = {.thread = thread(2, 0),
                      .state = "waiting",
                      .object = "full[0]",
                      .phase = 3,
                      .arrivals_seen = 1,
                      .arrivals_expected = 1,
                      .bytes_seen = 0,
                      .bytes_expected = 16384,
                      .location = SourceLocation::at("missing.py", 12, 5)};
  return DiagnosticBuilder(Kind::SchedDeadlock)
      .arg("blocked", 2)
      .arg("threads", 3)
      .at(SourceLocation::at("kernel.py", 9, 5, "kernel"), thread(1, 0))
      .row({.thread = thread(0, 0), .state = "done"})
      .row(waiting)
      .row(loading)
      .help("wg=0 has ended and could still have arrived at `ready`")
      .build();
}

Diagnostic collective_axes() {
  return DiagnosticBuilder(Kind::ScopeCollectiveAxes)
      .variant("missing-thread-axis")
      .arg("thread_axis", "wg")
      .at(SourceLocation::at("missing.py", 12, 5, "kernel"))
      .build();
}

Diagnostic out_of_bounds() {
  Diagnostic diagnostic = DiagnosticBuilder(Kind::GmemOob)
                              .variant("read")
                              .arg("ref", "x_ref")
                              .arg("access", Box{{4, 0}, {5, 128}})
                              .arg("shape", Shape{4, 128})
                              .at(SourceLocation::at("kernel.py", 50, 2), thread(0, 3))
                              .build();
  diagnostic.count = 128;
  return diagnostic;
}

Diagnostic parse_error() {
  return DiagnosticBuilder(Kind::IrParse)
      .arg("what", "expected `,` between operands")
      .at(SourceLocation::at("k.pir", 3, 19))
      .build();
}

Diagnostic unsupported() {
  return DiagnosticBuilder(Kind::RunUnsupported)
      .variant("op")
      .arg("op", "inline_mgpu")
      .arg("params", "{}")
      .arg("reason", "its body is code for the GPU only")
      .at({}, thread(0, 0))
      .build();
}

struct Sample {
  const char* name;
  Diagnostic (*make)();
};

const Sample kSamples[] = {
    {"missed_phase", missed_phase},       {"deadlock", deadlock},
    {"collective_axes", collective_axes}, {"out_of_bounds", out_of_bounds},
    {"parse_error", parse_error},         {"unsupported", unsupported},
};

TEST(Render, terminal_golden) {
  FakeSources sources;
  std::string text;
  for (const Sample& sample : kSamples) text += render_terminal(sample.make(), sources) + "\n";
  expect_golden("terminal.txt", text);
}

TEST(Render, color_golden) {
  FakeSources sources;
  expect_golden("color.txt", render_terminal(missed_phase(), sources, {.color = true}));
}

TEST(Render, json_golden) {
  std::string text;
  for (const Sample& sample : kSamples) text += to_json(sample.make(), 2) + "\n";
  expect_golden("diagnostics.json.txt", text);
}

TEST(Render, explain_golden) {
  expect_golden("explain.txt", explain(Kind::ScopeCollectiveAxes));
  expect_golden("entry.json", entry_to_json(Kind::ScopeCollectiveAxes, 2) + "\n");
}

TEST(Render, color_adds_nothing_but_escapes) {
  FakeSources sources;
  for (const Sample& sample : kSamples) {
    std::string colored = render_terminal(sample.make(), sources, {.color = true});
    std::string bare;
    for (size_t i = 0; i < colored.size(); ++i) {
      if (colored[i] == '\x1b') {
        i = colored.find('m', i);
        continue;
      }
      bare += colored[i];
    }
    EXPECT_EQ(bare, render_terminal(sample.make(), sources));
  }
}

TEST(Render, plain_text_reads_no_source) {
  std::string text = render_plain(missed_phase());
  EXPECT_EQ(text.find("plgpu."), std::string::npos);
  EXPECT_NE(text.find("kernel.py:41:9"), std::string::npos);
}

TEST(Render, long_stacks_and_tables_are_counted) {
  Diagnostic diagnostic = deadlock();
  std::string text = [&] {
    FakeSources sources;
    return render_terminal(diagnostic, sources, {.max_rows = 1});
  }();
  EXPECT_NE(text.find("and 2 more threads"), std::string::npos) << text;
  FakeSources sources;
  text = render_terminal(missed_phase(), sources, {.max_frames = 2});
  EXPECT_NE(text.find("and 1 more frame\n"), std::string::npos) << text;
}

TEST(Render, a_column_past_the_end_and_bytes_that_are_no_text_do_no_harm) {
  FakeSources sources;
  Diagnostic diagnostic = DiagnosticBuilder(Kind::IrParse)
                              .arg("what", std::string("stray byte \xff"))
                              .at(SourceLocation::at("k.pir", 3, 500))
                              .build();
  EXPECT_NE(render_terminal(diagnostic, sources).find("^ here"), std::string::npos);
  EXPECT_NE(to_json(diagnostic).find("stray byte"), std::string::npos);
}

TEST(FileSourceReader, reads_lines_by_number) {
  std::string path = testing::TempDir() + "pallasite_source_reader.txt";
  std::ofstream(path) << "one\r\ntwo\nthree";
  FileSourceReader reader;
  EXPECT_EQ(reader.line(path, 1), "one");
  EXPECT_EQ(reader.line(path, 3), "three");
  EXPECT_EQ(reader.line(path, 0), std::nullopt);
  EXPECT_EQ(reader.line(path, 4), std::nullopt);
  EXPECT_EQ(reader.line(path + ".none", 1), std::nullopt);
}

}  // namespace
}  // namespace pallasite
