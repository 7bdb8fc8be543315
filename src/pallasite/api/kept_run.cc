#include "pallasite/api/kept_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pallasite/api/content_hash.h"
#include "pallasite/diag/render.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/text.h"
#include "pallasite/san/last_writer.h"
#include "pallasite/san/value_watcher.h"

namespace pallasite {

namespace {

using Json = nlohmann::ordered_json;
using Role = KernelParameter::Role;

size_t bytes_of(const HostArray& array) {
  const std::optional<ElementType> element = parse_element_type(array.dtype);
  size_t count = 1;
  for (int64_t extent : array.shape) count *= static_cast<size_t>(extent);
  return element && array.data != nullptr ? packed_bytes(*element, count) : 0;
}

std::string hash_of(const HostArray& array) {
  ContentHash hash;
  hash.add(array.data, bytes_of(array));
  return hash.text();
}

// Positions of the outputs among the parameters.
std::vector<size_t> output_positions(const Kernel& kernel) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].role == Role::Output) positions.push_back(i);
  }
  return positions;
}

struct Axis {
  std::string name;
  int64_t extent = 1;
  bool cluster = false;
};

std::vector<Axis> axes_of(const Kernel& kernel) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    axes.push_back({kernel.grid_names[i], kernel.grid[i], false});
  }
  for (size_t i = 0; i < kernel.cluster.size(); ++i) {
    axes.push_back({kernel.cluster_names[i], kernel.cluster[i], true});
  }
  return axes;
}

void choose_block(const Kernel& kernel, const Json& block, WatchPoint& point) {
  const std::vector<Axis> axes = axes_of(kernel);
  std::string known;
  for (const Axis& axis : axes) {
    known +=
        fmt::format("{}\"{}\": 0 to {}", known.empty() ? "" : ", ", axis.name, axis.extent - 1);
  }
  known = "{" + known + "}";
  if (block.is_object()) {
    for (const auto& [name, index] : block.items()) {
      if (std::none_of(axes.begin(), axes.end(),
                       [&, n = name](const Axis& a) { return a.name == n; })) {
        throw LookupError(fmt::format("the grid has no axis \"{}\"; block={}", name, known));
      }
    }
  }
  int64_t cluster = 0, in_cluster = 0;
  for (const Axis& axis : axes) {
    int64_t index = 0;
    if (block.is_object() && block.contains(axis.name)) {
      index = block[axis.name].get<int64_t>();
    } else if (axis.extent > 1) {
      throw LookupError(fmt::format("which block? block={}", known));
    }
    if (index < 0 || index >= axis.extent) {
      throw LookupError(
          fmt::format("there is no block with \"{}\": {}; block={}", axis.name, index, known));
    }
    int64_t& number = axis.cluster ? in_cluster : cluster;
    number = number * axis.extent + index;
  }
  point.cluster = cluster;
  point.block = static_cast<uint32_t>(in_cluster);
}

struct Candidate {
  std::string name;
  std::string place;
  std::optional<uint32_t> allocation;
  std::optional<uint32_t> barriers;
};

std::vector<Candidate> candidates_of(const Program& program) {
  std::vector<Candidate> all;
  const auto place = [&](LocationId id) -> std::string {
    const SourceLocation location = source_location(*program.module, id);
    if (location.frames.empty()) return "";
    return fmt::format(" ({}:{})", location.frames[0].file, location.frames[0].line);
  };
  for (uint32_t i = 0; i < program.allocations.size(); ++i) {
    all.push_back({program.allocations[i].name, place(program.allocations[i].location), i, {}});
  }
  for (uint32_t i = 0; i < program.barriers.size(); ++i) {
    all.push_back({program.barriers[i].name, place(program.barriers[i].location), {}, i});
  }
  return all;
}

