// The IR in memory: a module with one kernel, its functions, and a table of source locations.
//
// Values, ops and regions live in the module's tables and are named by typed ids. A region is one
// block: arguments, then ops, the last one a `control.yield`. Regions see the values of the regions
// around them (no capture lists); functions see only their own arguments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pallasite/base/ids.h"
#include "pallasite/ir/type.h"

namespace pallasite {

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using FunctionId = Id<struct FunctionTag>;
using LocationId = Id<struct LocationTag>;

struct OpDef;

// In an integer list: the value is an operand of the op, known only when the kernel runs. Printed
// `?`.
inline constexpr int64_t kDynamic = INT64_MIN;

// Raw bytes of a constant array, in packed (memory) form; printed as hex.
struct Bytes {
  std::string data;
  bool operator==(const Bytes&) const = default;
};

using Attribute = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<std::string>, Bytes>;

// Sorted by name.
using Attributes = std::map<std::string, Attribute, std::less<>>;

// A scalar constant, held bit-exactly as the register form of its element type.
struct Literal {
  ElementType element = ElementType::S32;
  uint64_t bits = 0;
  bool operator==(const Literal&) const = default;
};

struct Value {
  Type type;
  // The user's name of a ref, for reports ("a_smem"); empty if unknown.
  std::string name;
  // Exactly one of: result `index` of `op`; argument `index` of `region`; a literal.
  OpId op;
  RegionId region;
  uint32_t index = 0;
  std::optional<Literal> literal;
};

struct Op {
  const OpDef* def = nullptr;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Attributes attributes;
  std::vector<RegionId> regions;
  LocationId location;
  RegionId parent;
};

struct Region {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
  // The op that holds this region; invalid for the body of a function or kernel.
  OpId owner;
};

struct Function {
  std::string name;
  RegionId body;
  std::vector<Type> result_types;
};

// One frame of a source location, and the frame it was called or traced from.
struct Location {
  std::string file;
  int32_t line = 0;
  int32_t column = 0;
  std::string function;
  // How the code came here, for code that no user wrote: "inserted by emit_pipeline".
  std::string note;
  LocationId from;
  bool operator==(const Location&) const = default;
};

struct KernelParameter {
  enum class Role : uint8_t { Input, Output };
  Role role = Role::Input;
  std::string name;
  // An output that shares the buffer of an input: its index among all parameters.
  std::optional<uint32_t> aliases;
};

struct Kernel {
  std::string name;
  RegionId body;
  // Parallel to the body's arguments.
  std::vector<KernelParameter> parameters;
  std::vector<int64_t> grid;
  std::vector<std::string> grid_names;
  std::vector<int64_t> cluster;
  std::vector<std::string> cluster_names;
  // Warpgroups per block; `thread_name` is empty when the kernel has no thread axis.
  int64_t num_threads = 1;
  std::string thread_name;
  LocationId location;
  // What else the kernel was compiled with ("approx_math", "unsafe_no_auto_barriers", "arch", ...).
  Attributes attributes;
};

class Module {
 public:
  Kernel kernel;

  const Op& op(OpId id) const { return ops_[id.index]; }
  Op& op(OpId id) { return ops_[id.index]; }
  const Value& value(ValueId id) const { return values_[id.index]; }
  Value& value(ValueId id) { return values_[id.index]; }
  const Region& region(RegionId id) const { return regions_[id.index]; }
  Region& region(RegionId id) { return regions_[id.index]; }
  const Function& function(FunctionId id) const { return functions_[id.index]; }
  const std::vector<Function>& functions() const { return functions_; }
  std::optional<FunctionId> find_function(std::string_view name) const;
  const Location& location(LocationId id) const { return locations_[id.index]; }
  const std::vector<Location>& locations() const { return locations_; }

  size_t num_values() const { return values_.size(); }
  size_t num_ops() const { return ops_.size(); }
  size_t num_regions() const { return regions_.size(); }

  // Building. Every function keeps the tables consistent; nothing is verified here.
  RegionId add_region(OpId owner = OpId());
  ValueId add_argument(RegionId region, Type type, std::string name = "");
  ValueId add_literal(Literal literal);
  OpId append_op(RegionId region, const OpDef* def, std::vector<ValueId> operands,
                 std::vector<Type> result_types, Attributes attributes, LocationId location);
  // For an op whose result types are known only after its regions.
  ValueId add_result(OpId op, Type type);
  FunctionId add_function(Function function);
  LocationId add_location(Location location);

  // Editing. Ids of other ops, values and regions stay valid.
  OpId insert_op(RegionId region, size_t position, const OpDef* def, std::vector<ValueId> operands,
                 std::vector<Type> result_types, Attributes attributes, LocationId location);
  // Takes the op out of its region, for good, with all that its regions hold; its results must have
  // no uses left (see replace_uses).
  void remove_op(OpId op);
  // Moves an op before `position` of `region`, counted before the move.
  void move_op(OpId op, RegionId region, size_t position);
  void replace_uses(ValueId old_value, ValueId new_value);
  bool has_uses(ValueId value) const;
  size_t position_in_region(OpId op) const;

  // The op's path in the region tree, e.g. "kernel/3.0/5" (op 3 of the kernel's body, its region 0,
  // op 5 there; "@name/..." in a function). Survives printing and parsing; find_op is its inverse.
  // Empty for an op that was removed.
  std::string op_path(OpId op) const;
  std::optional<OpId> find_op(std::string_view path) const;

 private:
  std::vector<Op> ops_;
  std::vector<Value> values_;
  std::vector<Region> regions_;
  std::vector<Function> functions_;
  std::vector<Location> locations_;
};

// Attribute access with a fallback where the attribute is absent. The verifier has checked kinds
// against the OpDef. Views stay valid as long as the attributes.
const Attribute* find_attribute(const Attributes& attributes, std::string_view name);
int64_t int_attribute(const Attributes& attributes, std::string_view name, int64_t fallback);
bool bool_attribute(const Attributes& attributes, std::string_view name, bool fallback);
std::string string_attribute(const Attributes& attributes, std::string_view name,
                             std::string_view fallback = "");
std::span<const int64_t> ints_attribute(const Attributes& attributes, std::string_view name);
std::span<const std::string> strings_attribute(const Attributes& attributes, std::string_view name);

}  // namespace pallasite
