#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts LaunchClusterSize = {
    .arguments = {{{"cluster", ArgumentType::Shape},
                   {"blocks", ArgumentType::Integer},
                   {"limit", ArgumentType::Integer},
                   {"grid", ArgumentType::Shape}}},
    .messages = {{
        {"too-large", "cluster {cluster} has {blocks} blocks, more than {limit}", false,
         "use a cluster of at most {limit} blocks"},
        {"not-divisible", "grid {grid} is not a multiple of cluster {cluster}", false,
         "make every dimension of the grid a multiple of the cluster's"},
    }},
    .label = "launched here",
    .rule = "a cluster must fit into one group of processors of the chip",
    .source = "CUDA programming guide, thread block clusters",
};

constinit const KindFacts LaunchThreads = {
    .arguments = {{{"threads", ArgumentType::Integer},
                   {"limit", ArgumentType::Integer},
                   {"warpgroups", ArgumentType::Integer}}},
    .messages = {{{"",
                   "a block of {warpgroups} warpgroups has {threads} threads, more than {limit}"}}},
    .label = "launched here",
    .rule = "one Pallas thread is a warpgroup, which is 128 hardware threads",
    .help = "lower `num_threads`",
    .source = "CUDA programming guide, compute capabilities: maximum number of threads per block",
};

constinit const KindFacts ModuleArgument = {
    .arguments = {{{"name"},
                   {"expected_shape", ArgumentType::Shape},
                   {"shape", ArgumentType::Shape},
                   {"expected_dtype"},
                   {"dtype"},
                   {"names", ArgumentType::Names}}},
    .messages = {{
        {"shape", "argument `{name}` has shape {shape}, and the kernel takes {expected_shape}",
         false, "pass an array of shape {expected_shape}"},
        {"dtype",
         "argument `{name}` has element type {dtype}, and the kernel takes {expected_dtype}", false,
         "convert the array to {expected_dtype}"},
        {"unknown", "the kernel has no argument `{name}`", false, "its arguments are {names}"},
        {"missing", "argument `{name}` is missing", false, "the kernel takes {names}"},
    }},
    .label = "declared here",
    .rule = "a module runs on arrays of exactly the shapes and element types it was traced with",
    .source = "docs of the module format",
};

constinit const KindFacts MmaDtype = {
    .arguments = {{{"op"}, {"a"}, {"b"}, {"accumulator"}}},
    .messages = {{{"", "`{op}` multiplies {a} by {b} into {accumulator}, which it cannot"}}},
    .label = "multiplied here",
    .rule =
        "operands in f16 or 8-bit floats go into f16 or f32, in bf16 or f32 into f32, in i8 into "
        "i32",
    .help = "accumulate in one of those, and convert the result or the operands",
    .source = "PTX ISA, wgmma.mma_async and tcgen05.mma: data types",
};

constinit const KindFacts MmaShape = {
    .arguments = {{{"op"},
                   {"a", ArgumentType::Shape},
                   {"b", ArgumentType::Shape},
                   {"accumulator", ArgumentType::Shape},
                   {"reason"}}},
    .messages = {{{"", "`{op}` of {a} by {b} into {accumulator}: {reason}"}}},
    .label = "multiplied here",
    .rule =
        "a warpgroup multiplies whole tiles: 64 rows, 8 to 256 columns in steps of 8, 32 bytes of "
        "the contracted dimension",
    .help = "choose blocks whose m, n and k the instruction can tile",
    .source = "PTX ISA, wgmma.mma_async and tcgen05.mma: matrix shapes",
};

constinit const KindFacts RegsSetmaxnreg = {
    .arguments = {{{"registers", ArgumentType::Integer},
                   {"current", ArgumentType::Integer},
                   {"action"}}},
    .messages = {{
        {"range", "`set_max_registers` of {registers}, which is no multiple of 8 in 24 to 256",
         false, "round {registers} to a multiple of 8 in that range"},
        {"direction", "`set_max_registers` would {action} from {current} to {registers} registers",
         false, "swap `action`, or choose a number on the other side of {current}"},
    }},
    .label = "asked for here",
    .rule = "a warpgroup gives registers back or takes more, in multiples of 8 between 24 and 256",
    .source = "PTX ISA, setmaxnreg",
};

}  // namespace pallasite::kind_facts
