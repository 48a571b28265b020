// The tasks of a device aborted as a whole, and devices repaired.
#include <atomic>

#include "conformance/stream_fixture.h"
#include "forebay/fault_injection.h"

namespace conformance {
namespace {

class TaskAbort : public WithStream {
 protected:
  void TearDown() override {
    forebay::RemoveFaults();
    WithStream::TearDown();
  }
  void Fail(const std::string& kind, aclError code) {
    const forebay::Status injected = forebay::InjectFaults(kind);
    ASSERT_TRUE(injected.ok()) << injected.ToString();
    LaunchAddOne(stream_);
    ASSERT_CODE(code, aclrtSynchronizeStream(stream_));
    Messages();
  }
  static aclrtErrorInfo Verbose() {
    aclrtErrorInfo info{};
    EXPECT_OK(aclrtGetErrorVerbose(0, &info));
    return info;
  }
};

TEST_F(TaskAbort, DropsWhatIsQueuedOnEveryStreamAndTheyGoOn) {
  aclrtStream other = nullptr, waiting = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtCreateStream(&waiting));
  ASSERT_OK(aclrtStreamWaitEvent(waiting, flagged_event_));
  ASSERT_OK(LaunchAddOne(waiting));
  ASSERT_OK(aclrtStreamWaitEvent(other, flagged_event_));
  ASSERT_OK(LaunchAddOne(other));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_EQ(0U, FirstWord());
  for (aclrtStream stream : {stream_, other, waiting}) {
    EXPECT_OK(LaunchAddOne(stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
  }
  EXPECT_EQ(3U, FirstWord());
}

TEST_F(TaskAbort, WaitersAndSubmitsMeanwhileAreTold) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  gate.WaitUntilReached();
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  static std::atomic<bool> has_begun;
  has_begun = false;
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback(
      "test",
      [](int32_t, aclrtDeviceTaskAbortStage stage, uint32_t, void*) {
        if (stage == ACL_RT_DEVICE_TASK_ABORT_PRE) has_begun = true;
        return 0;
      },
      nullptr));
  aclError waited = ACL_SUCCESS, submitted = ACL_SUCCESS;
  std::atomic<bool> waits{false};
  std::thread waiter([&] {
    ASSERT_OK(aclrtSetCurrentContext(context));
    waits = true;
    waited = aclrtSynchronizeStream(stream_);
  });
  while (!waits) std::this_thread::yield();
  std::thread submitter([&] {
    ASSERT_OK(aclrtSetCurrentContext(context));
    while (!has_begun) std::this_thread::yield();
    submitted = LaunchAddOne(stream_);
    gate.Open();
  });
  EXPECT_OK(aclrtDeviceTaskAbort(0, 60'000));
  waiter.join();
  submitter.join();
  EXPECT_EQ(ACL_ERROR_RT_DEVICE_TASK_ABORT, submitted);
  // It may have begun to wait only afterwards.
  EXPECT_TRUE(waited == ACL_ERROR_RT_DEVICE_TASK_ABORT || waited == ACL_SUCCESS) << waited;
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("test", nullptr, nullptr));
}

TEST_F(TaskAbort, AKernelThatLoopsIsStopped) {
  NEEDS_STOPPABLE_KERNELS();
  ASSERT_TRUE(forebay::InjectFaults("timeout@kernel=add_one,nth=1").ok());
  ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 60'000));
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(TaskAbort, ItsTimeMayBeTooShort) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  gate.WaitUntilReached();
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtStreamWaitEvent(other, flagged_event_));
  EXPECT_CODE(ACL_ERROR_RT_TIMEOUT, aclrtDeviceTaskAbort(0, 20));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_ABORT, LaunchAddOne(stream_)) << "it still drops what is queued";
  EXPECT_OK(LaunchAddOne(other));
  EXPECT_OK(aclrtSynchronizeStream(other)) << "what could be stopped was";
  gate.Open();
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2U, FirstWord());
}

