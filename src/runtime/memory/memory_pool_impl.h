// How a MemoryPool gets its ranges, and how the runtime makes pools.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "forebay/base/mutex.h"
#include "forebay/memory_pool.h"
#include "forebay/sip/device.h"
#include "memory/free_blocks.h"
#include "memory/returned_blocks.h"

namespace forebay::runtime {

// Where a pool gets ranges from.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual Result<sip::MemoryRange> Obtain(uint64_t bytes) = 0;
  virtual void Return(const sip::MemoryRange& range) = 0;
  // Where the host can write the block, to fill it; null when it cannot.
  virtual std::byte* HostView(uint64_t address, uint64_t bytes) = 0;
};

struct PoolOptions {
  uint64_t alignment = 512;
  uint64_t growth_bytes = 0;                     // a range is at least this large
  std::string_view parameter = "device_memory";  // what sets how much there is
  bool poison = false;                           // fill fresh blocks with A5
  // Frees what operators that have run still hold; called before the pool grows, without locks.
  std::function<void()> reclaim;
};

std::shared_ptr<MemoryPool> MakePool(std::unique_ptr<MemorySource> source, PoolOptions options);
Result<std::shared_ptr<MemoryPool>> MakeDevicePool(std::shared_ptr<sip::Device> device, uint64_t initial_bytes,
                                                   bool poison, std::function<void()> reclaim);
// Blocks are host addresses of pinned memory.
std::shared_ptr<MemoryPool> MakePinnedPool(std::shared_ptr<sip::Device> device, bool poison);
// Gives all ranges back and makes every later call fail: the device is being switched off.
void DetachPool(MemoryPool& pool);
// Allocates with a size for the statistics that differs from the room that is kept.
Result<void*> AllocateReserving(MemoryPool& pool, std::size_t bytes, std::size_t reserved_bytes);
// Where blocks that nobody uses any more are given back from any thread, at once.
std::shared_ptr<ReturnedBlocks> ReturnedBlocksOf(MemoryPool& pool);
// Bytes that are free inside the pool's ranges.
uint64_t PoolFreeBytes(MemoryPool& pool);

}  // namespace forebay::runtime
