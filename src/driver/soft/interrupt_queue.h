// The host's end of the interrupt and print rings.
#pragma once

#include <atomic>
#include <thread>

#include "forebay/base/mutex.h"
#include "forebay/driver/device.h"

namespace forebay::driver {

// One thread drains at a time, without a lock while it calls the sink; others that need a record passed on wait for it.
class InterruptQueue {
 public:
  InterruptQueue(const types::BarView& bar, InterruptSink* sink) : bar_(bar), sink_(sink) {}

  // Passes on everything raised and printed before the call.
  void Drain() EXCLUDES(mutex_);
  bool HasWork() const noexcept {
    const auto& header = *bar_.header;
    return header.interrupts_raised.load(std::memory_order_acquire) != passed_on_.load(std::memory_order_acquire) ||
           header.printed.load(std::memory_order_acquire) != header.print_taken.load(std::memory_order_relaxed);
  }

 private:
  void DrainRecords();
  void DrainPrint();

  const types::BarView bar_;
  InterruptSink* const sink_;
  std::atomic<uint64_t> passed_on_{0};
  base::Mutex mutex_;
  base::CondVar drained_;
  bool draining_ GUARDED_BY(mutex_) = false;
  std::thread::id drainer_ GUARDED_BY(mutex_);
};

}  // namespace forebay::driver
