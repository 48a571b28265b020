#include "interrupts.h"

#include "forebay/base/futex.h"

namespace forebay::device {

bool Interrupts::HasRoom() const noexcept {
  const uint64_t raised = bar_.header->interrupts_raised.load(std::memory_order_relaxed);
  return raised - bar_.header->interrupts_taken.load(std::memory_order_acquire) < types::kInterruptDepth - kReserve;
}

void Interrupts::Raise(const types::InterruptRecord& record) noexcept {
  base::MutexLock lock(mutex_);
  types::BarHeader& header = *bar_.header;
  const uint64_t raised = header.interrupts_raised.load(std::memory_order_relaxed);
  // The reserve covers one record from every core; were it used up, the oldest unread record stays and the newest
  // waits.
  while (raised - header.interrupts_taken.load(std::memory_order_acquire) >= types::kInterruptDepth) {
    const auto taken = static_cast<uint32_t>(header.interrupts_taken.load(std::memory_order_acquire));
    base::FutexWait(base::LowHalf(header.interrupts_taken), taken, 1'000'000);
  }
  bar_.interrupts[raised % types::kInterruptDepth] = record;
  header.interrupts_raised.store(raised + 1, std::memory_order_release);  // pairs with the host's acquire
  base::FutexWakeAll(base::LowHalf(header.interrupts_raised));
}

void Interrupts::RaisePrinted() noexcept {
  if (bar_.header->print_raised.exchange(1, std::memory_order_acq_rel) != 0) return;
  types::InterruptRecord record{};
  record.kind = types::InterruptKind::kPrinted;
  Raise(record);
}

}  // namespace forebay::device
