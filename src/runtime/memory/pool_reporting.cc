#include "memory/pool_reporting.h"

#include <fmt/format.h>

#include <string>

namespace forebay::runtime {

MemoryPoolStatistics ShowStatistics(const HeapStatistics& heap) noexcept {
  MemoryPoolStatistics shown;
  shown.requested_bytes = heap.requested.now;
  shown.requested_peak = heap.requested.peak;
  shown.allocated_bytes = heap.used.now;
  shown.peak_bytes = heap.used.peak;
  shown.active_bytes = heap.active.now;
  shown.active_peak = heap.active.peak;
  shown.reserved_bytes = heap.reserved.now;
  shown.reserved_peak = heap.reserved.peak;
  shown.live_blocks = heap.blocks;
  shown.device_calls = heap.upstream_calls;
  shown.reuses_by_event = heap.reused_by_event;
  shown.reuses_by_chance = heap.reused_passed;
  shown.inserted_waits = heap.inserted_waits;
  shown.rearrangements = heap.rearrangements;
  return shown;
}

HeapStatistics::Level HeapStatistics::* LevelOf(uint64_t MemoryPoolStatistics::* peak) noexcept {
  if (peak == &MemoryPoolStatistics::requested_peak) return &HeapStatistics::requested;
  if (peak == &MemoryPoolStatistics::peak_bytes) return &HeapStatistics::used;
  if (peak == &MemoryPoolStatistics::active_peak) return &HeapStatistics::active;
  if (peak == &MemoryPoolStatistics::reserved_peak) return &HeapStatistics::reserved;
  return nullptr;
}

Status ExplainFree(void* address, const FreeResult& result) {
  std::string what;
  std::string advice = "Free a block once, with the address that the allocation gave";
  switch (result.outcome) {
    case Freed::kOk: return {};
    case Freed::kAlreadyFree: what = "was freed already"; break;
    case Freed::kInterior:
      what = fmt::format("lies {} bytes into the block at {:#x}", reinterpret_cast<uint64_t>(address) - result.block,
                         result.block);
      advice = fmt::format("Free {:#x} instead", result.block);
      break;
    case Freed::kNotABlock: what = "is not the start of a live block of this pool"; break;
  }
  return Status(Code::kMemoryFree, fmt::format("address {} {}", address, what), std::move(advice));
}

}  // namespace forebay::runtime
