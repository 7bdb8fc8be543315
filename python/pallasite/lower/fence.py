"""Proxy fences."""

from pallasite.lower.registry import rule


@rule("mosaic_gpu.commit_smem")
def commit_smem(site):
  site.op("fence.commit_smem")
