// A kernel that never comes back is stopped by its time-out.
#include <csignal>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class EndlessKernel : public RuntimeTest {
 protected:
  void SetUp() override {
    ASSERT_OK(Runtime::Configure("execute_timeout", "50"));
    RuntimeTest::SetUp();
    faults = Kernels("fault_kernels");
  }
  void TearDown() override {
    RuntimeTest::TearDown();
    ASSERT_OK(Runtime::Configure("execute_timeout", "-1"));
  }
  Kernels faults;
};

TEST_F(EndlessKernel, IsStoppedAndNamed) {
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(Launch(faults["loop_forever"], stream, 1));
  const Status failed = SynchronizeStream(stream);
  ASSERT_EQ(failed.code(), Code::kAicoreTimeout) << failed.ToString();
  EXPECT_EQ(failed.error()->kernel, "loop_forever");
  EXPECT_EQ(failed.error()->task, 0);
  EXPECT_EQ(failed.error()->stream, Must(GetStreamId(stream)));
  ASSERT_OK(RecoverStream(stream));
  ASSERT_OK(Launch(basic["nop"], stream, 1));
  EXPECT_OK(SynchronizeStream(stream));
}

TEST_F(EndlessKernel, HoldsUpNoOtherStreamMeanwhile) {
  const StreamHandle endless = Must(CreateStream()), other = Must(CreateStream());
  ASSERT_OK(Launch(faults["loop_forever"], endless, 1));
  RuntimeTensor data = Words(std::vector<uint32_t>(4, 1));
  ASSERT_OK(LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{4}}, 1, {}, {}}, other));
  EXPECT_OK(SynchronizeStream(other));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(4, 2));
  EXPECT_EQ(SynchronizeStream(endless).code(), Code::kAicoreTimeout);
}

// Time in which the device did not run gives no kernel less time to stop.
TEST_F(EndlessKernel, IsStoppedOnADeviceThatDidNotRunForAWhile) {
  if (IsInline()) GTEST_SKIP() << "there is no process";
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(Launch(faults["loop_forever"], stream, 1));
  const pid_t device = DeviceProcesses().at(0);
  EXPECT_EQ(SynchronizeStream(stream, 1).code(), Code::kStreamSyncTimeout) << "it runs";
  ASSERT_EQ(kill(device, SIGSTOP), 0);
  // Of this a part is the kernel's time.
  EXPECT_EQ(SynchronizeStream(stream, 500).code(), Code::kStreamSyncTimeout);
  ASSERT_EQ(kill(device, SIGCONT), 0);
  EXPECT_EQ(SynchronizeStream(stream).code(), Code::kAicoreTimeout);
}

}  // namespace
}  // namespace forebay::testing
