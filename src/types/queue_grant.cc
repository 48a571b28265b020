#include "forebay/types/queue_grant.h"

#include "forebay/base/futex.h"

namespace forebay::types {

void RingDoorbell(BarHeader& header, StreamRegisters& registers, uint32_t slot) noexcept {
  registers.active.store(1, std::memory_order_relaxed);
  Doorbell& doorbell = header.doorbell;
  doorbell.words[slot / 64].fetch_or(uint64_t{1} << (slot % 64), std::memory_order_release);
  doorbell.summary.fetch_or(uint64_t{1} << (slot / 64), std::memory_order_seq_cst);
  // Pairs with the fence of a device about to sleep: it sees the summary, or `parked` is seen here.
  base::FullFence();
  if (doorbell.parked.load(std::memory_order_relaxed) != 0 && doorbell.parked.exchange(0) != 0) {
    base::FutexWakeAll(doorbell.parked);
  }
}

}  // namespace forebay::types
