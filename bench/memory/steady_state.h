// What a pool asks of the system once a program repeats itself.
#pragma once

#include <cstdint>

#include "memory/pool/trace.h"

namespace forebay::bench {

struct SteadyState {
  bool system_calls = false;    // any, in the last step
  uint64_t upstream_calls = 0;  // in the last step
  uint64_t allocations = 0;     // of the host's memory, in the last step
};

// Replays all steps but the last, then the last one in a process that may not call the system.
// `planned`: with recorded placement.
SteadyState ObserveLastStep(const runtime::Trace& trace, bool planned);

// Bytes of host memory for each block, of `blocks` live ones of this size.
double BookkeepingPerBlock(std::size_t blocks, uint64_t bytes);

}  // namespace forebay::bench
