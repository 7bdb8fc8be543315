// Control flow: branches, loops and calls.
#include <fmt/format.h>

#include <cstring>

#include "pallasite/ir/op_def.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

const Type& value_type(const VerifyContext& context, ValueId value) {
  return context.module().value(value).type;
}

std::span<const ValueId> yielded(const Module& module, RegionId region) {
  const std::vector<OpId>& ops = module.region(region).ops;
  return module.op(ops.back()).operands;
}

// Whether `values` have the types `want`; reports the first that has not.
bool check_types(VerifyContext& context, std::string_view what, std::span<const ValueId> values,
                 std::span<const ValueId> want) {
  if (values.size() != want.size()) {
    context.error(fmt::format("{} has {} values, expected {}", what, values.size(), want.size()));
    return false;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (value_type(context, values[i]) == value_type(context, want[i])) continue;
    context.error(fmt::format("{}: value {} is {}, expected {}", what, i,
                              to_string(value_type(context, values[i])),
                              to_string(value_type(context, want[i]))));
    return false;
  }
  return true;
}

// Moves yielded values into the slots of results (branches) or of the carry (loops).
void move_yields(Compiler& compiler, OpId id, std::span<const ValueId> values,
                 std::span<const Slot> slots) {
  std::vector<Compiler::Move> moves;
  for (size_t i = 0; i < values.size(); ++i) {
    moves.push_back({compiler.use(values[i]), slots[i], compiler.bytes_of(values[i])});
  }
  compiler.emit_moves(id, std::move(moves));
}

std::vector<Slot> define_results(Compiler& compiler, OpId id) {
  std::vector<Slot> slots;
  for (ValueId result : compiler.op(id).results) slots.push_back(compiler.define(result));
  return slots;
}

Step exec_count_up(Thread& thread, const Instruction& in) {
  ++thread.at<int64_t>(in.a);
  return Step::Next;
}

// a = counter, b = result; goes on with the loop while counter < immediate.
struct TripCount {
  int64_t length;
};

Step exec_more_trips(Thread& thread, const Instruction& in) {
  thread.at<uint8_t>(in.b) =
      thread.at<int64_t>(in.a) < static_cast<const TripCount*>(in.payload)->length;
  return Step::Next;
}

Step exec_zero(Thread& thread, const Instruction& in) {
  thread.at<int64_t>(in.a) = 0;
  return Step::Next;
}

// A trip that leaves the carry as it was and during which nothing has changed is a poll in vain:
// the next trip would be the same.
struct CarryCheck {
  // Yielded value, carry, bytes.
  std::vector<Compiler::Move> pairs;
  Slot same = 0;
  Slot progress = 0;
};

Step exec_note_progress(Thread& thread, const Instruction& in) {
  thread.at<uint64_t>(in.a) = thread.machine().state().progress;
  return Step::Next;
}

Step exec_compare_carry(Thread& thread, const Instruction& in) {
  const auto& check = *static_cast<const CarryCheck*>(in.payload);
  bool same = thread.machine().state().progress == thread.at<uint64_t>(check.progress);
  for (size_t i = 0; i < check.pairs.size() && same; ++i) {
    const Compiler::Move& pair = check.pairs[i];
    same = std::memcmp(thread.pointer(pair.from), thread.pointer(pair.to), pair.bytes) == 0;
  }
  thread.at<uint64_t>(check.same) = same;
  return Step::Next;
}

// a = trip counter, b = whether the trip changed nothing, c = progress at the trip's start. Another
// thread may have run since the carry was compared, so progress is looked at again.
Step exec_end_trip(Thread& thread, const Instruction& in) {
  ++thread.at<int64_t>(in.a);
  const bool in_vain = thread.at<uint64_t>(in.b) != 0 &&
                       thread.machine().state().progress == thread.at<uint64_t>(in.c);
  return in_vain ? Step::Polled : Step::Next;
}

void verify_cond(VerifyContext& context, const Op& op) {
  const Type& index = value_type(context, op.operands[0]);
  if (!index.is_scalar() || is_float(index.element)) {
    return context.error("the index must be a rank-0 integer or bool");
  }
  for (size_t i = 0; i < op.regions.size(); ++i) {
    if (!context.module().region(op.regions[i]).arguments.empty()) {
      return context.error(fmt::format("branch {} has arguments; branches take none", i));
    }
    if (!check_types(context, fmt::format("the yield of branch {}", i),
                     yielded(context.module(), op.regions[i]), op.results)) {
      return;
    }
  }
}

