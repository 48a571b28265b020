// What can be changed about a stream that is there.
#include <algorithm>

#include "forebay/base/macros.h"
#include "forebay/runtime/device_state.h"
#include "forebay/runtime/stream.h"

namespace forebay::runtime {

void Stream::SetPriority(int32_t priority) {
  base::SpinLockHolder hold(lock_);
  if (!sip_) return;
  priority_.store(priority, std::memory_order_release);
  queue_.registers->priority.store(static_cast<uint32_t>(priority), std::memory_order_relaxed);
}

Status Stream::ApplyOverflowCheck() {
  if (!checks_overflow()) return {};
  ASSIGN_OR_RETURN(void* const status, device().OverflowStatus(overflow_tag()));
  base::SpinLockHolder hold(lock_);
  if (sip_) queue_.registers->overflow_status.store(reinterpret_cast<uint64_t>(status), std::memory_order_release);
  return {};
}

Status Stream::SetOverflowCheck(bool on) {
  base::MutexLock lock(settings_mutex_);
  const bool before = checks_overflow_.exchange(on, std::memory_order_acq_rel);
  const Status applied = ApplyOverflowCheck();
  if (!applied.ok()) checks_overflow_.store(before, std::memory_order_release);
  return applied;
}

Status Stream::SetOverflowTag(uint32_t tag) {
  base::MutexLock lock(settings_mutex_);
  const uint32_t before = overflow_tag_.exchange(tag, std::memory_order_acq_rel);
  const Status applied = ApplyOverflowCheck();
  if (!applied.ok()) overflow_tag_.store(before, std::memory_order_release);
  return applied;
}

}  // namespace forebay::runtime
