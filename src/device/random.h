// The generator behind FOREBAY_SCHEDULE=seed:N. Small, and the same on every machine.
#pragma once

#include <cstdint>

namespace forebay::device {

class Random {
 public:
  explicit Random(uint64_t seed) noexcept : state_(seed) {}
  uint64_t Next() noexcept {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint32_t Below(uint32_t limit) noexcept { return static_cast<uint32_t>(Next() % limit); }

 private:
  uint64_t state_;
};

}  // namespace forebay::device
