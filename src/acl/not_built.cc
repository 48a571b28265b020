// Functions that the interface has and Forebay does not build yet. Each says so: 200001, with a message.
// A function leaves this file when it is built; docs/api-coverage.md follows it.
#include "not_built.h"

#include "acl/acl_rt.h"

using forebay::acl::NotBuilt;

// ---- init / version / sys ----
aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion*) { return NotBuilt("aclsysGetCANNVersion"); }
aclError aclsysGetVersionStr(char*, char*) { return NotBuilt("aclsysGetVersionStr"); }
aclError aclsysGetVersionNum(char*, int32_t*) { return NotBuilt("aclsysGetVersionNum"); }
aclError aclInitCallbackRegister(aclRegisterCallbackType, aclInitCallbackFunc, void*) {
  return NotBuilt("aclInitCallbackRegister");
}
aclError aclInitCallbackUnRegister(aclRegisterCallbackType, aclInitCallbackFunc) {
  return NotBuilt("aclInitCallbackUnRegister");
}
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType, aclFinalizeCallbackFunc, void*) {
  return NotBuilt("aclFinalizeCallbackRegister");
}
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType, aclFinalizeCallbackFunc) {
  return NotBuilt("aclFinalizeCallbackUnRegister");
}
aclError aclrtCheckArchCompatibility(const char*, int32_t*) { return NotBuilt("aclrtCheckArchCompatibility"); }
aclError aclGetCannAttributeList(const aclCannAttr**, size_t*) { return NotBuilt("aclGetCannAttributeList"); }
aclError aclGetCannAttribute(aclCannAttr, int32_t*) { return NotBuilt("aclGetCannAttribute"); }

// ---- log ----
void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) { NotBuilt("aclAppLog"); }

// ---- error / fault ----
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback) { return NotBuilt("aclrtSetExceptionInfoCallback"); }
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback) {
  return NotBuilt("aclrtExceptionInfoCallbackRegister");
}
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback) {
  return NotBuilt("aclrtExceptionInfoCallbackUnregister");
}
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo*) {
  NotBuilt("aclrtGetTaskIdFromExceptionInfo");
  return {};
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo*) {
  NotBuilt("aclrtGetStreamIdFromExceptionInfo");
  return {};
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo*) {
  NotBuilt("aclrtGetThreadIdFromExceptionInfo");
  return {};
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo*) {
  NotBuilt("aclrtGetDeviceIdFromExceptionInfo");
  return {};
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo*) {
  NotBuilt("aclrtGetErrorCodeFromExceptionInfo");
  return {};
}
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo*, void**, uint32_t*) {
  return NotBuilt("aclrtGetArgsFromExceptionInfo");
}
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo*, aclrtFuncHandle*) {
  return NotBuilt("aclrtGetFuncHandleFromExceptionInfo");
}
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle, aclrtOpExceptionCallback, void*) {
  return NotBuilt("aclrtBinarySetExceptionCallback");
}
aclError aclrtGetMemUceInfo(int32_t, aclrtMemUceInfo*, size_t, size_t*) { return NotBuilt("aclrtGetMemUceInfo"); }
aclError aclrtDeviceTaskAbort(int32_t, uint32_t) { return NotBuilt("aclrtDeviceTaskAbort"); }
aclError aclrtMemUceRepair(int32_t, aclrtMemUceInfo*, size_t) { return NotBuilt("aclrtMemUceRepair"); }
aclError aclrtSetDeviceTaskAbortCallback(const char*, aclrtDeviceTaskAbortCallback, void*) {
  return NotBuilt("aclrtSetDeviceTaskAbortCallback");
}
aclError aclrtGetErrorVerbose(int32_t, aclrtErrorInfo*) { return NotBuilt("aclrtGetErrorVerbose"); }
aclError aclrtRepairError(int32_t, const aclrtErrorInfo*) { return NotBuilt("aclrtRepairError"); }

