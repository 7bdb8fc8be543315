// Tests what ops demand of the values of their integer operands (ValueRule of ir/op_def.h), for the
// compiler to emit in front of them.
//
// Of arrays the test is one more step of the loop that runs the op. It adds to a record in the
// thread's registers, and an instruction after the loop reports what the record holds and clears
// it. A scalar is tested and reported by one instruction.
//
// Nothing is emitted where all values are known when the kernel is compiled and keep the rule, nor
// for ops that a helper of JAX inserted. Values of lanes that a select drops later count.
#pragma once

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/program.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

// What the instructions of one test share.
struct ValueCheck {
  ValueTest test = ValueTest::Nonzero;
  ElementType element = ElementType::S32;
  // Of the operand.
  std::vector<int64_t> shape;
};

struct ValueRecord {
  int64_t scanned = 0;
  int64_t violations = 0;
  // Of the first violation.
  int64_t position = 0;
  uint64_t bits = 0;
};

// Whether an element breaks the rule; `bits` is its register.
bool violates(ValueTest test, ElementType element, uint64_t bits);

// A step of a fused loop: scans `count` elements of inputs[0] into the ValueRecord at `record`. The
// immediate is the ValueCheck.
using ValueScan = void (*)(void* record, const void* const* inputs, size_t count,
                           const void* immediate);
ValueScan value_scan(ElementType element);

// a: slot of the record; payload: the ValueCheck.
Step exec_report_values(Thread& thread, const Instruction& instruction);
// a: slot of the scalar; payload: the ValueCheck.
Step exec_check_value(Thread& thread, const Instruction& instruction);

}  // namespace pallasite
