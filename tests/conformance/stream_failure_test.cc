// Streams whose work fails or is aborted.
#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

class Stream : public WithStream {};

// ---- Failure modes ----

TEST_F(Stream, ContinueRunsWhatComesAfterAFailure) {  // A4, and the reference scenario
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(4U, FirstWord());
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  const std::string text = Messages();
  int32_t id = -1;
  ASSERT_OK(aclrtStreamGetId(stream_, &id));
  EXPECT_NE(std::string::npos, text.find("stream " + std::to_string(id))) << text;
  EXPECT_NE(std::string::npos, text.find("task 2")) << text;
  EXPECT_NE(std::string::npos, text.find("kernel trap")) << text;
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "the failure was reported, and is over";
  EXPECT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
}

TEST_F(Stream, StopKeepsEveryStreamOfTheContextFromGoingOn) {  // A5, and the reference scenario
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  aclrtEvent failed = nullptr;
  ASSERT_OK(aclrtCreateEvent(&failed));
  // What comes behind may be refused already.
  aclrtRecordEvent(failed, stream_);
  LaunchAddOne(stream_);
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, LaunchAddOne(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, LaunchAddOne(other));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, LaunchAddOne(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtMemsetAsync(memory_, 64, 0, 64, other));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtLaunchHostFunc(other, [](void*) {}, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(other));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_)) << "it stays stopped";
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(Stream, StopLeavesOtherContextsAlone) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  aclrtContext other = nullptr;
  ASSERT_OK(aclrtCreateContext(&other, 0));
  EXPECT_OK(LaunchAddOne(nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(Stream, StopLeavesCleaningUpPossible) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0U, FirstWord());
  EXPECT_OK(aclrtMemset(memory_, 64, 1, 64));
  EXPECT_OK(aclrtFree(memory_));
  EXPECT_OK(aclrtFreeHost(pinned_));
  EXPECT_OK(aclrtDestroyEvent(event_));
  EXPECT_OK(aclrtBinaryUnLoad(fault_));
  EXPECT_OK(aclrtDestroyStreamForce(stream_));
  EXPECT_OK(aclrtResetDeviceForce(0));
}

TEST_F(Stream, StoppedContextCanBeDestroyed) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchTrap(stream));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
  EXPECT_OK(aclrtDestroyContext(context));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(Stream, StreamsMadeAfterTheStopAreStoppedToo) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  aclrtStream late = nullptr;
  ASSERT_OK(aclrtCreateStream(&late));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, LaunchAddOne(late));
}

TEST_F(Stream, FailureModeIsSetOnce) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream_, 2));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream_, UINT64_MAX));
  EXPECT_OK(aclrtSetStreamFailureMode(stream_, ACL_CONTINUE_ON_FAILURE));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
}

TEST_F(Stream, FirstFailureOfAStreamIsTheOneReported) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(aclrtStreamWaitEventWithTimeout(stream_, flagged_event_, 1));
  gate.Open();
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
}

// ---- Abort ----

TEST_F(Stream, AbortStopsWhatRunsAndDropsWhatIsQueued) {
  NEEDS_STOPPABLE_KERNELS();
  Words flag(1);
  struct {
    void* flag;
    uint32_t value;
  } wait{flag.get(), 1};
  ASSERT_OK(Launch(Function(basic_, "wait_flag"), stream_, wait));
  for (int i = 0; i < 5; ++i) ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtStreamAbort(stream_));
  EXPECT_EQ(0U, FirstWord());
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(Stream, AbortWakesThreadsThatWait) {
  NEEDS_STOPPABLE_KERNELS();
  Words flag(1);
  struct {
    void* flag;
    uint32_t value;
  } wait{flag.get(), 1};
  ASSERT_OK(Launch(Function(basic_, "wait_flag"), stream_, wait));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  std::thread stream_waiter([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(stream_));
  });
  std::thread event_waiter([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeEvent(event_));
  });
  Pause(100);
  EXPECT_OK(aclrtStreamAbort(stream_));
  stream_waiter.join();
  event_waiter.join();
}

TEST_F(Stream, AbortOfAnIdleStreamChangesNothing) {
  EXPECT_OK(aclrtStreamAbort(stream_));
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

}  // namespace
}  // namespace conformance
