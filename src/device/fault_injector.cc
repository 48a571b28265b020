#include "fault_injector.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/architecture.h"
#include "forebay/base/injection.h"

namespace forebay::device {
namespace {

using types::ArmedFault;
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
  base::MutexLock lock(mutex_);
  faults_.resize(count, Armed{0, now});
  bool any = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (faults_[i].id != bar_.faults[i].id) faults_[i] = {bar_.faults[i].id, now};
    any = any || bar_.faults[i].action != FaultAction::kNone;
  }
  armed_.store(any, std::memory_order_release);
}

bool FaultInjector::Matches(std::size_t index, ArmedFault& fault) {
  const uint64_t ticks = base::ReadCycleCounter() - faults_[index].since;
  if (ticks / std::max<uint64_t>(1, bar_.header->boot.cycle_frequency / 1'000'000) < fault.after_us) return false;
  const uint64_t match = fault.matched.load(std::memory_order_relaxed) + 1;
  fault.matched.store(match, std::memory_order_relaxed);
  const uint64_t happened = fault.happened.load(std::memory_order_relaxed);
  if (fault.count != 0 && happened >= fault.count) return false;
  if (!base::InjectionChance{fault.nth, fault.probability, fault.seed}.Holds(match)) return false;
  fault.happened.store(happened + 1, std::memory_order_relaxed);
  return true;
}

FaultAction FaultInjector::AtTask(uint32_t stream, const types::Command& command, std::string_view kernel,
                                  const ArmedFault** found) {
  const uint32_t kind = KindOf(command.opcode);
  base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    ArmedFault& fault = bar_.faults[i];
    if (fault.at_task == 0 || (fault.tasks & kind) == 0) continue;
    if (fault.stream >= 0 && static_cast<uint32_t>(fault.stream) != stream) continue;
    if (fault.task >= 0 && fault.task != command.task) continue;
    const std::string_view wanted(fault.kernel, strnlen(fault.kernel, sizeof fault.kernel));
    if (!wanted.empty() && wanted != kernel) continue;
    if (!Matches(i, fault)) continue;
    *found = &fault;
    return fault.action;
  }
  return FaultAction::kNone;
}

bool FaultInjector::DropsDoorbell(uint32_t stream) {
  base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    ArmedFault& fault = bar_.faults[i];
    if (fault.action != FaultAction::kDropDoorbell) continue;
    if (fault.stream >= 0 && static_cast<uint32_t>(fault.stream) != stream) continue;
    if (Matches(i, fault)) return true;
  }
  return false;
}

const ArmedFault* FaultInjector::AtTime() {
  base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    ArmedFault& fault = bar_.faults[i];
    if (fault.at_task != 0 || fault.action == FaultAction::kNone || fault.action == FaultAction::kDropDoorbell) continue;
    if (fault.count != 0 && fault.happened.load(std::memory_order_relaxed) >= fault.count) continue;
    if (Matches(i, fault)) return &fault;
  }
  return nullptr;
}

}  // namespace forebay::device
