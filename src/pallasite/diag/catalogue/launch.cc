#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry LaunchThreads = {
    .slug = "block-has-more-threads-than-the-chip-allows",
    .documentation =
        "A Pallas thread is a warpgroup of 128 hardware threads, and a block may have 1024 "
        "hardware threads. "
        "A kernel with more than eight Pallas threads cannot be launched, though `plgpu.Mesh` "
        "accepts up "
        "to sixteen.",
    .triggers = "`num_threads` above 8.",
    .situations = "`num_threads` taken for a number of warps or of hardware threads.",
    .solutions = {{"use at most eight Pallas threads",
                   "split the work over more blocks, or over a cluster"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")
    out_ref[wg] = jnp.full((128,), wg, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((9, 128), jnp.int32),
        num_threads=9,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")
    out_ref[wg] = jnp.full((128,), wg, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((8, 128), jnp.int32),
        num_threads=8,
        thread_name="wg",
    )()
)py",
    .handling = "validation",
    .validation = R"py(num_threads = 4
if num_threads * 128 > 1024:
    raise ValueError(f"{num_threads} warpgroups are {num_threads * 128} threads, more than 1024")
)py",
    .prevention = {{"name the axis after what it is, for example `wg`"}},
    .tags = {{"launch", "limits"}},
};

constinit const CatalogueEntry LaunchClusterSize = {
    .slug = "cluster-has-more-blocks-than-the-chip-allows",
    .documentation =
        "The blocks of a cluster run at the same time on neighbouring processors, which bounds "
        "their "
        "number. Eight blocks run on every chip with clusters, sixteen only where the kernel asks "
        "for a "
        "size that is not portable.",
    .triggers =
        "`cluster=` whose product exceeds the limit of the chip, or does not divide the grid in a "
        "module.",
    .situations = "A cluster is used as a second grid.",
    .solutions = {{"use a smaller cluster and a larger grid"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    c = jax.lax.axis_index("c")
    out_ref[c] = jnp.full((128,), c, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((32, 128), jnp.int32),
        cluster=(32,),
        cluster_names=("c",),
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    i = jax.lax.axis_index("x") * 8 + jax.lax.axis_index("c")
    out_ref[i] = jnp.full((128,), i, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((32, 128), jnp.int32),
        grid=(4,),
        grid_names=("x",),
        cluster=(8,),
        cluster_names=("c",),
    )()
)py",
    .handling = "validation",
    .validation = R"py(import math

cluster = (2, 4)
if math.prod(cluster) > 8:
    raise ValueError(f"a cluster of {math.prod(cluster)} blocks does not run on every chip")
)py",
    .prevention = {{"use clusters only for blocks that share data"}},
    .tags = {{"launch", "cluster", "limits"}},
};

constinit const CatalogueEntry RegsSetmaxnreg = {
    .slug = "set-max-registers-cannot-be-obeyed",
    .documentation =
        "`plgpu.set_max_registers` moves registers between the warpgroups of a block. The number "
        "has to be a "
        "multiple of 8 from 24 to 256; a decrease has to go below what the warpgroup has, and an "
        "increase "
        "above it.",
    .triggers =
        "A number outside of the range or not a multiple of 8; `action=\"increase\"` to fewer "
        "registers than the warpgroup has, or `action=\"decrease\"` to more.",
    .situations =
        "Numbers copied from a kernel with another number of threads, which starts with other "
        "counts.",
    .solutions = {{"use a multiple of 8 from 24 to 256",
                   "compute what a warpgroup starts with before choosing the direction"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")
    plgpu.set_max_registers(16, action="decrease")
    out_ref[wg] = jnp.full((128,), wg, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((3, 128), jnp.int32),
        num_threads=3,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")
    plgpu.set_max_registers(40, action="decrease")
    out_ref[wg] = jnp.full((128,), wg, jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((3, 128), jnp.int32),
        num_threads=3,
        thread_name="wg",
    )()
)py",
    .handling = "validation",
    .validation = R"py(registers = 40
if registers % 8 or not 24 <= registers <= 256:
    raise ValueError(f"{registers} is no multiple of 8 from 24 to 256")
)py",
    .prevention = {{"keep the sum over warpgroups at or below what the block was launched with"}},
    .tags = {{"registers", "limits", "warp-specialisation"}},
};

constinit const CatalogueEntry MmaShape = {
    .slug = "matrix-product-shapes-do-not-fit-the-instruction",
    .documentation =
        "The matrix instructions work on tiles of fixed sizes. The product is not made of whole "
        "tiles, or "
        "its operands and accumulator do not go together.",
    .triggers =
        "`plgpu.wgmma` with an accumulator whose rows are no multiple of 64 or whose columns are "
        "no multiple of 8 or more than 256, or with a contracted dimension that is not a multiple "
        "of 32 bytes.",
    .situations = "Small test shapes; a block size halved to save shared memory.",
    .solutions = {{"use 64 rows or a multiple for each warpgroup",
                   "pad the contracted dimension with zeros"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def kernel(a_ref, b_ref, out_ref, a, b, barrier):
    plgpu.copy_gmem_to_smem(a_ref, a, barrier)
    plgpu.copy_gmem_to_smem(b_ref, b, barrier)
    plgpu.barrier_wait(barrier)

    def body(acc):
        plgpu.wgmma(acc, a, b)
        return acc[...]

    out_ref[...] = pl.run_scoped(body, plgpu.ACC((32, 64), jnp.float32))


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((32, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((32, 64), jnp.float16, transforms=TILES),
            plgpu.SMEM((64, 64), jnp.float16, transforms=TILES),
            plgpu.Barrier(num_arrivals=2),
        ],
    )(jnp.ones((32, 64), jnp.float16), jnp.ones((64, 64), jnp.float16))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def kernel(a_ref, b_ref, out_ref, a, b, barrier):
    plgpu.copy_gmem_to_smem(a_ref, a, barrier)
    plgpu.copy_gmem_to_smem(b_ref, b, barrier)
    plgpu.barrier_wait(barrier)

    def body(acc):
        plgpu.wgmma(acc, a, b)
        return acc[...]

    out_ref[...] = pl.run_scoped(body, plgpu.ACC((64, 64), jnp.float32))


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.float16, transforms=TILES),
            plgpu.SMEM((64, 64), jnp.float16, transforms=TILES),
            plgpu.Barrier(num_arrivals=2),
        ],
    )(jnp.ones((64, 64), jnp.float16), jnp.ones((64, 64), jnp.float16))
)py",
    .handling = "validation",
    .validation = R"py(m, n = 64, 64
if m % 64 or n % 8 or n > 256:
    raise ValueError(f"a warpgroup's product is a multiple of 64 by a multiple of 8, not {m} by {n}")
)py",
    .prevention = {{"start from 64 rows per warpgroup and scale by whole factors"}},
    .tags = {{"mma", "shapes", "wgmma"}},
};

