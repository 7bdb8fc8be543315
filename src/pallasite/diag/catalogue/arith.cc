#include "pallasite/diag/catalogue.h"

namespace pallasite::catalogue {

constinit const CatalogueEntry ArithDivZero = {
    .slug = "an-integer-is-divided-by-0",
    .documentation =
        "An integer division or remainder has a zero divisor. A GPU does not stop there, and what "
        "it returns is up to the compiler. Here the run goes on with the values of JAX on a CPU: "
        "a quotient of -1 and the dividend as remainder. Floats are not meant: they give "
        "infinity or NaN on both.",
    .triggers =
        "`//`, `%`, `lax.div` or `lax.rem` of integers with a divisor that is 0 in some element, "
        "also where the result of that element is thrown away later.",
    .situations =
        "A `jnp.where` after the division drops what was divided by zero; the padding of an array "
        "of divisors is zero; a group is empty and its count is the divisor.",
    .solutions = {{"make the divisor at least 1 before dividing, and select after it",
                   "pad arrays of divisors with ones",
                   "use `pl.cdiv` and multiples that are known when the kernel is traced"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(total_ref, count_ref, out_ref):
    total, count = total_ref[...], count_ref[...]
    out_ref[...] = jnp.where(count > 0, jax.lax.div(total, count), 0)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))(
        jnp.full((128,), 96, jnp.int32), jnp.arange(128, dtype=jnp.int32) % 4
    )
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(total_ref, count_ref, out_ref):
    total, count = total_ref[...], count_ref[...]
    mean = jax.lax.div(total, jnp.maximum(count, 1))
    out_ref[...] = jnp.where(count > 0, mean, 0)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))(
        jnp.full((128,), 96, jnp.int32), jnp.arange(128, dtype=jnp.int32) % 4
    )
)py",
    .handling = "fix-kernel",
    .prevention = {{"guard a divisor where it is made, not where its quotient is used",
                    "take divisors from shapes, which are known and not zero"}},
    .tags = {{"arithmetic", "division", "integers"}},
};

constinit const CatalogueEntry ArithShiftRange = {
    .slug = "an-integer-is-shifted-by-too-many-bits",
    .documentation =
        "An integer is shifted by a negative amount or by at least as many bits as it has. The "
        "compiler for the GPU may make any result of that, and its instructions differ in what "
        "they do. Here the run goes on with the values of JAX on a CPU: 0, or the sign in all "
        "bits where an arithmetic shift goes to the right.",
    .triggers =
        "`<<`, `>>`, `lax.shift_left`, `lax.shift_right_logical` or `lax.shift_right_arithmetic` "
        "by an amount that is not from 0 to the number of bits less one.",
    .situations =
        "The position in a packed word runs past the word; amounts for words of 64 bits are "
        "applied to 32; a difference of two positions is negative.",
    .solutions = {{"limit the amount before shifting, and select the result for larger ones",
                   "take the amount modulo the width, if that is what is meant",
                   "convert to a wider type before shifting"}},
    .before = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, amount_ref, out_ref):
    out_ref[...] = jax.lax.shift_left(x_ref[...], amount_ref[...])


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))(
        jnp.full((128,), 3, jnp.int32), jnp.arange(128, dtype=jnp.int32)
    )
)py",
    .after = R"py(import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_ref, amount_ref, out_ref):
    amount = amount_ref[...]
    shifted = jax.lax.shift_left(x_ref[...], jnp.minimum(amount, 31))
    out_ref[...] = jnp.where(amount < 32, shifted, 0)


def run():
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32))(
        jnp.full((128,), 3, jnp.int32), jnp.arange(128, dtype=jnp.int32)
    )
)py",
    .handling = "fix-kernel",
    .prevention = {{"derive amounts from the width of the type that is shifted"}},
    .tags = {{"arithmetic", "shift", "integers"}},
};

}  // namespace pallasite::catalogue
