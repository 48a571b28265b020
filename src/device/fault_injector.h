// Faults that the host has armed on this device, and when they happen. Real faults take the same way from here on.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/types/bar.h"

namespace forebay::device {

// Thread safety: all functions may be called from any thread.
class FaultInjector {
 public:
  explicit FaultInjector(const types::BarView& bar) : bar_(bar) {}

  // Takes what the host has armed. A fault that was armed before keeps its time and its counts.
  void Arm() EXCLUDES(mutex_);
  // Nothing else needs to be called while it is false.
  bool armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
  // What happens to a task that begins; kNone: nothing. `kernel` is empty for other tasks.
  types::FaultAction AtTask(uint32_t stream, const types::Command& command, std::string_view kernel,
                            types::ArmedFault const** fault) EXCLUDES(mutex_);
  bool DropsDoorbell(uint32_t stream) EXCLUDES(mutex_);
  // What happens to the device by now; null: nothing.
  const types::ArmedFault* AtTime() EXCLUDES(mutex_);

 private:
  struct Armed {
    uint64_t id;
    uint64_t since;  // time stamp
  };
  bool Matches(std::size_t index, types::ArmedFault& fault) REQUIRES(mutex_);

  const types::BarView bar_;
  std::atomic<bool> armed_{false};
  base::Mutex mutex_;
  std::vector<Armed> faults_ GUARDED_BY(mutex_);  // by slot
};

}  // namespace forebay::device
