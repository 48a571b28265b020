// MemoryPool: device memory without asking the device every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

// What a pool holds, in bytes unless said otherwise.
struct MemoryPoolStatistics {
  uint64_t requested_bytes = 0;  // as asked for by the live blocks
  uint64_t allocated_bytes = 0;  // live blocks as rounded up
  uint64_t reserved_bytes = 0;   // taken from the device
  uint64_t peak_bytes = 0;       // highest allocated_bytes so far
  uint64_t live_blocks = 0;      // number of blocks
  uint64_t device_calls = 0;     // how often the pool asked the device for memory
};

// Blocks carved from ranges that the device hands out. A request takes the smallest free block that fits and splits it;
// a freed block joins its free neighbours and stays in the pool for the next request. The device is asked only when no
// free block fits, and gets memory back only by Trim or when the pool is destroyed.
//
// Thread safety: all functions may be called from any thread. Cost: O(log n) in the number of free blocks.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  class Impl;

  // A pool of its own on the calling thread's device, with a first range of `initial_bytes` (0: on demand).
  // Errors: kContextNull without a device; kMemoryAllocation, also for more than the device has.
  static Result<std::shared_ptr<MemoryPool>> Create(uint64_t initial_bytes = 0);
  // The pool of the calling thread's device, which aclrtMalloc uses too.
  static Result<std::shared_ptr<MemoryPool>> OfCurrentDevice();
  explicit MemoryPool(std::unique_ptr<Impl> impl);
  // Gives all ranges back. Blocks still in use become invalid.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // A device address, 512-byte aligned, with undefined content. Errors: kParamInvalid for 0 bytes; kMemoryAllocation
  // with what was asked, what is free and what the pool holds; kInvalidHandle after the device was reset.
  Result<void*> Alloc(std::size_t bytes);
  // Errors: kMemoryFree for an address that is not the start of a live block of this pool.
  Status Free(void* address);
  // Gives ranges that hold no live block back to the device.
  void Trim();
  MemoryPoolStatistics statistics() const;

  Impl& impl() noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace forebay
#pragma GCC visibility pop
