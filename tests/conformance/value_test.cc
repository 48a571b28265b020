// Words of device memory that streams write and wait for.
#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

enum : uint32_t { kGreaterOrEqual = 0, kEqual = 1, kAnd = 2, kNor = 3 };

class Value : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    ASSERT_OK(aclrtCreateStream(&other_stream_));
  }
  uint64_t Word() {
    uint64_t value = 0;
    EXPECT_OK(aclrtMemcpy(&value, sizeof value, memory_, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
  }
  void SetWord(uint64_t value) {
    EXPECT_OK(aclrtMemcpy(memory_, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  bool Passes(uint64_t value, uint32_t flag) {
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtValueWait(memory_, value, flag, stream));
    const aclError code = aclrtSynchronizeStreamWithTimeout(stream, 20);
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) << Messages();
    EXPECT_OK(aclrtDestroyStreamForce(stream));
    return code == ACL_SUCCESS;
  }

  aclrtStream other_stream_ = nullptr;
};

TEST_F(Value, BadArgumentsAreRefused) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtValueWrite(nullptr, 1, 0, stream_));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtValueWait(nullptr, 1, kEqual, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite(memory_, 1, 1, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait(memory_, 1, 4, stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtValueWrite(memory_, 1, 0, event_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtValueWait(memory_, 1, kEqual, event_));
  for (int offset = 1; offset < 8; ++offset) {
    void* address = static_cast<char*>(memory_) + offset;
    EXPECT_CODE(ACL_ERROR_RT_ADDR_UNALIGNED, aclrtValueWrite(address, 1, 0, stream_)) << offset;
    EXPECT_CODE(ACL_ERROR_RT_ADDR_UNALIGNED, aclrtValueWait(address, 1, kEqual, stream_)) << offset;
  }
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000)) << "nothing was queued";
  EXPECT_EQ(0U, Word());
}

TEST_F(Value, OnlyMemoryOfTheStreamsDeviceWillDo) {
  uint64_t on_host = 0;
  ASSERT_OK(aclrtSetDevice(1));
  void* elsewhere = nullptr;
  ASSERT_OK(aclrtMalloc(&elsewhere, 8, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtSetDevice(0));
  for (void* address : {static_cast<void*>(&on_host), pinned_, elsewhere, reinterpret_cast<void*>(uint64_t{8})}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite(address, 1, 0, stream_)) << address;
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait(address, 1, kEqual, stream_)) << address;
  }
  EXPECT_NE(std::string::npos, Messages().find("0x8"));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000)) << "nothing was queued";
}

TEST_F(Value, StreamOfAnotherContextIsRefused) {
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtValueWrite(memory_, 1, 0, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtValueWait(memory_, 0, kEqual, stream_));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtValueWrite(memory_, 1, 0, nullptr)); });
}

TEST_F(Value, WriteComesInStreamOrder) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtValueWrite(memory_, 0x1122334455667788, 0, stream_));
  EXPECT_EQ(0U, Word());
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(0x1122334455667788U, Word());
}

TEST_F(Value, WaitsCompareAsTheirFlagSays) {
  SetWord(6);
  EXPECT_TRUE(Passes(6, kGreaterOrEqual));
  EXPECT_TRUE(Passes(5, kGreaterOrEqual));
  EXPECT_FALSE(Passes(7, kGreaterOrEqual));
  EXPECT_TRUE(Passes(6, kEqual));
  EXPECT_FALSE(Passes(5, kEqual));
  EXPECT_TRUE(Passes(3, kAnd));
  EXPECT_FALSE(Passes(9, kAnd));
  EXPECT_TRUE(Passes(9, kNor));
  EXPECT_FALSE(Passes(~uint64_t{6}, kNor));
}

TEST_F(Value, GreaterOrEqualWrapsAround) {
  SetWord(1);
  EXPECT_TRUE(Passes(UINT64_MAX, kGreaterOrEqual)) << "1 comes behind the end";
  SetWord(UINT64_MAX);
  EXPECT_FALSE(Passes(1, kGreaterOrEqual));
  EXPECT_TRUE(Passes(UINT64_MAX - 1, kGreaterOrEqual));
}

TEST_F(Value, WaitEndsWithAWriteOfAnotherStream) {
  ASSERT_OK(aclrtValueWait(memory_, 7, kEqual, other_stream_));
  ASSERT_OK(aclrtMemsetAsync(memory_, 8, 0xEE, 8, other_stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other_stream_, 20));
  ASSERT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000)) << "only its own stream waits";
  ASSERT_OK(aclrtValueWrite(memory_, 7, 0, stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
  EXPECT_EQ(0xEEEEEEEEEEEEEEEEU, Word());
}

TEST_F(Value, WaitEndsWithAKernelACopyOrTheHost) {
  ASSERT_OK(aclrtValueWait(memory_, 1, kEqual, other_stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
  *static_cast<uint64_t*>(pinned_) = 2;
  ASSERT_OK(aclrtValueWait(memory_, 2, kEqual, other_stream_));
  ASSERT_OK(aclrtMemcpyAsync(memory_, 8, pinned_, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
  ASSERT_OK(aclrtValueWait(memory_, 3, kEqual, other_stream_));
  SetWord(3);
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

TEST_F(Value, KernelThatWaitsForAWriteGoesOn) {
  Words flag(2);
  ASSERT_OK(Launch(Function(basic_, "wait_flag"), stream_, DataAndCount{flag.get(), 5}));
  ASSERT_OK(aclrtValueWrite(flag.get(), 5, 0, other_stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 30000));
}

TEST_F(Value, SemaphoreGoesBackAndForth) {
  constexpr uint64_t kRounds = 50;
  for (uint64_t round = 0; round < kRounds; ++round) {
    ASSERT_OK(aclrtValueWait(memory_, 2 * round, kGreaterOrEqual, stream_));
    ASSERT_OK(aclrtValueWrite(memory_, 2 * round + 1, 0, stream_));
    ASSERT_OK(aclrtValueWait(memory_, 2 * round + 1, kGreaterOrEqual, other_stream_));
    ASSERT_OK(aclrtValueWrite(memory_, 2 * round + 2, 0, other_stream_));
  }
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 30000));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(other_stream_, 30000));
  EXPECT_EQ(2 * kRounds, Word());
}

TEST_F(Value, AbortAndForcedDestroyEndAWait) {
  ASSERT_OK(aclrtValueWait(memory_, 1, kEqual, stream_));
  ASSERT_OK(aclrtStreamAbort(stream_));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, 10000));
  ASSERT_OK(aclrtValueWait(memory_, 1, kEqual, stream_));
  EXPECT_OK(aclrtDestroyStreamForce(stream_));
}

TEST_F(Value, StopOfTheContextEndsTheWaitsInIt) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(aclrtValueWait(memory_, 1, kEqual, other_stream_));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStreamWithTimeout(other_stream_, 10000));
}

}  // namespace
}  // namespace conformance
