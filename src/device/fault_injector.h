// Faults that the host has armed on this device, and when they happen. Real faults take the same way from here on.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "forebay/types/bar.h"

namespace forebay::device {

// Thread safety: everything is the dispatcher's but armed(). What is returned is good until the next Arm.
class FaultInjector {
 public:
  explicit FaultInjector(const types::BarView& bar) : bar_(bar) {}

  // Takes what the host has armed, while the host waits for that. A fault that was armed before keeps its time and its
  // counts.
  void Arm();
  // Nothing else needs to be called while it is false.
  bool armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
  // What happens to a task that begins; null: nothing. `kernel` is empty for other tasks.
  const types::FaultOrder* AtTask(uint32_t stream, const types::Command& command, std::string_view kernel) noexcept;
  bool DropsDoorbell(uint32_t stream) noexcept;
  // What happens to the device by now; null: nothing.
  const types::FaultOrder* AtTime() noexcept;

 private:
  // The host may write the next order into a place at any time, so the device works with a copy.
  struct Armed {
    types::FaultOrder order{};
    uint64_t since = 0;                   // time stamp
    types::ArmedFault* counts = nullptr;  // where the host reads them
  };
  bool IsDue(const Armed& fault) const noexcept;
  // Counts a match. True: it happens now.
  static bool Match(Armed& fault) noexcept;

  const types::BarView bar_;
  std::atomic<bool> armed_{false};
  std::vector<Armed> faults_;  // by place
};

}  // namespace forebay::device
