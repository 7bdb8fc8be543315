#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts BarrierArraySize = {
    .arguments = {{{"ref"},
                   {"num_barriers", ArgumentType::Integer},
                   {"limit", ArgumentType::Integer}}},
    .messages = {{{"", "`{ref}` holds {num_barriers} barriers, more than {limit}"}}},
    .label = "allocated here",
    .rule = "the phases a thread waits for are bits of one 32-bit register per barrier array",
    .help = "split `{ref}` into several arrays of at most {limit} barriers",
    .source = "Mosaic GPU `BarrierRef`: one phase register per array",
};

constinit const KindFacts BarrierCountRange = {
    .arguments = {{{"ref"},
                   {"count", ArgumentType::Integer},
                   {"minimum", ArgumentType::Integer},
                   {"maximum", ArgumentType::Integer}}},
    .messages =
        {{{"", "`{ref}` counts {count} arrivals per phase, outside of {minimum} to {maximum}"}}},
    .label = "allocated here",
    .rule = "an mbarrier counts the pending arrivals of a phase in 20 bits",
    .help = "let fewer threads arrive, or give each group of them a barrier of its own",
    .source = "PTX ISA, mbarrier: valid range of the pending count",
};

constinit const KindFacts BarrierIndex = {
    .arguments = {{{"ref"},
                   {"num_barriers", ArgumentType::Integer},
                   {"index", ArgumentType::Shape},
                   {"selection"},
                   {"shape", ArgumentType::Shape}}},
    .messages = {{
        {"missing",
         "`{ref}`: Attempting to operate on barrier without indexing, but `num_barriers = "
         "{num_barriers}`",
         true, "pick one barrier of the array with `.at[i]`"},
        {"partial",
         "`{ref}`: Index {selection} does not select one barrier of an array of {shape} barriers.",
         true, "give one index per dimension of the array"},
        {"out-of-range", "index {index} into `{ref}` is outside of its shape {shape}", false,
         "take the index modulo the number of barriers"},
    }},
    .label = "used here",
    .rule = "an operation on a barrier acts on exactly one barrier of the array",
    .source =
        "jax/_src/pallas/mosaic_gpu/interpret/jaxpr_interpret.py, "
        "`_get_barrier_allocation_key_from_inval`",
};

constinit const KindFacts BarrierLateFirstWait = {
    .arguments = {{{"ref"},
                   {"index", ArgumentType::Integer},
                   {"thread", ArgumentType::Thread},
                   {"phase", ArgumentType::Integer}}},
    .messages =
        {{{"",
           "`{ref}`: Thread {thread:jax} is waiting at barrier {index} for the first time, but "
           "barrier is already at phase {phase}. Any thread that participates in the barrier "
           "must do so in all phases.",
           true}}},
    .label = "waits here for the first time",
    .rule =
        "a wait tests the parity of one phase, so a thread that skips phases reads the parity of "
        "the wrong one",
    .help = "wait in every phase, or give the late thread a barrier of its own",
    .source =
        "PTX ISA, mbarrier.test_wait with .parity: only the current and the preceding phase can be "
        "told apart",
};

constinit const KindFacts BarrierMissedPhase = {
    .arguments = {{{"ref"},
                   {"thread", ArgumentType::Thread},
                   {"observed", ArgumentType::Integer},
                   {"completed", ArgumentType::Integer},
                   {"missed", ArgumentType::Integer},
                   {"phase", ArgumentType::Integer}}},
    .messages = {{
        {"arrive",
         "`{ref}`: Thread {thread:jax} only observed barrier up to phase {observed}, but barrier "
         "completed up to phase {completed}, meaning thread {thread:jax} missed observing phase "
         "{missed}.",
         true},
        {"wait",
         "`{ref}`: Thread {thread:jax} is awaiting phase {missed}, but barrier is already at phase "
         "{phase}, which violates the invariant that threads must observe each barrier completion "
         "before any arrivals in the next phase.",
         true},
    }},
    .rule = "a waiter must see a phase complete before the arrivals of the next phase begin",
    .help =
        "let the arriving thread wait on a second barrier that the waiter arrives at once it has "
        "seen `{ref}` complete",
    .source =
        "PTX ISA, mbarrier.test_wait with .parity: only the current and the preceding phase can be "
        "told apart",
};

