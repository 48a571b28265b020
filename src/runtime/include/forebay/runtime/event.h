// Events of the runtime: which register and value stand for the recorded work.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/runtime/pending_tasks.h"
#include "forebay/runtime/stream_moment.h"
#include "forebay/status.h"
#include "forebay/types/bar.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

class Context;
class DeviceState;
class Stream;
class StreamOrder;

// How an event was made, which decides what it may do.
enum class EventKind { kDefault, kWithFlag, kExtended };

struct EventOptions {
  EventKind kind = EventKind::kExtended;
  bool synchronises = true;
  bool has_timestamp = true;
  bool device_only = false;          // the host neither asks nor waits for it
  const void* created_at = nullptr;  // an address in the code of the program that makes it
};

// Each record takes the next value of a register. A record on another stream while an earlier one is pending moves the
// event to a new register, so that a wait submitted before keeps the work it stands for.
// Thread safety: all functions may be called from any thread.
class Event {
 public:
  static Result<uint64_t> Create(Context& context, const EventOptions& options);
  static Status Destroy(uint64_t handle);
  // Makes every event of a device that is being switched off stale.
  static void DestroyAllOf(const DeviceState& state);

  Status Record(uint64_t handle, uint64_t stream) EXCLUDES(record_order_, mutex_);
  Status Wait(uint64_t handle, uint64_t stream, uint32_t timeout_ms) EXCLUDES(mutex_);
  // Records that are marked as of the inside of a capture or as of its outside. The first such call, even one that
  // fails, decides which the event has.
  Status RecordMarked(uint64_t handle, uint64_t stream, bool external) EXCLUDES(record_order_, mutex_);
  // A wait in a captured stream for what happens outside of the capture.
  Status WaitExternally(uint64_t handle, uint64_t stream) EXCLUDES(mutex_);
  Status Reset(uint64_t handle, uint64_t stream) EXCLUDES(mutex_);
  Status Synchronize(uint64_t handle, int64_t timeout_ms) EXCLUDES(mutex_);
  // Whether the recorded work is done; an event never recorded is complete when it is an extended one.
  Result<bool> IsComplete(uint64_t handle) EXCLUDES(mutex_);
  // Whether all waits of streams for it have ended. Not for extended events.
  Result<bool> AreWaitsDone(uint64_t handle) EXCLUDES(mutex_);
  // Microseconds on the device's clock.
  Result<double> Timestamp(uint64_t handle) EXCLUDES(mutex_);
  EventKind kind() const noexcept { return kind_.load(std::memory_order_acquire); }
  uint32_t id() const noexcept { return id_.load(std::memory_order_acquire); }
  const void* created_at() const noexcept { return created_at_.load(std::memory_order_acquire); }

 private:
  static constexpr uint32_t kNoRegister = ~0u;

  // The event's device; kInvalidHandle when the handle is stale or the device was reset.
  Result<std::shared_ptr<sip::Device>> UseLocked(uint64_t handle) const REQUIRES(mutex_);
  // The same for a call by which the host asks or waits.
  Result<std::shared_ptr<sip::Device>> UseOnHostLocked(uint64_t handle) const REQUIRES(mutex_);
  // kStreamNotCaptured where nothing else is wrong: there is no capture.
  Status RefuseExternalLocked(const Stream& stream) const REQUIRES(mutex_);
  // The stream waits for the last record from now on.
  void NoteWaitLocked(StreamOrder& order, uint32_t slot) REQUIRES(mutex_);
  // The host has seen that the last record has happened.
  void NotePassedLocked() REQUIRES(mutex_);
  bool IsReachedLocked(const types::EventRegister& event) const noexcept REQUIRES(mutex_);

  std::atomic<uint32_t> id_{0};
  std::atomic<const void*> created_at_{nullptr};
  std::atomic<EventKind> kind_{EventKind::kExtended};
  // Held while a record is submitted, so that the values of a register have the order of the queue.
  base::Mutex record_order_ ACQUIRED_BEFORE(mutex_);
  mutable base::Mutex mutex_;
  EventOptions options_ GUARDED_BY(mutex_);
  DeviceState* device_ GUARDED_BY(mutex_) = nullptr;
  uint64_t handle_ GUARDED_BY(mutex_) = 0;
  // Weak: an event that is never destroyed must not keep its device running.
  std::weak_ptr<sip::Device> sip_ GUARDED_BY(mutex_);
  uint64_t power_cycle_ GUARDED_BY(mutex_) = 0;
  uint32_t register_ GUARDED_BY(mutex_) = kNoRegister;
  uint64_t value_ GUARDED_BY(mutex_) = 0;  // of the last record
  // The record that is being queued. The event stands for the one before until it is.
  struct Coming {
    uint32_t event_register = kNoRegister;
    uint64_t value = 0;
  };
  Coming coming_ GUARDED_BY(mutex_);
  bool recorded_ GUARDED_BY(mutex_) = false;
  bool reset_queued_ GUARDED_BY(mutex_) = false;  // ever: a reset may come before any wait
  enum class Mark { kNone, kDefault, kExternal };
  Mark mark_ GUARDED_BY(mutex_) = Mark::kNone;
  PendingTasks waits_ GUARDED_BY(mutex_);
  uint64_t stream_ GUARDED_BY(mutex_) = 0;  // handle of the stream recorded on last
  uint32_t stream_slot_ GUARDED_BY(mutex_) = 0;
  uint64_t stream_entry_ GUARDED_BY(mutex_) = 0;
  uint32_t stream_aborts_ GUARDED_BY(mutex_) = 0;  // at the time of the record
  // What the last record comes after, for memory that streams release; empty while no stream does.
  StreamClock clock_ GUARDED_BY(mutex_);
  uint64_t clock_epoch_ GUARDED_BY(mutex_) = 0;  // of the StreamOrder when it was taken
};

using EventTable = base::HandleTable<Event, base::HandleKind::kEvent>;
EventTable& Events();

// kInvalidHandle.
Result<Event*> FindEvent(uint64_t handle);

}  // namespace forebay::runtime
