// What a run needs of Python: its signals, its standard output, and who wants reports. Included by
// the *.bind.cc files only.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pallasite/api/kept_run.h"
#include "pallasite/api/report.h"

namespace pallasite {

// While alive, SIGINT is counted on its way to the handler that was there before, which is put back
// at the end: Python runs its own handlers on its main thread only, and a run may be on another
// while the main thread waits for it in native code.
class SigintWatch {
 public:
  SigintWatch();
  ~SigintWatch();
  SigintWatch(const SigintWatch&) = delete;
  SigintWatch& operator=(const SigintWatch&) = delete;

  // Since the watch began.
  uint32_t seen() const;

 private:
  uint32_t before_ = 0;
};

// Runs Python's signal handlers; true if one of them raised (Ctrl-C), which ends the run. What it
// raised waits in take_interrupt. Off the main thread a SIGINT that Python would make a
// KeyboardInterrupt of ends the run; with a handler of the user's own, the second one does.
std::function<bool()> python_interrupt();

// Lives while a thread runs a kernel for XLA, which may need the GIL at any time: a thread that
// asks for it once the interpreter has begun to end takes the process down.
class RunningForXla {
 public:
  RunningForXla();
  ~RunningForXla();
  RunningForXla(const RunningForXla&) = delete;
  RunningForXla& operator=(const RunningForXla&) = delete;

  // Whether it may run at all: not once end_runs was called.
  bool is_welcome() const { return is_welcome_; }

 private:
  bool is_welcome_ = false;
};

// With the GIL held, before the interpreter ends: interrupts what runs for XLA, waits for it, and
// has no more begin.
void end_runs();

// Keeps for take_interrupt what a signal handler raised while Python code of ours ran: handlers run
// on the main thread only. False if it is a warning that the user made an error of.
bool keep_interrupt(const nanobind::python_error& error);

// What a signal handler raised during a run; none if nothing did. The GIL has to be held.
nanobind::object take_interrupt();

// Writes prints to sys.stdout during a run.
std::function<void(std::span<const GridPrint>)> python_prints();

// With the GIL held: prints to sys.stdout what is not yet there, then hands the report to the sink,
// if there is one, with what was kept of the run (or null). Returns the positions of those findings
// that the user silenced. May throw nanobind::python_error.
std::vector<size_t> deliver(const Report& report, std::shared_ptr<KeptRun> kept);

// The same report once more, now with `deferred`.
void deliver_deferred(const Report& report);

// Adds `RunRecord`, what the sink is called with.
void bind_report(nanobind::module_& m);

// The GIL has to be held. None: no sink.
void set_report_sink(nanobind::object sink);

// Adds `cli_main(args) -> exit code`. Defined beside the command line, which is a higher layer.
void bind_cli(nanobind::module_& m);

// The capsule of the XLA FFI handler.
nanobind::capsule ffi_handler();

}  // namespace pallasite
