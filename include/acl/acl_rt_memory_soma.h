// Pools of device memory whose allocation and release are part of the order of a stream: the memory returns to the pool
// when the work queued before has run, and later work gets it without waiting.
#ifndef FOREBAY_ACL_ACL_RT_MEMORY_SOMA_H_
#define FOREBAY_ACL_ACL_RT_MEMORY_SOMA_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// A pool.
typedef void* aclrtMemPool;

// Settings and figures of a pool. The first three are uint32_t, 0 or 1, and decide when memory that one stream released
// may serve another; the others are uint64_t, in bytes.
typedef enum aclrtMemPoolAttr {
  ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,    // an event orders the two streams
  ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,          // the release has already been reached
  ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,  // the pool may make one stream wait for the other
  ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,             // free memory above it is given back at the next wait; 0
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,          // held by the pool; read only
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,             // the most it held; can be set to 0
  ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,              // given out; read only
  ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,                 // the most that was given out; can be set to 0
} aclrtMemPoolAttr;

// What a pool is made of.
typedef struct {
  aclrtMemAllocationType allocType;  // ACL_MEM_ALLOCATION_TYPE_PINNED
  aclrtMemHandleType handleType;     // ACL_MEM_HANDLE_TYPE_NONE: not shared with other processes
  aclrtMemLocation location;         // a device
  size_t maxSize;                    // bytes; 0 lets it grow to the memory of the device
  unsigned char reserved[32];        // 0
} aclrtMemPoolProps;

// Makes a pool. It takes memory of the device when it is first asked for some.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: a property has a value it cannot have, or the reserved bytes are not 0
//   107001 ACL_ERROR_RT_INVALID_DEVICEID: the device of the location is not there
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps);

// Destroys a pool. Memory it has given out stays valid until it is released.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `memPool` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the pool was destroyed before, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

// Sets one attribute of a pool from `value`, which points to a number of its type.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `attr` is unknown
//   107000 ACL_ERROR_RT_PARAM_INVALID: the attribute cannot be set, or not to this value
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the pool was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value);

// Writes one attribute of a pool to `value`, which points to a number of its type.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `attr` is unknown
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the pool was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value);

// Takes `size` bytes from a pool. The address is known at once, and valid for what is queued on the stream afterwards.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` or `memPool` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `size` is 0
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the pool or the stream was destroyed, or is none
//   207001 ACL_ERROR_RT_MEMORY_ALLOCATION: the pool may not grow further, or the device has no memory left
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream);

// Gives memory back to its pool when everything queued on the stream before has run.
// Asynchronous; a submission. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `ptr` is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: `ptr` was not taken from a pool, or was given back before
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream);

// Gives free memory of a pool back to the device until the pool holds no more than `minBytesToKeep`, whatever its
// threshold says.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `memPool` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the pool was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_RT_MEMORY_SOMA_H_
