#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry SchedDeadlock = {
    .slug = "deadlock-threads-wait-and-none-is-left-to-wake-them",
    .documentation =
        "Every thread that has not ended waits, and no copy or matrix product in flight can end a "
        "wait. On "
        "a GPU the kernel would hang. The table shows for each thread what it waits on, which "
        "phase, and "
        "how many arrivals and bytes came of those expected; the row where they differ is the "
        "place to "
        "look.",
    .triggers =
        "A wait on a barrier that gets fewer arrivals or bytes per phase than it counts, or "
        "threads "
        "that wait for each other in a circle.",
    .situations =
        "`num_arrivals` counts threads that do not arrive on every path; a producer and a consumer "
        "that both wait first; a loop that waits once more than its partner arrives; a copy into "
        "a barrier whose count leaves out the copy.",
    .solutions = {{"make `num_arrivals` the number of arrivals that come in each phase",
                   "let one side of a producer-consumer pair start without waiting",
                   "give both sides of a barrier the same number of iterations"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, ready):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(ready)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(ready)
        out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=2)],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, ready):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.barrier_arrive(ready)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(ready)
        out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((128,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=1)],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"draw for each barrier who arrives, who waits, and how often",
                    "run the kernel with one, two and three iterations: many hangs need no more"}},
    .tags = {{"deadlock", "barrier", "scheduling"}},
};

constinit const CatalogueEntry SchedLivelock = {
    .slug = "livelock-threads-poll-in-vain",
    .documentation =
        "All threads that are left ask again and again whether something has happened, in a full "
        "round "
        "nothing changed, and nothing is in flight that could change it. On a GPU the kernel would "
        "spin "
        "without end.",
    .triggers =
        "A loop around a test of a barrier, a semaphore or a flag in memory, where the thread that "
        "should signal has ended or waits itself.",
    .situations =
        "The signal goes to another element than the one that is polled; the signalling thread "
        "takes a path without the signal.",
    .solutions = {{"signal on every path of the other thread", "poll the element that is signalled",
                   "wait on a barrier instead of polling"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        out_ref[1] = 1

    @pl.when(wg == 1)
    def _():
        jax.lax.while_loop(lambda flag: flag != 1, lambda flag: out_ref[0], out_ref[0])
        out_ref[1] = 2


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref, ready):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        out_ref[0] = 1
        plgpu.barrier_arrive(ready)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(ready)
        out_ref[1] = 2


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier()],
        num_threads=2,
        thread_name="wg",
    )()
)py",
    .handling = "fix-kernel",
    .prevention = {{"prefer a wait to a poll: a wait names what is missing"}},
    .tags = {{"livelock", "polling", "scheduling"}},
};

constinit const CatalogueEntry RunStepLimit = {
    .slug = "run-stopped-at-its-limit-of-steps",
    .documentation =
        "The run took as many steps as `max_steps` allows and was stopped. The verdict is "
        "`incomplete`: "
        "nothing was found up to here, and nothing is known of the rest.",
    .triggers = "A loop that does not end, or `max_steps` below what the kernel needs.",
    .situations =
        "A limit set for small tests is used on real shapes; a `while` loop whose condition never "
        "turns false.",
    .solutions =
        {{"raise `max_steps` or leave it out", "use smaller inputs that go through the same code",
          "look at the lines where the threads were: a loop that does not end shows there"}},
    .language = ExampleLanguage::Shell,
    .before = R"sh(cat > count.pir <<'END'
pir 1

kernel @count {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      %3 = arith.lt %2, i32(1000) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.add %4, i32(1) : i32
      control.yield %5
    } : i32
    memory.store %0, %1
    control.yield
  }
}
END
pallasite run --max-steps 100 count.pir
)sh",
    .after = R"sh(cat > count.pir <<'END'
pir 1

kernel @count {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      %3 = arith.lt %2, i32(1000) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.add %4, i32(1) : i32
      control.yield %5
    } : i32
    memory.store %0, %1
    control.yield
  }
}
END
pallasite run --max-steps 100000 count.pir
)sh",
    .handling = "rerun",
    .prevention = {{"set the limit from a run that ended, with room to spare"}},
    .tags = {{"limits", "incomplete"}},
};

constinit const CatalogueEntry RunInterrupted = {
    .slug = "run-interrupted",
    .documentation =
        "The run was stopped from outside, by Ctrl-C or a time limit. The verdict is `incomplete`: "
        "nothing "
        "is known of what the kernel would have done next.",
    .triggers = "An interrupt signal during a run.",
    .situations = "A kernel takes longer than expected, and one wants to see where it is.",
    .solutions = {{"run it again and let it end",
                   "use smaller inputs that go through the same code"}},
    .language = ExampleLanguage::Shell,
    .before = R"sh(cat > count.pir <<'END'
pir 1

kernel @count {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      %3 = arith.ge %2, i32(0) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.add %4, i32(1) : i32
      control.yield %5
    } : i32
    memory.store %0, %1
    control.yield
  }
}
END
timeout --signal=INT 10 pallasite run count.pir
)sh",
    .after = R"sh(cat > count.pir <<'END'
