// Queues of buffers, which processes and devices share; routes between queues; the buffers themselves.
#ifndef FOREBAY_ACL_ACL_TDT_QUEUE_H_
#define FOREBAY_ACL_ACL_TDT_QUEUE_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a process may do with a queue; combined with |.
#define ACL_TDT_QUEUE_PERMISSION_MANAGE 1
#define ACL_TDT_QUEUE_PERMISSION_DEQUEUE 2
#define ACL_TDT_QUEUE_PERMISSION_ENQUEUE 4

// How a route stands.
#define ACL_TDT_QUEUE_ROUTE_UNBIND 0
#define ACL_TDT_QUEUE_ROUTE_BIND 1
#define ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL 2

// Attributes of a queue, by type.
typedef enum {
  ACL_TDT_QUEUE_NAME_PTR = 0,
  ACL_TDT_QUEUE_DEPTH_UINT32 = 1,
} acltdtQueueAttrType;

// Parameters of a route, by type.
typedef enum {
  ACL_TDT_QUEUE_ROUTE_SRC_UINT32 = 0,
  ACL_TDT_QUEUE_ROUTE_DST_UINT32 = 1,
  ACL_TDT_QUEUE_ROUTE_STATUS_INT32 = 2,
} acltdtQueueRouteParamType;

// Which routes are asked for: by their source, their destination, both, or those that broke.
typedef enum {
  ACL_TDT_QUEUE_ROUTE_QUERY_SRC = 0,
  ACL_TDT_QUEUE_ROUTE_QUERY_DST = 1,
  ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST = 2,
  ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL = 100,
} acltdtQueueRouteQueryMode;
typedef enum {
  ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM = 0,
  ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32 = 1,
  ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32 = 2,
} acltdtQueueRouteQueryInfoParamType;

// Kinds of buffers.
typedef enum {
  ACL_TDT_NORMAL_MEM = 0,
  ACL_TDT_DVPP_MEM = 1,
} acltdtAllocBufType;

// Buffers, attributes, routes; opaque.
typedef void* acltdtBuf;
typedef struct tagMemQueueAttr acltdtQueueAttr;
typedef struct acltdtQueueRoute acltdtQueueRoute;
typedef struct acltdtQueueRouteList acltdtQueueRouteList;
typedef struct acltdtQueueRouteQueryInfo acltdtQueueRouteQueryInfo;

// ---- Queues ----

// Makes a queue. `attr` may be NULL: a depth of 8 and a name made up.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `qid` is NULL
//   200006 ACL_ERROR_FEATURE_UNSUPPORTED: queues cannot be made here
//   207012 ACL_ERROR_RT_OVER_LIMIT: there are as many queues as there can be
//   207015 ACL_ERROR_RT_REPEATED_INIT: queues were initialised twice
ACL_FUNC_VISIBILITY aclError acltdtCreateQueue(const acltdtQueueAttr* attr, uint32_t* qid);

// Destroys a queue, and what is in it. Its routes are unbound first.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
ACL_FUNC_VISIBILITY aclError acltdtDestroyQueue(uint32_t qid);

// Puts a buffer at the end of a queue, which then owns it. `timeout` is in milliseconds; 0 does not wait, -1 waits for
// ever.
// Synchronous: waits while the queue is full. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
//   207014 ACL_ERROR_RT_QUEUE_FULL: the queue is full, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtEnqueue(uint32_t qid, acltdtBuf buf, int32_t timeout);

// Takes the first buffer out of a queue; the caller then owns it. `timeout` is in milliseconds; 0 does not wait, -1
// waits for ever.
// Synchronous: waits while the queue is empty. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
//   207013 ACL_ERROR_RT_QUEUE_EMPTY: the queue is empty, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtDequeue(uint32_t qid, acltdtBuf* buf, int32_t timeout);

// Puts a copy of data at the end of a queue, with up to 96 bytes of the program's own, which may be NULL. `timeout` is
// in milliseconds; 0 does not wait and is for programs on the device only, -1 waits for ever. `rsv` is 0.
// Synchronous: waits while the queue is full. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `data` is NULL, `dataSize` is 0, or `userDataSize` is above 96
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
//   207014 ACL_ERROR_RT_QUEUE_FULL: the queue is full, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtEnqueueData(uint32_t qid, const void* data, size_t dataSize, const void* userData,
                                               size_t userDataSize, int32_t timeout, uint32_t rsv);