constinit const KindFacts BarrierOverArrive = {
    .arguments = {{{"ref"},
                   {"phase", ArgumentType::Integer},
                   {"arrivals", ArgumentType::Integer},
                   {"expected", ArgumentType::Integer}}},
    .messages = {{{"", "arrival {arrivals} at phase {phase} of `{ref}`, which takes {expected}"}}},
    .label = "arrives here",
    .rule = "the pending count of a phase must not go below zero",
    .help =
        "set `num_arrivals` of `{ref}` to the number of threads and copies that arrive per phase",
    .source = "PTX ISA, mbarrier.arrive: the count argument may not exceed the pending count",
};

constinit const KindFacts BarrierPendingAtDealloc = {
    .arguments = {{{"ref"}, {"arrivals", ArgumentType::Integer}, {"bytes", ArgumentType::Integer}}},
    .messages = {{
        {"arrivals", "`{ref}`: Barrier deallocated with {arrivals} arrivals pending.", true},
        {"bytes", "`{ref}`: Barrier deallocated with {bytes} bytes pending.", true},
    }},
    .label = "the scope of the barrier ends here",
    .rule = "the storage of a barrier may be used again only when no phase of it is partly filled",
    .help =
        "make `num_arrivals` of `{ref}` divide the number of arrivals in its scope, and wait for "
        "the "
        "last phase before the scope ends",
    .source =
        "jax/_src/pallas/mosaic_gpu/interpret/shared_memory.py, `Barrier.deallocate`; PTX ISA, "
        "mbarrier.inval",
};

constinit const KindFacts BarrierReallocUnobserved = {
    .arguments = {{{"ref"},
                   {"index", ArgumentType::Integer},
                   {"allocator", ArgumentType::Thread},
                   {"thread", ArgumentType::Thread},
                   {"observed", ArgumentType::Integer},
                   {"completed", ArgumentType::Integer}}},
    .messages = {{
        {"realloc",
         "`{ref}`: Thread {allocator:jax} allocated a barrier after deallocating barrier {index}, "
         "but "
         "thread {thread:jax} had only observed that barrier up to phase {observed}, while it "
         "completed "
         "up to phase {completed}. A thread that waits on a barrier must observe all of its "
         "completions "
         "if it allocates another barrier afterwards.",
         true},
        {"dealloc",
         "`{ref}`: When barrier {index} was deallocated, thread {thread:jax} had only observed "
         "barrier up "
         "to phase {observed}, but barrier completed up to phase {completed}.",
         true},
    }},
    .label = "allocates the next barrier here",
    .rule =
        "scopes reuse barriers, and the reused one starts at the phase where the last scope left "
        "it",
    .help = "wait for the last phase of `{ref}` before its scope ends",
    .source =
        "jax/_src/pallas/mosaic_gpu/lowering.py, `reserve_barrier`: barriers of equal kind are "
        "recycled",
};

constinit const KindFacts BarrierTxOverflow = {
    .arguments = {{{"ref"},
                   {"phase", ArgumentType::Integer},
                   {"bytes", ArgumentType::Integer},
                   {"limit", ArgumentType::Integer}}},
    .messages = {{{"", "phase {phase} of `{ref}` has {bytes} bytes pending, more than {limit}"}}},
    .label = "announces more bytes here",
    .rule = "the byte count of an mbarrier phase is limited to 20 bits",
    .help = "spread the copies of one phase over several barriers",
    .source = "PTX ISA, mbarrier: valid range of the tx-count",
};

constinit const KindFacts BarrierUnobservedPhase = {
    .arguments = {{{"ref"}}},
    .messages = {{{"", "`{ref}`: Barrier completed phase 1, but no threads observed phase 0.",
                   true}}},
    .label = "completes it again here",
    .rule = "a barrier that completes twice with no thread waiting in between orders nothing",
    .help = "let some thread wait on `{ref}` once for each phase, or remove the barrier",
    .source = "jax/_src/pallas/mosaic_gpu/interpret/shared_memory.py, `Barrier.arrive`",
};

}  // namespace pallasite::kind_facts
