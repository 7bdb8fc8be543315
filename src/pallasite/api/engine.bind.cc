// The Python module pallasite._engine. python/pallasite/engine.py says what it offers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "pallasite/api/build_info.h"
#include "pallasite/api/diagnose.h"
#include "pallasite/api/op_docs.h"
#include "pallasite/api/python_side.h"
#include "pallasite/api/session.h"
#include "pallasite/base/version.h"
#include "pallasite/diag/catalogue.h"
#include "pallasite/numerics/element_type.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

// The memory of an object that has a buffer of bytes.
class ByteView {
 public:
  ByteView(nb::handle object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
  }
  ~ByteView() { PyBuffer_Release(&view_); }
  ByteView(const ByteView&) = delete;
  ByteView& operator=(const ByteView&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(view_.buf); }

 private:
  Py_buffer view_;
};

nb::object numpy() {
  return nb::module_::import_("numpy");
}

// A contiguous array as an array of bytes over the same memory.
nb::object byte_array(const nb::object& array) {
  return array.attr("reshape")(-1).attr("view")("uint8");
}

// numpy knows the types of ml_dtypes by object only.
nb::object numpy_type(ElementType element) {
  const std::string name(element_info(element).jax_name);
  const nb::object ml_dtypes = nb::module_::import_("ml_dtypes");
  if (nb::hasattr(ml_dtypes, name.c_str())) return ml_dtypes.attr(name.c_str());
  return numpy().attr("dtype")(name.c_str());
}

size_t count_of(const std::vector<int64_t>& shape) {
  size_t count = 1;
  for (int64_t extent : shape) count *= static_cast<size_t>(extent);
  return count;
}

// An array of numpy in packed form. What it points to lives as long as the object.
struct PackedInput {
  HostArray array;
  std::optional<ByteView> bytes;
  std::vector<std::byte> packed;
};

std::unique_ptr<PackedInput> packed_input(nb::handle array) {
  auto input = std::make_unique<PackedInput>();
  // By way of an object: a str made of an attribute is taken to be a str already.
  const nb::object dtype = array.attr("dtype");
  input->array.dtype = nb::str(nb::handle(dtype)).c_str();
  for (nb::handle extent : nb::object(array.attr("shape"))) {
    input->array.shape.push_back(nb::cast<int64_t>(extent));
  }
  const std::optional<ElementType> element = parse_element_type(input->array.dtype);
  // The run will say that the kernel takes no such array.
  if (!element) return input;
  // The view keeps the array alive. Inputs are never written (Session::run).
  input->bytes.emplace(byte_array(numpy().attr("require")(array, nb::none(), "CA")), false);
  input->array.data = input->bytes->data();
  if (is_sub_byte(*element)) {
    const size_t count = count_of(input->array.shape);
    input->packed.resize(packed_bytes(*element, count));
    pack(*element, input->bytes->data(), input->packed.data(), 0, count);
    input->array.data = input->packed.data();
  }
  return input;
}

nb::object numpy_array(const OwnedArray& output) {
  const ElementType element = *parse_element_type(output.array.dtype);
  nb::object array = numpy().attr("empty")(nb::cast(output.array.shape), numpy_type(element));
  const size_t count = count_of(output.array.shape);
  if (count == 0) return array;
  const ByteView view(byte_array(array), true);
  if (is_sub_byte(element)) {
    unpack(element, output.bytes.data(), 0, view.data(), count);
  } else {
    std::memcpy(view.data(), output.bytes.data(), output.bytes.size());
  }
  return array;
}

RunOptions options_over_installed(std::string_view json) {
  RunOptions options = process_session().options();
  set_options(options, json);
  options.poll_interrupt = python_interrupt();
  options.on_prints = python_prints();
  return options;
}

// What is known of a module before it runs. `key` as in the handler's attributes.
std::shared_ptr<const LoadedModule> load(std::string_view text, std::string_view options_json,
                                         std::optional<int64_t> key) {
  RunOptions options;
  set_options(options, options_json);
  const nb::gil_scoped_release release;
  return process_session().load(text, "", options,
                                key ? std::optional(static_cast<uint64_t>(*key)) : std::nullopt);
}

std::string verify_text(std::string_view text, std::string_view options_json,
                        std::optional<int64_t> key) {
  std::string list;
  for (const Diagnostic& diagnostic : load(text, options_json, key)->diagnostics) {
    list += (list.empty() ? "" : ",") + to_json(diagnostic);
  }
  return "[" + list + "]";
}

// The same as text for a person.
std::string render_problems(std::string_view text, std::string_view options_json,
                            std::optional<int64_t> key) {
  FileSourceReader reader;
  std::string rendered;
  for (const Diagnostic& diagnostic : load(text, options_json, key)->diagnostics) {
    rendered += render_terminal(diagnostic, reader);
  }
  return rendered;
}

