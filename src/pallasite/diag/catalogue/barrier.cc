#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry BarrierUnobservedPhase = {
    .slug = "barrier-completed-phase-1-but-no-threads-observed-phase-0",
    .documentation =
        "The barrier collected all its arrivals twice, and no thread had waited for the first "
        "time. A "
        "barrier only orders what comes before an arrival with what comes after a wait; with no "
        "wait "
        "there is no order, and whoever waits later cannot tell the two completions apart.",
    .triggers =
        "Two rounds of `barrier_arrive` (or of copies that arrive) without a `barrier_wait` by any "
        "thread in between.",
    .situations =
        "`num_arrivals` is smaller than the number of threads or copies that arrive, so that one "
        "intended round counts as several; the wait stands in a branch that no thread takes; a "
        "loop arrives once more than it waits.",
    .solutions = {{"let a thread wait on the barrier once for each round of arrivals",
                   "set `num_arrivals` to the number of arrivals that make up one round",
                   "remove the barrier if nothing depends on it"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    wg = jax.lax.axis_index("wg")
    plgpu.barrier_arrive(barrier)
    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=1)],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    wg = jax.lax.axis_index("wg")
    plgpu.barrier_arrive(barrier)
    plgpu.barrier_wait(barrier)
    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=2)],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention =
        {{"count arrivals per round on paper: threads that arrive plus copies that arrive",
          "write the arrive and the wait of a barrier next to each other first, then move them "
          "into their roles"}},
    .tags = {{"barrier", "phase", "synchronisation"}},
};

constinit const CatalogueEntry BarrierMissedPhase = {
    .slug = "thread-missed-observing-a-phase-of-a-barrier",
    .documentation =
        "A thread that had waited on the barrier before did not wait for one of its phases. A wait "
        "tests "
        "one bit of parity, so a thread that is two phases behind takes a later completion for the "
        "one "
        "it wants, or waits for one that is long gone.",
    .triggers =
        "The barrier completes a further phase while a thread that takes part in it has not yet "
        "waited for the phase before the last one.",
    .situations =
        "A producer fills a buffer again without waiting until every consumer is done with it; "
        "one of several consumers leaves the loop early; an empty-slot barrier counts only one "
        "of two consumers.",
    .solutions =
        {{"give the producer a barrier to wait on, and let every consumer arrive at it",
          "set `num_arrivals` of that barrier to the number of consumers",
          "let every thread that takes part wait in every phase, also when it has no work"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, full, seen, started):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(full)
        plgpu.barrier_wait(started)

        @pl.loop(0, 3)
        def _(i):
            plgpu.barrier_wait(seen)
            plgpu.barrier_arrive(full)

    @pl.when(wg == 1)
    def _():
        @pl.loop(0, 3)
        def _(i):
            plgpu.barrier_wait(full)
            plgpu.barrier_arrive(seen)

        plgpu.barrier_wait(full)

    @pl.when(wg == 2)
    def _():
        plgpu.barrier_wait(full)
        plgpu.barrier_arrive(started)

    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((3,), jnp.int32),
        scratch_types=[plgpu.Barrier(), plgpu.Barrier(), plgpu.Barrier()],
        num_threads=3,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, full, seen):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(full)

        @pl.loop(0, 3)
        def _(i):
            plgpu.barrier_wait(seen)
            plgpu.barrier_arrive(full)

    @pl.when(wg > 0)
    def _():
        @pl.loop(0, 3)
        def _(i):
            plgpu.barrier_wait(full)
            plgpu.barrier_arrive(seen)

        plgpu.barrier_wait(full)

    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((3,), jnp.int32),
        scratch_types=[plgpu.Barrier(), plgpu.Barrier(num_arrivals=2)],
        num_threads=3,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention =
        {{"pair every barrier that says full with one that says empty",
          "let the number of waits of a thread depend on the loop only, not on the data"}},
    .tags = {{"barrier", "phase", "producer-consumer"}},
};

