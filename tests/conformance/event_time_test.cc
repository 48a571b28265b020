// Events: when they completed, what they tell of failures, and what a wait stands for while others record.
#include "conformance/support.h"

namespace conformance {
namespace {

class EventTime : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateEvent(&event_));
    ASSERT_OK(aclrtCreateStream(&stream_));
  }

  aclrtEvent event_ = nullptr;
  aclrtStream stream_ = nullptr;
};

TEST_F(EventTime, TimeBetweenTwoEventsIsMeasured) {
  aclrtEvent end = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&end, ACL_EVENT_TIME_LINE));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtLaunchHostFunc(stream_, [](void*) { Pause(20); }, nullptr));
  ASSERT_OK(aclrtRecordEvent(end, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  float ms = 0;
  EXPECT_OK(aclrtEventElapsedTime(&ms, event_, end));
  EXPECT_GE(ms, 19);
  uint64_t first = 0;
  uint64_t second = 0;
  EXPECT_OK(aclrtEventGetTimestamp(event_, &first));
  EXPECT_OK(aclrtEventGetTimestamp(end, &second));
  EXPECT_GE(second, first + 19000);
  auto untouched = Untouched<float>();
  EXPECT_CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, aclrtEventElapsedTime(&untouched, end, event_));
  EXPECT_TRUE(IsUntouched(untouched));
}

TEST_F(EventTime, TimeNeedsACompleteEventThatKeepsIt) {
  aclrtEvent without_time = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&without_time, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtRecordEvent(without_time, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  auto us = Untouched<uint64_t>();
  auto ms = Untouched<float>();
  EXPECT_CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event_, &us)) << "never recorded";
  EXPECT_CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(without_time, &us));
  EXPECT_CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, event_, without_time));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  EXPECT_CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event_, &us));
  EXPECT_TRUE(IsUntouched(us));
  EXPECT_TRUE(IsUntouched(ms));
}

TEST_F(EventTime, WaitingForARecordBehindAFailureTellsIt) {
  const aclrtFuncHandle trap = Function(Load("fault_kernels"), "trap");
  aclrtArgsHandle list = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(trap, &list));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  ASSERT_OK(aclrtLaunchKernelWithConfig(trap, 1, stream_, nullptr, list, nullptr));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeEvent(event_));
}

TEST_F(EventTime, AStreamDoesNotWaitForARecordThatComesBehindTheWait) {
  // One thread records, another makes the same stream wait: whatever the order, a wait is for what is queued before it.
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  std::thread recorder([&] {
    ASSERT_OK(aclrtSetDevice(0));
    for (int i = 0; i < 20000; ++i) ASSERT_OK(aclrtRecordEvent(event_, stream_));
    ASSERT_OK(aclrtResetDevice(0));
  });
  for (int i = 0; i < 20000; ++i) ASSERT_OK(aclrtStreamWaitEvent(stream_, event_));
  recorder.join();
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 30000));
}

}  // namespace
}  // namespace conformance
