// Events: what their flags and the flags of records and waits do, resets in stream order, and the waits of an event.
#include "conformance/support.h"

namespace conformance {
namespace {

class EventFlag : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateEventWithFlag(&event_, ACL_EVENT_SYNC));
    ASSERT_OK(aclrtCreateEventExWithFlag(&extended_, ACL_EVENT_SYNC));
    ASSERT_OK(aclrtCreateStream(&stream_));
    ASSERT_OK(aclrtCreateStream(&other_stream_));
  }

  static bool IsComplete(aclrtEvent event) {
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_OK(aclrtQueryEventStatus(event, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }
  static bool AreWaitsDone(aclrtEvent event) {
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    EXPECT_OK(aclrtQueryEventWaitStatus(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_WAIT_STATUS_COMPLETE || status == ACL_EVENT_WAIT_STATUS_NOT_READY) << status;
    return status == ACL_EVENT_WAIT_STATUS_COMPLETE;
  }
  void ExpectBlocked(aclrtStream stream) {
    EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
  }
  void ExpectRuns(aclrtStream stream) { EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, 10000)); }

  aclrtEvent event_ = nullptr;
  aclrtEvent extended_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtStream other_stream_ = nullptr;
};

// ---- Kinds ----

TEST_F(EventFlag, ExternalOneMakesTheStreamWaitForItsRecord) {
  aclrtEvent external = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_OK(aclrtStreamWaitEvent(other_stream_, external));
    ExpectBlocked(other_stream_);
    ASSERT_OK(aclrtRecordEvent(external, stream_));
    ExpectRuns(other_stream_);
    ASSERT_OK(aclrtResetEvent(external, other_stream_));
  }
}

TEST_F(EventFlag, ExternalStandsAlone) {
  auto event = Untouched<aclrtEvent>();
  for (const uint32_t flag : {ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE, ACL_EVENT_DEVICE_USE_ONLY})
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL | flag));
  EXPECT_TRUE(IsUntouched(event));
}

TEST_F(EventFlag, OneForTheDeviceOnlyOrdersStreamsAndTellsTheHostNothing) {
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event));
  ExpectBlocked(other_stream_);
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ExpectRuns(other_stream_);
  aclrtEventRecordedStatus recorded;
  aclrtEventWaitStatus waits;
  uint64_t us = 0;
  float ms = 0;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventStatus(event, &recorded));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventWaitStatus(event, &waits));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEvent(event));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, 10));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtEventGetTimestamp(event, &us));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtEventElapsedTime(&ms, event, event));
  EXPECT_OK(aclrtResetEvent(event, stream_));
  EXPECT_OK(aclrtDestroyEvent(event));
}

// ---- Reset ----

TEST_F(EventFlag, ResetTakesEffectInStreamOrder) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtResetEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event_));
  EXPECT_TRUE(IsComplete(event_)) << "the reset has not run";
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event_));
  ExpectRuns(other_stream_);
  gate.Open();
  ExpectBlocked(stream_);
  EXPECT_FALSE(IsComplete(event_));
  ASSERT_OK(aclrtRecordEvent(event_, other_stream_));
  ExpectRuns(stream_);
  EXPECT_TRUE(IsComplete(event_));
}

TEST_F(EventFlag, ResetUndoesWhatHasHappenedWhenItRuns) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtResetEvent(event_, stream_));
  ASSERT_OK(aclrtRecordEvent(event_, other_stream_));
  ASSERT_OK(aclrtSynchronizeStream(other_stream_));
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_FALSE(IsComplete(event_)) << "also a record that was queued later, on a stream that came first";
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event_));
  ExpectBlocked(stream_);
  ASSERT_OK(aclrtRecordEvent(event_, other_stream_));
  ExpectRuns(stream_);
}

TEST_F(EventFlag, WaitsAndResetsInALoopNeverPassAnOldRecord) {
  Words word(1);
  for (uint8_t turn = 1; turn <= 20; ++turn) {
    ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event_));
    ASSERT_OK(aclrtResetEvent(event_, other_stream_));
    Gate gate;
    ASSERT_OK(gate.Close(stream_));
    ASSERT_OK(aclrtMemsetAsync(word.get(), 4, turn, 4, stream_));
    ASSERT_OK(aclrtRecordEvent(event_, stream_));
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    EXPECT_OK(aclrtStreamQuery(other_stream_, &status));
    EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status) << turn;
    gate.Open();
    ExpectRuns(other_stream_);
    EXPECT_EQ(0x01010101U * turn, word[0]);
  }
}

// ---- Records and waits with flags ----

TEST_F(EventFlag, DefaultFlagsAreTheCallsWithoutFlags) {
  ASSERT_OK(aclrtStreamWaitEventWithFlag(other_stream_, event_, 0, ACL_EVENT_WAIT_DEFAULT));
  ExpectBlocked(other_stream_);
  ASSERT_OK(aclrtRecordEventWithFlag(event_, stream_, ACL_EVENT_RECORD_DEFAULT));
  ExpectRuns(other_stream_);
  ASSERT_OK(aclrtResetEvent(event_, other_stream_));
  ASSERT_OK(aclrtStreamWaitEventWithFlag(other_stream_, event_, 1, ACL_EVENT_WAIT_DEFAULT));
  EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(other_stream_));
  ASSERT_OK(aclrtRecordEventWithFlag(extended_, stream_, ACL_EVENT_RECORD_DEFAULT));
  EXPECT_OK(aclrtSynchronizeEvent(extended_));
}

