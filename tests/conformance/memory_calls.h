// Calls for memory that have to succeed.
#pragma once

#include "acl/acl_rt_memory_soma.h"
#include "conformance/support.h"

namespace conformance {

inline void* Allocate(std::size_t bytes) {
  void* memory = nullptr;
  EXPECT_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}
inline void* AllocatePinned(std::size_t bytes) {
  void* memory = nullptr;
  EXPECT_OK(aclrtMallocHost(&memory, bytes));
  return memory;
}

// Of a pool on device 0. `maximum` 0: as large as the device.
inline aclrtMemPoolProps PoolProperties(std::size_t maximum = 0) {
  aclrtMemPoolProps properties{};
  properties.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  properties.maxSize = maximum;
  return properties;
}
inline aclrtMemPool MakePool(std::size_t maximum = 0) {
  const aclrtMemPoolProps properties = PoolProperties(maximum);
  aclrtMemPool pool = nullptr;
  EXPECT_OK(aclrtMemPoolCreate(&pool, &properties));
  return pool;
}

}  // namespace conformance
