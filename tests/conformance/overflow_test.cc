// Whether arithmetic in kernels gave infinity or no number.
#include <cmath>
#include <limits>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

class Overflow : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    square_ = Function(basic_, "square");
    ASSERT_OK(aclrtMalloc(&numbers_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtMalloc(&status_, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  void Square(aclrtStream stream, float number, uint32_t blocks = 1) {
    float all[16];
    for (float& one : all) one = 1;
    all[15] = number;
    ASSERT_OK(aclrtMemcpy(numbers_, sizeof all, all, sizeof all, ACL_MEMCPY_HOST_TO_DEVICE));
    DataAndCount arguments{numbers_, 16};
    ASSERT_OK(
        aclrtLaunchKernelWithHostArgs(square_, blocks, stream, nullptr, &arguments, sizeof arguments, nullptr, 0));
    ASSERT_OK(aclrtSynchronizeStream(stream));
  }
  uint64_t Status(aclrtStream stream) {
    uint64_t words[8];
    EXPECT_OK(aclrtGetOverflowStatus(status_, sizeof words, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT_OK(aclrtMemcpy(words, sizeof words, status_, sizeof words, ACL_MEMCPY_DEVICE_TO_HOST));
    return words[0];
  }

  aclrtFuncHandle square_ = nullptr;
  void* numbers_ = nullptr;
  void* status_ = nullptr;
};

TEST_F(Overflow, IsNotedOnlyWhereTheSwitchIsOn) {
  Square(stream_, 1e30f);
  EXPECT_EQ(0u, Status(stream_));
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  Square(stream_, 2);
  EXPECT_EQ(0u, Status(stream_));
  Square(stream_, 1e30f);
  EXPECT_NE(0u, Status(stream_));
  EXPECT_NE(0u, Status(nullptr)) << "the whole process shares the status";
  ASSERT_OK(aclrtResetOverflowStatus(stream_));
  EXPECT_EQ(0u, Status(stream_));
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 0));
  Square(stream_, 1e30f);
  EXPECT_EQ(0u, Status(stream_));
}

TEST_F(Overflow, IsNotedInEveryBlock) {
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  Square(stream_, 1e30f, 16);
  EXPECT_NE(0u, Status(stream_));
}

TEST_F(Overflow, StreamsWithATagOfTheirOwnHaveAStatusOfTheirOwn) {
  aclrtStreamAttrValue tag{};
  tag.userCustomTag = 7;
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  ASSERT_OK(aclrtSetStreamAttribute(stream_, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &tag));
  Square(stream_, 1e30f);
  EXPECT_NE(0u, Status(stream_));
  EXPECT_EQ(0u, Status(nullptr));
}

TEST_F(Overflow, TheContextsAddressIsTheStatusItself) {
  void* address = nullptr;
  ASSERT_OK(aclrtCtxGetFloatOverflowAddr(&address));
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  Square(stream_, 1e30f);
  uint64_t word = 0;
  ASSERT_OK(aclrtMemcpy(&word, sizeof word, address, sizeof word, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(1u, word);
}

TEST_F(Overflow, OlderNamesDoTheSame) {
  ASSERT_OK(aclrtSetStreamOverflowSwitch(stream_, 1));
  Square(stream_, 1e30f);
  uint64_t words[8] = {};
  ASSERT_OK(aclrtGetFloatOverflowStatus(status_, 64, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtMemcpy(words, 64, status_, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_NE(0u, words[0]);
  ASSERT_OK(aclrtResetFloatOverflowStatus(stream_));
  ASSERT_OK(aclrtNpuGetFloatOverFlowStatus(status_, 64, 0, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtMemcpy(words, 64, status_, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(0u, words[0]);
  Square(stream_, 1e30f);
  ASSERT_OK(aclrtNpuClearFloatOverFlowStatus(0, stream_));
  EXPECT_EQ(0u, Status(stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtNpuClearFloatOverFlowStatus(1, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtNpuGetFloatOverFlowStatus(status_, 64, 1, stream_));
}

TEST_F(Overflow, TheModeIsKept) {
  aclrtFloatOverflowMode mode{};
  ASSERT_OK(aclrtGetDeviceSatMode(&mode));
  EXPECT_EQ(ACL_RT_OVERFLOW_MODE_INFNAN, mode);
  ASSERT_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
  ASSERT_OK(aclrtGetDeviceSatMode(&mode));
  EXPECT_EQ(ACL_RT_OVERFLOW_MODE_SATURATION, mode);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceSatMode(nullptr));
  InThread([] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN)); });
}

TEST_F(Overflow, BadOutputsAreRefused) {
  char host[64];
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetOverflowStatus(nullptr, 64, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetOverflowStatus(status_, 63, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetOverflowStatus(host, 64, stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetOverflowStatus(status_, 64, event_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtResetOverflowStatus(event_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCtxGetFloatOverflowAddr(nullptr));
  InThread([] {
    void* address = nullptr;
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetFloatOverflowAddr(&address));
  });
}

TEST_F(Overflow, MemoryOfTheRuntimeIsNotTheProgramsToFree) {
  void* addresses[2] = {};
  ASSERT_OK(aclrtCtxGetFloatOverflowAddr(&addresses[0]));
  ASSERT_OK(aclrtGetHardwareSyncAddr(&addresses[1]));
  for (void* address : addresses) EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(address));
}

}  // namespace
}  // namespace conformance