// Whatever may wait or submit, from within the call.
TEST_F(TaskAbort, CallsMeanwhileAreRefused) {
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  static std::vector<aclError> codes;
  codes.clear();
  using Self = std::remove_pointer_t<decltype(this)>;
  const auto call = [](int32_t, aclrtDeviceTaskAbortStage, uint32_t, void* test) {
    auto& self = *static_cast<Self*>(test);
    aclrtStream made = nullptr;
    for (const aclError code :
         {aclrtSynchronizeStream(self.stream_), aclrtSynchronizeEvent(self.event_), aclrtSynchronizeDevice(),
          aclrtRecordEvent(self.event_, self.stream_), self.LaunchAddOne(self.stream_), aclrtCreateStream(&made)})
      codes.push_back(code);
    return 0;
  };
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback("calls", call, this));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_EQ(std::vector<aclError>(12, ACL_ERROR_RT_DEVICE_TASK_ABORT), codes);
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("calls", nullptr, nullptr));
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(TaskAbort, CallbacksAreCalledBeforeAndAfterWithTheirTime) {
  static std::vector<std::pair<int, uint32_t>> calls;
  calls.clear();
  const auto note = [](int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t limit, void* args) {
    EXPECT_EQ(0, device);
    EXPECT_EQ(&calls, args);
    calls.emplace_back(stage, limit);
    return 0;
  };
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback("one", note, &calls));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceTaskAbortCallback("one", note, &calls));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  ASSERT_EQ(2U, calls.size());
  EXPECT_EQ(std::pair(0, 0U), calls[0]) << "no limit";
  EXPECT_EQ(std::pair(1, 0U), calls[1]);
  EXPECT_OK(aclrtDeviceTaskAbort(0, 50'000));
  ASSERT_EQ(4U, calls.size());
  EXPECT_GT(calls[2].second, 0U);
  EXPECT_LE(calls[3].second, calls[2].second);
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("one", nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceTaskAbortCallback("one", nullptr, nullptr));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_EQ(4U, calls.size());
}

// What is slow before the end leaves no time for the callbacks after it.
TEST_F(TaskAbort, StopsBeforeTheLastCallbacksWhenTheTimeIsOver) {
  static std::vector<int> stages;
  stages.clear();
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback(
      "slow",
      [](int32_t, aclrtDeviceTaskAbortStage stage, uint32_t limit, void*) {
        stages.push_back(stage);
        Pause(static_cast<int>(limit) + 1);
        return 0;
      },
      nullptr));
  const aclError code = aclrtDeviceTaskAbort(0, 10);
  EXPECT_TRUE(code == ACL_ERROR_RT_TASK_ABORT_STOP || code == ACL_ERROR_RT_TIMEOUT) << code;
  EXPECT_EQ(std::vector<int>{ACL_RT_DEVICE_TASK_ABORT_PRE}, stages);
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("slow", nullptr, nullptr));
}

// Its callbacks would wait for themselves.
TEST_F(TaskAbort, ACallbackOfAnAbortMayNeitherAbortNorRepair) {
  static std::vector<aclError> codes;
  codes.clear();
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback(
      "again",
      [](int32_t device, aclrtDeviceTaskAbortStage, uint32_t, void*) {
        const aclrtErrorInfo info{};
        codes.push_back(aclrtDeviceTaskAbort(device, 0));
        codes.push_back(aclrtRepairError(device, &info));
        return 0;
      },
      nullptr));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_EQ(codes, std::vector<aclError>(4, ACL_ERROR_RT_PARAM_INVALID));
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("again", nullptr, nullptr));
}

TEST_F(TaskAbort, ASecondOneKeepsItsTimeWhileTheFirstRuns) {
  static aclError second;
  second = ACL_SUCCESS;
  ASSERT_OK(aclrtSetDeviceTaskAbortCallback(
      "second",
      [](int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t, void*) {
        if (stage == ACL_RT_DEVICE_TASK_ABORT_PRE) InThread([device] { second = aclrtDeviceTaskAbort(device, 20); });
        return 0;
      },
      nullptr));
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_EQ(ACL_ERROR_RT_TIMEOUT, second);
  EXPECT_OK(aclrtSetDeviceTaskAbortCallback("second", nullptr, nullptr));
}

TEST_F(TaskAbort, AWorseFailureOfADeviceThatHasFailedIsNotRepaired) {
  Fail("memory_uce@nth=1", ACL_ERROR_RT_DEVICE_MEM_ERROR);
  EXPECT_EQ(1, Verbose().tryRepair);
  ASSERT_TRUE(forebay::InjectFaults("ecc@device=0").ok());
  while (Verbose().tryRepair == 1) std::this_thread::yield();
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  const aclrtErrorInfo info = Verbose();
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtRepairError(0, &info));
}

