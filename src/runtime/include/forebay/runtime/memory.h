// Device and pinned memory: what the facade calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/status.h"

namespace forebay::runtime {

Result<void*> AllocateDevice(std::size_t bytes, std::size_t reserved_bytes);
Status FreeDevice(void* address);
Result<void*> AllocatePinned(std::size_t bytes);
Status FreePinned(void* address);
struct MemoryInfo {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
};
Result<MemoryInfo> QueryMemory();

}  // namespace forebay::runtime