constinit const CatalogueEntry BarrierLateFirstWait = {
    .slug = "thread-waits-for-the-first-time-but-barrier-is-already-at-a-later-phase",
    .documentation =
        "A thread waits on the barrier for the first time after it has completed more than once. A "
        "first "
        "wait asks for phase 0 by its parity; that bit now belongs to a later phase, so the wait "
        "ends at "
        "once or never, by chance.",
    .triggers =
        "The first `barrier_wait` of a thread on a barrier that has two or more completions behind "
        "it.",
    .situations =
        "A thread joins a pipeline late, for example only for the epilogue, and uses the barrier "
        "of the main loop; a barrier is shared by two stages that follow each other.",
    .solutions = {{"give the late thread a barrier of its own, which completes when it is to start",
                   "let the thread wait from the first phase on",
                   "let the arriving thread wait for the late one before it arrives again"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, step, last):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(step)
        plgpu.barrier_wait(step)
        plgpu.barrier_arrive(step)
        plgpu.barrier_wait(step)
        plgpu.barrier_arrive(last)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(last)
        plgpu.barrier_wait(step)

    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier(), plgpu.Barrier()],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, step, last):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(step)
        plgpu.barrier_wait(step)
        plgpu.barrier_arrive(step)
        plgpu.barrier_wait(step)
        plgpu.barrier_arrive(last)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(last)

    out_ref[wg] = wg


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier(), plgpu.Barrier()],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"use a barrier for one purpose and one set of waiters",
                    "give each stage of a pipeline its own element of a barrier array"}},
    .tags = {{"barrier", "phase", "parity"}},
};

constinit const CatalogueEntry BarrierPendingAtDealloc = {
    .slug = "barrier-deallocated-with-arrivals-pending",
    .documentation =
        "The scope of a barrier ended while one of its phases had some of its arrivals or bytes, "
        "but not "
        "all. Either an arrival is missing, and a waiter would have waited forever, or one is too "
        "many; "
        "and the storage of the barrier is used again by the next scope in that half-filled state.",
    .triggers =
        "The number of arrivals on a barrier in its scope is not a multiple of `num_arrivals`, or "
        "a "
        "copy into it has not delivered its bytes when the scope ends.",
    .situations =
        "A branch arrives on some paths only; `num_arrivals` was raised for a second consumer "
        "that does not arrive yet; the last copy of a pipeline is issued and never waited for.",
    .solutions = {{"set `num_arrivals` to the arrivals that one phase really gets",
                   "arrive on every path", "wait for the last copy before the scope ends"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    plgpu.barrier_arrive(barrier)
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=2)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    plgpu.barrier_arrive(barrier)
    plgpu.barrier_wait(barrier)
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=1)],
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"end every scope with a wait for the last phase of its barriers"}},
    .tags = {{"barrier", "scope", "num_arrivals"}},
};

constinit const CatalogueEntry BarrierReallocUnobserved = {
    .slug = "thread-allocated-a-barrier-after-deallocating-one-it-had-not-observed-to-its-end",
    .documentation =
        "A scope ended while a thread that waits on its barrier had not seen the last completion, "
        "and the "
        "thread then opened another scope with a barrier. Barriers of equal kind are used again, "
        "and "
        "each thread keeps in a register which parity it expects next; after the skipped phase "
        "that "
        "register is wrong for the new barrier.",
    .triggers =
        "Two `run_scoped` with barriers, one after the other, where a thread waits on the first "
        "barrier fewer times than it completes.",
    .situations =
        "The last arrival of a pipeline tells the producer that a slot is empty, and the producer "
        "has nothing left to load, so it does not wait for it.",
    .solutions = {{"wait for every completion before the scope ends",
                   "do not arrive in the last iteration if nobody needs it",
                   "allocate both barriers in one scope"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    def first(barrier):
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)
        plgpu.barrier_arrive(barrier)

    def second(barrier):
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)

    pl.run_scoped(first, plgpu.Barrier())
    pl.run_scoped(second, plgpu.Barrier())
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    def first(barrier):
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)

    def second(barrier):
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)

    pl.run_scoped(first, plgpu.Barrier())
    pl.run_scoped(second, plgpu.Barrier())
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))()
)py",
    .handling = "fix-kernel",
    .prevention = {{"let a thread wait exactly as often as its barriers complete",
                    "allocate barriers once per kernel, as `scratch_types`"}},
    .tags = {{"barrier", "scope", "phase"}},
};

