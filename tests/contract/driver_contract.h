// What every backend of the driver has to do. A backend names itself and what it cannot:
//
//   struct MyBackend {
//     static constexpr driver::Backend kBackend = ...;
//     static constexpr bool kExecutes = ...;  // does what tasks say; without it every task completes and does nothing
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(My, DriverContract, MyBackend);
#pragma once

#include <numeric>

#include "forebay/base/thread.h"
#include "support/driver_harness.h"

namespace forebay::testing {

using driver::WaitResult;
using types::FaultCause;
using types::MemorySpace;

#define NEEDS_EXECUTION() \
  if (!TypeParam::kExecutes) GTEST_SKIP() << "this device completes tasks without doing them"

template <typename Backend>
class DriverContract : public ::testing::Test {
 protected:
  void Open(const std::function<void(driver::DeviceOptions&)>& change = {}) {
    driver::DeviceOptions options = TestOptions(Backend::kBackend);
    if (change) change(options);
    opened_ = std::make_unique<TestDevice>(options);
    ASSERT_TRUE(opened_->status.ok()) << opened_->status.ToString();
    ASSERT_TRUE(device().Map(kTestWindow, 0, kTestMemoryBytes / 2).ok());
  }
  TestDevice& opened() { return *opened_; }
  driver::Device& device() { return *opened_->device; }
  TestStream Stream(uint32_t slot) { return opened_->Stream(slot); }
  // Holds streams back until OpenGate: their first task waits for this event.
  static constexpr uint32_t kGate = 200;
  void CloseGate(TestStream& stream) { stream.Wait(kGate, 1); }
  void OpenGate() { Stream(63).Record(kGate, 1); }

  std::unique_ptr<TestDevice> opened_;
};
TYPED_TEST_SUITE_P(DriverContract);

TYPED_TEST_P(DriverContract, OpensAndCloses) {
  this->Open();
  EXPECT_GT(this->device().process_id(), 0);
  EXPECT_FALSE(this->device().lost());
  this->opened_->device.reset();
  EXPECT_EQ(this->opened().sink.losses(), 0);
}

TYPED_TEST_P(DriverContract, ReactsWhateverItDoes) {
  this->Open();
  EXPECT_TRUE(this->device().Reacts(Patience()));
  TestStream stream = this->Stream(0);
  this->CloseGate(stream);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(this->device().Reacts(Patience()));
  // Several may ask.
  std::vector<base::Thread> threads;
  std::atomic<int> reacted{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("asks", [&] {
      for (int i = 0; i < 100; ++i) reacted += this->device().Reacts(Patience()) ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(reacted, 400);
  this->OpenGate();
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
}

TYPED_TEST_P(DriverContract, CopiesBetweenPinnedAndDeviceMemory) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  auto* input = reinterpret_cast<uint32_t*>(device.View(device.Pinned(0)));
  std::iota(input, input + 1000, 7u);
  TestStream stream = this->Stream(0);
  stream.Copy(MemorySpace::kDevice, device.Address(4096), MemorySpace::kPinned, device.Pinned(0), 4000);
  stream.Copy(MemorySpace::kDevice, device.Address(65536), MemorySpace::kDevice, device.Address(4096), 4000);
  stream.Copy(MemorySpace::kPinned, device.Pinned(8192), MemorySpace::kDevice, device.Address(65536), 4000);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 0u);
  EXPECT_EQ(std::memcmp(device.View(4096), input, 4000), 0) << "the host's view shows device memory";
  EXPECT_EQ(std::memcmp(device.View(device.Pinned(8192)), input, 4000), 0);
}

TYPED_TEST_P(DriverContract, OverlappingCopyMovesAsMemmove) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  for (int i = 0; i < 1000; ++i) device.View(0)[i] = static_cast<std::byte>(i);
  TestStream stream = this->Stream(0);
  stream.Copy(MemorySpace::kDevice, device.Address(1), MemorySpace::kDevice, device.Address(0), 999);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  for (int i = 1; i < 1000; ++i) ASSERT_EQ(device.View(0)[i], static_cast<std::byte>(i - 1));
}

TYPED_TEST_P(DriverContract, FillsExactlyTheRange) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  TestStream stream = this->Stream(0);
  stream.Fill(MemorySpace::kDevice, device.Address(100), 0x5A, 77);
  stream.Fill(MemorySpace::kPinned, device.Pinned(3), 0x11, 1);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(device.View(99)[0], std::byte{0});
  EXPECT_EQ(device.View(100)[0], std::byte{0x5A});
  EXPECT_EQ(device.View(176)[0], std::byte{0x5A});
  EXPECT_EQ(device.View(177)[0], std::byte{0});
  EXPECT_EQ(device.View(device.Pinned(3))[0], std::byte{0x11});
}