// ---- callback / hostfunc ----
aclError aclrtSubscribeReport(uint64_t, aclrtStream) { return NotBuilt("aclrtSubscribeReport"); }
aclError aclrtLaunchCallback(aclrtCallback, void*, aclrtCallbackBlockType, aclrtStream) {
  return NotBuilt("aclrtLaunchCallback");
}
aclError aclrtProcessReport(int32_t) { return NotBuilt("aclrtProcessReport"); }
aclError aclrtUnSubscribeReport(uint64_t, aclrtStream) { return NotBuilt("aclrtUnSubscribeReport"); }
aclError aclrtSubscribeHostFunc(uint64_t, aclrtStream) { return NotBuilt("aclrtSubscribeHostFunc"); }
aclError aclrtProcessHostFunc(int32_t) { return NotBuilt("aclrtProcessHostFunc"); }
aclError aclrtUnSubscribeHostFunc(uint64_t, aclrtStream) { return NotBuilt("aclrtUnSubscribeHostFunc"); }
aclError aclrtRegStreamStateCallback(const char*, aclrtStreamStateCallback, void*) {
  return NotBuilt("aclrtRegStreamStateCallback");
}
aclError aclrtRegDeviceStateCallback(const char*, aclrtDeviceStateCallback, void*) {
  return NotBuilt("aclrtRegDeviceStateCallback");
}

// ---- context ----
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt, int64_t*) { return NotBuilt("aclrtCtxGetSysParamOpt"); }
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt, int64_t) { return NotBuilt("aclrtCtxSetSysParamOpt"); }
aclError aclrtGetSysParamOpt(aclSysParamOpt, int64_t*) { return NotBuilt("aclrtGetSysParamOpt"); }
aclError aclrtSetSysParamOpt(aclSysParamOpt, int64_t) { return NotBuilt("aclrtSetSysParamOpt"); }

// ---- device ----

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

// ---- resource limit ----

// ---- event ----
aclError aclrtRecordEventWithFlag(aclrtEvent, aclrtStream, uint32_t) { return NotBuilt("aclrtRecordEventWithFlag"); }
aclError aclrtQueryEventWaitStatus(aclrtEvent, aclrtEventWaitStatus*) { return NotBuilt("aclrtQueryEventWaitStatus"); }
aclError aclrtStreamWaitEventWithFlag(aclrtStream, aclrtEvent, uint32_t, uint32_t) {
  return NotBuilt("aclrtStreamWaitEventWithFlag");
}
aclError aclrtGetEventAvailNum(uint32_t*) { return NotBuilt("aclrtGetEventAvailNum"); }

// ---- memory malloc/info ----
aclError aclrtMallocCached(void**, size_t, aclrtMemMallocPolicy) { return NotBuilt("aclrtMallocCached"); }
aclError aclrtMallocWithCfg(void**, size_t, aclrtMemMallocPolicy, aclrtMallocConfig*) {
  return NotBuilt("aclrtMallocWithCfg");
}
aclError aclrtMallocForTaskScheduler(void**, size_t, aclrtMemMallocPolicy, aclrtMallocConfig*) {
  return NotBuilt("aclrtMallocForTaskScheduler");
}
aclError aclrtMallocHostWithCfg(void**, uint64_t, aclrtMallocConfig*) { return NotBuilt("aclrtMallocHostWithCfg"); }
aclError aclrtPointerGetAttributes(const void*, aclrtPtrAttributes*) { return NotBuilt("aclrtPointerGetAttributes"); }
aclError aclrtFreeWithDevSync(void*) { return NotBuilt("aclrtFreeWithDevSync"); }
aclError aclrtFreeHostWithDevSync(void*) { return NotBuilt("aclrtFreeHostWithDevSync"); }
aclError aclrtGetMemUsageInfo(int32_t, aclrtMemUsageInfo*, size_t, size_t*) { return NotBuilt("aclrtGetMemUsageInfo"); }
aclError aclrtCheckMemType(void**, uint32_t, uint32_t, uint32_t*, uint32_t) { return NotBuilt("aclrtCheckMemType"); }

// ---- managed / UVM ----
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute, const void*, size_t, void*, size_t) {
  return NotBuilt("aclrtMemManagedGetAttr");
}
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute*, size_t, const void*, size_t, void**, size_t*) {
  return NotBuilt("aclrtMemManagedGetAttrs");
}
aclError aclrtMemAllocManaged(void**, uint64_t, uint32_t) { return NotBuilt("aclrtMemAllocManaged"); }
aclError aclrtMemManagedAdvise(const void* const, uint64_t, aclrtMemManagedAdviseType, aclrtMemManagedLocation) {
  return NotBuilt("aclrtMemManagedAdvise");
}
aclError aclrtMemManagedPrefetchAsync(const void*, size_t, aclrtMemManagedLocation, uint32_t, aclrtStream) {
  return NotBuilt("aclrtMemManagedPrefetchAsync");
}
aclError aclrtMemManagedPrefetchBatchAsync(const void**, size_t*, size_t, aclrtMemManagedLocation*, size_t*, size_t,
                                           uint64_t, aclrtStream) {
  return NotBuilt("aclrtMemManagedPrefetchBatchAsync");
}