void compile_cond(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Slot index = compiler.operand(id, 0);
  const ElementType index_type = compiler.operand_type(id, 0).element;
  const std::vector<Slot> results = define_results(compiler, id);
  std::vector<Compiler::Label> labels;
  for (size_t i = 0; i < op.regions.size(); ++i) labels.push_back(compiler.new_label());
  const Compiler::Label end = compiler.new_label();
  compiler.emit_switch(id, index, index_type, labels);
  for (size_t i = 0; i < op.regions.size(); ++i) {
    compiler.bind(labels[i]);
    move_yields(compiler, id, compiler.begin_region(op.regions[i]), results);
    compiler.end_region(op.regions[i]);
    if (i + 1 < op.regions.size()) compiler.emit_jump(id, end);
  }
  compiler.bind(end);
}

void verify_while(VerifyContext& context, const Op& op) {
  const Module& module = context.module();
  const Region& condition = module.region(op.regions[0]);
  const Region& body = module.region(op.regions[1]);
  const auto test = yielded(module, op.regions[0]);
  if (test.size() != 1 || module.value(test[0]).type != Type::array(ElementType::Bool)) {
    return context.error("the condition must yield one bool");
  }
  check_types(context, "the arguments of the condition", condition.arguments, op.operands) &&
      check_types(context, "the arguments of the body", body.arguments, op.operands) &&
      check_types(context, "the yield of the body", yielded(module, op.regions[1]), op.operands) &&
      check_types(context, "the results", op.results, op.operands);
}

void compile_while(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const std::vector<Slot> carry = define_results(compiler, id);
  move_yields(compiler, id, op.operands, carry);
  const Slot trip = compiler.scratch(8);
  const Slot same = compiler.scratch(8);
  const Slot progress = compiler.scratch(8);
  compiler.emit(id, exec_zero).a = trip;
  const Compiler::Label again = compiler.new_label();
  const Compiler::Label end = compiler.new_label();
  compiler.bind(again);
  compiler.push_frame(id, trip);
  compiler.emit(id, exec_note_progress).a = progress;
  const std::vector<ValueId>& condition = compiler.module().region(op.regions[0]).arguments;
  for (size_t i = 0; i < carry.size(); ++i) compiler.bind_slot(condition[i], carry[i]);
  const auto test = compiler.begin_region(op.regions[0]);
  if (test.empty()) return;
  compiler.emit_jump_if_false(id, compiler.use(test[0]), end);
  compiler.end_region(op.regions[0]);
  const std::vector<ValueId>& body = compiler.module().region(op.regions[1]).arguments;
  for (size_t i = 0; i < carry.size(); ++i) compiler.bind_slot(body[i], carry[i]);
  const auto yields = compiler.begin_region(op.regions[1]);
  CarryCheck check;
  for (size_t i = 0; i < yields.size(); ++i) {
    check.pairs.push_back({compiler.use(yields[i]), carry[i], compiler.bytes_of(yields[i])});
  }
  check.same = same;
  check.progress = progress;
  compiler.emit(id, exec_compare_carry, compiler.payload(std::move(check)));
  move_yields(compiler, id, yields, carry);
  compiler.end_region(op.regions[1]);
  compiler.pop_frame();
  Instruction& trip_end = compiler.emit(id, exec_end_trip, nullptr, true);
  trip_end.a = trip;
  trip_end.b = same;
  trip_end.c = progress;
  compiler.emit_jump(id, again);
  compiler.bind(end);
}

// The type of one slice along the leading axis.
Type slice_type(Type type) {
  type.shape.erase(type.shape.begin());
  return type;
}

void verify_scan(VerifyContext& context, const Op& op) {
  const Module& module = context.module();
  const int64_t length = int_attribute(op.attributes, "length", 0);
  const auto carry = static_cast<size_t>(int_attribute(op.attributes, "num_carry", 0));
  if (length < 0) return context.error("the length must not be negative");
  if (carry > op.operands.size() || carry > op.results.size()) {
    return context.error("num_carry is larger than the number of operands or results");
  }
  const Region& body = module.region(op.regions[0]);
  const auto yields = yielded(module, op.regions[0]);
  const auto check = [&](std::string_view what, size_t i, const Type& have, const Type& want) {
    if (have == want) return true;
    context.error(
        fmt::format("{} {} is {}, expected {}", what, i, to_string(have), to_string(want)));
    return false;
  };
  if (body.arguments.size() != op.operands.size() || yields.size() != op.results.size()) {
    return context.error("the body must take as many values as the op and yield its results");
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& type = value_type(context, op.operands[i]);
    if (i >= carry && (type.rank() < 1 || !type.is_array() || type.shape[0] != length)) {
      return context.error(
          fmt::format("operand {} must be an array with leading extent {}", i, length));
    }
    if (!check("body argument", i, value_type(context, body.arguments[i]),
               i < carry ? type : slice_type(type))) {
      return;
    }
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    const Type& type = value_type(context, op.results[i]);
    if (i >= carry && (type.rank() < 1 || type.shape[0] != length)) {
      return context.error(fmt::format("result {} must have leading extent {}", i, length));
    }
    if (!check("yielded value", i, value_type(context, yields[i]),
               i < carry ? type : slice_type(type))) {
      return;
    }
    if (i < carry && !check("result", i, type, value_type(context, op.operands[i]))) return;
  }
}

