"""Conversions between all types, on all values of the types of up to 16 bits.

Each runs in a kernel of its own on the engine. The expected value is that of NumPy and ml_dtypes, and
for floats to integers exact arithmetic, as those leave out-of-range values open there. What differs
from them, and from XLA's CPU backend, is the lists below, which docs/numerics.md explains: a
difference that is not on a list fails, and so does an entry of a list that nothing shows.
"""

import os
import warnings

import jax
import ml_dtypes
import numpy as np
import pytest

from pallasite import engine
from pallasite.lower.types import ELEMENT_NAMES

DEEP = bool(os.environ.get("PALLASITE_DEEP"))
# Random values of a type of 32 or 64 bits.
SAMPLES = 1 << (20 if DEEP else 13)


def dtype(name):
  return np.dtype(getattr(ml_dtypes, name, None) or name)


TYPES = {name: dtype(name) for name in ELEMENT_NAMES}
INTEGERS = [name for name in TYPES if name.startswith(("int", "uint"))]
FLOATS = [name for name in TYPES if "float" in name]
WITHOUT_NAN = ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")


def bits_of(name):
  if name == "bool":
    return 1
  if name in WITHOUT_NAN:
    return int(name[5])
  return TYPES[name].itemsize * 8 if name in FLOATS else int(name.strip("uint"))


def limits(name):
  bits = bits_of(name)
  return (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def from_codes(codes, name):
  """Elements of a type from their bits."""
  bits = bits_of(name)
  if name == "bool":
    return codes.astype(bool)
  if name in INTEGERS and bits < 8:
    if name[0] == "i":
      codes = np.where(codes >= 2 ** (bits - 1), codes.astype(np.int64) - 2**bits, codes)
    return codes.astype(np.int8).astype(TYPES[name])
  return codes.astype(f"u{TYPES[name].itemsize}").view(TYPES[name])


def codes_of(values, name):
  codes = np.ascontiguousarray(values).view(f"u{TYPES[name].itemsize}")
  return codes & ((1 << bits_of(name)) - 1) if bits_of(name) < 8 else codes


def is_nan(values, name):
  if name not in FLOATS:
    return np.zeros(values.shape, bool)
  # A signalling NaN is told apart by a floating-point exception, which is not meant.
  with np.errstate(invalid="ignore"):
    return np.isnan(values.astype(np.float64))


def neighbours(values):
  """Floats and what lies next to them on both sides."""
  with np.errstate(over="ignore"):
    return np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])


def wide_inputs(name):
  """Random bits of a type of 32 or 64 bits, and values about the edges of every other type."""
  this = TYPES[name]
  random = np.random.default_rng(7)
  codes = random.integers(0, 2 ** bits_of(name), SAMPLES, np.uint64, endpoint=False)
  # Fewer bits, so that small integers and values near powers of two come up.
  codes = np.concatenate([codes, codes >> random.integers(0, bits_of(name), SAMPLES).astype(np.uint64)])
  parts = [from_codes(codes, name)]
  if name in INTEGERS:
    low, high = limits(name)
    edges = {v + d for t in INTEGERS for v in limits(t) for d in (-2, -1, 0, 1, 2)}
    # Ties of floats with a few bits less, and their neighbours.
    for kept in (2, 3, 4, 5, 8, 11, 24, 53):
      for top in range(kept + 1, 64):
        for odd in (0, 1):
          tie = ((2 ** (kept - 1) + odd) * 2 + 1) << (top - kept)
          edges |= {tie - 1, tie, tie + 1, -tie, -tie - 1, -tie + 1}
    parts.append(np.array(sorted(e for e in edges if low <= e <= high), this))
    return np.concatenate(parts)
  edges = [0.0, np.inf, np.nan]
  for t in INTEGERS:
    edges += [float(v) + d for v in limits(t) for d in (-1, -0.5, 0, 0.5, 1)]
  edges = np.array(edges, np.float64)
  with np.errstate(all="ignore"):
    for t in FLOATS:
      if bits_of(t) > 16 and t == name:
        continue
      codes = np.arange(2 ** min(bits_of(t), 16)) << max(0, bits_of(t) - 16)
      finite = from_codes(codes, t).astype(np.float64)
      finite = np.unique(finite[np.isfinite(finite)])
      halves = (finite[:-1] + finite[1:]) / 2
      step = 1 if bits_of(t) <= 8 or DEEP else 16
      top = finite[-1] + (finite[-1] - finite[-2]) * np.array([0.5, 1.0])
      edges = np.concatenate([edges, finite[::step], halves[::step], top])
    parts.append(neighbours(np.concatenate([edges, -edges]).astype(this)))
  return np.concatenate(parts)


