// Physical memory that other processes use too.
#pragma once

#include "memory/virtual_memory.h"

namespace forebay::runtime {

// Nothing in this process holds the memory any more. It is given back, unless others still use it.
void EndSharingOf(uint64_t handle, Physical physical);
// Memory that was only kept for other processes, and that these have given back.
void GiveBackWhatOthersLeft();

}  // namespace forebay::runtime
