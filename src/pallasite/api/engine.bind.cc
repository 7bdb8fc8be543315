// The Python module pallasite._engine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <xla/ffi/api/c_api.h>

#include "pallasite/base/version.h"

// XLA refuses a handler that was built with headers newer than its own, so a wheel must be built
// with the headers of the oldest supported jaxlib (0.11.1, whose FFI API is 0.4).
static_assert(XLA_FFI_API_MAJOR == 0 && XLA_FFI_API_MINOR <= 4,
              "build with jaxlib 0.11.1, or the module will not load under it");

NB_MODULE(_engine, m) {
  m.def("version", &pallasite::version);
}
