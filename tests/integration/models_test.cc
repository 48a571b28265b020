// The two execution models: synchronous on the default stream, asynchronous on explicit ones.
#include <future>
#include <memory>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class Models : public RuntimeTest {
 protected:
  void TearDown() override {
    Close();
    EXPECT_OK(Runtime::Configure("launch_blocking", "0"));
  }
};

TEST_F(Models, TheResultOfASynchronousLaunchIsThereWhenTheCallReturns) {
  RuntimeTensor data = Words(std::vector<uint32_t>(16, 1));
  ASSERT_OK(LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{16}}, 1, {}, {}}));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(16, 2));
  EXPECT_EQ(data.use_count(), 1);
  void* address = data.address();
  uint32_t n = 16;
  void* arguments[] = {&address, &n};
  ASSERT_OK(LaunchKernel(basic["add_one"], arguments, 2));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(16, 3));
}

TEST_F(Models, ASynchronousLaunchReturnsItsFailureAndTheNextOneWorks) {
  const Kernels faults("fault_kernels");
  const Status failed = LaunchOperator({faults["trap"], {}, {}, {}, 1, {}, {}});
  EXPECT_EQ(failed.code(), Code::kAicoreException);
  ASSERT_NE(failed.error(), nullptr);
  EXPECT_EQ(failed.error()->kernel, "trap");
  EXPECT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
}

TEST_F(Models, AnAsynchronousLaunchReturnsWhileTheStreamIsHeldUp) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(16, 1));
  HeldStream held(stream);
  ASSERT_OK(LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{16}}, 1, {}, {}}, stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(16, 1));
  EXPECT_FALSE(Must(IsStreamIdle(stream)));
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(16, 2));
}

TEST_F(Models, ASynchronousLaunchDoesNotWaitForOtherStreams) {
  const StreamHandle stream = Must(CreateStream());
  HeldStream held(stream);
  EXPECT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
  EXPECT_FALSE(Must(IsStreamIdle(stream)));
}

TEST_F(Models, AStreamIsBusyUntilWhatItsHostFunctionHoldsIsGone) {
  struct Held {
    std::shared_future<void> may_go;
    ~Held() { may_go.wait(); }
  };
  std::promise<void> gate;
  const StreamHandle stream = Must(CreateStream());
  auto held = std::make_shared<Held>(gate.get_future().share());
  ASSERT_OK(LaunchHostFunction(stream, [held] {}));
  held.reset();
  EXPECT_EQ(SynchronizeStream(stream, 50).code(), Code::kStreamSyncTimeout);
  gate.set_value();
  EXPECT_OK(SynchronizeStream(stream));
}

TEST_F(Models, LaunchBlockingMakesEveryLaunchSynchronous) {
  Close();
  ASSERT_OK(Runtime::Configure("launch_blocking", "1"));
  Open();
  const Kernels faults("fault_kernels");
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(16, 1));
  ASSERT_OK(LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{16}}, 1, {}, {}}, stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(16, 2)) << "without a synchronise";
  EXPECT_EQ(Launch(faults["trap"], stream, 1).code(), Code::kAicoreException)
      << "the launch itself says what went wrong";
}

TEST_F(Models, TheEnvironmentMakesAnUnmodifiedProgramSynchronous) {
  const ChildResult child = RunChild(INTEGRATION_CHILD, "plain", "ASCEND_LAUNCH_BLOCKING=1");
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.output, "10\n");
}

TEST_F(Models, ATimeOutLeavesTheTasksRunning) {
  const StreamHandle stream = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(1, 1));
  HeldStream held(stream);
  ASSERT_OK(LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{1}}, 1, {}, {}}, stream));
  EXPECT_EQ(SynchronizeStream(stream, 1).code(), Code::kStreamSyncTimeout);
  EXPECT_EQ(SynchronizeDevice(1).code(), Code::kStreamSyncTimeout);
  EXPECT_OK(QueryStreamStatus(stream));
  held.Release();
  ASSERT_OK(SynchronizeStream(stream));
  EXPECT_EQ(Read(data), std::vector<uint32_t>(1, 2));
}

}  // namespace
}  // namespace forebay::testing
