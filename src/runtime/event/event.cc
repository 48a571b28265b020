#include "forebay/runtime/event.h"

#include <fmt/format.h>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/event.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"

namespace forebay::runtime {
namespace {

Status StaleEvent() {
  return Status(Code::kInvalidHandle, "the event handle is stale, of another kind, or never was one",
                "Use the handle that the creating call gave, until the event is destroyed");
}

Status OtherDevice(const DeviceState& event_device, const DeviceState& stream_device) {
  return Status(
      Code::kStreamContext,
      fmt::format("the event belongs to device {}, the stream to device {}", event_device.id(), stream_device.id()),
      "Create the event while the stream's device is current");
}

std::atomic<uint32_t> next_id{0};

}  // namespace

EventTable& Events() {
  static base::NeverDestroyed<EventTable> table(1u << 20);
  return *table;
}

Result<Event*> FindEvent(uint64_t handle) {
  Event* event = Events().Find(handle);
  if (event == nullptr) return StaleEvent();
  return event;
}

Result<uint64_t> Event::Create(Context& context, const EventOptions& options) {
  const uint64_t power_cycle = context.device().power_cycle();
  const std::shared_ptr<sip::Device> device = context.device().sip();
  if (!device) return Status(Code::kContextNull, "the device is off", "Set the device first");
  const EventTable::Entry entry = Events().Allocate();
  if (entry.object == nullptr) {
    return Status(Code::kNoEventResource, fmt::format("the process has {} events, the most there can be", 1u << 20),
                  "Destroy events that are no longer used");
  }
  Event& event = *entry.object;
  base::MutexLock lock(event.mutex_);
  event.options_ = options;
  event.kind_.store(options.kind, std::memory_order_release);
  event.power_cycle_ = power_cycle;
  event.device_ = &context.device();
  event.id_.store(next_id.fetch_add(1, std::memory_order_relaxed), std::memory_order_release);
  event.handle_ = entry.handle;
  event.sip_ = device;
  event.register_ = kNoRegister;
  event.value_ = 0;
  event.recorded_ = false;
  event.stream_ = 0;
  event.stream_entry_ = 0;
  // Events with flags take their hardware register when they are made, because a wait may come before the record.
  if (options.kind == EventKind::kWithFlag) {
    if (Status taken = event.TakeRegisterLocked(*device); !taken.ok()) {
      event.handle_ = 0;
      event.sip_.reset();
      Events().Release(entry.handle);
      return taken;
    }
  }
  Events().Publish(entry.handle);
  return entry.handle;
}

Status Event::Destroy(uint64_t handle) {
  ASSIGN_OR_RETURN(Event * event, FindEvent(handle));
  {
    base::MutexLock lock(event->mutex_);
    if (event->handle_ != handle) return StaleEvent();
    event->handle_ = 0;
    Events().Retire(handle);
    // The register is given out again when its last record has happened.
    const std::shared_ptr<sip::Device> device = event->sip_.lock();
    if (device && event->register_ != kNoRegister)
      event->device_->RetireEventRegister(*device, event->register_, event->value_);
    event->register_ = kNoRegister;
    event->sip_.reset();
  }
  Events().Release(handle);
  return {};
}

void Event::DestroyAllOf(const DeviceState& state) {
  Events().ForEach([&state](uint64_t handle, Event& event) {
    {
      base::MutexLock lock(event.mutex_);
      if (event.handle_ != handle || event.device_ != &state) return;
    }
    Destroy(handle).IgnoreError();
  });
}

Result<std::shared_ptr<sip::Device>> Event::UseLocked(uint64_t handle) const {
  if (handle_ != handle) return StaleEvent();
  std::shared_ptr<sip::Device> device = sip_.lock();
  if (!device || device_->power_cycle() != power_cycle_) {
    return Status(Code::kInvalidHandle, "the event's device was reset after the event was made",
                  "Create events anew after a reset");
  }
  return device;
}

Status Event::TakeRegisterLocked(sip::Device& device) {
  ASSIGN_OR_RETURN(const uint32_t taken, device_->AllocateEventRegister(device));
  if (register_ != kNoRegister) device_->RetireEventRegister(device, register_, value_);
  register_ = taken;
  // Values of a register only grow, whoever has it.
  value_ = device.event_register(taken).value.load(std::memory_order_acquire);
  return {};
}

Status Event::Record(uint64_t handle, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  uint32_t event_register = 0;
  uint64_t value = 0;
  uint8_t flags = 0;
  uint64_t previous_value = 0;
  bool was_recorded = false;
  base::MutexLock order(record_order_);
  {
    base::MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseLocked(handle));
    if (&stream->device() != device_) return OtherDevice(*device_, stream->device());
    const bool pending = register_ != kNoRegister && recorded_ &&
                         device->event_register(register_).value.load(std::memory_order_acquire) < value_;
    // Streams finish in any order, so a pending record of another stream keeps its register to itself.
    if (register_ == kNoRegister || (pending && stream_ != stream.handle)) RETURN_IF_ERROR(TakeRegisterLocked(*device));
    previous_value = value_;
    was_recorded = recorded_;
    value = ++value_;
    recorded_ = true;
    event_register = register_;
    flags = options_.has_timestamp ? types::kFlagTimestamp : uint8_t{0};
    stream_ = stream.handle;
    stream_slot_ = stream->slot();
    stream_aborts_ = stream->aborts();
    stream_entry_ = 0;
  }
  // A stopped stream takes the record too: it completes with the failure, so that whoever waits for it fails as well.
  const Status stopped = stream->CheckAccepts();
  Submission submission;
  const Status submitted = stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = types::Opcode::kEventRecord;
        command.flags = flags;
        command.event = {value, event_register, 0};
      },
      &submission, Stream::WhenStopped::kAccept);
  base::MutexLock lock(mutex_);
  if (handle_ != handle || register_ != event_register || value_ != value) return submitted.ok() ? stopped : submitted;
  if (submitted.ok()) {
    stream_entry_ = submission.end_entry;
  } else {
    // Nothing was recorded: whoever waits for the event waits for what it stood for before.
    value_ = previous_value;
    recorded_ = was_recorded;
  }
  return submitted.ok() ? stopped : submitted;
}

