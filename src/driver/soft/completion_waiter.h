// Waiting for a stream's completion counter.
//
// The device wakes one sleeper per stream, whose `target` it compares. Of several host threads that wait for one stream
// the first sleeps on the device's word on behalf of all (the leader); the others sleep on a condition variable and
// take over when it leaves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/driver/device.h"

namespace forebay::driver {

class CompletionWaiter {
 public:
  CompletionWaiter(const types::BarView& bar, uint32_t spin_us);

  enum class Outcome { kDone, kTimeout, kLost, kBroken };
  // kLost when `lost` says so; kBroken when the device claims to have completed more than was published.
  Outcome Wait(uint32_t stream, uint64_t entry, const base::Deadline& deadline, const std::atomic<bool>& lost);
  // Ends all waits after the device is gone and no longer writes: every published entry counts as done.
  void ReleaseAll();

 private:
  struct Queue {
    base::Mutex mutex;
    base::CondVar changed;
    bool has_leader GUARDED_BY(mutex) = false;
    std::vector<uint64_t> entries GUARDED_BY(mutex);  // what each waiting thread waits for
  };

  bool Spin(const types::StreamRegisters& registers, uint64_t entry) noexcept;

  const types::BarView bar_;
  const uint32_t spin_us_;
  std::unique_ptr<Queue[]> queues_;
};

}  // namespace forebay::driver
