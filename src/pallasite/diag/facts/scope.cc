#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts CtxUnknownAxis = {
    .arguments = {{{"axis"}, {"axes", ArgumentType::Names}}},
    .messages = {{{"", "Unable to determine axis index for axis name {axis}", true}}},
    .label = "named here",
    .rule = "an axis is one of the mesh's grid, cluster, thread or warp axes",
    .help = "the axes here are {axes}",
    .source = "jax/_src/pallas/mosaic_gpu/interpret/jaxpr_interpret.py, `_interpret_axis_index_p`",
};

constinit const KindFacts ScopeCollectiveAxes = {
    .arguments = {{{"thread_axis"}, {"axis"}, {"axes", ArgumentType::Names}}},
    .messages = {{
        {"missing-thread-axis",
         "Scoped allocation must have the thread axis in its collective axes.", true,
         "add `collective_axes=\"{thread_axis}\"` to this `run_scoped`"},
        {"cluster-axes", "Collective allocations along cluster axes are not supported.", true,
         "keep only the thread axis: `collective_axes=\"{thread_axis}\"`; blocks of a cluster "
         "reach each "
         "other's memory through a cluster barrier and peer refs"},
        {"no-thread-axis",
         "Requesting collective allocations, but no explicit thread axis specified.", true,
         "leave `collective_axes` out, or give the kernel a thread axis with `num_threads=` and "
         "`thread_name=`"},
        {"unknown-axis", "Collective axis `{axis}` not found among axes `{axes}`", true,
         "name the thread axis of the kernel; leave `collective_axes` out where there is none"},
        {"registers-collective",
         "Scoped allocations in MemorySpace.REGS cannot be collective allocations.", true,
         "leave `collective_axes` out: each thread has its own accumulator"},
        {"registers-mixed",
         "Scoped allocations in MemorySpace.REGS cannot be mixed with scoped allocations in other "
         "memory "
         "spaces.",
         true, "allocate the accumulator in a `run_scoped` of its own"},
    }},
    .label = "allocated here",
    .rule =
        "in a kernel with a thread axis, buffers and barriers of a scope are shared by all threads "
        "of "
        "the block; only accumulators in registers belong to one thread",
    .source = "jax/_src/pallas/mosaic_gpu/lowering.py, `_run_scoped_lowering_rule`",
};

constinit const KindFacts ScopeDivergentAlloc = {
    .arguments = {{{"thread", ArgumentType::Thread},
                   {"allocation"},
                   {"other", ArgumentType::Thread},
                   {"other_allocation"}}},
    .messages = {{{"",
                   "{thread} allocates {allocation} where {other} allocates {other_allocation}"}}},
    .label = "allocated here",
    .rule = "all threads of a block go through the same sequence of shared allocations",
    .help = "move the `run_scoped` out of the branch, and branch inside of it",
    .source =
        "jax/_src/pallas/mosaic_gpu/lowering.py, `_run_scoped_lowering_rule`: block-wide barrier "
        "on "
        "entry",
};

}  // namespace pallasite::kind_facts
