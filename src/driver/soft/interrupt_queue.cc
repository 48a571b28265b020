#include "interrupt_queue.h"

#include <algorithm>

#include "forebay/base/futex.h"

namespace forebay::driver {

void InterruptQueue::Drain() {
  if (!HasWork()) return;
  {
    base::MutexLock lock(mutex_);
    if (draining_ && drainer_ == std::this_thread::get_id()) return;
    while (draining_) drained_.Wait(mutex_);
    if (!HasWork()) return;
    draining_ = true;
    drainer_ = std::this_thread::get_id();
  }
  DrainRecords();
  DrainPrint();
  base::MutexLock lock(mutex_);
  draining_ = false;
  drainer_ = {};
  drained_.NotifyAll();
}

void InterruptQueue::DrainRecords() {
  types::BarHeader& header = *bar_.header;
  uint64_t taken = header.interrupts_taken.load(std::memory_order_relaxed);
  for (;;) {
    // Acquire pairs with the device's release: the record is seen. The device may write anything here, so the count is
    // bounded by the ring.
    const uint64_t raised = header.interrupts_raised.load(std::memory_order_acquire);
    if (raised == taken) break;
    if (raised - taken > types::kInterruptDepth) taken = raised - types::kInterruptDepth;
    const types::InterruptRecord record = bar_.interrupts[taken % types::kInterruptDepth];
    header.interrupts_taken.store(++taken, std::memory_order_release);
    base::FutexWakeAll(base::LowHalf(header.interrupts_taken));
    // Lines that a failing kernel printed come before the news of its failure.
    DrainPrint();
    if (record.kind == types::InterruptKind::kPrinted) {
      header.print_raised.store(0, std::memory_order_seq_cst);
      DrainPrint();
    } else if (record.stream < header.boot.stream_count) {
      sink_->OnInterrupt(record);
    }
    passed_on_.store(taken, std::memory_order_release);
  }
}

void InterruptQueue::DrainPrint() {
  types::BarHeader& header = *bar_.header;
  uint64_t taken = header.print_taken.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t printed = header.printed.load(std::memory_order_acquire);
    if (printed == taken) return;
    if (printed - taken > types::kPrintBytes) taken = printed - types::kPrintBytes;
    const uint64_t at = taken % types::kPrintBytes;
    const uint64_t piece = std::min(printed - taken, types::kPrintBytes - at);
    sink_->OnPrint({reinterpret_cast<const char*>(bar_.print + at), piece});
    taken += piece;
    header.print_taken.store(taken, std::memory_order_release);  // pairs with the device's acquire
    base::FutexWakeAll(base::LowHalf(header.print_taken));
  }
}

}  // namespace forebay::driver