TYPED_TEST_P(DriverContract, TasksOfAStreamRunInOrder) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  TestStream stream = this->Stream(5);
  for (uint32_t i = 0; i < 500; ++i) {
    stream.Fill(MemorySpace::kDevice, device.Address(0), static_cast<uint8_t>(i), 8);
    stream.Copy(MemorySpace::kDevice, device.Address(4096 + 8 * i), MemorySpace::kDevice, device.Address(0), 8);
  }
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  for (uint32_t i = 0; i < 500; ++i) ASSERT_EQ(device.View(4096 + 8 * i)[0], static_cast<std::byte>(i)) << i;
}

TYPED_TEST_P(DriverContract, QueueWrapsAroundWithTasksOfManyEntries) {
  this->Open();
  TestStream stream = this->Stream(1);
  types::Command command{};
  command.opcode = types::Opcode::kNone;
  const std::vector<std::byte> rest(64 * types::kEntryBytes);
  for (uint32_t i = 0; i < 5000; ++i) {
    command.entry_count = static_cast<uint16_t>(1 + i % 7);
    stream.Push(command, std::span(rest).first((command.entry_count - 1u) * types::kEntryBytes));
  }
  command.entry_count = 64;  // the whole ring
  stream.Push(command, std::span(rest).first(63 * types::kEntryBytes));
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.done(), stream.tail());
  EXPECT_EQ(stream.failures(), 0u);
}

TYPED_TEST_P(DriverContract, RecordReleasesAWaitThatWasSubmittedFirst) {
  this->Open();
  TestStream waiter = this->Stream(0);
  TestStream recorder = this->Stream(1);
  const uint64_t behind = waiter.Wait(70, 1);
  if (TypeParam::kExecutes) {
    EXPECT_EQ(this->device().WaitDone(0, behind, base::Deadline::AfterNanoseconds(20'000'000)), WaitResult::kTimeout);
  }
  recorder.Record(70, 1);
  EXPECT_EQ(recorder.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(waiter.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->opened().Event(70).value.load(), 1u);
}

TYPED_TEST_P(DriverContract, ChainOfEventsOverStreamsIsOrdered) {
  NEEDS_EXECUTION();
  this->Open();
  TestDevice& device = this->opened();
  constexpr uint32_t kStreams = 16;
  std::vector<TestStream> streams;
  for (uint32_t i = 0; i < kStreams; ++i) streams.push_back(this->Stream(i));
  // Each stream copies its predecessor's cell into its own after it. Waits are submitted before their records.
  for (uint32_t round = 1; round <= 20; ++round) {
    for (uint32_t i = kStreams; i-- > 0;) {
      if (i > 0) {
        streams[i].Wait(100 + i - 1, round);
        streams[i].Copy(MemorySpace::kDevice, device.Address(8 * i), MemorySpace::kDevice, device.Address(8 * (i - 1)),
                        8);
      } else {
        if (round > 1) streams[0].Wait(100 + kStreams - 1, round - 1);
        streams[0].Fill(MemorySpace::kDevice, device.Address(0), static_cast<uint8_t>(round), 8);
      }
      streams[i].Record(100 + i, round);
    }
    if (round % 4 == 0) {
      ASSERT_EQ(streams[kStreams - 1].AwaitAll(), WaitResult::kDone);
      ASSERT_EQ(device.View(8 * (kStreams - 1))[0], static_cast<std::byte>(round));
    }
  }
}

TYPED_TEST_P(DriverContract, EventWaitTimesOut) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  stream.Wait(70, 1, 30);
  const int64_t start = base::NowNanoseconds();
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_GE(base::NowNanoseconds() - start, 25'000'000);
  this->device().DrainInterrupts();
  const auto failures = this->opened().sink.Failures();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].cause, FaultCause::kWaitTimeout);
  EXPECT_EQ(failures[0].elapsed_ms, 30u);
}

