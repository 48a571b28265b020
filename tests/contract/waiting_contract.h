// What a device promises about waiting for counters, for words of memory, and for events that are reset. A backend is
// as in driver_contract.h.
#pragma once

#include "contract/scheduling_contract.h"

namespace forebay::testing {

using types::Condition;
using types::CounterOperation;

template <typename Backend>
class WaitingContract : public SchedulingContract<Backend> {
 protected:
  static constexpr uint32_t kCounter = 210;

  void OpenBySeed(uint64_t seed) {
    this->Open([&](driver::DeviceOptions& options) {
      options.boot.scheduled_by_seed = 1;
      options.boot.schedule_seed = seed;
      if (options.backend == driver::Backend::kInline) options.boot.core_threads = 0;
    });
  }
  // Streams 0 to count - 1 that wait for the counter, each with a note in the log behind it.
  std::vector<TestStream> Waiters(uint32_t count) {
    std::vector<TestStream> streams;
    for (uint32_t i = 0; i < count; ++i) {
      streams.push_back(this->Stream(i));
      streams[i].CounterWait(kCounter, Condition::kEqual, 1);
      this->Append(streams[i], i);
    }
    return streams;
  }
  // Waits until all streams with work have been looked at: by the second turn of a stream of the lowest priority the
  // others have had one. Not by seed.
  void AwaitParked() {
    TestStream stream = this->Stream(40);
    stream.registers().priority.store(types::kPriorityLevels - 1);
    for (int turn = 0; turn < 2; ++turn) {
      stream.Nothing();
      ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
    }
  }
  static uint32_t Finished(const std::vector<TestStream>& streams) {
    return static_cast<uint32_t>(std::count_if(
        streams.begin(), streams.end(), [](const TestStream& stream) { return stream.done() == stream.tail(); }));
  }
  uint64_t& Word(uint64_t offset) { return *reinterpret_cast<uint64_t*>(this->opened().View(offset)); }
};
TYPED_TEST_SUITE_P(WaitingContract);
// Its tests run in programs of their own.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SchedulingContract);

TYPED_TEST_P(WaitingContract, OneRecordReleasesOneWaitUnderManySeeds) {
  for (uint64_t seed = 0; seed < (base::kThreadSanitizer ? 5 : TypeParam::kSeeds); ++seed) {
    this->OpenBySeed(seed);
    const std::vector<TestStream> waiters = this->Waiters(6);
    TestStream recorder = this->Stream(50);
    for (uint32_t records = 1; records <= 3; ++records) {
      recorder.CounterRecord(this->kCounter, CounterOperation::kSet, 1);
      ASSERT_EQ(recorder.AwaitAll(), WaitResult::kDone);
      const base::Deadline patience = Patience();
      while (this->Finished(waiters) < records && !patience.Passed()) this->device().Poll();
      ASSERT_EQ(this->Finished(waiters), records) << "seed " << seed;
    }
    EXPECT_EQ(this->opened().Event(this->kCounter).value.load(), 0u);
    EXPECT_EQ(this->Log().size(), 3u);
    this->opened_.reset();
  }
}

TYPED_TEST_P(WaitingContract, RecordsInARowReleaseAWaitEach) {
  this->Open();
  const std::vector<TestStream> waiters = this->Waiters(3);
  this->AwaitParked();
  TestStream recorder = this->Stream(50);
  recorder.Hold();
  recorder.CounterRecord(this->kCounter, CounterOperation::kSet, 1);
  recorder.CounterRecord(this->kCounter, CounterOperation::kSet, 1);
  recorder.Release();
  ASSERT_EQ(recorder.AwaitAll(), WaitResult::kDone);
  this->AwaitParked();
  EXPECT_EQ(this->Finished(waiters), 2u);
  EXPECT_EQ(this->Log().size(), 2u);
}

TYPED_TEST_P(WaitingContract, LongestWaitIsReleasedFirst) {
  this->Open();
  std::vector<TestStream> waiters;
  for (uint32_t i = 0; i < 4; ++i) {
    waiters.push_back(this->Stream(i));
    waiters[i].CounterWait(this->kCounter, Condition::kEqual, 1);
    this->Append(waiters[i], i);
    this->AwaitParked();
  }
  for (uint32_t i = 0; i < 4; ++i) {
    this->Stream(50).CounterRecord(this->kCounter, CounterOperation::kSet, 1);
    ASSERT_EQ(waiters[i].AwaitAll(), WaitResult::kDone);
  }
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{0, 1, 2, 3}));
}

TYPED_TEST_P(WaitingContract, ClearingReleasesWhoWaitsForLess) {
  this->Open();
  TestStream first = this->Stream(0);
  first.CounterRecord(this->kCounter, CounterOperation::kSet, 5);
  ASSERT_EQ(first.AwaitAll(), WaitResult::kDone);
  TestStream less = this->Stream(1);
  less.CounterWait(this->kCounter, Condition::kLess, 5, false);
  this->AwaitParked();
  first.CounterWait(this->kCounter, Condition::kEqual, 5);
  EXPECT_EQ(less.AwaitAll(), WaitResult::kDone);
}

TYPED_TEST_P(WaitingContract, CounterHas32Bits) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.CounterRecord(this->kCounter, CounterOperation::kSet, 0xFFFFFFFF);
  stream.CounterRecord(this->kCounter, CounterOperation::kAdd, 2);
  stream.CounterWait(this->kCounter, Condition::kEqual, 1, false);
  stream.CounterRecord(this->kCounter, CounterOperation::kOr, 0xF0);
  stream.CounterRecord(this->kCounter, CounterOperation::kAnd, 0x3F);
  stream.CounterWait(this->kCounter, Condition::kAllBits, 0x30, false);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->opened().Event(this->kCounter).value.load(), 0x31u);
}

