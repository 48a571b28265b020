#include "interrupt_queue.h"

#include <algorithm>

#include "forebay/base/futex.h"

namespace forebay::driver {

bool InterruptQueue::Begin() {
  base::MutexLock lock(mutex_);
  if (draining_ && drainer_ == std::this_thread::get_id()) return false;
  while (draining_) drained_.Wait(mutex_);
  draining_ = true;
  drainer_ = std::this_thread::get_id();
  return true;
}

void InterruptQueue::End() {
  base::MutexLock lock(mutex_);
  draining_ = false;
  drainer_ = {};
  drained_.NotifyAll();
}

bool InterruptQueue::Drain() {
  if (broken_.load(std::memory_order_acquire)) return false;
  if (!HasWork() || !Begin()) return true;
  const bool sane = DrainRecords() && DrainPrint();
  if (!sane) broken_.store(true, std::memory_order_release);
  End();
  return sane;
}

void InterruptQueue::CallAlone(const std::function<void()>& report) {
  const bool began = Begin();
  report();
  if (began) End();
}

bool InterruptQueue::DrainRecords() {
  types::BarHeader& header = *bar_.header;
  uint64_t taken = passed_on_.load(std::memory_order_relaxed);
  for (;;) {
    // Acquire pairs with the device's release: the record is seen.
    const uint64_t raised = header.interrupts_raised.load(std::memory_order_acquire);
    if (raised == taken) return true;
    // The device waits rather than overtake the host.
    if (raised - taken > types::kInterruptDepth) return false;
    const types::InterruptRecord record = bar_.interrupts[taken % types::kInterruptDepth];
    header.interrupts_taken.store(++taken, std::memory_order_release);
    base::FutexWakeAll(base::LowHalf(header.interrupts_taken));
    // Lines that a failing kernel printed come before the news of its failure.
    if (!DrainPrint()) return false;
    if (record.kind == types::InterruptKind::kPrinted) {
      header.print_raised.store(0, std::memory_order_seq_cst);
      if (!DrainPrint()) return false;
    } else if (record.stream < bar_.boot.stream_count) {
      sink_->OnInterrupt(record);
    }
    passed_on_.store(taken, std::memory_order_release);
  }
}

bool InterruptQueue::DrainPrint() {
  types::BarHeader& header = *bar_.header;
  uint64_t taken = print_passed_on_.load(std::memory_order_relaxed);
  for (;;) {
    // Acquire pairs with the device's release: the bytes are seen.
    const uint64_t printed = header.printed.load(std::memory_order_acquire);
    if (printed == taken) return true;
    if (printed - taken > types::kPrintBytes) return false;
    const uint64_t at = taken % types::kPrintBytes;
    const uint64_t piece = std::min(printed - taken, types::kPrintBytes - at);
    sink_->OnPrint({reinterpret_cast<const char*>(bar_.print + at), piece});
    taken += piece;
    print_passed_on_.store(taken, std::memory_order_release);
    header.print_taken.store(taken, std::memory_order_release);  // pairs with the device's acquire
    base::FutexWakeAll(base::LowHalf(header.print_taken));
  }
}

}  // namespace forebay::driver