Status Event::Wait(uint64_t handle, uint64_t stream_handle, uint32_t timeout_ms) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  uint32_t event_register = 0;
  uint64_t value = 0;
  {
    base::MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseLocked(handle));
    if (&stream->device() != device_) return OtherDevice(*device_, stream->device());
    if (!options_.synchronises) {
      return Status(Code::kParamInvalid, "a stream is to wait for an event that was made without ACL_EVENT_SYNC",
                    "Create the event with ACL_EVENT_SYNC");
    }
    if (!recorded_) {
      if (options_.kind == EventKind::kExtended) return {};
      if (options_.kind == EventKind::kDefault) {
        return Status(Code::kParamInvalid, "a stream is to wait for an event that was never recorded",
                      "Record the event first, or create it with aclrtCreateEventWithFlag and ACL_EVENT_SYNC");
      }
    }
    event_register = register_;
    // An event with flags may be waited for before it is recorded: the next record releases the wait.
    value = recorded_ ? value_ : value_ + 1;
    const types::EventRegister& registers = device->event_register(event_register);
    const bool complete = registers.value.load(std::memory_order_acquire) >= value;
    const bool failed = value >= registers.failed_from.load(std::memory_order_relaxed) &&
                        value <= registers.failed_to.load(std::memory_order_relaxed);
    // Nothing to wait for; a failure still has to reach the stream.
    if (complete && !failed) return {};
  }
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kEventWait;
    command.flags = 0;
    command.event = {value, event_register, timeout_ms};
  });
}

Status Event::Reset(uint64_t handle, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  base::MutexLock lock(mutex_);
  RETURN_IF_ERROR(UseLocked(handle).status());
  if (&stream->device() != device_) return OtherDevice(*device_, stream->device());
  if (options_.kind != EventKind::kWithFlag || !options_.synchronises) {
    return Status(Code::kParamInvalid,
                  "only an event created with aclrtCreateEventWithFlag and ACL_EVENT_SYNC can be reset",
                  "Record it again instead");
  }
  // A later wait is for the next record. The waits submitted before keep the value they were given.
  recorded_ = false;
  return {};
}

