// A machine state is plain data: a copy made in the middle of a run goes on to the same end,
// whatever happens to the original.
#include <gtest/gtest.h>

#include <algorithm>

#include "pallasite/sched/test_schedules.h"
#include "pallasite/sim/test_kernel.h"

namespace pallasite {
namespace {

using test::Array;
using test::TestKernel;

// A producer of two stages and a consumer that multiplies them; the consumer's products overlap
// with the producer's copies.
constexpr std::string_view kPipeline = R"(pir 1

kernel @pipeline {
  grid = [1] ["x"]
  threads = 2 "wg"
  input %0 "a": ref<gmem, f16[6,64,16]>
  input %1 "b": ref<gmem, f16[16,8]>
  output %2 "out": ref<gmem, f32[64,8]>
  body {
    %3 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%4 "stages": ref<smem, f16[2,64,16]>, %5 "b_tile": ref<smem, f16[16,8]>, %6 "full": barrier<[2], arrivals=1>, %7 "free": barrier<[2], arrivals=1>, %8 "b_full": barrier<[], arrivals=1>)
      control.cond %3 {
        copy.gmem_to_smem %1, %5, %8 {collective_axes = [], oob_mode = "zeros"}
        %10 = control.scan i32(0) {length = 6, num_carry = 1} {
          (%11: i32)
          %12 = arith.rem %11, i32(2) : i32
          %13 = view.index %4, %12 {sizes = [1, 64, 16], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,16]>
          %14 = view.index %6, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %15 = view.index %7, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %16 = arith.ge %11, i32(2) : bool
          control.cond %16 {
            control.yield
          } {
            barrier.wait %15
            control.yield
          }
          %17 = view.index %0, %11 {sizes = [1, 64, 16], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[64,16]>
          copy.gmem_to_smem %17, %13, %14 {collective_axes = [], oob_mode = "zeros"}
          %18 = arith.add %11, i32(1) : i32
          control.yield %18
        } : i32
        control.yield
      } {
        barrier.wait %8
        scope.run_scoped {collective_axes = []} {
          (%20 "acc": ref<regs, f32[64,8]>)
          %21 = control.scan i32(0) {length = 6, num_carry = 1} {
            (%22: i32)
            %23 = arith.rem %22, i32(2) : i32
            %24 = view.index %4, %23 {sizes = [1, 64, 16], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,16]>
            %25 = view.index %6, %23 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
            %26 = view.index %7, %23 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
            barrier.wait %25
            wgmma.mma %20, %24, %5
            wgmma.wait {n = 0}
            barrier.arrive %26
            %27 = arith.add %22, i32(1) : i32
            control.yield %27
          } : i32
          %28 = wgmma.accumulator_deref %20 {wait_n = 0} : f32[64,8]
          memory.store %2, %28
          debug.print %21 {format = "{} stages"}
          control.yield
        }
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
)";

// The bits of small f16 numbers.
std::vector<Array> inputs(const TestKernel& kernel) {
  std::vector<Array> arrays;
  for (const AllocationSite& site : kernel.program().allocations) {
    if (arrays.size() == 2 || site.space != MemorySpace::Gmem) break;
    std::vector<uint16_t> values(static_cast<size_t>(site.layout.element_count()));
    // 1.0 to 1.25 in steps of 2^-10.
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0x3c00 + (i * 37 + arrays.size()) % 256;
    arrays.push_back(test::array_of(values));
  }
  return kernel.buffers(arrays);
}

void overwrite(ClusterState& state, std::vector<Array>& arrays) {
  for (Array& array : arrays) std::fill(array.begin(), array.end(), std::byte{0xa5});
  std::fill(state.registers.begin(), state.registers.end(), std::byte{0xa5});
  std::fill(state.smem.begin(), state.smem.end(), std::byte{0xa5});
  std::fill(state.staging.begin(), state.staging.end(), std::byte{0xa5});
  for (ThreadState& thread : state.threads) thread.pc = thread.wait.object = 1u << 30;
  for (Agent& agent : state.agents) agent.pc = agent.thread = agent.barrier = 1u << 30;
  for (BarrierState& barrier : state.barriers) barrier.site = 1u << 30;
  state = ClusterState();
}

struct Moment {
  bool copy_in_flight = false;
  bool product_in_flight = false;
  bool waiter = false;
  bool all() const { return copy_in_flight && product_in_flight && waiter; }
};

Moment moment_of(const Program& program, const ClusterState& state) {
  Moment moment;
  for (const Agent& agent : state.agents) {
    if (agent.stage == AgentStage::Free) continue;
    const std::string_view name = program.op(program.code[agent.pc]).def->name;
    moment.copy_in_flight |= name == "copy.gmem_to_smem";
    moment.product_in_flight |= name == "wgmma.mma";
  }
  for (const ThreadState& thread : state.threads) {
    moment.waiter |= thread.status == ThreadStatus::Blocked;
  }
  return moment;
}

void check_copies(const Policy* policy, AsyncValues values) {
  const TestKernel kernel(kPipeline);
  ASSERT_TRUE(kernel.runs());
  const Program& program = kernel.program();
  MachineOptions options;
  options.async_values = values;

  std::vector<Array> end = inputs(kernel);
  ClusterState end_state;
  ClusterMachine reference(program, end_state, TestKernel::gmem(end), options, policy);
  reference.start(0);
  ASSERT_EQ(reference.run(), Outcome::Finished) << test::messages(reference.findings());

  int copies = 0, full_moments = 0;
  for (uint64_t turn = 1;; ++turn) {
    std::vector<Array> arrays = inputs(kernel);
    ClusterState state;
    std::optional<ClusterMachine> machine;
    machine.emplace(program, state, TestKernel::gmem(arrays), options, policy);
    machine->start(0);
    if (machine->run_turns(turn) != Outcome::Paused) break;
    full_moments += moment_of(program, state).all();
    ++copies;

    std::vector<Array> other_arrays = arrays;
    ClusterState other = state;
    machine.reset();
    overwrite(state, arrays);
    ClusterMachine again(program, other, TestKernel::gmem(other_arrays), options, policy);
    ASSERT_EQ(again.run(), Outcome::Finished) << test::messages(again.findings());
    ASSERT_EQ(other_arrays, end) << "copied after turn " << turn;
    ASSERT_EQ(other.steps, end_state.steps);
    ASSERT_EQ(other.choices_made, end_state.choices_made);
    ASSERT_EQ(other.prints.size(), 1u);
    EXPECT_EQ(other.prints[0].text, "6 stages");
  }
  EXPECT_GT(copies, 10);
  if (values == AsyncValues::Late) {
    EXPECT_GT(full_moments, 0);
  }
}

TEST(StateCopy, GoesOnToTheSameEndUnderTheFixedSchedule) {
  check_copies(nullptr, AsyncValues::Late);
}

TEST(StateCopy, GoesOnToTheSameEndUnderRandomSchedules) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const RandomPolicy policy(seed, 0);
    check_copies(&policy, AsyncValues::Late);
    check_copies(&policy, AsyncValues::Eager);
  }
}

}  // namespace
}  // namespace pallasite
