// The XLA FFI handler: a kernel of a JAX program on the CPU.
#include <nanobind/nanobind.h>
#include <xla/ffi/api/ffi.h>

#include <algorithm>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "pallasite/api/python_side.h"
#include "pallasite/api/session.h"
#include "pallasite/numerics/element_type.h"
#include "pallasite/numerics/fill.h"

// XLA refuses a handler that was built with headers newer than its own, so a wheel must be built
// with the headers of the oldest supported jaxlib (0.11.1, whose FFI API is 0.4).
static_assert(XLA_FFI_API_MAJOR == 0 && XLA_FFI_API_MINOR <= 4,
              "build with jaxlib 0.11.1, or the module will not load under it");

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace pallasite {

namespace {

std::optional<ElementType> element_type(ffi::DataType type) {
  switch (type) {
#define PALLASITE_CASE(xla_name, name) \
  case ffi::DataType::xla_name:        \
    return ElementType::name;
    PALLASITE_CASE(PRED, Bool)
    PALLASITE_CASE(S1, S1)
    PALLASITE_CASE(S2, S2)
    PALLASITE_CASE(S4, S4)
    PALLASITE_CASE(S8, S8)
    PALLASITE_CASE(S16, S16)
    PALLASITE_CASE(S32, S32)
    PALLASITE_CASE(S64, S64)
    PALLASITE_CASE(U1, U1)
    PALLASITE_CASE(U2, U2)
    PALLASITE_CASE(U4, U4)
    PALLASITE_CASE(U8, U8)
    PALLASITE_CASE(U16, U16)
    PALLASITE_CASE(U32, U32)
    PALLASITE_CASE(U64, U64)
    PALLASITE_CASE(BF16, BF16)
    PALLASITE_CASE(F16, F16)
    PALLASITE_CASE(F32, F32)
    PALLASITE_CASE(F64, F64)
    PALLASITE_CASE(F8E5M2, F8E5M2)
    PALLASITE_CASE(F8E4M3FN, F8E4M3FN)
    PALLASITE_CASE(F8E4M3, F8E4M3)
    PALLASITE_CASE(F8E3M4, F8E3M4)
    PALLASITE_CASE(F8E4M3FNUZ, F8E4M3FNUZ)
    PALLASITE_CASE(F8E4M3B11FNUZ, F8E4M3B11FNUZ)
    PALLASITE_CASE(F8E5M2FNUZ, F8E5M2FNUZ)
    PALLASITE_CASE(F8E8M0FNU, F8E8M0FNU)
    PALLASITE_CASE(F4E2M1FN, F4E2M1FN)
#undef PALLASITE_CASE
    default:
      return std::nullopt;
  }
}

// XLA packs elements of fewer than 8 bits as we do, the first in the lowest bits. Its size_bytes()
// does not know of that, so sizes are ours.
HostArray host_array(const ffi::AnyBuffer& buffer) {
  HostArray array;
  const std::optional<ElementType> element = element_type(buffer.element_type());
  array.dtype = element ? std::string(element_name(*element))
                        : "XLA type " + std::to_string(static_cast<int>(buffer.element_type()));
  array.shape.assign(buffer.dimensions().begin(), buffer.dimensions().end());
  array.data = static_cast<std::byte*>(buffer.untyped_data());
  return array;
}

ffi::ErrorCode code_of(const Report& report) {
  switch (report.verdict) {
    case Verdict::Internal:
      return ffi::ErrorCode::kInternal;
    case Verdict::Unsupported:
      return ffi::ErrorCode::kUnimplemented;
    case Verdict::Resource:
      return ffi::ErrorCode::kResourceExhausted;
    case Verdict::Incomplete:
      return ffi::ErrorCode::kCancelled;
    default:
      // Not kInvalidArgument, of which some paths of JAX make a bare ValueError.
      return ffi::ErrorCode::kFailedPrecondition;
  }
}

// A finding may be only warned of or recorded; without a result of the kernel there is more to say.
bool raises(const Report& report, OnFinding on_finding) {
  switch (on_finding) {
    case OnFinding::Raise:
      return report.failed();
    case OnFinding::Warn:
      return report.failed() && report.verdict != Verdict::Error;
    default:
      return false;
  }
}

// Executions of programs on several devices, each with the kernels that its devices have come to.
class Executions {
 public:
  // The number of the next kernel of a device; none where a kernel before it has failed, on
  // whichever device: nothing that comes after is of use.
  std::optional<uint64_t> next(int64_t execution, int64_t device) {
    const std::lock_guard hold(lock_);
    auto found = std::find_if(executions_.begin(), executions_.end(),
                              [&](const Execution& e) { return e.id == execution; });
    if (found == executions_.end()) {
      executions_.push_back({execution, {}, std::nullopt});
      // Nobody tells of the end of an execution.
      if (executions_.size() > kMost) executions_.pop_front();
      found = std::prev(executions_.end());
    }
    const uint64_t number = found->kernels[device]++;
    if (found->failed_at && number > *found->failed_at) return std::nullopt;
    return number;
  }

  void fail(int64_t execution, uint64_t number) {
    const std::lock_guard hold(lock_);
    for (Execution& e : executions_) {
      if (e.id == execution) e.failed_at = std::min(e.failed_at.value_or(number), number);
    }
  }

 private:
  static constexpr size_t kMost = 256;
  struct Execution {
    int64_t id = 0;
    std::map<int64_t, uint64_t> kernels;
    std::optional<uint64_t> failed_at;
  };
  std::mutex lock_;
  std::list<Execution> executions_;
};

Executions& executions() {
  static Executions all;
  return all;
}

void poison(const std::vector<HostArray>& outputs) {
  for (const HostArray& output : outputs) {
    const std::optional<ElementType> element = parse_element_type(output.dtype);
    if (!element || output.data == nullptr) continue;
    size_t count = 1;
    for (int64_t extent : output.shape) count *= static_cast<size_t>(extent);
    fill_uninitialized(*element, output.data, count);
  }
}

bool was_interrupted(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [](const Diagnostic& d) { return d.kind == Kind::RunInterrupted; });
}

ffi::Error run_kernel(ffi::RunId execution, int32_t device, ffi::RemainingArgs arguments,
                      ffi::RemainingRets results, ffi::Span<const uint8_t> program, int64_t key,
                      std::string_view options_text) {
  const RunningForXla running;
  if (!running.is_welcome()) {
    return ffi::Error(ffi::ErrorCode::kCancelled, "pallasite: the interpreter is about to end");
  }
  RunOptions options = process_session().options();
  try {
    set_options(options, options_text);
  } catch (const OptionError& error) {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, error.what());
  }
  options.poll_interrupt = python_interrupt();
  std::vector<HostArray> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto buffer = arguments.get<ffi::AnyBuffer>(i);
    if (buffer.has_error()) return buffer.error();
    inputs.push_back(host_array(*buffer));
  }
  std::vector<HostArray> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto buffer = results.get<ffi::AnyBuffer>(i);
    if (buffer.has_error()) return buffer.error();
    outputs.push_back(host_array(**buffer));
  }
  const std::string_view text(reinterpret_cast<const char*>(program.begin()), program.size());
  const std::shared_ptr<const LoadedModule> loaded =
      process_session().load(text, "", options, static_cast<uint64_t>(key));
  const bool several = options.devices > 1;
  std::optional<uint64_t> sequence;
  if (several) {
    sequence = executions().next(execution.run_id, device);
    if (!sequence) {
      poison(outputs);
      return ffi::Error::Success();
    }
  }
  std::shared_ptr<KeptRun> kept;
  if (options.keep_inputs) kept = std::make_shared<KeptRun>(loaded, inputs, options);
  Report report;
  {
    // Whether it is a terminal was asked by whoever wanted the display.
    ProgressLine line(process_session().display().progress ? &std::cerr : nullptr,
                      loaded->module ? loaded->module->kernel.name : "");
    options.on_progress = [&line](int64_t done, int64_t total) { line.update(done, total); };
    options.on_prints = [&line, tell = python_prints()](std::span<const GridPrint> prints) {
      line.hide();
      tell(prints);
    };
    report = process_session().run(*loaded, inputs, outputs, options);
  }
  if (kept) kept->mark_outputs(outputs);
  if (several) {
    report.device = device;
    report.sequence = *sequence;
  }
  // Whoever presses Ctrl-C wants the program to end, whatever becomes of findings.
  const bool interrupted = was_interrupted(report);
  {
    const nb::gil_scoped_acquire gil;
    try {
      const std::vector<size_t> silenced = deliver(report, std::move(kept));
      if (!silenced.empty()) report = without_findings(std::move(report), silenced);
    } catch (nb::python_error& error) {
      // A signal handler may raise wherever Python runs.
      if (!several && keep_interrupt(error)) {
        return ffi::Error(ffi::ErrorCode::kCancelled, "[pallasite interrupted]");
      }
      // Python's `-W error` makes an error of a warning.
      if (!several) return ffi::Error(ffi::ErrorCode::kInvalidArgument, error.what());
      error.discard_as_unraisable("pallasite: report");
    }
  }
  if (!interrupted && !raises(report, options.on_finding)) return ffi::Error::Success();
  FileSourceReader reader;
  const std::string failure = render_text(report, reader);
  if (!several) {
    return ffi::Error(code_of(report),
                      failure + "[pallasite report " + std::to_string(report.id) + "]");
  }
  report.deferred = failure;
  executions().fail(execution.run_id, *sequence);
  poison(outputs);
  const nb::gil_scoped_acquire gil;
  try {
    deliver_deferred(report);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("pallasite: report");
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(kRunKernel, run_kernel,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::RunId>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<ffi::Span<const uint8_t>>("program")
                           .Attr<int64_t>("key")
                           .Attr<std::string_view>("options"));

}  // namespace

nb::capsule ffi_handler() {
  return nb::capsule(reinterpret_cast<void*>(kRunKernel));
}

}  // namespace pallasite
