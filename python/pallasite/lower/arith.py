"""Elementwise arithmetic. The names are those of lax."""

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule

_PLAIN = """
add sub mul div rem and or xor not neg abs sign max min eq ne lt le gt ge
shift_left shift_right_logical shift_right_arithmetic
square one_minus_square pow sqrt rsqrt cbrt exp exp2 expm1 log log1p log2
sin cos tan asin acos atan atan2
sinh cosh tanh asinh acosh atanh logistic erf erfc erf_inv
lgamma digamma polygamma zeta igamma igammac igamma_grad_a random_gamma_grad
regularized_incomplete_beta bessel_i0e bessel_i1e floor ceil clamp select_n is_finite clz population_count nextafter
""".split()


def _check_parameters(site):
  for name in ("accuracy", "out_dtype"):
    value = site.params.get(name)
    if value is not None:
      raise UnsupportedError(f"`{site.name}` with {name}={value} is not supported")


# Operands that may have rank 0 beside arrays in the IR as well.
_SCALAR_OPERANDS = {"select_n": (0,), "clamp": (0, 2)}


def _plain(name: str):
  def convert(site):
    _check_parameters(site)
    (type,) = site.result_types
    # JAX lets scalar constants, and dims of extent 1, stand beside larger operands of an equation;
    # in the IR shapes are equal.
    operands = [
      operand if i in _SCALAR_OPERANDS.get(name, ()) else site.broadcast(operand, type.shape)
      for i, operand in enumerate(site.operands)
    ]
    return site.op(f"arith.{name}", operands)

  return convert


for _name in _PLAIN:
  rule(f"lax.{_name}")(_plain(_name))
# What differentiation adds tangents with.
rule("lax.add_any")(_plain("add"))
rule("mosaic_gpu._copysign")(_plain("copysign"))
rule("jax.add_any")(_plain("add"))


@rule("lax.reduce_precision")
def reduce_precision(site):
  attributes = {name: int(site.params[name]) for name in ("exponent_bits", "mantissa_bits")}
  return site.op("arith.reduce_precision", site.operands, attributes)


@rule("lax.integer_pow")
def integer_pow(site):
  return site.op("arith.integer_pow", site.operands, {"y": int(site.params["y"])})


@rule("lax.polynomial")
def polynomial(site):
  """Horner's rule, with a rounding after each product and sum."""
  _check_parameters(site)
  (type,) = site.result_types
  x, *coefficients = (site.broadcast(operand, type.shape) for operand in site.operands)
  total = coefficients[-1]
  for coefficient in reversed(coefficients[:-1]):
    (product,) = site.op("arith.mul", (total, x))
    (total,) = site.op("arith.add", (product, coefficient))
  return total


@rule("lax.round")
def round_(site):
  # RoundingMethod: AWAY_FROM_ZERO = 0, TO_NEAREST_EVEN = 1.
  method = {0: "away", 1: "even"}[int(site.params["rounding_method"].value)]
  return site.op("arith.round", site.operands, {"method": method})


@rule("lax.convert_element_type")
def convert_element_type(site):
  (operand,) = site.operands
  (type,) = site.result_types
  # A change of JAX's weak type only.
  if operand.type == type and operand.literal is None:
    return operand
  return site.op("arith.convert", (operand,))


@rule("lax.bitcast_convert_type")
def bitcast_convert_type(site):
  return site.op("arith.bitcast", site.operands)
