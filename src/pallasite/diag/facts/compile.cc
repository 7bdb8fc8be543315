#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts CompileRefused = {
    .arguments = {{{"text"}, {"chip"}, {"primitive"}}},
    .messages = {{
        {"refused", "JAX refuses this kernel for {chip}: {text}", true},
        {"primitive", "JAX refuses this kernel for {chip}: {text}", true,
         "no rule in JAX's Mosaic GPU lowering: the compiler for the chip refuses this kernel; "
         "write what `{primitive}` does with ops that have a rule, or do it outside of the "
         "kernel"},
        {"layout", "JAX refuses this kernel for {chip}: {text}", true,
         "give the values one layout: state it with `plgpu.layout_cast` where they meet, and "
         "the tiling and swizzle of a buffer that the op can read"},
    }},
    .label = "refused here",
    .rule = "JAX's Mosaic GPU lowering, asked for {chip}, has the last word on what compiles",
    .help = "change what the sentence names; values of a run on this machine say nothing of it",
    .source = "jax/_src/pallas/mosaic_gpu/lowering.py",
};

constinit const KindFacts CompileResources = {
    .verdict = Verdict::Resource,
    .arguments = {{{"text"}, {"chip"}}},
    .messages = {{{"", "JAX counts more than {chip} has: {text}", true}}},
    .label = "asked for here",
    .rule = "JAX's Mosaic GPU lowering, asked for {chip}, counts what a block needs",
    .help = "use smaller blocks, fewer pipeline steps, or scopes that do not nest",
    .source = "jax/experimental/mosaic/gpu/core.py",
};

}  // namespace pallasite::kind_facts
