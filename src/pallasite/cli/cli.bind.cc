// The command line as the Python entry point calls it.
#include "pallasite/cli/cli.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>

#include "pallasite/api/python_side.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

int cli_main(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  int code = 0;
  {
    const nb::gil_scoped_release release;
    code = run_cli(args, {.out = out, .err = err, .poll_interrupt = python_interrupt()});
  }
  // Through Python's own streams, which may have been replaced.
  const nb::module_ sys = nb::module_::import_("sys");
  sys.attr("stdout").attr("write")(out.str().c_str());
  sys.attr("stdout").attr("flush")();
  sys.attr("stderr").attr("write")(err.str().c_str());
  return code;
}

}  // namespace

void bind_cli(nb::module_& m) {
  m.def("cli_main", &cli_main);
}

}  // namespace pallasite