// ---- host register ----
aclError aclrtHostRegister(void*, uint64_t, aclrtHostRegisterType, void**) { return NotBuilt("aclrtHostRegister"); }
aclError aclrtHostRegisterV2(void*, uint64_t, uint32_t) { return NotBuilt("aclrtHostRegisterV2"); }
aclError aclrtHostGetDevicePointer(void*, void**, uint32_t) { return NotBuilt("aclrtHostGetDevicePointer"); }
aclError aclrtHostUnregister(void*) { return NotBuilt("aclrtHostUnregister"); }
aclError aclrtHostMemMapCapabilities(uint32_t, aclrtHacType, aclrtHostMemMapCapability*) {
  return NotBuilt("aclrtHostMemMapCapabilities");
}

// ---- cache maintenance (CMO/flush) ----
aclError aclrtMemFlush(void*, size_t) { return NotBuilt("aclrtMemFlush"); }
aclError aclrtMemInvalidate(void*, size_t) { return NotBuilt("aclrtMemInvalidate"); }
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
aclError aclrtDeviceL2CacheFlush(void*) { return NotBuilt("aclrtDeviceL2CacheFlush"); }

// ---- memcpy / memset / reduce ----
aclError aclrtMemsetD32(void*, size_t, uint32_t, size_t) { return NotBuilt("aclrtMemsetD32"); }
aclError aclrtMemsetD32Async(void*, size_t, uint32_t, size_t, aclrtStream) { return NotBuilt("aclrtMemsetD32Async"); }
aclError aclrtMemcpyAsyncWithCondition(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream) {
  return NotBuilt("aclrtMemcpyAsyncWithCondition");
}
aclError aclrtMemcpy2d(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind) {
  return NotBuilt("aclrtMemcpy2d");
}
aclError aclrtMemcpy2dAsync(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind, aclrtStream) {
  return NotBuilt("aclrtMemcpy2dAsync");
}
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind, size_t*) { return NotBuilt("aclrtGetMemcpyDescSize"); }
aclError aclrtSetMemcpyDesc(void*, aclrtMemcpyKind, void*, void*, size_t, void*) {
  return NotBuilt("aclrtSetMemcpyDesc");
}
aclError aclrtMemcpyAsyncWithOffset(void**, size_t, size_t, const void**, size_t, size_t, aclrtMemcpyKind,
                                    aclrtStream) {
  return NotBuilt("aclrtMemcpyAsyncWithOffset");
}
aclError aclrtMemcpyAsyncWithDesc(void*, aclrtMemcpyKind, aclrtStream) { return NotBuilt("aclrtMemcpyAsyncWithDesc"); }
aclError aclrtReduceAsync(void*, const void*, uint64_t, aclrtReduceKind, aclDataType, aclrtStream, void*) {
  return NotBuilt("aclrtReduceAsync");
}
aclError aclrtMemcpyBatch(void**, size_t*, void**, size_t*, size_t, aclrtMemcpyBatchAttr*, size_t*, size_t, size_t*) {
  return NotBuilt("aclrtMemcpyBatch");
}
aclError aclrtMemcpyBatchV2(void**, size_t*, void**, size_t*, size_t, aclrtMemcpyBatchAttr*, size_t*, size_t) {
  return NotBuilt("aclrtMemcpyBatchV2");
}
aclError aclrtMemcpyBatchAsync(void**, size_t*, void**, size_t*, size_t, aclrtMemcpyBatchAttr*, size_t*, size_t,
                               size_t*, aclrtStream) {
  return NotBuilt("aclrtMemcpyBatchAsync");
}
aclError aclrtMemcpyBatchAsyncV2(void**, size_t*, void**, size_t*, size_t, aclrtMemcpyBatchAttr*, size_t*, size_t,
                                 aclrtStream) {
  return NotBuilt("aclrtMemcpyBatchAsyncV2");
}
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo*, const aclrtStream, void*) {
  return NotBuilt("aclrtRandomNumAsync");
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

// ---- VMM ----
aclError aclrtReserveMemAddress(void**, size_t, size_t, void*, uint64_t) { return NotBuilt("aclrtReserveMemAddress"); }
aclError aclrtReleaseMemAddress(void*) { return NotBuilt("aclrtReleaseMemAddress"); }
aclError aclrtMallocPhysical(aclrtDrvMemHandle*, size_t, const aclrtPhysicalMemProp*, uint64_t) {
  return NotBuilt("aclrtMallocPhysical");
}
aclError aclrtFreePhysical(aclrtDrvMemHandle) { return NotBuilt("aclrtFreePhysical"); }
aclError aclrtMapMem(void*, size_t, size_t, aclrtDrvMemHandle, uint64_t) { return NotBuilt("aclrtMapMem"); }
aclError aclrtUnmapMem(void*) { return NotBuilt("aclrtUnmapMem"); }
aclError aclrtMemMapNoAccess(void*, size_t, size_t, aclrtDrvMemHandle, uint64_t) {
  return NotBuilt("aclrtMemMapNoAccess");
}
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp*, aclrtMemGranularityOptions, size_t*) {
  return NotBuilt("aclrtMemGetAllocationGranularity");
}
aclError aclrtMemSetAccess(void*, size_t, aclrtMemAccessDesc*, size_t) { return NotBuilt("aclrtMemSetAccess"); }
aclError aclrtMemGetAccess(void*, aclrtMemLocation*, uint64_t*) { return NotBuilt("aclrtMemGetAccess"); }
aclError aclrtMemRetainAllocationHandle(void*, aclrtDrvMemHandle*) {
  return NotBuilt("aclrtMemRetainAllocationHandle");
}
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle, aclrtPhysicalMemProp*) {
  return NotBuilt("aclrtMemGetAllocationPropertiesFromHandle");
}
aclError aclrtReserveMemAddressNoUCMemory(void**, size_t, size_t, void*, uint64_t) {
  return NotBuilt("aclrtReserveMemAddressNoUCMemory");
}
aclError aclrtMemGetAddressRange(void*, void**, size_t*) { return NotBuilt("aclrtMemGetAddressRange"); }
aclError aclrtMemP2PMap(void*, size_t, int32_t, uint64_t) { return NotBuilt("aclrtMemP2PMap"); }
aclError aclrtMemMapSelectedLink(void*, size_t, void*, uint32_t) { return NotBuilt("aclrtMemMapSelectedLink"); }
aclError aclrtMemMapSetLink(aclrtDrvMemHandle, aclrtMemLinkType) { return NotBuilt("aclrtMemMapSetLink"); }

