// Hands out physical memory in extents, which need not lie side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/free_ranges.h"
#include "forebay/sip/device.h"

namespace forebay::sip {

class PhysicalMemory {
 public:
  explicit PhysicalMemory(uint64_t bytes) : total_(bytes) { Give({0, bytes}); }
  uint64_t total() const noexcept { return total_; }
  uint64_t free_bytes() const noexcept { return free_bytes_; }

  // One extent if one is large enough, else several. None when there is not enough.
  std::vector<Extent> Take(uint64_t bytes) {
    std::vector<Extent> taken;
    if (bytes == 0 || bytes > free_bytes_) return taken;
    free_bytes_ -= bytes;
    if (const auto at = free_.Take(bytes)) return {{*at, bytes}};
    while (bytes != 0) {
      const auto [offset, piece] = free_.TakeLowest(bytes);
      taken.push_back({offset, piece});
      bytes -= piece;
    }
    return taken;
  }
  // What was taken, or a part of it.
  void Give(const Extent& extent) {
    free_bytes_ += extent.bytes;
    free_.Give(extent.offset, extent.bytes);
  }

 private:
  const uint64_t total_;
  uint64_t free_bytes_ = 0;
  base::FreeRanges free_;
};

}  // namespace forebay::sip
