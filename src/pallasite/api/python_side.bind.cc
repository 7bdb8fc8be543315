#include "pallasite/api/python_side.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pallasite/api/session.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

// Never destroyed: the interpreter may be gone by then.
nb::object& sink() {
  static nb::object& held = *new nb::object();
  return held;
}

nb::object& raised_by_handler() {
  static nb::object& held = *new nb::object();
  return held;
}

// A signal handler has nothing but globals to go by.
std::atomic<uint32_t> sigints{0};
struct sigaction handler_before;
std::mutex watch_lock;
int watches = 0;

void count_sigint(int number, siginfo_t* info, void* context) {
  ++sigints;
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(number, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(number);
  }
}

// Never destroyed: threads of XLA outlive the statics.
struct Runs {
  std::mutex lock;
  std::condition_variable changed;
  int running = 0;
  std::atomic<bool> ending{false};
};

Runs& runs() {
  static Runs& all = *new Runs();
  return all;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == count_sigint;
}

// Whether a SIGINT means KeyboardInterrupt.
bool has_default_handler() {
  const nb::module_ signal = nb::module_::import_("signal");
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

bool is_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"));
}

void write_out(const std::string& text, bool flush) {
  if (text.empty()) return;
  const nb::object out = nb::module_::import_("sys").attr("stdout");
  out.attr("write")(text.c_str());
  if (flush) out.attr("flush")();
}

}  // namespace

SigintWatch::SigintWatch() : before_(sigints) {
  const std::lock_guard hold(watch_lock);
  if (watches++ > 0) return;
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0 || is_ours(now)) return;
  // A process that ignores the signal, or dies of it, goes on doing so.
  if ((now.sa_flags & SA_SIGINFO) == 0 &&
      (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) {
    return;
  }
  handler_before = now;
  struct sigaction counting = now;
  counting.sa_flags |= SA_SIGINFO;
  counting.sa_sigaction = count_sigint;
  sigaction(SIGINT, &counting, nullptr);
}

SigintWatch::~SigintWatch() {
  const std::lock_guard hold(watch_lock);
  if (--watches > 0) return;
  struct sigaction now;
  // Somebody may have set another handler meanwhile.
  if (sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now)) {
    sigaction(SIGINT, &handler_before, nullptr);
  }
}

uint32_t SigintWatch::seen() const {
  return sigints - before_;
}

RunningForXla::RunningForXla() {
  const std::lock_guard hold(runs().lock);
  is_welcome_ = !runs().ending;
  ++runs().running;
}

RunningForXla::~RunningForXla() {
  const std::lock_guard hold(runs().lock);
  --runs().running;
  runs().changed.notify_all();
}

void end_runs() {
  // Runs look ten times a second whether they are to end; one that does not is not waited for
  // longer.
  constexpr std::chrono::seconds kPatience(20);
  // What a thread takes from the end of its run through XLA and JAX to Python's own code.
  constexpr std::chrono::milliseconds kWayBack(200);
  const nb::gil_scoped_release release;
  std::unique_lock hold(runs().lock);
  runs().ending = true;
  if (runs().running == 0) return;
  runs().changed.wait_for(hold, kPatience, [] { return runs().running == 0; });
  hold.unlock();
  std::this_thread::sleep_for(kWayBack);
}

std::function<bool()> python_interrupt() {
  return [watch = std::make_shared<SigintWatch>()] {
    if (runs().ending) return true;
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) {
        // Takes the exception that is set.
        nb::python_error error;
        raised_by_handler() = nb::borrow(error.value());
        return true;
      }
      const uint32_t seen = watch->seen();
      return seen > 0 && !is_main_thread() && (seen > 1 || has_default_handler());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("pallasite: signals");
      return false;
    }
  };
}

bool keep_interrupt(const nb::python_error& error) {
  if (error.matches(PyExc_Warning) || !is_main_thread()) return false;
  raised_by_handler() = nb::borrow(error.value());
  return true;
}

nb::object take_interrupt() {
  nb::object taken = std::move(raised_by_handler());
  raised_by_handler() = nb::object();
  return taken.is_valid() ? taken : nb::none();
}

std::function<void(std::span<const GridPrint>)> python_prints() {
  return [](std::span<const GridPrint> prints) {
    const std::string text = text_of_prints(prints, process_session().display());
    const nb::gil_scoped_acquire gil;
    try {
      write_out(text, true);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("pallasite: sys.stdout");
    }
  };
}

std::vector<size_t> deliver(const Report& report, std::shared_ptr<KeptRun> kept) {
  const auto untold = std::span(report.prints).subspan(report.prints_told);
  write_out(text_of_prints(untold, process_session().display()), false);
  std::vector<size_t> silenced;
  if (!sink().is_valid() || sink().is_none()) return silenced;
  nb::object held = kept ? nb::cast(std::move(kept)) : nb::none();
  const nb::object answer = sink()(nb::cast(std::make_shared<Report>(report)), held);
  if (answer.is_none()) return silenced;
  for (nb::handle position : answer) silenced.push_back(nb::cast<size_t>(position));
  return silenced;
}

void deliver_deferred(const Report& report) {
  if (sink().is_valid() && !sink().is_none()) {
    sink()(nb::cast(std::make_shared<Report>(report)), nb::none());
  }
}

void bind_report(nb::module_& m) {
  nb::class_<Report>(m, "RunRecord")
      .def_prop_ro("is_plain",
                   [](const Report& report) {
                     return report.findings.empty() && report.verdict == Verdict::Clean &&
                            report.devices == 1 && report.deferred.empty();
                   })
      .def_prop_ro("origin",
                   [](const Report& report) {
                     return report.origin == 0 ? nb::none() : nb::object(nb::cast(report.origin));
                   })
      .def_prop_ro("seconds", [](const Report& report) { return report.host.seconds; })
      .def("json", [](const Report& report) { return to_json(report); });
}

void set_report_sink(nb::object new_sink) {
  sink() = std::move(new_sink);
}

}  // namespace pallasite
