// Random bits: counters run through the ciphers Threefry and Philox of J. Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3" (SC 2011).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pallasite/ir/text.h"
#include "pallasite/ops/elementwise.h"
#include "pallasite/ops/operand_type.h"
#include "pallasite/sim/machine.h"

namespace pallasite {
namespace {

struct Pair {
  uint32_t x;
  uint32_t y;
};

// Threefry-2x32 with 20 rounds.
[[gnu::always_inline]] inline Pair threefry(Pair key, Pair counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key.x, key.y, key.x ^ key.y ^ 0x1bd11bdau};
  uint32_t x = counter.x + keys[0], y = counter.y + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x += y;
      y = std::rotl(y, rotation) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

// Philox-4x32 with 10 rounds.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, Pair key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xd2511f53u) * counter[0];
    const uint64_t b = uint64_t(0xcd9e8d57u) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key.x, uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key.y, uint32_t(a)};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

// --- threefry2x32 ---

// Slots: a, b the key, c the counter's halves one after another in `inputs`; results in `outputs`.
struct ThreefryPlan {
  size_t count = 1;
  Slot inputs[4];
  Slot outputs[2];
};

Step exec_threefry(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const ThreefryPlan*>(instruction.payload);
  const uint32_t* in[4];
  for (size_t i = 0; i < 4; ++i) in[i] = &thread.at<uint32_t>(plan.inputs[i]);
  uint32_t* x = &thread.at<uint32_t>(plan.outputs[0]);
  uint32_t* y = &thread.at<uint32_t>(plan.outputs[1]);
  PALLASITE_INDEPENDENT_ITERATIONS
  for (size_t i = 0; i < plan.count; ++i) {
    const Pair bits = threefry({in[0][i], in[1][i]}, {in[2][i], in[3][i]});
    x[i] = bits.x;
    y[i] = bits.y;
  }
  return Step::Next;
}

void verify_threefry(VerifyContext& context, const Op& op) {
  const Type& first = operand_type(context.module(), op, 0);
  for (ValueId operand : op.operands)
    if (first.element != ElementType::U32 || context.module().value(operand).type != first)
      return context.error("the key and the counter are four arrays of u32 of one shape");
}

std::vector<Type> infer_threefry(const Module& module, const Op& op) {
  return {operand_type(module, op, 0), operand_type(module, op, 0)};
}

void compile_threefry(Compiler& compiler, OpId id) {
  ThreefryPlan plan;
  plan.count = size_t(compiler.result_type(id).element_count());
  for (size_t i = 0; i < 4; ++i) plan.inputs[i] = compiler.operand(id, i);
  for (size_t i = 0; i < 2; ++i) plan.outputs[i] = compiler.result(id, i);
  compiler.emit(id, exec_threefry, compiler.payload(plan));
}

// --- bits ---

enum class Cipher : uint8_t { Threefry, Philox };

struct BitsPlan {
  Cipher cipher = Cipher::Philox;
  // Bytes of an element and number of elements.
  size_t bytes = 4;
  size_t count = 0;
};

// The words of a block stand one block after another; numbers of 64 bits take two of them. A block
// that is not used up is not begun a second time.
void philox_bits(const BitsPlan& plan, uint64_t state[2], uint64_t state_out[2], std::byte* out) {
  const Pair key = {uint32_t(state[0]), uint32_t(state[0] >> 32)};
  const size_t words_of_element = plan.bytes == 8 ? 2 : 1;
  const size_t per_block = 4 / words_of_element;
  const size_t blocks = (plan.count + per_block - 1) / per_block;
  for (size_t b = 0; b < blocks; ++b) {
    const uint64_t counter = state[1] + b;
    const auto words = philox({uint32_t(counter), uint32_t(counter >> 32), key.x, key.y}, key);
    for (size_t k = 0; k < per_block; ++k) {
      const size_t i = b * per_block + k;
      if (i >= plan.count) break;
      std::memcpy(out + i * plan.bytes, &words[k * words_of_element], plan.bytes);
    }
  }
  state_out[0] = state[0];
  state_out[1] = state[1] + blocks;
}

// As above, with two words in a block.
void threefry_bits(const BitsPlan& plan, uint64_t state[2], uint64_t state_out[2], std::byte* out) {
  const Pair key = {uint32_t(state[0]), uint32_t(state[0] >> 32)};
  const size_t per_block = plan.bytes == 8 ? 1 : 2;
  const size_t blocks = (plan.count + per_block - 1) / per_block;
  for (size_t b = 0; b < blocks; ++b) {
    const uint64_t counter = state[1] + b;
    const Pair words = threefry(key, {uint32_t(counter), uint32_t(counter >> 32)});
    const size_t i = b * per_block;
    if (plan.bytes == 8) {
      std::memcpy(out + 8 * i, &words, 8);
    } else {
      std::memcpy(out + plan.bytes * i, &words.x, plan.bytes);
      if (i + 1 < plan.count) std::memcpy(out + plan.bytes * (i + 1), &words.y, plan.bytes);
    }
  }
  state_out[0] = state[0];
  state_out[1] = state[1] + blocks;
}

// Slots: a the state, c the next state, d the bits.
Step exec_bits(Thread& thread, const Instruction& instruction) {
  const auto& plan = *static_cast<const BitsPlan*>(instruction.payload);
  auto* state = &thread.at<uint64_t>(instruction.a);
  auto* next = &thread.at<uint64_t>(instruction.c);
  (plan.cipher == Cipher::Philox ? philox_bits : threefry_bits)(plan, state, next,
                                                                thread.pointer(instruction.d));
  return Step::Next;
}

void verify_bits(VerifyContext& context, const Op& op) {
  if (operand_type(context.module(), op, 0) != Type::array(ElementType::U64, {2}))
    return context.error("the state is a u64[2]");
  const std::string cipher = string_attribute(op.attributes, "cipher");
  if (cipher != "philox" && cipher != "threefry")
    return context.error(fmt::format("`cipher` is \"{}\", not \"philox\" or \"threefry\"", cipher));
  const bool has_results = op.results.size() == 2;
  const Type bits = has_results ? context.module().value(op.results[1]).type : Type();
  const bool fits =
      has_results &&
      context.module().value(op.results[0]).type == Type::array(ElementType::U64, {2}) &&
      bits.is_array() && is_integer(bits.element) && !element_info(bits.element).is_signed &&
      !is_sub_byte(bits.element);
  if (!fits) context.error("the results are the next state, u64[2], and an array of u8 to u64");
}

void compile_bits(Compiler& compiler, OpId id) {
  const Type& bits = compiler.result_type(id, 1);
  BitsPlan plan;
  plan.cipher = string_attribute(compiler.op(id).attributes, "cipher") == "philox"
                    ? Cipher::Philox
                    : Cipher::Threefry;
  plan.bytes = register_bytes(bits.element);
  plan.count = size_t(bits.element_count());
  const Slot state = compiler.operand(id, 0);
  const Slot next = compiler.result(id, 0);
  const Slot result = compiler.result(id, 1);
  Instruction& instruction = compiler.emit(id, exec_bits, compiler.payload(plan));
  instruction.a = state;
  instruction.c = next;
  instruction.d = result;
}

// --- fresh_state ---

// Slots: a how often the thread came here, d the state. `payload` is the op's number.
Step exec_fresh_state(Thread& thread, const Instruction& instruction) {
  uint64_t& visits = thread.at<uint64_t>(instruction.a);
  const auto op = *static_cast<const uint32_t*>(instruction.payload);
  const auto cluster = uint64_t(thread.machine().state().cluster);
  uint64_t* state = &thread.at<uint64_t>(instruction.d);
  // Differs for each cluster, thread (of 256), op (of 65,536) and visit.
  state[0] = cluster << 24 ^ uint64_t(thread.index()) << 16 ^ op;
  state[1] = visits++ << 40;
  return Step::Next;
}

std::vector<Type> infer_fresh_state(const Module&, const Op&) {
  return {Type::array(ElementType::U64, {2})};
}

void compile_fresh_state(Compiler& compiler, OpId id) {
  // Among the thread's registers, which start with what is stated here. Only this op writes it.
  const Slot visits = compiler.constant(std::vector<std::byte>(sizeof(uint64_t)));
  const Slot result = compiler.result(id);
  Instruction& instruction =
      compiler.emit(id, exec_fresh_state, compiler.payload(uint32_t(id.index)));
  instruction.a = visits;
  instruction.d = result;
}

}  // namespace

