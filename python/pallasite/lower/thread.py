"""Where a thread is in the grid, and its registers."""

from pallasite.errors import UnsupportedError
from pallasite.lower.registry import rule


@rule("lax.axis_index")
def axis_index(site):
  axis = site.converter.own_axis(site.params["axis_name"])
  return site.op("thread.axis_index", (), {"axis": axis})


@rule("pallas.program_id")
def program_id(site):
  axes, axis = site.converter.grid_axes, site.params["axis"]
  if axis >= len(axes):
    raise UnsupportedError(f"`program_id({axis})` of a grid with {len(axes)} axes is not supported")
  return site.op("thread.axis_index", (), {"axis": axes[axis]})


@rule("mosaic_gpu.set_max_registers")
def set_max_registers(site):
  attributes = {"n": site.immediate_count(), "action": site.params["action"]}
  return site.op("thread.set_max_registers", (), attributes)
