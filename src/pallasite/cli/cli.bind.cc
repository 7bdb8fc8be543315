// The command line as the Python entry point calls it.
#include "pallasite/cli/cli.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "pallasite/api/python_side.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

// What `silence(report, module_text)` of Python answers: positions, their findings, what to tell.
Silenced ask(const nb::object& silence, const std::string& report, const std::string& text) {
  const nb::gil_scoped_acquire gil;
  try {
    const nb::tuple answer =
        nb::cast<nb::tuple>(silence(report, nb::bytes(text.data(), text.size())));
    Silenced silenced{.findings = nb::cast<std::string>(answer[1]),
                      .told = nb::cast<std::string>(answer[2])};
    for (nb::handle position : answer[0]) {
      silenced.positions.push_back(nb::cast<size_t>(position));
    }
    return silenced;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    throw UsageError(nb::str(error.value()).c_str());
  }
}

// Of any bytes: a file's name need not be text.
nb::object text_of(const std::string& bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// (exit code, None), or (0, request) for what Python has to do.
nb::tuple cli_main(const std::vector<std::string>& args, const nb::object& silence) {
  std::ostringstream out, err;
  nb::object request = nb::none();
  int code = 0;
  const bool is_asked = !silence.is_none();
  {
    const nb::gil_scoped_release release;
    std::string requested;
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    CliEnvironment environment{.out = out,
                               .err = err,
                               .poll_interrupt = python_interrupt(),
                               .color = is_terminal,
                               .terminal = is_terminal ? &std::cerr : nullptr,
                               .python = [&](const std::string& text) {
                                 requested = text;
                                 return 0;
                               }};
    if (is_asked) {
      environment.silence = [&](const std::string& report, const std::string& text) {
        return ask(silence, report, text);
      };
    }
    code = run_cli(args, environment);
    const nb::gil_scoped_acquire gil;
    if (!requested.empty()) request = nb::str(requested.c_str());
  }
  // The report tells of it.
  take_interrupt();
  // Through Python's own streams, which may have been replaced.
  const nb::module_ sys = nb::module_::import_("sys");
  sys.attr("stdout").attr("write")(text_of(out.str()));
  sys.attr("stdout").attr("flush")();
  sys.attr("stderr").attr("write")(text_of(err.str()));
  return nb::make_tuple(code, request);
}

}  // namespace

void bind_cli(nb::module_& m) {
  m.def("cli_main", &cli_main, nb::arg("args"), nb::arg("silence").none() = nb::none());
}

}  // namespace pallasite
