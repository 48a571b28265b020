// Moments in the lives of streams, by which memory that they release is ordered.
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::runtime {

// Stands for the host, and for callers that do not order what they do by a stream.
inline constexpr uint32_t kNoStream = ~uint32_t{0};

// The moment at which a stream has finished the first `entry` entries of its queue. Entries only grow, whoever has the
// queue.
struct StreamMoment {
  uint32_t slot = kNoStream;
  uint64_t entry = 0;
};

// What an event stands for: moments that whoever waits for it comes after.
using StreamClock = std::vector<StreamMoment>;

}  // namespace forebay::runtime
