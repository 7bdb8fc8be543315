"""Writes the polynomials of the vector functions (numerics/vector_math_coefficients.h and, for those in
f32, numerics/vector_math_float_coefficients.h).

Each is the interpolation at Chebyshev nodes, in 60 digits, which is within a bit of the best
polynomial of its degree. Where an f32 one has a weight it is the best polynomial, by Lawson's
method, for that weight, and each coefficient makes up for the rounding of those before it.
Needs mpmath and numpy: python -m pip install mpmath numpy.
"""

import pathlib
import struct
import subprocess
import textwrap

import numpy
from mpmath import mp, mpf

mp.dps = 60
FLOAT_OUTPUT = pathlib.Path("src/pallasite/numerics/vector_math_float_coefficients.h")
OUTPUT = pathlib.Path("src/pallasite/numerics/vector_math_coefficients.h")


def fit(function, low, high, degree):
  """Coefficients, lowest power first, and the largest relative error."""
  low, high = mpf(low), mpf(high)
  middle, half = (low + high) / 2, (high - low) / 2
  nodes = [
    middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)
  ]
  # Newton's divided differences, expanded to powers.
  table = [function(x) for x in nodes]
  newton = [table[0]]
  for level in range(1, degree + 1):
    table = [
      (table[i + 1] - table[i]) / (nodes[i + level] - nodes[i]) for i in range(len(table) - 1)
    ]
    newton.append(table[0])
  powers = [mpf(0)]
  for value, node in zip(reversed(newton), reversed(nodes), strict=True):
    shifted = [mpf(0), *powers]
    for i, power in enumerate(powers):
      shifted[i] -= node * power
    shifted[0] += value
    powers = shifted
  powers = [float(p) for p in powers[: degree + 1]]
  error = mpf(0)
  for k in range(401):
    x = middle + half * mp.cos(mp.pi * k / 400)
    true = function(x)
    error = max(error, abs(mp.polyval([mpf(p) for p in reversed(powers)], x) / true - 1))
  return powers, error


def fit_weighted(function, weight, low, high, degree):
  """f32 coefficients, lowest power first, and the largest error times the weight."""
  points, largest = 400, max(abs(low), abs(high))
  x = (low + high) / 2 + (high - low) / 2 * numpy.cos(numpy.pi * numpy.arange(points) / (points - 1))
  weights = numpy.array([float(weight(mpf(v))) for v in x])
  rest = numpy.array([float(function(mpf(v))) for v in x])
  terms = (x[:, None] / largest) ** numpy.arange(degree + 1) * weights[:, None]
  powers = []
  for power in range(degree + 1):
    value = lawson(terms[:, power:], rest * weights)[0] / float(largest) ** power
    powers.append(single(value))
    rest = rest - powers[-1] * x**power
  return powers, mpf(numpy.abs(rest * weights).max())


def lawson(terms, values):
  """Factors of the columns of `terms` for the smallest largest difference of the sum to `values`."""
  shares = numpy.full(len(values), 1 / len(values))
  best, best_error = None, numpy.inf
  for _ in range(400):
    roots = numpy.sqrt(shares)
    factors = numpy.linalg.lstsq(terms * roots[:, None], values * roots, rcond=None)[0]
    errors = numpy.abs(terms @ factors - values)
    if errors.max() < best_error:
      best, best_error = factors, errors.max()
    shares = shares * (errors / errors.max() + 1e-3)
    shares /= shares.sum()
  return best


def limit(function, value_at_zero):
  """The function, with the value of its limit at 0."""
  return lambda x: mpf(value_at_zero) if abs(x) < mpf(10) ** -25 else function(x)


def erf_over_x(t):
  t = t + ERF_CENTER
  return 2 / mp.sqrt(mp.pi) if t < mpf(10) ** -25 else mp.erf(mp.sqrt(t)) / mp.sqrt(t)


def erfcx(u):
  x = ERFCX_SCALE * (1 + u) / (1 - u)
  return mp.exp(x * x) * mp.erfc(x)


def erf_inv_over_x(w):
  """erf_inv(x) / x by w = -log(1 - x * x)."""
  if w < mpf(10) ** -25:
    return mp.sqrt(mp.pi) / 2
  x = mp.sqrt(-mp.expm1(-w))
  # 1 - x without cancellation.
  complement = mp.exp(-w) / (1 + x)
  guess = mp.erfinv(x) if w < 8 else mp.sqrt(w)
  return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(complement), guess) / x


def bessel_tail(order):
  def function(inverse):
    if inverse < mpf(10) ** -25:
      return 1 / mp.sqrt(2 * mp.pi)
    x = 1 / inverse
    return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)

  return function


