#include "pallasite/api/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "pallasite/api/content_hash.h"
#include "pallasite/ir/location.h"

namespace pallasite {

namespace {

using Role = KernelParameter::Role;

class Binder {
 public:
  explicit Binder(const Module& module) : module_(module), arrays_(parameters().size()) {}

  void bind(std::span<const HostArray> arrays, Role role) {
    size_t next = 0;
    for (const HostArray& array : arrays) {
      std::optional<size_t> index;
      if (array.name.empty()) {
        while (next < arrays_.size() && parameters()[next].role != role) ++next;
        if (next < arrays_.size()) index = next++;
      } else {
        index = find(array.name, role);
      }
      if (!index) {
        problem("unknown",
                array.name.empty() ? fmt::format("number {}", &array - arrays.data()) : array.name,
                role);
      } else if (fits(array, *index)) {
        arrays_[*index] = array;
      } else {
        refused_.push_back(*index);
      }
    }
  }

  BoundArguments finish() {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      if (parameters()[i].role == Role::Input) result_.input_positions.push_back(i);
      if (parameters()[i].role == Role::Input && !arrays_[i] &&
          std::ranges::find(refused_, i) == refused_.end()) {
        problem("missing", parameter_name(module_.kernel, i), Role::Input);
      }
    }
    if (!result_.problems.empty()) return std::move(result_);
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const int64_t bytes = bytes_of(i);
      std::byte* data = arrays_[i] ? arrays_[i]->data : nullptr;
      if (!arrays_[i]) {
        result_.own.emplace_back(static_cast<size_t>(bytes));
        data = result_.own.back().data();
      }
      result_.buffers.push_back({data, bytes});
    }
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const std::optional<uint32_t> shared = parameters()[i].aliases;
      if (!shared) continue;
      GmemBuffer& output = result_.buffers[i];
      if (output.data != result_.buffers[*shared].data && output.bytes > 0) {
        std::memcpy(output.data, result_.buffers[*shared].data, static_cast<size_t>(output.bytes));
      }
      result_.buffers[*shared] = output;
    }
    return std::move(result_);
  }

 private:
  const std::vector<KernelParameter>& parameters() const { return module_.kernel.parameters; }
  const Type& type(size_t i) const {
    return module_.value(module_.region(module_.kernel.body).arguments[i]).type;
  }
  int64_t bytes_of(size_t i) const {
    return static_cast<int64_t>(
        packed_bytes(type(i).element, static_cast<size_t>(type(i).element_count())));
  }

  std::optional<size_t> find(std::string_view name, Role role) const {
    for (size_t i = 0; i < parameters().size(); ++i) {
      if (parameters()[i].role == role && parameter_name(module_.kernel, i) == name) return i;
    }
    return std::nullopt;
  }

  DiagnosticBuilder builder(std::string variant, std::string name) const {
    DiagnosticBuilder made(Kind::ModuleArgument);
    made.variant(std::move(variant)).arg("name", name);
    made.at(source_location(module_, module_.kernel.location));
    return made;
  }

  void problem(std::string variant, std::string name, Role role) {
    Names names;
    for (size_t i = 0; i < parameters().size(); ++i) {
      if (parameters()[i].role == role) names.push_back(parameter_name(module_.kernel, i));
    }
    result_.problems.push_back(
        builder(std::move(variant), std::move(name)).arg("names", names).build());
  }

  bool fits(const HostArray& array, size_t i) {
    const std::string name = parameter_name(module_.kernel, i);
    if (array.shape != type(i).shape) {
      result_.problems.push_back(builder("shape", name)
                                     .arg("expected_shape", Shape(type(i).shape))
                                     .arg("shape", Shape(array.shape))
                                     .build());
      return false;
    }
    if (parse_element_type(array.dtype) != type(i).element) {
      result_.problems.push_back(builder("dtype", name)
                                     .arg("expected_dtype", element_info(type(i).element).jax_name)
                                     .arg("dtype", array.dtype)
                                     .build());
      return false;
    }
    return true;
  }

  const Module& module_;
  std::vector<std::optional<HostArray>> arrays_;
  std::vector<size_t> refused_;
  BoundArguments result_;
};

}  // namespace

std::string parameter_name(const Kernel& kernel, size_t index) {
  const KernelParameter& parameter = kernel.parameters[index];
  if (!parameter.name.empty()) return parameter.name;
  const auto number = std::count_if(
      kernel.parameters.begin(), kernel.parameters.begin() + static_cast<ptrdiff_t>(index),
      [&](const KernelParameter& other) { return other.role == parameter.role; });
  return fmt::format("{}{}", parameter.role == Role::Input ? "input" : "output", number);
}

std::vector<OwnedArray> make_outputs(const Module& module) {
  std::vector<OwnedArray> outputs;
  const std::vector<ValueId>& arguments = module.region(module.kernel.body).arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (module.kernel.parameters[i].role != Role::Output) continue;
    const Type& type = module.value(arguments[i]).type;
    OwnedArray output;
    output.bytes.resize(packed_bytes(type.element, static_cast<size_t>(type.element_count())));
    output.array = {parameter_name(module.kernel, i), std::string(element_name(type.element)),
                    type.shape, output.bytes.data()};
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::string BoundArguments::inputs_hash() const {
  ContentHash hash;
  for (size_t i : input_positions) {
    hash.add(buffers[i].data, static_cast<size_t>(buffers[i].bytes));
  }
  return hash.text();
}

BoundArguments bind_arguments(const Module& module, std::span<const HostArray> inputs,
                              std::span<const HostArray> outputs) {
  Binder binder(module);
  binder.bind(inputs, Role::Input);
  binder.bind(outputs, Role::Output);
  return binder.finish();
}

}  // namespace pallasite
