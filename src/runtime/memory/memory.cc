#include "forebay/runtime/memory.h"

#include <fmt/format.h>

#include <cstdint>

#include "forebay/base/macros.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_state.h"
#include "forebay/sip/device.h"
#include "memory/memory_pool_impl.h"

namespace forebay::runtime {

Result<void*> AllocateDevice(std::size_t bytes, std::size_t reserved_bytes) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const std::shared_ptr<MemoryPool> pool = context->device().memory_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  return AllocateReserving(*pool, bytes, reserved_bytes);
}

Status FreeDevice(void* address) {
  DeviceState* device = DeviceOfAddress(address);
  const std::shared_ptr<MemoryPool> pool = device != nullptr ? device->memory_pool() : nullptr;
  if (!pool) {
    return Status(Code::kMemoryFree, fmt::format("address {} is not memory of a device that is set", address),
                  "Free device memory before its device is reset, with the address that the allocation gave");
  }
  return pool->Free(address);
}

Result<void*> AllocatePinned(std::size_t bytes) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const std::shared_ptr<MemoryPool> pool = context->device().pinned_pool();
  if (!pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  return pool->Alloc(bytes);
}

Status FreePinned(void* address) {
  const DeviceState* device = DeviceOfPinned(address);
  const std::shared_ptr<MemoryPool> pool = device != nullptr ? device->pinned_pool() : nullptr;
  if (pool) return pool->Free(address);
  return Status(Code::kMemoryFree, fmt::format("address {} is not pinned memory of a device that is set", address),
                "Free pinned memory before its device is reset, with the address that the allocation gave");
}

Result<MemoryInfo> QueryMemory() {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  const std::shared_ptr<sip::Device> device = context->device().sip();
  const std::shared_ptr<MemoryPool> pool = context->device().memory_pool();
  if (!device || !pool) return Status(Code::kContextNull, "the device is off", "Set the device first");
  // What the pool holds but nobody uses is free.
  return MemoryInfo{device->memory_bytes() - device->memory_in_use() + PoolFreeBytes(*pool), device->memory_bytes()};
}

}  // namespace forebay::runtime