def inputs_of(name):
  bits = bits_of(name)
  return from_codes(np.arange(2**bits), name) if bits <= 16 else wide_inputs(name)


INPUTS = {name: inputs_of(name) for name in TYPES}


def converted(source, target):
  """What a kernel makes of all inputs."""
  a, b, n = ELEMENT_NAMES[source], ELEMENT_NAMES[target], INPUTS[source].size
  text = f"""pir 1

kernel @convert {{
  grid = [1] ["x"]
  input %0 "x": ref<gmem, {a}[{n}]>
  output %1 "out": ref<gmem, {b}[{n}]>
  body {{
    %2 = memory.load %0 : {a}[{n}]
    %3 = arith.convert %2 : {b}[{n}]
    memory.store %1, %3
    control.yield
  }}
}}
"""
  (out,), report, _ = engine.run(text, [INPUTS[source]], {"on_finding": "record"})
  assert '"verdict":"clean"' in report, report
  assert out.dtype == TYPES[target]
  return out


def saturated(values, target):
  """Floats as integers: toward zero, out of range to the nearest limit, NaN to 0."""
  wide = np.trunc(np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
  low, high = limits(target)
  # Both limits are exact in f64 but for the upper ones of 64 bits, which are one below a power.
  inside = (wide >= low) & (wide < high + 1)
  kind = np.uint64 if low == 0 else np.int64
  whole = np.where(inside, wide, 0.0).astype(kind)
  whole[wide < low], whole[wide >= high + 1] = low, high
  return whole.astype(np.int8 if bits_of(target) < 8 else TYPES[target]).astype(TYPES[target])


def expected(source, target):
  with np.errstate(all="ignore"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if source in FLOATS and target in INTEGERS:
      return saturated(INPUTS[source], target)
    return INPUTS[source].astype(TYPES[target])


def differences(ours, reference, target):
  """Where two results differ. Any NaN is as good as another; its bits are tested apart."""
  return (codes_of(ours, target) != codes_of(reference, target)) & ~(
    is_nan(ours, target) & is_nan(reference, target)
  )


# Differences from ml_dtypes: (name, types, where they may be).
ML_DTYPES_DIFFERENCES = {
  # Types without a NaN. There a negative one becomes +0; here either becomes -0.
  "NaN to f4 and f6": (
    lambda source, target: source in FLOATS and target in WITHOUT_NAN,
    lambda x, source, target: is_nan(x, source),
  ),
}


def describe(source, target, rows, ours, reference):
  lines = [f"{source} to {target}: {len(rows)} of {INPUTS[source].size} differ"]
  for i in rows[:5]:
    lines.append(f"  {INPUTS[source][i]!r}: {ours[i]!r}, expected {reference[i]!r}")
  return "\n".join(lines)


def check(source, target, ours, reference, listed):
  """Fails on a difference that is not listed; returns the names of the entries that some show."""
  different = differences(ours, reference, target)
  shown = set()
  for name, (applies, where) in listed.items():
    if applies(source, target):
      excused = different & where(INPUTS[source], source, target)
      if excused.any():
        shown.add(name)
      different &= ~excused
  rows = np.flatnonzero(different)
  assert rows.size == 0, describe(source, target, rows, ours, reference)
  return shown


def test_all_pairs_are_as_in_ml_dtypes():
  shown = set()
  for source in TYPES:
    for target in TYPES:
      ours = converted(source, target)
      shown |= check(source, target, ours, expected(source, target), ML_DTYPES_DIFFERENCES)
  assert shown == set(ML_DTYPES_DIFFERENCES)


@pytest.mark.parametrize("target", FLOATS)
def test_a_nan_stays_one_with_its_sign(target):
  for source in FLOATS:
    nans = is_nan(INPUTS[source], source)
    out = converted(source, target)[nans]
    if target in WITHOUT_NAN:
      assert set(codes_of(out, target).tolist()) <= {1 << (bits_of(target) - 1)}
      continue
    assert is_nan(out, target).all(), source
    # Formats with one NaN code, or no sign, have no sign to keep.
    if target.endswith(("fnuz", "fnu")) or source.endswith(("fnuz", "fnu")):
      continue
    sign = codes_of(INPUTS[source], source)[nans] >> (bits_of(source) - 1) == 1
    np.testing.assert_array_equal(codes_of(out, target) >> (bits_of(target) - 1) == 1, sign)


# JAX has no 1-bit integers on a CPU, and XLA's own compiler ends the process on a 6-bit source.
XLA_SOURCES = [t for t in TYPES if t not in ("int1", "uint1", "float6_e2m3fn", "float6_e3m2fn")]
XLA_TARGETS = [t for t in TYPES if t not in ("int1", "uint1")]
FLUSHED = ("bfloat16", "float32", "float64")
WIDER_THAN_F32 = ("float64", "int32", "uint32", "int64", "uint64")


def magnitude(x):
  with np.errstate(all="ignore"):
    return np.abs(x.astype(np.float64))


XLA_DIFFERENCES = {
  "out of range and NaN to f6": (
    lambda source, target: target.startswith("float6"),
    lambda x, source, target: ~(magnitude(x) < (7.75 if target == "float6_e2m3fn" else 30)),
  ),
  "subnormal": (
    lambda source, target: source in FLUSHED and (target == "bool" or target in FLUSHED),
    lambda x, source, target: magnitude(x) < 2.0**-126,
  ),
  "more than 24 bits to bf16": (
    lambda source, target: source in WIDER_THAN_F32 and target == "bfloat16",
    lambda x, source, target: np.ones(x.shape, bool),
  ),
  "just above 2^-127 to e8m0": (
    lambda source, target: source in FLUSHED and target == "float8_e8m0fnu",
    lambda x, source, target: (magnitude(x) > 2.0**-127) & (magnitude(x) < 1.5 * 2.0**-127),
  ),
  "f64 below 2^-126 to e8m0": (
    lambda source, target: source == "float64" and target == "float8_e8m0fnu",
    lambda x, source, target: (x > 0) & (x < 2.0**-126),
  ),
  "e2m1 6.0 to integers": (
    lambda source, target: source == "float4_e2m1fn" and target in INTEGERS,
    lambda x, source, target: magnitude(x) == 6,
  ),
}


def test_all_pairs_are_as_in_xla_but_for_a_list():
  shown, problems = set(), []
  with jax.enable_x64(True):
    for source in XLA_SOURCES:
      x = INPUTS[source]
      outs = jax.jit(lambda x: [jax.lax.convert_element_type(x, TYPES[t]) for t in XLA_TARGETS])(x)
      for target, reference in zip(XLA_TARGETS, outs):
        ours = converted(source, target)
        try:
          shown |= check(source, target, ours, np.asarray(reference), XLA_DIFFERENCES)
        except AssertionError as error:
          problems.append(str(error).split("assert")[0])
  assert not problems, "\n".join(problems)
  assert shown == set(XLA_DIFFERENCES)
