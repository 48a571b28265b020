// Which stream the hardware scheduler serves next. Everything is queued behind events before the first task may run.
#include <algorithm>

#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class Priority : public RuntimeTest {
 protected:
  // Streams wait for one event, which a held stream records, so that all of them become ready at once.
  void SetUp() override {
    RuntimeTest::SetUp();
    gate_stream_ = Must(CreateStream());
    gate_ = Must(CreateEvent());
    held_ = std::make_unique<HeldStream>(gate_stream_);
    ASSERT_OK(RecordEvent(gate_, gate_stream_));
  }
  void TearDown() override {
    held_.reset();
    RuntimeTest::TearDown();
  }
  StreamHandle Waiting(int32_t priority) {
    const StreamHandle stream = Must(CreateStream(priority));
    EXPECT_OK(StreamWaitEvent(stream, gate_));
    return stream;
  }
  void Append(StreamHandle stream, const RuntimeTensor& log, uint32_t value, uint32_t times) {
    const KernelHandle append = basic["append"];
    for (uint32_t i = 0; i < times; ++i) ASSERT_OK(Launch(append, stream, 1, log.address(), value));
  }
  void Go() {
    held_->Release();
    EXPECT_OK(SynchronizeDevice());
  }

 private:
  StreamHandle gate_stream_ = nullptr;
  EventHandle gate_ = nullptr;
  std::unique_ptr<HeldStream> held_;
};

std::size_t LastOf(const std::vector<uint32_t>& log, uint32_t value) {
  return static_cast<std::size_t>(std::find(log.rbegin(), log.rend(), value).base() - log.begin());
}

TEST_F(Priority, ALaterHighPriorityStreamOvertakesQueuedLowerOnes) {
  const RuntimeTensor log = Log(600);
  const StreamHandle low = Waiting(kLowestPriority);
  Append(low, log, 1, 200);
  const StreamHandle high = Waiting(kHighestPriority);
  Append(high, log, 2, 50);
  Go();
  const std::vector<uint32_t> order = Logged(log);
  ASSERT_EQ(order.size(), 250U);
  // The first of the low ones may have begun before the high one was looked at: one quantum of 32.
  EXPECT_LE(LastOf(order, 2), 50U + 32U);
}

TEST_F(Priority, EqualStreamsShareFairly) {
  const RuntimeTensor log = Log(2000);
  constexpr uint32_t kStreams = 4, kTasks = 320;
  for (uint32_t i = 0; i < kStreams; ++i) Append(Waiting(3), log, i, kTasks);
  Go();
  const std::vector<uint32_t> order = Logged(log);
  ASSERT_EQ(order.size(), kStreams * kTasks);
  // At every point no stream is ahead of another by more than two quanta, as long as both have work; and by one more
  // for each quantum that was over early, because the system took the processor away. That may happen once or twice.
  uint32_t count[kStreams] = {};
  uint32_t widest = 0;
  for (const uint32_t value : order) {
    ++count[value];
    const auto [least, most] = std::minmax_element(count, count + kStreams);
    if (*most < kTasks) widest = std::max(widest, *most - *least);
  }
  EXPECT_LE(widest, 128U);
}

TEST_F(Priority, ALowStreamIsServedWithinTheStatedBound) {
  // Two high streams keep each other's place: without the bound the low one would come last of all.
  const RuntimeTensor log = Log(9000);
  const StreamHandle low = Waiting(kLowestPriority);
  Append(low, log, 9, 1);
  const StreamHandle high[] = {Waiting(0), Waiting(0), Waiting(0)};
  for (uint32_t chunk = 0; chunk < 15; ++chunk) {
    for (uint32_t i = 0; i < 3; ++i) Append(high[i], log, i, 100);
  }
  // A quantum is at most 32 tasks, and the bound is 64 quanta. Quanta end early by time, so this counts tasks.
  Go();
  const std::vector<uint32_t> order = Logged(log);
  ASSERT_EQ(order.size(), 4501U);
  EXPECT_LE(LastOf(order, 9), 64U * 32U + 2 * 32U);
}

TEST_F(Priority, OutOfRangeIsRefused) {
  EXPECT_EQ(CreateStream(-1).code(), Code::kParamInvalid);
  EXPECT_EQ(CreateStream(kLowestPriority + 1).code(), Code::kParamInvalid);
}

}  // namespace
}  // namespace forebay::testing