// a = trip counter, b = whole array, c = slice.
struct ScanSlice {
  int64_t length;
  int64_t slice_bytes;
  bool reverse;
};

std::byte* slice_address(Thread& thread, const Instruction& in) {
  const auto& scan = *static_cast<const ScanSlice*>(in.payload);
  const int64_t trip = thread.at<int64_t>(in.a);
  return thread.pointer(in.b) + (scan.reverse ? scan.length - 1 - trip : trip) * scan.slice_bytes;
}

Step exec_take_slice(Thread& thread, const Instruction& in) {
  std::memcpy(thread.pointer(in.c), slice_address(thread, in),
              static_cast<const ScanSlice*>(in.payload)->slice_bytes);
  return Step::Next;
}

Step exec_put_slice(Thread& thread, const Instruction& in) {
  std::memcpy(slice_address(thread, in), thread.pointer(in.c),
              static_cast<const ScanSlice*>(in.payload)->slice_bytes);
  return Step::Next;
}

void compile_scan(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const int64_t length = int_attribute(op.attributes, "length", 0);
  const bool reverse = bool_attribute(op.attributes, "reverse", false);
  const auto num_carry = static_cast<size_t>(int_attribute(op.attributes, "num_carry", 0));
  const std::vector<Slot> results = define_results(compiler, id);
  const std::vector<Slot> carry(results.begin(), results.begin() + num_carry);
  move_yields(compiler, id, std::span(op.operands).first(num_carry), carry);
  const Slot trip = compiler.scratch(8);
  const Slot more = compiler.scratch(8);
  compiler.emit(id, exec_zero).a = trip;
  const Compiler::Label again = compiler.new_label();
  const Compiler::Label end = compiler.new_label();
  compiler.bind(again);
  Instruction& test = compiler.emit(id, exec_more_trips, compiler.payload(TripCount{length}));
  test.a = trip;
  test.b = more;
  compiler.emit_jump_if_false(id, more, end);
  compiler.push_frame(id, trip);
  const std::vector<ValueId>& arguments = compiler.module().region(op.regions[0]).arguments;
  const auto emit_slice = [&](ExecFn exec, ValueId slice, Slot array, Slot slice_slot) {
    Instruction& in = compiler.emit(
        id, exec, compiler.payload(ScanSlice{length, compiler.bytes_of(slice), reverse}));
    in.a = trip;
    in.b = array;
    in.c = slice_slot;
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i < num_carry) {
      compiler.bind_slot(arguments[i], carry[i]);
      continue;
    }
    const Slot slice = compiler.scratch(compiler.bytes_of(arguments[i]));
    compiler.bind_slot(arguments[i], slice);
    emit_slice(exec_take_slice, arguments[i], compiler.operand(id, i), slice);
  }
  const auto yields = compiler.begin_region(op.regions[0]);
  if (yields.empty() && !op.results.empty()) return;
  for (size_t i = num_carry; i < yields.size(); ++i) {
    emit_slice(exec_put_slice, yields[i], results[i], compiler.use(yields[i]));
  }
  move_yields(compiler, id, yields.first(std::min(num_carry, yields.size())), carry);
  compiler.end_region(op.regions[0]);
  compiler.pop_frame();
  compiler.emit(id, exec_count_up).a = trip;
  compiler.emit_jump(id, again);
  compiler.bind(end);
}

void verify_call(VerifyContext& context, const Op& op) {
  const Module& module = context.module();
  const std::string callee = string_attribute(op.attributes, "callee");
  const auto function = module.find_function(callee);
  if (!function) return context.error(fmt::format("there is no function `@{}`", callee));
  const Function& target = module.function(*function);
  if (!check_types(context, fmt::format("the call of `@{}`", callee), op.operands,
                   module.region(target.body).arguments)) {
    return;
  }
  if (op.results.size() != target.result_types.size()) {
    return context.error(fmt::format("`@{}` has {} results", callee, target.result_types.size()));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (value_type(context, op.results[i]) == target.result_types[i]) continue;
    return context.error(
        fmt::format("result {} of `@{}` is {}", i, callee, to_string(target.result_types[i])));
  }
}

