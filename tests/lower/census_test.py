"""Every primitive that JAX makes public runs inside a kernel, or docs/unsupported.md says why not.

As a script, prints how many do.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import primitives

import pallasite
from census_cases import CASES, KERNEL_CASES
from in_kernel import assert_close, expected, kernel_of, primitives_in, run
from unsupported_page import rows

PUBLIC = sorted(name.removesuffix("_p") for name in dir(primitives) if name.endswith("_p"))
# By version of JAX, so that a census is not made of fewer names unnoticed.
PUBLIC_COUNTS = {"0.11.1": 175, "0.12.0.1": 178}

# Names listed without the family, and the only kinds of reasons.
KINDS = (
  "linear algebra", "FFT", "convolution", "gradient of a pooling", "collectives", "tokens",
  "complex numbers", "key types", "the derivative",
)


LISTED = {name: reason for names, reason in rows("Primitives of lax") for name in names}


def test_the_census_is_of_all_names():
  if jax.__version__ in PUBLIC_COUNTS:
    assert len(PUBLIC) == PUBLIC_COUNTS[jax.__version__]


@pytest.mark.parametrize("name", PUBLIC)
def test_runs_or_is_listed(name):
  has_kernel = name in CASES or name in KERNEL_CASES
  assert has_kernel or name in LISTED, f"{name} neither runs nor stands in docs/unsupported.md"


def test_no_name_is_listed_or_run_that_there_is_not():
  newer = {"log2", "one_minus_square", "polynomial"}
  assert (set(LISTED) | set(CASES) | set(KERNEL_CASES)) - newer <= set(PUBLIC)


def test_reasons_are_of_the_kinds_that_may_be_listed():
  for name, reason in LISTED.items():
    assert reason.startswith(KINDS), (name, reason)


@pytest.mark.parametrize(
  "name, number", [(name, n) for name, cases in sorted(CASES.items()) for n in range(len(cases))]
)
def test_value(name, number):
  function, arrays, ulps = CASES[name][number]
  arrays = [jnp.asarray(array) for array in arrays]
  primitive = getattr(primitives, f"{name}_p")
  assert primitive in primitives_in(kernel_of(function, *arrays), *arrays)
  if name in LISTED:
    report = pallasite.check(kernel_of(function, *arrays), *arrays, checks="none")
    assert report.verdict == "unsupported", f"{name} runs: take it off docs/unsupported.md"
    return
  ours, theirs = run(function, *arrays), expected(function, *arrays)
  assert len(ours) == len(theirs)
  for mine, other in zip(ours, theirs):
    assert mine.shape == other.shape and mine.dtype == other.dtype
    assert_close(mine, other, ulps)


@pytest.mark.parametrize("name", sorted(KERNEL_CASES))
def test_value_inside_kernels_only(name):
  function, outside, *arrays = KERNEL_CASES[name]
  arrays = [jnp.asarray(array) for array in arrays]
  primitive = getattr(primitives, f"{name}_p")
  assert primitive in primitives_in(kernel_of(function, *arrays), *arrays)
  for mine, other in zip(run(function, *arrays), expected(outside, *arrays), strict=True):
    np.testing.assert_array_equal(mine, other)


# Functions whose kernels are refused, for the names that are listed; the others of a list come to
# a kernel by the same way.
REFUSED = {
  "cholesky": lambda x: jax.lax.linalg.cholesky(x),
  "eigh": lambda x: jax.lax.linalg.eigh(x)[0],
  "householder_product": lambda x: jax.lax.linalg.householder_product(x, x[0]),
  "lu": lambda x: jax.lax.linalg.lu(x)[0],
  "qr": lambda x: jax.lax.linalg.qr(x)[0],
  "svd": lambda x: jax.lax.linalg.svd(x)[1],
  "triangular_solve": lambda x: jax.lax.linalg.triangular_solve(x, x),
  "tridiagonal_solve": lambda x: jax.lax.linalg.tridiagonal_solve(x[0], x[1], x[2], x),
  "tridiagonal": lambda x: jax.lax.linalg.tridiagonal(x)[1],
  "conv_general_dilated": lambda x: jax.lax.conv(x[None, None], x[None, None], (1, 1), "SAME"),
  "psum": lambda x: jax.lax.psum(x, "x"),
  "pmax": lambda x: jax.lax.pmax(x, "x"),
  "all_gather": lambda x: jax.lax.all_gather(x, "x"),
  "complex": lambda x: jax.lax.real(jax.lax.complex(x, x)),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_listed_is_refused_by_name(name):
  assert name in LISTED
  x = jnp.eye(4) + 1
  report = pallasite.check(kernel_of(REFUSED[name], x), x, checks="none")
  assert report.verdict == "unsupported"
  (finding,) = report.findings
  assert name in finding.message
  assert any(file == __file__ for file, _ in finding.locations)


def test_jax_itself_refuses_the_forward_derivative_of_custom_vjp():
  @jax.custom_vjp
  def function(x):
    return x * 2

  function.defvjp(lambda x: (function(x), None), lambda _, g: (g,))
  tangent = jax.linearize(function, 1.0)[1]
  assert primitives.custom_lin_p in primitives_in(tangent, 1.0)
  with pytest.raises(TypeError, match="forward-mode"):
    jax.jit(tangent)(1.0)


def test_primitives_of_pallas_are_listed_where_they_have_no_rule():
  from pallasite import lower

  listed = [name for names, _ in rows("Primitives of Pallas and Mosaic GPU") for name in names]
  assert len(listed) == len(set(listed))
  assert sorted(set(listed) & set(lower.RULES)) == []


if __name__ == "__main__":
  listed = sorted(set(LISTED) & set(PUBLIC))
  run_count = len([name for name in PUBLIC if name not in LISTED])
  print(f"JAX {jax.__version__}: {run_count} run, {len(listed)} listed, {len(PUBLIC)} in all")
