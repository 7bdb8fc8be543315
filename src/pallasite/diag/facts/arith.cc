#include "pallasite/diag/kind.h"

namespace pallasite::kind_facts {

constinit const KindFacts ArithDivZero = {
    .arguments = {{{"index", ArgumentType::Shape},
                   {"violations", ArgumentType::Integer},
                   {"elements", ArgumentType::Integer}}},
    .messages = {{{"scalar", "an integer is divided by 0"},
                  {"array",
                   "an integer is divided by 0 at index {index}, in {violations} of {elements} "
                   "elements"}}},
    .label = "divided here",
    .rule = "an integer division or remainder by 0 has no certain result on a GPU",
    .help =
        "replace zero divisors before dividing, as in `jnp.where(d == 0, 1, d)`; to select "
        "after the division is too late",
    .source = "LLVM language reference, sdiv, udiv, srem and urem",
};

constinit const KindFacts ArithShiftRange = {
    .arguments = {{{"amount", ArgumentType::Integer},
                   {"width", ArgumentType::Integer},
                   {"index", ArgumentType::Shape},
                   {"violations", ArgumentType::Integer},
                   {"elements", ArgumentType::Integer}}},
    .messages = {{{"scalar", "an integer of {width} bits is shifted by {amount}"},
                  {"array",
                   "an integer of {width} bits is shifted by {amount} at index {index}; "
                   "{violations} of {elements} amounts are out of range"}}},
    .label = "shifted here",
    .rule =
        "a shift by a negative amount, or by as many bits as the type has or more, has no "
        "certain result on a GPU",
    .help =
        "keep amounts from 0 to {width} exclusive, for example with `jnp.clip`, and select "
        "the result for others",
    .source = "LLVM language reference, shl, lshr and ashr",
};

}  // namespace pallasite::kind_facts
