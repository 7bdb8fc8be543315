#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry GmemOob = {
    .slug = "out-of-bounds-read-or-write-of-an-array",
    .documentation =
        "A load, store or copy reaches outside of a kernel's operand or output. Loads and stores "
        "of GMEM "
        "are not clipped: the GPU reads or overwrites whatever lies there, or faults. Only copies "
        "between GMEM and SMEM clip, by reading zeros and dropping what is written outside.",
    .triggers =
        "An index made from `axis_index`, a loop counter or loaded data that exceeds the array; a "
        "block of a `BlockSpec` whose index map leaves the input.",
    .situations =
        "The last block of an array whose size is no multiple of the block; a neighbour access "
        "like `i + 1` at the edge; a grid that was computed for the padded size.",
    .solutions = {{"guard the access with `pl.when`",
                   "clamp the index where any element inside is good enough",
                   "pad the array to a multiple of the block",
                   "copy to SMEM with `plgpu.copy_gmem_to_smem`, which reads zeros outside"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    i = jax.lax.axis_index("x")
    out_ref[i] = x_ref[i + 1]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32),
        grid=(4,),
        grid_names=("x",),
    )(jnp.ones((4, 128), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    i = jax.lax.axis_index("x")
    out_ref[i] = x_ref[jnp.minimum(i + 1, 3)]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32),
        grid=(4,),
        grid_names=("x",),
    )(jnp.ones((4, 128), jnp.float32))
)py",
    .handling = "validation",
    .validation = R"py(size, block, grid = 512, 128, 4
if grid * block > size:
    raise ValueError(f"{grid} blocks of {block} reach past {size} elements")
)py",
    .prevention = {{"derive the grid from the array with `pl.cdiv` and guard the last block",
                    "test with sizes that are no multiple of the block"}},
    .tags = {{"bounds", "gmem", "indexing"}},
};

