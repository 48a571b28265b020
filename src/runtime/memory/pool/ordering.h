// What a pool needs to know of streams: when memory that one of them released may serve another.
#pragma once

#include <cstdint>

#include "forebay/runtime/stream_moment.h"

namespace forebay::runtime {

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
