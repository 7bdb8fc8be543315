#include "pallasite/ir/module.h"

#include <algorithm>
#include <charconv>

#include "pallasite/base/check.h"
#include "pallasite/ir/text.h"

namespace pallasite {

std::optional<FunctionId> Module::find_function(std::string_view name) const {
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].name == name) return FunctionId(uint32_t(i));
  }
  return std::nullopt;
}

RegionId Module::add_region(OpId owner) {
  RegionId id(uint32_t(regions_.size()));
  regions_.emplace_back().owner = owner;
  if (owner.valid()) op(owner).regions.push_back(id);
  return id;
}

ValueId Module::add_argument(RegionId region_id, Type type, std::string name) {
  std::vector<ValueId>& arguments = region(region_id).arguments;
  ValueId id(uint32_t(values_.size()));
  Value& value = values_.emplace_back();
  value.type = std::move(type);
  value.name = std::move(name);
  value.region = region_id;
  value.index = uint32_t(arguments.size());
  arguments.push_back(id);
  return id;
}

ValueId Module::add_literal(Literal literal) {
  ValueId id(uint32_t(values_.size()));
  Value& value = values_.emplace_back();
  value.type = Type::array(literal.element);
  value.literal = literal;
  return id;
}

ValueId Module::add_result(OpId op_id, Type type) {
  std::vector<ValueId>& results = op(op_id).results;
  ValueId id(uint32_t(values_.size()));
  Value& value = values_.emplace_back();
  value.type = std::move(type);
  value.op = op_id;
  value.index = uint32_t(results.size());
  results.push_back(id);
  return id;
}

OpId Module::append_op(RegionId region_id, const OpDef* def, std::vector<ValueId> operands,
                       std::vector<Type> result_types, Attributes attributes, LocationId location) {
  return insert_op(region_id, region(region_id).ops.size(), def, std::move(operands),
                   std::move(result_types), std::move(attributes), location);
}

FunctionId Module::add_function(Function function) {
  functions_.push_back(std::move(function));
  return FunctionId(uint32_t(functions_.size() - 1));
}

LocationId Module::add_location(Location location) {
  locations_.push_back(std::move(location));
  return LocationId(uint32_t(locations_.size() - 1));
}

OpId Module::insert_op(RegionId region_id, size_t position, const OpDef* def,
                       std::vector<ValueId> operands, std::vector<Type> result_types,
                       Attributes attributes, LocationId location) {
  std::vector<OpId>& siblings = region(region_id).ops;
  PALLASITE_CHECK(position <= siblings.size());
  OpId id(uint32_t(ops_.size()));
  Op& op = ops_.emplace_back();
  op.def = def;
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  op.location = location;
  op.parent = region_id;
  siblings.insert(siblings.begin() + int64_t(position), id);
  for (Type& type : result_types) add_result(id, std::move(type));
  return id;
}

void Module::remove_op(OpId id) {
  for (ValueId result : op(id).results) {
    PALLASITE_CHECK(!has_uses(result), "the removed op still has uses");
  }
  std::vector<OpId>& siblings = region(op(id).parent).ops;
  siblings.erase(siblings.begin() + int64_t(position_in_region(id)));
  // What the op holds goes with it, and no longer counts as a use of anything.
  std::vector<OpId> removed = {id};
  while (!removed.empty()) {
    Op& gone = op(removed.back());
    removed.pop_back();
    gone.operands.clear();
    gone.parent = RegionId();
    for (RegionId inner : gone.regions) {
      std::vector<OpId>& ops = region(inner).ops;
      removed.insert(removed.end(), ops.begin(), ops.end());
      ops.clear();
    }
    gone.regions.clear();
  }
}

void Module::move_op(OpId id, RegionId target, size_t position) {
  RegionId source = op(id).parent;
  size_t old_position = position_in_region(id);
  PALLASITE_CHECK(position <= region(target).ops.size());
  if (source == target && position > old_position) --position;
  std::vector<OpId>& from = region(source).ops;
  from.erase(from.begin() + int64_t(old_position));
  std::vector<OpId>& to = region(target).ops;
  to.insert(to.begin() + int64_t(position), id);
  op(id).parent = target;
}

void Module::replace_uses(ValueId old_value, ValueId new_value) {
  for (Op& op : ops_) std::ranges::replace(op.operands, old_value, new_value);
}

