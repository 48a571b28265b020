// Allocators of the program: functions that libraries of operators call for the memory they need on a stream. The
// runtime itself never calls them.
#ifndef FOREBAY_ACL_ACL_RT_ALLOCATOR_H_
#define FOREBAY_ACL_ACL_RT_ALLOCATOR_H_

#include <stddef.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// The functions of an allocator. `allocator` is the object given to aclrtAllocatorSetObjToDesc. A block is what the
// allocator gives out; the address inside it is asked for separately. Advice is an address the program would like.
typedef void* (*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
typedef void* (*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr addr);
typedef void* (*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

// Makes an empty description of an allocator. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

// Destroys a description. Streams that an allocator was registered for keep what they were given.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `allocatorDesc` is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or is no description
ACL_FUNC_VISIBILITY aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

// Sets the object that the functions of the allocator are called with.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator);

// Sets the function that gives out a block of at least so many bytes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                              aclrtAllocatorAllocFunc func);

// Sets the function that takes a block back.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                             aclrtAllocatorFreeFunc func);

// Sets the function that gives out a block, if possible at the address it is told.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                    aclrtAllocatorAllocAdviseFunc func);

// Sets the function that gives the device address of a block.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                         aclrtAllocatorGetAddrFromBlockFunc func);

// Registers an allocator for a stream, in place of the one that was registered for it. What the description says is
// copied.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the description lacks its object or one of its functions
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context than the calling thread's
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream or the description was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc);

// The allocator registered for a stream: the description it was registered with, which may have been destroyed since,
// its object and its functions. On failure the outputs stay as they were.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or no allocator is registered for the stream
//   107002 ACL_ERROR_RT_CONTEXT_NULL: the calling thread has no context
//   107003 ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context than the calling thread's
//   107017 ACL_ERROR_RT_INVALID_HANDLE: the stream was destroyed, or is none
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc,
                                                       aclrtAllocator* allocator, aclrtAllocatorAllocFunc* allocFunc,
                                                       aclrtAllocatorFreeFunc* freeFunc,
                                                       aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                                       aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc);

// Forgets the allocator of a stream. Nothing happens if there is none, or no such stream. An allocator that is still
// registered when its stream is destroyed goes with it.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `stream` is NULL
ACL_FUNC_VISIBILITY aclError aclrtAllocatorUnregister(aclrtStream stream);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_RT_ALLOCATOR_H_
