// Functions that the interface has and Forebay does not build yet. Each says so: 200001, with a message.
// A function leaves this file when it is built; docs/api-coverage.md follows it.
#include "not_built.h"

#include "acl/acl_rt.h"

using forebay::acl::NotBuilt;

// ---- error / fault ----

// ---- callback / hostfunc ----
aclError aclrtSubscribeHostFunc(uint64_t, aclrtStream) { return NotBuilt("aclrtSubscribeHostFunc"); }
aclError aclrtProcessHostFunc(int32_t) { return NotBuilt("aclrtProcessHostFunc"); }
aclError aclrtUnSubscribeHostFunc(uint64_t, aclrtStream) { return NotBuilt("aclrtUnSubscribeHostFunc"); }

// ---- group (compute group) ----
aclError aclrtSetGroup(int32_t) { return NotBuilt("aclrtSetGroup"); }
aclError aclrtGetGroupCount(uint32_t*) { return NotBuilt("aclrtGetGroupCount"); }
aclrtGroupInfo* aclrtCreateGroupInfo() {
  NotBuilt("aclrtCreateGroupInfo");
  return nullptr;
}
aclError aclrtDestroyGroupInfo(aclrtGroupInfo*) { return NotBuilt("aclrtDestroyGroupInfo"); }
aclError aclrtGetAllGroupInfo(aclrtGroupInfo*) { return NotBuilt("aclrtGetAllGroupInfo"); }
aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo*, int32_t, aclrtGroupAttr, void*, size_t, size_t*) {
  return NotBuilt("aclrtGetGroupInfoDetail");
}

// ---- cache maintenance (CMO/flush) ----
aclError aclrtCmoAsync(void*, size_t, aclrtCmoType, aclrtStream) { return NotBuilt("aclrtCmoAsync"); }
aclError aclrtCmoAsyncWithBarrier(void*, size_t, aclrtCmoType, uint32_t, aclrtStream) {
  return NotBuilt("aclrtCmoAsyncWithBarrier");
}
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo*, aclrtStream, uint32_t) { return NotBuilt("aclrtCmoWaitBarrier"); }
aclError aclrtCmoGetDescSize(size_t*) { return NotBuilt("aclrtCmoGetDescSize"); }
aclError aclrtCmoSetDesc(void*, void*, size_t) { return NotBuilt("aclrtCmoSetDesc"); }
aclError aclrtCmoAsyncWithDesc(void*, aclrtCmoType, aclrtStream, const void*) {
  return NotBuilt("aclrtCmoAsyncWithDesc");
}

// ---- symbol (device globals) ----
aclError aclrtGetSymbolAddress(const void*, void**) { return NotBuilt("aclrtGetSymbolAddress"); }
aclError aclrtGetSymbolSize(const void*, size_t*) { return NotBuilt("aclrtGetSymbolSize"); }
aclError aclrtMemcpyFromSymbol(void*, size_t, const void*, size_t, size_t, aclrtMemcpyKind) {
  return NotBuilt("aclrtMemcpyFromSymbol");
}
aclError aclrtMemcpyFromSymbolAsync(void*, size_t, const void*, size_t, size_t, aclrtMemcpyKind, aclrtStream) {
  return NotBuilt("aclrtMemcpyFromSymbolAsync");
}
aclError aclrtMemcpyToSymbol(const void*, const void*, size_t, size_t, aclrtMemcpyKind) {
  return NotBuilt("aclrtMemcpyToSymbol");
}
aclError aclrtMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, aclrtMemcpyKind, aclrtStream) {
  return NotBuilt("aclrtMemcpyToSymbolAsync");
}

// ---- IPC ----
aclError aclrtNotifyGetExportKey(aclrtNotify, char*, size_t, uint64_t) { return NotBuilt("aclrtNotifyGetExportKey"); }
aclError aclrtNotifyImportByKey(aclrtNotify*, const char*, uint64_t) { return NotBuilt("aclrtNotifyImportByKey"); }
aclError aclrtNotifySetImportPid(aclrtNotify, int32_t*, size_t) { return NotBuilt("aclrtNotifySetImportPid"); }
aclError aclrtNotifySetImportPidInterServer(aclrtNotify, aclrtServerPid*, size_t) {
  return NotBuilt("aclrtNotifySetImportPidInterServer");
}
aclError aclrtIpcGetEventHandle(aclrtEvent, aclrtIpcEventHandle*) { return NotBuilt("aclrtIpcGetEventHandle"); }
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle, aclrtEvent*) { return NotBuilt("aclrtIpcOpenEventHandle"); }

