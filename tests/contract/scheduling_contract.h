// What a device that executes tasks promises about choosing, failing and stopping. A backend is as in
// driver_contract.h.
#pragma once

#include <algorithm>
#include <set>

#include "forebay/base/thread.h"
#include "support/raw_kernels.h"

namespace forebay::testing {

using driver::WaitResult;
using types::FaultCause;
using types::MemorySpace;

template <typename Backend>
class SchedulingContract : public ::testing::Test {
 protected:
  static constexpr uint64_t kLog = 1 << 20;
  static constexpr uint32_t kGate = 200;

  void Open(const std::function<void(driver::DeviceOptions&)>& change = {}) {
    driver::DeviceOptions options = TestOptions(Backend::kBackend);
    options.boot.queue_depth = 1024;
    if (change) change(options);
    opened_ = std::make_unique<TestDevice>(options);
    ASSERT_TRUE(opened_->status.ok()) << opened_->status.ToString();
    ASSERT_TRUE(device().Map(kTestWindow, 0, kTestMemoryBytes / 2).ok());
    image_ = LoadRawKernels(device());
  }
  TestDevice& opened() { return *opened_; }
  driver::Device& device() { return *opened_->device; }
  TestStream Stream(uint32_t slot) { return opened_->Stream(slot); }
  void Append(TestStream& stream, uint64_t id) {
    stream.Kernel(image_, kAppend, 1, Arguments{opened_->Address(kLog), id});
  }
  std::vector<uint64_t> Log() {
    const auto* log = reinterpret_cast<const uint64_t*>(opened_->View(kLog));
    return {log + 1, log + 1 + log[0]};
  }
  std::vector<types::InterruptRecord> Failures() {
    device().DrainInterrupts();
    return opened_->sink.Failures();
  }
  // Whether a kernel was held up so long that the dispatcher's role moved and others ran beside it.
  bool WasHeldUp() { return device().bar().header->counters.hand_overs.load() != 0; }
  // Streams that all start when the gate opens.
  std::vector<TestStream> GatedStreams(uint32_t count) {
    std::vector<TestStream> streams;
    for (uint32_t i = 0; i < count; ++i) {
      streams.push_back(Stream(i));
      streams.back().Wait(kGate, 1);
    }
    return streams;
  }
  void OpenGate() { Stream(63).Record(kGate, 1); }

  std::unique_ptr<TestDevice> opened_;
  uint32_t image_ = 0;
};
TYPED_TEST_SUITE_P(SchedulingContract);

TYPED_TEST_P(SchedulingContract, HigherPriorityGoesFirst) {
  this->Open();
  this->Stream(2).registers().priority.store(7);
  this->Stream(1).registers().priority.store(3);
  this->Stream(0).registers().priority.store(0);
  auto streams = this->GatedStreams(3);
  for (auto& stream : streams) {
    for (int i = 0; i < 300; ++i) this->Append(stream, stream.slot());
  }
  this->OpenGate();
  for (auto& stream : streams) ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  const auto log = this->Log();
  ASSERT_EQ(log.size(), 900u);
  if (this->WasHeldUp()) GTEST_SKIP() << "the machine was too busy to tell the order";
  EXPECT_TRUE(std::is_sorted(log.begin(), log.end())) << "300 tasks are fewer than the starvation bound";
}

TYPED_TEST_P(SchedulingContract, EveryLowerPriorityIsServedWithinTheBound) {
  this->Open([](driver::DeviceOptions& options) { options.boot.queue_depth = 8192; });
  // kStarvationBound quanta of kQuantumTasks tasks, and a quantum each for the other priorities that waited as long.
  // Twice that: the first quantum of a stream may be over with its wait for the gate, when the system takes the
  // processor away just then.
  constexpr uint64_t kBound = 2 * (64 + 3) * 32;
  for (uint32_t i = 0; i < 3; ++i) this->Stream(i).registers().priority.store(i * 3);
  auto streams = this->GatedStreams(3);
  for (int i = 0; i < 7000; ++i) this->Append(streams[0], 0);
  for (int i = 0; i < 70; ++i) this->Append(streams[1], 1);
  for (int i = 0; i < 70; ++i) this->Append(streams[2], 2);
  this->OpenGate();
  for (auto& stream : streams) ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  const auto log = this->Log();
  if (this->WasHeldUp()) GTEST_SKIP() << "the machine was too busy to tell the order";
  for (uint64_t level : {1u, 2u}) {
    const auto first = static_cast<uint64_t>(std::find(log.begin(), log.end(), level) - log.begin());
    EXPECT_LE(first, kBound) << "level " << level;
  }
}

TYPED_TEST_P(SchedulingContract, EqualStreamsShareFairly) {
  this->Open();
  constexpr uint32_t kStreams = 8;
  auto streams = this->GatedStreams(kStreams);
  for (int i = 0; i < 500; ++i) {
    for (auto& stream : streams) this->Append(stream, stream.slot());
  }
  this->OpenGate();
  for (auto& stream : streams) ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  const auto log = this->Log();
  ASSERT_EQ(log.size(), kStreams * 500u);
  if (this->WasHeldUp()) GTEST_SKIP() << "the machine was too busy to tell the order";
  // The quanta, each a run of tasks of one stream: none is longer than 32 tasks, and streams take turns.
  std::vector<uint64_t> turns;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (i == 0 || log[i] != log[i - 1]) {
      turns.push_back(log[i]);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  // In the first rounds some streams may still be on their way to the gate; at the end they finish one by one.
  std::size_t end = turns.size();
  for (uint32_t slot = 0; slot < kStreams; ++slot) {
    const auto last = static_cast<std::size_t>(turns.rend() - std::find(turns.rbegin(), turns.rend(), slot));
    end = std::min(end, last);
  }
  ASSERT_GT(end, 6 * kStreams);
  for (std::size_t i = 4 * kStreams; i + 1 < end; ++i) {
    ASSERT_EQ(turns[i], turns[i - kStreams]) << "turn " << i;
    ASSERT_LE(lengths[i], 32u) << "turn " << i;
  }
}

TYPED_TEST_P(SchedulingContract, StreamThatContinuesRunsWhatFollowsAFailure) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.Failure();
  this->Append(stream, 1);
  stream.Failure();
  this->Append(stream, 2);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(this->Failures().size(), 2u);
}

TYPED_TEST_P(SchedulingContract, StreamThatStopsDropsWhatFollowsUntilRecovered) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.registers().stop_on_failure.store(1);
  stream.Failure();
  this->Append(stream, 1);
  stream.Failure();
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  this->Append(stream, 2);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_TRUE(this->Log().empty());
  EXPECT_EQ(this->Failures().size(), 1u);
  ASSERT_TRUE(this->device().RecoverStream(0).ok());
  this->Append(stream, 3);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{3}));
}

