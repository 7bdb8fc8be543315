#include "pallasite/numerics/vector_math_float.h"

namespace pallasite::vector_math_float {

// Beyond these the result is what it is at them: 0, infinity, 1 or -1.
const Limits kExpLimits = {-104.0f, 89.0f};
const Limits kExp2Limits = {-151.0f, 129.0f};
const Limits kExpm1Limits = {-20.0f, 89.0f};
const Limits kLogisticLimits = {-105.0f, 20.0f};
const float kTanhLimit = 10.0f;
const float kErfLimit = 3.92f;

}  // namespace pallasite::vector_math_float
