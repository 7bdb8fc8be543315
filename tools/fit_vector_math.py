"""Writes the polynomials of the vector functions (numerics/vector_math_coefficients.h and, for those in
f32, numerics/vector_math_float_coefficients.h).

Each is the interpolation at Chebyshev nodes, in 60 digits, which is within a bit of the best
polynomial of its degree. Needs mpmath: python -m pip install mpmath.
"""

import pathlib
import struct
import subprocess

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


FLOAT_FITS = [
  ("kExp", "(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2",
   limit(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -LN2_HALF, LN2_HALF, 4),
  ("kExp2", "(2^r - 1) / r for |r| <= 1/2",
   limit(lambda r: (mpf(2) ** r - 1) / r, mp.log(2)), -0.5, 0.5, 5),
  ("kLog", "(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)",
   limit(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, mpf(1) / 3), ROOT - 1, 2 * ROOT - 1, 8),
  ("kAtan", "(atan(z) / z - 1) / z^2 by z * z, for |z| <= 1",
   limit(lambda t: (mp.atan(mp.sqrt(t)) / mp.sqrt(t) - 1) / t, -mpf(1) / 3), 0, 1, 8),
  ("kTanh", "(tanh(x) / x - 1) / x^2 by x * x, for |x| <= 0.55",
   limit(lambda t: (mp.tanh(mp.sqrt(t)) / mp.sqrt(t) - 1) / t, -mpf(1) / 3), 0, mpf(121) / 400, 4),
  ("kErfCenter", "erf(x) / x - 1 by x * x, for |x| <= 1",
   limit(lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1, 2 / mp.sqrt(mp.pi) - 1), 0, 1, 7),
  ("kErfTail", "log(1 - erf(x)) by x - 2.5, for x from 1 to 4",
   lambda v: mp.log(mp.erfc(v + mpf(5) / 2)), -1.5, 1.5, 9),
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
  for name, meaning, *arguments in fits:
    powers, error = fit(*arguments)
    bits = float(mp.log(error, 2)) if error else -999.0
    print(f"{name:18} degree {len(powers) - 1:2}  2^{bits:.1f}")
    lines += ["", f"// {meaning}; relative error 2^{bits:.1f}.", f"inline constexpr {element} {name}[] = {{"]
    lines += [f"    {(single(p) if suffix else p).hex()}{suffix}," for p in powers]
    lines[-1] = lines[-1][:-1] + "};"
  lines += ["", f"}}  // namespace pallasite::{namespace}", ""]
  output.write_text("\n".join(lines))
  subprocess.run(["clang-format-14", "-i", output], check=True)


def main():
  write(OUTPUT, "vector_math", "double", FITS)
  write(FLOAT_OUTPUT, "vector_math_float", "float", FLOAT_FITS)


if __name__ == "__main__":
  main()