constinit const CatalogueEntry BarrierIndex = {
    .slug = "operation-on-a-barrier-array-does-not-select-one-barrier",
    .documentation =
        "A `plgpu.Barrier` with `num_barriers` above one is an array. Arrivals, waits and copies "
        "act on "
        "one barrier, so the array has to be indexed, with an index inside of it.",
    .triggers =
        "An array of barriers passed to `barrier_arrive`, `barrier_wait` or a copy without "
        "`.at[...]`, with too few indices, or with an index at or past `num_barriers`.",
    .situations =
        "A kernel grows from one buffer to several and the barrier becomes an array; a slot "
        "counter runs on without being taken modulo the number of slots.",
    .solutions = {{"index the array: `barrier.at[slot]`",
                   "compute the slot as `step % num_barriers`",
                   "declare a single barrier if only one is used"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barriers):
    plgpu.barrier_arrive(barriers)
    plgpu.barrier_wait(barriers)
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_barriers=2)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barriers):
    plgpu.barrier_arrive(barriers.at[0])
    plgpu.barrier_wait(barriers.at[0])
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_barriers=2)],
    )()
)py",
    .handling = "validation",
    .validation = R"py(import jax.numpy as jnp


def slot_of(step, num_barriers):
    return jnp.asarray(step) % num_barriers


assert slot_of(5, num_barriers=2) == 1
)py",
    .prevention = {{"name arrays of barriers in the plural, so that a missing index is seen"}},
    .tags = {{"barrier", "indexing"}},
};

constinit const CatalogueEntry BarrierArraySize = {
    .slug = "barrier-array-holds-more-barriers-than-a-thread-can-track",
    .documentation =
        "Each thread keeps the parity it expects next of every barrier of an array in one 32-bit "
        "register. An array of more barriers has no place for the rest.",
    .triggers = "`plgpu.Barrier(num_barriers=n)` or `plgpu.ClusterBarrier` with n above 32.",
    .situations = "One barrier for each tile instead of one for each slot of a pipeline.",
    .solutions = {{"use one barrier for each buffer and reuse it, phase after phase",
                   "split the array into several"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barriers):
    plgpu.barrier_arrive(barriers.at[32])
    plgpu.barrier_wait(barriers.at[32])
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_barriers=33)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barriers):
    plgpu.barrier_arrive(barriers.at[31])
    plgpu.barrier_wait(barriers.at[31])
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_barriers=32)],
    )()
)py",
    .handling = "validation",
    .validation = R"py(num_barriers = 32
if not 1 <= num_barriers <= 32:
    raise ValueError(f"a barrier array holds 1 to 32 barriers, not {num_barriers}")
)py",
    .prevention = {{"tie the number of barriers to the number of buffers"}},
    .tags = {{"barrier", "limits"}},
};

constinit const CatalogueEntry BarrierCountRange = {
    .slug = "barrier-counts-more-arrivals-than-the-hardware-can",
    .documentation =
        "The hardware counts the pending arrivals of a barrier in 20 bits. A larger count does not "
        "fit. With `lowering_semantics` set to `Lane`, each arrival of a Pallas thread is one for "
        "each of its 128 hardware threads, and the limit is so much lower.",
    .triggers = "`plgpu.Barrier(num_arrivals=n)` with n above 1048575.",
    .situations =
        "`num_arrivals` computed from the number of elements or bytes rather than of arrivals.",
    .solutions =
        {{"set `num_arrivals` to the number of threads and copies that arrive in one phase",
          "leave bytes out of it: copies count those themselves"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=1024 * 1024)],
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, barrier):
    plgpu.barrier_arrive(barrier)
    plgpu.barrier_wait(barrier)
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=1)],
    )()
)py",
    .handling = "validation",
    .validation = R"py(num_arrivals = 2
if not 1 <= num_arrivals < 2**20:
    raise ValueError(f"a barrier cannot count {num_arrivals} arrivals per phase")
)py",
    .prevention = {{"write `num_arrivals` as a sum of named parts: consumers, producers, copies"}},
    .tags = {{"barrier", "limits", "num_arrivals"}},
};

