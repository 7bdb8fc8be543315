// The silent kernels under tests/pass are not only the same under every schedule: what they compute
// is right.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "pallasite/base/test_source_dir.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/sched/test_schedules.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::Array;
using test::KernelRun;
using test::TestKernel;

KernelRun run_file(const std::string& file, const std::vector<Array>& inputs = {},
                   AsyncValues values = AsyncValues::Late) {
  std::ifstream stream(test::source_dir() + "/tests/pass/" + file);
  std::stringstream text;
  text << stream.rdbuf();
  const TestKernel kernel(text.str(), file);
  KernelRun run = kernel.run(test::fixed_schedule(values), inputs);
  EXPECT_TRUE(run.clean()) << run.messages();
  return run;
}

std::vector<float> count_up(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(GoldenValues, CopiesThatLeaveGmemBringZerosAndTakeNothing) {
  const std::vector<float> in = count_up(6 * 12);
  const KernelRun run = run_file("copy/round_trip_clipped.pir", {test::array_of(in)});
  const std::vector<float> tiles = run.get<float>(1);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 16; ++x) {
      const float want = y < 6 && x < 12 ? in[y * 12 + x] : 0.0f;
      EXPECT_EQ(tiles[((y / 4 * 2 + x / 8) * 4 + y % 4) * 8 + x % 8], want) << y << ", " << x;
    }
  }
  EXPECT_EQ(run.get<float>(2), in);
}

TEST(GoldenValues, APipelineDoublesItsInput) {
  const std::vector<float> in = count_up(64 * 8);
  const KernelRun run = run_file("copy/pipeline.pir", {test::array_of(in)});
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(run.get<float>(1)[i], 2 * in[i]);
}

TEST(GoldenValues, GroupsOfCopiesStoreTheirRows) {
  const std::vector<int32_t> out = run_file("copy/store_groups.pir").get<int32_t>(0);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<int32_t>(i / 32));
}

TEST(GoldenValues, AMulticastGivesBothBlocksTheWholeTile) {
  const std::vector<float> in = count_up(2 * 2 * 32);
  const KernelRun run = run_file("cluster/multicast.pir", {test::array_of(in)});
  const std::vector<float> out = run.get<float>(1);
  for (size_t x = 0; x < 2; ++x) {
    for (size_t block = 0; block < 2; ++block) {
      for (size_t i = 0; i < 64; ++i) {
        ASSERT_EQ(out[(x * 2 + block) * 64 + i], in[x * 64 + i]);
      }
    }
  }
}

TEST(GoldenValues, AClusterBarrierShowsWhatOtherBlocksWrote) {
  const KernelRun run = run_file("cluster/barrier_two_axes.pir");
  EXPECT_EQ(run.get<int32_t>(0), (std::vector<int32_t>{0, 1, 10, 11}));
  EXPECT_EQ(run.get<int32_t>(1), (std::vector<int32_t>{0, 1, 0, 1, 10, 11, 10, 11}));
}

TEST(GoldenValues, ProductsInFlightAddUp) {
  std::vector<float> a(4 * 64 * 16), b(16 * 8);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 11) - 5;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  const auto halves = [](const std::vector<float>& values) {
    Array array(values.size() * 2);
    convert(ElementType::F32, values.data(), ElementType::F16, array.data(), values.size());
    return array;
  };
  for (AsyncValues values : {AsyncValues::Eager, AsyncValues::Late}) {
    const std::vector<float> out =
        run_file("wgmma/ping_pong.pir", {halves(a), halves(b)}, values).get<float>(2);
    for (size_t m = 0; m < 64; ++m) {
      for (size_t n = 0; n < 8; ++n) {
        // Integers, so the order of the sums does not matter.
        float want = 0;
        for (size_t t = 0; t < 4; ++t) {
          for (size_t k = 0; k < 16; ++k) want += a[(t * 64 + m) * 16 + k] * b[k * 8 + n];
        }
        ASSERT_EQ(out[m * 8 + n], want);
      }
    }
  }
}

TEST(GoldenValues, ABoundedSpinEnds) {
  EXPECT_EQ(run_file("sched/bounded_spin.pir").get<int32_t>(0), std::vector<int32_t>{8});
}

}  // namespace
}  // namespace pallasite
