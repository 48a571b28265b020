#include "integration/kernel_faults.h"

namespace forebay::testing {
namespace {

struct InlineBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kInline;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Inline, KernelHangs, InlineBackend);

class PumpedDevice : public KernelFaults<InlineBackend> {
 protected:
  void SetUp() override {
    Open([](driver::DeviceOptions& options) {
      options.boot.core_threads = 0;
      options.boot.scheduled_by_seed = 1;
    });
  }
};

TEST_F(PumpedDevice, StopsAnEndlessLoopOnTheWaitingThread) {
  EXPECT_EQ(RunFaulty(kAwaitWord, {Address(0)}, 1, 50'000).cause, FaultCause::kTimeout);
  EXPECT_EQ(RunFaulty(kMeet, {Address(0), 1u << 30}, 40, 50'000).cause, FaultCause::kTimeout);
}

TEST_F(PumpedDevice, SurvivesFaultsOnTheWaitingThread) {
  EXPECT_EQ(RunFaulty(kRead, {0}).cause, FaultCause::kBadAddress);
  EXPECT_EQ(RunFaulty(kRecurse, {0}).cause, FaultCause::kStackOverflow);
  EXPECT_EQ(RunFaulty(kTrap, {0}, 100).cause, FaultCause::kIllegalInstruction);
}

TEST_F(PumpedDevice, PrintsMoreThanTheRingHolds) {
  TestStream stream = Stream(0);
  stream.Kernel(image_, kPrintLines, 2, Arguments{50'000});
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  device().DrainInterrupts();
  EXPECT_GT(opened_->sink.printed().size(), types::kPrintBytes);
}

}  // namespace
}  // namespace forebay::testing
