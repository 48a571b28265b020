// Counted notifies: what records do to the count, and what waits compare.
#include "conformance/support.h"

namespace conformance {
namespace {

class CountedNotify : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_OK(aclrtCntNotifyCreate(&notify_, 0));
    ASSERT_OK(aclrtCreateStream(&stream_));
    ASSERT_OK(aclrtCreateStream(&other_stream_));
  }

  aclError Record(aclrtCntNotifyRecordMode mode, uint32_t value, aclrtStream stream) {
    aclrtCntNotifyRecordInfo info{mode, value};
    return aclrtCntNotifyRecord(notify_, stream, &info);
  }
  aclError Wait(aclrtCntNotifyWaitMode mode, uint32_t value, bool clear, uint32_t timeout, aclrtStream stream) {
    aclrtCntNotifyWaitInfo info{mode, value, timeout, clear ? uint8_t{1} : uint8_t{0}, {}};
    return aclrtCntNotifyWaitWithTimeout(notify_, stream, &info);
  }
  // Whether a wait passes while the count is what it is now.
  bool Passes(aclrtCntNotifyWaitMode mode, uint32_t value) {
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(Wait(mode, value, false, 0, stream));
    const aclError code = aclrtSynchronizeStreamWithTimeout(stream, 20);
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) << Messages();
    EXPECT_OK(aclrtDestroyStreamForce(stream));
    return code == ACL_SUCCESS;
  }
  void ExpectCount(uint32_t count) {
    ASSERT_OK(aclrtSynchronizeStream(stream_));
    ASSERT_OK(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, count, false, 0, other_stream_));
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000)) << "the count is not " << count;
  }

  aclrtCntNotify notify_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtStream other_stream_ = nullptr;
};

TEST_F(CountedNotify, NullOutputsAreRefused) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyCreate(nullptr, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyGetId(notify_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyRecord(notify_, stream_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify_, stream_, nullptr));
}

TEST_F(CountedNotify, UnknownFlagsAndModesAreRefused) {
  auto made = Untouched<aclrtCntNotify>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyCreate(&made, 1));
  EXPECT_TRUE(IsUntouched(made));
  for (const int mode : {-1, 3, 5, 8}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Record(NoSuch<aclrtCntNotifyRecordMode>(mode), 1, stream_)) << mode;
  }
  for (const int mode : {-1, 5, 8}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Wait(NoSuch<aclrtCntNotifyWaitMode>(mode), 1, false, 0, stream_)) << mode;
  }
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000)) << "nothing was queued";
}

TEST_F(CountedNotify, SharesTheNumbersOfNotifies) {
  aclrtNotify plain = nullptr;
  ASSERT_OK(aclrtCreateNotify(&plain, ACL_NOTIFY_DEFAULT));
  uint32_t id = 0;
  uint32_t plain_id = 0;
  ASSERT_OK(aclrtCntNotifyGetId(notify_, &id));
  ASSERT_OK(aclrtGetNotifyId(plain, &plain_id));
  EXPECT_NE(id, plain_id);
  EXPECT_LT(id, 8192U);
}

TEST_F(CountedNotify, RecordsSetAddAndCombineBits) {
  ExpectCount(0);
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0xFFFFFFFE, stream_));
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 7, stream_));
  ExpectCount(5);
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 0x30, stream_));
  ExpectCount(0x35);
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 0x3C, stream_));
  ExpectCount(0x34);
  ASSERT_OK(aclrtCntNotifyReset(notify_, stream_));
  ExpectCount(0);
}

TEST_F(CountedNotify, WaitsCompareAsTheirModeSays) {
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 6, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  struct Row {
    aclrtCntNotifyWaitMode mode;
    bool at_2, at_5, at_6, at_7;
  };
  for (const Row& row : {Row{ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, false, false, false, true},
                         Row{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, false, false, true, false},
                         Row{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, true, true, false, false},
                         Row{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, true, true, true, false},
                         Row{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, true, false, true, false}}) {
    EXPECT_EQ(row.at_2, Passes(row.mode, 2)) << row.mode;
    EXPECT_EQ(row.at_5, Passes(row.mode, 5)) << row.mode;
    EXPECT_EQ(row.at_6, Passes(row.mode, 6)) << row.mode;
    EXPECT_EQ(row.at_7, Passes(row.mode, 7)) << row.mode;
  }
}

TEST_F(CountedNotify, WaitClearsOnlyWhenAsked) {
  ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 3, stream_));
  ASSERT_OK(Wait(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 2, false, 0, stream_));
  ExpectCount(3);
  ASSERT_OK(Wait(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 2, true, 0, stream_));
  ExpectCount(0);
}

TEST_F(CountedNotify, SeveralRecordersReleaseAWaitForTheirSum) {
  constexpr uint32_t kStreams = 5;
  ASSERT_OK(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, kStreams, true, 0, other_stream_));
  for (uint32_t i = 0; i < kStreams; ++i) {
    EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 5));
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1, stream));
  }
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

TEST_F(CountedNotify, WaitThatTakesTooLongFailsTheStream) {
  ASSERT_OK(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, false, 1, stream_));
  EXPECT_CODE(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream_));
}

}  // namespace
}  // namespace conformance