Status Event::Synchronize(uint64_t handle, int64_t timeout_ms) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "waits for an event"));
  std::shared_ptr<sip::Device> device;
  const DeviceState* owner = nullptr;
  uint32_t event_register = 0;
  uint64_t value = 0;
  uint32_t slot = 0;
  uint64_t entry = 0;
  uint64_t stream_handle = 0;
  uint32_t aborts = 0;
  {
    base::MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(device, UseLocked(handle));
    if (!recorded_) return {};
    aborts = stream_aborts_;
    owner = device_;
    event_register = register_;
    value = value_;
    slot = stream_slot_;
    entry = stream_entry_;
    stream_handle = stream_;
  }
  if (const Stream* running = CurrentThread().callback_stream;
      running != nullptr && running == Streams().Find(stream_handle)) {
    return Status(Code::kParamInvalid,
                  fmt::format("a host function waits for event {}, which comes behind it on its own stream", id()),
                  "Do not call the runtime from a host function");
  }
  const auto deadline = timeout_ms < 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(timeout_ms * 1'000'000);
  const sip::WaitResult result = device->WaitDone(slot, entry, deadline);
  device->DrainInterrupts();
  if (result == sip::WaitResult::kTimeout) {
    return Status(
        Code::kEventSyncTimeout,
        fmt::format("event {} was not complete after {} ms; the stream it was recorded on goes on", id(), timeout_ms),
        "Wait again, or look at what the stream waits for");
  }
  Stream* stream = Streams().Find(stream_handle);
  if (stream != nullptr) {
    const Status failure = stream->QueryFailure();
    if (!failure.ok()) return failure;
  }
  const types::EventRegister& registers = device->event_register(event_register);
  if (value >= registers.failed_from.load(std::memory_order_relaxed) &&
      value <= registers.failed_to.load(std::memory_order_acquire)) {
    if (stream == nullptr || stream->aborts() != aborts) {
      return Status(Code::kStreamAbort,
                    fmt::format("the record of event {} was dropped when its stream was aborted", id()),
                    "Record it again");
    }
    return Status(Code::kDependencyFailed,
                  fmt::format("event {} completed with a failure, because its stream had stopped", id()));
  }
  if (!device->lost()) return {};
  owner->AwaitNewsOfLoss(*device);
  const Status failure = owner->device_failure();
  return failure.ok() ? Status(Code::kLostHeartbeat, "the device is gone", "Reset the device and set it again")
                      : failure;
}

Result<bool> Event::IsComplete(uint64_t handle) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "asks for an event"));
  base::MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseLocked(handle));
  if (!recorded_) return options_.kind == EventKind::kExtended;
  device->Poll();
  return device->event_register(register_).value.load(std::memory_order_acquire) >= value_;
}

Result<double> Event::Timestamp(uint64_t handle) {
  base::MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseLocked(handle));
  if (!options_.has_timestamp) {
    return Status(Code::kEventTimestampInvalid, fmt::format("event {} keeps no time", id()),
                  "Create it with ACL_EVENT_TIME_LINE");
  }
  if (!recorded_ || device->event_register(register_).value.load(std::memory_order_acquire) < value_) {
    return Status(Code::kEventTimestampInvalid, fmt::format("event {} is not complete, so it has no time yet", id()),
                  "Record it, and wait for it first");
  }
  const uint64_t ticks = device->event_register(register_).timestamp.load(std::memory_order_relaxed);
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(device->cycle_frequency());
}

}  // namespace forebay::runtime

namespace forebay {
namespace {

uint64_t ToHandle(EventHandle event) noexcept { return reinterpret_cast<uint64_t>(event); }
uint64_t ToHandle(StreamHandle stream) noexcept { return reinterpret_cast<uint64_t>(stream); }

}  // namespace

Result<EventHandle> CreateEvent() {
  ASSIGN_OR_RETURN(runtime::Context * context, runtime::CurrentContext());
  ASSIGN_OR_RETURN(const uint64_t handle, runtime::Event::Create(*context, {}));
  return reinterpret_cast<EventHandle>(handle);
}

Status DestroyEvent(EventHandle event) { return runtime::Event::Destroy(ToHandle(event)); }

Status RecordEvent(EventHandle event, StreamHandle stream) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Record(ToHandle(event), ToHandle(stream));
}

Status StreamWaitEvent(StreamHandle stream, EventHandle event) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Wait(ToHandle(event), ToHandle(stream), 0);
}

Status SynchronizeEvent(EventHandle event, int64_t timeout_ms) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->Synchronize(ToHandle(event), timeout_ms);
}

Result<bool> IsEventComplete(EventHandle event) {
  ASSIGN_OR_RETURN(runtime::Event * object, runtime::FindEvent(ToHandle(event)));
  return object->IsComplete(ToHandle(event));
}

Result<float> ElapsedMilliseconds(EventHandle start, EventHandle end) {
  ASSIGN_OR_RETURN(runtime::Event * first, runtime::FindEvent(ToHandle(start)));
  ASSIGN_OR_RETURN(runtime::Event * second, runtime::FindEvent(ToHandle(end)));
  ASSIGN_OR_RETURN(const double from, first->Timestamp(ToHandle(start)));
  ASSIGN_OR_RETURN(const double to, second->Timestamp(ToHandle(end)));
  if (to < from) {
    return Status(Code::kEventTimestampReversal, "the end event completed before the start event",
                  "Exchange the two events");
  }
  return static_cast<float>((to - from) / 1000.0);
}

}  // namespace forebay