TYPED_TEST_P(WaitingContract, RecordOfAStoppedStreamFailsTheWaitItReleases) {
  this->Open();
  TestStream failing = this->Stream(0);
  TestStream waiter = this->Stream(1);
  TestStream other = this->Stream(2);
  failing.registers().stop_on_failure.store(1);
  waiter.CounterWait(this->kCounter, Condition::kEqual, 1);
  failing.Failure();
  failing.CounterRecord(this->kCounter, CounterOperation::kSet, 1);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  const auto failures = this->Failures();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[1].cause, FaultCause::kDependency);
  EXPECT_EQ(failures[1].other_stream, 0u);
  // The wait took the failure with it.
  other.CounterRecord(this->kCounter, CounterOperation::kAdd, 1);
  other.CounterWait(this->kCounter, Condition::kEqual, 1);
  ASSERT_EQ(other.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(other.failures(), 0u);
}

TYPED_TEST_P(WaitingContract, WaitForACounterRunsOutAndTellsItsCount) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.CounterRecord(this->kCounter, CounterOperation::kSet, 7);
  stream.CounterWait(this->kCounter, Condition::kEqual, 1, true, 5);
  this->Append(stream, 1);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  const auto failures = this->Failures();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].cause, FaultCause::kWaitTimeout);
  EXPECT_NE(std::string(failures[0].text).find('7'), std::string::npos) << failures[0].text;
  EXPECT_EQ(this->Log(), (std::vector<uint64_t>{1}));
}

TYPED_TEST_P(WaitingContract, ResetUndoesWhatWasReachedAndNoMore) {
  this->Open();
  TestStream recorder = this->Stream(0);
  TestStream resetter = this->Stream(1);
  TestStream waiter = this->Stream(2);
  recorder.Record(70, 1);
  ASSERT_EQ(recorder.AwaitAll(), WaitResult::kDone);
  resetter.Reset(70, 1);
  ASSERT_EQ(resetter.AwaitAll(), WaitResult::kDone);
  waiter.Wait(70, 1);
  this->AwaitParked();
  EXPECT_NE(waiter.done(), waiter.tail());
  recorder.Record(70, 2);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  // It does not undo what is yet to come.
  resetter.Reset(70, 1);
  resetter.Reset(70, 3);
  ASSERT_EQ(resetter.AwaitAll(), WaitResult::kDone);
  recorder.Record(70, 3);
  waiter.Wait(70, 3);
  EXPECT_EQ(waiter.AwaitAll(), WaitResult::kDone);
}

TYPED_TEST_P(WaitingContract, WordOfMemoryIsSeenWhoeverWritesIt) {
  this->Open();
  const uint64_t address = this->opened().Address(0x8000);
  TestStream waiter = this->Stream(0);
  TestStream writer = this->Stream(1);
  waiter.MemoryWait(address, Condition::kEqual, 1);
  this->AwaitParked();
  EXPECT_NE(waiter.done(), waiter.tail()) << "only its own stream waits";
  writer.MemoryWrite(address, 1);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  waiter.MemoryWait(address, Condition::kEqual, 0x0202020202020202);
  writer.Fill(MemorySpace::kDevice, address, 2, 8);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  // The host writes while the device sleeps, and rings no bell.
  waiter.MemoryWait(address, Condition::kGreaterOrEqualCyclic, 3);
  __atomic_store_n(&this->Word(0x8000), 3, __ATOMIC_RELEASE);
  ASSERT_EQ(waiter.AwaitAll(), WaitResult::kDone);
}

TYPED_TEST_P(WaitingContract, WaitForMemoryEndsWithAnAbort) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.MemoryWait(this->opened().Address(0x8000), Condition::kEqual, 1);
  this->Append(stream, 1);
  ASSERT_TRUE(this->device().AbortStream(0).ok());
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_TRUE(this->Failures().empty());
  EXPECT_TRUE(this->Log().empty());
}

TYPED_TEST_P(WaitingContract, WordsThatAreNotThereFailTheirTask) {
  this->Open();
  TestStream stream = this->Stream(0);
  const uint64_t unmapped = this->opened().Address(kTestMemoryBytes / 2);
  for (const uint64_t address : {uint64_t{0x1000}, unmapped, this->opened().Address(4)}) {
    stream.MemoryWrite(address, 1);
    stream.MemoryWait(address, Condition::kEqual, 1);
  }
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  // Memory that goes away while a stream waits for it.
  stream.MemoryWait(this->opened().Address(0x200000), Condition::kEqual, 1);
  this->AwaitParked();
  ASSERT_TRUE(this->device().Unmap(this->opened().Address(0x200000), 4096).ok());
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  const auto failures = this->Failures();
  ASSERT_EQ(failures.size(), 7u);
  for (const auto& failure : failures) EXPECT_EQ(failure.cause, FaultCause::kCopyAddress);
}

REGISTER_TYPED_TEST_SUITE_P(WaitingContract, OneRecordReleasesOneWaitUnderManySeeds, RecordsInARowReleaseAWaitEach,
                            LongestWaitIsReleasedFirst, ClearingReleasesWhoWaitsForLess, CounterHas32Bits,
                            RecordOfAStoppedStreamFailsTheWaitItReleases, WaitForACounterRunsOutAndTellsItsCount,
                            ResetUndoesWhatWasReachedAndNoMore, WordOfMemoryIsSeenWhoeverWritesIt,
                            WaitForMemoryEndsWithAnAbort, WordsThatAreNotThereFailTheirTask);

}  // namespace forebay::testing