constinit const CatalogueEntry SmemOob = {
    .slug = "out-of-bounds-read-or-write-of-a-shared-memory-buffer",
    .documentation =
        "An access leaves a buffer in shared memory. Nothing on the GPU stops it: it lands in the "
        "buffer "
        "that was allocated next, which may be a barrier, and the damage shows up elsewhere.",
    .triggers = "A slot or row index that is not kept within the shape of an SMEM scratch buffer.",
    .situations =
        "A pipeline slot that is not taken modulo the number of slots; a loop over tiles of the "
        "whole array that indexes a buffer for one block.",
    .solutions = {{"take the slot modulo the number of slots",
                   "index the buffer with the position inside of the block"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    @pl.loop(0, 4)
    def _(step):
        buffer[step] = jnp.full((128,), step, jnp.int32)
        out_ref[step] = buffer[step]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((4, 128), jnp.int32),
        scratch_types=[plgpu.SMEM((2, 128), jnp.int32)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    @pl.loop(0, 4)
    def _(step):
        slot = jax.lax.rem(step, 2)
        buffer[slot] = jnp.full((128,), step, jnp.int32)
        out_ref[step] = buffer[slot]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((4, 128), jnp.int32),
        scratch_types=[plgpu.SMEM((2, 128), jnp.int32)],
    )()
)py",
    .handling = "fix-kernel",
    .prevention =
        {{"compute `slot` once at the top of the loop and use it for buffer and barrier alike"}},
    .tags = {{"bounds", "smem", "indexing", "pipeline"}},
};

constinit const CatalogueEntry SmemExhausted = {
    .slug = "mosaic-gpu-kernel-exceeds-available-shared-memory",
    .documentation =
        "The buffers and barriers that are alive together need more shared memory than one block "
        "of this "
        "chip can have. The kernel cannot be launched there; on a chip with more it may. Each "
        "allocation is rounded up to 1024 bytes.",
    .triggers =
        "SMEM scratch, `run_scoped` buffers and the slots of `emit_pipeline` that add up to more "
        "than the chip's limit, 227 KiB on H100 and B200.",
    .situations =
        "A larger tile, a further pipeline step, or a wider element type; a kernel tuned for one "
        "chip used on another.",
    .solutions =
        {{"use smaller tiles", "lower `max_concurrent_steps` of the pipeline",
          "put buffers that are not needed at the same time in scopes that do not nest, or in a "
          "`plgpu.RefUnion`",
          "store a narrower element type"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    buffer[0] = jnp.ones((256,), jnp.float32)
    out_ref[...] = buffer[0]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=[plgpu.SMEM((256, 256), jnp.float32)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    buffer[0] = jnp.ones((256,), jnp.float32)
    out_ref[...] = buffer[0]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=[plgpu.SMEM((128, 256), jnp.float32)],
    )()
)py",
    .handling = "validation",
    .validation = R"py(import math

import numpy as np

buffers = [((128, 256), np.float32), ((64, 64), np.float16)]
limit = 227 * 1024
total = sum(-(-math.prod(shape) * np.dtype(dtype).itemsize // 1024) * 1024 for shape, dtype in buffers)
if total > limit:
    raise ValueError(f"{total} bytes of shared memory, and a block has {limit}")
)py",
    .prevention = {{"let the autotuner skip configurations by adding up their buffers first"}},
    .tags = {{"smem", "resources", "limits"}},
};

constinit const CatalogueEntry TmaOobPromise = {
    .slug = "copy-leaves-an-array-though-it-was-promised-to-stay-inside",
    .documentation =
        "A copy from GMEM was told with `PROMISE_IN_BOUNDS` that its slice lies inside of the "
        "array, and "
        "it does not. The promise removes the check that would fill with zeros, so on the GPU the "
        "copy "
        "reads foreign memory or faults.",
    .triggers =
        "`plgpu.copy_gmem_to_smem(..., oob_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS)` of a slice "
        "that "
        "reaches past the end.",
    .situations =
        "The promise was made for sizes that are multiples of the block, and the kernel is then "
        "called with another size.",
    .solutions = {{"drop `oob_mode`, so that elements outside read as zero",
                   "keep the slice inside, for example by shifting the last block back",
                   "check the sizes before the kernel is called"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref, buffer, barrier):
    i = jax.lax.axis_index("x")
    plgpu.copy_gmem_to_smem(
        x_ref.at[pl.ds(i * 128, 128)],
        buffer,
        barrier,
        oob_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS,
    )
    plgpu.barrier_wait(barrier)
    out_ref[i] = buffer[...]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32),
        scratch_types=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()],
        grid=(2,),
        grid_names=("x",),
    )(jnp.ones((192,), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref, buffer, barrier):
    i = jax.lax.axis_index("x")
    plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(i * 128, 128)], buffer, barrier)
    plgpu.barrier_wait(barrier)
    out_ref[i] = buffer[...]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32),
        scratch_types=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()],
        grid=(2,),
        grid_names=("x",),
    )(jnp.ones((192,), jnp.float32))
)py",
    .handling = "validation",
    .validation = R"py(size, block = 256, 128
if size % block:
    raise ValueError(f"{size} is no multiple of {block}, so bounds cannot be promised")
)py",
    .prevention = {{"promise only what the caller has checked"}},
    .tags = {{"tma", "bounds", "promise"}},
};

constinit const CatalogueEntry TmaUnawaitedRead = {
    .slug = "not-all-copy-smem-to-gmem-read-side-operations-completed-before-kernel-finished",
    .documentation =
        "A copy from SMEM to GMEM was started and not waited for. It reads the buffer while the "
        "thread "
        "goes on. When the block ends, or the scope of the buffer does, the memory is given to "
        "others, "
        "and the copy may send their data.",
    .triggers =
        "`plgpu.copy_smem_to_gmem` with no `plgpu.wait_smem_to_gmem` after it on the same thread "
        "before the kernel or the scope of the buffer ends.",
    .situations =
        "A wait in the loop allows one copy in flight and nothing waits for the last one; the "
        "wait stands in another thread than the copy, where it has no effect.",
    .solutions = {{"end with `plgpu.wait_smem_to_gmem(0, wait_read_only=True)`",
                   "wait on the thread that issued the copy",
                   "leave out `wait_read_only` if the data in GMEM is read again in the kernel"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    buffer[...] = jnp.ones((128,), jnp.float32)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(buffer, out_ref)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
        scratch_types=[plgpu.SMEM((128,), jnp.float32)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, buffer):
    buffer[...] = jnp.ones((128,), jnp.float32)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(buffer, out_ref)
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
        scratch_types=[plgpu.SMEM((128,), jnp.float32)],
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"write the final wait together with the first copy",
                    "let the thread that copies out own the buffer until it has waited"}},
    .tags = {{"tma", "asynchronous", "smem"}},
};

}  // namespace pallasite::catalogue
