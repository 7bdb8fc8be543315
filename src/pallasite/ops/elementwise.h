// What all elementwise ops share: lanes, loops and their vector variants, and the common parts of
// their OpDefs.
//
// An op states one functor: `apply<Lane>(x, y)` on single elements. From it come the loop over
// arrays, in one variant per instruction set, and the scalar instruction. Integers, bool, f32 and
// f64 are computed directly; every other float is widened to f32, computed and rounded once. A
// function of real numbers (`kReal`) is rounded to odd in between, so that small floats are the
// correctly rounded values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "pallasite/base/check.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/ops/strip.h"
#include "pallasite/sim/compiler.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

// What an elementwise op is to be computed on.
struct ElementRequest {
  std::span<const Type> operands;
  Type result;
  const Attributes& attributes;
  LoopPath path = LoopPath::Best;
};

// An elementwise op bound to element types, shapes and attributes.
struct ElementFunction {
  ElementwiseKernel kernel;
  // What `kernel` takes as its immediate; may be null.
  std::shared_ptr<const void> immediate = nullptr;
  // Bit i: operand i has rank 0 beside arrays.
  uint32_t scalar_inputs = 0;
};

using ElementLoop = decltype(ElementwiseKernel::loop);

// Kinds of elements that an op takes.
inline constexpr unsigned kBools = 1;
inline constexpr unsigned kIntegers = 2;
inline constexpr unsigned kFloats = 4;
inline constexpr unsigned kNumbers = kIntegers | kFloats;
inline constexpr unsigned kBitPatterns = kBools | kIntegers;
inline constexpr unsigned kAllElements = kBools | kIntegers | kFloats;

bool in_domain(unsigned domain, ElementType element);

// How one element is held and computed: in a register as T, of which kBitCount bits count.
template <typename T, int kBitCount = 8 * int(sizeof(T))>
struct Lane {
  using Value = T;
  static constexpr int kBits = kBitCount;
  static constexpr bool kFloat = std::is_floating_point_v<T>;
  static constexpr bool kSigned = std::is_signed_v<T>;

  // Brings a result that was computed in all bits of T into the range of the element type.
  static constexpr T wrap(T value) {
    if constexpr (kFloat || kBits == 8 * int(sizeof(T))) {
      return value;
    } else {
      constexpr int kUnused = 8 * int(sizeof(T)) - kBits;
      return T(T(unsigned(value) << kUnused) >> kUnused);
    }
  }
};

// An f32 that a smaller float is rounded from next. A result that is computed in more digits
// becomes the f32 below or above it with an odd code, which no second rounding mistakes for a tie.
struct OddLane : Lane<float> {};

// `value` as an element of the lane, where NaN and the limits of the type need no care.
template <typename L>
[[gnu::always_inline]] inline typename L::Value round_to_lane(double value) {
  using T = typename L::Value;
  const T nearest = T(value);
  if constexpr (std::is_same_v<L, OddLane>) {
    const double back = double(nearest);
    // Magnitudes are compared, as codes grow with the magnitude.
    const double size = value < 0 ? -value : value, back_size = back < 0 ? -back : back;
    const uint32_t code = std::bit_cast<uint32_t>(nearest);
    const uint32_t toward = size > back_size ? code + 1 : (size < back_size ? code - 1 : code);
    return std::bit_cast<T>((code & 1) != 0 ? code : toward);
  } else {
    return nearest;
  }
}

// An element may be a vector of them (`Wide`).
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T, size_t kBytes>
inline constexpr bool kIsFloat<Wide<T, kBytes>> = std::is_floating_point_v<T>;

// The type in which +, - and * wrap without undefined behaviour; floats stay themselves.
template <typename T>
struct ModularOf {
  using Type =
      std::conditional_t<std::is_floating_point_v<T>, T,
                         std::conditional_t<(sizeof(T) <= sizeof(uint32_t)), uint32_t, uint64_t>>;
};
template <typename T, size_t kBytes>
struct ModularOf<Wide<T, kBytes>> {
  using Type = Wide<typename ModularOf<T>::Type, kBytes>;
};
template <typename T>
using Modular = typename ModularOf<T>::Type;