TEST_F(TaskAbort, MemoryOfADeviceThatHasFailedIsNotRead) {
  Fail("memory_uce@nth=1", ACL_ERROR_RT_DEVICE_MEM_ERROR);
  uint32_t word = 7;
  EXPECT_CODE(ACL_ERROR_RT_DEVICE_MEM_ERROR,
              aclrtMemcpy(&word, sizeof word, memory_, sizeof word, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(7U, word);
  EXPECT_CODE(ACL_ERROR_RT_DEVICE_MEM_ERROR, aclrtMemset(memory_, sizeof word, 0, sizeof word));
}

TEST_F(TaskAbort, ADeviceThatWasResetIsNormalEvenBeforeItIsSetAgain) {
  Fail("overheat@nth=1", ACL_ERROR_RT_DRV_INTERNAL_ERROR);
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, status);
  EXPECT_OK(aclrtResetDeviceForce(0));
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
  EXPECT_EQ(ACL_RT_NO_ERROR, Verbose().errorType);
}

TEST_F(TaskAbort, RefusesWhatCannotBe) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceTaskAbort(0, 36 * 60 * 1000 + 1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceTaskAbort(99, 0));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceTaskAbort(3, 0));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtSetDeviceTaskAbortCallback(nullptr, nullptr, nullptr));
  aclrtMemUceInfo ranges[1] = {};
  std::size_t count = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetMemUceInfo(0, nullptr, 1, &count));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetMemUceInfo(0, ranges, 1, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetMemUceInfo(0, ranges, 0, &count));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetMemUceInfo(0, ranges, 129, &count));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemUceRepair(0, nullptr, 1));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtRepairError(0, nullptr));
  EXPECT_OK(aclrtGetMemUceInfo(0, ranges, 1, &count));
  EXPECT_EQ(0U, count);
  ranges[0].addr = memory_;
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemUceRepair(0, ranges, 1)) << "nothing is bad";
  const aclrtErrorInfo info{};
  EXPECT_OK(aclrtRepairError(0, &info)) << "nothing to do";
}

TEST_F(TaskAbort, BadMemoryIsReplacedWithoutAReset) {
  ASSERT_OK(LaunchAddOne(stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  Fail("memory_uce@address=" + std::to_string(reinterpret_cast<uintptr_t>(memory_)), ACL_ERROR_RT_DEVICE_MEM_ERROR);
  const aclrtErrorInfo info = Verbose();
  EXPECT_EQ(ACL_RT_ERROR_MEMORY, info.errorType);
  EXPECT_EQ(1, info.tryRepair);
  ASSERT_EQ(1, info.hasDetail);
  ASSERT_EQ(1U, info.detail.uceInfo.arraySize);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtRepairError(0, &info)) << "not before the abort";
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  aclrtMemUceInfo ranges[4] = {};
  std::size_t count = 0;
  ASSERT_OK(aclrtGetMemUceInfo(0, ranges, 4, &count));
  ASSERT_EQ(1U, count);
  const auto* first = static_cast<const char*>(ranges[0].addr);
  EXPECT_LE(first, static_cast<const char*>(memory_));
  EXPECT_GT(first + ranges[0].len, static_cast<const char*>(memory_));
  EXPECT_CODE(ACL_ERROR_RT_DEVICE_MEM_ERROR, LaunchAddOne(stream_)) << "not repaired yet";
  EXPECT_OK(aclrtMemUceRepair(0, ranges, count));
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
  EXPECT_EQ(ACL_RT_NO_ERROR, Verbose().errorType);
  EXPECT_EQ(0U, FirstWord()) << "what was there is lost";
  EXPECT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(TaskAbort, WhatOnlyAResetHelpsIsNotRepaired) {
  Fail("ecc@device=0", ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR);
  const aclrtErrorInfo info = Verbose();
  EXPECT_EQ(ACL_RT_ERROR_MEMORY, info.errorType);
  EXPECT_EQ(0, info.tryRepair);
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  EXPECT_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtRepairError(0, &info));
  EXPECT_CODE(ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR, LaunchAddOne(stream_));
}

TEST_F(TaskAbort, TheFirstFailureIsKeptAndThatOfTheDeviceIsShownBesideIt) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  ASSERT_TRUE(forebay::InjectFaults("overheat@device=0").ok());
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
  while (status == ACL_RT_DEVICE_STATUS_NORMAL) ASSERT_OK(aclrtQueryDeviceStatus(0, &status));
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("kernel trap")) << text;
  EXPECT_NE(std::string::npos, text.find("since then device 0 has failed as a whole: the device is too hot")) << text;
}

}  // namespace
}  // namespace conformance
