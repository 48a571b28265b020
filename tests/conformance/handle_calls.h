// Every function that takes a handle, once per handle that it takes: tests/abi/handle_calls.py says when one is
// missing.
#pragma once

#include <pthread.h>

#include "acl/acl_rt_allocator.h"
#include "conformance/handle_kinds.h"
#include "conformance/memory_calls.h"
#include "conformance/support.h"

// The calls are a table whose rows all look alike, whether or not they use an object.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-lambda-capture"
#endif

namespace conformance {

// An object of each kind for the calls that take more than the handle they are about.
class Objects {
 public:
  void SetUp() {
    ASSERT_OK(aclrtMalloc(&memory_, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtMemset(memory_, 4096, 0, 4096));
    word_ = static_cast<char*>(memory_) + 2048;
    ASSERT_OK(aclrtMemAllocManaged(&managed_, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
    ASSERT_OK(aclrtMallocHost(&pinned_, 4096));
    ASSERT_OK(aclrtMalloc(&descriptor_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtSetMemcpyDesc(descriptor_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, memory_, memory_, 4, nullptr));
    ASSERT_OK(aclrtMalloc(&arguments_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    DataAndCount arguments{memory_, 1};
    ASSERT_OK(aclrtMemcpy(arguments_, 64, &arguments, sizeof arguments, ACL_MEMCPY_HOST_TO_DEVICE));
    ASSERT_OK(aclrtGetCurrentContext(&context_));
    ASSERT_OK(aclrtCreateStream(&recorder_));
    allocator_ = Make(Kind::kAllocator);
    first_event_ = Make(Kind::kEvent);
    event_ = Make(Kind::kEvent);
    ASSERT_OK(aclrtCreateEventWithFlag(&flagged_, ACL_EVENT_SYNC));
    notify_ = Make(Kind::kNotify);
    counted_ = Make(Kind::kCounted);
    pool_ = Make(Kind::kPool);
    binary_ = Load("basic_kernels");
    add_one_ = Function(binary_, "add_one");
    copy_words_ = Function(binary_, "copy_words");
    ASSERT_OK(aclrtKernelArgsInit(add_one_, &finalised_));
    ASSERT_OK(aclrtKernelArgsAppend(finalised_, &arguments.data, 8, &parameter_));
    ASSERT_OK(aclrtKernelArgsAppend(finalised_, &arguments.n, 4, &parameter_));
    ASSERT_OK(aclrtKernelArgsFinalize(finalised_));
    Make(Kind::kParameter);
  }

  // A new one, of the thread's context. A parameter is that of `list_`, which is made with it.
  void* Make(Kind kind) {
    void* made = nullptr;
    switch (kind) {
      case Kind::kStream: EXPECT_OK(aclrtCreateStream(&made)); break;
      case Kind::kContext:
        EXPECT_OK(aclrtCreateContext(&made, 0));
        EXPECT_OK(aclrtSetCurrentContext(context_));
        break;
      case Kind::kEvent:
        EXPECT_OK(aclrtCreateEvent(&made));
        EXPECT_OK(aclrtRecordEvent(made, recorder_));
        EXPECT_OK(aclrtSynchronizeEvent(made));
        break;
      case Kind::kNotify: EXPECT_OK(aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT)); break;
      case Kind::kCounted: EXPECT_OK(aclrtCntNotifyCreate(&made, 0)); break;
      case Kind::kBinary: made = Load("basic_kernels"); break;
      case Kind::kKept: made = aclrtCreateBinary("no kernels", 10); break;
      case Kind::kFunction: made = Function(Load("basic_kernels"), "add_one"); break;
      case Kind::kList:
      case Kind::kParameter:
        EXPECT_OK(aclrtKernelArgsInit(copy_words_, &list_));
        EXPECT_OK(aclrtKernelArgsAppendPlaceHolder(list_, &parameter_));
        made = kind == Kind::kList ? list_ : parameter_;
        break;
      case Kind::kBuffer: made = aclCreateDataBuffer(this, 1); break;
      case Kind::kPool: made = MakePool(); break;
      case Kind::kAllocator:
        EXPECT_OK(aclrtAllocatorSetObjToDesc(made = aclrtAllocatorCreateDesc(), this));
        EXPECT_OK(aclrtAllocatorSetAllocFuncToDesc(made, Allocate));
        EXPECT_OK(aclrtAllocatorSetFreeFuncToDesc(made, Free));
        EXPECT_OK(aclrtAllocatorSetAllocAdviseFuncToDesc(made, AllocateAt));
        EXPECT_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, AddressOf));
        break;
    }
    EXPECT_NE(nullptr, made);
    return made;
  }
  aclError Destroy(Kind kind, void* handle) {
    switch (kind) {
      case Kind::kStream: return aclrtDestroyStream(handle);
      case Kind::kContext: return aclrtDestroyContext(handle);
      case Kind::kEvent: return aclrtDestroyEvent(handle);
      case Kind::kNotify: return aclrtDestroyNotify(handle);
      case Kind::kCounted: return aclrtCntNotifyDestroy(handle);
      case Kind::kBinary: return aclrtBinaryUnLoad(handle);
      case Kind::kKept: return aclrtDestroyBinary(handle);
      case Kind::kFunction: {
        aclrtBinHandle binary = nullptr;
        EXPECT_OK(aclrtFunctionGetBinary(handle, &binary));
        return aclrtBinaryUnLoad(binary);
      }
      case Kind::kList: break;  // nothing destroys a list: later ones make it stale
      case Kind::kParameter: Make(kind); break;
      case Kind::kBuffer: return aclDestroyDataBuffer(static_cast<aclDataBuffer*>(handle));
      case Kind::kPool: return aclrtMemPoolDestroy(handle);
      case Kind::kAllocator: return aclrtAllocatorDestroyDesc(handle);
    }
    return ACL_SUCCESS;
  }

  std::vector<KindCall> Calls();
  aclrtContext context() const { return context_; }

 private:
  static void* Allocate(aclrtAllocator, size_t) { return nullptr; }
  static void Free(aclrtAllocator, aclrtAllocatorBlock) {}
  static void* AllocateAt(aclrtAllocator, size_t, aclrtAllocatorAddr) { return nullptr; }
  static void* AddressOf(aclrtAllocatorBlock block) { return block; }
  static uint64_t ThisThread() { return static_cast<uint64_t>(pthread_self()); }

  void* memory_ = nullptr;
  void* word_ = nullptr;  // stays 0
  void* pinned_ = nullptr;
  void* managed_ = nullptr;
  void* descriptor_ = nullptr;
  void* arguments_ = nullptr;  // of add_one, on the device
  aclrtContext context_ = nullptr;
  aclrtStream recorder_ = nullptr;    // of events that are made
  aclrtEvent first_event_ = nullptr;  // recorded once, before all others
  aclrtEvent event_ = nullptr;
  aclrtEvent flagged_ = nullptr;
  aclrtNotify notify_ = nullptr;
  aclrtCntNotify counted_ = nullptr;
  aclrtMemPool pool_ = nullptr;
  aclrtBinHandle binary_ = nullptr;
  aclrtFuncHandle add_one_ = nullptr;
  aclrtFuncHandle copy_words_ = nullptr;
  aclrtArgsHandle finalised_ = nullptr;
  aclrtArgsHandle list_ = nullptr;
  aclrtParamHandle parameter_ = nullptr;
  aclrtAllocatorDesc allocator_ = nullptr;
};

// A call with the handle `h`.
#define CALL(kind, function, ...) \
  KindCall(Kind::kind, #function, [=, this](void* h) -> aclError { return function(__VA_ARGS__); })
// The same, behind statements.
#define CALL_AFTER(kind, function, before, ...)                    \
  KindCall(Kind::kind, #function, [=, this](void* h) -> aclError { \
    before;                                                        \
    return function(__VA_ARGS__);                                  \
  })

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

inline std::vector<KindCall> Objects::Calls() {
  static void* zero = nullptr;
  static uint32_t count = 1;
  static uint64_t threshold = 0;
  static std::size_t four = 4;
  static std::size_t first = 0;
  static aclrtMemManagedLocation host_place{ACL_MEM_LOCATIONTYPE_HOST, 0};
  static aclrtMemcpyBatchAttr to_device{};
  to_device.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  static aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
  static aclrtCntNotifyWaitInfo any{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0, 10, 0, {}};
  static aclrtStreamAttrValue tag{};
  static const dim3 one{1, 1, 1};
  static aclrtRandomNumTaskInfo random{};
  random.dataType = ACL_FLOAT;
  random.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation.size = 4;
  random.randomResultAddr = random.randomCounterAddr = memory_;
  random.randomSeed.size = 8;
  random.randomNum = {0, {1}, 8, {}};
  const DataAndCount values{memory_, 1};
  const auto ignore = [](void*) {};
  const auto on_exception = [](aclrtExceptionInfo*, void*) {};
  constexpr auto kToDevice = ACL_MEMCPY_HOST_TO_DEVICE;
  constexpr auto kInner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
  constexpr aclError kNull = ACL_ERROR_RT_PARAM_INVALID, kInvalid = ACL_ERROR_INVALID_PARAM;
  constexpr aclError kNoFunction = ACL_ERROR_RT_INVALID_DEVICE_FUNCTION;
  constexpr aclError kNoThreads = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
  const auto launch_host = [=](void* f, void* s) {
    DataAndCount copy = values;
    return aclrtLaunchKernelWithHostArgs(f, 1, s, nullptr, &copy, sizeof copy, nullptr, 0);
  };
  const auto launch_array = [=](void* f, void* s) {
    DataAndCount copy = values;
    void* array[] = {&copy.data, &copy.n};
    return aclrtLaunchKernelWithArgsArray(f, 1, s, nullptr, array);
  };
  const auto launch_list = [=, this](void* list) {
    void* parameter = nullptr;
    uint32_t none = 0;
    aclrtKernelArgsAppend(list, &zero, 8, &parameter);
    aclrtKernelArgsAppend(list, &none, 4, &parameter);
    aclrtKernelArgsFinalize(list);
    return aclrtLaunchKernelWithConfig(copy_words_, 1, nullptr, nullptr, list, nullptr);
  };
  const auto get_allocator = [this](void* s) {
    aclrtAllocatorRegister(s, allocator_);
    return aclrtAllocatorGetByStream(s, Out<void*>(), Out<void*>() + 1, Out<aclrtAllocatorAllocFunc>() + 2,
                                     Out<aclrtAllocatorFreeFunc>() + 3, Out<aclrtAllocatorAllocAdviseFunc>() + 4,
                                     Out<aclrtAllocatorGetAddrFromBlockFunc>() + 5);
  };
  return {
    // ---- Streams ----
    CALL(kStream, aclrtSynchronizeStream, h), CALL(kStream, aclrtSynchronizeStreamWithTimeout, h, 10000),
        CALL(kStream, aclrtStreamQuery, h, Out<aclrtStreamStatus>()),
        CALL(kStream, aclrtStreamGetId, h, Out<int32_t>()).Only(Where::kAnywhere),
        CALL(kStream, aclrtStreamGetPriority, h, Out<uint32_t>()).Only(Where::kAnywhere),
        CALL(kStream, aclrtStreamGetFlags, h, Out<uint32_t>()).Only(Where::kAnywhere),
        CALL(kStream, aclrtRecordEvent, event_, h),
        CALL(kStream, aclrtRecordEventWithFlag, event_, h, ACL_EVENT_RECORD_DEFAULT),
        CALL(kStream, aclrtStreamWaitEvent, h, event_), CALL(kStream, aclrtStreamWaitEventWithTimeout, h, event_, 10),
        CALL(kStream, aclrtStreamWaitEventWithFlag, h, event_, 10, ACL_EVENT_WAIT_DEFAULT),
        CALL(kStream, aclrtResetEvent, flagged_, h),
        CALL(kStream, aclrtMemcpyAsync, memory_, 64, pinned_, 64, kToDevice, h),
        CALL(kStream, aclrtMemcpyAsyncWithCondition, memory_, 64, pinned_, 64, kToDevice, h),
        CALL(kStream, aclrtMemcpy2dAsync, memory_, 8, pinned_, 8, 8, 8, kToDevice, h),
        CALL(kStream, aclrtMemcpyAsyncWithOffset, static_cast<void**>(arguments_), 4, 0,
             static_cast<const void**>(arguments_), 4, 0, kInner, h),
        CALL(kStream, aclrtMemcpyAsyncWithDesc, descriptor_, kInner, h),
        // What it says about the copy that failed is written in every case.
        CALL_AFTER(kStream, aclrtMemcpyBatchAsync, void* to = memory_; void* from = pinned_;
                   std::size_t failed, &to, &four, &from, &four, 1, &to_device, &first, 1, &failed, h),
        CALL_AFTER(kStream, aclrtMemcpyBatchAsyncV2, void* to = memory_;
                   void* from = pinned_, &to, &four, &from, &four, 1, &to_device, &first, 1, h),
        CALL(kStream, aclrtMemsetAsync, memory_, 64, 0, 64, h),
        CALL(kStream, aclrtMemsetD32Async, memory_, 64, 0, 16, h),
        CALL(kStream, aclrtMemManagedPrefetchAsync, managed_, 64, host_place, 0, h),
        CALL_AFTER(kStream, aclrtMemManagedPrefetchBatchAsync, const void* part = managed_, &part, &four, 1,
                   &host_place, &first, 1, 0, h),
        CALL(kStream, aclrtReduceAsync, memory_, memory_, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, h, nullptr),
        CALL(kStream, aclrtRandomNumAsync, &random, h, nullptr),
        CALL(kStream, aclrtLaunchKernel, add_one_, 1, arguments_, sizeof(DataAndCount), h),
        CALL(kStream, aclrtLaunchKernelV2, add_one_, 1, arguments_, sizeof(DataAndCount), nullptr, h),
        CALL(kStream, aclrtLaunchKernelWithConfig, add_one_, 1, h, nullptr, finalised_, nullptr),
        KindCall(Kind::kStream, "aclrtLaunchKernelWithHostArgs",
                 [=, this](void* h) { return launch_host(add_one_, h); }),
        KindCall(Kind::kStream, "aclrtLaunchKernelWithArgsArray",
                 [=, this](void* h) { return launch_array(add_one_, h); }),
        CALL(kStream, aclrtLaunchSIMTKernelWithArgsArray, add_one_, one, one, 0, h, nullptr, &zero)
            .Null(kNoThreads)
            .Live(kNoThreads)
            .Bad(kNoThreads)
            .Only(Where::kAnywhere),
        CALL(kStream, aclrtLaunchSIMTKernelWithHostArgs, add_one_, one, one, 0, h, nullptr, &zero, 8, nullptr, 0)
            .Null(kNoThreads)
            .Live(kNoThreads)
            .Bad(kNoThreads)
            .Only(Where::kAnywhere),
        CALL(kStream, aclrtLaunchHostFunc, h, ignore, nullptr),
        CALL(kStream, aclrtSubscribeReport, ThisThread(), h).Alone(),
        CALL_AFTER(kStream, aclrtUnSubscribeReport, aclrtSubscribeReport(ThisThread(), h), ThisThread(), h).Alone(),
        KindCall(Kind::kStream, "aclrtLaunchCallback",
                 [=](void* h) {
                   aclrtSubscribeReport(ThisThread(), h);
                   const aclError code = aclrtLaunchCallback(ignore, nullptr, ACL_CALLBACK_NO_BLOCK, h);
                   aclrtUnSubscribeReport(ThisThread(), h);
                   return code;
                 })
            .Alone(),
        CALL(kStream, aclrtGetOverflowStatus, memory_, 64, h), CALL(kStream, aclrtResetOverflowStatus, h),
        CALL(kStream, aclrtGetFloatOverflowStatus, memory_, 64, h), CALL(kStream, aclrtResetFloatOverflowStatus, h),
        CALL(kStream, aclrtNpuGetFloatOverFlowStatus, memory_, 64, 0, h),
        CALL(kStream, aclrtNpuClearFloatOverFlowStatus, 0, h), CALL(kStream, aclrtSetStreamOverflowSwitch, h, 0),
        CALL(kStream, aclrtGetStreamOverflowSwitch, h, Out<uint32_t>()),
        CALL(kStream, aclrtSetStreamAttribute, h, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &tag),
        CALL(kStream, aclrtGetStreamAttribute, h, ACL_STREAM_ATTR_USER_CUSTOM_TAG, Out<aclrtStreamAttrValue>()),
        CALL(kStream, aclrtSetStreamResLimit, h, ACL_RT_DEV_RES_CUBE_CORE, 1),
        CALL(kStream, aclrtGetStreamResLimit, h, ACL_RT_DEV_RES_CUBE_CORE, Out<uint32_t>()),
        CALL(kStream, aclrtResetStreamResLimit, h), CALL(kStream, aclrtUseStreamResInCurrentThread, h),
        CALL_AFTER(kStream, aclrtUnuseStreamResInCurrentThread, aclrtUseStreamResInCurrentThread(h), h),
        CALL(kStream, aclrtValueWrite, word_, 0, 0, h), CALL(kStream, aclrtValueWait, word_, 0, 0, h),
        CALL(kStream, aclrtRecordNotify, notify_, h),
        CALL_AFTER(kStream, aclrtWaitAndResetNotify, aclrtRecordNotify(notify_, h), notify_, h, 10).Alone(),
        CALL(kStream, aclrtCntNotifyRecord, counted_, h, &add),
        CALL(kStream, aclrtCntNotifyWaitWithTimeout, counted_, h, &any),
        CALL(kStream, aclrtCntNotifyReset, counted_, h),
        CALL(kStream, aclrtAllocatorRegister, h, allocator_).Null(kInvalid),
        KindCall(Kind::kStream, "aclrtAllocatorGetByStream", get_allocator).Null(kInvalid).Alone(),
        CALL(kStream, aclrtAllocatorUnregister, h).Null(kInvalid).Bad(ACL_SUCCESS).Only(Where::kAnywhere).Alone(),
        CALL(kStream, aclrtSetStreamFailureMode, h, ACL_CONTINUE_ON_FAILURE).Alone(),
        CALL(kStream, aclrtStreamAbort, h), CALL(kStream, aclrtStreamStop, h).Null(kNull).Alone(),
        CALL(kStream, aclrtDestroyStream, h).Null(kNull).Alone(),
        CALL(kStream, aclrtDestroyStreamForce, h).Null(kNull).Alone(),
        CALL(kStream, aclrtMemPoolMallocAsync, Out<void*>(), 64, pool_, h),
        CALL_AFTER(kStream, aclrtMemPoolFreeAsync, void* block = memory_;
                   aclrtMemPoolMallocAsync(&block, 64, pool_, nullptr), block, h),
        // ---- Contexts ----
        CALL(kContext, aclrtSetCurrentContext, h), CALL(kContext, aclrtDestroyContext, h).Alone(),
        // ---- Events ----
        CALL(kEvent, aclrtRecordEvent, h, nullptr).Only(Where::kItsDevice),
        CALL(kEvent, aclrtRecordEventWithFlag, h, nullptr, ACL_EVENT_RECORD_DEFAULT).Only(Where::kItsDevice),
        CALL(kEvent, aclrtStreamWaitEvent, nullptr, h).Only(Where::kItsDevice),
        CALL(kEvent, aclrtStreamWaitEventWithTimeout, nullptr, h, 10).Only(Where::kItsDevice),
        CALL(kEvent, aclrtStreamWaitEventWithFlag, nullptr, h, 10, ACL_EVENT_WAIT_DEFAULT).Only(Where::kItsDevice),
        CALL(kEvent, aclrtStreamWaitEventWithFlag, nullptr, h, 0, ACL_EVENT_WAIT_EXTERNAL)
            .Live(kNull)
            .Only(Where::kItsDevice)
            .Elsewhere(kNull),
        CALL(kEvent, aclrtResetEvent, h, nullptr).Live(kNull).Only(Where::kItsDevice),
        CALL(kEvent, aclrtQueryEvent, h, Out<aclrtEventStatus>()),
        CALL(kEvent, aclrtQueryEventStatus, h, Out<aclrtEventRecordedStatus>()),
        CALL(kEvent, aclrtQueryEventWaitStatus, h, Out<aclrtEventWaitStatus>()), CALL(kEvent, aclrtSynchronizeEvent, h),
        CALL(kEvent, aclrtSynchronizeEventWithTimeout, h, 10000),
        CALL(kEvent, aclrtEventElapsedTime, Out<float>(), h, first_event_)
            .Null(ACL_ERROR_INVALID_PARAM)
            .Live(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL),
        CALL(kEvent, aclrtEventElapsedTime, Out<float>(), first_event_, h).Null(ACL_ERROR_INVALID_PARAM),
        CALL(kEvent, aclrtEventGetTimestamp, h, Out<uint64_t>()).Null(ACL_ERROR_INVALID_PARAM),
        CALL(kEvent, aclrtGetEventId, h, Out<uint32_t>()).Null(ACL_ERROR_INVALID_PARAM),
        CALL(kEvent, aclrtDestroyEvent, h).Alone(),
        // ---- Memory pools ----
        CALL(kPool, aclrtMemPoolMallocAsync, Out<void*>(), 64, h, nullptr)
            .Null(ACL_ERROR_INVALID_PARAM)
            .Only(Where::kItsDevice),
        CALL(kPool, aclrtMemPoolSetAttr, h, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold)
            .Null(ACL_ERROR_INVALID_PARAM),
        CALL(kPool, aclrtMemPoolGetAttr, h, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, Out<uint64_t>())
            .Null(ACL_ERROR_INVALID_PARAM),
        CALL(kPool, aclrtMemPoolTrimTo, h, 0).Null(ACL_ERROR_INVALID_PARAM),
        CALL(kPool, aclrtMemPoolDestroy, h).Null(ACL_ERROR_INVALID_PARAM).Alone(),
        // ---- Notifies ----
        CALL(kNotify, aclrtRecordNotify, h, nullptr).Only(Where::kItsDevice),
        CALL_AFTER(kNotify, aclrtWaitAndResetNotify, aclrtRecordNotify(h, nullptr), h, nullptr, 10)
            .Only(Where::kItsDevice)
            .Alone(),
        CALL(kNotify, aclrtGetNotifyId, h, Out<uint32_t>()), CALL(kNotify, aclrtNotifyBatchReset, &h, 1),
        CALL(kNotify, aclrtDestroyNotify, h).Alone(),
        CALL(kCounted, aclrtCntNotifyRecord, h, nullptr, &add).Only(Where::kItsDevice),
        CALL(kCounted, aclrtCntNotifyWaitWithTimeout, h, nullptr, &any).Only(Where::kItsDevice),
        CALL(kCounted, aclrtCntNotifyReset, h, nullptr).Only(Where::kItsDevice),
        CALL(kCounted, aclrtCntNotifyGetId, h, Out<uint32_t>()), CALL(kCounted, aclrtCntNotifyDestroy, h).Alone(),
        // ---- Binaries, loaded and kept ----
        CALL(kBinary, aclrtBinaryGetFunction, h, "add_one", Out<aclrtFuncHandle>()).Null(kNull),
        CALL(kBinary, aclrtBinaryGetFunctionByEntry, h, 1, Out<aclrtFuncHandle>()).Live(ACL_ERROR_RT_KERNEL_LOOKUP),
        CALL(kBinary, aclrtBinaryGetDevAddress, h, Out<void*>(), Out<std::size_t>(1)),
        CALL(kBinary, aclrtBinaryGetGlobal, h, "none", Out<void*>(), Out<std::size_t>(1))
            .Live(ACL_ERROR_RT_SYMBOL_NOT_FOUND),
        CALL(kBinary, aclrtRegisterCpuFunc, h, "f", "k", Out<aclrtFuncHandle>()).Live(kNull),
        CALL(kBinary, aclrtBinarySetExceptionCallback, h, on_exception, nullptr),
        CALL(kBinary, aclrtBinaryUnLoad, h).Null(kNull).Only(Where::kItsContext).Alone(),
        CALL(kKept, aclrtBinaryLoad, h, Out<aclrtBinHandle>()).Live(kNull), CALL(kKept, aclrtDestroyBinary, h).Alone(),
        // ---- Functions. The last ones take names of kernels of the program too ----
        CALL(kFunction, aclrtGetFunctionName, h, 64, Out<char>()),
        CALL(kFunction, aclrtGetFunctionAddr, h, Out<void*>(), Out<void*>(1)),
        CALL(kFunction, aclrtGetFunctionSize, h, Out<std::size_t>(), Out<std::size_t>(1)).Null(kNull),
        CALL(kFunction, aclrtGetFunctionAttribute, h, ACL_FUNC_ATTR_KERNEL_TYPE, Out<int64_t>()),
        CALL(kFunction, aclrtFunctionGetBinary, h, Out<aclrtBinHandle>()).Null(kNull),
        CALL(kFunction, aclrtKernelArgsInit, h, Out<aclrtArgsHandle>()),
        CALL_AFTER(kFunction, aclrtKernelArgsInitByUserMem, thread_local char memory[64], h, Out<void*>(), memory, 64),
        CALL(kFunction, aclrtKernelArgsGetHandleMemSize, h, Out<std::size_t>()),
        CALL(kFunction, aclrtKernelArgsGetMemSize, h, 8, Out<std::size_t>()),
        CALL(kFunction, aclrtLaunchKernel, h, 1, arguments_, sizeof(DataAndCount), nullptr)
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        CALL(kFunction, aclrtLaunchKernelV2, h, 1, arguments_, sizeof(DataAndCount), nullptr, nullptr)
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        CALL_AFTER(kFunction, aclrtLaunchKernelWithConfig, aclrtArgsHandle list = nullptr; void* parameter;
                   aclrtKernelArgsInit(h, &list); aclrtKernelArgsAppend(list, &zero, 8, &parameter);
                   aclrtKernelArgsAppend(list, &first, 4, &parameter);
                   aclrtKernelArgsFinalize(list), h, 1, nullptr, nullptr, list != nullptr ? list : finalised_, nullptr)
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        KindCall(Kind::kFunction, "aclrtLaunchKernelWithHostArgs", [=](void* h) { return launch_host(h, nullptr); })
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        KindCall(Kind::kFunction, "aclrtLaunchKernelWithArgsArray", [=](void* h) { return launch_array(h, nullptr); })
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        CALL(kFunction, aclrtFunctionGetParamCount, h, Out<std::size_t>()).Bad(kNoFunction),
        CALL(kFunction, aclrtFunctionGetParamInfo, h, 0, Out<std::size_t>(), Out<std::size_t>(1)).Bad(kNoFunction),
        CALL(kFunction, aclrtFunctionGetAvailDynUbufPerBlock, h, 0, Out<std::size_t>()).Bad(kNoFunction),
        CALL(kFunction, aclrtLaunchSIMTKernelWithArgsArray, h, one, one, 0, nullptr, nullptr, &zero)
            .Live(kNoThreads)
            .Bad(kNoThreads),
        CALL(kFunction, aclrtLaunchSIMTKernelWithHostArgs, h, one, one, 0, nullptr, nullptr, &zero, 8, nullptr, 0)
            .Live(kNoThreads)
            .Bad(kNoThreads),
        // ---- Argument lists and their parameters ----
        CALL(kList, aclrtKernelArgsAppend, h, &zero, 8, Out<aclrtParamHandle>()),
        CALL(kList, aclrtKernelArgsAppendPlaceHolder, h, Out<aclrtParamHandle>()),
        CALL(kList, aclrtKernelArgsGetPlaceHolderBuffer, h, parameter_, 8, Out<void*>()),
        CALL(kList, aclrtKernelArgsParaUpdate, h, parameter_, &zero, 8).Live(kNull),
        CALL(kList, aclrtKernelArgsFinalize, h).Live(kNull),
        KindCall(Kind::kList, "aclrtLaunchKernelWithConfig", launch_list)
            .Only(Where::kItsDevice)
            .Elsewhere(kNoFunction),
        CALL(kParameter, aclrtKernelArgsGetPlaceHolderBuffer, list_, h, 8, Out<void*>()),
        CALL(kParameter, aclrtKernelArgsParaUpdate, list_, h, &zero, 8).Live(kNull),
        // ---- Data buffers ----
        CALL(kBuffer, aclUpdateDataBuffer, static_cast<aclDataBuffer*>(h), &count, 4),
        KindCall(Kind::kBuffer, "aclGetDataBufferAddr",
                 [](void* h) {
                   const auto* buffer = static_cast<aclDataBuffer*>(h);
                   return aclGetDataBufferAddr(buffer) != nullptr ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
                 }),
        KindCall(Kind::kBuffer, "aclGetDataBufferSizeV2",
                 [](void* h) {
                   const auto* buffer = static_cast<aclDataBuffer*>(h);
                   const bool found = aclGetDataBufferSizeV2(buffer) != 0 && aclGetDataBufferSize(buffer) != 0;
                   return found ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
                 }),
        CALL(kBuffer, aclDestroyDataBuffer, static_cast<aclDataBuffer*>(h)).Alone(),
        // ---- Allocators ----
        CALL(kAllocator, aclrtAllocatorSetObjToDesc, h, memory_),
        CALL(kAllocator, aclrtAllocatorSetAllocFuncToDesc, h, Allocate),
        CALL(kAllocator, aclrtAllocatorSetFreeFuncToDesc, h, Free),
        CALL(kAllocator, aclrtAllocatorSetAllocAdviseFuncToDesc, h, AllocateAt),
        CALL(kAllocator, aclrtAllocatorSetGetAddrFromBlockFuncToDesc, h, AddressOf),
        CALL(kAllocator, aclrtAllocatorRegister, recorder_, h).Only(Where::kItsContext),
        CALL(kAllocator, aclrtAllocatorDestroyDesc, h).Alone(),
  };
}

#pragma GCC diagnostic pop
#undef CALL
#undef CALL_AFTER

}  // namespace conformance
