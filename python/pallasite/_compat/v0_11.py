"""JAX 0.11: some primitive names end in `_p`, and small counts are operands."""

from jax.extend.core import Literal

__all__ = ["canonical_primitive_name", "immediate_count"]


def canonical_primitive_name(name: str) -> str:
  return name.removesuffix("_p")


def immediate_count(eqn) -> int | None:
  """The count of set_max_registers, wait_smem_to_gmem and wgmma_wait; None if it is not static."""
  count = eqn.invars[0]
  return int(count.val) if isinstance(count, Literal) else None
