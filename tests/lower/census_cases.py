"""A small kernel for each primitive of `jax.extend.core.primitives`: functions whose jaxpr holds it."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.extend.core import primitives
from jax.extend.random import threefry_2x32
from jax.sharding import PartitionSpec

X = np.linspace(-2.9, 3.1, 24, dtype=np.float32).reshape(4, 6)
UNIT = np.linspace(0.05, 0.95, 24, dtype=np.float32).reshape(4, 6)
ABOVE = np.linspace(1.1, 9.0, 24, dtype=np.float32).reshape(4, 6)
I = (np.arange(24, dtype=np.int32).reshape(4, 6) * 7919) % 101 - 50
B = I % 3 == 0
WHERE = np.array([[3], [9], [-1], [0]], np.int32)
SEED = np.array([7], np.int32)
NAN = np.array([1, np.nan, -0.0, 0.0, -np.inf, 2, np.inf, -np.nan], np.float32)

# Name without `_p` -> (function, arrays, units in the last place that XLA may differ by).
CASES: dict = {}


def case(name, function, *arrays, ulps=0):
  CASES.setdefault(name, []).append((function, arrays, ulps))


# ---- elementwise

for _name in "abs ceil floor neg sign sqrt square round is_finite".split():
  case(_name, getattr(lax, _name), np.abs(X) if _name == "sqrt" else X)
for _name in "exp exp2 expm1 sin cos tan tanh logistic erf erfc sinh cosh asinh atan".split():
  case(_name, getattr(lax, _name), X, ulps=16)
for _name in "log log1p log2 cbrt rsqrt".split():
  if hasattr(lax, _name):
    case(_name, getattr(lax, _name), ABOVE, ulps=16)
for _name in "acos asin atanh erf_inv one_minus_square".split():
  if hasattr(lax, _name):
    case(_name, getattr(lax, _name), UNIT, ulps=16)
case("acosh", lax.acosh, ABOVE, ulps=16)
for _name in "bessel_i0e bessel_i1e digamma lgamma".split():
  case(_name, getattr(lax, _name), ABOVE, ulps=64)
for _name in "igamma igammac zeta polygamma".split():
  first = np.round(ABOVE) if _name == "polygamma" else ABOVE
  case(_name, getattr(lax, _name), first, ABOVE[::-1] + 0.5, ulps=512)
case("igamma_grad_a", lax.igamma_grad_a, ABOVE, ABOVE[::-1], ulps=2048)
case("regularized_incomplete_beta", lax.betainc, ABOVE, ABOVE[::-1], UNIT, ulps=512)
for _name in "add sub mul div rem max min".split():
  case(_name, getattr(lax, _name), X, ABOVE[::-1])
case("pow", lax.pow, ABOVE, X, ulps=16)
case("atan2", lax.atan2, X, ABOVE[::-1], ulps=16)
case("nextafter", lax.nextafter, X, ABOVE)
case("integer_pow", lambda x: lax.integer_pow(x, 3), X, ulps=2)
for _name in "eq ne lt le gt ge".split():
  case(_name, getattr(lax, _name), X, np.round(X))
case("and", lax.bitwise_and, I, I[::-1])
case("or", lax.bitwise_or, I, I[::-1])
case("xor", lax.bitwise_xor, I, I[::-1])
case("not", lax.bitwise_not, I)
for _name in "shift_left shift_right_arithmetic shift_right_logical".split():
  case(_name, getattr(lax, _name), I, np.abs(I) % 32)
case("clz", lax.clz, I)
case("population_count", lax.population_count, I)
case("clamp", lambda x: lax.clamp(-1.0, x, 1.5), X)
case("select_n", lambda b, x, y: lax.select_n(b, x, y), B, X, X * 2)
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 3), X)
for _name in "eq_to lt_to le_to".split():
  case(_name, lambda x, y, p=_name: getattr(lax, f"{p}_p").bind(x, y), NAN, NAN[::-1])
  case(_name, lambda x, y, p=_name: getattr(lax, f"{p}_p").bind(x, y), I, I[::-1])


def _add_any(x):
  # A value that is used twice has two derivatives to be added.
  return jax.vjp(lambda v: jnp.sin(v) * v, x)[1](x)[0]


case("add_jaxvals", _add_any, X, ulps=16)
if hasattr(primitives, "polynomial_p"):
  case("polynomial", lambda x: lax.polynomial(x, [x, x * 2, x * 3]), X, ulps=8)

# ---- conversion and shape

case("convert_element_type", lambda x: (x.astype(jnp.int8), x.astype(jnp.bfloat16)), X)
case("bitcast_convert_type", lambda x: lax.bitcast_convert_type(x, jnp.int32), X)
case("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (2, 4, 6), (1, 2)), X)
case("concatenate", lambda x: lax.concatenate([x, x[:1]], 0), X)
case("iota", lambda x: x + lax.broadcasted_iota(jnp.float32, (4, 6), 1), X)
case("pad", lambda x: lax.pad(x, 0.5, ((1, -1, 1), (0, 2, 0))), X)
case("reshape", lambda x: x.reshape(3, 8), X)
case("rev", lambda x: lax.rev(x, (1,)), X)
case("slice", lambda x: lax.slice(x, (0, 1), (4, 6), (2, 1)), X)
case("squeeze", lambda x: lax.squeeze(x[:1], (0,)), X)
case("transpose", lambda x: x.T, X)
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0, 0], i[1, 0]), (2, 3)), X, WHERE)
case(
  "dynamic_update_slice",
  lambda x, i: lax.dynamic_update_slice(x, x[:2, :2] * 0, (i[0, 0], i[2, 0])), X, WHERE,
)
case("copy", lambda x: lax.copy_p.bind(x), X)
case("empty2", lambda x: x + lax.full_like(x, 1) * primitives.empty2_p.bind(
  dtype=jnp.dtype("float32"), memory_space=jax.typeof(x).memory_space), X)
case("device_put", lambda x: jax.device_put(x) + 1, X)


def _sharding_constraint(x):
  mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("devices",))
  return lax.with_sharding_constraint(x, jax.sharding.NamedSharding(mesh, PartitionSpec())) + 1


case("sharding_constraint", _sharding_constraint, X)

# ---- reductions

for _name in "sum max min prod".split():
  case(f"reduce_{_name}", lambda x, n=_name: getattr(jnp, n)(x, axis=1), X, ulps=8)
for _name in "and or xor".split():
  reduction = getattr(lax, f"reduce_{_name}")
  case(f"reduce_{_name}", lambda x, r=reduction: r(x, (0,)), I)
  case(f"reduce_{_name}", lambda x, r=reduction: r(x, (1,)), B)
for _name in "argmax argmin".split():
  case(_name, lambda x, n=_name: getattr(lax, n)(x, 1, jnp.int32), np.round(X))
  case(_name, lambda x, n=_name: getattr(lax, n)(x, 0, jnp.int32), NAN)
for _name in "cumsum cumprod cummax cummin cumlogsumexp".split():
  function = getattr(lax, _name)
  case(_name, lambda x, f=function: f(x, 1), X, ulps=8)
  case(_name, lambda x, f=function: f(x, 0, reverse=True), X, ulps=8)


def _largest_and_sum(x):
  def join(a, b):
    return jnp.maximum(a[0], b[0]), a[1] + b[1]

  columns = lax.broadcasted_iota(jnp.int32, x.shape, 1)
  return lax.reduce((x, columns), (np.float32(-np.inf), np.int32(0)), join, (1,))


case("reduce", _largest_and_sum, X)


def _window(x, start, join):
  return lax.reduce_window(
    x, start, join, (2, 3), (1, 2), ((1, 0), (0, 2)), base_dilation=(1, 2), window_dilation=(2, 1)
  )


case("reduce_window_sum", lambda x: _window(x, np.float32(0), lax.add), X, ulps=8)
case("reduce_window_max", lambda x: _window(x, np.float32(-np.inf), lax.max), X)
case("reduce_window_min", lambda x: _window(x, np.float32(np.inf), lax.min), X)
case("reduce_window", lambda x: _window(x, np.float32(1), lax.mul), X, ulps=8)


def _pool(x):
  return lax.reduce_window(x, -np.inf, lax.max, (2, 3), (1, 2), "SAME")


case("select_and_scatter_add", jax.grad(lambda x: (_pool(x) ** 2).sum()), X, ulps=8)
case("select_and_gather_add", lambda x: jax.jvp(_pool, (x,), (x * 2,))[1], X)

# ---- places, order, products

for _mode in ("clip", "fill", "promise_in_bounds"):
  case("gather", lambda x, i, m=_mode: x.at[i[:, 0]].get(mode=m), X, WHERE)
  case("gather", lambda x, i, m=_mode: x.at[:, i[:, 0]].get(mode=m), I, WHERE)
case("gather", lambda x, i: jax.vmap(lambda v, k: v[k])(x, i), X, WHERE)
for _name, _method in (
  ("scatter", "set"), ("scatter_add", "add"), ("scatter_mul", "multiply"), ("scatter_min", "min"),
  ("scatter_max", "max"),
):
  for _mode in ("clip", "drop", "promise_in_bounds"):
    case(
      _name, lambda x, i, u, n=_method, m=_mode: getattr(x.at[i[:, 0]], n)(u, mode=m),
      X, WHERE, X * 2,
    )
  case(
    _name, lambda x, i, n=_method: jax.vmap(lambda v, k: getattr(v.at[k], n)(3.0))(x, i), X, WHERE
  )
case("sort", lambda x: lax.sort(x, dimension=0), X[::-1])
case("sort", lambda x: lax.sort(x), NAN)
case("sort", lambda x, y: lax.sort((x, y, -y), num_keys=2, dimension=1), np.round(X), -X)
case("top_k", lambda x: lax.top_k(x, 3), X)
case("top_k", lambda x: lax.top_k(x, 2), np.round(X))
case("approx_top_k", lambda x: lax.approx_max_k(x, 3), X)
case("approx_top_k", lambda x: lax.approx_min_k(x, 2, reduction_dimension=0), X)
case("dot_general", lambda x, y: x @ y.T, X, X, ulps=16)
case("dot_general", lambda x, y: jnp.einsum("bij,bkj->bki", x, y), X.reshape(2, 2, 6),
     X.reshape(2, 2, 6)[::-1], ulps=16)
case("dot_general", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
     I.astype(np.int8), I.T.astype(np.int8))

# ---- random bits

case("threefry2x32", lambda x: threefry_2x32((x[0, 0], x[1, 0]), x.ravel()), WHERE.astype(np.uint32))
case("random_seed", lambda s: jax.random.key_data(jax.random.key(s[0])), SEED)
case("random_split",
     lambda s: jax.random.key_data(jax.random.split(jax.random.key(s[0]), (2, 3))), SEED)
case("random_fold_in",
     lambda s: jax.random.key_data(jax.random.fold_in(jax.random.key(s[0]), 3)), SEED)
case("random_bits", lambda s: jax.random.uniform(jax.random.key(s[0]), (2, 5)), SEED)
case("random_bits",
     lambda s: [jax.random.bits(k, (3,)) for k in jax.random.split(jax.random.key(s[0]))], SEED)
case("random_gamma", lambda s, a: jax.random.gamma(jax.random.key(s[0]), a), SEED, UNIT[0],
     ulps=64)
for _algorithm in lax.RandomAlgorithm:
  for _dtype, _shape in (
    ("uint32", (7,)), ("uint16", (3, 3)), ("uint8", (3, 4, 5)), ("uint32", ()), ("uint32", (3, 5)),
  ):
    case("rng_bit_generator",
         functools.partial(lax.rng_bit_generator, shape=_shape, dtype=jnp.dtype(_dtype),
                           algorithm=_algorithm), np.array([1, 2, 0xFFFFFFFF, 4], np.uint32))

# ---- calls and control flow


@jax.custom_jvp
def _with_jvp(x):
  return x * 2


_with_jvp.defjvp(lambda primals, tangents: (_with_jvp(*primals), tangents[0]))


@jax.custom_vjp
def _with_vjp(x):
  return x * 3


_with_vjp.defvjp(lambda x: (_with_vjp(x), None), lambda _, g: (g,))


def _called(primitive):
  def function(x):
    return primitive.bind(x, call_jaxpr=jax.make_jaxpr(lambda v: v * 2 + 1)(x))[0]

  return function


case("jit", lambda x: jax.jit(lambda v: v + 1)(x), X)
case("custom_jvp_call", _with_jvp, X)
case("custom_vjp_call", _with_vjp, X)
case("call", _called(primitives.call_p), X)
case("closed_call", _called(primitives.closed_call_p), X)
case("remat", lambda x: jax.checkpoint(lambda v: v * 2 + 1)(x), X)
case("name", lambda x: checkpoint_name(x, "mark") + 1, X)
case("stop_gradient", lambda x: primitives.stop_gradient_p.bind(x) + 1, X)
case("linear_solve",
     lambda x: lax.custom_linear_solve(lambda v: v * 2, x, lambda _, b: b / 2, lambda _, b: b / 2),
     X)
case("cond", lambda x: lax.cond(x[0, 0] < 0, lambda v: v + 1, lambda v: v - 1, x), X)
case("while", lambda x: lax.while_loop(lambda c: c[0, 0] < 9, lambda c: c + 1, x), X)
# One predicate for each member of a batch.
case("while", jax.vmap(lambda x: lax.while_loop(lambda c: c[0] < 9, lambda c: c + 1 + c[1] ** 2, x)), X)
case("while", jax.vmap(jax.vmap(lambda x: lax.while_loop(
  lambda c: c[1] < 3, lambda c: (c[0] * 2, c[1] + c[0]), (x, x))[0])), jnp.abs(X) + 0.1)
case("while", jax.vmap(lambda x, n: lax.fori_loop(0, n, lambda i, c: c + i, x)), X,
     np.arange(len(X), dtype=np.int32))
case("scan", lambda x: lax.scan(lambda c, r: (c + r, c * r), x[0], x, reverse=True), X, ulps=2)


# ---- what has a meaning inside of kernels only: (function, the same without a kernel, arrays)

KERNEL_CASES = {
  "axis_index": (lambda x: x + lax.axis_index("x"), lambda x: x, X),
  "get": (lambda x: x, lambda x: x, X),
  "swap": (lambda x: x, lambda x: x, X),
  # Every number is as good as another.
  "rng_uniform": (
    lambda x: (lambda r: jnp.all((r >= 2) & (r < 9)) & (r.max() > r.min()))(
      lax.rng_uniform(np.float32(2), np.float32(9), (64,))
    ),
    lambda x: jnp.bool_(True),
    X,
  ),
}
