#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts AssumeMultipleOf = {
    .arguments = {{{"value", ArgumentType::Integer}, {"factor", ArgumentType::Integer}}},
    .messages = {{{"", "{value} was promised to be a multiple of {factor} and is not"}}},
    .label = "promised here",
    .rule = "the compiler builds on the promise of `pl.multiple_of` and does not test it",
    .help = "promise a factor that every value has, or remove the promise",
    .source = "jax/_src/pallas/primitives.py, `multiple_of`",
};

constinit const KindFacts IrParse = {
    .arguments = {{{"what"}}},
    .messages = {{{"", "{what}"}}},
    .label = "here",
    .help = "write the module with `pallasite.export(...).save(...)`, or compare with the grammar",
    .source = "docs of the module format",
};

constinit const KindFacts IrVerify = {
    .arguments = {{{"op"}, {"what"}}},
    .messages = {{
        {"op", "`{op}`: {what}"},
        {"header", "`{op}`: {what}", false, "compare with the description of the module format"},
    }},
    .label = "stated here",
    .rule = "a module is checked against what every op states of itself before it runs",
    .help = "see the entry of `{op}` in the list of ops",
    .source = "docs of the module format",
};

constinit const KindFacts RunInternal = {
    .verdict = Verdict::Internal,
    .arguments = {{{"what"}}},
    .messages = {{{"", "pallasite failed a check of its own: {what}"}}},
    .label = "was running this",
    .rule = "this is a bug of pallasite, not of the kernel",
    .help = "export the kernel with its inputs and send it along with this text",
    .source = "base/check.h",
};

constinit const KindFacts RunInterrupted = {
    .verdict = Verdict::Incomplete,
    .arguments = {{{"steps", ArgumentType::Integer}}},
    .messages = {{{"", "run interrupted after {steps} steps"}}},
    .label = "was here",
    .rule = "an interrupted run is not a pass: nothing is known of what follows",
    .help = "run it again and let it end",
    .source = "docs of the verdicts",
};

constinit const KindFacts RunStepLimit = {
    .verdict = Verdict::Incomplete,
    .arguments = {{{"steps", ArgumentType::Integer}}},
    .messages = {{{"", "run stopped at its limit of {steps} steps"}}},
    .label = "was here",
    .rule = "a run that was cut short is not a pass: nothing is known of what follows",
    .help = "raise `max_steps`, or look in the table above for a loop that does not end",
    .source = "docs of the verdicts",
};

constinit const KindFacts RunUnsupported = {
    .verdict = Verdict::Unsupported,
    .arguments = {{{"op"}, {"params"}, {"reason"}}},
    .messages = {{
        {"op", "cannot run `{op}` with {params}: {reason}"},
        // Said by the Python side, where a kernel becomes a module.
        {"lowering", "{reason} is not supported"},
    }},
    .label = "used here",
    .rule = "an op that pallasite cannot run is never skipped or guessed",
    .help = "this says nothing about the kernel; see the list of ops for what runs",
    .source = "docs of the verdicts",
};

constinit const KindFacts SchedDeadlock = {
    .arguments = {{{"blocked", ArgumentType::Integer}, {"threads", ArgumentType::Integer}}},
    .messages = {{{"",
                   "deadlock: {blocked} of {threads} threads wait and none is left to wake them"}}},
    .label = "waits here",
    .rule = "a wait ends when its phase has all its arrivals and all its bytes",
    .help = "compare in the table what arrived with what is expected",
    .source = "PTX ISA, mbarrier: phase completion",
};

constinit const KindFacts SchedLivelock = {
    .arguments = {{{"polling", ArgumentType::Integer}, {"threads", ArgumentType::Integer}}},
    .messages =
        {{{"",
           "livelock: {polling} of {threads} threads poll in vain and nothing that they read "
           "can change"}}},
    .label = "polls here",
    .rule = "a poll ends when another thread or an asynchronous operation changes what it reads",
    .help = "look for the thread that should have signalled and has already ended",
    .source = "docs of the scheduler",
};

constinit const KindFacts SchedReplayMismatch = {
    .arguments = {{{"choice", ArgumentType::Integer}, {"what"}, {"recorded"}, {"current"}}},
    .messages = {{
        {"choice", "the schedule that is replayed does not fit this run at choice {choice}"},
        {"identity",
         "the schedule was recorded with {what} `{recorded}`, and this run has `{current}`"},
        {"file", "the file is no schedule that can be replayed: {what}"},
    }},
    .label = "the run was here",
    .rule = "a schedule belongs to one module, one set of inputs and one set of options",
    .help = "record the schedule again with this kernel and these inputs",
    .source = "docs of the scheduler",
};

}  // namespace pallasite::kind_facts
