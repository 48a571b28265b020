// Notifies: one record releases one wait.
#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

class Notify : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT));
    ASSERT_OK(aclrtCreateStream(&stream_));
    ASSERT_OK(aclrtCreateStream(&other_stream_));
  }

  aclrtNotify notify_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtStream other_stream_ = nullptr;
};

// ---- Handles ----

TEST_F(Notify, NullOutputsAreRefused) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCreateNotify(nullptr, ACL_NOTIFY_DEFAULT));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId(notify_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtNotifyBatchReset(nullptr, 1));
}

TEST_F(Notify, StreamOfAnotherContextOrDeviceIsRefused) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordNotify(notify_, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtWaitAndResetNotify(notify_, stream_, 0));
  EXPECT_OK(aclrtRecordNotify(notify_, nullptr)) << "a notify belongs to its device";
  EXPECT_OK(aclrtWaitAndResetNotify(notify_, nullptr, 0));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  ASSERT_OK(aclrtSetDevice(1));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordNotify(notify_, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtWaitAndResetNotify(notify_, nullptr, 0));
  EXPECT_OK(aclrtSynchronizeStream(nullptr)) << "nothing was queued";
}

TEST_F(Notify, WithoutContextNoneIsMade) {
  InThread([&] {
    auto made = Untouched<aclrtNotify>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT));
    EXPECT_TRUE(IsUntouched(made));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordNotify(notify_, nullptr));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtNotifyBatchReset(&notify_, 1));
    EXPECT_OK(aclrtDestroyNotify(notify_));
  });
}

TEST_F(Notify, UnknownFlagsAreRefused) {
  auto made = Untouched<aclrtNotify>();
  for (const uint64_t flag : {uint64_t{2}, uint64_t{1} << 32, UINT64_MAX})
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateNotify(&made, flag));
  EXPECT_TRUE(IsUntouched(made));
  EXPECT_OK(aclrtCreateNotify(&made, ACL_NOTIFY_DEVICE_USE_ONLY));
}

TEST_F(Notify, AsManyAsThePartHasAndNoMore) {
  std::vector<aclrtNotify> notifies = {notify_};
  std::vector<bool> seen(8192);
  aclError code = ACL_SUCCESS;
  while (code == ACL_SUCCESS && notifies.size() < 10000) {
    uint32_t id = 0;
    ASSERT_OK(aclrtGetNotifyId(notifies.back(), &id));
    ASSERT_LT(id, seen.size());
    EXPECT_FALSE(seen[id]) << id;
    seen[id] = true;
    auto notify = Untouched<aclrtNotify>();
    code = aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT);
    if (code == ACL_SUCCESS) notifies.push_back(notify);
    EXPECT_EQ(code != ACL_SUCCESS, IsUntouched(notify));
  }
  EXPECT_CODE(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, code);
  EXPECT_EQ(8192U, notifies.size());
  ASSERT_OK(aclrtDestroyNotify(notifies.back()));
  EXPECT_OK(aclrtCreateNotify(&notifies.back(), ACL_NOTIFY_DEFAULT));
}

TEST_F(Notify, DestroyedWhileQueuedKeepsItsPlaceUntilTheTasksHaveRun) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  ASSERT_OK(aclrtDestroyNotify(notify_));
  // More than there are, so that the place of the destroyed one would come up.
  for (int i = 0; i < 9000; ++i) {
    aclrtNotify other = nullptr;
    ASSERT_OK(aclrtCreateNotify(&other, ACL_NOTIFY_DEFAULT));
    ASSERT_OK(aclrtRecordNotify(other, nullptr));
    ASSERT_OK(aclrtWaitAndResetNotify(other, nullptr, 0));
    ASSERT_OK(aclrtDestroyNotify(other));
    if (i % 1000 == 0) {
      ASSERT_OK(aclrtSynchronizeStream(nullptr));
    }
  }
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 20));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

// ---- Order ----

TEST_F(Notify, OneRecordReleasesOneOfSeveralWaits) {
  constexpr int kStreams = 4;
  std::vector<aclrtStream> streams(kStreams);
  for (aclrtStream& stream : streams) {
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(aclrtWaitAndResetNotify(notify_, stream, 0));
  }
  const auto finished = [&] {
    int count = 0;
    for (aclrtStream stream : streams) {
      aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
      EXPECT_OK(aclrtStreamQuery(stream, &status));
      count += status == ACL_STREAM_STATUS_COMPLETE ? 1 : 0;
    }
    return count;
  };
  for (int records = 1; records <= kStreams; ++records) {
    ASSERT_OK(aclrtRecordNotify(notify_, stream_));
    while (finished() < records) std::this_thread::yield();
    ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(records, finished());
  }
}

