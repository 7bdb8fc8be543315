"""TMA copies between GMEM and SMEM."""

from pallasite.errors import UnsupportedError
from pallasite.lower import refs
from pallasite.lower.registry import rule


@rule("mosaic_gpu.copy_gmem_to_smem")
def gmem_to_smem(site):
  params, invars = site.params, list(site.eqn.invars)
  if not params.get("has_barrier", True):
    raise UnsupportedError("`copy_gmem_to_smem` without a barrier (cp.async) is not supported")
  if params.get("leader_tracked") is not None:
    raise UnsupportedError("`copy_gmem_to_smem` with leader_tracked is not supported")
  predicate = [site.value(invars.pop())] if params["has_user_predicate"] else []
  src, dst, barrier = (site.value(v) for v in invars[:3])
  views, leaves = [], invars[3:]
  for ref, name in ((src, "src"), (dst, "dst"), (barrier, "barrier")):
    tree = params[f"{name}_transforms_treedef"]
    views.append(site.transformed(ref, tree, leaves[: tree.num_leaves]))
    leaves = leaves[tree.num_leaves :]
  views[2] = refs.one_barrier(site, views[2])
  axes = []
  for axis in params["collective_axes"] or ():
    # Several axes taken as one reach the same blocks as each of them.
    axes += axis if isinstance(axis, tuple) else (axis,)
  mode = params.get("oob_mode")
  attributes = {
    "collective_axes": [site.converter.axis_text(axis) for axis in axes],
    # JAX's own default for TMA.
    "oob_mode": mode.name.lower() if mode is not None else "zeros",
  }
  site.op("copy.gmem_to_smem", (*views, *predicate), attributes)


@rule("mosaic_gpu.copy_smem_to_gmem")
def smem_to_gmem(site):
  params, invars = site.params, list(site.eqn.invars)
  if params.get("reduction_op") is not None:
    raise UnsupportedError("`copy_smem_to_gmem` with reduction_op is not supported")
  predicate = [site.value(invars.pop())] if params["has_user_predicate"] else []
  src, dst, *leaves = invars
  split = params["src_transforms_treedef"].num_leaves
  src = site.transformed(site.value(src), params["src_transforms_treedef"], leaves[:split])
  dst = site.transformed(site.value(dst), params["dst_transforms_treedef"], leaves[split:])
  attributes = {"commit_group": bool(params["commit_group"])}
  site.op("copy.smem_to_gmem", (src, dst, *predicate), attributes)


@rule("mosaic_gpu.commit_group")
def commit_group(site):
  site.op("copy.commit_group")


@rule("mosaic_gpu.wait_smem_to_gmem")
def wait_smem_to_gmem(site):
  attributes = {"n": site.immediate_count(), "wait_read_only": bool(site.params["wait_read_only"])}
  site.op("copy.wait_smem_to_gmem", (), attributes)
