// What an instruction sees of the machine: the registers of its thread, and the machine's services.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pallasite/sim/program.h"

namespace pallasite {

class ClusterMachine;
struct ThreadState;

class Thread {
 public:
  Thread(ClusterMachine& machine, ThreadState& state, std::byte* registers, uint32_t index)
      : machine_(machine), state_(state), registers_(registers), index_(index) {}

  template <typename T>
  T& at(Slot slot) {
    return *reinterpret_cast<T*>(registers_ + slot);
  }
  std::byte* pointer(Slot slot) { return registers_ + slot; }
  std::byte* registers() { return registers_; }

  Step jump(uint32_t pc);

  ClusterMachine& machine() { return machine_; }
  ThreadState& state() { return state_; }
  // Number of the thread in its cluster: block * threads_per_block + thread.
  uint32_t index() const { return index_; }

 private:
  ClusterMachine& machine_;
  ThreadState& state_;
  std::byte* registers_;
  uint32_t index_;
};

}  // namespace pallasite