ROOT = mp.sqrt(mpf(1) / 2)
ERF_CENTER = mpf(8)
ERFCX_SCALE = mpf(3)
LN2_HALF = mp.log(2) / 2 + mpf(2) ** -12
QUARTER = (mp.pi / 4 + mpf(2) ** -20) ** 2

FITS = [
  ("kExp2", "(2^r - 1) / r for |r| <= 1/2",
   limit(lambda r: (mpf(2) ** r - 1) / r, mp.log(2)), -0.5, 0.5, 6),
  ("kExp2Precise", "the same to the last bits of f64",
   limit(lambda r: (mpf(2) ** r - 1) / r, mp.log(2)), -0.5, 0.5, 12),
  ("kLog", "log(1 + f) / f for 1 + f from sqrt(1/2) to sqrt(2)",
   limit(lambda f: mp.log1p(f) / f, 1), ROOT - 1, 2 * ROOT - 1, 12),
  ("kLogPrecise", "atanh(s) / s by s * s, for s = f / (2 + f) and f as above",
   limit(lambda t: mp.atanh(mp.sqrt(t)) / mp.sqrt(t), 1), 0, ((ROOT * 2 - 1) / (1 + ROOT * 2)) ** 2, 9),
  ("kSin", "(sin(r) / r - 1) / r^2 by r * r, for |r| <= pi/4",
   limit(lambda t: (mp.sin(mp.sqrt(t)) / mp.sqrt(t) - 1) / t, -mpf(1) / 6), 0, QUARTER, 3),
  ("kCos", "(cos(r) - 1) / r^2 by r * r, for |r| <= pi/4",
   limit(lambda t: (mp.cos(mp.sqrt(t)) - 1) / t, -mpf(1) / 2), 0, QUARTER, 4),
  ("kAtan", "atan(z) / z by z * z, for |z| <= 1",
   limit(lambda t: mp.atan(mp.sqrt(t)) / mp.sqrt(t), 1), 0, 1, 12),
  ("kErf", "erf(x) / x by x * x - 8, for |x| <= 4", erf_over_x, -ERF_CENTER, ERF_CENTER, 18),
  ("kErfcx", "exp(x * x) * erfc(x) by (x - 3) / (x + 3), for 0 <= x <= 10.5",
   erfcx, -1, mpf(7.5) / mpf(13.5), 14),
  ("kErfInvCenter", "erf_inv(x) / x by w - 2.5, for w = -log(1 - x * x) <= 5",
   lambda v: erf_inv_over_x(v + mpf(5) / 2), -2.5, 2.5, 12),
  ("kErfInvTail", "the same by sqrt(w) - 3.25, for w from 5 to 18",
   lambda v: erf_inv_over_x((v + mpf(13) / 4) ** 2), mp.sqrt(5) - mpf(13) / 4, 1, 14),
  ("kBesselI0Center", "I0(x) * exp(-x) by x - 4, for 0 <= x <= 8",
   lambda v: mp.besseli(0, v + 4) * mp.exp(-v - 4), -4, 4, 20),
  ("kBesselI0Tail", "I0(x) * exp(-x) * sqrt(x) by 1 / x, for x >= 8", bessel_tail(0), 0, 0.125, 9),
  ("kBesselI1Center", "I1(x) * exp(-x) / x by x - 4, for 0 <= x <= 8",
   lambda v: limit(lambda x: mp.besseli(1, x) * mp.exp(-x) / x, 0.5)(v + 4), -4, 4, 20),
  ("kBesselI1Tail", "I1(x) * exp(-x) * sqrt(x) by 1 / x, for x >= 8", bessel_tail(1), 0, 0.125, 9),
]


def erf_center(t):
  t = t + mpf(3) / 4
  return 2 / mp.sqrt(mp.pi) - 1 if t < mpf(10) ** -25 else mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1


def root(function, value_at_zero):
  """The function of sqrt(t), by t."""
  return limit(lambda t: function(mp.sqrt(t)), value_at_zero)


# The largest angle that is left, with what its own rounding adds.
ANGLE = 0.795**2
# Beyond ln(2) / 2, as the whole number is rounded too.
HALF_LN2 = float(mp.log(2) / 2) * 1.002
ERF_CENTER_END, ERF_TAIL_MIDDLE, ERF_END = 1.46, 2.69, 3.92
# Of 1 - x * guess^2 in vector_math_float::rsqrt.
RSQRT = 0.0682

