// Hands out ranges of an address interval, first fit by address; neighbours that become free are joined.
//
// It serves the few large ranges that pools are made of, so that a map is fast enough.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "forebay/base/free_ranges.h"

namespace forebay::sip {

class RangeAllocatorBase {
 public:
  RangeAllocatorBase(uint64_t begin, uint64_t bytes, uint64_t granularity) : granularity_(granularity), total_(bytes) {
    free_.Give(begin, bytes);
  }
  uint64_t granularity() const noexcept { return granularity_; }
  uint64_t in_use() const noexcept { return in_use_; }
  uint64_t total() const noexcept { return total_; }

  std::optional<uint64_t> Allocate(uint64_t bytes) {
    const auto at = free_.Take(bytes);
    if (!at) return std::nullopt;
    taken_.emplace(*at, bytes);
    in_use_ += bytes;
    return at;
  }
  // False when no range starts there.
  bool Free(uint64_t at) {
    const auto taken = taken_.find(at);
    if (taken == taken_.end()) return false;
    in_use_ -= taken->second;
    free_.Give(at, taken->second);
    taken_.erase(taken);
    return true;
  }
  // A part of what was handed out at once. False when it is none.
  bool FreePart(uint64_t at, uint64_t bytes) {
    auto taken = taken_.upper_bound(at);
    if (bytes == 0 || taken == taken_.begin()) return false;
    const auto [begin, size] = *--taken;
    const uint64_t into = at - begin;
    if (into >= size || bytes > size - into) return false;
    taken_.erase(taken);
    if (into > 0) taken_.emplace(begin, into);
    if (into + bytes < size) taken_.emplace(at + bytes, size - into - bytes);
    taken_.emplace(at, bytes);
    return Free(at);
  }
  // Whether every byte of [at, at + bytes) is handed out. Neighbouring ranges count as one.
  bool Contains(uint64_t at, uint64_t bytes) const {
    auto range = taken_.upper_bound(at);
    if (range == taken_.begin()) return false;
    --range;
    uint64_t end = range->first + range->second;
    if (at >= end) return false;
    while (bytes > end - at) {
      ++range;
      if (range == taken_.end() || range->first != end) return false;
      end += range->second;
    }
    return true;
  }
  // The size of the range that starts there; 0 when none does.
  uint64_t SizeAt(uint64_t at) const {
    const auto range = taken_.find(at);
    return range == taken_.end() ? 0 : range->second;
  }
  std::size_t range_count() const noexcept { return taken_.size(); }

 private:
  const uint64_t granularity_;
  const uint64_t total_;
  uint64_t in_use_ = 0;
  base::FreeRanges free_;
  std::map<uint64_t, uint64_t> taken_;
};

}  // namespace forebay::sip
