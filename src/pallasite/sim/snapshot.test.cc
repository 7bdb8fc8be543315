#include "pallasite/sim/snapshot.h"

#include <gtest/gtest.h>

#include "pallasite/base/check.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::Array;
using test::TestKernel;

TEST(ChunkedMemory, SharesWhatHasNotChanged) {
  for (size_t size : {0u, 1u, 4095u, 4096u, 4097u, 40000u}) {
    Array bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 4096);
    size_t made = 0;
    const ChunkedMemory first(bytes, nullptr, &made);
    const size_t chunks = (size + 4095) / 4096;
    EXPECT_GE(made, chunks * 4096);
    EXPECT_LE(made, chunks * 4112);
    made = 0;
    const ChunkedMemory same(bytes, &first, &made);
    EXPECT_EQ(made, 0u);
    EXPECT_EQ(same.hash(), first.hash());
    for (size_t at : {size_t{0}, size / 2, size - 1}) {
      if (size == 0) continue;
      Array changed = bytes;
      changed[at] ^= std::byte{1};
      made = 0;
      const ChunkedMemory other(changed, &first, &made);
      EXPECT_LE(made, 4112u);
      EXPECT_GE(made, 4096u);
      EXPECT_NE(other.hash(), first.hash());
      Array copy(size);
      other.copy_to(copy.data());
      EXPECT_EQ(copy, changed);
      first.copy_to(copy.data());
      EXPECT_EQ(copy, bytes) << "an earlier memory has changed";
    }
  }
}

TEST(ChunkedMemory, MayGrowAndShrink) {
  const Array small(100, std::byte{1}), large(5000, std::byte{1});
  size_t made = 0;
  const ChunkedMemory first(small, nullptr, &made);
  const ChunkedMemory grown(large, &first, &made);
  const ChunkedMemory shrunk(small, &grown, &made);
  Array copy(5000);
  grown.copy_to(copy.data());
  EXPECT_EQ(copy, large);
  copy.resize(100);
  shrunk.copy_to(copy.data());
  EXPECT_EQ(copy, small);
  // Zeros behind the end are no part of the memory, and do not make it another.
  EXPECT_EQ(shrunk.hash(), first.hash());
  EXPECT_NE(grown.hash(), first.hash());
  // A memory is not that with a zero behind it.
  Array with_zero = small;
  with_zero.push_back(std::byte{0});
  EXPECT_NE(ChunkedMemory(with_zero, nullptr, &made).hash(), first.hash());
}

// Writes 64 rows of a matrix, one after another, through SMEM.
constexpr std::string_view kRows = R"(pir 1

kernel @rows {
  grid = [1] ["x"]
  input %0 "in": ref<gmem, f32[64,256]>
  output %1 "out": ref<gmem, f32[64,256]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "rows": ref<smem, f32[128,256]>, %3 "ready": barrier<[], arrivals=1>)
      %4 = control.scan i32(0) {length = 64, num_carry = 1} {
        (%5: i32)
        %6 = view.index %0, %5 {sizes = [1, 256], squeeze = [0], starts = [?, 0]} : ref<gmem, f32[256]>
        %7 = view.index %2, %5 {sizes = [1, 256], squeeze = [0], starts = [?, 0]} : ref<smem, f32[256]>
        copy.gmem_to_smem %6, %7, %3 {collective_axes = [], oob_mode = "zeros"}
        barrier.wait %3
        %8 = memory.load %7 : f32[256]
        %9 = arith.add %8, %8 : f32[256]
        %10 = view.index %1, %5 {sizes = [1, 256], squeeze = [0], starts = [?, 0]} : ref<gmem, f32[256]>
        memory.store %10, %9
        %11 = arith.add %5, i32(1) : i32
        control.yield %11
      } : i32
      control.yield
    }
    control.yield
  }
}
)";

TEST(Snapshot, IsSmallAfterASmallStepAndRestoresTheRun) {
  const TestKernel kernel(kRows);
  ASSERT_TRUE(kernel.runs());
  std::vector<float> in(64 * 256);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  std::vector<Array> arrays = kernel.buffers({test::array_of(in)});
  const std::vector<GmemBuffer> gmem = TestKernel::gmem(arrays);
  const std::vector<GmemBuffer> written = {gmem[1]};
  MachineOptions options;
  options.async_values = AsyncValues::Late;
  ClusterState state;
  std::vector<Snapshot> snapshots;
  {
    ClusterMachine machine(kernel.program(), state, gmem, options);
    machine.start(0);
    snapshots.emplace_back(state, written);
    while (machine.run_turns(1) == Outcome::Paused) {
      snapshots.emplace_back(state, written, &snapshots.back());
    }
  }
  const Array end = arrays[1];
  const uint64_t steps = state.steps;
  ASSERT_GT(snapshots.size(), 100u);
  // The first holds 128 KiB of shared memory and 64 KiB of output.
  EXPECT_GE(snapshots[0].new_bytes(), 192u * 1024);
  size_t largest = 0;
  for (size_t i = 2; i < snapshots.size(); ++i) {
    largest = std::max(largest, snapshots[i].new_bytes());
  }
  // A turn changes registers, a row of shared memory and a row of output.
  EXPECT_LE(largest, 8u * 4112);
  EXPECT_GE(largest, 4096u);
  // From the last to the first, so that each restores over what a later one left.
  for (size_t i = snapshots.size(); i-- > 0;) {
    std::fill(arrays[1].begin(), arrays[1].end(), std::byte{0xa5});
    std::fill(state.smem.begin(), state.smem.end(), std::byte{0xa5});
    std::fill(state.registers.begin(), state.registers.end(), std::byte{0xa5});
    snapshots[i].restore(state, written);
    EXPECT_EQ(Snapshot(state, written).memory_hash(), snapshots[i].memory_hash());
    ClusterMachine machine(kernel.program(), state, gmem, options);
    ASSERT_EQ(machine.run(), Outcome::Finished);
    ASSERT_EQ(arrays[1], end) << "snapshot " << i;
    ASSERT_EQ(state.steps, steps);
  }
}

TEST(Snapshot, RefusesOtherBuffers) {
  ClusterState state;
  Array bytes(8), others(9);
  const Snapshot snapshot(state, {{bytes.data(), 8}});
  EXPECT_THROW(snapshot.restore(state, {}), InternalError);
  EXPECT_THROW(snapshot.restore(state, {{others.data(), 9}}), InternalError);
}

}  // namespace
}  // namespace pallasite
