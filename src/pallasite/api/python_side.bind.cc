#include "pallasite/api/python_side.h"

#include "pallasite/api/session.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

// Never destroyed: the interpreter may be gone by then.
nb::object& sink() {
  static nb::object& held = *new nb::object();
  return held;
}

}  // namespace

std::function<bool()> python_interrupt() {
  return [] {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    return true;
  };
}

std::vector<size_t> deliver(const Report& report) {
  const std::string text = text_of_prints(report.prints, process_session().display());
  if (!text.empty()) nb::module_::import_("sys").attr("stdout").attr("write")(text.c_str());
  std::vector<size_t> silenced;
  if (!sink().is_valid() || sink().is_none()) return silenced;
  const nb::object answer = sink()(to_json(report).c_str());
  if (answer.is_none()) return silenced;
  for (nb::handle position : answer) silenced.push_back(nb::cast<size_t>(position));
  return silenced;
}

void set_report_sink(nb::object new_sink) {
  sink() = std::move(new_sink);
}

}  // namespace pallasite
