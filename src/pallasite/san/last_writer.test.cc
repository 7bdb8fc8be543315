#include <gtest/gtest.h>

#include "pallasite/ir/location.h"
#include "pallasite/san/test_last_writer.h"

namespace pallasite {
namespace {

using test::LastWriterMap;
using test::ObservedKernel;
using test::Schedule;
using test::Writer;

constexpr uint64_t kSeeds = 20;

int line_of(const ObservedKernel& kernel, uint32_t pc) {
  const Module& module = *kernel.program().module;
  const Op& op = kernel.program().op(kernel.program().code[pc]);
  const SourceLocation location = source_location(module, op.location);
  return location.frames.empty() ? -1 : location.frames[0].line;
}

void expect_same_under_all_schedules(const ObservedKernel& kernel, const LastWriterMap& expected) {
  for (const Schedule& schedule : test::all_schedules(kSeeds)) {
    LastWriterMap map;
    kernel.run(map, schedule);
    EXPECT_EQ(LastWriterMap::difference(expected, map), "") << schedule.name();
  }
}

TEST(LastWriter, NamesTheWarpgroupAndTheIteration) {
  const ObservedKernel kernel(R"(pir 1
#0 = loc("kernel.py", 7, 1, "kernel")

kernel @rows {
  grid = [2] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32[2,3,4]>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "scratch": ref<smem, i32[2,3,4]>)
      %3 = control.scan i32(0) {length = 3, num_carry = 1, reverse = false} {
        (%4: i32)
        %5 = view.index %2, %1, %4 {sizes = [1, 1, 4], squeeze = [0, 1], starts = [?, ?, 0]} : ref<smem, i32[4]>
        %6 = shape.broadcast_in_dim %4 {dimensions = []} : i32[4]
        memory.store %5, %6 #0
        %7 = arith.add %4, i32(1) : i32
        control.yield %7
      } : i32
      control.yield
    }
    control.yield
  }
}
)");
  ASSERT_TRUE(kernel.runs());
  LastWriterMap map;
  kernel.run(map, {});
  size_t elements = 0;
  for (const auto& [place, cells] : map.cells()) {
    ASSERT_EQ(place.space, MemorySpace::Smem);
    for (size_t e = 0; e < cells.size(); ++e, ++elements) {
      ASSERT_NE(cells[e].writer, nullptr);
      const Writer& writer = *cells[e].writer;
      EXPECT_EQ(writer.thread, e / 12);
      EXPECT_EQ(writer.cluster, place.cluster);
      EXPECT_EQ(writer.iterations, std::vector<int64_t>{int64_t(e) / 4 % 3});
      EXPECT_EQ(line_of(kernel, writer.pc), 7);
      EXPECT_EQ(cells[e].writes, 1u);
    }
  }
  EXPECT_EQ(elements, 2u * 24u);
  expect_same_under_all_schedules(kernel, map);
}

