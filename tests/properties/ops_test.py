"""Kernels that evaluate every op of a kind on adversarial values of one type, against NumPy.

NumPy keeps subnormals, which XLA's CPU backend does not, and computes each op by itself. Floats of up
to 16 bits are widened to f32 and rounded once at the end, as the engine says it does.
"""

import os

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

DEEP = bool(os.environ.get("PALLASITE_DEEP"))
SMALL_FLOATS = (
  "float8_e5m2", "float8_e4m3fn", "float8_e4m3", "float8_e3m4", "float8_e4m3fnuz",
  "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float4_e2m1fn",
)
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = tuple(f"{sign}int{bits}" for bits in (2, 4, 8, 16, 32, 64) for sign in ("", "u"))
ALL = ("bool", *INTEGERS, *FLOATS, *SMALL_FLOATS)


def dtype(name):
  return np.dtype(getattr(ml_dtypes, name, None) or name)


def bits_of(name):
  if name == "bool":
    return 1
  if name == "float4_e2m1fn":
    return 4
  return dtype(name).itemsize * 8 if "float" in name else int(name.strip("uint"))


def from_codes(codes, name):
  codes = np.asarray(codes, np.uint64)
  bits = bits_of(name)
  if name == "bool":
    return codes.astype(bool)
  if "int" in name and bits < 8:
    signed = codes.astype(np.int64)
    if name[0] == "i":
      signed = np.where(signed >= 2 ** (bits - 1), signed - 2**bits, signed)
    return signed.astype(np.int8).astype(dtype(name))
  return codes.astype(f"u{dtype(name).itemsize}").view(dtype(name))