constinit const CatalogueEntry BarrierOverArrive = {
    .slug = "arrival-at-a-phase-that-has-all-its-arrivals",
    .documentation =
        "The phase had all its arrivals and still waited for bytes of a copy when another arrival "
        "came. The pending count of the hardware goes below zero, and from then on the barrier "
        "completes at moments that have nothing to do with the kernel. Copies have to be under way "
        "for this, so a run with `async_values` set to `eager` completes the phase early and calls "
        "it `barrier.unobserved-phase`.",
    .triggers =
        "More arrivals than `num_arrivals` while a copy into the same phase is under way: each "
        "`copy_gmem_to_smem` arrives once by itself.",
    .situations =
        "A second copy is added to a barrier and `num_arrivals` stays 1; a thread arrives by hand "
        "on the barrier of its own copy.",
    .solutions = {{"set `num_arrivals` to the number of copies and threads that arrive per phase",
                   "give each copy a barrier of its own",
                   "drop the `barrier_arrive` that repeats what the copy does"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite


def kernel(x_ref, y_ref, out_ref, x, y, loaded):
    plgpu.copy_gmem_to_smem(x_ref, x, loaded)
    plgpu.copy_gmem_to_smem(y_ref, y, loaded)
    plgpu.barrier_wait(loaded)
    out_ref[...] = x[...] + y[...]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128,), jnp.float32),
            plgpu.SMEM((128,), jnp.float32),
            plgpu.Barrier(num_arrivals=1),
        ],
        interpret=pallasite.Params(async_values="late"),
    )(jnp.ones((128,), jnp.float32), jnp.ones((128,), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite


def kernel(x_ref, y_ref, out_ref, x, y, loaded):
    plgpu.copy_gmem_to_smem(x_ref, x, loaded)
    plgpu.copy_gmem_to_smem(y_ref, y, loaded)
    plgpu.barrier_wait(loaded)
    out_ref[...] = x[...] + y[...]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128,), jnp.float32),
            plgpu.SMEM((128,), jnp.float32),
            plgpu.Barrier(num_arrivals=2),
        ],
        interpret=pallasite.Params(async_values="late"),
    )(jnp.ones((128,), jnp.float32), jnp.ones((128,), jnp.float32))
)py",
    .handling = "fix-kernel",
    .prevention =
        {{"name the copies of a barrier in a list, and let `num_arrivals` be its length"}},
    .tags = {{"barrier", "num_arrivals", "tma"}},
};

constinit const CatalogueEntry BarrierTxOverflow = {
    .slug = "phase-has-more-bytes-pending-than-a-barrier-counts",
    .documentation =
        "A barrier counts the bytes that its phase still waits for in 20 bits and a sign. Copies "
        "of a mebibyte and more in one phase overflow it, and the phase completes too early. "
        "Copies have to be under way for this, as in a run with `async_values` set to `late`.",
    .triggers =
        "`copy_gmem_to_smem` of 1048576 bytes or more in all on one barrier before it is waited "
        "for. Shared memory is smaller than that, so some copies overwrite others.",
    .situations =
        "A loop loads all tiles of a large operand and the wait stands behind the loop; several "
        "stages of a pipeline share one barrier.",
    .solutions = {{"wait once for each tile, before the next one is loaded",
                   "give each stage its own element of a barrier array"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

STEPS = 5


def kernel(x_ref, out_ref, tile, loaded):
    for i in range(STEPS):
        plgpu.copy_gmem_to_smem(x_ref.at[i], tile, loaded)
    plgpu.barrier_wait(loaded)
    out_ref[...] = tile[0]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=[
            plgpu.SMEM((220, 256), jnp.float32),
            plgpu.Barrier(num_arrivals=STEPS),
        ],
        interpret=pallasite.Params(async_values="late"),
    )(jnp.ones((STEPS, 220, 256), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite

STEPS = 5


def kernel(x_ref, out_ref, tile, loaded):
    for i in range(STEPS):
        plgpu.copy_gmem_to_smem(x_ref.at[i], tile, loaded)
        plgpu.barrier_wait(loaded)
    out_ref[...] = tile[0]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=[plgpu.SMEM((220, 256), jnp.float32), plgpu.Barrier()],
        interpret=pallasite.Params(async_values="late"),
    )(jnp.ones((STEPS, 220, 256), jnp.float32))
)py",
    .handling = "fix-kernel",
    .prevention = {{"let a phase of a barrier stand for one stage of the pipeline"}},
    .tags = {{"barrier", "limits", "tma"}},
};

}  // namespace pallasite::catalogue
