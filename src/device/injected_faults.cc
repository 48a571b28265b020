// What the scheduler does when an armed fault happens, and how it stops and goes on when the device as a whole fails.
#include <cstdio>
#include <cstring>

#include "forebay/base/architecture.h"
#include "forebay/base/futex.h"
#include "scheduler.h"

namespace forebay::device {

using types::Command;
using types::FaultAction;
using types::FaultCause;
using types::FaultOrder;
using types::Opcode;

namespace {

void Describe(const FaultOrder& fault, char* text, std::size_t bytes) {
  std::snprintf(text, bytes, "injected by %.*s", static_cast<int>(strnlen(fault.text, sizeof fault.text)), fault.text);
}

}  // namespace

// What the task comes to; empty: it runs, perhaps in another way.
std::optional<Scheduler::Outcome> Scheduler::InjectAtTask(uint32_t index, const Command& command) {
  ForgetInjected();
  if (streams_[index].stopped) return std::nullopt;
  // A kernel that has to wait for a core comes here again.
  if (command.opcode == Opcode::kKernel && LacksCore(index)) return Outcome::kParked;
  const LoadedKernel* kernel =
      command.opcode == Opcode::kKernel ? images_->Find(command.kernel.image, command.kernel.function) : nullptr;
  const FaultOrder* fault =
      faults_.AtTask(index, command, kernel != nullptr ? std::string_view(kernel->name) : std::string_view());
  if (fault == nullptr) return std::nullopt;
  switch (fault->action) {
    case FaultAction::kFailTask: {
      FaultDetail detail;
      detail.cause = fault->cause;
      detail.on_vector_core = fault->on_vector_core != 0 ? 1 : 0;
      if (command.opcode == Opcode::kEventWait || command.opcode == Opcode::kCounterWait)
        detail.address = command.event.event;
      if (kernel != nullptr) detail.block = command.kernel.first_block;
      Describe(*fault, detail.text, sizeof detail.text);
      Fail(index, command, detail);
      return Outcome::kDone;
    }
    case FaultAction::kLoop:
    case FaultAction::kOverflow:
      kernel_fault_ = fault->action;
      kernel_fault_on_vector_core_ = fault->on_vector_core != 0;
      break;
    case FaultAction::kSlow: slow_factor_ = fault->factor; break;
    case FaultAction::kFailDevice:
    case FaultAction::kHang:
    case FaultAction::kDie: HappenToDevice(*fault); return Outcome::kDone;
    case FaultAction::kDropDoorbell:
    case FaultAction::kNone: break;
  }
  return std::nullopt;
}

void Scheduler::ForgetInjected() noexcept {
  slow_factor_ = 1;
  kernel_fault_ = FaultAction::kNone;
}

// The task has taken a while, and takes as long again and again. The dispatcher's role may be another core's by now.
void Scheduler::DrawOut(uint64_t since, uint64_t factor) const noexcept {
  const uint64_t until = since + (base::ReadCycleCounter() - since) * factor;
  while (base::ReadCycleCounter() < until && !halted_.load(std::memory_order_relaxed)) base::CpuRelax();
}

void Scheduler::HappenToDevice(const FaultOrder& fault) {
  if (fault.action == FaultAction::kDie && end_process_) end_process_();
  if (fault.action == FaultAction::kHang) {
    // Until the control thread finds out, and has the device halt or end.
    while (!halted_.load(std::memory_order_acquire) && (team_ == nullptr || !team_->stopping())) {
      if (team_ == nullptr) return FailDevice(FaultCause::kHungScheduler, 0, "the scheduler had stopped working");
      base::CpuRelax();
    }
    DropAll();
    return;
  }
  char text[sizeof types::InterruptRecord::text];
  Describe(fault, text, sizeof text);
  FailDevice(fault.cause, fault.address, text);
}

void Scheduler::RaiseDeviceFailure(FaultCause cause, uint64_t address, const char* text) {
  types::InterruptRecord record{};
  record.kind = types::InterruptKind::kDeviceFailed;
  record.cause = cause;
  record.address = address;
  record.block = -1;
  std::snprintf(record.text, sizeof record.text, "%s", text);
  interrupts_->Raise(record);
}

// The news goes out first: who finds its work dropped finds the reason. A device that has failed may fail once more,
// and for something that cannot be mended.
void Scheduler::FailDevice(FaultCause cause, uint64_t address, const char* text) {
  const bool had_failed = halted_.exchange(true, std::memory_order_acq_rel);
  RaiseDeviceFailure(cause, address, text);
  if (!had_failed) DropAll();
}

void Scheduler::HaltHung() {
  if (halted_.exchange(true, std::memory_order_acq_rel)) return;
  RaiseDeviceFailure(FaultCause::kHungScheduler, 0, "its dispatcher made no step");
}

// Nothing runs any more, and nothing waits. Streams of the device go on when the host has it recover.
void Scheduler::DropAll() {
  for (uint32_t index = 0; index < streams_.size(); ++index) {
    streams_[index].stopped_with_device = !streams_[index].stopped;
    streams_[index].aborted = true;
    StopStream(index, index, 0);
    Release(index);
  }
}

void Scheduler::Resume() {
  halted_.store(false, std::memory_order_release);
  for (Stream& stream : streams_) {
    // What had stopped before stays stopped.
    if (std::exchange(stream.stopped_with_device, false)) stream.stopped = stream.aborted = false;
  }
}

}  // namespace forebay::device
