// What a stream is made with, what can be changed about it, and stopping it.
#include <atomic>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

class StreamSettings : public WithStream {
 protected:
  aclError Set(aclrtStream stream, aclrtStreamAttr attribute, aclrtStreamAttrValue value) {
    return aclrtSetStreamAttribute(stream, attribute, &value);
  }
  aclrtStreamAttrValue Get(aclrtStreamAttr attribute) {
    aclrtStreamAttrValue value{};
    EXPECT_OK(aclrtGetStreamAttribute(stream_, attribute, &value));
    return value;
  }
};

aclrtStreamAttrValue Value(uint32_t number) {
  aclrtStreamAttrValue value{};
  value.reserve[0] = number;
  return value;
}

TEST_F(StreamSettings, AConfigurationDecidesPriorityAndFlags) {
  aclrtStreamConfigHandle* configuration = aclrtCreateStreamConfigHandle();
  ASSERT_NE(nullptr, configuration);
  const uint32_t priority = 3;
  const size_t flag = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
  ASSERT_OK(aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority));
  ASSERT_OK(aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_FLAG, &flag, sizeof flag));
  void* const work = nullptr;
  const size_t size = 0;
  EXPECT_OK(aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_WORK_ADDR_PTR, &work, sizeof work));
  EXPECT_OK(aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_WORK_SIZE, &size, sizeof size));
  aclrtStream made = nullptr;
  ASSERT_OK(aclrtCreateStreamV2(&made, configuration));
  EXPECT_OK(aclrtDestroyStreamConfigHandle(configuration));
  uint32_t got = 0;
  EXPECT_OK(aclrtStreamGetPriority(made, &got));
  EXPECT_EQ(3u, got);
  EXPECT_OK(aclrtStreamGetFlags(made, &got));
  EXPECT_EQ(flag, got);
  EXPECT_OK(aclrtDestroyStream(made));
}

TEST_F(StreamSettings, ABadConfigurationIsRefusedAndLeftAsItWas) {
  aclrtStreamConfigHandle* configuration = aclrtCreateStreamConfigHandle();
  const uint32_t low = 8;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_PRIORITY, &low, sizeof low));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_PRIORITY, &low, 1));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSetStreamConfigOpt(configuration, NoSuch<aclrtStreamConfigAttr>(9), &low, sizeof low));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamConfigOpt(configuration, ACL_RT_STREAM_FLAG, nullptr, 8));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamConfigOpt(nullptr, ACL_RT_STREAM_FLAG, &low, sizeof low));
  aclrtStream made = Untouched<aclrtStream>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateStreamV2(&made, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateStreamV2(nullptr, configuration));
  InThread([&] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamV2(&made, configuration)); });
  EXPECT_TRUE(IsUntouched(made));
  EXPECT_EQ(0u, configuration->priority);
  EXPECT_OK(aclrtDestroyStreamConfigHandle(configuration));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStreamConfigHandle(nullptr));
}

TEST_F(StreamSettings, AttributesAreReadAsTheyWereSet) {
  EXPECT_EQ(uint64_t{ACL_CONTINUE_ON_FAILURE}, Get(ACL_STREAM_ATTR_FAILURE_MODE).failureMode);
  for (const aclrtStreamAttr attribute : {ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, ACL_STREAM_ATTR_USER_CUSTOM_TAG,
                                          ACL_STREAM_ATTR_CACHE_OP_INFO, ACL_STREAM_ATTR_PRIORITY}) {
    EXPECT_EQ(0u, Get(attribute).reserve[0]) << attribute;
    EXPECT_OK(Set(stream_, attribute, Value(1)));
    EXPECT_EQ(1u, Get(attribute).reserve[0]) << attribute;
  }
  uint32_t flag = 0;
  EXPECT_OK(aclrtGetStreamOverflowSwitch(stream_, &flag));
  EXPECT_EQ(1u, flag);
  uint32_t priority = 0;
  EXPECT_OK(aclrtStreamGetPriority(stream_, &priority));
  EXPECT_EQ(1u, priority);
  aclrtStreamAttrValue stop{};
  stop.failureMode = ACL_STOP_ON_FAILURE;
  EXPECT_OK(Set(stream_, ACL_STREAM_ATTR_FAILURE_MODE, stop));
  EXPECT_EQ(uint64_t{ACL_STOP_ON_FAILURE}, Get(ACL_STREAM_ATTR_FAILURE_MODE).failureMode);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Set(stream_, ACL_STREAM_ATTR_FAILURE_MODE, stop)) << "once per stream";
}

