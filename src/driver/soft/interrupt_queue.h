// The host's end of the interrupt and print rings.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "forebay/base/mutex.h"
#include "forebay/driver/device.h"

namespace forebay::driver {

// One thread drains at a time, without a lock while it calls the sink; others that need a record passed on wait for it.
class InterruptQueue {
 public:
  InterruptQueue(const types::BarView& bar, InterruptSink* sink) : bar_(bar), sink_(sink) {}

  // Passes on everything raised and printed before the call. False when the device wrote counts that cannot be: it is
  // broken, and nothing is passed on any more.
  bool Drain() EXCLUDES(mutex_);
  // Calls `report` while no record is being passed on.
  void CallAlone(const std::function<void()>& report) EXCLUDES(mutex_);
  bool HasWork() const noexcept {
    const auto& header = *bar_.header;
    return header.interrupts_raised.load(std::memory_order_acquire) != passed_on_.load(std::memory_order_acquire) ||
           header.printed.load(std::memory_order_acquire) != print_passed_on_.load(std::memory_order_acquire);
  }

 private:
  // False inside a callback of this very thread.
  bool Begin() EXCLUDES(mutex_);
  void End() EXCLUDES(mutex_);
  bool DrainRecords();
  bool DrainPrint();

  const types::BarView bar_;
  InterruptSink* const sink_;
  // The host's own copies of what it has taken: the device could overwrite those in the registers.
  std::atomic<uint64_t> passed_on_{0};
  std::atomic<uint64_t> print_passed_on_{0};
  std::atomic<bool> broken_{false};
  base::Mutex mutex_;
  base::CondVar drained_;
  bool draining_ GUARDED_BY(mutex_) = false;
  std::thread::id drainer_ GUARDED_BY(mutex_);
};

}  // namespace forebay::driver