# With a weight after the meaning: the best polynomial for it, that is for the relative error of
# what is computed from the polynomial.
FLOAT_FITS = [
  ("kExp", "(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, by the error of exp(r) - 1",
   limit(lambda r: r**2 / mp.expm1(r), 0),
   limit(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -HALF_LN2, HALF_LN2, 4),
  ("kExpWide", "(exp(r) - 1 - r) / r^2 for |r| <= ln(2), by the error of exp(r)",
   lambda r: r**2 / mp.exp(r),
   limit(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -2 * HALF_LN2, 2 * HALF_LN2, 5),
  ("kExpTwice", "((1 - exp(-2 * r)) / 2 - r) / r^2 for |r| <= ln(2) / 4, by the error of 1 - exp(-2 * r)",
   limit(lambda r: r**2 * -2 / mp.expm1(-2 * r), 0),
   limit(lambda r: (mp.expm1(-2 * r) / -2 - r) / r**2, -1), -HALF_LN2 / 2, HALF_LN2 / 2, 4),
  ("kExp2", "(2^r - 1) / r for |r| <= 1, by the error of 2^r",
   lambda r: r / mpf(2) ** r,
   limit(lambda r: (mpf(2) ** r - 1) / r, mp.log(2)), -1.0001, 1.0001, 6),
  ("kLog", "(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)", None,
   limit(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, mpf(1) / 3), ROOT - 1, 2 * ROOT - 1, 8),
  ("kAtan", "(atan(z) / z - 1) / z^2 by z * z, for |z| <= 1", None,
   limit(lambda t: (mp.atan(mp.sqrt(t)) / mp.sqrt(t) - 1) / t, -mpf(1) / 3), 0, 1, 8),
  ("kErfCenter", "erf(x) / x - 1 by x * x - 0.75, for |x| <= 1.46, by the error of erf(x)",
   lambda t: 1 / (1 + erf_center(t)), erf_center, -0.75, ERF_CENTER_END**2 - 0.7499, 7),
  ("kErfTail", "erf(x) by x - 2.69, for x from 1.46 to 3.92; the end, which is to be rounded to 1, counts four times",
   lambda v: mpf(4 if v + ERF_TAIL_MIDDLE > ERF_END - 0.08 else 1),
   lambda v: mp.erf(v + single(ERF_TAIL_MIDDLE)),
   ERF_CENTER_END - ERF_TAIL_MIDDLE, ERF_END - ERF_TAIL_MIDDLE, 10),
  ("kSin", "(sin(r) / r - 1) / r^2 by r * r, for |r| <= pi / 4, by the error of sin(r)",
   root(lambda r: r**3 / mp.sin(r), 0), root(lambda r: (mp.sin(r) / r - 1) / r**2, -mpf(1) / 6), 0, ANGLE, 2),
  ("kCos", "(cos(r) - 1) / r^2 by r * r, for |r| <= pi / 4, by the error of cos(r)",
   root(lambda r: r**2 / mp.cos(r), 0), root(lambda r: (mp.cos(r) - 1) / r**2, -mpf(1) / 2), 0, ANGLE, 2),
  ("kRsqrt", "(1 / sqrt(1 - e) - 1) / e for |e| <= 0.0682, by the error of 1 / sqrt(1 - e)",
   lambda e: e * mp.sqrt(1 - e),
   limit(lambda e: (1 / mp.sqrt(1 - e) - 1) / e, 0.5), -RSQRT, RSQRT, 3),
]


def single(value):
  """The f32 next to a float."""
  return struct.unpack("f", struct.pack("f", value))[0]


def write(output, namespace, element, fits):
  lines = [
    "// Polynomials of the vector functions, lowest power first. Written by tools/fit_vector_math.py.",
    "#pragma once",
    "",
    f"namespace pallasite::{namespace} {{",
  ]
  suffix = "f" if element == "float" else ""
  for name, meaning, weight, *arguments in fits:
    powers, error = fit_weighted(arguments[0], weight, *arguments[1:]) if weight else fit(*arguments)
    bits = float(mp.log(error, 2)) if error else -999.0
    print(f"{name:18} degree {len(powers) - 1:2}  2^{bits:.1f}")
    lines += ["", *textwrap.wrap(f"{meaning}; relative error 2^{bits:.1f}.", 100, initial_indent="// ", subsequent_indent="// ")]
    lines += [f"inline constexpr {element} {name}[] = {{"]
    lines += [f"    {(single(p) if suffix else p).hex()}{suffix}," for p in powers]
    lines[-1] = lines[-1][:-1] + "};"
  lines += ["", f"}}  // namespace pallasite::{namespace}", ""]
  output.write_text("\n".join(lines))
  subprocess.run(["clang-format-14", "-i", output], check=True)


def main():
  write(OUTPUT, "vector_math", "double", [(*fits[:2], None, *fits[2:]) for fits in FITS])
  write(FLOAT_OUTPUT, "vector_math_float", "float", FLOAT_FITS)


if __name__ == "__main__":
  main()
