// Elementwise ops as parts of a strip (sim/strip.h): the functor of an op, called on vector
// registers instead of single elements.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pallasite/numerics/convert.h"
#include "pallasite/sim/strip.h"

namespace pallasite {

// Instruction set of the loops, as for conversions. All variants give the same bits.
using LoopPath = ConvertPath;

// A vector register in place of an element, for functors that are made of arithmetic alone. A class
// and no bare vector, since a functor is compiled for any processor before it becomes part of a
// function for this one. For the same reason whatever takes or returns one has to be always
// inlined: a call would hand it over in the way of a processor that has no such registers.
template <typename T, size_t kBytes>
struct Wide {
  using Element = T;
  typedef T Native __attribute__((vector_size(kBytes)));
  using Code = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Codes = Wide<Code, kBytes>;
  Native native;

  // By bits: an addition would make another NaN of some.
  [[gnu::always_inline]] static Wide repeat(T value) {
    const typename Codes::Native zeros = {};
    return {reinterpret_cast<Native>(zeros + std::bit_cast<Code>(value))};
  }
  template <typename To>
  [[gnu::always_inline]] explicit operator Wide<To, kBytes>() const {
    return {reinterpret_cast<typename Wide<To, kBytes>::Native>(native)};
  }

  [[gnu::always_inline]] friend Wide operator+(Wide x, Wide y) { return {x.native + y.native}; }
  [[gnu::always_inline]] friend Wide operator-(Wide x, Wide y) { return {x.native - y.native}; }
  [[gnu::always_inline]] friend Wide operator*(Wide x, Wide y) { return {x.native * y.native}; }
  [[gnu::always_inline]] friend Wide operator/(Wide x, Wide y) { return {x.native / y.native}; }
  [[gnu::always_inline]] friend Wide operator&(Wide x, Wide y) { return {x.native & y.native}; }
  [[gnu::always_inline]] friend Wide operator|(Wide x, Wide y) { return {x.native | y.native}; }
  [[gnu::always_inline]] friend Wide operator^(Wide x, Wide y) { return {x.native ^ y.native}; }
  [[gnu::always_inline]] Wide operator-() const { return {-native}; }
  [[gnu::always_inline]] Wide operator~() const { return {~native}; }
  [[gnu::always_inline]] friend Wide fabs(Wide x) {
    return Wide(Codes(x) & Codes::repeat(Code(-1) >> 1));
  }
  // All bits of an element, or none.
  [[gnu::always_inline]] friend Codes operator<(Wide x, Wide y) {
    return {reinterpret_cast<typename Codes::Native>(x.native < y.native)};
  }
  [[gnu::always_inline]] friend Codes operator>(Wide x, Wide y) { return y < x; }
  [[gnu::always_inline]] friend Codes operator==(Wide x, Wide y) {
    return {reinterpret_cast<typename Codes::Native>(x.native == y.native)};
  }
  [[gnu::always_inline]] friend Codes operator!=(Wide x, Wide y) {
    return {reinterpret_cast<typename Codes::Native>(x.native != y.native)};
  }
};

// Registers of a strip: as many as a call can hand over.
inline constexpr size_t kStripVectors = 8;
template <typename... Values>
using StripNext = void (*)(const StripCall*, size_t, Values...);
template <typename V>
using StripFunction = StripNext<V, V, V, V, V, V, V, V>;

// Bytes of memory at any address.
template <typename V>
[[gnu::always_inline]] inline V load_wide(const std::byte* from) {
  V value;
  std::memcpy(&value.native, from, sizeof value);
  return value;
}
template <typename V>
[[gnu::always_inline]] inline V repeat_wide(const std::byte* from) {
  typename V::Element scalar;
  std::memcpy(&scalar, from, sizeof scalar);
  return V::repeat(scalar);
}

// --- parts: what is done with `values`, those of the strip that begins at byte `at` of arrays ---

struct StripLoad {
  static constexpr bool kLast = false;
  template <typename V, typename... Values>
  [[gnu::always_inline]] static void apply(std::byte* operand, size_t at, Values&... values) {
    operand += at;
    ((values = load_wide<V>(operand).native, operand += sizeof(V)), ...);
  }
};

struct StripRepeat {
  static constexpr bool kLast = false;
  template <typename V, typename... Values>
  [[gnu::always_inline]] static void apply(std::byte* operand, size_t, Values&... values) {
    const V all = repeat_wide<V>(operand);
    ((values = all.native), ...);
  }
};

template <bool kIsLast>
struct StripStore {
  static constexpr bool kLast = kIsLast;
  template <typename V, typename... Values>
  [[gnu::always_inline]] static void apply(std::byte* operand, size_t at, Values&... values) {
    operand += at;
    ((std::memcpy(operand, &values, sizeof(V)), operand += sizeof(V)), ...);
  }
};

// A sum or product of two NaNs is one of them; which one compilers choose as they like.
template <typename F, typename L, StripForm kForm>
struct StripFunctor {
  static constexpr bool kLast = false;

