"""The parameters of an equation, and what becomes of one that no rule knows.

A rule knows the parameters that it reads. One that it does not read must be in the list below, or hold
nothing (None, False, an empty tuple): a newer JAX may have given a primitive a parameter that changes
what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pallasite.errors import UnsupportedError

# Parameters without a meaning here, whatever they hold, by primitive; "" stands for all primitives.
IGNORED = {
  "": """
    axis_env compiler_options_kvs ctx_mesh donated_invars in_layouts in_shardings inline keep_unused
    name out_layouts out_sharding out_shardings sharding weak_type
  """,
  # What the equation's own types say as well.
  "argmax": "index_dtype",
  "argmin": "index_dtype",
  "bitcast_convert_type": "new_dtype",
  "broadcast_in_dim": "shape",
  "convert_element_type": "new_dtype",
  "iota": "dtype shape",
  "reshape": "new_sizes",
  "scan": "ft_out unroll",
  "dot_general": "preferred_element_type",
  "empty2": "dtype memory_space shape",
  "gather": "slice_sizes indices_are_sorted unique_indices",
  "rng_bit_generator": "dtype shape",
  "rng_uniform": "shape",
  # The jaxpr of a function is what counts.
  "reduce": "computation",
  # Promises of the caller, and orders that always hold here.
  "approx_top_k": "aggregate_to_topk k recall_target reduction_input_size_override",
  "scatter": "indices_are_sorted unique_indices",
  "sort": "is_stable",
  "top_k": "is_stable",
  **{f"scatter-{kind}": "indices_are_sorted unique_indices update_jaxpr" for kind in
     ("add", "sub", "mul", "min", "max")},
  # Where arrays lie.
  "device_put": "copy_semantics devices srcs",
  "sharding_constraint": "context_mesh layout unconstrained_dims",
  # Derivatives.
  "remat2": "differentiated policy prevent_cse",
  "checkpoint": "differentiated policy prevent_cse",
  "custom_jvp_call": "jvp_jaxpr_fun num_consts symbolic_zeros",
  "custom_vjp_call": "bwd fwd_jaxpr_thunk num_consts out_trees symbolic_zeros",
  "run_state": "which_linear",
  # How the chip's compiler spreads a load over threads.
  "load": "optimized",
  # How numpy would print arrays.
  "debug_print": "has_placeholders np_printoptions",
  # What the hook has read, and what is for other compilers.
  "mpmd_map": "cost_estimate debug interpret metadata",
  "pallas_call": "cost_estimate debug interpret kernel_arg_transforms metadata out_avals mesh",
}


class Parameters(Mapping):
  """The parameters of one equation. Remembers which were read."""

  def __init__(self, primitive: str, params: dict):
    self._primitive = primitive
    self._params = params
    self._read: set[str] = set()

  def __getitem__(self, name: str):
    self._read.add(name)
    return self._params[name] if name in self._params else self._missing(name)

  def get(self, name: str, default=None):
    self._read.add(name)
    return self._params.get(name, default)

  def __contains__(self, name) -> bool:
    return name in self._params

  def __iter__(self) -> Iterator[str]:
    return iter(self._params)

  def __len__(self) -> int:
    return len(self._params)

  def _missing(self, name: str):
    raise UnsupportedError(
      f"`{self._primitive}` without a parameter `{name}` is not supported: this version of JAX is "
      "not one that pallasite knows"
    )

  def refuse_unknown(self):
    """Raises for a parameter that says something which was not read."""
    for name, value in self._params.items():
      if name in self._read or _says_nothing(value):
        continue
      if name in _ignored(self._primitive):
        continue
      raise UnsupportedError(
        f"`{self._primitive}` with the unknown parameter {name}={_short(value)} is not supported"
      )


def _says_nothing(value) -> bool:
  return value is None or value is False or isinstance(value, (tuple, list, dict)) and not value


def _ignored(primitive: str) -> set[str]:
  return {*IGNORED[""].split(), *IGNORED.get(primitive, "").split()}


def _short(value) -> str:
  text = str(value).split("\n", 1)[0]
  return text if len(text) <= 60 else text[:57] + "..."