// ---- stream ----
aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  NotBuilt("aclrtCreateStreamConfigHandle");
  return nullptr;
}
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle*) { return NotBuilt("aclrtDestroyStreamConfigHandle"); }
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle*, aclrtStreamConfigAttr, const void*, size_t) {
  return NotBuilt("aclrtSetStreamConfigOpt");
}
aclError aclrtCreateStreamV2(aclrtStream*, const aclrtStreamConfigHandle*) { return NotBuilt("aclrtCreateStreamV2"); }
aclError aclrtSetStreamAttribute(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*) {
  return NotBuilt("aclrtSetStreamAttribute");
}
aclError aclrtGetStreamAttribute(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*) {
  return NotBuilt("aclrtGetStreamAttribute");
}
aclError aclrtStreamStop(aclrtStream) { return NotBuilt("aclrtStreamStop"); }

// ---- timeouts ----
aclError aclrtSetOpExecuteTimeOutV2(uint64_t, uint64_t*) { return NotBuilt("aclrtSetOpExecuteTimeOutV2"); }
aclError aclrtGetOpTimeOutInterval(uint64_t*) { return NotBuilt("aclrtGetOpTimeOutInterval"); }
aclError aclrtGetOpExecuteTimeout(uint32_t* const) { return NotBuilt("aclrtGetOpExecuteTimeout"); }

// ---- overflow ----
aclError aclrtSetStreamOverflowSwitch(aclrtStream, uint32_t) { return NotBuilt("aclrtSetStreamOverflowSwitch"); }
aclError aclrtGetStreamOverflowSwitch(aclrtStream, uint32_t*) { return NotBuilt("aclrtGetStreamOverflowSwitch"); }
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode) { return NotBuilt("aclrtSetDeviceSatMode"); }
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode*) { return NotBuilt("aclrtGetDeviceSatMode"); }
aclError aclrtGetOverflowStatus(void*, size_t, aclrtStream) { return NotBuilt("aclrtGetOverflowStatus"); }
aclError aclrtResetOverflowStatus(aclrtStream) { return NotBuilt("aclrtResetOverflowStatus"); }
aclError aclrtCtxGetFloatOverflowAddr(void**) { return NotBuilt("aclrtCtxGetFloatOverflowAddr"); }
aclError aclrtGetFloatOverflowStatus(void*, uint64_t, aclrtStream) { return NotBuilt("aclrtGetFloatOverflowStatus"); }
aclError aclrtResetFloatOverflowStatus(aclrtStream) { return NotBuilt("aclrtResetFloatOverflowStatus"); }
aclError aclrtNpuGetFloatOverFlowStatus(void*, uint64_t, uint32_t, aclrtStream) {
  return NotBuilt("aclrtNpuGetFloatOverFlowStatus");
}
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t, aclrtStream) {
  return NotBuilt("aclrtNpuClearFloatOverFlowStatus");
}

