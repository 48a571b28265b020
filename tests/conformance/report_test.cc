// Callbacks that threads of the program run.
#include <pthread.h>

#include <atomic>
#include <chrono>

#include "conformance/support.h"

namespace conformance {
namespace {

uint64_t Self() { return static_cast<uint64_t>(pthread_self()); }

class Report : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateStream(&stream_));
  }
  aclrtStream stream_ = nullptr;
};

void Count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

TEST_F(Report, RunsInTheThreadThatAsksAndLaterTasksWaitForIt) {
  Words words(1);
  struct Call {
    void* address;
    std::thread::id thread;
    uint32_t seen;
  } call{words.get(), {}, 0};
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtMemsetAsync(words.get(), 4, 7, 4, stream_));
  ASSERT_OK(aclrtLaunchCallback(
      [](void* data) {
        auto* made = static_cast<Call*>(data);
        made->thread = std::this_thread::get_id();
        aclrtMemcpy(&made->seen, 4, made->address, 4, ACL_MEMCPY_DEVICE_TO_HOST);
      },
      &call, ACL_CALLBACK_BLOCK, stream_));
  ASSERT_OK(aclrtMemsetAsync(words.get(), 4, 9, 4, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 20));
  ASSERT_OK(aclrtProcessReport(20000));
  EXPECT_EQ(std::this_thread::get_id(), call.thread);
  EXPECT_EQ(0x07070707U, call.seen);
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0x09090909U, words[0]);
  EXPECT_OK(aclrtUnSubscribeReport(Self(), stream_));
}

TEST_F(Report, ThatDoesNotBlockIsNotWaitedFor) {
  std::atomic<int> calls{0};
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_NO_BLOCK, stream_));
  ASSERT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 20000));
  EXPECT_EQ(0, calls.load());
  ASSERT_OK(aclrtProcessReport(20000));
  EXPECT_EQ(1, calls.load());
}

TEST_F(Report, OneThreadServesSeveralStreamsInTheirOrder) {
  static std::atomic<int> next;
  next = 0;
  std::atomic<bool> ready{false};
  std::atomic<bool> stop{false};
  std::thread server([&] {
    ready = true;
    while (!stop.load()) aclrtProcessReport(20);
  });
  while (!ready.load()) std::this_thread::yield();
  const auto id = static_cast<uint64_t>(server.native_handle());
  ASSERT_OK(aclrtSubscribeReport(id, stream_));
  ASSERT_OK(aclrtSubscribeReport(id, nullptr));
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(aclrtLaunchCallback([](void*) { ++next; }, nullptr, ACL_CALLBACK_BLOCK, i % 2 == 0 ? stream_ : nullptr));
  }
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(100, next.load());
  EXPECT_OK(aclrtUnSubscribeReport(id, stream_));
  EXPECT_OK(aclrtUnSubscribeReport(id, nullptr));
  stop = true;
  server.join();
}

TEST_F(Report, MisuseHasItsCodes) {
  std::atomic<int> calls{0};
  EXPECT_CODE(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_CODE(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(10));
  EXPECT_CODE(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtUnSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport(Self(), stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport(Self() + 1, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtUnSubscribeReport(Self(), nullptr));
  EXPECT_CODE(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(10));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtProcessReport(0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtProcessReport(-2));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchCallback(nullptr, &calls, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback(Count, &calls, NoSuch<aclrtCallbackBlockType>(2), stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtSubscribeReport(Self(), &calls));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, &calls));
  InThread([] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeReport(Self(), nullptr)); });
  ASSERT_OK(aclrtSetDevice(1));
  EXPECT_CODE(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtSubscribeReport(Self(), nullptr)) << "it serves device 0";
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtUnSubscribeReport(Self(), stream_));
}

TEST_F(Report, WaitOfACallbackForItsOwnStreamIsRefused) {
  static aclError code;
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtLaunchCallback([](void* stream) { code = aclrtSynchronizeStream(stream); }, stream_,
                                ACL_CALLBACK_BLOCK, stream_));
  ASSERT_OK(aclrtProcessReport(20000));
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, code);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(Report, AbortAndUnsubscribingAndDestructionDropWhatHasNotBegun) {
  std::atomic<int> calls{0};
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_OK(aclrtStreamAbort(stream_));
  ASSERT_OK(aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_OK(aclrtUnSubscribeReport(Self(), stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 20000));
  ASSERT_OK(aclrtSubscribeReport(Self(), stream_));
  ASSERT_OK(aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_OK(aclrtDestroyStreamForce(stream_));
  EXPECT_EQ(0, calls.load());
  EXPECT_CODE(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(10)) << "its last stream is gone";
}

TEST_F(Report, AThreadThatWaitsLearnsOfTheEndOfItsSubscription) {
  std::atomic<aclError> code{ACL_SUCCESS};
  std::atomic<bool> ready{false};
  std::atomic<bool> go{false};
  std::thread server([&] {
    ready = true;
    while (!go.load()) std::this_thread::yield();
    code = aclrtProcessReport(-1);
  });
  const auto id = static_cast<uint64_t>(server.native_handle());
  ASSERT_OK(aclrtSubscribeReport(id, stream_));
  go = true;
  EXPECT_OK(aclrtUnSubscribeReport(id, stream_));
  server.join();
  EXPECT_EQ(ACL_ERROR_RT_THREAD_SUBSCRIBE, code.load());
}

}  // namespace
}  // namespace conformance
