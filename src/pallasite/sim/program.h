// Bytecode: the ops of a module with resolved register slots, views and jump targets.
//
// A Program is immutable and shared by all workers. Machine state holds indices into it (a program
// counter, allocation sites, barrier numbers), never pointers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pallasite/ir/module.h"
#include "pallasite/sim/layout.h"

namespace pallasite {

// Byte offset of a value in a thread's register file. Scalars take 8 bytes, arrays are aligned to
// 64 and hold register form (numerics/element_type.h) in row-major order.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

// What an instruction did with its thread.
enum class Step : uint8_t {
  // Go on with the next instruction.
  Next,
  // Go on at the program counter that the instruction has set (Thread::jump).
  Jump,
  // The thread waits; the instruction runs again when what it waits for has changed.
  Blocked,
  // A test failed: like Next, but other threads go first.
  Yielded,
  // A trip of a loop changed nothing: like Yielded, and the thread goes on only when something else
  // has changed.
  Polled,
  // A diagnostic that ends the run has been recorded.
  Fault,
  // The thread has ended.
  Done,
};

class Thread;
struct Instruction;
using ExecFn = Step (*)(Thread&, const Instruction&);

struct Instruction {
  ExecFn exec = nullptr;
  // Slots or small immediates, as the exec function defines them.
  uint32_t a = 0, b = 0, c = 0, d = 0;
  // Owned by the Program; its type is the exec function's business.
  const void* payload = nullptr;
  OpId op;
  // Index into Program::frames: the loops and calls around the instruction.
  uint32_t frame = 0;
  // Barrier site that the instruction arrives on, so that a report can name who could have come.
  uint32_t arrives_on = UINT32_MAX;
  // It touches what other threads or agents can see: schedules choose between threads before it.
  bool visible = false;
};

// A loop or call around instructions, for reports. Frame 0 is the kernel's body.
struct StaticFrame {
  uint32_t parent = 0;
  OpId op;
  // Of a loop: where a thread keeps the number of the current iteration (int64); kNoSlot for a
  // call.
  Slot iteration = kNoSlot;
};

// One allocation of the kernel: a parameter (GMEM), or an argument of a scope. Sites are static:
// all dynamic instances of a scope use the same addresses, as a stack allocator gives them.
struct AllocationSite {
  std::string name;
  MemorySpace space = MemorySpace::Gmem;
  Layout layout;
  // Gmem: number of the buffer. Smem: byte offset in the block's shared memory. Regs: slot.
  uint64_t address = 0;
  // Regs (accumulators): a second copy that holds the true value while wgmmas are in flight.
  Slot in_flight_copy = kNoSlot;
  LocationId location;
  // Index into Program::scopes; UINT32_MAX for kernel parameters.
  uint32_t scope = UINT32_MAX;
};

// One barrier array.
struct BarrierSite {
  std::string name;
  BarrierSpec spec;
  std::vector<int64_t> shape;
  // The array is barriers [first, first + count) of its block.
  uint32_t first = 0;
  uint32_t count = 0;
  // Arrivals that complete a phase: of a ClusterBarrier, num_arrivals times the blocks that arrive.
  int64_t arrivals = 1;
  LocationId location;
  uint32_t scope = UINT32_MAX;
};

// A run_scoped: what a thread allocates on entry and frees on exit.
struct ScopeSite {
  OpId op;
  // All threads of the block enter together and share the allocations other than registers.
  bool collective = false;
  // No scope before it has the same addresses: the first time its memory is as it was at the start
  // of the cluster.
  bool first_at_its_addresses = false;
  std::vector<uint32_t> allocations;
  std::vector<uint32_t> barriers;
};

struct RegisterConstant {
  Slot slot = 0;
  std::vector<std::byte> data;
};

struct Program {
  std::shared_ptr<const Module> module;
  std::vector<Instruction> code;
  std::vector<StaticFrame> frames;
  std::vector<AllocationSite> allocations;
  std::vector<BarrierSite> barriers;
  std::vector<ScopeSite> scopes;
  // What a thread's register file holds at its start. All other slots are written before they are
  // read.
  std::vector<RegisterConstant> constants;
  uint32_t register_bytes = 0;
  uint64_t smem_bytes = 0;
  uint32_t barriers_per_block = 0;
  // Bytes an agent may need to hold data between its read and its write.
  uint64_t staging_bytes = 0;
  // Loops around the innermost instruction.
  uint32_t loop_depth = 0;
  // Parameters that some op may write; others are read-only for the whole run.
  std::vector<bool> parameter_written;
  // No op by which clusters could wait for one another: they may run in parallel.
  bool clusters_independent = true;

  int64_t clusters = 1;
  uint32_t blocks_per_cluster = 1;
  uint32_t threads_per_block = 1;

  const Op& op(const Instruction& instruction) const { return module->op(instruction.op); }
  // Owns what Instruction::payload points to.
  std::vector<std::shared_ptr<const void>> payloads;
};

}  // namespace pallasite
