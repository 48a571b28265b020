// Where to put the blocks of a step that is known in advance, so that they need hardly more room than are live at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/pool/step.h"

namespace forebay::runtime {

struct Placement {
  std::vector<uint64_t> offsets;  // of each block
  uint64_t bytes = 0;             // in all
  // The blocks whose space a block takes over, directly: they must have been freed, in an order that the new one comes
  // after, before it is handed out. One that is not earlier than the block itself is of the step before.
  std::span<const uint32_t> Predecessors(uint32_t block) const {
    return {predecessors.data() + first_predecessor[block], predecessors.data() + first_predecessor[block + 1]};
  }

  std::vector<uint32_t> predecessors;
  std::vector<std::size_t> first_predecessor;
};

struct PlacementEffort {
  // Steps of the search for something better than the greedy placements: one to three nanoseconds each.
  uint64_t work = 100'000'000;
};

// Places every block. Sizes are multiples of whatever the offsets should be aligned to. The same step gives the same
// placement. Time grows with the square of the number of blocks: some 30 ms for 5000.
Placement Place(const StepRecord& step, const PlacementEffort& effort = {});

}  // namespace forebay::runtime
