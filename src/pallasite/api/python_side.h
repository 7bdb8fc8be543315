// What a run needs of Python: its signals, its standard output, and who wants reports. Included by
// the *.bind.cc files only.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>
#include <vector>

#include "pallasite/api/report.h"

namespace pallasite {

// Runs Python's signal handlers; true if one of them raised (Ctrl-C), which ends the run. The
// exception is taken: the report tells of it.
std::function<bool()> python_interrupt();

// With the GIL held: prints to sys.stdout, then hands the report to the sink, if there is one.
// Returns the positions of those findings that the user silenced. May throw nanobind::python_error.
std::vector<size_t> deliver(const Report& report);

// The GIL has to be held. None: no sink.
void set_report_sink(nanobind::object sink);

// Adds `cli_main(args) -> exit code`. Defined beside the command line, which is a higher layer.
void bind_cli(nanobind::module_& m);

// The capsule of the XLA FFI handler.
nanobind::capsule ffi_handler();

}  // namespace pallasite
