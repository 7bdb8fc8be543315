"""Where a thread is in the grid, and its registers."""

from pallasite import _compat
from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule


@rule("lax.axis_index")
def axis_index(site):
  return site.op("thread.axis_index", (), {"axis": site.converter.require_axis(site.params["axis_name"])})


@rule("pallas.program_id")
def program_id(site):
  axes, axis = site.converter.grid_axes, site.params["axis"]
  if axis >= len(axes):
    raise UnsupportedError(f"`program_id({axis})` beyond the grid's {len(axes)} axes is not supported")
  return site.op("thread.axis_index", (), {"axis": axes[axis]})


@rule("mosaic_gpu.set_max_registers")
def set_max_registers(site):
  n = _compat.immediate_count(site.eqn)
  if n is None:
    raise UnsupportedError("`set_max_registers` with a count known only at run time is not supported")
  return site.op("thread.set_max_registers", (), {"n": n, "action": site.params["action"]})
