#include "pallasite/san/last_writer.h"

#include "pallasite/sim/transfer.h"

namespace pallasite {

namespace {

// A quick test before the elements are gone through.
bool may_hold(const AccessEvent& event, int64_t element) {
  const AccessPlan& plan = *event.plan;
  if (plan.remapped) return true;
  for (size_t d = 0; d < plan.logical_shape.size(); ++d) {
    const int64_t at = element / plan.logical_strides[d] % plan.logical_shape[d];
    if (at < event.access.start[d] || at > event.access.start[d] + plan.reach[d]) return false;
  }
  return true;
}

bool holds(const AccessEvent& event, const Layout& layout, int64_t element) {
  bool found = false;
  for_each_element_run(*event.plan, event.access, layout, [&](int64_t first, int64_t count) {
    found |= element >= first && element < first + count;
  });
  return found;
}

}  // namespace

void LastWriter::on_access(const ClusterMachine& machine, const AccessEvent& event) {
  if (!event.write || event.plan->space != MemorySpace::Gmem) return;
  const AllocationSite& site = machine.site(*event.plan);
  if (site.address != buffer_ || !may_hold(event, element_) ||
      !holds(event, site.layout, element_)) {
    return;
  }
  const int64_t before = last_ ? last_->writes : 0;
  last_ = {machine.thread_name(event.actor), machine.location(event.actor.pc),
           event.proxy == Proxy::Async, before + 1};
}

}  // namespace pallasite
