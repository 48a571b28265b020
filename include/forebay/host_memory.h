// HostPool: host memory for the two things that programs do with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/memory_pool.h"
#include "forebay/status.h"

#pragma GCC visibility push(default)
namespace forebay {

// What a block of host memory is for. That decides what it is made of.
enum class HostUse : uint32_t {
  // The copy engine reads and writes it. Pinned, and one piece of the memory that host and device share, so that a copy
  // is one task that waits for nobody. Belongs to the calling thread's device, is limited by `pinned_memory`, and goes
  // with the reset of the device. What aclrtMallocHost gives; aclrtFreeHost takes it too.
  kCopy = 0,
  // The CPU works on it. Virtual memory of the process in huge pages where the system has some; needs no device.
  // Asynchronous copies treat it as pageable.
  kCompute = 1,
};

// Keeps what was freed for the next request; the system is asked, and pages are touched for the first time, only when
// nothing fits. Thread safety: all functions may be called from any thread.
class HostPool {
 public:
  HostPool() = delete;
  // A block with undefined content: for copies page-aligned (4096 bytes), for computing 64-byte aligned. Errors:
  // kParamInvalid for 0 bytes or an unknown use; kMemoryAllocation; for copies kContextNull without a device.
  static Result<void*> Alloc(std::size_t bytes, HostUse use);
  // Blocks of either use. Copies that still use the block must have run. Errors: kMemoryFree for an address that is not
  // the start of a live block, and says what it is.
  static Status Free(void* address);
  // Gives back to the system what nobody uses. Of memory for copies that is the calling thread's device's.
  static void Trim();
  // Errors: for copies kContextNull without a device; kParamInvalid for an unknown use.
  static Result<MemoryPoolStatistics> Statistics(HostUse use);
};

}  // namespace forebay
#pragma GCC visibility pop
