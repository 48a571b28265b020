// Replays a trace through a pool.
#pragma once

#include <string>
#include <vector>

#include "memory/pool/trace.h"
#include "pool.h"

namespace forebay::bench {

struct Replayed {
  std::string mistake;  // empty: every block was there, at the right time
  uint64_t peak_reserved = 0;
  uint64_t settled_reserved = 0;  // the most at any time from the third step on
  uint64_t settled_calls = 0;     // upstream calls from then on
  uint64_t upstream_calls = 0;
  uint64_t last_step_reserved = 0;  // the most in the last whole step
  uint64_t last_step_calls = 0;     // in the last whole step
  double Waste(const runtime::Trace& trace) const {
    return static_cast<double>(peak_reserved) / static_cast<double>(trace.peak_bytes);
  }
};

// `check` also checks the order of streams; pools that ignore streams fail that.
Replayed Replay(const runtime::Trace& trace, Pool& pool, bool check);

}  // namespace forebay::bench
