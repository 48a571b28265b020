#include <sched.h>
#include <signal.h>

#include "contract/driver_contract.h"

namespace forebay::testing {
namespace {

struct ProcessBackend {
  static constexpr driver::Backend kBackend = driver::Backend::kProcess;
  static constexpr bool kExecutes = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Process, DriverContract, ProcessBackend);

TEST(StoppedDevice, DoesNotReactAndIsNotLostForIt) {
  TestDevice opened(TestOptions(driver::Backend::kProcess));
  ASSERT_TRUE(opened.status.ok()) << opened.status.ToString();
  ASSERT_EQ(kill(opened.device->process_id(), SIGSTOP), 0);
  // Its threads stop one by one.
  while (opened.device->Reacts(base::Deadline::AfterNanoseconds(20'000'000))) sched_yield();
  EXPECT_FALSE(opened.device->lost());
  ASSERT_EQ(kill(opened.device->process_id(), SIGCONT), 0);
  EXPECT_TRUE(opened.device->Reacts(Patience()));
  TestStream stream = opened.Stream(0);
  stream.Nothing();
  EXPECT_EQ(stream.AwaitAll(), driver::WaitResult::kDone);
  ASSERT_EQ(kill(opened.device->process_id(), SIGKILL), 0);
  EXPECT_FALSE(opened.device->Reacts(Patience())) << "long before its patience is over";
}

}  // namespace
}  // namespace forebay::testing