// A float's bits; a float of them; and all bits or none, as a comparison came out.
template <typename T>
constexpr auto code_of(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(x);
}
template <typename T, size_t kBytes>
[[gnu::always_inline]] inline typename Wide<T, kBytes>::Codes code_of(Wide<T, kBytes> x) {
  return typename Wide<T, kBytes>::Codes(x);
}
template <typename T, typename Code>
[[gnu::always_inline]] constexpr T of_code(Code code) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(code);
  } else {
    return T(code);
  }
}
template <typename Code>
constexpr Code mask_of(bool holds) {
  return -Code(holds);
}
template <typename Code>
[[gnu::always_inline]] inline Code mask_of(Code holds) {
  return holds;
}

// NaN if one operand is; zeros are ordered by their sign.
template <typename T>
[[gnu::always_inline]] constexpr T element_max(T x, T y) {
  if constexpr (kIsFloat<T>) {
    const auto a = code_of(x), b = code_of(y);
    using Code = std::remove_const_t<decltype(a)>;
    // Masks instead of branches, so that loops of it become vector code.
    const Code first = mask_of<Code>(x > y) | mask_of<Code>(x != x);
    const Code equal = mask_of<Code>(x == y);
    return of_code<T>((equal & a & b) | (~equal & ((first & a) | (~first & b))));
  } else {
    return x > y ? x : y;
  }
}
template <typename T>
[[gnu::always_inline]] constexpr T element_min(T x, T y) {
  if constexpr (kIsFloat<T>) {
    const auto a = code_of(x), b = code_of(y);
    using Code = std::remove_const_t<decltype(a)>;
    const Code first = mask_of<Code>(x < y) | mask_of<Code>(x != x);
    const Code equal = mask_of<Code>(x == y);
    return of_code<T>((equal & (a | b)) | (~equal & ((first & a) | (~first & b))));
  } else {
    return x < y ? x : y;
  }
}

// Calls `visit` with the lane of an element type that is computed directly.
template <unsigned kDomain, typename Visit>
void visit_lane(ElementType element, Visit&& visit) {
  using enum ElementType;
  if constexpr ((kDomain & kBools) != 0) {
    if (element == Bool) return visit(Lane<uint8_t, 1>());
  }
  if constexpr ((kDomain & kIntegers) != 0) {
    switch (element) {
      case S1:
        return visit(Lane<int8_t, 1>());
      case U1:
        return visit(Lane<uint8_t, 1>());
      case S2:
        return visit(Lane<int8_t, 2>());
      case U2:
        return visit(Lane<uint8_t, 2>());
      case S4:
        return visit(Lane<int8_t, 4>());
      case U4:
        return visit(Lane<uint8_t, 4>());
      case S8:
        return visit(Lane<int8_t>());
      case U8:
        return visit(Lane<uint8_t>());
      case S16:
        return visit(Lane<int16_t>());
      case U16:
        return visit(Lane<uint16_t>());
      case S32:
        return visit(Lane<int32_t>());
      case U32:
        return visit(Lane<uint32_t>());
      case S64:
        return visit(Lane<int64_t>());
      case U64:
        return visit(Lane<uint64_t>());
      default:
        break;
    }
  }
  if constexpr ((kDomain & kFloats) != 0) {
    if (element == F32) return visit(Lane<float>());
    if (element == F64) return visit(Lane<double>());
  }
  PALLASITE_CHECK(false, "element type outside the op's domain");
}

// A float that is computed as f32.
constexpr bool is_widened(ElementType element) {
  return is_float(element) && element != ElementType::F32 && element != ElementType::F64;
}

// The best instruction set that `path` and the processor allow.
inline LoopPath available_path(LoopPath path) {
#if defined(__x86_64__)
  const bool best = path == LoopPath::Best;
  if ((best || path == LoopPath::Avx512) && convert_path_supported(LoopPath::Avx512))
    return LoopPath::Avx512;
  if ((best || path == LoopPath::Avx2) && convert_path_supported(LoopPath::Avx2))
    return LoopPath::Avx2;
#endif
  static_cast<void>(path);
  return LoopPath::Portable;
}

// Of the loops `portable`, `avx2` and `avx512` of a class, the one for that.
template <typename Loops>
ElementLoop choose_loop(LoopPath path) {
#if defined(__x86_64__)
  path = available_path(path);
  if (path == LoopPath::Avx512) return Loops::avx512;
  if (path == LoopPath::Avx2) return Loops::avx2;
#endif
  static_cast<void>(path);
  return Loops::portable;
}

