#include "forebay/runtime/notify.h"

#include <fmt/format.h>

#include <utility>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

constexpr uint32_t kMostNotifies = 1u << 20;

Status StaleNotify() {
  return Status(Code::kInvalidHandle, "the notify handle is stale, of another kind, or never was one",
                "Use the handle that the creating call gave, until the notify is destroyed");
}

auto& PlainNotifies() {
  static base::NeverDestroyed<base::HandleTable<Notify, base::HandleKind::kNotify>> table(kMostNotifies);
  return *table;
}

auto& CountedNotifies() {
  static base::NeverDestroyed<base::HandleTable<Notify, base::HandleKind::kCountedNotify>> table(kMostNotifies);
  return *table;
}

// Calls `use` with the table of this kind.
template <typename Use>
auto WithTable(NotifyKind kind, Use use) {
  return kind == NotifyKind::kPlain ? use(PlainNotifies()) : use(CountedNotifies());
}

}  // namespace

Result<Notify*> FindNotify(uint64_t handle, NotifyKind kind) {
  Notify* notify = WithTable(kind, [&](auto& table) { return table.Find(handle); });
  if (notify == nullptr) return StaleNotify();
  return notify;
}

Result<uint64_t> Notify::Create(Context& context, NotifyKind kind) {
  const uint64_t power_cycle = context.device().power_cycle();
  const std::shared_ptr<sip::Device> device = context.device().sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  uint64_t handle = 0;
  Notify* notify = nullptr;
  WithTable(kind, [&](auto& table) {
    const auto entry = table.Allocate();
    handle = entry.handle;
    notify = entry.object;
  });
  if (notify == nullptr) {
    return Status(Code::kNoNotifyResource,
                  fmt::format("the process has {} notifies, the most there can be", kMostNotifies),
                  "Destroy notifies that are no longer used");
  }
  const Result<uint32_t> taken = context.device().AllocateNotify(*device);
  if (!taken.ok()) {
    WithTable(kind, [&](auto& table) { table.Release(handle); });
    return taken.status();
  }
  base::MutexLock lock(notify->mutex_);
  notify->number_.store(device->NotifyNumber(*taken), std::memory_order_release);
  notify->kind_ = kind;
  notify->handle_ = handle;
  notify->slot_handle_ = handle;
  notify->device_ = &context.device();
  notify->sip_ = device;
  notify->power_cycle_ = power_cycle;
  notify->register_ = *taken;
  WithTable(kind, [&](auto& table) { table.Publish(handle); });
  return handle;
}

Status Notify::Destroy(uint64_t handle, NotifyKind kind) {
  ASSIGN_OR_RETURN(Notify * notify, FindNotify(handle, kind));
  base::MutexLock lock(notify->mutex_);
  if (notify->handle_ != handle) return StaleNotify();
  notify->handle_ = 0;
  WithTable(kind, [&](auto& table) { table.Retire(handle); });
  if (notify->submitting_ == 0) notify->ReleaseLocked();
  return {};
}

void Notify::ReleaseLocked() {
  // The register is given out again when the last task for it has run.
  if (const std::shared_ptr<sip::Device> device = sip_.lock())
    device_->RetireNotify(*device, register_, std::move(users_));
  users_.Clear();
  sip_.reset();
  const uint64_t handle = std::exchange(slot_handle_, 0);
  WithTable(kind_, [&](auto& table) { table.Release(handle); });
}

void Notify::DestroyAllOf(const DeviceState& state) {
  for (const NotifyKind kind : {NotifyKind::kPlain, NotifyKind::kCounted}) {
    WithTable(kind, [&](auto& table) {
      table.ForEach([&](uint64_t handle, Notify& notify) {
        {
          base::MutexLock lock(notify.mutex_);
          if (notify.handle_ != handle || notify.device_ != &state) return;
        }
        Destroy(handle, kind).IgnoreError();
      });
    });
  }
}

Result<std::shared_ptr<sip::Device>> Notify::UseLocked(uint64_t handle) const {
  if (handle_ != handle) return StaleNotify();
  std::shared_ptr<sip::Device> device = sip_.lock();
  if (!device || device_->power_cycle() != power_cycle_) {
    return Status(Code::kInvalidHandle, "the notify's device was reset after the notify was made",
                  "Create notifies anew after a reset");
  }
  return device;
}

Status Notify::ResetNow(std::span<const uint64_t> handles, NotifyKind kind) {
  // First all are looked at, then all are reset.
  for (const bool reset : {false, true}) {
    for (const uint64_t handle : handles) {
      ASSIGN_OR_RETURN(Notify * notify, FindNotify(handle, kind));
      base::MutexLock lock(notify->mutex_);
      ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, notify->UseLocked(handle));
      if (!reset) continue;
      types::EventRegister& counter = device->event_register(notify->register_);
      counter.failed_to.store(0, std::memory_order_relaxed);
      counter.value.store(0, std::memory_order_release);
    }
  }
  return {};
}

Status Notify::Record(uint64_t handle, uint64_t stream, types::CounterOperation operation, uint32_t value) {
  return Submit(handle, stream, types::Opcode::kCounterRecord, {value, 0, 0, operation, types::Condition::kLess, 0});
}

Status Notify::Wait(uint64_t handle, uint64_t stream, types::Condition condition, uint32_t value, bool clears,
                    uint32_t timeout_ms) {
  return Submit(handle, stream, types::Opcode::kCounterWait,
                {value, 0, timeout_ms, types::CounterOperation::kSet, condition, clears ? uint8_t{1} : uint8_t{0}});
}

Status Notify::Submit(uint64_t handle, uint64_t stream_handle, types::Opcode opcode, types::CounterCommand counter) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  {
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(UseLocked(handle).status());
    if (&stream->device() != device_) {
      return Status(
          Code::kStreamContext,
          fmt::format("the notify belongs to device {}, the stream to device {}", device_->id(), stream->device().id()),
          "Create the notify while the stream's device is current");
    }
    counter.counter = register_;
    ++submitting_;
  }
  // As with events, a stopped stream takes the record too: who waits for it fails instead of waiting for ever. The lock
  // is not held, because a full queue may be waiting for this very notify.
  const bool is_record = opcode == types::Opcode::kCounterRecord;
  const Status stopped = is_record ? stream->CheckAccepts() : Status();
  const uint32_t slot = stream->slot();
  Submission submission;
  const Status submitted = stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = opcode;
        command.flags = 0;
        command.counter = counter;
      },
      &submission, is_record ? Stream::WhenStopped::kAccept : Stream::WhenStopped::kRefuse);
  base::MutexLock lock(mutex_);
  if (submitted.ok()) users_.Add(slot, submission.end_entry);
  // Destroyed meanwhile: the last one out gives the register back.
  if (--submitting_ == 0 && handle_ == 0) ReleaseLocked();
  return submitted.ok() ? stopped : submitted;
}

}  // namespace forebay::runtime
