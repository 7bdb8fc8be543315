#include "pallasite/sim/value_check.h"

#include <cstring>

#include "pallasite/sim/machine.h"

namespace pallasite {

namespace {

uint64_t value_mask(ElementType element) {
  const int bits = element_info(element).storage_bits;
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// Widths are powers of two, so an amount is too large if one of these bits is set. A negative
// amount has its upper bits set.
uint64_t beyond_width(ElementType element) {
  return value_mask(element) & ~uint64_t(element_info(element).storage_bits - 1);
}

// The scans have no branch and no early end, so that they run in vectors.
template <typename T>
bool any_zero(const T* values, size_t count) {
  bool found = false;
  for (size_t i = 0; i < count; ++i) found |= values[i] == 0;
  return found;
}

template <typename T>
bool any_bit(const T* values, size_t count, T mask) {
  T bits = 0;
  for (size_t i = 0; i < count; ++i) bits |= values[i];
  return (bits & mask) != 0;
}

template <typename T>
void scan(void* record_pointer, const void* const* inputs, size_t count, const void* immediate) {
  auto& record = *static_cast<ValueRecord*>(record_pointer);
  const auto& check = *static_cast<const ValueCheck*>(immediate);
  const auto* values = static_cast<const T*>(inputs[0]);
  const bool found = check.test == ValueTest::Nonzero
                         ? any_zero(values, count)
                         : any_bit(values, count, T(beyond_width(check.element)));
  if (found) [[unlikely]] {
    for (size_t i = 0; i < count; ++i) {
      if (!violates(check.test, check.element, values[i])) continue;
      if (record.violations++ > 0) continue;
      record.position = record.scanned + static_cast<int64_t>(i);
      record.bits = values[i];
    }
  }
  record.scanned += static_cast<int64_t>(count);
}

// As a number; what does not fit is the largest one that does.
int64_t number_of(ElementType element, uint64_t bits) {
  const int unused = 64 - element_info(element).storage_bits;
  if (element_info(element).is_signed) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(std::min<uint64_t>(bits & value_mask(element), INT64_MAX));
}

Shape index_of(int64_t position, const std::vector<int64_t>& shape) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d]) index[d] = position % shape[d];
  return index;
}

void report(Thread& thread, const ValueCheck& check, const ValueRecord& record) {
  ClusterMachine& machine = thread.machine();
  const Actor actor = machine.actor_of(thread);
  if (machine.count_value_finding(actor)) return;
  const bool divisor = check.test == ValueTest::Nonzero;
  DiagnosticBuilder builder(divisor ? Kind::ArithDivZero : Kind::ArithShiftRange);
  builder.variant(check.shape.empty() ? "scalar" : "array");
  if (!divisor) {
    builder.arg("amount", number_of(check.element, record.bits))
        .arg("width", element_info(check.element).storage_bits);
  }
  if (!check.shape.empty()) {
    builder.arg("index", index_of(record.position, check.shape))
        .arg("violations", record.violations)
        .arg("elements", record.scanned);
  }
  machine.report_value(actor, std::move(builder));
}

}  // namespace

bool violates(ValueTest test, ElementType element, uint64_t bits) {
  return test == ValueTest::Nonzero ? (bits & value_mask(element)) == 0
                                    : (bits & beyond_width(element)) != 0;
}

ValueScan value_scan(ElementType element) {
  switch (register_bytes(element)) {
    case 1:
      return scan<uint8_t>;
    case 2:
      return scan<uint16_t>;
    case 4:
      return scan<uint32_t>;
    default:
      return scan<uint64_t>;
  }
}

Step exec_report_values(Thread& thread, const Instruction& instruction) {
  auto& record = thread.at<ValueRecord>(instruction.a);
  if (record.violations > 0) [[unlikely]] {
    report(thread, *static_cast<const ValueCheck*>(instruction.payload), record);
  }
  record = ValueRecord();
  return Step::Next;
}

Step exec_check_value(Thread& thread, const Instruction& instruction) {
  const auto& check = *static_cast<const ValueCheck*>(instruction.payload);
  ValueRecord record;
  std::memcpy(&record.bits, thread.pointer(instruction.a), register_bytes(check.element));
  if (violates(check.test, check.element, record.bits)) [[unlikely]]
    report(thread, check, record);
  return Step::Next;
}

}  // namespace pallasite
