// Events: their kinds, order between streams.
#include <chrono>

#include "conformance/support.h"

namespace conformance {
namespace {

class Event : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateEvent(&event_));
    ASSERT_OK(aclrtCreateStream(&stream_));
    ASSERT_OK(aclrtCreateStream(&other_stream_));
  }

  static aclError QueryOldStyle(aclrtEvent event, aclrtEventStatus* status) {
    aclrtEventStatus ignored;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return aclrtQueryEvent(event, status != nullptr ? status : &ignored);
#pragma GCC diagnostic pop
  }
  static bool IsComplete(aclrtEvent event) {
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_OK(aclrtQueryEventStatus(event, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }

  aclrtEvent event_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtStream other_stream_ = nullptr;
};

TEST_F(Event, WithoutContextOnlyQuestionsAndWaitsWork) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  InThread([&] {
    auto made = Untouched<aclrtEvent>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEvent(&made));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEventWithFlag(&made, ACL_EVENT_SYNC));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEventExWithFlag(&made, ACL_EVENT_SYNC));
    EXPECT_TRUE(IsUntouched(made));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEvent(event_, stream_));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamWaitEvent(stream_, event_));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetEvent(event_, stream_));
    EXPECT_TRUE(IsComplete(event_));
    EXPECT_OK(aclrtSynchronizeEvent(event_));
    EXPECT_OK(aclrtDestroyEvent(event_));
  });
}

// ---- Creating ----

TEST_F(Event, CreateRefusesNullAndBadFlags) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEvent(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC));
  auto event = Untouched<aclrtEvent>();
  for (const uint32_t flag :
       {0U, 0x4U, 0x80U, 0x80000000U, UINT32_MAX, ACL_EVENT_IPC, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(&event, flag)) << flag;
  }
  for (const uint32_t flag : {0U, 0x4U, 0x80U, 0x80000000U, UINT32_MAX, ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL,
                              ACL_EVENT_IPC | ACL_EVENT_SYNC}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventExWithFlag(&event, flag)) << flag;
  }
  EXPECT_TRUE(IsUntouched(event));
}

// ---- Order ----

TEST_F(Event, StreamWaitsForTheRecord) {
  Words word(1);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtMemsetAsync(word.get(), 4, 1, 4, stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event_));
  ASSERT_OK(aclrtMemsetAsync(word.get(), 4, 2, 4, other_stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 50));
  EXPECT_EQ(0U, word[0]);
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(other_stream_));
  EXPECT_EQ(0x02020202U, word[0]);
}

TEST_F(Event, WaitKeepsTheRecordItWasQueuedBehind) {
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
  EXPECT_FALSE(IsComplete(event));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeEvent(event));
}

TEST_F(Event, NeverRecordedMeansWhatItsKindSays) {
  aclrtEvent flagged = nullptr;
  aclrtEvent extended = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream_, event_));
  EXPECT_OK(aclrtStreamWaitEvent(stream_, extended));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
  EXPECT_OK(aclrtStreamWaitEvent(stream_, flagged));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 50));
  EXPECT_OK(aclrtRecordEvent(flagged, other_stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
}

TEST_F(Event, NeverRecordedAnswersByKind) {
  aclrtEvent flagged = nullptr;
  aclrtEvent extended = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC));
  EXPECT_FALSE(IsComplete(event_));
  EXPECT_FALSE(IsComplete(flagged));
  EXPECT_TRUE(IsComplete(extended));
  for (const aclrtEvent event : {event_, flagged, extended}) {
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT_OK(aclrtSynchronizeEventWithTimeout(event, 1));
  }
}

TEST_F(Event, WaitNeedsAnEventThatSynchronises) {
  aclrtEvent flagged = nullptr;
  aclrtEvent extended = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_TIME_LINE));
  ASSERT_OK(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_TIME_LINE));
  for (const aclrtEvent event : {flagged, extended}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream_, event));
    ASSERT_OK(aclrtRecordEvent(event, other_stream_));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream_, event));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(stream_, event, 1));
  }
}

TEST_F(Event, WaitThatTakesTooLongFailsTheStream) {
  aclrtEvent flagged = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  EXPECT_OK(aclrtStreamWaitEventWithTimeout(stream_, flagged, 1));
  EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream_));
}

TEST_F(Event, DefaultTimeoutOfWaitsHoldsForLaterOnes) {
  aclrtEvent flagged = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  EXPECT_OK(aclrtSetOpWaitTimeout(1));
  EXPECT_OK(aclrtStreamWaitEvent(stream_, flagged));
  EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtSetOpWaitTimeout(0));
}

TEST_F(Event, DefaultTimeoutOfWaitsNeedsTheStart) {
  ASSERT_OK(aclFinalize());
  EXPECT_CODE(ACL_ERROR_UNINITIALIZE, aclrtSetOpWaitTimeout(1));
}

TEST_F(Event, NegativeTimeoutOfAWaitIsRefused) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(other_stream_, event_, -1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(other_stream_, event_, INT32_MIN));
  EXPECT_OK(aclrtStreamWaitEventWithTimeout(other_stream_, event_, 0));
  EXPECT_OK(aclrtStreamWaitEventWithTimeout(other_stream_, event_, INT32_MAX)) << "the longest there is";
}

TEST_F(Event, DestroyedBeforeItHappenedStillReleasesTheWait) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event_));
  EXPECT_OK(aclrtDestroyEvent(event_));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

// ---- Reset and questions ----

TEST_F(Event, ResetMakesAFlaggedEventIncomplete) {
  aclrtEvent flagged = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  ASSERT_OK(aclrtRecordEvent(flagged, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(IsComplete(flagged));
  EXPECT_OK(aclrtResetEvent(flagged, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_FALSE(IsComplete(flagged));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, flagged));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 50));
  ASSERT_OK(aclrtRecordEvent(flagged, stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

TEST_F(Event, ResetRefusesOtherKinds) {
  aclrtEvent without_sync = nullptr;
  aclrtEvent extended = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&without_sync, ACL_EVENT_TIME_LINE));
  ASSERT_OK(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC));
  for (const aclrtEvent event : {event_, without_sync, extended}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(event, stream_));
  }
}

TEST_F(Event, OldQuestionIsTheOtherWayRound) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  EXPECT_OK(QueryOldStyle(event_, &status));
  EXPECT_EQ(ACL_EVENT_STATUS_NOT_READY, status);
  gate.Open();
  ASSERT_OK(aclrtSynchronizeEvent(event_));
  EXPECT_OK(QueryOldStyle(event_, &status));
  EXPECT_EQ(ACL_EVENT_STATUS_COMPLETE, status);
}

TEST_F(Event, OldQuestionRefusesExtendedEvents) {
  aclrtEvent extended = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC));
  auto status = Untouched<aclrtEventStatus>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, QueryOldStyle(extended, &status));
  EXPECT_TRUE(IsUntouched(status));
}

TEST_F(Event, NullOutputsAreRefused) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEvent(event_, nullptr));
#pragma GCC diagnostic pop
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus(event_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime(nullptr, event_, event_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtEventGetTimestamp(event_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetEventId(event_, nullptr));
}

TEST_F(Event, TimeoutOfTheHostLeavesTheWorkGoingOn) {  // A6
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_CODE(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event_, 100));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeEvent(event_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(Event, BadTimeoutsOfTheHostAreRefused) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  for (const int32_t timeout : {0, -2, INT32_MIN}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event_, timeout));
  }
  EXPECT_OK(aclrtSynchronizeEventWithTimeout(event_, -1));
}
}  // namespace
}  // namespace conformance