// A diagnostic that Python found: as JSON, and as text for a person.
nb::tuple diagnose(std::string_view json) {
  const Diagnostic diagnostic = diagnostic_from_json(json);
  FileSourceReader reader;
  return nb::make_tuple(to_json(diagnostic), render_terminal(diagnostic, reader));
}

nb::tuple run_text(std::string_view text, nb::list arrays, std::string_view options_json) {
  const RunOptions options = options_over_installed(options_json);
  std::vector<std::unique_ptr<PackedInput>> packed;
  std::vector<HostArray> inputs;
  for (nb::handle array : arrays) {
    packed.push_back(packed_input(array));
    inputs.push_back(packed.back()->array);
  }
  std::vector<OwnedArray> outputs;
  std::shared_ptr<KeptRun> kept;
  Report report;
  {
    const nb::gil_scoped_release release;
    const auto loaded = process_session().load(text, "", options);
    if (loaded->module) outputs = make_outputs(*loaded->module);
    std::vector<HostArray> views;
    for (OwnedArray& output : outputs) views.push_back(output.array);
    kept = std::make_shared<KeptRun>(loaded, inputs, options);
    report = process_session().run(*loaded, inputs, views, options);
    kept->mark_outputs(views);
  }
  const auto untold = std::span(report.prints).subspan(report.prints_told);
  const std::string prints = text_of_prints(untold, process_session().display());
  if (!prints.empty()) nb::module_::import_("sys").attr("stdout").attr("write")(prints.c_str());
  nb::list results;
  for (const OwnedArray& output : outputs) results.append(numpy_array(output));
  return nb::make_tuple(results, to_json(report), nb::cast(std::move(kept)));
}

std::optional<size_t> find_output(const KeptRun& kept, nb::object array) {
  const std::unique_ptr<PackedInput> packed = packed_input(array);
  return packed->array.data == nullptr ? std::nullopt : kept.find_output(packed->array);
}

std::string last_writer(const KeptRun& kept, size_t output, int64_t element) {
  const nb::gil_scoped_release release;
  return kept.last_writer(output, element, python_interrupt());
}

// The array, and whether it is of barriers.
nb::tuple kept_value(const KeptRun& kept, const std::string& request) {
  KeptRun::Value value;
  {
    const nb::gil_scoped_release release;
    value = kept.value(request, python_interrupt());
  }
  nb::object array = numpy().attr("empty")(nb::cast(value.shape), numpy_type(value.element));
  if (!value.bytes.empty()) {
    std::memcpy(ByteView(byte_array(array), true).data(), value.bytes.data(), value.bytes.size());
  }
  return nb::make_tuple(array, value.is_barrier);
}

std::string explain_code(std::string_view code) {
  const std::optional<Kind> kind = find_kind(code);
  return kind && find_entry(code) != nullptr ? entry_to_json(*kind) : "";
}

void set_process_display(std::string_view json) {
  Display display;
  set_display(display, json);
  process_session().set_display(std::move(display));
}

void set_run_options(std::string_view json) {
  RunOptions options;
  set_options(options, json);
  process_session().set_options(std::move(options));
}

}  // namespace

}  // namespace pallasite

NB_MODULE(_engine, m) {
  // Reports that the session keeps until the process ends hold on to their runs.
  nb::set_leak_warnings(false);
  using namespace pallasite;
  m.def("version", &version);
  m.def("verify", &verify_text, nb::arg("text"), nb::arg("options") = "{}",
        nb::arg("key") = nb::none());
  m.def("render_problems", &render_problems, nb::arg("text"), nb::arg("options") = "{}",
        nb::arg("key") = nb::none());
  nb::class_<KeptRun>(m, "KeptRun")
      .def_prop_ro("kernel", &KeptRun::kernel)
      .def_prop_ro("axes", &KeptRun::axes)
      .def("find_output", &find_output)
      .def("last_writer", &last_writer)
      .def("value", &kept_value);
  bind_report(m);
  m.def("diagnose", &diagnose);
  m.def("run", &run_text);
  m.def("take_interrupt", &take_interrupt);
  m.def("end_runs", &end_runs);
  m.def("set_run_options", &set_run_options);
  m.def("set_display", &set_process_display);
  m.def("build_info", [] { return to_json(build_info()); });
  m.def("set_report_sink", &set_report_sink, nb::arg("sink").none());
  m.def("explain", &explain_code);
  m.def("suggest_codes", &suggest_codes);
  m.def("catalogue", [] { return catalogue_to_json(); });
  m.def("ops", &ops_to_json);
  bind_cli(m);
  m.attr("pallasite_run") = ffi_handler();
}
