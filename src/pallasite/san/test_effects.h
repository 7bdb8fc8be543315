// Compares what an op did with what its effects declare.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pallasite/san/test_observed_run.h"

namespace pallasite::test {

class EffectChecker : public Observer {
 public:
  // Events that no effect of their op declares.
  const std::set<std::string>& undeclared() const { return undeclared_; }
  // Per op that ran an event: which of its effects were seen.
  const std::map<const OpDef*, std::set<size_t>>& seen() const { return seen_; }

  void on_scope(const ClusterMachine& machine, const ScopeEvent& event) override {
    note(machine, event.actor, event.enter ? "enter" : "leave", [&](const EffectSpec& effect) {
      return effect.action == (event.enter ? EffectAction::Allocate : EffectAction::Free);
    });
  }

  void on_issue(const ClusterMachine& machine, const IssueEvent& event) override {
    note(machine, event.actor, "issue", [&](const EffectSpec& effect) {
      return effect.proxy == Proxy::Async && effect.completion == event.completion.kind &&
             (effect.action == EffectAction::Read || effect.action == EffectAction::Write);
    });
  }

  void on_access(const ClusterMachine& machine, const AccessEvent& event) override {
    const Op& op = op_of(machine, event.actor);
    const Module& module = *machine.program().module;
    note(machine, event.actor, event.write ? "write" : "read", [&](const EffectSpec& effect) {
      if (effect.action != (event.write ? EffectAction::Write : EffectAction::Read) ||
          effect.proxy != event.proxy || effect.completion != event.completion.kind) {
        return false;
      }
      // The operand could be what was accessed; of a multicast, a part of it.
      const Type* type = operand_type(module, op, effect.operand);
      if (type == nullptr || !type->is_ref() || type->space != event.plan->space ||
          type->element != event.plan->element || type->shape.size() != event.plan->shape.size()) {
        return false;
      }
      for (size_t d = 0; d < type->shape.size(); ++d) {
        if (event.plan->shape[d] > type->shape[d]) return false;
      }
      return true;
    });
  }

  void on_sync(const ClusterMachine& machine, const SyncEvent& event) override {
    const Op& op = op_of(machine, event.actor);
    const Module& module = *machine.program().module;
    const bool by_thread = event.actor.event.kind == EventKind::Thread;
    note(machine, event.actor, "sync " + std::to_string(int(event.action)),
         [&](const EffectSpec& effect) {
           if (effect.action != event.action) return false;
           if (event.barrier == UINT32_MAX) {
             return effect.operand.empty() && effect.completion == event.group;
           }
           const Type* type = operand_type(module, op, effect.operand);
           return type != nullptr && type->is_barrier() &&
                  effect.proxy == (by_thread ? Proxy::Generic : Proxy::Async) &&
                  effect.completion == (by_thread ? Completion::Now : Completion::Mbarrier);
         });
  }

 private:
  static const Op& op_of(const ClusterMachine& machine, const Actor& actor) {
    return machine.program().op(machine.program().code[actor.pc]);
  }

  static const Type* operand_type(const Module& module, const Op& op, std::string_view name) {
    for (size_t i = 0; i < op.def->operands.size() && i < op.operands.size(); ++i) {
      if (op.def->operands[i].name == name) return &module.value(op.operands[i]).type;
    }
    return nullptr;
  }

  template <typename Fits>
  void note(const ClusterMachine& machine, const Actor& actor, const std::string& what, Fits fits) {
    const OpDef& def = *op_of(machine, actor).def;
    bool declared = false;
    for (size_t i = 0; i < def.effects.size(); ++i) {
      if (!fits(def.effects[i])) continue;
      declared = true;
      seen_[&def].insert(i);
    }
    if (!declared) undeclared_.insert(std::string(def.name) + ": " + what);
  }

  std::set<std::string> undeclared_;
  std::map<const OpDef*, std::set<size_t>> seen_;
};

}  // namespace pallasite::test