// Takes the first data out of a queue: at most `dataSize` bytes, and how many there were, and the program's own, which
// may be NULL. `timeout` is in milliseconds; 0 does not wait and is for programs on the device only, -1 waits for ever.
// Synchronous: waits while the queue is empty. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `data` or `retDataSize` is NULL, `dataSize` is 0, or `userDataSize` is above 96
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
//   207013 ACL_ERROR_RT_QUEUE_EMPTY: the queue is empty, and the time is over
ACL_FUNC_VISIBILITY aclError acltdtDequeueData(uint32_t qid, void* data, size_t dataSize, size_t* retDataSize,
                                               void* userData, size_t userDataSize, int32_t timeout);

// Allows another process to use a queue. `permission` is a combination of ACL_TDT_QUEUE_PERMISSION_...; `timeout` is in
// milliseconds.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `permission` has another bit, or none
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
ACL_FUNC_VISIBILITY aclError acltdtGrantQueue(uint32_t qid, int32_t pid, uint32_t permission, int32_t timeout);

// Starts to use a queue of another process, and says what is allowed. `timeout`, in milliseconds, is how long to wait
// for the permission.
// Synchronous: waits for the other process. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `permission` is NULL
//   100032 ACL_ERROR_INVALID_QUEUE_ID: there is no queue of this number
ACL_FUNC_VISIBILITY aclError acltdtAttachQueue(uint32_t qid, int32_t timeout, uint32_t* permission);

// ---- Routes: what comes into one queue goes on into another ----

// Binds every route of the list; each gets its status. With several routes out of one queue, all get the same buffer,
// without locking.
// Synchronous. Not with another call about routes at the same time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `qRouteList` is NULL or empty
//   107000 ACL_ERROR_RT_PARAM_INVALID: a route could not be bound, or would make a circle
ACL_FUNC_VISIBILITY aclError acltdtBindQueueRoutes(acltdtQueueRouteList* qRouteList);

// Unbinds every route of the list; each gets its status.
// Synchronous. Not with another call about routes at the same time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `qRouteList` is NULL or empty
//   107000 ACL_ERROR_RT_PARAM_INVALID: a route could not be unbound
ACL_FUNC_VISIBILITY aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList* qRouteList);

// Adds the routes that match `queryInfo` to the list.
// Synchronous. Not with another call about routes at the same time.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `queryInfo` lacks what its mode needs
ACL_FUNC_VISIBILITY aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo* queryInfo,
                                                    acltdtQueueRouteList* qRouteList);

// ---- Buffers ----

// Takes a buffer of `size` bytes, below 4 GiB. `type` is ACL_TDT_NORMAL_MEM.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL, or `size` is 0 or too large
//   200006 ACL_ERROR_FEATURE_UNSUPPORTED: another type
//   200000 ACL_ERROR_BAD_ALLOC: there is no memory left
ACL_FUNC_VISIBILITY aclError acltdtAllocBuf(size_t size, uint32_t type, acltdtBuf* buf);

// Gives a buffer and its chain back. The data stays while another reference to it is there.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL
ACL_FUNC_VISIBILITY aclError acltdtFreeBuf(acltdtBuf buf);

// The address and the size in bytes of the data of a buffer.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtGetBufData(const acltdtBuf buf, void** dataPtr, size_t* size);

// Says how many bytes of a buffer are in use; at first 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `buf` is NULL, or `len` is above its size
ACL_FUNC_VISIBILITY aclError acltdtSetBufDataLen(acltdtBuf buf, size_t len);

// How many bytes of a buffer are in use.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtGetBufDataLen(acltdtBuf buf, size_t* len);

// Adds a buffer to the end of a chain, which then owns it. A chain has at most 128.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
//   107000 ACL_ERROR_RT_PARAM_INVALID: the chain is full, or `buf` belongs to one
ACL_FUNC_VISIBILITY aclError acltdtAppendBufChain(acltdtBuf headBuf, acltdtBuf buf);

// The number of buffers in a chain.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtGetBufChainNum(acltdtBuf headBuf, uint32_t* num);

