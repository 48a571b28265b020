// Overloads of runtime functions for C++: fewer names, typed pointers, arguments that may be left out. Each forwards to
// the C function it names and returns what that returns; nothing of them is in the library. Sizes stay in bytes.
#ifndef FOREBAY_ACL_ACL_RT_API_H_
#define FOREBAY_ACL_ACL_RT_API_H_

#include "acl/acl_rt.h"

#ifdef __cplusplus

// ---- Waits ----

// aclrtSynchronizeDeviceWithTimeout: `timeout` is in milliseconds, -1 is for ever.
inline aclError aclrtSynchronizeDevice(int32_t timeout) { return aclrtSynchronizeDeviceWithTimeout(timeout); }

// aclrtSynchronizeStreamWithTimeout: `timeout` is in milliseconds, -1 is for ever.
inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout) {
  return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

// aclrtSynchronizeEventWithTimeout: `timeout` is in milliseconds, -1 is for ever.
inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout) {
  return aclrtSynchronizeEventWithTimeout(event, timeout);
}

// aclrtStreamWaitEventWithTimeout: `timeout` is in seconds, as there; 0 is for ever.
inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return aclrtStreamWaitEventWithTimeout(stream, event, timeout);
}

// aclrtSetOpExecuteTimeOutV2: `timeout` is in microseconds.
inline aclError aclrtSetOpExecuteTimeOut(uint64_t timeout, uint64_t* actualTimeout) {
  return aclrtSetOpExecuteTimeOutV2(timeout, actualTimeout);
}

// ---- Streams and events ----

// aclrtCreateStreamWithConfig: `priority` is 0, first, to 7, last.
inline aclError aclrtCreateStream(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return aclrtCreateStreamWithConfig(stream, priority, flag);
}

// aclrtCreateEventExWithFlag.
inline aclError aclrtCreateEvent(aclrtEvent* event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

// ---- Memory ----

// aclrtMalloc, or with a configuration aclrtMallocWithCfg.
template <typename T>
inline aclError aclrtMalloc(T** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg = nullptr) {
  void** address = static_cast<void**>(static_cast<void*>(devPtr));
  return cfg == nullptr ? aclrtMalloc(address, size, policy) : aclrtMallocWithCfg(address, size, policy, cfg);
}

// The same with ACL_MEM_MALLOC_HUGE_FIRST.
template <typename T>
inline aclError aclrtMalloc(T** devPtr, size_t size, aclrtMallocConfig* cfg = nullptr) {
  return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST, cfg);
}

// aclrtMallocHost, or with a configuration aclrtMallocHostWithCfg.
template <typename T>
inline aclError aclrtMallocHost(T** hostPtr, size_t size, aclrtMallocConfig* cfg = nullptr) {
  void** address = static_cast<void**>(static_cast<void*>(hostPtr));
  return cfg == nullptr ? aclrtMallocHost(address, size) : aclrtMallocHostWithCfg(address, size, cfg);
}

// aclrtMemAllocManaged.
template <typename T>
inline aclError aclrtMemAllocManaged(T** devPtr, size_t size, uint32_t flags = ACL_RT_MEM_ATTACH_GLOBAL) {
  void** address = static_cast<void**>(static_cast<void*>(devPtr));
  return aclrtMemAllocManaged(address, static_cast<uint64_t>(size), flags);
}

// aclrtPointerGetAttributes.
template <typename T>
inline aclError aclrtPointerGetAttributes(const T* ptr, aclrtPtrAttributes* attributes) {
  return aclrtPointerGetAttributes(static_cast<const void*>(ptr), attributes);
}

// ---- Host memory for devices ----

// aclrtHostRegister.
template <typename T>
inline aclError aclrtHostRegister(T* ptr, uint64_t size, aclrtHostRegisterType type, T** devPtr) {
  void** address = static_cast<void**>(static_cast<void*>(devPtr));
  return aclrtHostRegister(static_cast<void*>(ptr), size, type, address);
}

// aclrtHostRegisterV2.
template <typename T>
inline aclError aclrtHostRegister(T* ptr, uint64_t size, uint32_t flag) {
  return aclrtHostRegisterV2(static_cast<void*>(ptr), size, flag);
}

// aclrtHostGetDevicePointer.
template <typename T>
inline aclError aclrtHostGetDevicePointer(T* pHost, T** pDevice, uint32_t flag) {
  void** address = static_cast<void**>(static_cast<void*>(pDevice));
  return aclrtHostGetDevicePointer(static_cast<void*>(pHost), address, flag);
}

// aclrtHostUnregister.
template <typename T>
inline aclError aclrtHostUnregister(T* ptr) {
  return aclrtHostUnregister(static_cast<void*>(ptr));
}

// ---- Copies ----

// aclrtMemcpy.
template <typename T, typename U>
inline aclError aclrtMemcpy(T* dst, size_t destMax, const U* src, size_t count, aclrtMemcpyKind kind) {
  return aclrtMemcpy(static_cast<void*>(dst), destMax, static_cast<const void*>(src), count, kind);
}

// aclrtMemcpyAsync.
template <typename T, typename U>
inline aclError aclrtMemcpyAsync(T* dst, size_t destMax, const U* src, size_t count, aclrtMemcpyKind kind,
                                 aclrtStream stream) {
  return aclrtMemcpyAsync(static_cast<void*>(dst), destMax, static_cast<const void*>(src), count, kind, stream);
}

// aclrtMemcpy2d.
template <typename T, typename U>
inline aclError aclrtMemcpy2d(T* dst, size_t dpitch, const U* src, size_t spitch, size_t width, size_t height,
                              aclrtMemcpyKind kind) {
  return aclrtMemcpy2d(static_cast<void*>(dst), dpitch, static_cast<const void*>(src), spitch, width, height, kind);
}