// ---- kernel load/launch/args ----
aclrtBinary aclrtCreateBinary(const void*, size_t) {
  NotBuilt("aclrtCreateBinary");
  return {};
}
aclError aclrtDestroyBinary(aclrtBinary) { return NotBuilt("aclrtDestroyBinary"); }
aclError aclrtBinaryLoad(const aclrtBinary, aclrtBinHandle*) { return NotBuilt("aclrtBinaryLoad"); }
aclError aclrtBinaryGetDevAddress(const aclrtBinHandle, void**, size_t*) {
  return NotBuilt("aclrtBinaryGetDevAddress");
}
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle, uint64_t, aclrtFuncHandle*) {
  return NotBuilt("aclrtBinaryGetFunctionByEntry");
}
aclError aclrtBinaryGetGlobal(aclrtBinHandle, const char*, void**, size_t*) { return NotBuilt("aclrtBinaryGetGlobal"); }
aclError aclrtGetFuncBySymbol(const void*, aclrtFuncHandle*) { return NotBuilt("aclrtGetFuncBySymbol"); }
aclError aclrtGetFunctionAddr(aclrtFuncHandle, void**, void**) { return NotBuilt("aclrtGetFunctionAddr"); }
aclError aclrtGetFunctionSize(aclrtFuncHandle, size_t*, size_t*) { return NotBuilt("aclrtGetFunctionSize"); }
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle, size_t*) {
  return NotBuilt("aclrtKernelArgsGetHandleMemSize");
}
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle, size_t, size_t*) { return NotBuilt("aclrtKernelArgsGetMemSize"); }
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle, aclrtArgsHandle, void*, size_t) {
  return NotBuilt("aclrtKernelArgsInitByUserMem");
}
aclError aclrtRegisterCpuFunc(const aclrtBinHandle, const char*, const char*, aclrtFuncHandle*) {
  return NotBuilt("aclrtRegisterCpuFunc");
}
aclError aclrtLaunchKernelV2(aclrtFuncHandle, uint32_t, const void*, size_t, aclrtLaunchKernelCfg*, aclrtStream) {
  return NotBuilt("aclrtLaunchKernelV2");
}
aclError aclrtLaunchKernelWithArgsArray(void*, uint32_t, aclrtStream, aclrtLaunchKernelCfg*, void**) {
  return NotBuilt("aclrtLaunchKernelWithArgsArray");
}
aclError aclrtLaunchSIMTKernelWithArgsArray(void*, dim3, dim3, size_t, aclrtStream, aclrtLaunchKernelCfg*, void**) {
  return NotBuilt("aclrtLaunchSIMTKernelWithArgsArray");
}
aclError aclrtLaunchSIMTKernelWithHostArgs(void*, dim3, dim3, size_t, aclrtStream, aclrtLaunchKernelCfg*, void*, size_t,
                                           aclrtPlaceHolderInfo*, size_t) {
  return NotBuilt("aclrtLaunchSIMTKernelWithHostArgs");
}
aclError aclrtGetHardwareSyncAddr(void**) { return NotBuilt("aclrtGetHardwareSyncAddr"); }
aclError aclrtGetFunctionAttribute(aclrtFuncHandle, aclrtFuncAttribute, int64_t*) {
  return NotBuilt("aclrtGetFunctionAttribute");
}
aclError aclrtFunctionGetBinary(const aclrtFuncHandle, aclrtBinHandle*) { return NotBuilt("aclrtFunctionGetBinary"); }
aclError aclrtFunctionGetParamCount(const void*, size_t*) { return NotBuilt("aclrtFunctionGetParamCount"); }
aclError aclrtFunctionGetParamInfo(const void*, size_t, size_t*, size_t*) {
  return NotBuilt("aclrtFunctionGetParamInfo");
}
aclError aclrtFunctionGetAvailDynUbufPerBlock(void*, uint32_t, size_t*) {
  return NotBuilt("aclrtFunctionGetAvailDynUbufPerBlock");
}

