// Which sizes a step asks for, and how often: enough to see whether two steps are alike. Of fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay::runtime {

class StepProfile {
 public:
  void Note(uint64_t bytes, uint32_t stream) noexcept {
    const uint64_t mixed = (bytes ^ (uint64_t{stream} << 48)) * 0x9E3779B97F4A7C15;
    uint16_t& count = counts_[mixed >> 52];
    if (count < UINT16_MAX) ++count;
  }
  // How many percent of this step were in the other one as well. 0 of an empty step.
  uint32_t PercentIn(const StepProfile& other) const noexcept {
    uint64_t all = 0;
    uint64_t common = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      all += counts_[i];
      common += std::min(counts_[i], other.counts_[i]);
    }
    return all == 0 ? 0 : static_cast<uint32_t>(common * 100 / all);
  }
  void Clear() noexcept { counts_.fill(0); }

 private:
  std::array<uint16_t, 4096> counts_ = {};  // by a hash
};

}  // namespace forebay::runtime
