// What a MemoryPool is inside, and how the runtime makes and uses pools.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/memory_pool.h"
#include "forebay/runtime/stream.h"
#include "memory/check/checked_blocks.h"
#include "memory/pool/planned_heap.h"
#include "memory/pool_pages.h"
#include "memory/returned_blocks.h"

namespace forebay::sip {
class Device;
}

namespace forebay::runtime {

class DeviceState;

// What the application does not choose.
struct PoolTraits {
  HeapOptions heap;
  bool listens = false;  // to the waits of the host: keeps to its threshold, and looks for steps
  bool plan = false;     // places the blocks of steps that repeat by their lifetimes
  std::string_view parameter = "device_memory";  // what sets how much there is
  bool poison = false;                           // fill fresh blocks with A5
  // Frees what operators that have run still hold; called before the pool grows, without locks.
  std::function<void()> reclaim;
  DeviceState* device = nullptr;      // null in tests: then nothing is tried when memory runs out
  bool belongs_to_process = false;    // no device is below it, so that a forked child has it too
  bool has_handle = false;            // one of aclrtMemPoolCreate
  std::optional<CheckOptions> check;  // the checking mode
};

std::shared_ptr<MemoryPool> MakePool(std::unique_ptr<PoolPages> pages, const Ordering& order,
                                     const MemoryPoolOptions& options, PoolTraits traits);
// The pools that come with a device.
Result<std::shared_ptr<MemoryPool>> MakeDevicePool(DeviceState& state, const std::shared_ptr<sip::Device>& device,
                                                   uint64_t initial_bytes);
// Blocks are host addresses of pinned memory.
std::shared_ptr<MemoryPool> MakePinnedPool(DeviceState& state, const std::shared_ptr<sip::Device>& device);
// One that the application makes; its memory goes with the device. One with a handle lives until it is abandoned and
// its last block has been released.
Result<std::shared_ptr<MemoryPool>> MakeApplicationPool(DeviceState& device, const MemoryPoolOptions& options,
                                                        bool has_handle);
void AbandonApplicationPool(const std::shared_ptr<MemoryPool>& pool);

// Gives all pages back and makes every later call fail: the device is being switched off.
void DetachPool(MemoryPool& pool);
bool IsOpen(MemoryPool& pool) noexcept;
bool HasHandle(MemoryPool& pool) noexcept;
// A `site` is the return address of the program's call; what the runtime takes for itself has none.
Result<void*> AllocateFor(MemoryPool& pool, std::size_t bytes, const void* site);
// Allocates with a size for the statistics that differs from the room that is kept.
Result<void*> AllocateReserving(MemoryPool& pool, std::size_t bytes, std::size_t reserved_bytes, const void* site);
Result<void*> AllocateOnStream(MemoryPool& pool, std::size_t bytes, const StreamReference& stream, const void* site);
Status FreeFor(MemoryPool& pool, void* address, const void* site);
Status FreeOnStream(MemoryPool& pool, void* address, const StreamReference& stream, const void* site);
// Where blocks that nobody uses any more are given back from any thread, at once.
std::shared_ptr<ReturnedBlocks> ReturnedBlocksOf(MemoryPool& pool);
// Obtains memory ahead of the first need for it.
Status GrowPool(MemoryPool& pool, uint64_t bytes);
// Bytes that are free inside the pool's ranges.
uint64_t PoolFreeBytes(MemoryPool& pool);
// The live block that holds the address.
std::optional<BlockInfo> BlockAt(MemoryPool& pool, uint64_t address);
std::optional<AddressRange> AddressesAround(MemoryPool& pool, uint64_t address);
// The host has waited for a stream.
void NoteHostWait(MemoryPool& pool);
// A wait between streams, for the history. `from` kNoStream: the host has waited for `to`.
void NoteOrder(MemoryPool& pool, uint32_t from, uint32_t to);
// How many bytes went back to the device.
uint64_t TrimPool(MemoryPool& pool, uint64_t keep_bytes);

}  // namespace forebay::runtime