TYPED_TEST_P(SchedulingContract, HostFunctionMarkedForItRunsOnAStoppedStream) {
  this->Open();
  std::vector<uint32_t> called;
  this->opened().sink.set_on_interrupt([&](const types::InterruptRecord& record) {
    if (record.kind != types::InterruptKind::kHostFunction) return;
    called.push_back(record.task);
    FinishHostFunction(this->device().bar(), record);
  });
  TestStream stream = this->Stream(0);
  stream.registers().stop_on_failure.store(1);
  stream.Failure();
  stream.HostFunction();
  stream.HostFunction(types::kFlagRunsAfterFailure);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(called, (std::vector<uint32_t>{2}));
}

TYPED_TEST_P(SchedulingContract, FailureStopsEveryStreamOfItsGroupOnly) {
  this->Open();
  std::vector<TestStream> streams;
  for (uint32_t i = 0; i < 4; ++i) {
    streams.push_back(this->Stream(i));
    streams[i].registers().stop_on_failure.store(2);
    streams[i].registers().group.store(i < 3 ? 5 : 6);
  }
  streams[1].Wait(70, 1);  // never recorded: the stop ends it
  streams[0].Failure();
  for (auto& stream : streams) {
    ASSERT_TRUE(stream.slot() != 0 || stream.AwaitAll() == WaitResult::kDone);
    this->Append(stream, stream.slot());
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  }
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{3}));
  EXPECT_EQ(this->Failures().size(), 1u);
}

TYPED_TEST_P(SchedulingContract, EventBehindAFailureFailsWhoWaitsForIt) {
  this->Open();
  TestStream failing = this->Stream(0);
  TestStream before = this->Stream(1);
  TestStream after = this->Stream(2);
  TestStream third = this->Stream(3);
  for (TestStream* stream : {&failing, &before, &after, &third}) stream->registers().stop_on_failure.store(1);
  before.Wait(70, 1);
  failing.Nothing();
  failing.Failure();
  failing.Record(70, 1);
  ASSERT_EQ(failing.AwaitAll(), WaitResult::kDone);
  after.Wait(70, 1);
  after.Record(71, 1);
  third.Wait(71, 1);
  for (TestStream* stream : {&before, &after, &third}) ASSERT_EQ(stream->AwaitAll(), WaitResult::kDone);
  const auto failures = this->Failures();
  ASSERT_EQ(failures.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(failures[i].cause, FaultCause::kDependency);
    EXPECT_EQ(failures[i].other_stream, 0u) << "the first cause, also at second hand";
    EXPECT_EQ(failures[i].other_task, 1u);
  }
}

