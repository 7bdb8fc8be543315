"""Runs a function of arrays inside a kernel, and as XLA runs it on a CPU."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite


def kernel_of(function, *arrays):
  """A kernel of one thread that stores what the function gives for its inputs. Its grid has one
  axis, `x`, of size 1."""
  with_axis = jax.vmap(function, axis_name="x", axis_size=1, in_axes=None)
  shapes = [
    jax.ShapeDtypeStruct(s.shape[1:], s.dtype)
    for s in jax.tree.leaves(jax.eval_shape(with_axis, *arrays))
  ]

  def body(*refs):
    inputs, outputs = refs[: len(arrays)], refs[len(arrays) :]
    results = jax.tree.leaves(function(*(ref[...] for ref in inputs)))
    for output, result in zip(outputs, results, strict=True):
      output[...] = result

  return plgpu.kernel(body, out_type=shapes, grid=(1,), grid_names=("x",))


def run(function, *arrays):
  """The arrays that the function gives inside a kernel."""
  arrays = [jnp.asarray(a) for a in arrays]
  report = pallasite.check(kernel_of(function, *arrays), *arrays, checks="none")
  assert report.verdict == "clean", [f.message for f in report.findings]
  return [np.asarray(output) for output in report.outputs]


def expected(function, *arrays):
  """The same as XLA gives them."""
  return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arrays))]


def assert_same(function, *arrays, ulps=0):
  """Equal bits, but for the bits of NaNs; or within so many units in the last place."""
  ours, theirs = run(function, *arrays), expected(function, *arrays)
  assert len(ours) == len(theirs)
  for mine, other in zip(ours, theirs):
    assert mine.shape == other.shape and mine.dtype == other.dtype
    assert_close(mine, other, ulps)


def assert_close(mine, other, ulps=0):
  if not jnp.issubdtype(mine.dtype, jnp.floating):
    np.testing.assert_array_equal(mine, other)
    return
  wide = np.float64
  a, b = mine.astype(wide), other.astype(wide)
  if ulps == 0:
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(a)])
    return
  unit = float(jnp.finfo(mine.dtype).eps)
  scale = np.max(np.abs(b[np.isfinite(b)]), initial=0.0)
  np.testing.assert_allclose(a, b, rtol=ulps * unit, atol=ulps * unit * min(scale, 1.0))


def primitives_in(function, *arrays):
  """Names of all primitives in the jaxpr of a function, inner ones included."""
  found = set()

  def visit(jaxpr):
    for eqn in jaxpr.eqns:
      found.add(eqn.primitive)
      for value in eqn.params.values():
        for inner in jax.tree.leaves(value, is_leaf=lambda v: hasattr(v, "eqns") or hasattr(v, "jaxpr")):
          inner = getattr(inner, "jaxpr", inner)
          if hasattr(inner, "eqns"):
            visit(inner)

  visit(jax.make_jaxpr(function)(*arrays).jaxpr)
  return found
