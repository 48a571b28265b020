#include "forebay/runtime/event.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/wait_chain.h"
#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/per_thread.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"
#include "forebay/runtime/thread_state.h"
#include "forebay/sip/device.h"
#include "memory/pool/stream_order.h"

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
  event.created_at_.store(options.created_at, std::memory_order_release);
  event.power_cycle_ = power_cycle;
  event.device_ = &context.device();
  event.id_.store(next_id.fetch_add(1, std::memory_order_relaxed), std::memory_order_release);
  event.handle_ = entry.handle;
  event.sip_ = device;
  event.register_ = kNoRegister;
  event.coming_ = Coming();
  event.value_ = 0;
  event.recorded_ = false;
  event.reset_queued_ = false;
  event.mark_ = Mark::kNone;
  event.waits_.Clear();
  event.stream_ = 0;
  event.stream_entry_ = 0;
  // Events with flags take their hardware register when they are made, because a wait may come before the record.
  if (options.kind == EventKind::kWithFlag) {
    const Result<uint32_t> taken = context.device().AllocateEventRegister(*device);
    if (!taken.ok()) {
      event.handle_ = 0;
      event.sip_.reset();
      Events().Release(entry.handle);
      return taken.status();
    }
    event.register_ = *taken;
    device->event_register(*taken).owner.store(event.id() + 1, std::memory_order_relaxed);
    event.value_ = device->event_register(*taken).value.load(std::memory_order_acquire);
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
    if (device && event->register_ != kNoRegister) {
      // A record that another thread is just queuing comes later than the last one.
      const bool same = event->coming_.event_register == event->register_;
      event->device_->RetireEventRegister(*device, event->register_, same ? event->coming_.value : event->value_);
      if (same) event->coming_ = Coming();
    }
    if (device && event->coming_.event_register != kNoRegister) {
      event->device_->RetireEventRegister(*device, event->coming_.event_register, event->coming_.value);
    }
    event->coming_ = Coming();
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

Result<std::shared_ptr<sip::Device>> Event::UseOnHostLocked(uint64_t handle) const {
  if (handle_ == handle && options_.device_only) {
    return Status(Code::kParamInvalid,
                  fmt::format("event {} was made with ACL_EVENT_DEVICE_USE_ONLY, and the host asks for it", id()),
                  "Only record it, and let streams wait for it");
  }
  return UseLocked(handle);
}

bool Event::IsReachedLocked(const types::EventRegister& event) const noexcept {
  return event.value.load(std::memory_order_acquire) >=
         std::max(value_, event.reset_to.load(std::memory_order_acquire) + 1);
}

Status Event::Record(uint64_t handle, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  base::MutexLock order(record_order_);
  Coming coming;
  uint8_t flags = 0;
  const uint32_t aborts = stream->aborts();
  {
    base::MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseLocked(handle));
    if (&stream->device() != device_) return OtherDevice(*device_, stream->device());
    const bool pending = register_ != kNoRegister && recorded_ &&
                         device->event_register(register_).value.load(std::memory_order_acquire) < value_;
    coming = {register_, value_ + 1};
    // Streams finish in any order, so a pending record of another stream keeps its register to itself.
    if (register_ == kNoRegister || (pending && stream_ != stream.handle)) {
      ASSIGN_OR_RETURN(coming.event_register, device_->AllocateEventRegister(*device));
      // Values of a register only grow, whoever has it.
      types::EventRegister& taken = device->event_register(coming.event_register);
      coming.value = taken.value.load(std::memory_order_acquire) + 1;
      taken.owner.store(id() + 1, std::memory_order_relaxed);
    }
    coming_ = coming;
    flags = options_.has_timestamp ? types::kFlagTimestamp : uint8_t{0};
  }
  // Taken first: what another thread makes the stream wait for from here on may come behind the record.
  StreamOrder& moments = stream->device().stream_order();
  // Kept by the thread, so that a record does not allocate.
  static base::NeverDestroyed<base::PerThread<StreamClock>> clocks;
  StreamClock own;
  StreamClock* const kept = clocks->Get();
  StreamClock& clock = kept != nullptr ? *kept : own;
  clock.clear();
  const uint64_t epoch = moments.epoch();
  if (moments.IsUsed()) moments.Snapshot({stream->slot(), 0}, clock);
  // A stopped stream takes the record too: it completes with the failure, so that whoever waits for it fails as well.
  const Status stopped = stream->CheckAccepts();
  Submission submission;
  const Status submitted = stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = types::Opcode::kEventRecord;
        command.flags = flags;
        command.event = {coming.value, coming.event_register, 0};
      },
      &submission, Stream::WhenStopped::kAccept);
  base::MutexLock lock(mutex_);
  // A caller that destroyed the event meanwhile has given back what was coming.
  if (handle_ != handle) return submitted.ok() ? stopped : submitted;
  coming_ = Coming();
  const std::shared_ptr<sip::Device> device = sip_.lock();
  const bool is_new = coming.event_register != register_;
  if (!submitted.ok()) {
    // Nothing was recorded: whoever waits for the event waits for what it stood for before.
    if (is_new && device) device_->RetireEventRegister(*device, coming.event_register, coming.value - 1);
    return submitted;
  }
  // Only now may others wait for the record. A wait that came into the queue before it would wait for ever.
  if (is_new && device && register_ != kNoRegister) device_->RetireEventRegister(*device, register_, value_);
  register_ = coming.event_register;
  value_ = coming.value;
  recorded_ = true;
  stream_ = stream.handle;
  stream_slot_ = stream->slot();
  stream_aborts_ = aborts;
  stream_entry_ = submission.end_entry;
  if (!clock.empty() && clock.front().slot == stream_slot_) clock.front().entry = stream_entry_;
  clock_.assign(clock.begin(), clock.end());
  clock_epoch_ = epoch;
  return stopped;
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
    // Nothing to wait for; a failure still has to reach the stream, and a reset may come before the wait.
    if (complete && !failed && !reset_queued_) {
      NoteWaitLocked(stream->device().stream_order(), stream->slot());
      return {};
    }
  }
  const uint32_t slot = stream->slot();
  Submission submission;
  RETURN_IF_ERROR(stream->Submit(
      stream.handle, 1,
      [&](types::Command& command, uint64_t) {
        command.opcode = types::Opcode::kEventWait;
        command.flags = 0;
        command.event = {value, event_register, timeout_ms};
      },
      &submission));
  StreamOrder& order = stream->device().stream_order();
  if (kind() == EventKind::kExtended && !order.IsUsed()) return {};
  base::MutexLock lock(mutex_);
  if (handle_ != handle) return {};
  if (kind() != EventKind::kExtended) waits_.Add(slot, submission.end_entry);
  // Only now does what the stream is given next come after the record. Of one made meanwhile it need not, nor when the
  // wait may expire.
  if (timeout_ms == 0 && register_ == event_register && value_ == value) NoteWaitLocked(order, slot);
  return {};
}

