// What a pool needs to know of streams: when memory that one of them released may serve another.
#pragma once

#include <cstdint>

namespace forebay::runtime {

// Stands for the host, and for callers that do not order what they do by a stream.
inline constexpr uint32_t kNoStream = ~uint32_t{0};

// The moment at which a stream has finished the first `entry` entries of its queue. Entries only grow, whoever has the
// queue.
struct StreamMoment {
  uint32_t slot = kNoStream;
  uint64_t entry = 0;
};

class Ordering {
 public:
  virtual ~Ordering() = default;
  // Whether what `requester` is given next comes after `moment` whatever the speed of the streams: it is the same
  // stream, an event orders the two, or the host has waited for the moment. Of kNoStream only the last is true.
  virtual bool IsOrdered(uint32_t requester, const StreamMoment& moment) const noexcept = 0;
  // Whether the moment has passed, which nobody may count on.
  virtual bool HasPassed(const StreamMoment& moment) const noexcept = 0;
};

}  // namespace forebay::runtime
