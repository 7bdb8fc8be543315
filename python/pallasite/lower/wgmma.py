"""Hopper's warpgroup matrix products."""

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule


@rule("mosaic_gpu.wgmma_ref")
def mma(site):
  params, invars = site.params, list(site.eqn.invars)
  leaves, views = invars[3:], []
  for atom, name in zip(invars[:3], ("acc", "a", "b")):
    tree = params[f"{name}_transforms_tree"]
    n = tree.num_leaves if tree is not None else 0
    views.append(site.transformed(site.value(atom), tree, leaves[:n]))
    leaves = leaves[n:]
  site.op("wgmma.mma", views)


@rule("mosaic_gpu.wgmma_wait")
def wait(site):
  site.op("wgmma.wait", (), {"n": site.immediate_count()}, ())
  return []


@rule("mosaic_gpu.wgmma_accumulator_deref")
def accumulator_deref(site):
  wait_n = site.params["wait_n"]
  attributes = {"wait_n": -1 if wait_n is None else int(wait_n)}
  return site.op("wgmma.accumulator_deref", site.operands, attributes)


@rule("mosaic_gpu.wgmma_accumulator_store")
def accumulator_store(site):
  # Before its state is discharged the equation has a result that nothing may read.
  if site.is_used(0):
    raise UnsupportedError("the result of `wgmma_accumulator_store` is not supported")
  acc, value = site.operands
  site.op("wgmma.accumulator_store", (acc, value), result_types=())
  return value