TEST_F(EventFlag, ExternalFlagsNeedACapture) {
  EXPECT_CODE(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
              aclrtStreamWaitEventWithFlag(stream_, extended_, 0, ACL_EVENT_WAIT_EXTERNAL));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag(stream_, extended_, 1, ACL_EVENT_WAIT_EXTERNAL));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag(stream_, event_, 0, ACL_EVENT_WAIT_EXTERNAL));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(event_, stream_, ACL_EVENT_RECORD_EXTERNAL));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
              aclrtRecordEventWithFlag(extended_, stream_, ACL_EVENT_RECORD_EXTERNAL));
}

TEST_F(EventFlag, FirstRecordDecidesTheFlagEvenWhenItFails) {
  ASSERT_OK(aclrtRecordEventWithFlag(extended_, stream_, ACL_EVENT_RECORD_DEFAULT));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(extended_, stream_, ACL_EVENT_RECORD_EXTERNAL));
  aclrtEvent other = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&other, ACL_EVENT_SYNC));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclrtRecordEventWithFlag(other, stream_, ACL_EVENT_RECORD_EXTERNAL));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(other, stream_, ACL_EVENT_RECORD_DEFAULT));
}

TEST_F(EventFlag, UnknownFlagsAreRefused) {
  for (const uint32_t flag : {2U, UINT32_MAX}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(event_, stream_, flag));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag(stream_, event_, 0, flag));
  }
  EXPECT_FALSE(IsComplete(event_));
}

// ---- Questions ----

TEST_F(EventFlag, WaitStatusIsAboutAllStreamsThatWait) {
  EXPECT_TRUE(AreWaitsDone(event_)) << "there are none";
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, event_));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event_));
  EXPECT_FALSE(AreWaitsDone(event_));
  ASSERT_OK(aclrtRecordEvent(event_, nullptr));
  ExpectRuns(other_stream_);
  EXPECT_FALSE(AreWaitsDone(event_)) << "one stream has not come to its wait";
  gate.Open();
  ExpectRuns(stream_);
  EXPECT_TRUE(AreWaitsDone(event_));
}

TEST_F(EventFlag, WaitStatusRefusesExtendedEventsAndNull) {
  auto status = Untouched<aclrtEventWaitStatus>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventWaitStatus(extended_, &status));
  EXPECT_TRUE(IsUntouched(status));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtQueryEventWaitStatus(event_, nullptr));
}

TEST_F(EventFlag, AvailableNumberCountsDown) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetEventAvailNum(nullptr));
  uint32_t before = 0;
  uint32_t after = 0;
  ASSERT_OK(aclrtGetEventAvailNum(&before));
  EXPECT_EQ(65536U - 1, before) << "event_ has a number, extended_ not yet";
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE));
  ASSERT_OK(aclrtRecordEvent(extended_, stream_));
  ASSERT_OK(aclrtGetEventAvailNum(&after));
  EXPECT_EQ(before - 2, after);
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtDestroyEvent(event));
  ASSERT_OK(aclrtDestroyEvent(extended_));
  ASSERT_OK(aclrtGetEventAvailNum(&after));
  EXPECT_EQ(before, after);
  InThread([] {
    auto count = Untouched<uint32_t>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetEventAvailNum(&count));
    EXPECT_TRUE(IsUntouched(count));
  });
}

TEST_F(EventFlag, SnapshotOutlivesASecondRecordAndTheDestroy) {  // A11
  Words words(2);
  aclrtStream third = nullptr;
  ASSERT_OK(aclrtCreateStream(&third));
  Gate first;
  Gate second;
  ASSERT_OK(first.Close(stream_));
  ASSERT_OK(aclrtMemsetAsync(words.get(), 4, 1, 4, stream_));
  ASSERT_OK(aclrtRecordEvent(extended_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, extended_));
  ASSERT_OK(second.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(extended_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(third, extended_));
  ASSERT_OK(aclrtDestroyEvent(extended_)) << "and it does not block";
  ExpectBlocked(other_stream_);
  first.Open();
  ExpectRuns(other_stream_);
  EXPECT_EQ(0x01010101U, words[0]);
  ExpectBlocked(third);
  second.Open();
  ExpectRuns(third);
  aclrtEvent never = nullptr;
  ASSERT_OK(aclrtCreateEventExWithFlag(&never, ACL_EVENT_SYNC));
  EXPECT_TRUE(IsComplete(never));
  ASSERT_OK(aclrtStreamWaitEvent(other_stream_, never));
  ExpectRuns(other_stream_);
}

}  // namespace
}  // namespace conformance
