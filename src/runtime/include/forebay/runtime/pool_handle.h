// Memory pools that have a handle: those of aclrtMemPoolCreate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "forebay/memory_pool.h"
#include "forebay/status.h"

namespace forebay::runtime {

// On a device that is set, which need not be the calling thread's. kInvalidDeviceId.
Result<uint64_t> CreatePool(int32_t device, const MemoryPoolOptions& options);
// The handle is stale from here on; blocks that are in use stay valid until they are released.
Status DestroyPool(uint64_t handle);
// kInvalidHandle, also after the reset of its device.
Result<std::shared_ptr<MemoryPool>> FindPool(uint64_t handle);
// `stream` 0: the default stream. kStreamContext for a stream of another device than the pool's.
Result<void*> AllocateFromPool(uint64_t handle, std::size_t bytes, uint64_t stream, const void* site);
// From whichever pool with a handle, now or once, the address is. kParamInvalid says what else it is.
Status FreeToPool(void* address, uint64_t stream, const void* site);

}  // namespace forebay::runtime
