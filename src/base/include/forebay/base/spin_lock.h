// A lock of one byte for sections of a few nanoseconds that never block inside.
//
// The submit path takes one per stream: an uncontended pair costs one locked instruction. A contender spins briefly and
// then yields, because on a small machine the holder may need this very processor.
#pragma once

#include <sched.h>

#include <atomic>

#include "forebay/base/architecture.h"
#include "forebay/base/mutex.h"

namespace forebay::base {

class CAPABILITY("mutex") SpinLock {
 public:
  void Lock() noexcept ACQUIRE() {
    // Acquire pairs with the release in Unlock: what the last holder wrote is seen.
    while (locked_.exchange(true, std::memory_order_acquire)) {
      for (int turn = 0; locked_.load(std::memory_order_relaxed); ++turn) {
        if (turn < 64) {
          CpuRelax();
        } else {
          sched_yield();
        }
      }
    }
  }
  void Unlock() noexcept RELEASE() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

class SCOPED_CAPABILITY SpinLockHolder {
 public:
  explicit SpinLockHolder(SpinLock& lock) noexcept ACQUIRE(lock) : lock_(lock) { lock_.Lock(); }
  ~SpinLockHolder() RELEASE() { lock_.Unlock(); }
  SpinLockHolder(const SpinLockHolder&) = delete;
  SpinLockHolder& operator=(const SpinLockHolder&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace forebay::base
