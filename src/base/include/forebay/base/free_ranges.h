// The free parts of an interval of addresses or offsets. Neighbours are one range.
//
// It serves the few large ranges that memory is made of, so that a map is fast enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace forebay::base {

// Thread safety: none.
class FreeRanges {
 public:
  // Where the lowest range is that has room.
  std::optional<uint64_t> Take(uint64_t bytes) {
    const auto found =
        std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= bytes; });
    if (found == free_.end()) return std::nullopt;
    return TakeFrom(found, bytes);
  }
  // Whether a free range that has room begins there, and is taken from.
  bool TakeAt(uint64_t at, uint64_t bytes) {
    const auto found = free_.find(at);
    if (found == free_.end() || found->second < bytes) return false;
    TakeFrom(found, bytes);
    return true;
  }
  // Up to `most` bytes of the lowest range, and how many they are. There has to be one.
  std::pair<uint64_t, uint64_t> TakeLowest(uint64_t most) {
    const uint64_t bytes = std::min(most, free_.begin()->second);
    return {TakeFrom(free_.begin(), bytes), bytes};
  }
  // What was taken, or a part of it, or several parts side by side.
  void Give(uint64_t at, uint64_t bytes) {
    if (bytes == 0) return;
    auto next = free_.lower_bound(at);
    if (next != free_.end() && at + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == at) {
        previous->second += bytes;
        return;
      }
    }
    free_.emplace_hint(next, at, bytes);
  }

 private:
  using Ranges = std::map<uint64_t, uint64_t>;  // bytes, by where they begin

  uint64_t TakeFrom(Ranges::iterator range, uint64_t bytes) {
    const auto [at, room] = *range;
    const auto next = free_.erase(range);
    if (room > bytes) free_.emplace_hint(next, at + bytes, room - bytes);
    return at;
  }

  Ranges free_;
};

}  // namespace forebay::base