TYPED_TEST_P(DriverContract, WaitTimeoutsOfAStoppedGroupEndTogether) {
  NEEDS_EXECUTION();
  this->Open();
  std::vector<TestStream> streams;
  for (uint32_t i = 0; i < 8; ++i) {
    streams.push_back(this->Stream(i));
    streams[i].registers().stop_on_failure.store(2);
    streams[i].registers().group.store(9);
    streams[i].Wait(70, 1, 20);
  }
  for (TestStream& stream : streams) EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  this->device().DrainInterrupts();
  EXPECT_EQ(this->opened().sink.Failures().size(), 1u) << "the first one stops the others";
}

TYPED_TEST_P(DriverContract, WaitForCompletionGivesUpAtItsDeadline) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  const uint64_t entry = stream.Wait(70, 1);
  EXPECT_EQ(this->device().WaitDone(0, entry, base::Deadline::AfterNanoseconds(0)), WaitResult::kTimeout);
  EXPECT_EQ(this->device().WaitDone(0, entry, base::Deadline::AfterNanoseconds(10'000'000)), WaitResult::kTimeout);
  this->Stream(1).Record(70, 1);
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
}

TYPED_TEST_P(DriverContract, FullRingMakesTheHostWaitAndLosesNothing) {
  this->Open();
  TestStream stream = this->Stream(2);
  for (int i = 0; i < 64; ++i) stream.Nothing();
  base::Thread opener("opener", [&] { this->OpenGate(); });
  TestStream gated = this->Stream(3);
  this->CloseGate(gated);
  for (int i = 0; i < 1000; ++i) gated.Nothing();
  EXPECT_EQ(gated.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(gated.done(), gated.tail());
}

TYPED_TEST_P(DriverContract, ManyThreadsWaitForDifferentEntriesOfOneStream) {
  this->Open();
  constexpr int kThreads = 6;
  constexpr int kRounds = 50;
  std::vector<base::Thread> threads;
  std::atomic<int> wrong{0};
  TestStream stream = this->Stream(0);
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t first = stream.tail();
    const uint32_t gate_value = static_cast<uint32_t>(round) + 1;
    stream.Wait(TestFixture::kGate, gate_value);
    for (int i = 0; i < kThreads; ++i) stream.Nothing();
    threads.clear();
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back("waiter", [&, i, first] {
        const uint64_t entry = first + 1 + static_cast<uint64_t>(i);
        if (this->device().WaitDone(0, entry, Patience()) != WaitResult::kDone || stream.done() < entry)
          wrong.fetch_add(1);
      });
    }
    this->Stream(63).Record(TestFixture::kGate, gate_value);
    for (auto& thread : threads) thread.Join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

TYPED_TEST_P(DriverContract, TwoStreamsAreFedByTwoThreads) {
  this->Open();
  std::vector<base::Thread> threads;
  for (uint32_t slot = 0; slot < 2; ++slot) {
    threads.emplace_back("feeder", [&, slot] {
      TestStream stream = this->Stream(slot);
      for (int i = 0; i < 20'000; ++i) stream.Nothing();
      EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
    });
  }
}

TYPED_TEST_P(DriverContract, IdleDeviceWakesForEveryTask) {
  this->Open([](driver::DeviceOptions& options) {
    options.boot.spin_us = 0;
    options.spin_us = 0;
  });
  TestStream stream = this->Stream(0);
  for (int i = 0; i < 2000; ++i) {
    stream.Nothing();
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone) << i;
  }
}

TYPED_TEST_P(DriverContract, FailureIsReportedWithItsTask) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(4);
  stream.Nothing();
  stream.Failure();
  stream.Nothing();
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 1u);
  this->device().DrainInterrupts();
  const auto failures = this->opened().sink.Failures();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].stream, 4u);
  EXPECT_EQ(failures[0].task, 1u);
  EXPECT_EQ(failures[0].entry, 1u);
  EXPECT_EQ(failures[0].address, 0x1000u);
  EXPECT_LT(failures[0].block, 0);
}

TYPED_TEST_P(DriverContract, MoreFailuresThanTheInterruptRingHoldsAllArrive) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  for (int i = 0; i < 5000; ++i) stream.Failure();
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 5000u);
  this->device().DrainInterrupts();
  const auto failures = this->opened().sink.Failures();
  ASSERT_EQ(failures.size(), 5000u);
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(failures[i].task, i);
}

