// What a stream needs to submit: its ring and its registers. sip hands it out once, when the stream is made; from then
// on a submit touches nothing else.
#pragma once

#include <cstdint>

#include "forebay/base/architecture.h"
#include "forebay/types/bar.h"

namespace forebay::types {

// Tells the device that a stream became active, and wakes it when it sleeps. The slow path of Publish.
void RingDoorbell(BarHeader& header, StreamRegisters& registers, uint32_t slot) noexcept;

struct QueueGrant {
  BarHeader* header = nullptr;
  StreamRegisters* registers = nullptr;
  Command* ring = nullptr;
  uint64_t mask = 0;   // depth - 1
  uint32_t slot = 0;   // the stream's number on the device
  uint32_t event = 0;  // the event register that goes with the stream

  Command& Entry(uint64_t index) const noexcept { return ring[index & mask]; }

  // Makes the entries below `tail` visible to the device.
  void Publish(uint64_t tail) const noexcept {
    // Release pairs with the device's acquire: it sees the entries.
    registers->tail.store(tail, std::memory_order_release);
    // Pairs with the fence in the device's RetireDry: it sees the tail, or `active` is seen 0 here.
    base::FullFence();
    if (registers->active.load(std::memory_order_relaxed) == 0) [[unlikely]]
      RingDoorbell(*header, *registers, slot);
  }
};

}  // namespace forebay::types
