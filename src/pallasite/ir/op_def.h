// What an op must state. One OpDef per op, in ops/<family>.cc; ops.def lists the names.
//
// The text parser, the verifier, the compiler to bytecode, `pallasite ops`, the generated docs and
// the loop tests all read this one block. `ir` and `sim` reach ops only through it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pallasite/ir/module.h"

namespace pallasite {

// sim/compiler.h
class Compiler;
// ops/elementwise.h
struct ElementRequest;
struct ElementFunction;

// What an operand may be.
enum class OperandKind : uint8_t {
  // Any value in registers.
  Array,
  // A rank-0 value in registers, of any element type.
  Scalar,
  // A rank-0 integer.
  Index,
  // A rank-0 bool.
  Predicate,
  // A ref to memory of any space.
  Ref,
  // A ref to exactly one barrier (rank 0).
  Barrier,
  // A value of any form.
  Any,
};

struct OperandSpec {
  std::string_view name;
  OperandKind kind = OperandKind::Any;
  // Only the last operands may be optional, and only the last one variadic (zero or more values).
  bool optional = false;
  bool variadic = false;
};

enum class AttributeKind : uint8_t { Bool, Int, Float, String, Ints, Strings, Bytes };

struct AttributeSpec {
  std::string_view name;
  AttributeKind kind = AttributeKind::Int;
  bool required = true;
  std::string_view help = "";
};

// What an op does to memory and to synchronisation objects. One source for the verifier, the
// checkers, the docs and exploration; debug builds check that what exec did was declared.
enum class EffectAction : uint8_t {
  Read,
  Write,
  // Synchronisation events on barriers, groups and fences.
  Arrive,
  Expect,
  Complete,
  Wait,
  Test,
  Commit,
  Fence,
  // Starts or ends the life of memory.
  Allocate,
  Free,
  // Leaves something for the outside (a print).
  Output,
};
enum class Proxy : uint8_t { Generic, Async };
enum class Completion : uint8_t {
  Now,
  // Counts towards a phase of an mbarrier.
  Mbarrier,
  // Member of the issuing thread's bulk group (copies to GMEM).
  BulkGroup,
  // Member of the warpgroup's wgmma group.
  WgmmaGroup,
};
struct EffectSpec {
  EffectAction action;
  // Name of the operand acted on, or empty for a thread-wide effect (a fence, a group wait).
  std::string_view operand = "";
  Proxy proxy = Proxy::Generic;
  Completion completion = Completion::Now;
  bool operator==(const EffectSpec&) const = default;
};

// What the elements of an integer operand have to hold for a GPU's result to be certain. The op
// gives a result all the same, and its code knows nothing of the rule: the compiler tests operands
// in front of it where the run wants that (sim/value_check.h).
enum class ValueTest : uint8_t {
  // A divisor: not 0.
  Nonzero,
  // An amount of bits to shift by: at least 0 and below the element's width.
  BelowWidth,
};
struct ValueRule {
  // Which operand; it has the type and shape of the result.
  size_t operand = 0;
  ValueTest test = ValueTest::Nonzero;
};

// Collects what is wrong with an op.
class VerifyContext {
 public:
  virtual ~VerifyContext() = default;
  virtual const Module& module() const = 0;
  // Reports `ir.verify` at the op. The message is one lower-case sentence without a period.
  virtual void error(std::string message) = 0;
  // Reports another diagnostic kind that the IR alone decides, by code ("scope.collective-axes"),
  // with the kind's own arguments. Integers are given as digits, lists separated by commas; the
  // argument "variant" picks the kind's sentence.
  virtual void diagnose(std::string_view code,
                        std::vector<std::pair<std::string, std::string>> arguments) = 0;
};

struct OpDef {
  // "family.op", e.g. "barrier.arrive".
  std::string_view name;
  std::vector<OperandSpec> operands = {};
  std::vector<AttributeSpec> attributes = {};
  // Number of regions; kDynamic for one or more.
  int64_t regions = 0;
  // The last op of a region.
  bool terminator = false;
  // No effect on memory, synchronisation or control: may be fused, folded, dropped when unused.
  bool pure = false;
  std::vector<EffectSpec> effects = {};
  // What integer operands of an elementwise op have to hold.
  std::vector<ValueRule> value_rules = {};
  // Every element of the results is one of the operands'.
  bool moves_elements = false;
  // Result types from operands and attributes; the verifier compares them with what the text
  // states. Runs only if `verify` found nothing. Null where the result types are free
  // (shape.reshape, memory.get ...): then `verify` checks them, their number too.
  std::vector<Type> (*infer)(const Module&, const Op&) = nullptr;
  // Checks beyond the signature; may be null. Runs only if operands and attributes fit the
  // signature and the regions end with a terminator; nothing is known yet of the results. An entry
  // `?` stands only in the attribute `starts`.
  void (*verify)(VerifyContext&, const Op&) = nullptr;
  // Emits the op's bytecode.
  void (*compile)(Compiler&, OpId) = nullptr;
  // Elementwise ops: the function on elements, for the compiler and for folding constants.
  ElementFunction (*element_function)(const ElementRequest&) = nullptr;
  // JAX primitives that become this op, for docs and the census.
  std::vector<std::string_view> primitives = {};
  // One paragraph for a kernel author.
  std::string_view help = "";
  // A complete .pir module that uses the op and runs clean; outputs only, no inputs.
  std::string_view example = "";
  // Where the rule comes from: a PTX section, a paper, a JAX function.
  std::string_view source = "";
};

// All ops of ops.def, sorted by name. Defined in ops/registry.cc.
std::span<const OpDef* const> all_ops();
// Null if there is none of that name.
const OpDef* find_op_def(std::string_view name);

}  // namespace pallasite