def adversarial(name, count):
  """Zeros of both signs, NaNs, infinities, subnormals, extremes, ties, small numbers, random bits."""
  bits = bits_of(name)
  if bits <= 6:
    return from_codes(np.arange(2**bits), name)
  random = np.random.default_rng(3).integers(0, 2**bits, count, np.uint64)
  if "int" in name:
    near = [c + d for c in (0, 2 ** (bits - 1), bits, bits // 2) for d in range(-3, 4)]
    near = np.array([value % 2**bits for value in near], np.uint64)
    return from_codes(np.concatenate([near, random]), name)
  values = [0, 0.5, 1, 1.5, 2, 2.5, 3, 0.1, 1 / 3, 7.5, 28, 1e-3, 240, 448, 57344, 65504, 2**23 + 1]
  with np.errstate(over="ignore"):
    codes = np.array(values).astype(dtype(name)).view(f"u{dtype(name).itemsize}").astype(np.uint64)
  half = np.uint64(2 ** (bits - 1))
  top = np.array(np.inf).astype(dtype(name)).view(f"u{dtype(name).itemsize}").astype(np.uint64)
  edges = np.array([1, 2, 3, top - 1, top, top + (1 if bits == 8 else half // 2**12)], np.uint64)
  one = codes[2]
  codes = np.concatenate([codes, edges % half, [one - 1, one + 1], random[: count // 2] % half])
  codes = np.concatenate([codes, codes | half])
  # Which payload a signalling NaN takes is left open, not that it is one.
  return from_codes(codes, name)


def pairs(name):
  values = adversarial(name, 64 if DEEP else 8)
  x, y = np.meshgrid(values, values, indexing="ij")
  return np.ascontiguousarray(x.reshape(-1)), np.ascontiguousarray(y.reshape(-1))


def evaluate(functions, inputs, outs):
  """All functions in one kernel, on arrays that it loads once."""

  def kernel(*refs):
    values = [ref[...] for ref in refs[: len(inputs)]]
    for function, out in zip(functions, refs[len(inputs) :], strict=True):
      out[...] = function(*values)

  # Division by zero and shifts out of range are meant here; tests/fail/arith has their reports.
  with pallasite.install(arch="h100", checks="none"), jax.enable_x64(True):
    call = plgpu.kernel(kernel, out_type=[jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs])
    results = jax.jit(call)(*inputs)
    return [np.asarray(result) for result in results]


def same(ours, expected):
  """Where two results are the same bits, or both NaN."""
  assert ours.dtype == expected.dtype and ours.shape == expected.shape, (ours.dtype, expected.dtype)
  equal = np.array(ours.view(f"u{ours.itemsize}") == expected.view(f"u{ours.itemsize}"))
  if ours.dtype.kind in "fV" and "int" not in ours.dtype.name:
    with np.errstate(all="ignore"):
      equal |= np.isnan(ours.astype(np.float64)) & np.isnan(expected.astype(np.float64))
  elif bits_of(ours.dtype.name) < 8 and ours.dtype != bool:
    equal = ours.astype(np.int8) == expected.astype(np.int8)
  return equal


def check_all(table, inputs, references):
  """Compares a table of (name, function) with its references and names all that differ."""
  outs = evaluate([function for _, function in table], inputs, references)
  problems = []
  for (name, _), ours, expected in zip(table, outs, references, strict=True):
    wrong = np.flatnonzero(~same(ours, expected).reshape(-1))
    if wrong.size:
      i = wrong[0]
      at = [v.reshape(-1)[i] for v in inputs] if ours.size == inputs[0].size else i
      problems.append(
        f"{name}: {wrong.size} of {ours.size}, at {at}: "
        f"{ours.reshape(-1)[i]!r}, expected {expected.reshape(-1)[i]!r}"
      )
  assert not problems, "\n".join(problems)


# ---- integers

# In int64 or uint64; what has more bits than the type wraps when it is cast back.


def _div(x, y):
  quotient = np.where(y == 0, 1, x) // np.where(y == 0, 1, y)
  rest = np.where(y == 0, 0, x) - quotient * np.where(y == 0, 1, y)
  quotient = quotient + ((rest != 0) & ((x < 0) != (y < 0)))
  return np.where(y == 0, -1 if quotient.dtype == np.int64 else 2**64 - 1, quotient)


def _rem(x, y):
  return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


def _low(value, bits):
  return value.astype(np.uint64) & np.uint64(2**bits - 1)


def _left(x, y, bits):
  amount = _low(y, bits)
  return np.where(amount < bits, _low(x, bits) << np.minimum(amount, np.uint64(63)), 0)


def _logical(x, y, bits):
  amount = _low(y, bits)
  return np.where(amount < bits, _low(x, bits) >> np.minimum(amount, np.uint64(63)), 0)


def _arithmetic(x, y, bits):
  unused = np.int64(64 - bits)
  signed = (x.astype(np.int64) << unused) >> unused
  return signed >> np.minimum(_low(y, bits), np.uint64(bits - 1)).astype(np.int64)


def _clz(x, bits):
  return np.array([bits - int(v).bit_length() for v in _low(x, bits)])


INTEGER_OPS = {
  "add": (lax.add, lambda x, y, b: x + y),
  "sub": (lax.sub, lambda x, y, b: x - y),
  "mul": (lax.mul, lambda x, y, b: x * y),
  "div": (lax.div, lambda x, y, b: _div(x, y)),
  "rem": (lax.rem, lambda x, y, b: _rem(x, y)),
  "and": (lax.bitwise_and, lambda x, y, b: x & y),
  "or": (lax.bitwise_or, lambda x, y, b: x | y),
  "xor": (lax.bitwise_xor, lambda x, y, b: x ^ y),
  "max": (lax.max, lambda x, y, b: np.maximum(x, y)),
  "min": (lax.min, lambda x, y, b: np.minimum(x, y)),
  "shift_left": (lax.shift_left, _left),
  "shift_right_logical": (lax.shift_right_logical, _logical),
  "shift_right_arithmetic": (lax.shift_right_arithmetic, _arithmetic),
  "not": (lambda x, y: lax.bitwise_not(x), lambda x, y, b: ~x),
  "neg": (lambda x, y: lax.neg(x), lambda x, y, b: 0 - x),
  "abs": (lambda x, y: lax.abs(x), lambda x, y, b: np.where(x < 0, 0 - x, x)),
  "sign": (lambda x, y: lax.sign(x), lambda x, y, b: np.sign(x)),
  "square": (lambda x, y: lax.square(x), lambda x, y, b: x * x),
  "integer_pow": (lambda x, y: lax.integer_pow(x, 5), lambda x, y, b: x * x * x * x * x),
  "clz": (lambda x, y: lax.clz(x), lambda x, y, b: _clz(x, b)),
  "population_count": (
    lambda x, y: lax.population_count(x), lambda x, y, b: np.bitwise_count(_low(x, b))
  ),
  "clamp": (
    lambda x, y: lax.clamp(lax.min(x, y), y, lax.max(x, y)), lambda x, y, b: y
  ),
  "select_n": (lambda x, y: lax.select(x < y, x, y), lambda x, y, b: np.where(x < y, x, y)),
}
TESTS = {
  "eq": (lax.eq, np.equal),
  "ne": (lax.ne, np.not_equal),
  "lt": (lax.lt, np.less),
  "le": (lax.le, np.less_equal),
  "gt": (lax.gt, np.greater),
  "ge": (lax.ge, np.greater_equal),
}


# Pairs of op and type that JAX refuses to trace. `abs` is for signed types that JAX calls wide; that
# the engine's own op takes the others is tested in C++.
NOT_IN_JAX = {("abs", name) for name in INTEGERS if name[0] == "u" or bits_of(name) < 8}


def test_what_jax_refuses_is_listed():
  refused = set()
  with jax.enable_x64(True):
    for name in INTEGERS:
      for op, (function, _) in INTEGER_OPS.items():
        try:
          jax.eval_shape(function, *[jax.ShapeDtypeStruct((4,), dtype(name))] * 2)
        except TypeError:
          refused.add((op, name))
  assert refused == NOT_IN_JAX


def test_bools():
  x, y = pairs("bool")
  table = [
    ("and", lax.bitwise_and), ("or", lax.bitwise_or), ("xor", lax.bitwise_xor), ("max", lax.max),
    ("min", lax.min), ("not", lambda x, y: lax.bitwise_not(x)),
    *((op, function) for op, (function, _) in TESTS.items()),
  ]
  references = [x & y, x | y, x ^ y, x | y, x & y, ~x, *(r(x, y) for _, r in TESTS.values())]
  check_all(table, [x, y], references)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_exact(name):
  x, y = pairs(name)
  bits, wide = bits_of(name), np.uint64 if name[0] == "u" else np.int64
  wide_x, wide_y = x.astype(wide), y.astype(wide)
  table, references = [], []
  with np.errstate(all="ignore"):
    for op, (function, reference) in INTEGER_OPS.items():
      if (op, name) in NOT_IN_JAX:
        continue
      codes = reference(wide_x, wide_y, bits).astype(wide).astype(np.uint64)
      table.append((op, function))
      references.append(from_codes(codes & np.uint64(2**bits - 1), name))
  for op, (function, reference) in TESTS.items():
    table.append((op, function))
    references.append(reference(wide_x, wide_y))
  check_all(table, [x, y], references)


# ---- floats


def _ordered(choose):
  def reference(x, y):
    value = np.where(np.isnan(x) | np.isnan(y), np.nan, choose(x, y))
    zeros = (x == 0) & (y == 0)
    negative = np.signbit(x) & np.signbit(y) if choose is np.maximum else np.signbit(x) | np.signbit(y)
    return np.where(zeros, np.where(negative, -0.0, 0.0), value).astype(x.dtype)

  return reference


def _sign(x):
  return np.where(np.isnan(x) | (x == 0), x, np.copysign(1, x)).astype(x.dtype)


def _round_away(x):
  whole = np.trunc(x)
  return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), np.copysign(whole, x))


FLOAT_OPS = {
  "add": (lax.add, np.add),
  "sub": (lax.sub, np.subtract),
  "mul": (lax.mul, np.multiply),
  "div": (lax.div, np.divide),
  "rem": (lax.rem, np.fmod),
  "max": (lax.max, _ordered(np.maximum)),
  "min": (lax.min, _ordered(np.minimum)),
  "neg": (lambda x, y: lax.neg(x), lambda x, y: -x),
  "abs": (lambda x, y: lax.abs(x), lambda x, y: np.abs(x)),
  "sign": (lambda x, y: lax.sign(x), lambda x, y: _sign(x)),
  "square": (lambda x, y: lax.square(x), lambda x, y: x * x),
  "sqrt": (lambda x, y: lax.sqrt(x), lambda x, y: np.sqrt(x)),
  "floor": (lambda x, y: lax.floor(x), lambda x, y: np.floor(x)),
  "ceil": (lambda x, y: lax.ceil(x), lambda x, y: np.ceil(x)),
  "round even": (
    lambda x, y: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), lambda x, y: np.rint(x)
  ),
  "round away": (
    lambda x, y: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    lambda x, y: _round_away(x).astype(x.dtype),
  ),
  "select_n": (lambda x, y: lax.select(x < y, x, y), lambda x, y: np.where(x < y, x, y)),
}


@pytest.mark.parametrize("name", FLOATS + SMALL_FLOATS)
def test_floats_are_rounded_once(name):
  x, y = pairs(name)
  wide = np.float64 if name == "float64" else np.float32
  table, references = [], []
  with np.errstate(all="ignore"):
    wide_x, wide_y = x.astype(wide), y.astype(wide)
    for op, (function, reference) in FLOAT_OPS.items():
      table.append((op, function))
      value = reference(wide_x, wide_y).astype(wide)
      # Of f4 it becomes a zero, whose sign is not to be that of the NaN.
      references.append(np.where(np.isnan(value), wide(np.nan), value).astype(dtype(name)))
    for op, (function, reference) in TESTS.items():
      table.append((op, function))
      references.append(reference(wide_x, wide_y))
    table.append(("is_finite", lambda x, y: lax.is_finite(x)))
    references.append(np.isfinite(wide_x))
  check_all(table, [x, y], references)


# ---- functions that are not exact: units in the last place of the result

REAL_FUNCTIONS = {
  "exp": np.exp, "exp2": np.exp2, "log": np.log, "log1p": np.log1p, "expm1": np.expm1, "sin": np.sin,
  "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "cbrt": np.cbrt,
  "rsqrt": lambda x: 1 / np.sqrt(x), "logistic": lambda x: 1 / (1 + np.exp(-x)),
}
UNITS = {"float32": 2, "float16": 1, "bfloat16": 1}


def ordered_codes(values):
  codes = values.view(f"i{values.itemsize}").astype(np.int64)
  return np.where(codes < 0, -(codes & (2 ** (8 * values.itemsize - 1) - 1)), codes)


@pytest.mark.parametrize("name", UNITS)
def test_functions_are_close(name):
  x = adversarial(name, 1024)
  outs = [np.empty(x.shape, x.dtype)] * len(REAL_FUNCTIONS)
  results = evaluate([getattr(lax, function) for function in REAL_FUNCTIONS], [x], outs)
  problems = []
  with np.errstate(all="ignore"):
    for (op, reference), ours in zip(REAL_FUNCTIONS.items(), results):
      expected = reference(x.astype(np.float64)).astype(x.dtype)
      distance = np.abs(ordered_codes(ours) - ordered_codes(expected))
      nans = np.isnan(expected.astype(np.float64))
      wrong = np.where(nans, ~np.isnan(ours.astype(np.float64)), distance > UNITS[name])
      if wrong.any():
        i = np.argmax(wrong)
        problems.append(f"{op}({x[i]!r}) = {ours[i]!r}, expected {expected[i]!r}")
  assert not problems, "\n".join(problems)


# ---- shapes, selections and reductions: every type


def moves(x, y):
  """(name, lax function, what NumPy makes of the same) on arrays of shape (6, 10)."""
  return [
    ("reshape", lambda x, y: lax.reshape(x, (4, 15)), x.reshape(4, 15)),
    ("transpose", lambda x, y: lax.transpose(x, (1, 0)), x.T),
    ("slice", lambda x, y: lax.slice(x, (1, 0), (6, 9), (2, 3)), x[1:6:2, 0:9:3]),
    ("rev", lambda x, y: lax.rev(x, (1,)), x[:, ::-1]),
    ("concatenate", lambda x, y: lax.concatenate([x, y], 1), np.concatenate([x, y], 1)),
    ("broadcast_in_dim", lambda x, y: lax.broadcast_in_dim(x, (2, 6, 10), (1, 2)), np.stack([x, x])),
    ("squeeze", lambda x, y: lax.squeeze(lax.slice(x, (2, 0), (3, 10)), (0,)), x[2]),
    ("dynamic_slice", lambda x, y: lax.dynamic_slice(x, (jnp.int32(2), jnp.int32(9)), (3, 4)), x[2:5, 6:]),
    ("select_n", lambda x, y: lax.select(lax.broadcasted_iota(jnp.int32, (6, 10), 1) < 4, x, y),
     np.where(np.arange(10) < 4, x, y)),
    ("scan carry", lambda x, y: lax.fori_loop(0, 3, lambda i, c: (c[1], c[0]), (x, y))[0], y),
    ("scalar", lambda x, y: lax.squeeze(lax.slice(x, (3, 4), (4, 5)), (0, 1)), x[3, 4].reshape(())),
    ("empty", lambda x, y: lax.slice(x, (0, 5), (6, 5)), x[:, 5:5]),
    ("rank 8", lambda x, y: lax.reshape(x, (1, 2, 3, 1, 5, 2, 1, 1)), x.reshape(1, 2, 3, 1, 5, 2, 1, 1)),
  ]


def matrices(name):
  values = adversarial(name, 40)
  random = np.random.default_rng(1)
  return [values[random.integers(0, values.size, (6, 10))] for _ in range(2)]


@pytest.mark.parametrize("name", ALL)
def test_moves_keep_every_bit(name):
  x, y = matrices(name)
  rows = moves(x, y)
  check_all(
    [(op, function) for op, function, _ in rows], [x, y],
    [np.ascontiguousarray(reference).reshape(reference.shape) for _, _, reference in rows],
  )


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_reductions(name):
  x, y = matrices(name)
  integer = "int" in name
  wide = (np.uint64 if name[0] == "u" else np.int64) if integer else x.dtype
  values = x.astype(wide)
  rows = [
    ("reduce_max", lambda x, y: lax.reduce_max(x, (0,)), np.max(values, 0)),
    ("reduce_min", lambda x, y: lax.reduce_min(x, (1,)), np.min(values, 1)),
    ("cummax", lambda x, y: lax.cummax(x, 1), np.maximum.accumulate(values, 1)),
    ("cummin", lambda x, y: lax.cummin(x, 0), np.minimum.accumulate(values, 0)),
  ]
  if integer:
    rows += [
      ("reduce_sum", lambda x, y: lax.reduce_sum(x, (0, 1)), np.sum(values)),
      ("reduce_prod", lambda x, y: lax.reduce_prod(x, (1,)), np.prod(values, 1)),
      ("cumsum", lambda x, y: lax.cumsum(x, 1), np.cumsum(values, 1)),
      ("cumprod", lambda x, y: lax.cumprod(x, 0), np.cumprod(values, 0)),
      ("cumsum reverse", lambda x, y: lax.cumsum(x, 0, reverse=True), np.cumsum(values[::-1], 0)[::-1]),
    ]
  references = []
  for _, _, reference in rows:
    reference = np.asarray(reference)
    if integer:
      codes = reference.astype(wide).astype(np.uint64) & np.uint64(2 ** bits_of(name) - 1)
      reference = from_codes(codes, name).reshape(reference.shape)
    references.append(np.ascontiguousarray(reference).reshape(reference.shape))
  argmax = ("argmax", lambda x, y: lax.argmax(x, 1, jnp.int32), np.argmax(values, 1).astype(np.int32))
  argmin = ("argmin", lambda x, y: lax.argmin(x, 0, jnp.int32), np.argmin(values, 0).astype(np.int32))
  rows += [argmax, argmin]
  references += [argmax[2], argmin[2]]
  check_all([(op, function) for op, function, _ in rows], [x, y], references)