// ---- model RI / capture ----
aclError aclmdlRITaskGetParams(aclmdlRITask, aclmdlRITaskParams*) { return NotBuilt("aclmdlRITaskGetParams"); }
aclError aclmdlRITaskSetParams(aclmdlRITask, aclmdlRITaskParams*) { return NotBuilt("aclmdlRITaskSetParams"); }
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask, aclrtLaunchKernelAttrId, aclrtLaunchKernelAttrValue*) {
  return NotBuilt("aclmdlRIKernelTaskGetAttribute");
}
aclError aclmdlRIUpdate(aclmdlRI) { return NotBuilt("aclmdlRIUpdate"); }
aclError aclmdlRITaskDisable(aclmdlRITask) { return NotBuilt("aclmdlRITaskDisable"); }
aclError aclmdlRICaptureBegin(aclrtStream, aclmdlRICaptureMode) { return NotBuilt("aclmdlRICaptureBegin"); }
aclError aclmdlRICaptureGetInfo(aclrtStream, aclmdlRICaptureStatus*, aclmdlRI*) {
  return NotBuilt("aclmdlRICaptureGetInfo");
}
aclError aclmdlRICaptureEnd(aclrtStream, aclmdlRI*) { return NotBuilt("aclmdlRICaptureEnd"); }
aclError aclmdlRIDebugPrint(aclmdlRI) { return NotBuilt("aclmdlRIDebugPrint"); }
aclError aclmdlRIDebugJsonPrint(aclmdlRI, const char*, uint32_t) { return NotBuilt("aclmdlRIDebugJsonPrint"); }
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode*) {
  return NotBuilt("aclmdlRICaptureThreadExchangeMode");
}
aclError aclmdlRIExecuteAsync(aclmdlRI, aclrtStream) { return NotBuilt("aclmdlRIExecuteAsync"); }
aclError aclmdlRIExecute(aclmdlRI, int32_t) { return NotBuilt("aclmdlRIExecute"); }
aclError aclmdlRIDestroy(aclmdlRI) { return NotBuilt("aclmdlRIDestroy"); }
aclError aclmdlRIBuildBegin(aclmdlRI*, uint32_t) { return NotBuilt("aclmdlRIBuildBegin"); }
aclError aclmdlRIBindStream(aclmdlRI, aclrtStream, uint32_t) { return NotBuilt("aclmdlRIBindStream"); }
aclError aclmdlRIEndTask(aclmdlRI, aclrtStream) { return NotBuilt("aclmdlRIEndTask"); }
aclError aclmdlRIBuildEnd(aclmdlRI, void*) { return NotBuilt("aclmdlRIBuildEnd"); }
aclError aclmdlRIUnbindStream(aclmdlRI, aclrtStream) { return NotBuilt("aclmdlRIUnbindStream"); }
aclError aclmdlRISetName(aclmdlRI, const char*) { return NotBuilt("aclmdlRISetName"); }
aclError aclmdlRIGetName(aclmdlRI, uint32_t, char*) { return NotBuilt("aclmdlRIGetName"); }
aclError aclmdlRIGetId(aclmdlRI, uint32_t*) { return NotBuilt("aclmdlRIGetId"); }
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI, aclrtCallback, void*) {
  return NotBuilt("aclmdlRIDestroyRegisterCallback");
}
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI, aclrtCallback) {
  return NotBuilt("aclmdlRIDestroyUnregisterCallback");
}
aclError aclmdlRIGetStreams(aclmdlRI, aclrtStream*, uint32_t*) { return NotBuilt("aclmdlRIGetStreams"); }
aclError aclmdlRIGetTasksByStream(aclrtStream, aclmdlRITask*, uint32_t*) {
  return NotBuilt("aclmdlRIGetTasksByStream");
}
aclError aclmdlRITaskGetType(aclmdlRITask, aclmdlRITaskType*) { return NotBuilt("aclmdlRITaskGetType"); }
aclError aclmdlRITaskGetSeqId(aclmdlRITask, uint32_t*) { return NotBuilt("aclmdlRITaskGetSeqId"); }
aclError aclrtTaskUpdateAsync(aclrtStream, uint32_t, aclrtTaskUpdateInfo*, aclrtStream) {
  return NotBuilt("aclrtTaskUpdateAsync");
}
aclError aclmdlRIAbort(aclmdlRI) { return NotBuilt("aclmdlRIAbort"); }
aclError aclmdlRICondHandleCreate(aclmdlRI, uint32_t, aclmdlRICondHandleFlag, aclmdlRICondHandle*) {
  return NotBuilt("aclmdlRICondHandleCreate");
}
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle, uint64_t**) {
  return NotBuilt("aclmdlRICondHandleGetCondPtr");
}
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams, aclrtStream, uint32_t) { return NotBuilt("aclmdlRIAddCondTask"); }
aclError aclmdlRICaptureToModelRIBegin(aclrtStream, aclmdlRI, aclmdlRICaptureMode) {
  return NotBuilt("aclmdlRICaptureToModelRIBegin");
}
aclError aclrtPersistentTaskClean(aclrtStream) { return NotBuilt("aclrtPersistentTaskClean"); }

