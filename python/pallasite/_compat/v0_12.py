"""JAX 0.12: primitive names without `_p`, small counts are parameters."""

__all__ = ["canonical_primitive_name", "immediate_count"]


def canonical_primitive_name(name: str) -> str:
  return name


def immediate_count(eqn) -> int | None:
  """The count of set_max_registers, wait_smem_to_gmem and wgmma_wait; None if it is not static."""
  return int(eqn.params["n"])
