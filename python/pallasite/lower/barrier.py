"""mbarriers, plain and of a cluster."""

from pallasite.lower import refs
from pallasite.lower.registry import rule


def _barrier_op(name: str):
  def convert(site):
    invars = list(site.eqn.invars)
    predicate = [site.value(invars.pop())] if site.params.get("has_user_predicate") else []
    barrier = site.value(invars[0])
    barrier = site.transformed(barrier, site.params["transforms_treedef"], invars[1:])
    return site.op(name, (refs.one_barrier(site, barrier), *predicate))

  return convert


for _name in ("arrive", "wait", "arrive_and_wait", "test"):
  rule(f"mosaic_gpu.barrier_{_name}")(_barrier_op(f"barrier.{_name}"))