pir 1

kernel @count {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32>
  body {
    %1 = control.while i32(0) {
      (%2: i32)
      %3 = arith.lt %2, i32(1000) : bool
      control.yield %3
    } {
      (%4: i32)
      %5 = arith.add %4, i32(1) : i32
      control.yield %5
    } : i32
    memory.store %0, %1
    control.yield
  }
}
END
timeout --signal=INT 600 pallasite run count.pir
)sh",
    .handling = "rerun",
    .prevention = {{"try a kernel on its smallest shapes first"}},
    .tags = {{"interrupt", "incomplete"}},
};

constinit const CatalogueEntry SchedReplayMismatch = {
    .slug = "replayed-schedule-does-not-fit",
    .documentation =
        "A recorded schedule says which of the events that could happen was picked each time. At "
        "the "
        "choice named here other events are possible than when it was recorded, so the recording "
        "is "
        "not one of this run.",
    .triggers = "A replay with another kernel, other inputs or other options than the recording.",
    .situations = "The kernel was edited after the schedule had been recorded.",
    .solutions = {{"record the schedule again", "replay with the module that was recorded"}},
    .language = ExampleLanguage::Shell,
    .before = R"sh(cat > k.pir <<'END'
pir 1

kernel @hand_over {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "ready": barrier<[], arrivals=1>)
      control.cond %1 {
        memory.store %0, i32(1)
        barrier.arrive %2
        control.yield
      } {
        barrier.wait %2
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
END
pallasite run k.pir --schedule random --seed 3 --record schedule.json
sed 's/i32(1)/i32(2)/' k.pir > edited.pir
pallasite run edited.pir --replay schedule.json
)sh",
    .after = R"sh(cat > k.pir <<'END'
pir 1

kernel @hand_over {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, i32>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "ready": barrier<[], arrivals=1>)
      control.cond %1 {
        memory.store %0, i32(1)
        barrier.arrive %2
        control.yield
      } {
        barrier.wait %2
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
END
pallasite run k.pir --schedule random --seed 3 --record schedule.json
pallasite run k.pir --replay schedule.json
)sh",
    .handling = "rerun",
    .prevention = {{"keep the module beside the schedule"}},
    .tags = {{"schedule", "replay"}},
};

constinit const CatalogueEntry RunUnsupported = {
    .slug = "cannot-run-an-op",
    .documentation =
        "The kernel uses an op, or an op in a form, that pallasite does not run. It is not "
        "skipped, since "
        "every value after it would be a guess: the kernel is not run, and the verdict says "
        "nothing "
        "about whether it is right.",
    .triggers =
        "An op or a combination of its parameters that is not in the list of ops, for example "
        "`plgpu.inline_mgpu`, whose body is code for the GPU only.",
    .situations = "A library drops to inline code for speed; a new version of JAX brings a new op.",
    .solutions = {{"write the step with ops that are in the list",
                   "check the rest of the kernel without it",
                   "report the op with the smallest kernel that uses it"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    @plgpu.inline_mgpu()
    def do_nothing(context):
        del context

    do_nothing()
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))()
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(out_ref):
    out_ref[...] = jnp.ones((128,), jnp.int32)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))()
)py",
    .handling = "report",
    .prevention = {{"keep inline code in small functions that can be replaced"}},
    .tags = {{"unsupported"}},
};

constinit const CatalogueEntry RunInternal = {
    .exemption =
        "a bug of pallasite has no known kernel that shows it, or it would be repaired; export "
        "the kernel with its inputs and send it",
};

constinit const CatalogueEntry AssumeMultipleOf = {
    .slug = "value-is-not-the-multiple-it-was-promised-to-be",
    .documentation =
        "`pl.multiple_of(x, n)` promises the compiler that x divides by n, so that it may drop the "
        "low bits "
        "from address arithmetic. This value does not, and the GPU would access another place.",
    .triggers = "`pl.multiple_of` of a value that is no multiple of the factor.",
    .situations =
        "Offsets from data, such as group starts, which are aligned in the usual inputs only; a "
        "factor that was not changed with the block size.",
    .solutions = {{"promise a factor that all values have", "round the value to the factor",
                   "remove the promise"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    i = jax.lax.axis_index("x")
    start = pl.multiple_of(i * 100, 128)
    out_ref[i] = x_ref[pl.ds(start, 128)]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32),
        grid=(2,),
        grid_names=("x",),
    )(jnp.ones((256,), jnp.float32))
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, out_ref):
    i = jax.lax.axis_index("x")
    start = pl.multiple_of(i * 128, 128)
    out_ref[i] = x_ref[pl.ds(start, 128)]


def run():
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32),
        grid=(2,),
        grid_names=("x",),
    )(jnp.ones((256,), jnp.float32))
)py",
    .handling = "validation",
    .validation = R"py(starts, factor = [0, 128, 256], 128
if any(start % factor for start in starts):
    raise ValueError(f"not all starts are multiples of {factor}")
)py",
    .prevention = {{"write the promise where the value is made, from the same constant"}},
    .tags = {{"promise", "indexing"}},
};

}  // namespace pallasite::catalogue
