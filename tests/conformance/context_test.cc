// Contexts: making, switching, destroying, and what threads see of it.
#include <atomic>

#include "conformance/support.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

class Context : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtGetCurrentContext(&default_));
  }
  static aclrtContext Current() {
    aclrtContext context = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&context));
    return context;
  }

  aclrtContext default_ = nullptr;
};

TEST_F(Context, NullOutputsAreRefused) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateContext(nullptr, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetCurrentContext(nullptr));
}

TEST_F(Context, DefaultOneCannotBeDestroyed) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyContext(default_));
  EXPECT_EQ(default_, Current());
}

TEST_F(Context, DefaultOneIsSharedByThreads) {
  InThread([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_EQ(default_, Current());
  });
}

TEST_F(Context, CreatedOneBecomesCurrentAndHasItsOwnDefaultStream) {
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  ASSERT_OK(aclrtCtxGetCurrentDefaultStream(&first));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 1));
  EXPECT_EQ(context, Current());
  ASSERT_OK(aclrtCtxGetCurrentDefaultStream(&second));
  EXPECT_NE(first, second);
  int32_t id = -1;
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(1, id);
}

TEST_F(Context, SwitchingSwitchesTheDevice) {
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 1));
  ASSERT_OK(aclrtSetCurrentContext(default_));
  int32_t id = -1;
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(0, id);
  ASSERT_OK(aclrtSetCurrentContext(other));
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(1, id);
}

TEST_F(Context, SetDeviceGoesBackToTheDefaultOne) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ(default_, Current());
}

TEST_F(Context, DestroyedWhileCurrentElsewhereIsNoticedThere) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtSetDevice(0));
  std::atomic<int> step{0};
  std::thread other([&] {
    ASSERT_OK(aclrtSetCurrentContext(context));
    step = 1;
    while (step != 2) std::this_thread::yield();
    auto pointer = Untouched<void*>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&pointer));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(IsUntouched(pointer));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
  });
  while (step != 1) std::this_thread::yield();
  EXPECT_OK(aclrtDestroyContext(context));
  step = 2;
  other.join();
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(Context, DestroyedWhileCurrentHereLeavesNone) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtDestroyContext(context));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
  ASSERT_OK(aclrtSetCurrentContext(default_));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(Context, DestroyingItEndsItsStreams) {
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  uint32_t before = 0;
  uint32_t after = 0;
  ASSERT_OK(aclrtGetStreamAvailableNum(&before));
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtDestroyContext(context));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(stream));
  ASSERT_OK(aclrtGetStreamAvailableNum(&after));
  EXPECT_EQ(before, after);
}

TEST_F(Context, MemoryOutlivesIt) {
  aclrtContext context = nullptr;
  void* memory = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtDestroyContext(context));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtMemset(memory, 4096, 1, 4096));
  EXPECT_OK(aclrtFree(memory));
}

TEST_F(Context, OfADeviceThatWasResetIsTold) {
  ASSERT_OK(aclrtResetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetCurrentContext(default_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyContext(default_));
  aclrtContext made = nullptr;
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtCreateContext(&made, 0));
  ASSERT_OK(aclrtResetDeviceForce(0));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetCurrentContext(made));
}

TEST_F(Context, WithoutSetDeviceStartsTheDevice) {
  ASSERT_OK(aclrtResetDevice(0));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  uint32_t left = 0;
  EXPECT_OK(aclrtGetStreamAvailableNum(&left));
  EXPECT_EQ(1982U, left) << "one stream is the device's, one the context's";
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_OK(aclrtDestroyContext(context));
  EXPECT_OK(aclrtResetDevice(0));
}

TEST_F(Context, SynchronizeDeviceIsAboutTheCurrentOne) {
  Gate gate;
  ASSERT_OK(gate.Close(nullptr));
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(10000));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(50));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Context, DestroyedWhileOtherThreadsUseIt) {
  std::atomic<aclrtContext> shared{nullptr};
  std::atomic<bool> stop{false};
  aclrtContext first = nullptr;
  ASSERT_OK(aclrtCreateContext(&first, 0));
  shared = first;
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) {
    users.emplace_back([&] {
      while (!stop.load()) {
        if (aclrtSetCurrentContext(shared.load()) != ACL_SUCCESS) continue;
        aclrtStream stream = nullptr;
        void* memory = nullptr;
        aclrtCreateStream(&stream);
        if (aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS) {
          aclrtMemsetAsync(memory, 64, 0, 64, stream);
          aclrtSynchronizeStream(stream);
          EXPECT_OK(aclrtFree(memory));
        }
        if (stream != nullptr) aclrtDestroyStream(stream);
        aclrtSynchronizeDevice();
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    aclrtContext next = nullptr;
    ASSERT_OK(aclrtCreateContext(&next, i % 2));
    EXPECT_OK(aclrtDestroyContext(shared.exchange(next)));
  }
  stop = true;
  for (std::thread& user : users) user.join();
  ASSERT_OK(aclrtDestroyContext(shared.load()));
  // Only the two default streams are left.
  uint32_t left = 0;
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtGetStreamAvailableNum(&left));
  EXPECT_EQ(1983U, left);
}

TEST_F(Context, ResetByForceDropsWorkThatNeverEnds) {
  ASSERT_TRUE(forebay::Runtime::Configure("reset_timeout", "50").ok());
  for (const bool finalise : {false, true}) {
    ASSERT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    aclrtEvent never_recorded = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(aclrtCreateEventWithFlag(&never_recorded, ACL_EVENT_SYNC));
    ASSERT_OK(aclrtStreamWaitEvent(stream, never_recorded));
    EXPECT_OK(finalise ? aclFinalize() : aclrtResetDeviceForce(0));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(stream));
  }
  ASSERT_OK(aclInit(nullptr));
  ASSERT_TRUE(forebay::Runtime::Configure("reset_timeout", "10000").ok());
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Context, SynchroniseMeetsStreamsThatOtherThreadsDestroy) {
  ASSERT_OK(aclrtSetDevice(0));
  std::atomic<bool> stop{false};
  std::thread other([&stop] {
    EXPECT_OK(aclrtSetDevice(0));
    while (!stop.load()) {
      aclrtStream stream = nullptr;
      EXPECT_OK(aclrtCreateStream(&stream));
      EXPECT_OK(aclrtDestroyStream(stream));
    }
    EXPECT_OK(aclrtResetDevice(0));
  });
  int failures = 0;
  for (int i = 0; i < 5000; ++i) failures += aclrtSynchronizeDevice() != ACL_SUCCESS;
  EXPECT_EQ(0, failures) << Messages();
  stop = true;
  other.join();
}

}  // namespace
}  // namespace conformance
