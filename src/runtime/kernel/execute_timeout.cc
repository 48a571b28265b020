// How long kernels may run, in the steps of the device's timer.
#include <algorithm>
#include <atomic>

#include "forebay/runtime/device_state.h"
#include "forebay/runtime/kernel.h"

namespace forebay::runtime {
namespace {

// In microseconds; 0: none.
constexpr uint64_t kAsConfigured = kNoTimeout - 1;
std::atomic<uint64_t> execute_timeout_us{kAsConfigured};

// Below this many microseconds in a step, the longest limit is none.
constexpr uint64_t kShortStep = 100'000;

}  // namespace

uint64_t TimeoutStep() noexcept { return LaunchSettings().timeout_interval_us.load(std::memory_order_relaxed); }

uint64_t RoundTimeout(uint64_t timeout_us) noexcept {
  const uint64_t step = TimeoutStep();
  const uint64_t most = step * kMostTimeoutSteps;
  return timeout_us >= most ? most : (timeout_us + step - 1) / step * step;
}

uint64_t SetExecuteTimeout(uint64_t timeout_us) noexcept {
  uint64_t limit = RoundTimeout(timeout_us == 0 ? kNoTimeout : timeout_us);
  if (timeout_us == 0 && TimeoutStep() < kShortStep) limit = kNoTimeout;
  execute_timeout_us.store(limit, std::memory_order_relaxed);
  return limit;
}

void ForgetExecuteTimeout() noexcept { execute_timeout_us.store(kAsConfigured, std::memory_order_relaxed); }

uint64_t ExecuteTimeout() noexcept {
  const uint64_t set = execute_timeout_us.load(std::memory_order_relaxed);
  if (set != kAsConfigured) return set;
  const int64_t configured = LaunchSettings().execute_timeout_us.load(std::memory_order_relaxed);
  return configured == 0 ? kNoTimeout : static_cast<uint64_t>(configured);
}

}  // namespace forebay::runtime
