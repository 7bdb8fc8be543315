#include "pallasite/sim/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pallasite/base/check.h"
#include "pallasite/ir/location.h"
#include "pallasite/ir/op_def.h"
#include "pallasite/sim/machine.h"
#include "pallasite/sim/thread.h"

namespace pallasite {

namespace {

constexpr int64_t kSmemAlignment = 1024;

// Of one thread. Far above what a warpgroup has, and slots of 32 bits stay safe.
constexpr size_t kMaxRegisterBytes = size_t{1} << 30;

int64_t align_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Step exec_end(Thread& thread, const Instruction&) {
  return thread.machine().end_thread(thread);
}

}  // namespace

Compiler::Compiler(std::shared_ptr<const Module> module, const CompileOptions& options)
    : module_(std::move(module)), options_(options), program_(std::make_shared<Program>()) {}

Compiler::~Compiler() = default;

Compiler::Result Compiler::compile(std::shared_ptr<const Module> module,
                                   const CompileOptions& options) {
  Compiler compiler(std::move(module), options);
  compiler.run();
  Result result;
  result.diagnostics = std::move(compiler.diagnostics_);
  if (result.diagnostics.empty()) result.program = std::move(compiler.program_);
  return result;
}

void Compiler::run() {
  const Kernel& kernel = module_->kernel;
  program_->module = module_;
  program_->frames.push_back(StaticFrame());
  program_->threads_per_block = static_cast<uint32_t>(kernel.num_threads);
  for (int64_t size : kernel.grid) program_->clusters *= size;
  for (int64_t size : kernel.cluster) program_->blocks_per_cluster *= static_cast<uint32_t>(size);
  bindings_.resize(module_->num_values());
  count_uses();
  collect_literals();
  bind_parameters();
  begin_region(kernel.body);
  end_region(kernel.body);
  emit(OpId(), exec_end, nullptr, true);
  patch_labels();
  if (too_many_registers_ && diagnostics_.empty()) {
    diagnostics_.push_back(
        DiagnosticBuilder(Kind::RunUnsupported)
            .variant("op")
            .arg("op", kernel.name)
            .arg("params", "its arrays in registers")
            .arg("reason", fmt::format("they take more than {} MiB", kMaxRegisterBytes >> 20))
            .at(source_location(*module_, kernel.location))
            .build());
  }
  program_->register_bytes = static_cast<uint32_t>(align_up(program_->register_bytes, 64));
  program_->smem_bytes = align_up(program_->smem_bytes, kSmemAlignment);
  program_->staging_bytes = align_up(program_->staging_bytes, 64);
}

void Compiler::note_use(ValueId value, OpId user) {
  const Value& v = module_->value(value);
  if (v.literal) return;
  ++use_count_[value.index];
  const RegionId home = v.op.valid() ? module_->op(v.op).parent : v.region;
  // The op of the value's own region in which the use lies.
  OpId ancestor = user;
  while (module_->op(ancestor).parent != home) {
    ancestor = module_->region(module_->op(ancestor).parent).owner;
    PALLASITE_CHECK(ancestor.valid(), "a use outside of the value's region");
  }
  const uint32_t position = position_[ancestor.index];
  uint32_t& last = last_use_[value.index];
  last = last == UINT32_MAX ? position : std::max(last, position);
  // A view is nothing but its operands: they are used where it is.
  if (v.op.valid() && !v.type.is_array()) {
    for (ValueId operand : module_->op(v.op).operands) note_use(operand, user);
  }
}

void Compiler::count_uses() {
  use_count_.assign(module_->num_values(), 0);
  last_use_.assign(module_->num_values(), UINT32_MAX);
  position_.assign(module_->num_ops(), 0);
  for (uint32_t r = 0; r < module_->num_regions(); ++r) {
    const std::vector<OpId>& ops = module_->region(RegionId(r)).ops;
    for (uint32_t i = 0; i < ops.size(); ++i) position_[ops[i].index] = i;
  }
  const auto walk = [&](const auto& self, RegionId region_id) -> void {
    const Region& region = module_->region(region_id);
    for (OpId id : region.ops) {
      const Op& op = module_->op(id);
      for (ValueId operand : op.operands) note_use(operand, id);
      for (RegionId inner : op.regions) self(self, inner);
    }
  };
  walk(walk, module_->kernel.body);
  for (const Function& function : module_->functions()) walk(walk, function.body);
  const auto record = [&](ValueId value, RegionId region, uint32_t at) {
    dies_at_[{region.index, at}].push_back(value);
  };
  const auto deaths = [&](const auto& self, RegionId region_id) -> void {
    const Region& region = module_->region(region_id);
    for (uint32_t i = 0; i < region.ops.size(); ++i) {
      const Op& op = module_->op(region.ops[i]);
      for (ValueId result : op.results) {
        const uint32_t last = last_use_[result.index];
        record(result, region_id, last == UINT32_MAX ? i : last);
      }
      for (RegionId inner : op.regions) self(self, inner);
    }
  };
  deaths(deaths, module_->kernel.body);
  for (const Function& function : module_->functions()) deaths(deaths, function.body);
}

void Compiler::collect_literals() {
  std::vector<std::byte> block;
  for (uint32_t i = 0; i < module_->num_values(); ++i) {
    const std::optional<Literal>& literal = module_->value(ValueId(i)).literal;
    if (!literal) continue;
    const auto key = std::pair(static_cast<uint8_t>(literal->element), literal->bits);
    const auto [it, added] = literal_slots_.try_emplace(key, static_cast<Slot>(block.size()));
    if (added) {
      block.resize(block.size() + 8);
      std::memcpy(block.data() + it->second, &literal->bits, 8);
    }
    bindings_[i] = SlotBinding{it->second, false};
  }
  program_->register_bytes = static_cast<uint32_t>(align_up(block.size(), 64));
  if (!block.empty()) program_->constants.push_back({0, std::move(block)});
}

void Compiler::bind_parameters() {
  const Kernel& kernel = module_->kernel;
  const Region& body = module_->region(kernel.body);
  program_->parameter_written.assign(kernel.parameters.size(), false);
  for (uint32_t i = 0; i < body.arguments.size(); ++i) {
    AllocationSite site;
    site.name = kernel.parameters[i].name;
    site.space = MemorySpace::Gmem;
    const std::string error = make_layout(type(body.arguments[i]), site.layout);
    PALLASITE_CHECK(error.empty(), +error);
    // An output that shares an input's buffer is that buffer under another name.
    site.address = kernel.parameters[i].aliases.value_or(i);
    site.location = kernel.location;
    bindings_[body.arguments[i].index] =
        whole_view(static_cast<uint32_t>(program_->allocations.size()), site.layout);
    program_->allocations.push_back(std::move(site));
  }
}

uint32_t Compiler::bytes_of(ValueId value) const {
  const Type& t = type(value);
  return static_cast<uint32_t>(t.element_count() * static_cast<int64_t>(register_bytes(t.element)));
}

Slot Compiler::allocate(size_t bytes) {
  if (program_->register_bytes + bytes > kMaxRegisterBytes) {
    too_many_registers_ = true;
    return 0;
  }
  const auto size =
      static_cast<uint32_t>(bytes <= 8 ? 8 : align_up(static_cast<int64_t>(bytes), 64));
  Slot slot;
  if (const auto it = free_slots_.find(size); it != free_slots_.end()) {
    slot = it->second;
    free_slots_.erase(it);
  } else {
    const int64_t alignment = size == 8 ? 8 : 64;
    slot = static_cast<Slot>(align_up(program_->register_bytes, alignment));
    program_->register_bytes = slot + size;
  }
  live_slots_[slot] = {size, 1};
  return slot;
}

void Compiler::release(Slot slot) {
  const auto it = live_slots_.find(slot);
  if (it == live_slots_.end()) return;
  if (--it->second.second > 0) return;
  free_slots_.emplace(it->second.first, slot);
  live_slots_.erase(it);
}

void Compiler::free_value(ValueId value) {
  Binding& binding = bindings_[value.index];
  const auto* slot = std::get_if<SlotBinding>(&binding);
  if (slot == nullptr || !slot->owned) return;
  // An elementwise op that is still pending may read the slots.
  deferred_releases_.push_back(slot->slot);
  if (const auto it = in_place_.find(value); it != in_place_.end()) {
    deferred_releases_.push_back(it->second.offset);
    in_place_.erase(it);
  }
  if (pending_.empty()) release_deferred();
  binding = std::monostate();
}

void Compiler::release_deferred() {
  for (Slot slot : std::exchange(deferred_releases_, {})) release(slot);
}

bool Compiler::is_pending(ValueId value) const {
  for (const PendingElementwise& step : pending_) {
    if (op(step.op).results[0] == value) return true;
  }
  return false;
}

Slot Compiler::use(ValueId value) {
  if (is_pending(value)) flush_elementwise();
  read_in_place(value);
  Binding& binding = bindings_[value.index];
  if (std::holds_alternative<std::monostate>(binding)) {
    if (const auto it = known_.find(value); it != known_.end() && type(value).is_scalar())
      binding = SlotBinding{scalar_constant(type(value).element, it->second), false};
  }
  const auto* slot = std::get_if<SlotBinding>(&binding);
  PALLASITE_CHECK(slot != nullptr,
                  "a value is used that has no slot: " +
                      (module_->value(value).op.valid()
                           ? "result of " + module_->op_path(module_->value(value).op)
                           : std::string("an argument")));
  return slot->slot;
}

Slot Compiler::define(ValueId value) {
  const Type& t = type(value);
  const auto bytes = static_cast<size_t>(t.element_count()) * register_bytes(t.element);
  const Slot slot = allocate(std::max<size_t>(bytes, 1));
  bindings_[value.index] = SlotBinding{slot, true};
  return slot;
}

Slot Compiler::scratch(size_t bytes) {
  const Slot slot = allocate(bytes);
  region_scratch_.back().push_back(slot);
  return slot;
}

Slot Compiler::constant(std::vector<std::byte> data) {
  const auto slot = static_cast<Slot>(align_up(program_->register_bytes, 64));
  program_->register_bytes = slot + static_cast<uint32_t>(std::max<size_t>(data.size(), 8));
  program_->constants.push_back({slot, std::move(data)});
  return slot;
}

void Compiler::alias(ValueId value, ValueId same_as) {
  if (is_pending(same_as)) flush_elementwise();
  read_in_place(same_as);
  Binding binding = bindings_[same_as.index];
  if (auto* slot = std::get_if<SlotBinding>(&binding)) {
    const auto it = live_slots_.find(slot->slot);
    slot->owned = it != live_slots_.end();
    if (slot->owned) ++it->second.second;
  }
  bindings_[value.index] = std::move(binding);
  if (const auto bits = known(same_as); bits && options_.level == ObservationLevel::Fused) {
    known_[value] = *bits;
  } else {
    known_.erase(value);
  }
  if (!module_->value(value).op.valid()) argument_values_[value] = same_as;
}

void Compiler::bind_slot(ValueId argument, Slot slot) {
  bindings_[argument.index] = SlotBinding{slot, false};
}

const View& Compiler::view(ValueId ref) {
  const auto* view = std::get_if<View>(&bindings_[ref.index]);
  PALLASITE_CHECK(view != nullptr, "a ref that stands for no view");
  return *view;
}

void Compiler::define_view(OpId id, View view, const std::string& error) {
  if (!error.empty()) unsupported(id, error);
  bindings_[op(id).results[0].index] = std::move(view);
}

const Layout& Compiler::layout(ValueId ref) {
  return program_->allocations[view(ref).site].layout;
}

const AccessPlan* Compiler::access(ValueId ref) {
  const View& v = view(ref);
  const AllocationSite& site = program_->allocations[v.site];
  return payload(make_access_plan(v, site.layout, site.space));
}

const BarrierView* Compiler::barrier(ValueId ref) {
  BarrierView result;
  result.view = view(ref);
  result.site = result.view.site;
  const BarrierSite& site = program_->barriers[result.site];
  int64_t stride = 1;
  std::vector<int64_t> strides(site.shape.size());
  for (size_t d = site.shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= site.shape[d];
  }
  for (size_t d = 0; d < strides.size(); ++d) result.index += result.view.start[d] * strides[d];
  for (StartTerm term : result.view.terms) {
    term.coefficient *= strides[term.dim];
    result.terms.push_back(term);
  }
  return payload(std::move(result));
}

SliceStart Compiler::slice_start(ValueId index) {
  const Value& value = module_->value(index);
  if (value.literal) {
    std::byte bytes[8];
    std::memcpy(bytes, &value.literal->bits, sizeof bytes);
    return {read_index(bytes, 0, value.literal->element), std::nullopt, value.literal->element};
  }
  return {0, use(index), value.type.element};
}

Instruction& Compiler::emit(OpId id, ExecFn exec, const void* payload, bool visible) {
  flush_elementwise();
  Instruction instruction;
  instruction.exec = exec;
  instruction.payload = payload;
  instruction.op = id;
  instruction.frame = frame_;
  instruction.visible = visible;
  program_->code.push_back(instruction);
  return program_->code.back();
}

std::span<const ValueId> Compiler::begin_region(RegionId region_id) {
  region_scratch_.emplace_back();
  const Region& region = module_->region(region_id);
  for (uint32_t i = 0; i + 1 < region.ops.size(); ++i) {
    const OpId id = region.ops[i];
    const Op& op = module_->op(id);
    const bool dead = op.def->pure && std::none_of(op.results.begin(), op.results.end(),
                                                   [&](ValueId result) { return is_used(result); });
    if (!dead) {
      // A function that is inlined twice may have known them.
      for (ValueId result : op.results) known_.erase(result);
      if (op.def->compile == nullptr) {
        unsupported(id, "the op has no semantics in this build");
      } else if (!fold_move(id)) {
        op.def->compile(*this, id);
      }
    }
    // What follows would build on bindings that are not there.
    if (!diagnostics_.empty()) break;
    if (const auto it = dies_at_.find({region_id.index, i}); it != dies_at_.end()) {
      for (ValueId value : it->second) free_value(value);
    }
  }
  flush_elementwise();
  if (!diagnostics_.empty()) return {};
  return module_->op(region.ops.back()).operands;
}

void Compiler::end_region(RegionId region_id) {
  flush_elementwise();
  const Region& region = module_->region(region_id);
  const auto last = static_cast<uint32_t>(region.ops.size() - 1);
  if (const auto it = dies_at_.find({region_id.index, last}); it != dies_at_.end()) {
    for (ValueId value : it->second) free_value(value);
  }
  for (Slot slot : region_scratch_.back()) release(slot);
  region_scratch_.pop_back();
}

void Compiler::push_frame(OpId id, Slot iteration) {
  program_->frames.push_back({frame_, id, iteration});
  frame_ = static_cast<uint32_t>(program_->frames.size() - 1);
  uint32_t loops = 0;
  for (uint32_t f = frame_; f != 0; f = program_->frames[f].parent) {
    loops += program_->frames[f].iteration != kNoSlot;
  }
  program_->loop_depth = std::max(program_->loop_depth, loops);
}

void Compiler::pop_frame() {
  frame_ = program_->frames[frame_].parent;
}

uint32_t Compiler::add_scope(OpId id, RegionId region_id, bool collective) {
  scope_marks_.push_back({smem_top_, barrier_top_});
  const auto index = static_cast<uint32_t>(program_->scopes.size());
  scope_registers_.push_back({index, {}});
  ScopeSite scope;
  scope.op = id;
  scope.collective = collective;
  for (ValueId argument : module_->region(region_id).arguments) {
    const Value& value = module_->value(argument);
    if (value.type.is_barrier()) {
      BarrierSite site;
      site.name = value.name;
      site.spec = value.type.barrier;
      site.shape = value.type.shape;
      site.first = barrier_top_;
      site.count = static_cast<uint32_t>(value.type.element_count());
      site.arrivals = site.spec.num_arrivals;
      site.location = op(id).location;
      site.scope = index;
      if (site.spec.is_cluster()) {
        // Blocks that differ from this one in at most one of the collective axes arrive here.
        int64_t blocks = 1;
        const Kernel& kernel = module_->kernel;
        for (const std::vector<std::string>& group : site.spec.cluster_axes) {
          int64_t size = 1;
          for (const std::string& axis : group) {
            const auto it =
                std::find(kernel.cluster_names.begin(), kernel.cluster_names.end(), axis);
            size *= kernel.cluster[it - kernel.cluster_names.begin()];
          }
          blocks += size - 1;
        }
        site.arrivals *= blocks;
      }
      barrier_top_ += site.count;
      const auto barrier = static_cast<uint32_t>(program_->barriers.size());
      scope.barriers.push_back(barrier);
      bindings_[argument.index] = whole_view(barrier, site.shape);
      program_->barriers.push_back(std::move(site));
      continue;
    }
    AllocationSite site;
    site.name = value.name;
    site.space = value.type.space;
    site.location = op(id).location;
    site.scope = index;
    const std::string error = make_layout(value.type, site.layout);
    if (!error.empty()) unsupported(id, error);
    const int64_t bytes = site.layout.bytes();
    if (site.space == MemorySpace::Smem) {
      site.address = static_cast<uint64_t>(align_up(smem_top_, kSmemAlignment));
      smem_top_ = static_cast<int64_t>(site.address) + bytes;
    } else if (site.space == MemorySpace::Regs) {
      site.address = allocate(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
      site.in_flight_copy = allocate(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
      scope_registers_.back().second.push_back(static_cast<Slot>(site.address));
      scope_registers_.back().second.push_back(site.in_flight_copy);
    } else {
      unsupported(id, fmt::format("a scoped allocation in {}", memory_space_name(site.space)));
    }
    const auto allocation = static_cast<uint32_t>(program_->allocations.size());
    scope.allocations.push_back(allocation);
    bindings_[argument.index] = whole_view(allocation, site.layout);
    program_->allocations.push_back(std::move(site));
  }
  // Addresses grow from the outside in: a scope lies where none has been before if it starts at or
  // above everything allocated so far.
  scope.first_at_its_addresses =
      static_cast<uint64_t>(scope_marks_.back().first) >= program_->smem_bytes &&
      scope_marks_.back().second >= program_->barriers_per_block;
  program_->scopes.push_back(std::move(scope));
  program_->barriers_per_block = std::max(program_->barriers_per_block, barrier_top_);
  program_->smem_bytes = std::max(program_->smem_bytes, static_cast<uint64_t>(smem_top_));
  // Each mbarrier is 8 bytes of shared memory.
  const int64_t total = smem_top_ + 8 * int64_t{barrier_top_};
  if (total > options_.smem_limit && diagnostics_.empty()) {
    const AllocationSite* largest = nullptr;
    for (const AllocationSite& site : program_->allocations) {
      if (site.space == MemorySpace::Smem &&
          (largest == nullptr || site.layout.bytes() > largest->layout.bytes())) {
        largest = &site;
      }
    }
    diagnostics_.push_back(
        DiagnosticBuilder(Kind::SmemExhausted)
            .arg("smem_bytes", total)
            .arg("max_smem_bytes", options_.smem_limit)
            .arg("chip", string_attribute(module_->kernel.attributes, "arch", "sm_90a"))
            .arg("largest", largest == nullptr
                                ? std::string("the barriers")
                                : fmt::format("{} of {} bytes",
                                              largest->name.empty() ? std::string("an array")
                                                                    : "`" + largest->name + "`",
                                              largest->layout.bytes()))
            .at(source_location(*module_, op(id).location))
            .build());
  }
  return index;
}

void Compiler::leave_scope(uint32_t scope) {
  PALLASITE_CHECK(scope_registers_.back().first == scope);
  std::tie(smem_top_, barrier_top_) = scope_marks_.back();
  scope_marks_.pop_back();
  flush_elementwise();
  for (Slot slot : scope_registers_.back().second) release(slot);
  scope_registers_.pop_back();
}

void Compiler::unsupported(OpId id, const std::string& reason) {
  diagnostics_.push_back(DiagnosticBuilder(Kind::RunUnsupported)
                             .variant("op")
                             .arg("op", op(id).def->name)
                             .arg("params", "these operands")
                             .arg("reason", reason)
                             .at(source_location(*module_, op(id).location))
                             .build());
}

void Compiler::need_staging(int64_t bytes) {
  program_->staging_bytes = std::max(program_->staging_bytes, static_cast<uint64_t>(bytes));
}

void Compiler::note_written(ValueId ref) {
  const AllocationSite& site = program_->allocations[view(ref).site];
  if (site.space == MemorySpace::Gmem) program_->parameter_written[site.address] = true;
}

}  // namespace pallasite
