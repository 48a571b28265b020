// Which memory that other streams released an allocation may get, and which it got.
#pragma once

#include <cstdint>

namespace forebay::runtime {

struct ReusePolicy {
  bool follow_events = true;  // those that an event orders
  bool opportunistic = true;  // those whose moment happens to have passed
  bool insert_waits = true;   // any, and the stream waits
};

enum class ReuseKind : uint8_t { kNone, kOwn, kEvent, kPassed, kWait };

}  // namespace forebay::runtime