extern const OpDef kRandomFreshState = {
    .name = "random.fresh_state",
    .infer = infer_fresh_state,
    .compile = compile_fresh_state,
    .primitives = {"rng_uniform"},
    .help =
        "A state for `random.bits` that no other thread has, and no other time. In each run of "
        "the kernel it is the same.",
    .example = PALLASITE_EXAMPLE("u64[2]",
                                 "    %1 = random.fresh_state : u64[2]\n"
                                 "    memory.store %0, %1\n"),
    .source = "jax.lax.rng_uniform",
};

extern const OpDef kRandomThreefry2x32 = {
    .name = "random.threefry2x32",
    .operands = {{.name = "key_x", .kind = OperandKind::Array},
                 {.name = "key_y", .kind = OperandKind::Array},
                 {.name = "counter_x", .kind = OperandKind::Array},
                 {.name = "counter_y", .kind = OperandKind::Array}},
    .pure = true,
    .infer = infer_threefry,
    .verify = verify_threefry,
    .compile = compile_threefry,
    .primitives = {"threefry2x32"},
    .help =
        "Threefry-2x32 with 20 rounds, element by element: what `jax.random` makes its bits of.",
    .example =
        PALLASITE_EXAMPLE("u32[8]",
                          "    %1 = shape.iota {dimension = 0} : u32[8]\n"
                          "    %2, %3 = random.threefry2x32 %1, %1, %1, %1 : u32[8], u32[8]\n"
                          "    memory.store %0, %2\n"),
    .source = "Salmon et al., Parallel random numbers, SC 2011; jax.random",
};

extern const OpDef kRandomBits = {
    .name = "random.bits",
    .operands = {{.name = "state", .kind = OperandKind::Array}},
    .attributes = {{.name = "cipher",
                    .kind = AttributeKind::String,
                    .help = "\"philox\" (4x32, 10 rounds) or \"threefry\" (2x32, 20 rounds)"}},
    .pure = true,
    .verify = verify_bits,
    .compile = compile_bits,
    .primitives = {"rng_bit_generator"},
    .help =
        "The next state of a generator and an array of random bits. The state is a key and a "
        "counter of blocks.",
    .example =
        PALLASITE_EXAMPLE("u32[8]",
                          "    %1 = shape.iota {dimension = 0} : u64[2]\n"
                          "    %2, %3 = random.bits %1 {cipher = \"philox\"} : u64[2], u32[8]\n"
                          "    memory.store %0, %3\n"),
    .source = "XLA RngBitGenerator; Salmon et al., Parallel random numbers, SC 2011",
};

}  // namespace pallasite