// `name`, or `name#2` where several buffers have it.
Candidate choose_buffer(const Program& program, const std::string& text) {
  const std::vector<Candidate> all = candidates_of(program);
  std::string name = text;
  size_t number = 0;
  const size_t mark = text.rfind('#');
  if (mark != std::string::npos && mark + 1 < text.size() && mark + 8 > text.size() &&
      text.find_first_not_of("0123456789", mark + 1) == std::string::npos) {
    name = text.substr(0, mark);
    number = std::stoul(text.substr(mark + 1));
  }
  std::vector<Candidate> named;
  for (const Candidate& candidate : all) {
    if (candidate.name == name) named.push_back(candidate);
  }
  if (named.size() == 1 && number <= 1) return named[0];
  if (number >= 1 && number <= named.size()) return named[number - 1];
  std::string list;
  if (!named.empty()) {
    for (size_t i = 0; i < named.size(); ++i) {
      list += fmt::format("{}{}#{}{}", i == 0 ? "" : ", ", name, i + 1, named[i].place);
    }
    throw LookupError(
        fmt::format("{} buffers are called `{}`: state one of {}", named.size(), name, list));
  }
  std::vector<std::string_view> names;
  for (const Candidate& candidate : all) {
    if (std::find(names.begin(), names.end(), candidate.name) == names.end()) {
      names.push_back(candidate.name);
    }
  }
  for (std::string_view known : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", known);
  const std::string_view near = nearest_name(name, names);
  throw LookupError(fmt::format("the kernel has nothing called `{}`{}; it has: {}", name,
                                near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near),
                                list));
}

void choose_point(const std::string& at, WatchPoint& point) {
  if (at == "end") return;
  const size_t colon = at.rfind(':');
  const std::string line = colon == std::string::npos ? "" : at.substr(colon + 1);
  if (line.empty() || line.size() > 7 ||
      line.find_first_not_of("0123456789") != std::string::npos || colon == 0) {
    throw LookupError(
        fmt::format("at=\"{}\": expected \"end\", or a line as in \"kernel.py:41\"", at));
  }
  point.file = at.substr(0, colon);
  point.line = std::stoi(line);
}

}  // namespace

KeptRun::KeptRun(std::shared_ptr<const LoadedModule> loaded, std::span<const HostArray> inputs,
                 const RunOptions& options)
    : loaded_(std::move(loaded)), options_(options) {
  options_.poll_interrupt = nullptr;
  options_.on_prints = nullptr;
  options_.on_progress = nullptr;
  options_.observers.clear();
  // The outputs are those of the stated schedule.
  options_.schedules = 0;
  for (const HostArray& input : inputs) {
    OwnedArray& kept = inputs_.emplace_back();
    kept.array = input;
    kept.bytes.assign(input.data, input.data + bytes_of(input));
    kept.array.data = kept.bytes.data();
  }
}

void KeptRun::mark_outputs(std::span<const HostArray> outputs) {
  if (!loaded_->module) return;
  const std::vector<size_t> positions = output_positions(loaded_->module->kernel);
  for (size_t i = 0; i < outputs.size() && i < positions.size(); ++i) {
    outputs_.push_back({parameter_name(loaded_->module->kernel, positions[i]), outputs[i].dtype,
                        hash_of(outputs[i]), bytes_of(outputs[i])});
  }
}

const std::string& KeptRun::kernel() const {
  static const std::string none;
  return loaded_->module ? loaded_->module->kernel.name : none;
}

std::vector<std::string> KeptRun::axes() const {
  std::vector<std::string> names;
  if (!loaded_->module) return names;
  for (const Axis& axis : axes_of(loaded_->module->kernel)) names.push_back(axis.name);
  return names;
}

std::optional<size_t> KeptRun::find_output(const HostArray& array) const {
  const std::string hash = hash_of(array);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].bytes == bytes_of(array) && outputs_[i].hash == hash &&
        parse_element_type(outputs_[i].dtype) == parse_element_type(array.dtype)) {
      return i;
    }
  }
  return std::nullopt;
}

Report KeptRun::rerun(Observer& observer, std::function<bool()> poll_interrupt) const {
  if (loaded_->program == nullptr) throw LookupError("the kernel did not run");
  RunOptions options = options_;
  options.workers = 1;
  options.observers = {&observer};
  options.poll_interrupt = std::move(poll_interrupt);
  std::vector<HostArray> inputs;
  for (const OwnedArray& input : inputs_) inputs.push_back(input.array);
  std::vector<OwnedArray> outputs = make_outputs(*loaded_->module);
  std::vector<HostArray> views;
  for (const OwnedArray& output : outputs) views.push_back(output.array);
  Report report = Session::rerun(*loaded_, inputs, views, options);
  for (const Diagnostic& finding : report.findings) {
    if (finding.kind == Kind::RunInterrupted) throw LookupError("interrupted");
  }
  return report;
}

