// The Python module pallasite._engine. python/pallasite/engine.py says what it offers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <sstream>

#include "pallasite/api/op_docs.h"
#include "pallasite/api/python_side.h"
#include "pallasite/api/session.h"
#include "pallasite/base/version.h"
#include "pallasite/diag/catalogue.h"
#include "pallasite/numerics/element_type.h"

namespace nb = nanobind;

namespace pallasite {

namespace {

using Bytes1d = nb::ndarray<nb::ro, const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableBytes1d = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object numpy() {
  return nb::module_::import_("numpy");
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
  nb::object bytes;
  std::vector<std::byte> packed;
};

std::unique_ptr<PackedInput> packed_input(nb::handle array) {
  auto input = std::make_unique<PackedInput>();
  input->array.dtype = nb::cast<std::string>(nb::str(array.attr("dtype")));
  input->array.shape = nb::cast<std::vector<int64_t>>(array.attr("shape"));
  const std::optional<ElementType> element = parse_element_type(input->array.dtype);
  // The run will say that the kernel takes no such array.
  if (!element) return input;
  input->bytes =
      numpy().attr("require")(array, nb::none(), "CA").attr("reshape")(-1).attr("view")("uint8");
  const auto view = nb::cast<Bytes1d>(input->bytes);
  // Inputs are never written (Session::run), so the constness of the caller's array is kept.
  input->array.data = reinterpret_cast<std::byte*>(const_cast<uint8_t*>(view.data()));
  if (is_sub_byte(*element)) {
    const size_t count = count_of(input->array.shape);
    input->packed.resize(packed_bytes(*element, count));
    pack(*element, view.data(), input->packed.data(), 0, count);
    input->array.data = input->packed.data();
  }
  return input;
}

nb::object numpy_array(const OwnedArray& output) {
  const ElementType element = *parse_element_type(output.array.dtype);
  nb::object array = numpy().attr("empty")(nb::cast(output.array.shape), numpy_type(element));
  const size_t count = count_of(output.array.shape);
  if (count == 0) return array;
  auto view = nb::cast<MutableBytes1d>(array.attr("reshape")(-1).attr("view")("uint8"));
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
  return options;
}

std::string verify_text(std::string_view text) {
  const nb::gil_scoped_release release;
  const auto loaded = process_session().load(text, "", process_session().options());
  std::string list;
  for (const Diagnostic& diagnostic : loaded->diagnostics) {
    list += (list.empty() ? "" : ",") + to_json(diagnostic);
  }
  return "[" + list + "]";
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
  Report report;
  {
    const nb::gil_scoped_release release;
    const auto loaded = process_session().load(text, "", options);
    if (loaded->module) outputs = make_outputs(*loaded->module);
    std::vector<HostArray> views;
    for (OwnedArray& output : outputs) views.push_back(output.array);
    report = process_session().run(*loaded, inputs, views, options);
  }
  std::string prints;
  for (const GridPrint& print : report.prints) prints += print.text + '\n';
  if (!prints.empty()) nb::module_::import_("sys").attr("stdout").attr("write")(prints.c_str());
  nb::list results;
  for (const OwnedArray& output : outputs) results.append(numpy_array(output));
  return nb::make_tuple(results, to_json(report));
}

// The report that an error would carry, for what is known before a kernel runs.
std::string render_problems(std::string_view text) {
  const nb::gil_scoped_release release;
  const auto loaded = process_session().load(text, "", process_session().options());
  FileSourceReader reader;
  std::string rendered;
  for (const Diagnostic& diagnostic : loaded->diagnostics) {
    rendered += render_terminal(diagnostic, reader) + "\n";
  }
  return rendered;
}

std::string explain_code(std::string_view code) {
  const std::optional<Kind> kind = find_kind(code);
  return kind && find_entry(code) != nullptr ? entry_to_json(*kind) : "";
}

nb::object last_report_json() {
  const std::shared_ptr<const Report> report = last_report();
  return report ? nb::object(nb::str(to_json(*report).c_str())) : nb::none();
}

void set_run_options(std::string_view json) {
  RunOptions options;
  set_options(options, json);
  process_session().set_options(std::move(options));
}

}  // namespace

}  // namespace pallasite

NB_MODULE(_engine, m) {
  using namespace pallasite;
  m.def("version", &version);
  m.def("verify", &verify_text);
  m.def("render_problems", &render_problems);
  m.def("run", &run_text);
  m.def("set_run_options", &set_run_options);
  m.def("set_report_sink", &set_report_sink, nb::arg("sink").none());
  m.def("last_report", &last_report_json);
  m.def("explain", &explain_code);
  m.def("suggest_codes", &suggest_codes);
  m.def("catalogue", [] { return catalogue_to_json(); });
  m.def("ops", &ops_to_json);
  m.attr("pallasite_run") = ffi_handler();
}
