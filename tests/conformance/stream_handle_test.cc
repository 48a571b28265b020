// Handles of streams: null, stale, of another kind, made up, of another context, and destroyed while in use.
#include <atomic>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

class Stream : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    ASSERT_OK(aclrtMalloc(&descriptor_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Everything that takes a stream. Calls that end the stream come last.
  std::vector<HandleCall> Calls() {
    return {
        {"aclrtSynchronizeStream", [](void* s) { return aclrtSynchronizeStream(s); }, ACL_SUCCESS},
        {"aclrtSynchronizeStreamWithTimeout", [](void* s) { return aclrtSynchronizeStreamWithTimeout(s, 10000); },
         ACL_SUCCESS},
        {"aclrtStreamQuery",
         [](void* s) {
           aclrtStreamStatus status;
           return aclrtStreamQuery(s, &status);
         },
         ACL_SUCCESS},
        {"aclrtStreamGetId",
         [](void* s) {
           int32_t id;
           return aclrtStreamGetId(s, &id);
         },
         ACL_SUCCESS},
        {"aclrtStreamGetPriority",
         [](void* s) {
           uint32_t p;
           return aclrtStreamGetPriority(s, &p);
         },
         ACL_SUCCESS},
        {"aclrtStreamGetFlags",
         [](void* s) {
           uint32_t f;
           return aclrtStreamGetFlags(s, &f);
         },
         ACL_SUCCESS},
        {"aclrtRecordEvent", [this](void* s) { return aclrtRecordEvent(event_, s); }, ACL_SUCCESS},
        {"aclrtStreamWaitEvent", [this](void* s) { return aclrtStreamWaitEvent(s, event_); }, ACL_SUCCESS},
        {"aclrtStreamWaitEventWithTimeout", [this](void* s) { return aclrtStreamWaitEventWithTimeout(s, event_, 10); },
         ACL_SUCCESS},
        {"aclrtResetEvent", [this](void* s) { return aclrtResetEvent(flagged_event_, s); }, ACL_SUCCESS},
        {"aclrtMemcpyAsync",
         [this](void* s) { return aclrtMemcpyAsync(memory_, 64, pinned_, 64, ACL_MEMCPY_HOST_TO_DEVICE, s); },
         ACL_SUCCESS},
        {"aclrtMemsetAsync", [this](void* s) { return aclrtMemsetAsync(memory_, 64, 0, 64, s); }, ACL_SUCCESS},
        {"aclrtMemsetD32Async", [this](void* s) { return aclrtMemsetD32Async(memory_, 64, 0, 16, s); }, ACL_SUCCESS},
        {"aclrtMemcpy2dAsync",
         [this](void* s) { return aclrtMemcpy2dAsync(memory_, 8, pinned_, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, s); },
         ACL_SUCCESS},
        {"aclrtMemcpyBatchAsyncV2",
         [this](void* s) {
           std::size_t bytes = 64;
           std::size_t first = 0;
           aclrtMemcpyBatchAttr attribute{};
           attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
           return aclrtMemcpyBatchAsyncV2(&memory_, &bytes, &pinned_, &bytes, 1, &attribute, &first, 1, s);
         },
         ACL_SUCCESS},
        {"aclrtMemcpyAsyncWithOffset",
         [this](void* s) {
           return aclrtMemcpyAsyncWithOffset(static_cast<void**>(device_arguments_), 4, 0,
                                             static_cast<const void**>(device_arguments_), 4, 0,
                                             ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s);
         },
         ACL_SUCCESS},
        {"aclrtMemcpyAsyncWithDesc",
         [this](void* s) {
           aclrtSetMemcpyDesc(descriptor_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, memory_, memory_, 4, nullptr);
           return aclrtMemcpyAsyncWithDesc(descriptor_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s);
         },
         ACL_SUCCESS},
        {"aclrtReduceAsync",
         [this](void* s) {
           return aclrtReduceAsync(memory_, memory_, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, s, nullptr);
         },
         ACL_SUCCESS},
        {"aclrtRandomNumAsync",
         [this](void* s) {
           aclrtRandomNumTaskInfo task{};
           task.dataType = ACL_FLOAT;
           task.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation.size = 4;
           task.randomResultAddr = task.randomCounterAddr = memory_;
           task.randomSeed.size = 8;
           task.randomNum = {0, {1}, 8, {}};
           return aclrtRandomNumAsync(&task, s, nullptr);
         },
         ACL_SUCCESS},
        {"aclrtLaunchKernelWithHostArgs", [this](void* s) { return LaunchAddOne(s); }, ACL_SUCCESS},
        {"aclrtLaunchKernelWithConfig",
         [this](void* s) { return aclrtLaunchKernelWithConfig(add_one_, 1, s, nullptr, list_, nullptr); }, ACL_SUCCESS},
        {"aclrtLaunchKernel",
         [this](void* s) { return aclrtLaunchKernel(add_one_, 1, device_arguments_, sizeof(DataAndCount), s); },
         ACL_SUCCESS},
        {"aclrtLaunchHostFunc", [](void* s) { return aclrtLaunchHostFunc(s, [](void*) {}, nullptr); }, ACL_SUCCESS},
        {"aclrtStreamAbort", [](void* s) { return aclrtStreamAbort(s); }, ACL_SUCCESS},
        {"aclrtSetStreamFailureMode", [](void* s) { return aclrtSetStreamFailureMode(s, ACL_CONTINUE_ON_FAILURE); },
         ACL_SUCCESS},
        {"aclrtDestroyStream", [](void* s) { return aclrtDestroyStream(s); }, ACL_ERROR_RT_PARAM_INVALID},
        {"aclrtDestroyStreamForce", [](void* s) { return aclrtDestroyStreamForce(s); }, ACL_ERROR_RT_PARAM_INVALID},
    };
  }

  void* descriptor_ = nullptr;
};

TEST_F(Stream, NullStandsForTheDefaultStreamButCannotBeDestroyed) {
  for (const HandleCall& call : Calls()) EXPECT_CODE(call.on_null, call.call(nullptr)) << call.name;
}

TEST_F(Stream, EveryCallTakesALiveStream) {
  for (const HandleCall& call : Calls()) {
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(call.call(stream)) << call.name;
  }
}

TEST_F(Stream, DestroyedIsRefused) {
  ASSERT_OK(aclrtDestroyStream(stream_));
  for (const HandleCall& call : Calls()) EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, call.call(stream_)) << call.name;
}

