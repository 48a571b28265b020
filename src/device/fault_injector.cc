#include "fault_injector.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/architecture.h"
#include "forebay/base/injection.h"

namespace forebay::device {
namespace {

using types::FaultAction;
using types::Opcode;

uint32_t KindOf(Opcode opcode) noexcept {
  switch (opcode) {
    case Opcode::kKernel: return types::kKernelTasks;
    case Opcode::kCopy:
    case Opcode::kIndirectCopy:
    case Opcode::kFill: return types::kCopyTasks;
    case Opcode::kEventWait:
    case Opcode::kCounterWait:
    case Opcode::kMemoryWait: return types::kWaitTasks;
    case Opcode::kReduce:
    case Opcode::kRandom:
    case Opcode::kMemoryWrite: return types::kOtherTasks;
    // These carry what happened before, and are no work of their own.
    case Opcode::kEventRecord:
    case Opcode::kEventReset:
    case Opcode::kCounterRecord:
    case Opcode::kHostFunction:
    case Opcode::kNone: break;
  }
  return 0;
}

}  // namespace

void FaultInjector::Arm() {
  const uint32_t count = std::min(bar_.header->fault_count.load(std::memory_order_acquire), types::kMaxFaults);
  const uint64_t now = base::ReadCycleCounter();
  faults_.resize(count);
  bool any = false;
  for (uint32_t i = 0; i < count; ++i) {
    Armed& fault = faults_[i];
    if (fault.counts == nullptr || fault.order.id != bar_.faults[i].id) fault.since = now;
    fault.order = bar_.faults[i];
    fault.counts = &bar_.faults[i];
    any = any || fault.order.action != FaultAction::kNone;
  }
  armed_.store(any, std::memory_order_release);
}

bool FaultInjector::IsDue(const Armed& fault) const noexcept {
  const uint64_t ticks = base::ReadCycleCounter() - fault.since;
  return ticks / std::max<uint64_t>(1, bar_.boot.cycle_frequency / 1'000'000) >= fault.order.after_us;
}

bool FaultInjector::Match(Armed& fault) noexcept {
  const types::FaultOrder& order = fault.order;
  const uint64_t match = fault.counts->matched.load(std::memory_order_relaxed) + 1;
  fault.counts->matched.store(match, std::memory_order_relaxed);
  const uint64_t happened = fault.counts->happened.load(std::memory_order_relaxed);
  if (order.count != 0 && happened >= order.count) return false;
  if (!base::InjectionChance{order.nth, order.probability, order.seed}.Holds(match)) return false;
  fault.counts->happened.store(happened + 1, std::memory_order_relaxed);
  return true;
}

const types::FaultOrder* FaultInjector::AtTask(uint32_t stream, const types::Command& command,
                                               std::string_view kernel) noexcept {
  const uint32_t kind = KindOf(command.opcode);
  for (Armed& fault : faults_) {
    const types::FaultOrder& order = fault.order;
    if (order.action == FaultAction::kNone || order.at_task == 0 || (order.tasks & kind) == 0) continue;
    if (order.stream >= 0 && static_cast<uint32_t>(order.stream) != stream) continue;
    if (order.task >= 0 && order.task != command.task) continue;
    const std::string_view wanted(order.kernel, strnlen(order.kernel, sizeof order.kernel));
    if (!wanted.empty() && wanted != kernel) continue;
    if (IsDue(fault) && Match(fault)) return &order;
  }
  return nullptr;
}

bool FaultInjector::DropsDoorbell(uint32_t stream) noexcept {
  for (Armed& fault : faults_) {
    const types::FaultOrder& order = fault.order;
    if (order.action != FaultAction::kDropDoorbell) continue;
    if (order.stream >= 0 && static_cast<uint32_t>(order.stream) != stream) continue;
    if (IsDue(fault) && Match(fault)) return true;
  }
  return false;
}

const types::FaultOrder* FaultInjector::AtTime() noexcept {
  for (Armed& fault : faults_) {
    const types::FaultOrder& order = fault.order;
    if (order.at_task != 0 || order.action == FaultAction::kNone || order.action == FaultAction::kDropDoorbell)
      continue;
    if (order.count != 0 && fault.counts->happened.load(std::memory_order_relaxed) >= order.count) continue;
    if (IsDue(fault) && Match(fault)) return &order;
  }
  return nullptr;
}

}  // namespace forebay::device
