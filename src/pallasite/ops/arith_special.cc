// Special functions, most of them one element at a time in f64: nobody computes them in a kernel's
// inner loop, and their digits come from a library.
#include "pallasite/numerics/special_functions.h"
#include "pallasite/numerics/vector_math.h"
#include "pallasite/ops/real_functor.h"

namespace pallasite {
namespace {

template <int kOperands>
struct Special : Real<kOperands> {
  template <typename L>
  static constexpr bool kVector = false;
};

#define PALLASITE_SPECIAL_FUNCTOR(functor, arity, function)            \
  struct functor : Special<arity> {                                    \
    template <typename L, typename... T>                               \
    static typename L::Value apply(T... operands) {                    \
      return round_to_lane<L>(special::function(double(operands)...)); \
    }                                                                  \
  }
PALLASITE_SPECIAL_FUNCTOR(Lgamma, 1, lgamma);
PALLASITE_SPECIAL_FUNCTOR(Digamma, 1, digamma);
PALLASITE_SPECIAL_FUNCTOR(Polygamma, 2, polygamma);
PALLASITE_SPECIAL_FUNCTOR(Zeta, 2, zeta);
PALLASITE_SPECIAL_FUNCTOR(Igamma, 2, igamma);
PALLASITE_SPECIAL_FUNCTOR(Igammac, 2, igammac);
PALLASITE_SPECIAL_FUNCTOR(IgammaGradA, 2, igamma_grad_a);
PALLASITE_SPECIAL_FUNCTOR(RandomGammaGrad, 2, random_gamma_grad);
PALLASITE_SPECIAL_FUNCTOR(RegularizedIncompleteBeta, 3, regularized_incomplete_beta);
#undef PALLASITE_SPECIAL_FUNCTOR

struct ErfInv : Real<1> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (kDouble<T>) {
      return special::erf_inv(x);
    } else {
      const T limit = std::fabs(x) == 1 ? std::copysign(std::numeric_limits<T>::infinity(), x)
                                        : std::numeric_limits<T>::quiet_NaN();
      const T result = round_to_lane<L>(vector_math::erf_inv(x));
      return std::fabs(x) < 1 ? result : keep_nan(x, limit);
    }
  }
};

struct BesselI0e : Real<1> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (kDouble<T>) {
      return special::bessel_i0e(x);
    } else {
      return keep_nan(x, round_to_lane<L>(vector_math::bessel_i0e(x)));
    }
  }
};

struct BesselI1e : Real<1> {
  template <typename L, typename T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (kDouble<T>) {
      return special::bessel_i1e(x);
    } else {
      return keep_nan(x, round_to_lane<L>(vector_math::bessel_i1e(x)));
    }
  }
};

}  // namespace

extern const OpDef kArithErfInv = elementwise_op<ErfInv>({
    .name = "arith.erf_inv",
    .primitives = {"erf_inv"},
    .help = "Inverse of the error function. Infinite at -1 and 1, NaN beyond.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.erf_inv", "f32"),
    .source = "jax.lax.erf_inv",
});

extern const OpDef kArithBesselI0e = elementwise_op<BesselI0e>({
    .name = "arith.bessel_i0e",
    .primitives = {"bessel_i0e"},
    .help = "Modified Bessel function of order 0, times exp(-|x|).",
    .example = PALLASITE_UNARY_EXAMPLE("arith.bessel_i0e", "f32"),
    .source = "jax.lax.bessel_i0e",
});

extern const OpDef kArithBesselI1e = elementwise_op<BesselI1e>({
    .name = "arith.bessel_i1e",
    .primitives = {"bessel_i1e"},
    .help = "Modified Bessel function of order 1, times exp(-|x|).",
    .example = PALLASITE_UNARY_EXAMPLE("arith.bessel_i1e", "f32"),
    .source = "jax.lax.bessel_i1e",
});

extern const OpDef kArithLgamma = elementwise_op<Lgamma>({
    .name = "arith.lgamma",
    .primitives = {"lgamma"},
    .help = "Logarithm of the magnitude of the gamma function. Infinite at 0, at negative whole "
            "numbers and at infinity.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.lgamma", "f32"),
    .source = "jax.lax.lgamma",
});

extern const OpDef kArithDigamma = elementwise_op<Digamma>({
    .name = "arith.digamma",
    .primitives = {"digamma"},
    .help = "Derivative of lgamma. Minus infinity at 0, NaN at negative whole numbers.",
    .example = PALLASITE_UNARY_EXAMPLE("arith.digamma", "f32"),
    .source = "jax.lax.digamma",
});

extern const OpDef kArithPolygamma = elementwise_op<Polygamma>({
    .name = "arith.polygamma",
    .primitives = {"polygamma"},
    .help = "Derivative of digamma: the first element says which, 0 for digamma itself. NaN for "
            "one that is not a whole number.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.polygamma", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.polygamma",
});

extern const OpDef kArithZeta = elementwise_op<Zeta>({
    .name = "arith.zeta",
    .primitives = {"zeta"},
    .help = "Hurwitz zeta function: the sum of (y + k)^-x over k from 0 on. Infinite at x = 1, NaN "
            "below.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.zeta", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.zeta",
});

extern const OpDef kArithIgamma = elementwise_op<Igamma>({
    .name = "arith.igamma",
    .primitives = {"igamma"},
    .help = "Regularised lower incomplete gamma function of a (first) and x.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.igamma", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.igamma",
});

extern const OpDef kArithIgammac = elementwise_op<Igammac>({
    .name = "arith.igammac",
    .primitives = {"igammac"},
    .help = "Regularised upper incomplete gamma function: 1 - igamma, to all digits.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.igammac", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.igammac",
});

extern const OpDef kArithIgammaGradA = elementwise_op<IgammaGradA>({
    .name = "arith.igamma_grad_a",
    .primitives = {"igamma_grad_a"},
    .help = "Derivative of igamma by its first operand.",
    .example = PALLASITE_BINARY_EXAMPLE("arith.igamma_grad_a", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.igamma_grad_a",
});

extern const OpDef kArithRandomGammaGrad = elementwise_op<RandomGammaGrad>({
    .name = "arith.random_gamma_grad",
    .primitives = {"random_gamma_grad"},
    .help = "Derivative of a sample of the gamma distribution (second) by the parameter a (first).",
    .example = PALLASITE_BINARY_EXAMPLE("arith.random_gamma_grad", "f32", "f32(2.0)", "f32"),
    .source = "jax.lax.random_gamma_grad",
});

extern const OpDef kArithRegularizedIncompleteBeta = elementwise_op<RegularizedIncompleteBeta>({
    .name = "arith.regularized_incomplete_beta",
    .primitives = {"regularized_incomplete_beta"},
    .help = "Regularised incomplete beta function of a, b and the place x (third), from 0 to 1.",
    .example =
        PALLASITE_EXAMPLE("f32[8]",
                          "    %1 = shape.iota {dimension = 0} : f32[8]\n"
                          "    %2 = shape.broadcast_in_dim f32(0.5) {dimensions = []} : f32[8]\n"
                          "    %3 = arith.regularized_incomplete_beta %1, %2, %2 : f32[8]\n"
                          "    memory.store %0, %3\n"),
    .source = "jax.lax.betainc",
});

}  // namespace pallasite
