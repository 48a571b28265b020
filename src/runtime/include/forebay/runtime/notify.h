// Notifies: counters on a device that one stream sets and another waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "forebay/base/handle_table.h"
#include "forebay/base/mutex.h"
#include "forebay/runtime/pending_tasks.h"
#include "forebay/status.h"
#include "forebay/types/command.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

class Context;
class DeviceState;

// A plain notify is a counted one whose record sets 1, and whose wait is for 1 and clears.
enum class NotifyKind { kPlain, kCounted };

// Thread safety: all functions may be called from any thread.
class Notify {
 public:
  static Result<uint64_t> Create(Context& context, NotifyKind kind);
  static Status Destroy(uint64_t handle, NotifyKind kind);
  // Makes every notify of a device that is being switched off stale.
  static void DestroyAllOf(const DeviceState& state);
  // Sets them to 0, now. Either all handles are good, or nothing happens.
  static Status ResetNow(std::span<const uint64_t> handles, NotifyKind kind);

  Status Record(uint64_t handle, uint64_t stream, types::CounterOperation operation, uint32_t value) EXCLUDES(mutex_);
  // `timeout_ms` 0: no limit.
  Status Wait(uint64_t handle, uint64_t stream, types::Condition condition, uint32_t value, bool clears,
              uint32_t timeout_ms) EXCLUDES(mutex_);
  // Among the notifies of its device, both kinds together.
  uint32_t number() const noexcept { return number_.load(std::memory_order_acquire); }

 private:
  Result<std::shared_ptr<sip::Device>> UseLocked(uint64_t handle) const REQUIRES(mutex_);
  Status Submit(uint64_t handle, uint64_t stream, types::Opcode opcode, types::CounterCommand command) EXCLUDES(mutex_);
  void ReleaseLocked() REQUIRES(mutex_);

  std::atomic<uint32_t> number_{0};
  mutable base::Mutex mutex_;
  NotifyKind kind_ GUARDED_BY(mutex_) = NotifyKind::kPlain;
  uint64_t handle_ GUARDED_BY(mutex_) = 0;
  // The handle that the slot of the table belongs to, from making until the register is given back.
  uint64_t slot_handle_ GUARDED_BY(mutex_) = 0;
  DeviceState* device_ GUARDED_BY(mutex_) = nullptr;
  // Weak: a notify that is never destroyed must not keep its device running.
  std::weak_ptr<sip::Device> sip_ GUARDED_BY(mutex_);
  uint64_t power_cycle_ GUARDED_BY(mutex_) = 0;
  uint32_t register_ GUARDED_BY(mutex_) = 0;
  PendingTasks users_ GUARDED_BY(mutex_);
  // Threads that are about to submit a task for the register, which cannot be given back before.
  uint32_t submitting_ GUARDED_BY(mutex_) = 0;
};

// kInvalidHandle.
Result<Notify*> FindNotify(uint64_t handle, NotifyKind kind);

}  // namespace forebay::runtime
