#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {
namespace {

// GMEM and SMEM are bounded by the same sentences.
constexpr std::array<ArgumentSpec, 10> kAccessArguments = {
    {{"ref"},
     {"access", ArgumentType::Box},
     {"shape", ArgumentType::Shape},
     {"source"},
     {"destination"},
     {"destination_access", ArgumentType::Box},
     {"input"},
     {"block", ArgumentType::Shape},
     {"iteration", ArgumentType::Shape}}};

constexpr std::string_view kKeepInside =
    "check how the index is made, and guard the last block with `pl.when` or a mask";

constexpr std::array<MessageVariant, 6> kAccessMessages = {{
    {"read", "Out-of-bounds read of `{ref}`: reading [{access}] but buffer has shape {shape}.",
     true},
    {"swap", "Out-of-bounds swap of `{ref}`: swapping [{access}] but buffer has shape {shape} .",
     true},
    {"masked-swap",
     "Out-of-bounds masked swap of `{ref}`: swapping [{access}] but buffer has shape {shape} .",
     true, "clear the mask wherever the index leaves the buffer"},
    {"store", "Out-of-bounds store of `{ref}`: writing [{access}] but buffer has shape {shape}.",
     true},
    {"copy",
     "Out-of-bounds copy from `{source}` to `{destination}`: copying [{access}] to "
     "[{destination_access}].",
     true, "copy a slice that lies inside both buffers"},
    {"block",
     "Out-of-bounds block index {block} for `{ref}`, input \"{input}\" in iteration {iteration}: "
     "reading "
     "[{access}] but input has shape {shape}.",
     true, "make the index map stay inside the input, or pad the input"},
}};

constexpr std::string_view kAccessSource =
    "jax/_src/pallas/mosaic_gpu/interpret/gpu_callbacks.py, `_handle_out_of_bounds_read` and "
    "`_swap`";

}  // namespace

constinit const KindFacts GmemOob = {
    .arguments = kAccessArguments,
    .messages = kAccessMessages,
    .label = "leaves the array here",
    .rule = "loads and stores of GMEM are not clipped; only TMA copies are",
    .help = kKeepInside,
    .source = kAccessSource,
};

constinit const KindFacts SmemOob = {
    .arguments = kAccessArguments,
    .messages = kAccessMessages,
    .label = "leaves the buffer here",
    .rule = "an access past the end of an SMEM buffer reaches its neighbour",
    .help = kKeepInside,
    .source = kAccessSource,
};

constinit const KindFacts SmemExhausted = {
    .verdict = Verdict::Resource,
    .arguments = {{{"smem_bytes", ArgumentType::Integer},
                   {"max_smem_bytes", ArgumentType::Integer},
                   {"chip"},
                   {"largest"}}},
    .messages = {{{"",
                   "Mosaic GPU kernel exceeds available shared memory: smem_bytes={smem_bytes} > "
                   "max_smem_bytes={max_smem_bytes}",
                   true}}},
    .label = "launched here",
    .rule = "a block of {chip} has {max_smem_bytes} bytes of shared memory",
    .help = "the largest allocation is {largest}; use smaller blocks or fewer pipeline steps",
    .source = "jax/experimental/mosaic/gpu/core.py, `_launch`",
};

constinit const KindFacts TmaOobPromise = {
    .arguments = {{{"ref"}, {"access", ArgumentType::Box}, {"shape", ArgumentType::Shape}}},
    .messages =
        {{{"",
           "copy of [{access}] from `{ref}` leaves its shape {shape}, though it was promised to "
           "stay inside"}}},
    .label = "copied here",
    .rule = "a copy with `PROMISE_IN_BOUNDS` is not checked by the hardware",
    .help = "drop the promise so that elements outside read as zero, or copy a smaller slice",
    .source = "jax/_src/pallas/mosaic_gpu/primitives.py, `copy_gmem_to_smem`",
};

constinit const KindFacts TmaUnawaitedRead = {
    .arguments = {{{"ref"}, {"thread", ArgumentType::Thread}}},
    .messages = {{
        {"",
         "`{ref}`: Not all copy_smem_to_gmem read-side operations completed before kernel finished "
         "on "
         "thread {thread:jax}.",
         true},
    }},
    .label = "copied from here and not awaited",
    .rule = "shared memory belongs to a block only until it exits",
    .help =
        "call `plgpu.wait_smem_to_gmem(0, wait_read_only=True)` on the thread that issued the copy",
    .source = "PTX ISA, cp.async.bulk.wait_group.read",
};

}  // namespace pallasite::kind_facts
