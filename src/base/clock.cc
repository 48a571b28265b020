#include "forebay/base/clock.h"

#include <ctime>

#include "forebay/base/architecture.h"

namespace forebay::base {

int64_t NowNanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

uint64_t CycleCounterFrequency() noexcept {
  static const uint64_t frequency = [] {
    const int64_t start_ns = NowNanoseconds();
    const uint64_t start = ReadCycleCounter();
    int64_t elapsed_ns = 0;
    while (elapsed_ns < 5'000'000) {
      elapsed_ns = NowNanoseconds() - start_ns;
    }
    const uint64_t ticks = ReadCycleCounter() - start;
    return static_cast<uint64_t>(static_cast<double>(ticks) * 1e9 / static_cast<double>(elapsed_ns));
  }();
  return frequency;
}

}  // namespace forebay::base