constinit const CatalogueEntry MmaDtype = {
    .slug = "matrix-product-element-types-do-not-fit-the-instruction",
    .documentation =
        "The matrix instructions take certain pairs of operand and accumulator types only. This "
        "one would "
        "need a conversion that the instruction does not make.",
    .triggers =
        "`plgpu.wgmma` of element types that the instruction does not multiply, or with an "
        "accumulator of a type it does not add into.",
    .situations = "An accumulator in bf16 to save registers; integer operands wider than 8 bits.",
    .solutions = {{"accumulate in f32 and convert the result",
                   "convert the operands before they are copied to shared memory"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def kernel(a_ref, b_ref, out_ref, a, b, barrier):
    plgpu.copy_gmem_to_smem(a_ref, a, barrier)
    plgpu.copy_gmem_to_smem(b_ref, b, barrier)
    plgpu.barrier_wait(barrier)

    def body(acc):
        plgpu.wgmma(acc, a, b)
        return acc[...]

    out_ref[...] = pl.run_scoped(body, plgpu.ACC((64, 64), jnp.bfloat16))


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((64, 64), jnp.bfloat16),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.bfloat16, transforms=TILES),
            plgpu.SMEM((64, 64), jnp.bfloat16, transforms=TILES),
            plgpu.Barrier(num_arrivals=2),
        ],
    )(jnp.ones((64, 64), jnp.bfloat16), jnp.ones((64, 64), jnp.bfloat16))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def kernel(a_ref, b_ref, out_ref, a, b, barrier):
    plgpu.copy_gmem_to_smem(a_ref, a, barrier)
    plgpu.copy_gmem_to_smem(b_ref, b, barrier)
    plgpu.barrier_wait(barrier)

    def body(acc):
        plgpu.wgmma(acc, a, b)
        return acc[...]

    out_ref[...] = pl.run_scoped(body, plgpu.ACC((64, 64), jnp.float32))


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.bfloat16, transforms=TILES),
            plgpu.SMEM((64, 64), jnp.bfloat16, transforms=TILES),
            plgpu.Barrier(num_arrivals=2),
        ],
    )(jnp.ones((64, 64), jnp.bfloat16), jnp.ones((64, 64), jnp.bfloat16))
)py",
    .handling = "validation",
    .validation =
        R"py(accumulators = {"float16": ("float16", "float32"), "bfloat16": ("float32",), "float32": ("float32",)}
