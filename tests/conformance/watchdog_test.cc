// That what takes too long ends in time: kernels, waits on the device, waits of the host.
#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int64_t kLate = 1000;
#else
constexpr int64_t kLate = 100;
#endif

int64_t MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// `body` takes `limit` ms, and at most 100 ms more, once the machine lets it.
void ExpectTakes(int64_t limit, const std::function<void()>& body) {
  int64_t best = INT64_MAX;
  for (int attempt = 0; attempt < 5 && best > limit + kLate && !testing::Test::HasFailure(); ++attempt) {
    const auto start = Clock::now();
    body();
    const int64_t taken = MillisecondsSince(start);
    EXPECT_GE(taken, limit) << "too early";
    best = std::min(best, taken);
  }
  EXPECT_LE(best, limit + kLate);
}

// On a device with one core and one more for the dispatcher, so that a core which is lost is missed at once.
class StoppedInTime : public WithKernels {
 protected:
  void SetUp() override {
    Start(R"("timeout_interval": 10000, "ai_cores": 1, "core_threads": 2)");
    forever_ = Function(Load("fault_kernels"), "loop_forever");
    vector_forever_ = Function(Load("argument_kernels"), "vector_forever");
  }

  void ExpectStopped(int64_t limit, std::vector<aclrtLaunchKernelAttr> attributes = {}, uint32_t blocks = 1) {
    bool on_vector_core = false;
    ExpectTakes(limit, [&] {
      on_vector_core = !on_vector_core;
      aclrtLaunchKernelCfg config{attributes.data(), attributes.size()};
      void* nothing[1] = {};
      ASSERT_OK(aclrtLaunchKernelWithArgsArray(on_vector_core ? vector_forever_ : forever_, blocks, stream_, &config,
                                               nothing));
      EXPECT_CODE(on_vector_core ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT : ACL_ERROR_RT_AICORE_TIMEOUT,
                  aclrtSynchronizeStreamWithTimeout(stream_, 20'000));
    });
    const uint32_t before = (*words_)[0];
    EXPECT_OK(Launch(add_one_, stream_, Arguments()));
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 20'000)) << "its core works again";
    EXPECT_EQ(before + 1, (*words_)[0]);
  }

  aclrtFuncHandle forever_ = nullptr;
  aclrtFuncHandle vector_forever_ = nullptr;
};

TEST_F(StoppedInTime, KernelsByTheTimeOfTheProcessInEveryUnit) {
  NEEDS_STOPPABLE_KERNELS();
  uint64_t actual = 0;
  ASSERT_OK(aclrtSetOpExecuteTimeOut(1));
  ExpectStopped(1000);
  ASSERT_OK(aclrtSetOpExecuteTimeOutWithMs(70));
  ExpectStopped(70);
  ASSERT_OK(aclrtSetOpExecuteTimeOutV2(30'000, &actual));
  ExpectStopped(30);
}

TEST_F(StoppedInTime, KernelsByTheTimeOfTheirLaunchInEveryUnit) {
  NEEDS_STOPPABLE_KERNELS();
  aclrtLaunchKernelAttr seconds{};
  seconds.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  seconds.value.timeout = 1;
  ExpectStopped(1000, {seconds});
  aclrtLaunchKernelAttr microseconds{};
  microseconds.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  microseconds.value.timeoutUs = {40'000, 0};
  ExpectStopped(40, {microseconds});
}

TEST_F(StoppedInTime, KernelsOfManyBlocks) {
  NEEDS_STOPPABLE_KERNELS();
  ASSERT_OK(aclrtSetOpExecuteTimeOutWithMs(50));
  ExpectStopped(50, {}, 20);
}

// Side by side, as each takes a second at least.
TEST_F(StoppedInTime, WaitsOfStreams) {
  aclrtStream streams[4] = {};
  for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
  aclrtEvent event = nullptr;
  aclrtNotify notify = nullptr;
  aclrtCntNotify counted = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtCreateNotify(&notify, 0));
  ASSERT_OK(aclrtCntNotifyCreate(&counted, 0));
  ExpectTakes(1000, [&] {
    aclrtCntNotifyWaitInfo wait{};
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    wait.value = 5;
    wait.timeout = 1;
    ASSERT_OK(aclrtStreamWaitEventWithTimeout(streams[0], event, 1));
    ASSERT_OK(aclrtSetOpWaitTimeout(1));
    ASSERT_OK(aclrtStreamWaitEvent(streams[1], event));
    ASSERT_OK(aclrtSetOpWaitTimeout(0));
    ASSERT_OK(aclrtWaitAndResetNotify(notify, streams[2], 1));
    ASSERT_OK(aclrtCntNotifyWaitWithTimeout(counted, streams[3], &wait));
    for (aclrtStream stream : streams)
      EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20'000));
  });
  for (aclrtStream stream : streams) {
    EXPECT_OK(Launch(add_one_, stream, Arguments()));
    EXPECT_OK(aclrtSynchronizeStream(stream));
  }
  EXPECT_EQ(4U, (*words_)[0]);
}

TEST_F(StoppedInTime, WaitsOfTheHost) {
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateEvent(&event));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(Launch(add_one_, stream_, Arguments()));
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ExpectTakes(60,
              [&] { EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 60)); });
  ExpectTakes(60, [&] { EXPECT_CODE(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 60)); });
  ExpectTakes(60, [&] { EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(60)); });
  gate.Open();
  EXPECT_OK(aclrtSynchronizeEventWithTimeout(event, 20'000)) << "what was waited for goes on";
  EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(20'000));
  EXPECT_EQ(1U, (*words_)[0]);
}

}  // namespace
}  // namespace conformance