// What functors derive from.
template <int kOperands, unsigned kElements>
struct ElementFunctor {
  static constexpr int kArity = kOperands;
  static constexpr unsigned kDomain = kElements;
  // The result is bool instead of the operands' type.
  static constexpr bool kTest = false;
  // `apply` takes an int64_t after the elements.
  static constexpr bool kImmediate = false;
  // Computes floats in more digits than f32 has, and ends with round_to_lane.
  static constexpr bool kReal = false;
  // Some operands (`rare`) are left to `apply_rare`, which need not be a loop of vectors.
  static constexpr bool kRare = false;
  // Worth a variant per instruction set.
  template <typename L>
  static constexpr bool kVector = true;
  // Takes a `Wide` for an element: can be part of a strip. `apply` has to be always inlined.
  template <typename L>
  static constexpr bool kStrip = false;
};

// One that needs no more than operators, in all bits of a type of 4 or 8 bytes.
template <int kOperands, unsigned kElements>
struct ArithmeticFunctor : ElementFunctor<kOperands, kElements> {
  template <typename L>
  static constexpr bool kStrip =
      sizeof(typename L::Value) >= 4 && L::kBits == 8 * int(sizeof(typename L::Value));
};

// An iteration may read what it writes and nothing that another iteration writes, so that the
// compiler need not compare pointers. Clang would warn where it does not use that.
#if defined(__clang__)
#define PALLASITE_INDEPENDENT_ITERATIONS
#else
#define PALLASITE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

// kScalars: bit i is set where input i has rank 0 beside arrays.
template <typename F, typename L, uint32_t kScalars = 0>
struct ElementLoops {
  using Value = typename L::Value;
  using Result = std::conditional_t<F::kTest, uint8_t, Value>;
  static_assert(F::kArity >= 1 && F::kArity <= 3);

  template <typename... Arguments>
  [[gnu::always_inline]] static Result apply(const void* immediate, Arguments... arguments) {
    Result result;
    if constexpr (F::kImmediate) {
      result = F::template apply<L>(arguments..., *static_cast<const int64_t*>(immediate));
    } else {
      static_cast<void>(immediate);
      result = F::template apply<L>(arguments...);
    }
    if constexpr (F::kTest) return result;
    return Result(L::wrap(Value(result)));
  }

  template <typename... Arguments>
  [[gnu::always_inline]] static Result apply_any(const void* immediate, Arguments... arguments) {
    if constexpr (F::kRare)
      if (F::template rare<L>(arguments...)) return Result(F::template apply_rare<L>(arguments...));
    return apply(immediate, arguments...);
  }

  template <typename... Inputs>
  [[gnu::always_inline]] static bool any_rare(size_t first, size_t end, const Inputs&... inputs) {
    uint32_t rare = 0;
    for (size_t i = first; i < end; ++i) rare |= F::template rare<L>(inputs[i]...) ? 1 : 0;
    return rare != 0;
  }

  // The result does not depend on the block that an element is in. In a block with a rare operand
  // the parts without one are still vector code.
  template <typename... Inputs>
  [[gnu::always_inline]] static void run(Result* result, size_t count, const void* immediate,
                                         const Inputs&... inputs) {
    if constexpr (F::kRare) {
      constexpr size_t kBlock = 512, kPart = 32;
      for (size_t first = 0; first < count; first += kBlock) {
        const size_t end = count - first < kBlock ? count : first + kBlock;
        const size_t step = any_rare(first, end, inputs...) ? kPart : kBlock;
        for (size_t part = first; part < end; part += step) {
          const size_t part_end = end - part < step ? end : part + step;
          if (step == kPart && any_rare(part, part_end, inputs...)) {
            for (size_t i = part; i < part_end; ++i) result[i] = apply_any(immediate, inputs[i]...);
          } else {
            PALLASITE_INDEPENDENT_ITERATIONS
            for (size_t i = part; i < part_end; ++i) result[i] = apply(immediate, inputs[i]...);
          }
        }
      }
    } else {
      PALLASITE_INDEPENDENT_ITERATIONS
      for (size_t i = 0; i < count; ++i) result[i] = apply(immediate, inputs[i]...);
    }
  }

