// How long kernels may run: the steps of the timer, the limit of the process, and that of a launch.
#include "conformance/kernel_fixture.h"

namespace conformance {
namespace {

constexpr uint64_t kStep = 200'000;

class Timeout : public WithKernels {
 protected:
  void SetUp() override {
    Start("\"timeout_interval\": 200000");
    launch_ = Load("argument_kernels");
    vector_forever_ = Function(launch_, "vector_forever");
    forever_ = Function(Load("fault_kernels"), "loop_forever");
  }

  // Launches a kernel that never ends, with these attributes.
  aclError LaunchForever(aclrtFuncHandle function, std::vector<aclrtLaunchKernelAttr> attributes = {}) {
    aclrtLaunchKernelCfg config{attributes.data(), attributes.size()};
    void* nothing[1] = {};
    return aclrtLaunchKernelWithArgsArray(function, 1, stream_, &config, nothing);
  }
  static aclrtLaunchKernelAttr Microseconds(uint64_t us) {
    aclrtLaunchKernelAttr attribute{};
    attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
    attribute.value.timeoutUs = {static_cast<uint32_t>(us), static_cast<uint32_t>(us >> 32)};
    return attribute;
  }
  static aclrtLaunchKernelAttr Seconds(uint16_t seconds) {
    aclrtLaunchKernelAttr attribute{};
    attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
    attribute.value.timeout = seconds;
    return attribute;
  }
  static uint64_t Set(uint64_t us) {
    uint64_t actual = 0;
    EXPECT_OK(aclrtSetOpExecuteTimeOutV2(us, &actual));
    return actual;
  }
  static uint32_t Milliseconds() {
    uint32_t ms = 0;
    EXPECT_OK(aclrtGetOpExecuteTimeout(&ms));
    return ms;
  }

  aclrtBinHandle launch_ = nullptr;
  aclrtFuncHandle vector_forever_ = nullptr;
  aclrtFuncHandle forever_ = nullptr;
};

TEST_F(Timeout, IsThePartsUntilOneIsSet) { EXPECT_EQ(1091000U, Milliseconds()); }

TEST_F(Timeout, StepIsAsConfigured) {
  uint64_t step = 0;
  EXPECT_OK(aclrtGetOpTimeOutInterval(&step));
  EXPECT_EQ(kStep, step);
}

TEST_F(Timeout, IsRoundedUpToSteps) {
  EXPECT_EQ(kStep, Set(1));
  EXPECT_EQ(kStep, Set(kStep));
  EXPECT_EQ(2 * kStep, Set(kStep + 1));
  EXPECT_EQ(400U, Milliseconds());
  EXPECT_EQ(254 * kStep, Set(254 * kStep));
  for (const uint64_t us : {254 * kStep + 1, UINT64_MAX - 1, UINT64_MAX, uint64_t{0}})
    EXPECT_EQ(254 * kStep, Set(us)) << us;
}

TEST_F(Timeout, LastCallDecidesWhateverItsUnit) {
  EXPECT_OK(aclrtSetOpExecuteTimeOut(3));
  EXPECT_EQ(3000U, Milliseconds());
  EXPECT_OK(aclrtSetOpExecuteTimeOutWithMs(601));
  EXPECT_EQ(800U, Milliseconds());
  EXPECT_OK(aclrtSetOpExecuteTimeOut(UINT32_MAX));
  EXPECT_EQ(50800U, Milliseconds());
  EXPECT_OK(aclrtSetOpExecuteTimeOutWithMs(0));
  EXPECT_EQ(50800U, Milliseconds());
  InThread([] { Set(kStep); });
  EXPECT_EQ(200U, Milliseconds()) << "it is the process's";
}

TEST_F(Timeout, GoesWithTheEndOfTheProgram) {
  Set(kStep);
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ(1091000U, Milliseconds());
}

TEST_F(Timeout, NullIsRefused) {
  Set(kStep);
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSetOpExecuteTimeOutV2(5 * kStep, nullptr));
  EXPECT_EQ(200U, Milliseconds()) << "nothing changed";
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetOpTimeOutInterval(nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetOpExecuteTimeout(nullptr));
}

TEST_F(Timeout, OfTheProcessStopsTheKernel) {
  NEEDS_STOPPABLE_KERNELS();
  Set(1);
  ASSERT_OK(LaunchForever(forever_));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_TIMEOUT, aclrtSynchronizeStream(stream_));
  ASSERT_OK(LaunchForever(vector_forever_));
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, aclrtSynchronizeStream(stream_));
  EXPECT_OK(Launch(add_one_, stream_, Arguments()));
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "the device works on";
}

TEST_F(Timeout, OfTheLaunchPrecedesThatOfTheProcess) {
  NEEDS_STOPPABLE_KERNELS();
  ASSERT_OK(LaunchForever(forever_, {Microseconds(1)}));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_TIMEOUT, aclrtSynchronizeStream(stream_));
  ASSERT_OK(LaunchForever(vector_forever_, {Microseconds(kStep)}));
  EXPECT_CODE(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, aclrtSynchronizeStream(stream_));
  Set(kStep);
  // Longer than the process's, and for ever: still running when that has passed.
  for (const aclrtLaunchKernelAttr& longer : {Seconds(60000), Microseconds(UINT64_MAX), Seconds(0), Microseconds(0)}) {
    ASSERT_OK(LaunchForever(forever_, {longer}));
    EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 600));
    ASSERT_OK(aclrtStreamAbort(stream_));
    EXPECT_OK(aclrtSynchronizeStream(stream_));
  }
}

TEST_F(Timeout, OnlyOneMayBeGivenToALaunch) {
  for (const auto& two :
       {std::vector{Seconds(1), Microseconds(1)}, {Microseconds(1), Microseconds(1)}, {Seconds(0), Seconds(0)}}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, LaunchForever(forever_, two));
  }
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "nothing was launched";
}

// With steps below 100000 us the longest time-out is none.
class ShortSteps : public Timeout {
 protected:
  void SetUp() override { Start("\"timeout_interval\": 1000"); }
};

TEST_F(ShortSteps, ZeroIsForEver) {
  EXPECT_EQ(UINT64_MAX, Set(0));
  EXPECT_EQ(UINT32_MAX, Milliseconds());
  EXPECT_EQ(254000U, Set(UINT64_MAX));
  EXPECT_EQ(254U, Milliseconds());
}

TEST_F(ShortSteps, UsualStepGivesTheDocumentedLimit) {
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(nullptr));
  EXPECT_EQ(254U * 4294967, Set(0));
  EXPECT_EQ(1090922U, Milliseconds());
}

}  // namespace
}  // namespace conformance