TYPED_TEST_P(DriverContract, CommandThatCannotBeDecodedFailsAndTheStreamGoesOn) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  types::Command command{};
  command.opcode = static_cast<types::Opcode>(99);
  command.entry_count = 1;
  stream.Push(command);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  stream.Kernel(4000, 17, 1);
  stream.Kernel(~0u, 0, 1);
  stream.Nothing();
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  this->device().DrainInterrupts();
  const auto failures = this->opened().sink.Failures();
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[0].cause, FaultCause::kBadCommand);
  EXPECT_EQ(failures[1].cause, FaultCause::kUnknownKernel);
  EXPECT_EQ(failures[2].cause, FaultCause::kUnknownKernel);
}

TYPED_TEST_P(DriverContract, HostFunctionHoldsItsStreamOnly) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  TestStream other = this->Stream(1);
  std::atomic<uint64_t> done_inside{99};
  this->opened().sink.set_on_interrupt([&](const types::InterruptRecord& record) {
    if (record.kind != types::InterruptKind::kHostFunction) return;
    done_inside.store(stream.done());
    FinishHostFunction(this->device().bar(), record);
  });
  stream.Nothing();
  stream.HostFunction();
  stream.Nothing();
  other.Nothing();
  EXPECT_EQ(other.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(done_inside.load(), 1u) << "what came before is complete, the function is not";
}

TYPED_TEST_P(DriverContract, HostFunctionsOfManyStreamsAllRun) {
  NEEDS_EXECUTION();
  this->Open();
  std::atomic<int> calls{0};
  this->opened().sink.set_on_interrupt([&](const types::InterruptRecord& record) {
    calls.fetch_add(1);
    FinishHostFunction(this->device().bar(), record);
  });
  std::vector<TestStream> streams;
  for (uint32_t i = 0; i < 20; ++i) streams.push_back(this->Stream(i));
  for (int round = 0; round < 20; ++round) {
    for (TestStream& stream : streams) stream.HostFunction();
  }
  for (TestStream& stream : streams) EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(calls.load(), 400);
}

TYPED_TEST_P(DriverContract, TimestampOnlyWhereAskedFor) {
  NEEDS_EXECUTION();
  this->Open();
  TestStream stream = this->Stream(0);
  const uint64_t before = base::ReadCycleCounter();
  stream.Record(70, 1, types::kFlagTimestamp);
  stream.Record(71, 1);
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_GE(this->opened().Event(70).timestamp.load(), before);
  EXPECT_LE(this->opened().Event(70).timestamp.load(), base::ReadCycleCounter());
  EXPECT_EQ(this->opened().Event(71).timestamp.load(), 0u);
}

}  // namespace forebay::testing

#include "contract/driver_memory_contract.h"

namespace forebay::testing {

REGISTER_TYPED_TEST_SUITE_P(DriverContract, OpensAndCloses, ReactsWhateverItDoes, CopiesBetweenPinnedAndDeviceMemory,
                            OverlappingCopyMovesAsMemmove, FillsExactlyTheRange, MemoryIsOutOfReachUnlessMapped,
                            MemoryLiesWhereverItIsMappedAndKeepsWhatItHoldsUntilItIsDiscarded,
                            RefusesToMapWhatIsNotThere, TasksOfAStreamRunInOrder,
                            QueueWrapsAroundWithTasksOfManyEntries, RecordReleasesAWaitThatWasSubmittedFirst,
                            ChainOfEventsOverStreamsIsOrdered, EventWaitTimesOut,
                            WaitTimeoutsOfAStoppedGroupEndTogether, WaitForCompletionGivesUpAtItsDeadline,
                            FullRingMakesTheHostWaitAndLosesNothing, ManyThreadsWaitForDifferentEntriesOfOneStream,
                            TwoStreamsAreFedByTwoThreads, IdleDeviceWakesForEveryTask, FailureIsReportedWithItsTask,
                            MoreFailuresThanTheInterruptRingHoldsAllArrive,
                            CommandThatCannotBeDecodedFailsAndTheStreamGoesOn, HostFunctionHoldsItsStreamOnly,
                            HostFunctionsOfManyStreamsAllRun, TimestampOnlyWhereAskedFor);

}  // namespace forebay::testing