TEST_F(Notify, RecordBeforeTheWaitIsKept) {
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 20)) << "cleared";
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

TEST_F(Notify, ChainRunsOverEightStreamsInOrder) {
  constexpr uint32_t kStreams = 8;
  constexpr uint32_t kRounds = 3;
  Words log(1 + kStreams * kRounds);
  aclrtFuncHandle append = Function(Load("basic_kernels"), "append");
  std::vector<aclrtStream> streams(kStreams);
  std::vector<aclrtNotify> notifies(kStreams);
  for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
  for (aclrtNotify& notify : notifies) ASSERT_OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  // The last stream first: every wait is queued before its record.
  for (uint32_t i = kStreams; i-- > 0;) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      ASSERT_OK(aclrtWaitAndResetNotify(notifies[i], streams[i], 0));
      ASSERT_OK(Launch(append, streams[i], DataAndCount{log.get(), round * kStreams + i}));
      ASSERT_OK(aclrtRecordNotify(notifies[(i + 1) % kStreams], streams[i]));
    }
  }
  ASSERT_OK(aclrtRecordNotify(notifies[0], stream_));
  for (aclrtStream stream : streams) ASSERT_OK(aclrtSynchronizeStreamWithTimeout(stream, 30000));
  ASSERT_EQ(kStreams * kRounds, log[0]);
  for (uint32_t i = 0; i < kStreams * kRounds; ++i) EXPECT_EQ(i, log[1 + i]);
}

TEST_F(Notify, WaitThatTakesTooLongFailsTheStream) {
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, stream_, 1));
  EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, stream_, UINT32_MAX)) << "the longest there is";
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
}

TEST_F(Notify, BatchResetClearsAllOrNone) {
  aclrtNotify other = nullptr;
  ASSERT_OK(aclrtCreateNotify(&other, ACL_NOTIFY_DEFAULT));
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtRecordNotify(other, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  aclrtNotify with_bad[] = {notify_, stream_};
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtNotifyBatchReset(with_bad, 2));
  aclrtNotify with_null[] = {notify_, nullptr};
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtNotifyBatchReset(with_null, 2));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyBatchReset(&notify_, 0));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, stream_, 0));
  ASSERT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000)) << "still set";
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  aclrtNotify both[] = {notify_, other};
  ASSERT_OK(aclrtNotifyBatchReset(both, 2));
  for (aclrtNotify notify : both) {
    ASSERT_OK(aclrtWaitAndResetNotify(notify, stream_, 0));
    EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 20));
    ASSERT_OK(aclrtRecordNotify(notify, other_stream_));
    ASSERT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
  }
}

TEST_F(Notify, AbortOfTheRecordingStreamFailsTheWaitInsteadOfHangingIt) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  gate.WaitUntilReached();
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  std::thread opener([&] { gate.Open(); });
  ASSERT_OK(aclrtStreamAbort(stream_));
  opener.join();
  // The record may have run before the abort came.
  const aclError code = aclrtSynchronizeStreamWithTimeout(other_stream_, 10000);
  EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_EVENT_NOT_COMPLETE) << code << Messages();
  ASSERT_OK(aclrtRecordNotify(notify_, stream_));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

TEST_F(Notify, AbortAndForcedDestroyEndAWait) {
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, stream_, 0));
  ASSERT_OK(aclrtStreamAbort(stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
  ASSERT_OK(aclrtWaitAndResetNotify(notify_, other_stream_, 0));
  EXPECT_OK(aclrtDestroyStreamForce(other_stream_));
}

using NotifyAndFailure = WithStream;

TEST_F(NotifyAndFailure, StopOfTheContextEndsTheWaitsInIt) {
  aclrtNotify notify = nullptr;
  aclrtStream waiting = nullptr;
  ASSERT_OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  ASSERT_OK(aclrtCreateStream(&waiting));
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(aclrtWaitAndResetNotify(notify, waiting, 0));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStreamWithTimeout(waiting, 10000));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtRecordNotify(notify, stream_));
}

}  // namespace
}  // namespace conformance
