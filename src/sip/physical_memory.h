// Hands out physical memory in extents, which need not lie side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

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
    auto first = free_.begin();
    while (first != free_.end() && first->second < bytes) ++first;
    if (first == free_.end()) first = free_.begin();
    while (bytes != 0) {
      const Extent piece{first->first, std::min(bytes, first->second)};
      const uint64_t rest = first->second - piece.bytes;
      first = free_.erase(first);
      if (rest != 0) free_.emplace_hint(first, piece.offset + piece.bytes, rest);
      taken.push_back(piece);
      free_bytes_ -= piece.bytes;
      bytes -= piece.bytes;
    }
    return taken;
  }
  // What was taken, or a part of it.
  void Give(Extent extent) {
    if (extent.bytes == 0) return;
    free_bytes_ += extent.bytes;
    auto next = free_.lower_bound(extent.offset);
    if (next != free_.end() && extent.offset + extent.bytes == next->first) {
      extent.bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == extent.offset) {
        previous->second += extent.bytes;
        return;
      }
    }
    free_.emplace_hint(next, extent.offset, extent.bytes);
  }

 private:
  const uint64_t total_;
  uint64_t free_bytes_ = 0;
  std::map<uint64_t, uint64_t> free_;  // bytes by offset
};

}  // namespace forebay::sip