  template <uint32_t kInput>
  struct Input {
    static constexpr bool kScalar = (kScalars >> kInput & 1) != 0;
    const Value* values;
    Value scalar = {};
    [[gnu::always_inline]] explicit Input(const void* const* inputs)
        : values(static_cast<const Value*>(inputs[kInput])) {
      if constexpr (kScalar) scalar = values[0];
    }
    [[gnu::always_inline]] Value operator[](size_t i) const {
      if constexpr (kScalar) return scalar;
      return values[i];
    }
  };

  [[gnu::always_inline]] static void body(void* out, const void* const* inputs, size_t count,
                                          const void* immediate) {
    auto* result = static_cast<Result*>(out);
    const Input<0> x(inputs);
    if constexpr (F::kArity == 1) {
      run(result, count, immediate, x);
    } else if constexpr (F::kArity == 2) {
      run(result, count, immediate, x, Input<1>(inputs));
    } else {
      run(result, count, immediate, x, Input<1>(inputs), Input<2>(inputs));
    }
  }

  static void portable(void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2,fma")]] static void avx2(void* out, const void* const* inputs, size_t count,
                                               const void* immediate) {
    body(out, inputs, count, immediate);
  }
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma")]] static void avx512(
      void* out, const void* const* inputs, size_t count, const void* immediate) {
    body(out, inputs, count, immediate);
  }
#endif

  [[gnu::always_inline]] static Step scalar_body(Thread& thread, const Instruction& instruction) {
    const Value x = thread.at<Value>(instruction.a);
    Result result;
    if constexpr (F::kArity == 1) {
      result = apply_any(instruction.payload, x);
    } else if constexpr (F::kArity == 2) {
      result = apply_any(instruction.payload, x, thread.at<Value>(instruction.b));
    } else {
      result = apply_any(instruction.payload, x, thread.at<Value>(instruction.b),
                         thread.at<Value>(instruction.c));
    }
    thread.at<Result>(instruction.d) = result;
    return Step::Next;
  }
  static Step scalar(Thread& thread, const Instruction& instruction) {
    return scalar_body(thread, instruction);
  }
#if defined(__x86_64__)
  // Without the instruction `fma` is a call.
  [[gnu::target("avx2,fma")]] static Step scalar_fma(Thread& thread,
                                                     const Instruction& instruction) {
    return scalar_body(thread, instruction);
  }
#endif
};

// The scalar instruction that `path` and the processor allow.
template <typename F, typename Loops>
ExecFn choose_scalar(LoopPath path) {
#if defined(__x86_64__)
  if constexpr (F::kReal)
    if (path != LoopPath::Portable && convert_path_supported(LoopPath::Avx2))
      return Loops::scalar_fma;
#endif
  static_cast<void>(path);
  return Loops::scalar;
}

// Loops and scalar instruction of a functor, for an element type that is computed directly.
template <typename F, uint32_t kScalars = 0>
ElementwiseKernel direct_kernel(ElementType element, LoopPath path) {
  ElementwiseKernel kernel;
  visit_lane<F::kDomain>(element, [&](auto lane) {
    using Loops = ElementLoops<F, decltype(lane), kScalars>;
    if constexpr (F::template kVector<decltype(lane)> && decltype(lane)::kBits >= 8) {
      kernel.loop = choose_loop<Loops>(path);
    } else {
      kernel.loop = Loops::portable;
    }
    // With rank 0 all operands are alike.
    if constexpr (kScalars == 0) kernel.scalar = choose_scalar<F, Loops>(path);
    if constexpr (kScalars == 0 && F::template kStrip<decltype(lane)>)
      kernel.strip = strip_op<F, decltype(lane)>(available_path(path));
  });
  return kernel;
}

// Immediate of the loop that widens to f32.
struct WidenedLoop {
  ElementType element = ElementType::F16;
  ElementLoop f32_loop = nullptr;
  std::shared_ptr<const void> immediate;
  int arity = 1;
  bool test = false;
  uint32_t scalar_inputs = 0;
};

// The function that runs `kernel`, an f32 kernel, on arrays of a smaller float.
ElementFunction widened_function(WidenedLoop widened);

