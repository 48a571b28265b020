// What a stream waits for, from one stream to the next, in words:
//   s2 waits for event e1, to be recorded on s1 behind host function H1 (main.cc:12), running for 500 ms
//   s1 waits for event e1, to be recorded on s2, which waits for event e2, to be recorded on s1: a cycle
//
// The streams go on while they are looked at, so a text may mix two moments. It takes no lock for longer than it takes
// to look at one queue.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/runtime/stream.h"

namespace forebay::runtime {

// Of a stream now, with the stream's name: "s2 ...".
std::string DescribeWait(const Stream& stream);
// Of a wait that has just ended without what it was for.
std::string DescribeEndedWait(const Stream& stream, const types::Command& wait);
// What comes before the record that sets an event's register to this value: "e1 is to be recorded on s1 behind ...".
std::string DescribeRecord(const DeviceState& device, uint32_t event_register, uint64_t value);

}  // namespace forebay::runtime
