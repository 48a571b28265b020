// Host memory of the application that is made pinned, and usable by kernels.
#pragma once

#include <cstdint>

#include "forebay/status.h"

namespace forebay::runtime {

struct HostAccess {
  bool mapped = false;  // kernels use it too
  bool pinned = false;  // it has to be pageable up to now
};

// Registers [address, address + bytes) for the calling thread's device; the address is a multiple of 4096, and whole
// pages are taken. Pageable pages are moved into the memory that host and device share and shown again where they were.
// What other threads write to them during the call may be lost.
// Errors: kHostMemoryAlreadyRegistered; kParamInvalid for memory that cannot be registered; kMemoryAllocation.
Status RegisterHost(void* address, uint64_t bytes, HostAccess access);
// Where kernels find an address of registered memory. kHostMemoryNotRegistered; kParamInvalid when it is not mapped.
Result<void*> DeviceAddressOfHost(const void* address);
// Ends a registration, by its first address: the pages are the application's own again, with what they hold.
Status UnregisterHost(void* address);

}  // namespace forebay::runtime