// Copies in and out of a loop that goes on while they are under way: with late data, the iteration
// that an element is written in is past by then.
TEST(LastWriter, NamesTheIterationInWhichACopyWasIssued) {
  const ObservedKernel kernel(R"(pir 1
#0 = loc("kernel.py", 12, 1, "kernel")
#1 = loc("kernel.py", 15, 1, "kernel")

kernel @copies {
  grid = [2] ["x"]
  input %0 "in": ref<gmem, f32[2,4,8,32]>
  output %1 "out": ref<gmem, f32[2,4,8,32]>
  body {
    %2 = thread.axis_index {axis = "x"} : i32
    scope.run_scoped {collective_axes = []} {
      (%3 "tiles": ref<smem, f32[4,8,32]>, %4 "ready": barrier<[4], arrivals=1>)
      %5 = control.scan i32(0) {length = 4, num_carry = 1, reverse = false} {
        (%6: i32)
        %7 = view.index %0, %2, %6 {sizes = [1, 1, 8, 32], squeeze = [0, 1], starts = [?, ?, 0, 0]} : ref<gmem, f32[8,32]>
        %8 = view.index %3, %6 {sizes = [1, 8, 32], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f32[8,32]>
        %9 = view.index %4, %6 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
        copy.gmem_to_smem %7, %8, %9 {collective_axes = [], oob_mode = "zeros"} #0
        %10 = arith.add %6, i32(1) : i32
        control.yield %10
      } : i32
      %11 = control.scan i32(0) {length = 4, num_carry = 1, reverse = false} {
        (%12: i32)
        %13 = view.index %1, %2, %12 {sizes = [1, 1, 8, 32], squeeze = [0, 1], starts = [?, ?, 0, 0]} : ref<gmem, f32[8,32]>
        %14 = view.index %3, %12 {sizes = [1, 8, 32], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f32[8,32]>
        %15 = view.index %4, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
        barrier.wait %15
        copy.smem_to_gmem %14, %13 {commit_group = true} #1
        %16 = arith.add %12, i32(1) : i32
        control.yield %16
      } : i32
      copy.wait_smem_to_gmem {n = 0, wait_read_only = false}
      control.yield
    }
    control.yield
  }
}
)");
  ASSERT_TRUE(kernel.runs());
  LastWriterMap map;
  kernel.run(map, {.values = AsyncValues::Late});
  const auto& out = map.buffer(1);
  ASSERT_EQ(out.size(), 2u * 4u * 256u);
  for (size_t e = 0; e < out.size(); ++e) {
    ASSERT_NE(out[e].writer, nullptr);
    EXPECT_EQ(out[e].writes, 1u);
    EXPECT_EQ(out[e].writer->cluster, int64_t(e) / 1024);
    EXPECT_EQ(out[e].writer->iterations, std::vector<int64_t>{int64_t(e) / 256 % 4}) << e;
    EXPECT_EQ(line_of(kernel, out[e].writer->pc), 15);
  }
  for (int64_t cluster = 0; cluster < 2; ++cluster) {
    const uint32_t site = kernel.program().scopes[0].allocations[0];
    const auto& tiles = map.cells().at({MemorySpace::Smem, cluster, 0, site});
    for (size_t e = 0; e < tiles.size(); ++e) {
      ASSERT_NE(tiles[e].writer, nullptr);
      EXPECT_EQ(tiles[e].writer->iterations, std::vector<int64_t>{int64_t(e) / 256});
      EXPECT_EQ(line_of(kernel, tiles[e].writer->pc), 12);
    }
  }
  expect_same_under_all_schedules(kernel, map);
}

TEST(LastWriter, HopperMatmulWritesEachElementOnceFromItsTile) {
  const ObservedKernel kernel(
      test::read_source_file("tests/lower/golden/jax-0.12/hopper_matmul.pir"));
  ASSERT_TRUE(kernel.runs());
  LastWriterMap map;
  kernel.run(map, {});
  const auto& out = map.buffer(2);
  ASSERT_EQ(out.size(), 128u * 256u);
  // planar_snake over 2 x 2 tiles of 64 x 128: which cluster computes tile (m, n).
  constexpr int64_t kCluster[2][2] = {{0, 3}, {1, 2}};
  for (size_t e = 0; e < out.size(); ++e) {
    const size_t row = e / 256, column = e % 256;
    ASSERT_NE(out[e].writer, nullptr) << e;
    ASSERT_EQ(out[e].writes, 1u) << e;
    const Writer& writer = *out[e].writer;
    ASSERT_EQ(writer.cluster, kCluster[row / 64][column / 128]) << e;
    // The two compute warpgroups share a tile's columns.
    ASSERT_EQ(writer.thread, column % 128 / 64) << e;
    ASSERT_EQ(kernel.op_def(writer.pc).name, "copy.smem_to_gmem") << e;
    ASSERT_EQ(line_of(kernel, writer.pc), 208) << e;
    // The loop over tiles; the cluster has one.
    ASSERT_EQ(writer.iterations, std::vector<int64_t>{0}) << e;
  }
  expect_same_under_all_schedules(kernel, map);
}

}  // namespace
}  // namespace pallasite
