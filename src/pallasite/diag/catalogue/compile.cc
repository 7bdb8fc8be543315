#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry CompileRefused = {
    .slug = "jax-mosaic-gpu-lowering-refuses-the-kernel",
    .documentation =
        "JAX's own compiler for the chip, which runs without a GPU, was asked about this kernel "
        "and refuses it. The sentence is JAX's. The kernel may run here and give values, but on "
        "the GPU it never starts. Where JAX tells which line it was at, the report points there; "
        "layouts are worked out for the kernel as a whole, so their failures point at the kernel.",
    .triggers =
        "`pallasite.check`, or `checks=\"compile\"`, on a kernel that uses an op without a rule in "
        "the Mosaic GPU lowering (`jnp.cumsum`, `jnp.sort`, `jnp.floor`), layouts that do not fit "
        "together, or a copy or matrix product of a shape that the hardware has no instruction "
        "for.",
    .situations =
        "Code that was written for another backend, where the op exists; a block of a size that "
        "does not divide among 128 threads; an array whose rows are not a multiple of 16 bytes.",
    .solutions = {{"use ops that have a rule, or do that part outside of the kernel",
                   "state one layout with `plgpu.layout_cast` where values meet",
                   "choose shapes, tilings and swizzles that the instruction takes"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    out_ref[...] = jnp.cumsum(x_ref[...])


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
    )(jnp.ones((128,), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    out_ref[...] = 2 * x_ref[...]


def run():
    doubled = plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
    )(jnp.ones((128,), jnp.float32))
    return jnp.cumsum(doubled)
)py",
    .handling = "fix-kernel",
    .prevention = {{"run `pallasite.check(fn, *args, run=False)` on each kernel in CI"}},
    .tags = {{"compile", "lowering", "layout", "mosaic"}},
};

constinit const CatalogueEntry CompileResources = {
    .slug = "jax-mosaic-gpu-lowering-counts-more-than-a-block-has",
    .documentation =
        "JAX's own compiler for the chip adds up what a block of this kernel needs, with what "
        "the compiler itself puts there, such as the buffer of the profiler, and finds more than "
        "the chip has. The sentence is JAX's. The kernel cannot be launched there.",
    .triggers =
        "Shared memory close to the limit of 227 KiB and `profile_space` on top of it; more than "
        "512 columns of tensor memory alive together.",
    .situations =
        "A kernel that fits is profiled; a further accumulator in tensor memory; a kernel tuned "
        "for one chip used on another.",
    .solutions = {{"use smaller blocks, or lower `max_concurrent_steps` of the pipeline",
                   "profile a configuration that leaves room for the profiler",
                   "put buffers that are not needed at the same time in scopes that do not nest"}},
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
        scratch_types=[plgpu.SMEM((227, 256), jnp.float32)],
        compiler_params=plgpu.CompilerParams(profile_space=64, profile_dir="profiles"),
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
        compiler_params=plgpu.CompilerParams(profile_space=64, profile_dir="profiles"),
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"run `pallasite.check(fn, *args, run=False)` on each configuration"}},
    .tags = {{"compile", "resources", "limits", "smem", "tmem"}},
};

}  // namespace pallasite::catalogue