Status Event::RefuseExternalLocked(const Stream& stream) const {
  if (options_.kind != EventKind::kExtended || !options_.synchronises) {
    return Status(Code::kParamInvalid, "an event is used from outside of a capture that was not made for it",
                  "Create it with aclrtCreateEventExWithFlag and ACL_EVENT_SYNC");
  }
  return Status(Code::kStreamNotCaptured,
                fmt::format("stream {} is not being captured, so nothing is outside of its capture", stream.slot()),
                "Use the flag for the default instead, or begin the capture first");
}

Status Event::RecordMarked(uint64_t handle, uint64_t stream_handle, bool external) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  {
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(UseLocked(handle).status());
    const Mark mark = external ? Mark::kExternal : Mark::kDefault;
    if (mark_ == Mark::kNone) mark_ = mark;
    if (mark_ != mark) {
      return Status(Code::kParamInvalid,
                    fmt::format("event {} is recorded with another flag than the first time, which was {}", id(),
                                external ? "ACL_EVENT_RECORD_DEFAULT" : "ACL_EVENT_RECORD_EXTERNAL"),
                    "Use one event for each of the two");
    }
    if (external) return RefuseExternalLocked(*stream.stream);
  }
  return Record(handle, stream_handle);
}

Status Event::WaitExternally(uint64_t handle, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  base::MutexLock lock(mutex_);
  RETURN_IF_ERROR(UseLocked(handle).status());
  return RefuseExternalLocked(*stream.stream);
}