// ---- task group ----
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream) { return NotBuilt("aclmdlRICaptureTaskGrpBegin"); }
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream, aclrtTaskGrp*) { return NotBuilt("aclmdlRICaptureTaskGrpEnd"); }
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream, aclrtTaskGrp) {
  return NotBuilt("aclmdlRICaptureTaskUpdateBegin");
}
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream) { return NotBuilt("aclmdlRICaptureTaskUpdateEnd"); }

// ---- label / stream switch ----
aclError aclrtCreateLabel(aclrtLabel*) { return NotBuilt("aclrtCreateLabel"); }
aclError aclrtSetLabel(aclrtLabel, aclrtStream) { return NotBuilt("aclrtSetLabel"); }
aclError aclrtDestroyLabel(aclrtLabel) { return NotBuilt("aclrtDestroyLabel"); }
aclError aclrtCreateLabelList(aclrtLabel*, size_t, aclrtLabelList*) { return NotBuilt("aclrtCreateLabelList"); }
aclError aclrtDestroyLabelList(aclrtLabelList) { return NotBuilt("aclrtDestroyLabelList"); }
aclError aclrtSwitchLabelByIndex(void*, uint32_t, aclrtLabelList, aclrtStream) {
  return NotBuilt("aclrtSwitchLabelByIndex");
}
aclError aclrtActiveStream(aclrtStream, aclrtStream) { return NotBuilt("aclrtActiveStream"); }
aclError aclrtSwitchStream(void*, aclrtCondition, void*, aclrtCompareDataType, aclrtStream, aclrtStream, aclrtStream) {
  return NotBuilt("aclrtSwitchStream");
}

// ---- mbuf (aclrt*Buf) ----
aclError aclrtGetBufFromChain(aclrtMbuf, uint32_t, aclrtMbuf*) { return NotBuilt("aclrtGetBufFromChain"); }
aclError aclrtGetBufChainNum(aclrtMbuf, uint32_t*) { return NotBuilt("aclrtGetBufChainNum"); }
aclError aclrtAppendBufChain(aclrtMbuf, aclrtMbuf) { return NotBuilt("aclrtAppendBufChain"); }
aclError aclrtCopyBufRef(const aclrtMbuf, aclrtMbuf*) { return NotBuilt("aclrtCopyBufRef"); }
aclError aclrtGetBufUserData(const aclrtMbuf, void*, size_t, size_t) { return NotBuilt("aclrtGetBufUserData"); }
aclError aclrtSetBufUserData(aclrtMbuf, const void*, size_t, size_t) { return NotBuilt("aclrtSetBufUserData"); }
aclError aclrtGetBufData(const aclrtMbuf, void**, size_t*) { return NotBuilt("aclrtGetBufData"); }
aclError aclrtGetBufDataLen(aclrtMbuf, size_t*) { return NotBuilt("aclrtGetBufDataLen"); }
aclError aclrtSetBufDataLen(aclrtMbuf, size_t) { return NotBuilt("aclrtSetBufDataLen"); }
aclError aclrtFreeBuf(aclrtMbuf) { return NotBuilt("aclrtFreeBuf"); }
aclError aclrtAllocBuf(aclrtMbuf*, size_t) { return NotBuilt("aclrtAllocBuf"); }

// ---- dump ----
aclError aclmdlInitDump() { return NotBuilt("aclmdlInitDump"); }
aclError aclmdlSetDump(const char*) { return NotBuilt("aclmdlSetDump"); }
aclError aclmdlFinalizeDump() { return NotBuilt("aclmdlFinalizeDump"); }

// ---- profiling ----
aclError aclrtProfTrace(void*, int32_t, aclrtStream) { return NotBuilt("aclrtProfTrace"); }
aclError aclrtCacheLastTaskOpInfo(const void* const, const size_t) { return NotBuilt("aclrtCacheLastTaskOpInfo"); }
aclError aclrtCacheLastTaskExtendInfo(const char* const, const size_t) {
  return NotBuilt("aclrtCacheLastTaskExtendInfo");
}

// ---- snapshot ----
aclError aclrtSnapShotProcessLock(int, void*) { return NotBuilt("aclrtSnapShotProcessLock"); }
aclError aclrtSnapShotProcessUnlock(int, void*) { return NotBuilt("aclrtSnapShotProcessUnlock"); }
aclError aclrtSnapShotProcessBackup(int, aclrtSnapShotBackupArgs*) { return NotBuilt("aclrtSnapShotProcessBackup"); }
aclError aclrtSnapShotProcessRestore(int, aclrtSnapShotRestoreArgs*) { return NotBuilt("aclrtSnapShotProcessRestore"); }
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage, aclrtSnapShotCallBack, void*) {
  return NotBuilt("aclrtSnapShotCallbackRegister");
}
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage, aclrtSnapShotCallBack) {
  return NotBuilt("aclrtSnapShotCallbackUnregister");
}