  template <typename V>
  [[gnu::always_inline]] static V result(V value, V other) {
    if constexpr (F::kArity == 1) {
      return F::template apply<L>(value);
    } else if constexpr (kForm == StripForm::AfterArray || kForm == StripForm::AfterScalar) {
      return F::template apply<L>(other, value);
    } else {
      return F::template apply<L>(value, other);
    }
  }

  template <typename V, typename... Values>
  [[gnu::always_inline]] static void apply(std::byte* operand, size_t at, Values&... values) {
    if constexpr (kForm == StripForm::Alone) {
      ((values = result(V{values}, V{values}).native), ...);
    } else if constexpr (kForm == StripForm::BeforeScalar || kForm == StripForm::AfterScalar) {
      const V all = repeat_wide<V>(operand);
      ((values = result(V{values}, all).native), ...);
    } else {
      operand += at;
      ((values = result(V{values}, load_wide<V>(operand)).native, operand += sizeof(V)), ...);
    }
  }
};

// --- in the instruction sets ---

template <typename Part, typename T>
struct StripVariants {
  template <size_t kBytes, typename... Values>
  [[gnu::always_inline]] static void apply(const StripCall* call, size_t at, Values&... values) {
    Part::template apply<Wide<T, kBytes>>(call->operand, at, values...);
  }
  template <typename... Values>
  static void portable(const StripCall* call, size_t at, Values... values) {
    apply<16>(call, at, values...);
    if constexpr (!Part::kLast)
      return reinterpret_cast<StripNext<Values...>>(call[1].code)(call + 1, at, values...);
  }
#if defined(__x86_64__)
  template <typename... Values>
  [[gnu::target("avx2,fma")]] static void avx2(const StripCall* call, size_t at, Values... values) {
    apply<32>(call, at, values...);
    if constexpr (!Part::kLast)
      return reinterpret_cast<StripNext<Values...>>(call[1].code)(call + 1, at, values...);
  }
  template <typename... Values>
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma")]] static void avx512(
      const StripCall* call, size_t at, Values... values) {
    apply<64>(call, at, values...);
    if constexpr (!Part::kLast)
      return reinterpret_cast<StripNext<Values...>>(call[1].code)(call + 1, at, values...);
  }
#endif

  static StripCode choose(LoopPath path) {
#if defined(__x86_64__)
    if (path == LoopPath::Avx512)
      return reinterpret_cast<StripCode>(
          static_cast<StripFunction<typename Wide<T, 64>::Native>>(&avx512));
    if (path == LoopPath::Avx2)
      return reinterpret_cast<StripCode>(
          static_cast<StripFunction<typename Wide<T, 32>::Native>>(&avx2));
#endif
    return reinterpret_cast<StripCode>(
        static_cast<StripFunction<typename Wide<T, 16>::Native>>(&portable));
  }
};

// The kit of an element type of 4 or 8 bytes. `path` is one that the processor has.
template <typename T>
const StripKit* strip_kit(LoopPath path);

template <typename F, typename L>
StripOp strip_op(LoopPath path) {
  using T = typename L::Value;
  StripOp op;
  op.kit = strip_kit<T>(path);
  const auto add = [&]<StripForm kForm>(std::integral_constant<StripForm, kForm>) {
    op.forms[size_t(kForm)] = StripVariants<StripFunctor<F, L, kForm>, T>::choose(path);
  };
  using enum StripForm;
  add(std::integral_constant<StripForm, Alone>());
  if constexpr (F::kArity == 2) {
    add(std::integral_constant<StripForm, BeforeArray>());
    add(std::integral_constant<StripForm, AfterArray>());
    add(std::integral_constant<StripForm, BeforeScalar>());
    add(std::integral_constant<StripForm, AfterScalar>());
  }
  return op;
}

}  // namespace pallasite