Status Event::Reset(uint64_t handle, uint64_t stream_handle) {
  ASSIGN_OR_RETURN(const StreamReference stream, ResolveStream(stream_handle));
  types::EventCommand reset{};
  {
    base::MutexLock lock(mutex_);
    RETURN_IF_ERROR(UseLocked(handle).status());
    if (&stream->device() != device_) return OtherDevice(*device_, stream->device());
    if (options_.kind != EventKind::kWithFlag || !options_.synchronises) {
      return Status(Code::kParamInvalid,
                    "only an event created with aclrtCreateEventWithFlag and ACL_EVENT_SYNC can be reset",
                    "Record it again instead");
    }
    reset = {0, register_, 0};
    reset_queued_ = true;
  }
  return stream->Submit(stream.handle, 1, [&](types::Command& command, uint64_t) {
    command.opcode = types::Opcode::kEventReset;
    command.flags = 0;
    command.event = reset;
  });
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
    ASSIGN_OR_RETURN(device, UseOnHostLocked(handle));
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
  const uint32_t aborts_of_device = owner->task_aborts();
  if (owner->is_aborting()) return owner->AbortingFailure();
  const auto deadline = timeout_ms < 0 ? base::Deadline() : base::Deadline::AfterNanoseconds(timeout_ms * 1'000'000);
  const sip::WaitResult result = device->WaitDone(slot, entry, deadline);
  device->DrainInterrupts();
  if (result == sip::WaitResult::kTimeout) {
    return Status(Code::kEventSyncTimeout,
                  fmt::format("event {} was not complete after {} ms; the stream it was recorded on goes on; {}", id(),
                              timeout_ms, DescribeRecord(*owner, event_register, value)),
                  "Wait again, or end what the stream waits for");
  }
  if (owner->task_aborts() != aborts_of_device) return owner->AbortingFailure();
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
  if (!device->lost()) {
    base::MutexLock lock(mutex_);
    // Of a record made meanwhile this wait says nothing.
    if (device_ == owner && value_ == value && register_ == event_register) NotePassedLocked();
    return {};
  }
  owner->AwaitNewsOfLoss(*device);
  const Status failure = owner->device_failure();
  return failure.ok() ? Status(Code::kLostHeartbeat, "the device is gone", "Reset the device and set it again")
                      : failure;
}

void Event::NoteWaitLocked(StreamOrder& order, uint32_t slot) {
  if (!clock_.empty() && clock_epoch_ == order.epoch()) order.NoteWait(slot, clock_);
}

void Event::NotePassedLocked() {
  if (clock_.empty()) return;
  StreamOrder& order = device_->stream_order();
  if (clock_epoch_ == order.epoch()) order.NoteSynchronised(clock_);
  clock_.clear();
}

Result<bool> Event::IsComplete(uint64_t handle) {
  RETURN_IF_ERROR(CheckNotNotified(Notification::kFailure, "asks for an event"));
  base::MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseOnHostLocked(handle));
  if (!recorded_) return options_.kind == EventKind::kExtended;
  device->Poll();
  if (!IsReachedLocked(device->event_register(register_))) return false;
  NotePassedLocked();
  return true;
}

Result<bool> Event::AreWaitsDone(uint64_t handle) {
  base::MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseOnHostLocked(handle));
  if (options_.kind == EventKind::kExtended) {
    return Status(Code::kParamInvalid, "an event of aclrtCreateEventExWithFlag does not tell about its waits",
                  "Ask the streams that wait");
  }
  device->Poll();
  return waits_.AllDone(*device);
}

Result<double> Event::Timestamp(uint64_t handle) {
  base::MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(const std::shared_ptr<sip::Device> device, UseOnHostLocked(handle));
  if (!options_.has_timestamp) {
    return Status(Code::kEventTimestampInvalid, fmt::format("event {} keeps no time", id()),
                  "Create it with ACL_EVENT_TIME_LINE");
  }
  if (!recorded_ || !IsReachedLocked(device->event_register(register_))) {
    return Status(Code::kEventTimestampInvalid, fmt::format("event {} is not complete, so it has no time yet", id()),
                  "Record it, and wait for it first");
  }
  const uint64_t ticks = device->event_register(register_).timestamp.load(std::memory_order_relaxed);
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(device->cycle_frequency());
}

}  // namespace forebay::runtime
