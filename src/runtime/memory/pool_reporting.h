// How a pool tells what it holds, and why it refuses.
#pragma once

#include "forebay/memory_pool.h"
#include "memory/pool/heap.h"

namespace forebay::runtime {

MemoryPoolStatistics ShowStatistics(const HeapStatistics& heap) noexcept;
// What the peak is of; null when it is none.
HeapStatistics::Level HeapStatistics::* LevelOf(uint64_t MemoryPoolStatistics::* peak) noexcept;
// Success, or kMemoryFree with what the address is.
Status ExplainFree(void* address, const FreeResult& result);

}  // namespace forebay::runtime