TEST_F(StreamSettings, BadAttributesAreRefused) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream_, ACL_STREAM_ATTR_PRIORITY, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAttribute(stream_, ACL_STREAM_ATTR_PRIORITY, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Set(stream_, ACL_STREAM_ATTR_PRIORITY, Value(8)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Set(stream_, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, Value(2)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Set(stream_, ACL_STREAM_ATTR_CACHE_OP_INFO, Value(2)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, Set(stream_, NoSuch<aclrtStreamAttr>(6), Value(0)));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamOverflowSwitch(stream_, 2));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetStreamOverflowSwitch(stream_, nullptr));
  aclrtStreamAttrValue value = Untouched<aclrtStreamAttrValue>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetStreamAttribute(stream_, NoSuch<aclrtStreamAttr>(0), &value));
  EXPECT_TRUE(IsUntouched(value));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetStreamAttribute(event_, ACL_STREAM_ATTR_PRIORITY, &value));
}

TEST_F(StreamSettings, StopEndsTheRunningKernelAndKeepsTheOthersFromRunning) {
  NEEDS_STOPPABLE_KERNELS();
  aclrtFuncHandle loop = Function(fault_, "loop_forever");
  aclrtArgsHandle arguments = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(loop, &arguments));
  ASSERT_OK(aclrtKernelArgsFinalize(arguments));
  ASSERT_OK(aclrtLaunchKernelWithConfig(loop, 1, stream_, nullptr, arguments, nullptr));
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(aclrtStreamStop(stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, LaunchAddOne(stream_));
  EXPECT_EQ(0u, FirstWord());
  ASSERT_OK(aclrtStreamAbort(stream_));
  EXPECT_EQ(0u, FirstWord()) << "an abort drops what was kept";
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1u, FirstWord());
}

TEST_F(StreamSettings, AStoppedStreamCanBeDestroyed) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  gate.WaitUntilReached();
  ASSERT_OK(aclrtStreamStop(stream_));
  gate.Open();
  EXPECT_OK(aclrtDestroyStream(stream_));
  EXPECT_EQ(0u, FirstWord());
}

TEST_F(StreamSettings, StopOfAnIdleStreamHoldsNothingBack) {
  ASSERT_OK(aclrtStreamStop(stream_));
  ASSERT_OK(aclrtStreamAbort(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1u, FirstWord());
}

TEST_F(StreamSettings, StopIsForStreamsThatWereCreated) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamStop(nullptr));
  aclrtStream standard = nullptr;
  ASSERT_OK(aclrtCtxGetCurrentDefaultStream(&standard));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamStop(standard));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamStop(event_));
}

TEST_F(StreamSettings, AFreeThatWaitsDoesNotWaitForAStoppedStream) {
  void* block = nullptr;
  ASSERT_OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtValueWait(memory_, 1, ACL_STREAM_WAIT_VALUE_EQ, stream_));
  ASSERT_OK(aclrtStreamStop(stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, aclrtFreeWithDevSync(block));
  ASSERT_OK(aclrtStreamAbort(stream_));
  EXPECT_OK(aclrtFreeWithDevSync(block));
}

TEST_F(StreamSettings, AThreadThatWaitsHearsThatItsStreamWasDestroyedByForce) {
  ASSERT_OK(aclrtValueWait(memory_, 1, ACL_STREAM_WAIT_VALUE_EQ, stream_));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  std::atomic<aclError> code{ACL_SUCCESS};
  std::atomic<bool> ready{false};
  std::thread waiting([&] {
    EXPECT_OK(aclrtSetCurrentContext(context));
    ready = true;
    code = aclrtSynchronizeStream(stream_);
  });
  while (!ready.load()) std::this_thread::yield();
  EXPECT_OK(aclrtDestroyStreamForce(stream_));
  waiting.join();
  // Whether it waited by then, or came too late.
  EXPECT_TRUE(code == ACL_ERROR_RT_STREAM_ABORT || code == ACL_ERROR_RT_INVALID_HANDLE) << code;
}

}  // namespace
}  // namespace conformance