// aclrtMemcpy2dAsync.
template <typename T, typename U>
inline aclError aclrtMemcpy2dAsync(T* dst, size_t dpitch, const U* src, size_t spitch, size_t width, size_t height,
                                   aclrtMemcpyKind kind, aclrtStream stream) {
  return aclrtMemcpy2dAsync(static_cast<void*>(dst), dpitch, static_cast<const void*>(src), spitch, width, height, kind,
                            stream);
}

// aclrtMemcpyBatch, or aclrtMemcpyBatchV2 where `failIndex` is NULL.
template <typename T, typename U>
inline aclError aclrtMemcpyBatch(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 size_t* failIndex = nullptr) {
  void** to = static_cast<void**>(static_cast<void*>(dsts));
  void** from = static_cast<void**>(static_cast<void*>(srcs));
  if (failIndex == nullptr)
    return aclrtMemcpyBatchV2(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs);
  return aclrtMemcpyBatch(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex);
}

// The same with one attribute for all copies.
template <typename T, typename U>
inline aclError aclrtMemcpyBatch(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr attr, size_t* failIndex = nullptr) {
  size_t first = 0;
  return aclrtMemcpyBatch(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, 1, failIndex);
}

// aclrtMemcpyBatchAsyncV2.
template <typename T, typename U>
inline aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                      aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                      aclrtStream stream) {
  void** to = static_cast<void**>(static_cast<void*>(dsts));
  void** from = static_cast<void**>(static_cast<void*>(srcs));
  return aclrtMemcpyBatchAsyncV2(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs, stream);
}

// aclrtMemcpyBatchAsync.
template <typename T, typename U>
inline aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                      aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                      size_t* failIndex, aclrtStream stream) {
  void** to = static_cast<void**>(static_cast<void*>(dsts));
  void** from = static_cast<void**>(static_cast<void*>(srcs));
  return aclrtMemcpyBatchAsync(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex, stream);
}

// The two with one attribute for all copies.
template <typename T, typename U>
inline aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                      aclrtMemcpyBatchAttr attr, aclrtStream stream) {
  size_t first = 0;
  return aclrtMemcpyBatchAsync(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, size_t{1}, stream);
}
template <typename T, typename U>
inline aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                                      aclrtMemcpyBatchAttr attr, size_t* failIndex, aclrtStream stream) {
  size_t first = 0;
  return aclrtMemcpyBatchAsync(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, size_t{1}, failIndex, stream);
}

// ---- Managed memory ----

// aclrtMemManagedPrefetchAsync.
template <typename T>
inline aclError aclrtMemManagedPrefetchAsync(const T* ptr, size_t size, aclrtMemManagedLocation location,
                                             uint32_t flags, aclrtStream stream) {
  return aclrtMemManagedPrefetchAsync(static_cast<const void*>(ptr), size, location, flags, stream);
}

// aclrtMemManagedPrefetchBatchAsync.
template <typename T>
inline aclError aclrtMemManagedPrefetchBatchAsync(const T** ptrs, size_t* sizes, size_t count,
                                                  aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                                  size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
  const void** addresses = static_cast<const void**>(static_cast<void*>(ptrs));
  return aclrtMemManagedPrefetchBatchAsync(addresses, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
                                           flags, stream);
}

// The same with one place for all ranges.
template <typename T>
inline aclError aclrtMemManagedPrefetchBatchAsync(const T** ptrs, size_t* sizes, size_t count,
                                                  aclrtMemManagedLocation prefetchLoc, uint64_t flags,
                                                  aclrtStream stream) {
  size_t first = 0;
  return aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, count, &prefetchLoc, &first, size_t{1}, flags, stream);
}

// ---- Variables of kernels ----
// They take the variable itself. Of a variable that is a pointer they mean the pointer, not what it points to.

// aclrtGetSymbolAddress.
template <typename T>
inline aclError aclrtGetSymbolAddress(const T& symbol, void** devPtr) {
  return aclrtGetSymbolAddress(static_cast<const void*>(&symbol), devPtr);
}

// aclrtGetSymbolSize.
template <typename T>
inline aclError aclrtGetSymbolSize(const T& symbol, size_t* size) {
  return aclrtGetSymbolSize(static_cast<const void*>(&symbol), size);
}

// aclrtMemcpyFromSymbol.
template <typename T>
inline aclError aclrtMemcpyFromSymbol(void* dst, size_t dstMax, const T& symbol, size_t count, size_t offset,
                                      aclrtMemcpyKind kind) {
  return aclrtMemcpyFromSymbol(dst, dstMax, static_cast<const void*>(&symbol), count, offset, kind);
}

// aclrtMemcpyFromSymbolAsync.
template <typename T>
inline aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dstMax, const T& symbol, size_t count, size_t offset,
                                           aclrtMemcpyKind kind, aclrtStream stream) {
  return aclrtMemcpyFromSymbolAsync(dst, dstMax, static_cast<const void*>(&symbol), count, offset, kind, stream);
}

// aclrtMemcpyToSymbol.
template <typename T>
inline aclError aclrtMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset,
                                    aclrtMemcpyKind kind) {
  return aclrtMemcpyToSymbol(static_cast<const void*>(&symbol), src, count, offset, kind);
}

// aclrtMemcpyToSymbolAsync.
template <typename T>
inline aclError aclrtMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset,
                                         aclrtMemcpyKind kind, aclrtStream stream) {
  return aclrtMemcpyToSymbolAsync(static_cast<const void*>(&symbol), src, count, offset, kind, stream);
}

#endif  // __cplusplus

#endif  // FOREBAY_ACL_ACL_RT_API_H_