// ---- IPC ----
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle, aclrtMemHandleType, uint64_t, uint64_t*) {
  return NotBuilt("aclrtMemExportToShareableHandle");
}
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle, uint64_t, aclrtMemSharedHandleType, void*) {
  return NotBuilt("aclrtMemExportToShareableHandleV2");
}
aclError aclrtMemImportFromShareableHandle(uint64_t, int32_t, aclrtDrvMemHandle*) {
  return NotBuilt("aclrtMemImportFromShareableHandle");
}
aclError aclrtMemImportFromShareableHandleV2(void*, aclrtMemSharedHandleType, uint64_t, aclrtDrvMemHandle*) {
  return NotBuilt("aclrtMemImportFromShareableHandleV2");
}
aclError aclrtMemSetPidToShareableHandle(uint64_t, int32_t*, size_t) {
  return NotBuilt("aclrtMemSetPidToShareableHandle");
}
aclError aclrtMemSetPidToShareableHandleV2(void*, aclrtMemSharedHandleType, int32_t*, size_t) {
  return NotBuilt("aclrtMemSetPidToShareableHandleV2");
}
aclError aclrtDeviceGetBareTgid(int32_t*) { return NotBuilt("aclrtDeviceGetBareTgid"); }
aclError aclrtIpcMemGetExportKey(void*, size_t, char*, size_t, uint64_t) { return NotBuilt("aclrtIpcMemGetExportKey"); }
aclError aclrtIpcMemClose(const char*) { return NotBuilt("aclrtIpcMemClose"); }
aclError aclrtIpcMemImportByKey(void**, const char*, uint64_t) { return NotBuilt("aclrtIpcMemImportByKey"); }
aclError aclrtIpcMemSetImportPid(const char*, int32_t*, size_t) { return NotBuilt("aclrtIpcMemSetImportPid"); }
aclError aclrtIpcMemSetAttr(const char*, aclrtIpcMemAttrType, uint64_t) { return NotBuilt("aclrtIpcMemSetAttr"); }
aclError aclrtIpcMemImportPidInterServer(const char*, aclrtServerPid*, size_t) {
  return NotBuilt("aclrtIpcMemImportPidInterServer");
}
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

// ---- value wait/write ----
aclError aclrtValueWrite(void*, uint64_t, uint32_t, aclrtStream) { return NotBuilt("aclrtValueWrite"); }
aclError aclrtValueWait(void*, uint64_t, uint32_t, aclrtStream) { return NotBuilt("aclrtValueWait"); }

// ---- notify ----
aclError aclrtCreateNotify(aclrtNotify*, uint64_t) { return NotBuilt("aclrtCreateNotify"); }
aclError aclrtDestroyNotify(aclrtNotify) { return NotBuilt("aclrtDestroyNotify"); }
aclError aclrtRecordNotify(aclrtNotify, aclrtStream) { return NotBuilt("aclrtRecordNotify"); }
aclError aclrtWaitAndResetNotify(aclrtNotify, aclrtStream, uint32_t) { return NotBuilt("aclrtWaitAndResetNotify"); }
aclError aclrtGetNotifyId(aclrtNotify, uint32_t*) { return NotBuilt("aclrtGetNotifyId"); }
aclError aclrtNotifyBatchReset(aclrtNotify*, size_t) { return NotBuilt("aclrtNotifyBatchReset"); }

// ---- cntNotify ----
aclError aclrtCntNotifyCreate(aclrtCntNotify*, uint64_t) { return NotBuilt("aclrtCntNotifyCreate"); }
aclError aclrtCntNotifyDestroy(aclrtCntNotify) { return NotBuilt("aclrtCntNotifyDestroy"); }
aclError aclrtCntNotifyRecord(aclrtCntNotify, aclrtStream, aclrtCntNotifyRecordInfo*) {
  return NotBuilt("aclrtCntNotifyRecord");
}
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify, aclrtStream, aclrtCntNotifyWaitInfo*) {
  return NotBuilt("aclrtCntNotifyWaitWithTimeout");
}
aclError aclrtCntNotifyReset(aclrtCntNotify, aclrtStream) { return NotBuilt("aclrtCntNotifyReset"); }
aclError aclrtCntNotifyGetId(aclrtCntNotify, uint32_t*) { return NotBuilt("aclrtCntNotifyGetId"); }

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
