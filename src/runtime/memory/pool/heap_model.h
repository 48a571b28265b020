// What a heap may hand out: memory of nobody else, after whoever used it last.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {

// Who must have finished before a range may be used. Of what the host released, nobody.
class HeapModel {
 public:
  explicit HeapModel(const TestStreams& streams) : streams_(streams) {}

  // Empty, or what is wrong with the grant.
  std::string Allocate(uint64_t address, uint64_t bytes, uint32_t stream, bool may_have_passed) {
    const auto after = live_.lower_bound(address);
    if (after != live_.end() && after->first < address + bytes) return "overlaps the next block";
    if (after != live_.begin() && std::prev(after)->first + std::prev(after)->second > address) {
      return "overlaps the block before";
    }
    live_[address] = bytes;
    auto use = last_.upper_bound(address);
    if (use != last_.begin()) --use;
    for (; use != last_.end() && use->first < address + bytes; ++use) {
      if (use->first + use->second.bytes <= address) continue;
      if (streams_.IsOrdered(stream, use->second.moment)) continue;
      if (may_have_passed && streams_.HasPassed(use->second.moment)) continue;
      return "stream " + std::to_string(use->second.moment.slot) + " may still use it";
    }
    return {};
  }
  void Free(uint64_t address, const StreamMoment& moment) {
    const uint64_t bytes = live_[address], end = address + bytes;
    live_.erase(address);
    // Cuts the old uses out.
    auto use = last_.upper_bound(address);
    if (use != last_.begin()) --use;
    while (use != last_.end() && use->first < end) {
      const uint64_t begin = use->first, use_end = begin + use->second.bytes;
      const StreamMoment old = use->second.moment;
      if (use_end <= address) {
        ++use;
        continue;
      }
      use = last_.erase(use);
      if (begin < address) last_[begin] = {address - begin, old};
      if (use_end > end) use = std::next(last_.insert_or_assign(end, Use{use_end - end, old}).first);
    }
    last_[address] = {bytes, moment};
  }

 private:
  struct Use {
    uint64_t bytes;
    StreamMoment moment;
  };
  const TestStreams& streams_;
  std::map<uint64_t, uint64_t> live_;
  std::map<uint64_t, Use> last_;
};

}  // namespace forebay::runtime
