// Runs every kernel under tests/pass and tests/fail.
//
// A kernel under fail/ marks its guilty lines: `// ERROR: code` at the end of the op's line. Each
// marked line must be the first line of a finding of that code, and nothing else may be found; the
// rendered report stands beside the kernel (.stderr), and PALLASITE_BLESS=1 writes it. A kernel
// under pass/ is silent under the fixed and under 200 random schedules, with eager and with late
// data, at both observation levels, and its outputs are the same bits in all of them.
//
// A line `// OPTIONS: async_values=late seed=3 max_steps=100` sets what a kernel runs with; without
// a seed the schedule is fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/sched/test_schedules.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

namespace fs = std::filesystem;
using test::Array;
using test::KernelRun;
using test::TestKernel;

constexpr uint64_t kSeeds = 200;

std::vector<std::string> kernels_under(const std::string& folder) {
  std::vector<std::string> files;
  const fs::path root = test::source_dir();
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == ".pir") {
      files.push_back(fs::relative(entry.path(), root).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Golden {
  std::string text;
  GridOptions options;
  // Line and code of each marker.
  std::multiset<std::pair<int, std::string>> markers;
};

Golden read_golden(const std::string& file) {
  Golden golden;
  golden.text = read_file(fs::path(test::source_dir()) / file);
  std::istringstream lines(golden.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view kMarker = "// ERROR: ", kOptions = "// OPTIONS: ";
    if (const size_t at = line.find(kMarker); at != std::string::npos) {
      golden.markers.emplace(number, line.substr(at + kMarker.size()));
    }
    if (!line.starts_with(kOptions)) continue;
    std::istringstream words(line.substr(kOptions.size()));
    for (std::string word; words >> word;) {
      const size_t equal = word.find('=');
      const std::string name = word.substr(0, equal), value = word.substr(equal + 1);
      if (word == "async_values=late") {
        golden.options.machine.async_values = AsyncValues::Late;
      } else if (name == "seed") {
        const uint64_t seed = std::stoull(value);
        golden.options.policy = [seed](int64_t cluster) {
          return std::make_unique<RandomPolicy>(seed, cluster);
        };
      } else if (name == "max_steps") {
        golden.options.machine.max_steps = std::stoull(value);
      } else {
        ADD_FAILURE() << file << ": unknown option " << word;
      }
    }
  }
  return golden;
}

// Small numbers that differ from element to element; exact in every type.
std::vector<Array> inputs_of(const TestKernel& kernel) {
  std::vector<Array> inputs;
  const std::vector<KernelParameter>& parameters = kernel.program().module->kernel.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Layout& layout = kernel.program().allocations[i].layout;
    const auto count = static_cast<size_t>(layout.element_count());
    std::vector<int32_t> numbers(count);
    for (size_t n = 0; n < count; ++n) numbers[n] = static_cast<int32_t>((n * 7 + i) % 5);
    std::vector<std::byte> registers(count * register_bytes(layout.element));
    convert(ElementType::S32, numbers.data(), layout.element, registers.data(), count);
    Array& packed = inputs.emplace_back(packed_bytes(layout.element, count));
    pack(layout.element, registers.data(), packed.data(), 0, count);
  }
  return inputs;
}

class FailKernel : public testing::TestWithParam<std::string> {};

TEST_P(FailKernel, IsReportedAtTheMarkedLine) {
  const std::string& file = GetParam();
  const Golden golden = read_golden(file);
  ASSERT_FALSE(golden.markers.empty()) << "no line is marked";
  const TestKernel kernel(golden.text, file);
  ASSERT_TRUE(kernel.runs());
  const KernelRun run = kernel.run(golden.options, inputs_of(kernel));

  std::multiset<std::pair<int, std::string>> found;
  std::string report;
  TextSourceReader reader(file, golden.text);
  for (const Diagnostic& finding : run.result.findings) {
    ASSERT_FALSE(finding.labels.empty());
    const std::vector<SourceFrame>& frames = finding.labels[0].location.frames;
    ASSERT_FALSE(frames.empty()) << message(finding);
    EXPECT_EQ(frames[0].file, file);
    found.emplace(frames[0].line, std::string(code_of(finding.kind)));
    report += render_terminal(finding, reader);
  }
  EXPECT_EQ(found, golden.markers) << report;

  const fs::path expected =
      fs::path(test::source_dir()) / fs::path(file).replace_extension(".stderr");
  if (std::getenv("PALLASITE_BLESS") != nullptr) std::ofstream(expected) << report;
  EXPECT_EQ(report, read_file(expected)) << "PALLASITE_BLESS=1 writes " << expected;

  // One event per op finds the same.
  const TestKernel each_op(golden.text, file, ObservationLevel::EachOp);
  EXPECT_EQ(each_op.run(golden.options, inputs_of(each_op)).messages(), run.messages());
}

TEST_P(FailKernel, LeavesTheNextRunAlone) {
  const Golden golden = read_golden(GetParam());
  const TestKernel kernel(golden.text, GetParam());
  const KernelRun first = kernel.run(golden.options, inputs_of(kernel));
  const KernelRun second = kernel.run(golden.options, inputs_of(kernel));
  EXPECT_EQ(second.messages(), first.messages());
  EXPECT_EQ(second.arrays, first.arrays);
  EXPECT_EQ(second.result.steps, first.result.steps);
  const std::string twin =
      read_file(fs::path(test::source_dir()) / "tests/pass/barrier/pending_at_dealloc.pir");
  const KernelRun next = TestKernel(twin).run();
  EXPECT_TRUE(next.clean()) << next.messages();
}

class PassKernel : public testing::TestWithParam<std::string> {};

TEST_P(PassKernel, GivesTheSameBitsUnderEverySchedule) {
  const Golden golden = read_golden(GetParam());
  const TestKernel kernel(golden.text, GetParam());
  const TestKernel each_op(golden.text, GetParam(), ObservationLevel::EachOp);
  ASSERT_TRUE(kernel.runs() && each_op.runs());
  const std::vector<Array> inputs = inputs_of(kernel);
  const auto options = [&](GridOptions options) {
    options.machine.max_steps = golden.options.machine.max_steps;
    return options;
  };
  const KernelRun first = kernel.run(options(test::fixed_schedule(AsyncValues::Eager)), inputs);
  ASSERT_TRUE(first.clean()) << first.messages();
  for (AsyncValues values : {AsyncValues::Eager, AsyncValues::Late}) {
    for (const TestKernel* program : {&kernel, &each_op}) {
      const KernelRun run = program->run(options(test::fixed_schedule(values)), inputs);
      ASSERT_TRUE(run.clean()) << run.messages();
      ASSERT_EQ(run.arrays, first.arrays);
    }
    // The fixed order choice by choice is the fixed schedule, to the step.
    const KernelRun fixed = kernel.run(options(test::fixed_schedule(values)), inputs);
    const KernelRun spelled_out = kernel.run(options(test::explicit_schedule(values)), inputs);
    ASSERT_TRUE(spelled_out.clean()) << spelled_out.messages();
    EXPECT_EQ(spelled_out.arrays, fixed.arrays);
    EXPECT_EQ(spelled_out.result.steps, fixed.result.steps);
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const KernelRun run = kernel.run(options(test::random_schedule(seed, values)), inputs);
      ASSERT_TRUE(run.clean()) << "seed " << seed << ": " << run.messages();
      ASSERT_EQ(run.arrays, first.arrays) << "seed " << seed;
    }
  }
}

std::string name_of_test(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (char c : info.param.substr(std::string("tests/").size())) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name.substr(0, name.size() - std::string("_pir").size());
}

INSTANTIATE_TEST_SUITE_P(Golden, FailKernel, testing::ValuesIn(kernels_under("tests/fail")),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Golden, PassKernel, testing::ValuesIn(kernels_under("tests/pass")),
                         name_of_test);

}  // namespace
}  // namespace pallasite