operand, accumulator = "bfloat16", "float32"
if accumulator not in accumulators.get(operand, ()):
    raise ValueError(f"wgmma does not add products of {operand} into {accumulator}")
)py",
    .prevention = {{"accumulate in f32 unless there is a measured reason not to"}},
    .tags = {{"mma", "dtypes", "wgmma"}},
};

constinit const CatalogueEntry ModuleArgument = {
    .slug = "argument-does-not-fit-the-module",
    .documentation =
        "A saved module holds one traced kernel, for fixed shapes and element types. An array that "
        "was "
        "passed to it has another shape or type, has a name the kernel does not know, or is "
        "missing.",
    .triggers =
        "`Module.run(**arrays)` or `pallasite run k.pir --arg name=file` with arrays other than "
        "those "
        "in the kernel's header.",
    .situations =
        "A module exported for one batch size is run on another; an array saved by numpy as f64.",
    .solutions = {{"pass arrays of the shapes and types in the header",
                   "export the kernel again for the new "
                   "shapes"}},
    .language = ExampleLanguage::Shell,
    .before = R"sh(cat > add_one.pir <<'END'
pir 1

kernel @add_one {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[128]>
  output %1 "out": ref<gmem, f32[128]>
  body {
    %2 = memory.load %0 : f32[128]
    %3 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[128]
    %4 = arith.add %2, %3 : f32[128]
    memory.store %1, %4
    control.yield
  }
}
END
python -c "import numpy; numpy.save('x.npy', numpy.zeros(128, numpy.float32))"
pallasite run add_one.pir --arg y=x.npy
)sh",
    .after = R"sh(cat > add_one.pir <<'END'
pir 1

kernel @add_one {
  grid = [1] ["x"]
  input %0 "x": ref<gmem, f32[128]>
  output %1 "out": ref<gmem, f32[128]>
  body {
    %2 = memory.load %0 : f32[128]
    %3 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[128]
    %4 = arith.add %2, %3 : f32[128]
    memory.store %1, %4
    control.yield
  }
}
END
python -c "import numpy; numpy.save('x.npy', numpy.zeros(128, numpy.float32))"
pallasite run add_one.pir --arg x=x.npy --out out=y.npy
)sh",
    .handling = "validation",
    .validation = R"py(import numpy as np

expected = {"x": ((8, 128), np.float32)}
arrays = {"x": np.zeros((8, 128), np.float32)}
assert arrays.keys() == expected.keys()
for name, (shape, dtype) in expected.items():
    assert arrays[name].shape == shape and arrays[name].dtype == dtype, name
)py",
    .prevention = {{"save the inputs next to the module"}},
    .tags = {{"module", "shapes", "dtypes"}},
};

constinit const CatalogueEntry IrParse = {
    .slug = "module-text-cannot-be-read",
    .documentation =
        "The text of a `.pir` file is not what the grammar says at the place that is pointed at.",
    .triggers = "A file that was edited, cut short, or written by a version with another format.",
    .situations = "A kernel is reduced by hand for a bug report.",
    .solutions = {{"correct the text at the mark", "export the module again"}},
    .language = ExampleLanguage::Pir,
    .before = R"pir(pir 1

kernel @store_one {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    memory.store %0 i32(1)
    control.yield
  }
}
)pir",
    .after = R"pir(pir 1

kernel @store_one {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    memory.store %0, i32(1)
    control.yield
  }
}
)pir",
    .handling = "validation",
    .prevention = {{"reduce modules with the edit API, which keeps them well formed"}},
    .tags = {{"module", "syntax"}},
};

constinit const CatalogueEntry IrVerify = {
    .slug = "module-breaks-a-rule-of-an-op",
    .documentation =
        "The text of the module is well formed, but an op does not get what it states that it "
        "takes: types, "
        "shapes, attributes or regions do not fit.",
    .triggers = "A module that was edited by hand or generated by a program.",
    .situations = "A shape is changed in one place and not in the ops that follow.",
    .solutions = {{"change the op so that it fits its entry in the list of ops",
                   "export the module again from the Python kernel"}},
    .language = ExampleLanguage::Pir,
    .before = R"pir(pir 1

kernel @add {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = arith.add i32(1), f32(1.0) : i32
    memory.store %0, %1
    control.yield
  }
}
)pir",
    .after = R"pir(pir 1

kernel @add {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = arith.add i32(1), i32(1) : i32
    memory.store %0, %1
    control.yield
  }
}
)pir",
    .handling = "validation",
    .prevention = {{"verify after each edit"}},
    .tags = {{"module", "types"}},
};

}  // namespace pallasite::catalogue
