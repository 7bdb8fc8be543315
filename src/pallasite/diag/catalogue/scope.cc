#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry ScopeCollectiveAxes = {
    .slug = "scoped-allocation-must-have-the-thread-axis-in-its",
    .documentation =
        "A kernel that names a thread axis runs several Pallas threads in each block, and they "
        "share the "
        "block's memory. A `run_scoped` in such a kernel allocates once for all of them, and it "
        "has to "
        "say so by naming the thread axis in `collective_axes`. The default of `run_scoped` is "
        "`()`, so "
        "leaving the argument out is the same fault as passing an empty tuple. Only scopes of "
        "accumulators in registers are exempt: each thread has its own. Cluster axes cannot be "
        "collective, because blocks do not share an allocation; a kernel without a thread axis "
        "takes no "
        "collective axes at all.",
    .triggers =
        "`pl.run_scoped` of an SMEM, GMEM or TMEM buffer or of a barrier, in a kernel or "
        "`plgpu.Mesh` "
        "with `num_threads` and `thread_name`, whose `collective_axes` is left out, empty, or "
        "names "
        "something other than exactly the thread axis.",
    .situations =
        "A kernel for one thread gets `num_threads` for warp specialisation and its scopes are not "
        "revisited; a helper with a `run_scoped` inside is called from kernels with and without a "
        "thread axis; the thread axis is renamed in the mesh and not in the scopes.",
    .solutions =
        {{"pass `collective_axes=\"wg\"`, with the name that the mesh gives as `thread_name`",
          "allocate the buffer as `scratch_types` of `plgpu.kernel`, which does this itself",
          "drop cluster axes from `collective_axes`; reach the memory of another block of the "
          "cluster with `plgpu.cluster_ref` or a multicast copy",
          "in a kernel with one thread per block, leave `collective_axes` out"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    def body(buffer):
        wg = jax.lax.axis_index("wg")
        buffer[wg] = jnp.full((128,), wg, jnp.int32)
        out_ref[wg] = buffer[wg]

    pl.run_scoped(body, plgpu.SMEM((2, 128), jnp.int32))


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.int32),
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    def body(buffer):
        wg = jax.lax.axis_index("wg")
        buffer[wg] = jnp.full((128,), wg, jnp.int32)
        out_ref[wg] = buffer[wg]

    pl.run_scoped(body, plgpu.SMEM((2, 128), jnp.int32), collective_axes="wg")


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.int32),
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "validation",
    .validation = R"py(from jax.experimental.pallas import mosaic_gpu as plgpu


def check_collective_axes(mesh, collective_axes):
    if isinstance(collective_axes, str):
        collective_axes = (collective_axes,)
    wanted = () if mesh.thread_name is None else (mesh.thread_name,)
    if tuple(collective_axes) != wanted:
        raise ValueError(f"collective_axes is {collective_axes}, and this mesh needs {wanted}")


check_collective_axes(plgpu.Mesh(num_threads=2, thread_name="wg"), "wg")
check_collective_axes(plgpu.Mesh(grid=(4,), grid_names=("x",)), ())
)py",
    .prevention =
        {{"prefer `scratch_types` to `run_scoped` for memory that lives as long as the kernel",
          "hand the name of the thread axis to helpers as an argument instead of writing it out",
          "when `num_threads` is added to a kernel, search it for `run_scoped`"}},
    .tags = {{"run_scoped", "collective_axes", "allocation", "mesh"}},
};

constinit const CatalogueEntry ScopeDivergentAlloc = {
    .slug = "threads-of-a-block-allocate-different-things",
    .documentation =
        "A collective `run_scoped` is one allocation for all threads of a block, and every thread "
        "meets a "
        "block-wide barrier on entering it. If one thread goes through a scope that another does "
        "not, "
        "the barrier pairs the wrong arrivals and the threads disagree on which memory is whose.",
    .triggers =
        "A `run_scoped` with `collective_axes` inside of a `pl.when`, `lax.cond` or loop whose "
        "condition "
        "or trip count differs between the threads of a block.",
    .situations =
        "Warp specialisation puts the roles in branches, and a role allocates its own scratch "
        "where it "
        "needs it; a helper that allocates is called by one role only.",
    .solutions = {{"open the scope before the branch and branch inside of its body",
                   "allocate the buffer as `scratch_types` of the kernel",
                   "let every thread enter the scope, also those that do not use the buffer"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        def body(buffer):
            buffer[...] = jnp.ones((128,), jnp.int32)
            out_ref[...] = buffer[...]

        pl.run_scoped(body, plgpu.SMEM((128,), jnp.int32), collective_axes="wg")


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")

    def body(buffer):
        @pl.when(wg == 0)
        def _():
            buffer[...] = jnp.ones((128,), jnp.int32)
            out_ref[...] = buffer[...]

    pl.run_scoped(body, plgpu.SMEM((128,), jnp.int32), collective_axes="wg")


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"open collective scopes at the top of the kernel only",
                    "write roles as functions that get their buffers as arguments"}},
    .tags = {{"run_scoped", "warp-specialisation", "allocation"}},
};

constinit const CatalogueEntry CtxUnknownAxis = {
    .slug = "unable-to-determine-axis-index-for-axis-name",
    .documentation =
        "An op asks for the index of the running thread along an axis that the kernel does not "
        "have. JAX "
        "refuses such a name while it traces, so this is met in modules that were edited or "
        "generated.",
    .triggers =
        "`thread.axis_index` with a name that is no grid, cluster or thread axis of the kernel.",
    .situations =
        "An axis is renamed in the header of a module and not in its body; a body is pasted into "
        "the kernel of another module.",
    .solutions = {{"use one of the names in the kernel's header", "add the axis to the header"}},
    .language = ExampleLanguage::Pir,
    .before = R"pir(pir 1

kernel @store_index {
  grid = [2] ["x"]
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = thread.axis_index {axis = "y"} : i32
    %2 = view.index %0, %1 {starts = [?], sizes = [1], squeeze = [0]} : ref<gmem, i32>
    memory.store %2, %1
    control.yield
  }
}
)pir",
    .after = R"pir(pir 1

kernel @store_index {
  grid = [2] ["x"]
  output %0 "out": ref<gmem, i32[2]>
  body {
    %1 = thread.axis_index {axis = "x"} : i32
    %2 = view.index %0, %1 {starts = [?], sizes = [1], squeeze = [0]} : ref<gmem, i32>
    memory.store %2, %1
    control.yield
  }
}
)pir",
    .handling = "validation",
    .prevention = {{"export modules from the Python kernel again instead of editing them by hand"}},
    .tags = {{"module", "axis"}},
};

}  // namespace pallasite::catalogue
