// The functions of acl_tdt_queue.h that Forebay does not build yet; see not_built.cc.
#include "acl/acl_tdt_queue.h"

#include "not_built.h"

using forebay::acl::NotBuilt;

aclError acltdtCreateQueue(const acltdtQueueAttr*, uint32_t*) { return NotBuilt("acltdtCreateQueue"); }
aclError acltdtDestroyQueue(uint32_t) { return NotBuilt("acltdtDestroyQueue"); }
aclError acltdtEnqueue(uint32_t, acltdtBuf, int32_t) { return NotBuilt("acltdtEnqueue"); }
aclError acltdtDequeue(uint32_t, acltdtBuf*, int32_t) { return NotBuilt("acltdtDequeue"); }
aclError acltdtEnqueueData(uint32_t, const void*, size_t, const void*, size_t, int32_t, uint32_t) {
  return NotBuilt("acltdtEnqueueData");
}
aclError acltdtDequeueData(uint32_t, void*, size_t, size_t*, void*, size_t, int32_t) {
  return NotBuilt("acltdtDequeueData");
}
aclError acltdtGrantQueue(uint32_t, int32_t, uint32_t, int32_t) { return NotBuilt("acltdtGrantQueue"); }
aclError acltdtAttachQueue(uint32_t, int32_t, uint32_t*) { return NotBuilt("acltdtAttachQueue"); }
aclError acltdtBindQueueRoutes(acltdtQueueRouteList*) { return NotBuilt("acltdtBindQueueRoutes"); }
aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList*) { return NotBuilt("acltdtUnbindQueueRoutes"); }
aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo*, acltdtQueueRouteList*) {
  return NotBuilt("acltdtQueryQueueRoutes");
}
aclError acltdtAllocBuf(size_t, uint32_t, acltdtBuf*) { return NotBuilt("acltdtAllocBuf"); }
aclError acltdtFreeBuf(acltdtBuf) { return NotBuilt("acltdtFreeBuf"); }
aclError acltdtGetBufData(const acltdtBuf, void**, size_t*) { return NotBuilt("acltdtGetBufData"); }
aclError acltdtSetBufDataLen(acltdtBuf, size_t) { return NotBuilt("acltdtSetBufDataLen"); }
aclError acltdtGetBufDataLen(acltdtBuf, size_t*) { return NotBuilt("acltdtGetBufDataLen"); }
aclError acltdtAppendBufChain(acltdtBuf, acltdtBuf) { return NotBuilt("acltdtAppendBufChain"); }
aclError acltdtGetBufChainNum(acltdtBuf, uint32_t*) { return NotBuilt("acltdtGetBufChainNum"); }
aclError acltdtGetBufFromChain(acltdtBuf, uint32_t, acltdtBuf*) { return NotBuilt("acltdtGetBufFromChain"); }
aclError acltdtGetBufUserData(const acltdtBuf, void*, size_t, size_t) { return NotBuilt("acltdtGetBufUserData"); }
aclError acltdtSetBufUserData(acltdtBuf, const void*, size_t, size_t) { return NotBuilt("acltdtSetBufUserData"); }
aclError acltdtCopyBufRef(const acltdtBuf, acltdtBuf*) { return NotBuilt("acltdtCopyBufRef"); }
acltdtQueueAttr* acltdtCreateQueueAttr() {
  NotBuilt("acltdtCreateQueueAttr");
  return nullptr;
}
aclError acltdtDestroyQueueAttr(const acltdtQueueAttr*) { return NotBuilt("acltdtDestroyQueueAttr"); }
aclError acltdtSetQueueAttr(acltdtQueueAttr*, acltdtQueueAttrType, size_t, const void*) {
  return NotBuilt("acltdtSetQueueAttr");
}
aclError acltdtGetQueueAttr(const acltdtQueueAttr*, acltdtQueueAttrType, size_t, size_t*, void*) {
  return NotBuilt("acltdtGetQueueAttr");
}
acltdtQueueRoute* acltdtCreateQueueRoute(uint32_t, uint32_t) {
  NotBuilt("acltdtCreateQueueRoute");
  return nullptr;
}
aclError acltdtDestroyQueueRoute(const acltdtQueueRoute*) { return NotBuilt("acltdtDestroyQueueRoute"); }
aclError acltdtGetQueueRouteParam(const acltdtQueueRoute*, acltdtQueueRouteParamType, size_t, size_t*, void*) {
  return NotBuilt("acltdtGetQueueRouteParam");
}
acltdtQueueRouteList* acltdtCreateQueueRouteList() {
  NotBuilt("acltdtCreateQueueRouteList");
  return nullptr;
}
aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList*) { return NotBuilt("acltdtDestroyQueueRouteList"); }
aclError acltdtAddQueueRoute(acltdtQueueRouteList*, const acltdtQueueRoute*) { return NotBuilt("acltdtAddQueueRoute"); }
aclError acltdtGetQueueRoute(const acltdtQueueRouteList*, size_t, acltdtQueueRoute*) {
  return NotBuilt("acltdtGetQueueRoute");
}
size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList*) {
  NotBuilt("acltdtGetQueueRouteNum");
  return 0;
}
acltdtQueueRouteQueryInfo* acltdtCreateQueueRouteQueryInfo() {
  NotBuilt("acltdtCreateQueueRouteQueryInfo");
  return nullptr;
}
aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo*) {
  return NotBuilt("acltdtDestroyQueueRouteQueryInfo");
}
aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo*, acltdtQueueRouteQueryInfoParamType, size_t,
                                      const void*) {
  return NotBuilt("acltdtSetQueueRouteQueryInfo");
}