// The buffer at a position of a chain, from 0. It stays the chain's.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the chain has no buffer `index`
ACL_FUNC_VISIBILITY aclError acltdtGetBufFromChain(acltdtBuf headBuf, uint32_t index, acltdtBuf* buf);

// Reads `size` of the 96 bytes that a buffer keeps for the program, from `offset`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `offset` and `size` together are above 96
ACL_FUNC_VISIBILITY aclError acltdtGetBufUserData(const acltdtBuf buf, void* dataPtr, size_t size, size_t offset);

// Writes `size` of the 96 bytes that a buffer keeps for the program, from `offset`.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or `offset` and `size` together are above 96
ACL_FUNC_VISIBILITY aclError acltdtSetBufUserData(acltdtBuf buf, const void* dataPtr, size_t size, size_t offset);

// A second reference to the data of a buffer. Both are given back.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtCopyBufRef(const acltdtBuf buf, acltdtBuf* newBuf);

// ---- Attributes of a queue ----

// Makes the attributes for a queue, with their default values. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtQueueAttr* acltdtCreateQueueAttr(void);

// Destroys the attributes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `attr` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyQueueAttr(const acltdtQueueAttr* attr);

// Sets one attribute from `len` bytes at `param`: the address of the name, or the depth.
// Synchronous. Thread-safe, as long as no other thread uses the same attributes.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, `type` is unknown, or `len` or the value is not one of it
ACL_FUNC_VISIBILITY aclError acltdtSetQueueAttr(acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t len,
                                                const void* param);

// Writes one attribute to `param`, of `len` bytes, and how many it took.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, `type` is unknown, or `len` is too small
ACL_FUNC_VISIBILITY aclError acltdtGetQueueAttr(const acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t len,
                                                size_t* paramRetSize, void* param);

// ---- Lists of routes ----

// Makes a route from one queue to another. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtQueueRoute* acltdtCreateQueueRoute(uint32_t srcId, uint32_t dstId);

// Destroys a route; what is bound stays bound.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `route` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyQueueRoute(const acltdtQueueRoute* route);

// Writes one parameter of a route, of 4 bytes, to `param`, of `len` bytes, and how many it took.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, `type` is unknown, or `len` is too small
ACL_FUNC_VISIBILITY aclError acltdtGetQueueRouteParam(const acltdtQueueRoute* route, acltdtQueueRouteParamType type,
                                                      size_t len, size_t* paramRetSize, void* param);

// Makes an empty list of routes. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtQueueRouteList* acltdtCreateQueueRouteList(void);

// Destroys a list of routes; what is bound stays bound.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `routeList` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList* routeList);

// Adds a copy of a route to a list.
// Synchronous. Thread-safe, as long as no other thread uses the same list.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL
ACL_FUNC_VISIBILITY aclError acltdtAddQueueRoute(acltdtQueueRouteList* routeList, const acltdtQueueRoute* route);

// Copies the route at a position of a list, from 0.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, or the list has no route `index`
ACL_FUNC_VISIBILITY aclError acltdtGetQueueRoute(const acltdtQueueRouteList* routeList, size_t index,
                                                 acltdtQueueRoute* route);

// The number of routes in a list; 0 for NULL.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList* routeList);

// Makes an empty question about routes. Returns NULL when host memory is exhausted.
// Synchronous. Thread-safe.
ACL_FUNC_VISIBILITY acltdtQueueRouteQueryInfo* acltdtCreateQueueRouteQueryInfo(void);

// Destroys a question about routes.
// Synchronous. Thread-safe.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: `info` is NULL
ACL_FUNC_VISIBILITY aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo* info);

// Sets one part of a question about routes from `len` bytes at `value`: the mode, or the number of a queue.
// Synchronous. Thread-safe, as long as no other thread uses the same question.
// Returns 0 ACL_SUCCESS, or
//   100000 ACL_ERROR_INVALID_PARAM: an argument is NULL, `type` is unknown, or `len` or the value is not one of it
ACL_FUNC_VISIBILITY aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo* param,
                                                          acltdtQueueRouteQueryInfoParamType type, size_t len,
                                                          const void* value);
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // FOREBAY_ACL_ACL_TDT_QUEUE_H_
