// Every op declares what it does, and does what it declares: over the examples of all ops and the
// golden kernels.
#include <gtest/gtest.h>

#include <filesystem>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/san/test_effects.h"

namespace pallasite {
namespace {

using test::EffectChecker;
using test::ObservedKernel;

std::vector<std::byte> int32_bytes(const std::vector<int32_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Group sizes and what follows from them, for the ragged kernels; float inputs stay zero.
const std::vector<std::pair<std::string, std::vector<std::byte>>> kInputs = {
    {"rows_per_expert_gmem", int32_bytes({64, 32, 32})},
    {"group_sizes_gmem", int32_bytes({64, 32, 32})},
    {"group_starts_gmem", int32_bytes({0, 64, 96})},
    {"group_ends_gmem", int32_bytes({64, 96, 128})},
    {"group_num_blocks_gmem", int32_bytes({1, 1, 1})},
    {"group_block_starts_gmem", int32_bytes({0, 64, 64})},
};

void run_all(EffectChecker& checker, const ObservedKernel& kernel) {
  if (!kernel.runs()) return;
  for (const test::Schedule& schedule : test::all_schedules(1)) {
    kernel.run(checker, schedule, kInputs);
  }
}

TEST(Effects, AreWhatOpsDo) {
  EffectChecker checker;
  for (const OpDef* def : all_ops()) {
    SCOPED_TRACE(def->name);
    run_all(checker, ObservedKernel(def->example));
  }
  const std::filesystem::path root = test::source_dir();
  size_t kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests/lower")) {
    if (entry.path().extension() != ".pir") continue;
    const std::string file = std::filesystem::relative(entry.path(), root).generic_string();
    SCOPED_TRACE(file);
    run_all(checker, ObservedKernel(test::read_source_file(file), file));
    ++kernels;
  }
  EXPECT_GE(kernels, 9u);
  EXPECT_EQ(checker.undeclared(), std::set<std::string>());
  for (const OpDef* def : all_ops()) {
    const auto it = checker.seen().find(def);
    const std::set<size_t> seen = it == checker.seen().end() ? std::set<size_t>() : it->second;
    EXPECT_TRUE(!def->pure || seen.empty()) << def->name;
    for (size_t i = 0; i < def->effects.size(); ++i) {
      // A print has no event of its own.
      if (def->effects[i].action == EffectAction::Output) continue;
      EXPECT_TRUE(seen.count(i)) << def->name << " declares effect " << i
                                 << ", which nothing showed";
    }
  }
}

}  // namespace
}  // namespace pallasite