void compile_call(Compiler& compiler, OpId id) {
  const Op& op = compiler.op(id);
  const Module& module = compiler.module();
  const auto function = module.find_function(string_attribute(op.attributes, "callee"));
  const RegionId body = module.function(*function).body;
  const std::vector<ValueId>& arguments = module.region(body).arguments;
  for (size_t i = 0; i < arguments.size(); ++i) compiler.alias(arguments[i], op.operands[i]);
  compiler.push_frame(id, kNoSlot);
  const auto yields = compiler.begin_region(body);
  if (yields.size() == op.results.size()) {
    for (size_t i = 0; i < yields.size(); ++i) compiler.alias(op.results[i], yields[i]);
  }
  compiler.end_region(body);
  for (ValueId argument : arguments) compiler.drop(argument);
  compiler.pop_frame();
}

}  // namespace

extern const OpDef kControlYield = {
    .name = "control.yield",
    .operands = {{.name = "values", .kind = OperandKind::Any, .variadic = true}},
    .terminator = true,
    .help = "Ends a region and gives its values to the op that holds it.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  body {
    control.yield
  }
}
)",
    .source = "a jaxpr's outvars",
};

extern const OpDef kControlCond = {
    .name = "control.cond",
    .operands = {{"index", OperandKind::Scalar}},
    .regions = kDynamic,
    .verify = verify_cond,
    .compile = compile_cond,
    .primitives = {"cond"},
    .help =
        "Runs one of its regions: the one that the index names, clamped to the regions there are.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = control.cond %1 {
      control.yield i32(7)
    } {
      control.yield i32(8)
    } : i32
    memory.store %0, %2
    control.yield
  }
}
)",
    .source = "jax.lax.switch; jax/_src/pallas/mosaic_gpu/lowering.py, _cond_lowering_rule",
};

extern const OpDef kControlWhile = {
    .name = "control.while",
    .operands = {{.name = "carry", .kind = OperandKind::Array, .variadic = true}},
    .regions = 2,
    .verify = verify_while,
    .compile = compile_while,
    .primitives = {"while"},
    .help =
        "Runs its second region as long as the first yields true. Both take the carry; the second "
        "yields the next one.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      %3 = arith.lt %2, i32(5) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.add %4, i32(2) : i32
      control.yield %5
    } : i32
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "jax.lax.while_loop",
};

extern const OpDef kControlScan = {
    .name = "control.scan",
    .operands = {{.name = "carry_and_xs", .kind = OperandKind::Array, .variadic = true}},
    .attributes = {{"length", AttributeKind::Int, true, "trip count"},
                   {"num_carry", AttributeKind::Int, true, "how many of the operands are carry"},
                   {"reverse", AttributeKind::Bool, false, "from the last slice to the first"}},
    .regions = 1,
    .verify = verify_scan,
    .compile = compile_scan,
    .primitives = {"scan"},
    .help =
        "A loop with a known trip count. Besides the carry, each trip takes one slice of each "
        "further operand along its leading axis and adds one slice to each further result.",
    .example = R"(pir 1

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[3]>
  body {
    %1, %2 = control.scan i32(1) {length = 3, num_carry = 1} {
      (%3: i32)
      %4 = arith.mul %3, i32(2) : i32
      control.yield %4, %3
    } : i32, i32[3]
    memory.store %0, %2
    control.yield
  }
}
)",
    .source = "jax.lax.scan",
};

extern const OpDef kControlCall = {
    .name = "control.call",
    .operands = {{.name = "arguments", .kind = OperandKind::Any, .variadic = true}},
    .attributes = {{"callee", AttributeKind::String, true, "name of a function of the module"}},
    .verify = verify_call,
    .compile = compile_call,
    .primitives = {"jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"},
    .help =
        "Calls a function of the module. Reports name both the line in the function and the call.",
    .example = R"(pir 1

func @double(%0: i32) -> (i32) {
  %1 = arith.add %0, %0 : i32
  control.yield %1
}

kernel @example {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.call i32(4) {callee = "double"} : i32
    memory.store %0, %1
    control.yield
  }
}
)",
    .source = "jax.jit inside a kernel is inlined",
};

}  // namespace pallasite
