// Time: nanoseconds of the monotonic clock, and the rate of the time stamp counter.
#pragma once

#include <cstdint>

namespace forebay::base {

// Nanoseconds of CLOCK_MONOTONIC, the same in all processes of the machine.
int64_t NowNanoseconds() noexcept;
// How long ago that was, at least 0.
inline int64_t MillisecondsSince(int64_t then_ns) noexcept {
  const int64_t passed_ns = NowNanoseconds() - then_ns;
  return passed_ns < 0 ? 0 : passed_ns / 1'000'000;
}
// Ticks of the time stamp counter in a second, measured once per process (about 5 ms the first time).
uint64_t CycleCounterFrequency() noexcept;

// A point in time after which a wait gives up. Default: never.
class Deadline {
 public:
  Deadline() noexcept = default;
  static Deadline AfterNanoseconds(int64_t duration_ns) noexcept {
    const int64_t now_ns = NowNanoseconds();
    return duration_ns > INT64_MAX - now_ns ? Deadline() : Deadline(now_ns + duration_ns);
  }
  bool never() const noexcept { return at_ns_ < 0; }
  // What is left, at least 0; -1 when there is no limit, as FutexWait takes it.
  int64_t RemainingNanoseconds() const noexcept {
    if (never()) return -1;
    const int64_t left = at_ns_ - NowNanoseconds();
    return left > 0 ? left : 0;
  }
  bool Passed() const noexcept { return !never() && NowNanoseconds() >= at_ns_; }

 private:
  explicit Deadline(int64_t at_ns) noexcept : at_ns_(at_ns) {}
  int64_t at_ns_ = -1;
};

}  // namespace forebay::base
