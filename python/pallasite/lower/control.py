"""Control flow: cond, while, scan and calls. Regions see outer values, so nothing is passed in."""

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule
from pallasite.lower.types import ArrayType


@rule("lax.cond")
def cond(site):
  index, *operands = site.operands
  converter = site.converter

  def branch(jaxpr):
    return (), (), lambda _: converter.inline(jaxpr, operands, site.location)

  regions = [branch(jaxpr) for jaxpr in site.params["branches"]]
  return site.region_op("control.cond", (index,), {}, regions)


@rule("lax.while")
def while_loop(site):
  params, converter = site.params, site.converter
  split = params["cond_nconsts"]
  end = split + params["body_nconsts"]
  operands = site.operands
  cond_constants, body_constants, carry = operands[:split], operands[split:end], operands[end:]
  types = [v.type for v in carry]
  (predicate,) = _compat.open_jaxpr(params["cond_jaxpr"])[0].outvars
  is_batched = bool(predicate.aval.shape)

  def test(values):
    return converter.inline(params["cond_jaxpr"], [*cond_constants, *values], site.location)

  def condition(values):
    found = test(values)
    if is_batched:
      axes = {"axes": list(range(len(predicate.aval.shape)))}
      found = site.op("reduce.or", found, axes, [ArrayType("bool", ())])
    return found

  def body(values):
    results = converter.inline(params["body_jaxpr"], [*body_constants, *values], site.location)
    if is_batched:
      (going,) = test(values)
      results = [_where(site, going, *pair) for pair in zip(results, values, strict=True)]
    return results

  regions = [(types, (), condition), (types, (), body)]
  return site.region_op("control.while", carry, {}, regions)


def _where(site, going, new, old):
  """A loop with one predicate for each member of a batch, as `vmap` makes them, goes on while any is
  true; members whose own is false keep their values. Leading dims are the batch."""
  going = site.broadcast(going, new.type.shape)
  return site.op("arith.select_n", (going, old, new), None, [new.type])[0]


@rule("lax.scan")
def scan(site):
  params, converter = site.params, site.converter
  num_constants, num_carry = _compat.scan_counts(params)
  operands = site.operands
  constants, rest = operands[:num_constants], operands[num_constants:]
  carry, xs = rest[:num_carry], rest[num_carry:]
  types = [v.type for v in carry]
  types += [ArrayType(v.type.element, v.type.shape[1:]) for v in xs]
  attributes = {
    "length": int(params["length"]),
    "num_carry": num_carry,
    "reverse": bool(params["reverse"]),
  }

  def body(args):
    return converter.inline(params["jaxpr"], [*constants, *args], site.location)

  return site.region_op("control.scan", rest, attributes, [(types, (), body)])


@rule("jax.jit")
def jit(site):
  jaxpr, operands = site.params["jaxpr"], site.operands
  # A function takes arrays only: what it does to memory stands where it is called.
  if not all(isinstance(v.type, ArrayType) for v in operands):
    return site.converter.inline(jaxpr, operands, site.location)
  callee = site.converter.function(jaxpr, site.params["name"])
  return site.op("control.call", operands, {"callee": callee})


@rule("jax.custom_jvp_call", "jax.custom_vjp_call", "jax.closed_call", "jax.eval_jaxpr")
def inlined_call(site):
  """The derivative rules do not matter inside a kernel."""
  for name in ("call_jaxpr", "fun_jaxpr", "jaxpr"):
    if name in site.params:
      return site.converter.inline(site.params[name], site.operands, site.location)
  raise UnsupportedError(f"primitive `{site.name}` without a jaxpr is not supported")


@rule("jax.remat2", "lax.composite")
def call_of_jaxpr(site):
  return site.converter.inline(site.params["jaxpr"], site.operands, site.location)


@rule("lax.custom_linear_solve")
def custom_linear_solve(site):
  """The solver that the user gave; the other functions serve derivatives."""
  counts, jaxprs = site.params["const_lengths"], site.params["jaxprs"]
  first = counts.matvec + counts.vecmat
  last = first + counts.solve
  constants = site.operands[first:last]
  right_sides = site.operands[last + counts.transpose_solve :]
  return site.converter.inline(jaxprs.solve, [*constants, *right_sides], site.location)