TEST_F(Stream, DestroyedIsRefusedWhenAnotherTookItsPlace) {
  ASSERT_OK(aclrtDestroyStream(stream_));
  std::vector<aclrtStream> others(100);
  for (aclrtStream& other : others) {
    ASSERT_OK(aclrtCreateStream(&other));
    EXPECT_NE(stream_, other);
  }
  for (const HandleCall& call : Calls()) EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, call.call(stream_)) << call.name;
}

TEST_F(Stream, OtherKindsAreRefused) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  for (void* other : {static_cast<void*>(event_), static_cast<void*>(context), static_cast<void*>(basic_),
                      static_cast<void*>(add_one_), static_cast<void*>(list_)}) {
    for (const HandleCall& call : Calls()) EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, call.call(other)) << call.name;
  }
}

TEST_F(Stream, MadeUpHandlesAreRefused) {
  for (void* handle : MadeUpHandles(stream_)) {
    for (const HandleCall& call : Calls())
      ASSERT_CODE(ACL_ERROR_RT_INVALID_HANDLE, call.call(handle)) << call.name << handle;
  }
}

TEST_F(Stream, OfAnotherContextIsRefusedButForQuestionsAboutIt) {
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  for (const HandleCall& call : Calls()) {
    const std::string name = call.name;
    const bool asks = name == "aclrtStreamGetId" || name == "aclrtStreamGetPriority" || name == "aclrtStreamGetFlags";
    EXPECT_CODE(asks ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_CONTEXT, call.call(stream_)) << name;
  }
}

TEST_F(Stream, OfAnotherDeviceStaysUsableThere) {  // A3
  ASSERT_OK(aclrtSetDevice(1));
  char host[64] = {};
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemcpyAsync(memory_, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(stream_));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtMemcpyAsync(memory_, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_OK(aclrtDestroyStream(stream_));
}

TEST_F(Stream, WithoutContextEveryCallSaysSo) {
  InThread([&] {
    for (const HandleCall& call : Calls()) {
      EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, call.call(stream_)) << call.name;
    }
  });
}

TEST_F(Stream, DestroyedWhileOtherThreadsUseIt) {
  std::atomic<aclrtStream> shared{stream_};
  std::atomic<bool> stop{false};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) {
    users.emplace_back([&, i] {
      ASSERT_OK(aclrtSetDevice(0));
      const std::vector<HandleCall> calls = Calls();
      for (std::size_t turn = static_cast<std::size_t>(i); !stop.load(); ++turn) {
        const HandleCall& call = calls[turn % (calls.size() - 2)];
        const aclError code = call.call(shared.load());
        EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE || code == ACL_ERROR_RT_STREAM_ABORT ||
                    code == ACL_ERROR_RT_EVENT_NOT_COMPLETE || code == ACL_ERROR_RT_PARAM_INVALID)
            << call.name << " " << code << Messages();
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    aclrtStream next = nullptr;
    ASSERT_OK(aclrtCreateStream(&next));
    const aclrtStream old = shared.exchange(next);
    EXPECT_OK(i % 2 == 0 ? aclrtDestroyStream(old) : aclrtDestroyStreamForce(old));
  }
  stop = true;
  for (std::thread& user : users) user.join();
}

TEST_F(Stream, DestroyedByManyThreadsIsDestroyedOnce) {
  for (int round = 0; round < 20; ++round) {
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    std::atomic<int> destroyed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        ASSERT_OK(aclrtSetDevice(0));
        const aclError code = aclrtDestroyStream(stream);
        EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE) << code;
        destroyed += code == ACL_SUCCESS;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(1, destroyed.load());
  }
}

}  // namespace
}  // namespace conformance