TYPED_TEST_P(SchedulingContract, EventRecordedAgainAfterRecoveryIsGood) {
  this->Open();
  TestStream failing = this->Stream(0);
  TestStream waiter = this->Stream(1);
  failing.registers().stop_on_failure.store(1);
  failing.Failure();
  failing.Record(70, 1);
  failing.Record(70, 2);
  ASSERT_EQ(failing.AwaitAll(), WaitResult::kDone);
  ASSERT_TRUE(this->device().RecoverStream(0).ok());
  failing.Record(70, 3);
  ASSERT_EQ(failing.AwaitAll(), WaitResult::kDone);
  waiter.Wait(70, 3);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(waiter.failures(), 0u);
  waiter.Wait(70, 2);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(waiter.failures(), 1u);
}

TYPED_TEST_P(SchedulingContract, AbortEndsAWaitAndDropsTheQueue) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.Wait(70, 1);
  for (int i = 0; i < 100; ++i) this->Append(stream, 1);
  ASSERT_TRUE(this->device().AbortStream(0).ok());
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_TRUE(this->Log().empty());
  EXPECT_TRUE(this->Failures().empty()) << "what the host asked for is no failure";
  ASSERT_TRUE(this->device().RecoverStream(0).ok());
  this->Append(stream, 2);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{2}));
}

TYPED_TEST_P(SchedulingContract, RefusesToAbortWhatIsNoStream) {
  this->Open();
  EXPECT_EQ(this->device().AbortStream(64).code(), Code::kParamInvalid);
  EXPECT_EQ(this->device().RecoverStream(~0u).code(), Code::kParamInvalid);
}

TYPED_TEST_P(SchedulingContract, ChainStaysOrderedUnderManySeeds) {
  for (uint64_t seed = 0; seed < (base::kThreadSanitizer ? 10 : TypeParam::kSeeds); ++seed) {
    this->Open([&](driver::DeviceOptions& options) {
      options.boot.scheduled_by_seed = 1;
      options.boot.schedule_seed = seed;
      if (options.backend == driver::Backend::kInline) options.boot.core_threads = 0;
    });
    std::vector<TestStream> streams;
    for (uint32_t i = 0; i < 5; ++i) streams.push_back(this->Stream(i));
    for (uint32_t round = 1; round <= 3; ++round) {
      for (uint32_t i = 0; i < 5; ++i) {
        if (i > 0) streams[i].Wait(100 + i - 1, round);
        if (i == 0 && round > 1) streams[0].Wait(104, round - 1);
        this->Append(streams[i], round * 10 + i);
        streams[i].Record(100 + i, round);
      }
    }
    ASSERT_EQ(streams[4].AwaitAll(), WaitResult::kDone);
    const auto log = this->Log();
    ASSERT_EQ(log.size(), 15u);
    ASSERT_TRUE(std::is_sorted(log.begin(), log.end())) << "seed " << seed;
    this->opened_.reset();
  }
}

TYPED_TEST_P(SchedulingContract, SeedsFindDifferentOrdersOfWhatIsNotOrdered) {
  std::set<std::vector<uint64_t>> orders;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    this->Open([&](driver::DeviceOptions& options) {
      options.boot.scheduled_by_seed = 1;
      options.boot.schedule_seed = seed;
      if (options.backend == driver::Backend::kInline) options.boot.core_threads = 0;
    });
    std::vector<TestStream> streams;
    for (uint32_t i = 0; i < 4; ++i) {
      streams.push_back(this->Stream(i));
      for (int task = 0; task < 3; ++task) this->Append(streams[i], i);
    }
    for (auto& stream : streams) ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
    orders.insert(this->Log());
    this->opened_.reset();
  }
  EXPECT_GE(orders.size(), 5u);
}

REGISTER_TYPED_TEST_SUITE_P(SchedulingContract, HigherPriorityGoesFirst, EveryLowerPriorityIsServedWithinTheBound,
                            EqualStreamsShareFairly, StreamThatContinuesRunsWhatFollowsAFailure,
                            StreamThatStopsDropsWhatFollowsUntilRecovered, HostFunctionMarkedForItRunsOnAStoppedStream,
                            FailureStopsEveryStreamOfItsGroupOnly, EventBehindAFailureFailsWhoWaitsForIt,
                            EventRecordedAgainAfterRecoveryIsGood, AbortEndsAWaitAndDropsTheQueue,
                            RefusesToAbortWhatIsNoStream, ChainStaysOrderedUnderManySeeds,
                            SeedsFindDifferentOrdersOfWhatIsNotOrdered);

}  // namespace forebay::testing