std::string KeptRun::last_writer(size_t output, int64_t element,
                                 std::function<bool()> poll_interrupt) const {
  if (loaded_->program == nullptr) throw LookupError("the kernel did not run");
  const Program& program = *loaded_->program;
  const Kernel& kernel = loaded_->module->kernel;
  const size_t position = output_positions(kernel).at(output);
  LastWriter observer(program.allocations[position].address, element);
  rerun(observer, std::move(poll_interrupt));
  Json value = {{"kernel", kernel.name}, {"output", parameter_name(kernel, position)}};
  if (!observer.last()) {
    value["writes"] = 0;
    const std::optional<uint32_t> shared = kernel.parameters[position].aliases;
    value["instead"] = shared ? fmt::format("what the input `{}`, which shares its buffer, held",
                                            parameter_name(kernel, *shared))
                              : "fresh memory";
    return value.dump();
  }
  const LastWrite& last = *observer.last();
  value["writes"] = last.writes;
  value["asynchronous"] = last.asynchronous;
  value["thread"] = Json::parse(to_json(last.thread));
  value["location"] = Json::parse(to_json(last.location));
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

KeptRun::Value KeptRun::value(std::string_view request_text,
                              std::function<bool()> poll_interrupt) const {
  if (loaded_->program == nullptr) throw LookupError("the kernel did not run");
  const Json request = Json::parse(request_text);
  const Program& program = *loaded_->program;
  const Candidate chosen = choose_buffer(program, request.at("name").get<std::string>());
  WatchPoint point;
  point.allocation = chosen.allocation;
  point.barriers = chosen.barriers;
  const AllocationSite* site =
      chosen.allocation ? &program.allocations[*chosen.allocation] : nullptr;
  choose_point(request.at("at").get<std::string>(), point);
  point.occurrence = request.at("occurrence").get<int64_t>();
  const bool global = site != nullptr && site->space == MemorySpace::Gmem;
  // An array of the kernel is the same for all blocks, but a line is reached by one of them.
  if (!global || !point.file.empty()) {
    choose_block(loaded_->module->kernel, request.at("block"), point);
  }
  if (!request.at("thread").is_null()) {
    const auto thread = request.at("thread").get<int64_t>();
    if (thread < 0 || thread >= program.threads_per_block) {
      throw LookupError(fmt::format("there is no thread {}; a block has threads 0 to {}", thread,
                                    program.threads_per_block - 1));
    }
    point.thread = static_cast<uint32_t>(thread);
  } else if (site != nullptr && site->space == MemorySpace::Regs && program.threads_per_block > 1) {
    throw LookupError(
        fmt::format("`{}` is in registers, of which each thread has its own: state "
                    "thread=0 to {}",
                    chosen.name, program.threads_per_block - 1));
  }
  ValueWatcher watcher(point);
  rerun(watcher, std::move(poll_interrupt));
  if (!watcher.found()) {
    if (!watcher.block_started() && !(global && point.file.empty())) {
      throw LookupError("the run ended before that block started");
    }
    if (!point.file.empty() && !watcher.line_reached()) {
      throw LookupError(fmt::format(
          "no thread of that block came to {}:{}, or nothing there touches memory or barriers",
          point.file, point.line));
    }
    if (!point.file.empty() && point.occurrence >= watcher.visits()) {
      throw LookupError(fmt::format("that block came to {}:{} {} times", point.file, point.line,
                                    watcher.visits()));
    }
    throw LookupError(fmt::format("`{}` was not there at that point", chosen.name));
  }
  Value value;
  value.name = chosen.name;
  if (chosen.barriers) {
    value.is_barrier = true;
    value.shape = program.barriers[*chosen.barriers].shape;
    value.shape.push_back(3);
    for (const ValueWatcher::Barrier& barrier : watcher.barriers()) {
      for (int64_t number : {barrier.phase, barrier.arrivals, barrier.pending_bytes}) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&number);
        value.bytes.insert(value.bytes.end(), bytes, bytes + sizeof number);
      }
    }
    return value;
  }
  value.element = site->layout.element;
  value.shape = site->layout.logical_shape;
  value.bytes = watcher.bytes();
  if (site->space != MemorySpace::Regs && is_sub_byte(value.element)) {
    const auto count = static_cast<size_t>(site->layout.element_count());
    std::vector<std::byte> registers(count);
    unpack(value.element, value.bytes.data(), 0, registers.data(), count);
    value.bytes = std::move(registers);
  }
  return value;
}

}  // namespace pallasite
