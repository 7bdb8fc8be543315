"""What a newer JAX may bring: versions, primitives and parameters that pallasite does not know."""

import contextlib
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.extend.core import Primitive

import pallasite
from pallasite import _compat
from pallasite.lower import lower_mpmd_map

ROW = jax.ShapeDtypeStruct((128,), jnp.float32)

START = """
import warnings
import jax
jax.__version__ = {version!r}
with warnings.catch_warnings(record=True) as caught:
  warnings.simplefilter("always")
  import pallasite
  with pallasite.install():
    pass
  pallasite.Params()
  from pallasite import _compat
print([str(w.message) for w in caught if "pallasite" in str(w.message)], _compat.__dict__["_VERSION"])
"""


def start(version):
  packages = os.path.dirname(os.path.dirname(pallasite.__file__))
  environment = {**os.environ, "PYTHONPATH": packages, "JAX_PLATFORMS": "cpu"}
  return subprocess.run(
    [sys.executable, "-c", START.format(version=version)], env=environment, capture_output=True,
    text=True, check=False,
  )


# The running version under another name has the adapter of the newest one, so this is for the newest.
@pytest.mark.parametrize("version, warned", [
  ("0.12.0.2", True), ("0.12.1", True), ("0.13.0", True), ("0.12.1.dev20270101", True),
  ("1.0", True), ("0.11.1", False), ("0.11.2", False), ("0.12.0", False), ("0.12.0.1", False),
])
def test_a_version_newer_than_the_tests_gives_one_warning(version, warned):
  ended = start(version)
  assert ended.returncode == 0, ended.stderr
  assert ended.stdout.count("pallasite was tested with JAX 0.11.1 to 0.12.0.1") == int(warned)
  assert (f"found {version}: " in ended.stdout) == warned


@pytest.mark.parametrize("version", ["0.10.2", "0.11.0"])
def test_an_older_version_is_refused(version):
  assert "pallasite needs JAX 0.11.1 or newer" in start(version).stderr


def equations(jaxpr):
  for eqn in jaxpr.eqns:
    yield eqn
    for value in eqn.params.values():
      inner = getattr(value, "jaxpr", value)
      if hasattr(inner, "eqns"):
        yield from equations(inner)


@contextlib.contextmanager
def with_param(params, primitive, change):
  """Within: the parameters of the equations of a primitive are changed. JAX keeps equations."""
  (jaxpr,) = params["jaxprs"]
  changed = [
    (eqn.params, dict(eqn.params))
    for eqn in equations(_compat.open_jaxpr(jaxpr)[0])
    if eqn.primitive.name.removesuffix("_p") == primitive
  ]
  assert changed, primitive
  for own, _ in changed:
    change(own)
  try:
    yield
  finally:
    for own, before in changed:
      own.clear()
      own.update(before)


def loading(x_ref, out_ref):
  y = jnp.exp(x_ref[...])
  y = jax.lax.broadcast_in_dim(y[0], (128,), ()) + jnp.sum(y) + jax.lax.iota(jnp.float32, 128)
  y = jax.lax.fori_loop(0, 2, lambda i, y: y + jax.lax.axis_index("x") + i, y)
  out_ref[...] = jnp.where(y > 0, y, jax.lax.reshape(y, (128,)))


def kernel_params(body):
  """The parameters of the equation that a kernel becomes."""
  call = plgpu.kernel(body, out_type=ROW, grid=(1,), grid_names=("x",))
  found = [
    eqn.params
    for eqn in equations(jax.make_jaxpr(call)(jnp.zeros(128)).jaxpr)
    if eqn.primitive is _compat.mpmd_map_p
  ]
  (params,) = found
  return params


KNOWN = sorted({
  eqn.primitive.name.removesuffix("_p")
  for eqn in equations(_compat.open_jaxpr(kernel_params(loading)["jaxprs"][0])[0])
})


def test_the_kernel_of_this_test_has_many_primitives():
  assert {"exp", "scan", "run_scoped", "get", "swap", "axis_index"} <= set(KNOWN), KNOWN
  assert lower_mpmd_map(kernel_params(loading), 1).text


@pytest.mark.parametrize("primitive", KNOWN)
def test_an_unknown_parameter_is_unsupported_by_name_and_line(primitive):
  params = kernel_params(loading)
  with with_param(params, primitive, lambda p: p.update(rounding="up")):
    with pytest.raises(pallasite.UnsupportedError) as raised:
      lower_mpmd_map(params, 1)
  text = f"`{primitive}` with the unknown parameter rounding=up is not supported"
  assert raised.value.summary == text
  assert raised.value.location[0] == __file__


@pytest.mark.parametrize("primitive", KNOWN)
def test_an_unknown_parameter_that_says_nothing_is_no_matter(primitive):
  params = kernel_params(loading)
  plain = lower_mpmd_map(params, 1).text
  for value in (None, False, ()):
    with with_param(params, primitive, lambda p: p.update(rounding=value)):
      assert lower_mpmd_map(params, 1).text == plain


@pytest.mark.parametrize("primitive", KNOWN)
def test_a_parameter_that_is_gone_is_no_internal_error(primitive):
  params, names = kernel_params(loading), set()
  with with_param(params, primitive, names.update):
    pass
  for name in sorted(names):
    with with_param(params, primitive, lambda p: p.pop(name, None)):
      try:
        lower_mpmd_map(params, 1)
      except pallasite.UnsupportedError as error:
        assert f"`{primitive}`" in error.summary and f"`{name}`" in error.summary
        assert error.location is not None


@pytest.mark.parametrize("name, value", [("rounding", "up"), ("external_meshes", (1,))])
def test_an_unknown_parameter_of_the_call_is_unsupported(name, value):
  params = {**kernel_params(loading), name: value}
  with pytest.raises(pallasite.UnsupportedError, match="is not supported") as raised:
    lower_mpmd_map(params, 1)
  assert raised.value.location[0] == __file__


def test_a_primitive_that_nobody_knows_is_unsupported_by_name_and_line():
  fake = Primitive("teleport")
  fake.def_abstract_eval(lambda aval: aval)

  def body(x_ref, out_ref):
    out_ref[...] = fake.bind(x_ref[...])

  with pytest.raises(pallasite.UnsupportedError, match="primitive `teleport`") as raised:
    lower_mpmd_map(kernel_params(body), 1)
  assert raised.value.location == (__file__, body.__code__.co_firstlineno + 1)
  assert "no rule in JAX's Mosaic GPU lowering either" in str(raised.value)


def test_what_fails_under_a_newer_version_is_unsupported(monkeypatch):
  params = kernel_params(loading)
  # An object of another shape than a rule expects.
  with with_param(params, "scan", lambda p: p.update(ft_in=None)):
    with pytest.raises(AttributeError):
      lower_mpmd_map(params, 1)
    monkeypatch.setattr(_compat, "is_known_jax", False)
    with pytest.raises(pallasite.UnsupportedError, match="primitive `scan` is not as") as raised:
      lower_mpmd_map(params, 1)
  assert raised.value.location[0] == __file__
  params = {**kernel_params(loading), "input_output_aliases": 3}
  with pytest.raises(pallasite.UnsupportedError, match="is not as pallasite knows it") as raised:
    lower_mpmd_map(params, 1)
  assert raised.value.location[0] == __file__