bool Module::has_uses(ValueId value) const {
  return std::ranges::any_of(ops_, [&](const Op& op) {
    return std::ranges::find(op.operands, value) != op.operands.end();
  });
}

size_t Module::position_in_region(OpId id) const {
  PALLASITE_CHECK(op(id).parent.valid(), "the op was removed");
  const std::vector<OpId>& siblings = region(op(id).parent).ops;
  auto it = std::ranges::find(siblings, id);
  PALLASITE_CHECK(it != siblings.end());
  return size_t(it - siblings.begin());
}

std::string Module::op_path(OpId id) const {
  std::string path;
  while (true) {
    RegionId parent = op(id).parent;
    if (!parent.valid()) return "";
    path = "/" + std::to_string(position_in_region(id)) + path;
    if (parent == kernel.body) return "kernel" + path;
    OpId owner = region(parent).owner;
    if (!owner.valid()) {
      auto is_body = [&](const Function& function) { return function.body == parent; };
      auto function = std::ranges::find_if(functions_, is_body);
      return function == functions_.end() ? "" : symbol(function->name) + path;
    }
    const std::vector<RegionId>& regions = op(owner).regions;
    size_t index = size_t(std::ranges::find(regions, parent) - regions.begin());
    path = "." + std::to_string(index) + path;
    id = owner;
  }
}

std::optional<OpId> Module::find_op(std::string_view path) const {
  RegionId region_id;
  if (path.starts_with("kernel/")) {
    region_id = kernel.body;
    path.remove_prefix(6);
  } else {
    for (const Function& function : functions_) {
      std::string prefix = symbol(function.name) + "/";
      if (!path.starts_with(prefix)) continue;
      region_id = function.body;
      path.remove_prefix(prefix.size() - 1);
      break;
    }
  }
  auto take_number = [&](char mark) -> std::optional<size_t> {
    if (path.empty() || path[0] != mark) return std::nullopt;
    uint32_t number = 0;
    const char* end = path.data() + path.size();
    auto [rest, error] = std::from_chars(path.data() + 1, end, number);
    if (error != std::errc()) return std::nullopt;
    path.remove_prefix(size_t(rest - path.data()));
    return number;
  };
  while (region_id.valid()) {
    std::optional<size_t> position = take_number('/');
    if (!position || *position >= region(region_id).ops.size()) return std::nullopt;
    OpId id = region(region_id).ops[*position];
    if (path.empty()) return id;
    std::optional<size_t> index = take_number('.');
    if (!index || *index >= op(id).regions.size()) return std::nullopt;
    region_id = op(id).regions[*index];
  }
  return std::nullopt;
}

const Attribute* find_attribute(const Attributes& attributes, std::string_view name) {
  auto it = attributes.find(name);
  return it == attributes.end() ? nullptr : &it->second;
}

namespace {

// The attribute's value, or null if it is absent or of another kind.
template <typename T>
const T* value_of(const Attributes& attributes, std::string_view name) {
  const Attribute* attribute = find_attribute(attributes, name);
  return attribute == nullptr ? nullptr : std::get_if<T>(attribute);
}

}  // namespace

int64_t int_attribute(const Attributes& attributes, std::string_view name, int64_t fallback) {
  const int64_t* value = value_of<int64_t>(attributes, name);
  return value == nullptr ? fallback : *value;
}

bool bool_attribute(const Attributes& attributes, std::string_view name, bool fallback) {
  const bool* value = value_of<bool>(attributes, name);
  return value == nullptr ? fallback : *value;
}

std::string string_attribute(const Attributes& attributes, std::string_view name,
                             std::string_view fallback) {
  const std::string* value = value_of<std::string>(attributes, name);
  return value == nullptr ? std::string(fallback) : *value;
}

std::span<const int64_t> ints_attribute(const Attributes& attributes, std::string_view name) {
  const auto* value = value_of<std::vector<int64_t>>(attributes, name);
  return value == nullptr ? std::span<const int64_t>() : std::span<const int64_t>(*value);
}

std::span<const std::string> strings_attribute(const Attributes& attributes,
                                               std::string_view name) {
  const auto* value = value_of<std::vector<std::string>>(attributes, name);
  return value == nullptr ? std::span<const std::string>() : std::span<const std::string>(*value);
}

}  // namespace pallasite