// The function of a functor without attributes. `immediate` goes to the functor.
template <typename F, uint32_t kScalars = 0>
ElementFunction element_function_of(const ElementRequest& request,
                                    std::shared_ptr<const int64_t> immediate = nullptr) {
  const ElementType element = request.operands[0].element;
  if constexpr ((F::kDomain & kFloats) != 0) {
    if (is_widened(element)) {
      ElementLoop f32_loop;
      if constexpr (F::kReal) {
        f32_loop = choose_loop<ElementLoops<F, OddLane, kScalars>>(request.path);
      } else {
        f32_loop = direct_kernel<F, kScalars>(ElementType::F32, request.path).loop;
      }
      return widened_function({.element = element,
                               .f32_loop = f32_loop,
                               .immediate = std::move(immediate),
                               .arity = F::kArity,
                               .test = F::kTest,
                               .scalar_inputs = kScalars});
    }
  }
  return {.kernel = direct_kernel<F, kScalars>(element, request.path),
          .immediate = std::move(immediate),
          .scalar_inputs = kScalars};
}

// --- parts of OpDefs ---

// Operands of one type; the result has it too.
std::vector<Type> infer_first_operand(const Module& module, const Op& op);
// The result is bool in the shape of the operands.
std::vector<Type> infer_test(const Module& module, const Op& op);
void verify_one_type(VerifyContext& context, const Op& op, unsigned domain);

// Compiles any op that has an `element_function`.
void compile_elementwise(Compiler& compiler, OpId id);

template <typename F>
void verify_functor(VerifyContext& context, const Op& op) {
  verify_one_type(context, op, F::kDomain);
}

template <typename F>
ElementFunction bind_functor(const ElementRequest& request) {
  return element_function_of<F>(request);
}

// Completes the block of an op that is a functor and nothing else.
template <typename F>
OpDef elementwise_op(OpDef def) {
  static constexpr std::string_view kNames[] = {"x", "y", "z"};
  for (int i = 0; i < F::kArity; ++i)
    def.operands.push_back({.name = kNames[i], .kind = OperandKind::Array});
  def.pure = true;
  def.infer = F::kTest ? infer_test : infer_first_operand;
  if (def.verify == nullptr) def.verify = verify_functor<F>;
  def.compile = compile_elementwise;
  if (def.element_function == nullptr) def.element_function = bind_functor<F>;
  return def;
}

// Examples: an op on the elements 0 to 7, for two operands with a constant beside them.
#define PALLASITE_EXAMPLE(result, body) \
  "pir 1\n\n"                           \
  "kernel @example {\n"                 \
  "  grid = [1] [\"x\"]\n"              \
  "  output %0 \"out\": ref<gmem, " result ">\n  body {\n" body "    control.yield\n  }\n}\n"
#define PALLASITE_UNARY_EXAMPLE_WITH(op, attributes, element, result)              \
  PALLASITE_EXAMPLE(result "[8]", "    %1 = shape.iota {dimension = 0} : " element \
                                  "[8]\n"                                          \
                                  "    %2 = " op " %1 " attributes " : " result    \
                                  "[8]\n"                                          \
                                  "    memory.store %0, %2\n")
#define PALLASITE_UNARY_EXAMPLE_OF(op, element, result)                            \
  PALLASITE_EXAMPLE(result "[8]", "    %1 = shape.iota {dimension = 0} : " element \
                                  "[8]\n"                                          \
                                  "    %2 = " op " %1 : " result                   \
                                  "[8]\n"                                          \
                                  "    memory.store %0, %2\n")
#define PALLASITE_UNARY_EXAMPLE(op, element) PALLASITE_UNARY_EXAMPLE_OF(op, element, element)
#define PALLASITE_UNARY_TEST_EXAMPLE(op, element) PALLASITE_UNARY_EXAMPLE_OF(op, element, "bool")
#define PALLASITE_BINARY_EXAMPLE(op, element, literal, result)                                 \
  PALLASITE_EXAMPLE(result "[8]",                                                              \
                    "    %1 = shape.iota {dimension = 0} : " element                           \
                    "[8]\n"                                                                    \
                    "    %2 = shape.broadcast_in_dim " literal " {dimensions = []} : " element \
                    "[8]\n"                                                                    \
                    "    %3 = " op " %1, %2 : " result                                         \
                    "[8]\n"                                                                    \
                    "    memory.store %0, %3\n")

}  // namespace pallasite
