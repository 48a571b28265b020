// Kernels that go wrong, on every backend that runs kernels: the task fails with its cause, and the device works on.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include "support/raw_kernels.h"

namespace forebay::testing {

using driver::WaitResult;
using types::FaultCause;

template <typename Backend>
class KernelFaults : public ::testing::Test {
 protected:
  static constexpr uint64_t kWord = 1 << 20;

  void Open(const std::function<void(driver::DeviceOptions&)>& change = {}) {
    driver::DeviceOptions options = TestOptions(Backend::kBackend);
    options.boot.queue_depth = 256;
    if (change) change(options);
    opened_ = std::make_unique<TestDevice>(options);
    ASSERT_TRUE(opened_->status.ok()) << opened_->status.ToString();
    ASSERT_TRUE(device().Map(kTestWindow, 0, kTestMemoryBytes / 2).ok());
    image_ = LoadRawKernels(device());
  }
  driver::Device& device() { return *opened_->device; }
  TestStream Stream(uint32_t slot) { return opened_->Stream(slot); }
  uint64_t Address(uint64_t offset) { return opened_->Address(offset); }
  volatile uint64_t* Words(uint64_t offset) { return reinterpret_cast<volatile uint64_t*>(opened_->View(offset)); }

  // Runs the kernel, and after it one that must work. The failure is returned.
  types::InterruptRecord RunFaulty(uint32_t kernel, const Arguments& arguments, uint32_t blocks = 1,
                                   uint32_t timeout_us = 0) {
    if (!opened_) Open();
    TestStream stream = Stream(0);
    const std::size_t before = Failures().size();
    stream.Kernel(image_, kernel, blocks, arguments, timeout_us);
    Words(kWord)[0] = 0;
    stream.Kernel(image_, kWrite, 1, Arguments{Address(kWord)});
    EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
    EXPECT_EQ(Words(kWord)[0], 1u) << "the device works on";
    const auto failures = Failures();
    EXPECT_EQ(failures.size(), before + 1);
    return failures.size() > before ? failures.back() : types::InterruptRecord{};
  }
  std::vector<types::InterruptRecord> Failures() {
    device().DrainInterrupts();
    return opened_->sink.Failures();
  }

  std::unique_ptr<TestDevice> opened_;
  uint32_t image_ = 0;
};
TYPED_TEST_SUITE_P(KernelFaults);

TYPED_TEST_P(KernelFaults, NullPointer) {
  const auto record = this->RunFaulty(kRead, {0});
  EXPECT_EQ(record.cause, FaultCause::kBadAddress);
  EXPECT_EQ(record.address, 0u);
  EXPECT_EQ(record.block, 0);
  EXPECT_EQ(record.function, kRead);
  EXPECT_NE(record.instruction, 0u);
}

TYPED_TEST_P(KernelFaults, UnmappedDeviceMemory) {
  this->Open();
  const auto record = this->RunFaulty(kWrite, {this->Address(kTestMemoryBytes / 2)});
  EXPECT_EQ(record.cause, FaultCause::kBadAddress);
  EXPECT_EQ(record.address, this->Address(kTestMemoryBytes / 2));
}

TYPED_TEST_P(KernelFaults, HostPointer) {
  if (TypeParam::kBackend == driver::Backend::kInline) GTEST_SKIP() << "host and device share their addresses";
  uint64_t on_the_stack = 0;
  auto on_the_heap = std::make_unique<uint64_t>(0);
  this->Open();
  for (uint64_t* word : {&on_the_stack, on_the_heap.get()}) {
    EXPECT_EQ(this->RunFaulty(kWrite, {reinterpret_cast<uint64_t>(word)}).cause, FaultCause::kBadAddress);
    EXPECT_EQ(*word, 0u);
  }
}

TYPED_TEST_P(KernelFaults, Trap) { EXPECT_EQ(this->RunFaulty(kTrap, {0}).cause, FaultCause::kIllegalInstruction); }

TYPED_TEST_P(KernelFaults, DivideByZero) { EXPECT_EQ(this->RunFaulty(kDivide, {0}).cause, FaultCause::kArithmetic); }

TYPED_TEST_P(KernelFaults, StackOverflow) {
  EXPECT_EQ(this->RunFaulty(kRecurse, {0}).cause, FaultCause::kStackOverflow);
}

TYPED_TEST_P(KernelFaults, Abort) {
  const auto record = this->RunFaulty(kAbort, {0});
  EXPECT_EQ(record.cause, FaultCause::kAbort);
  EXPECT_STREQ(record.text, "on purpose");
}

TYPED_TEST_P(KernelFaults, Exit) { EXPECT_EQ(this->RunFaulty(kExit, {0}).cause, FaultCause::kExit); }

TYPED_TEST_P(KernelFaults, FirstBlockThatFailsIsNamedOnce) {
  const auto record = this->RunFaulty(kTrap, {0}, 1000);
  EXPECT_EQ(record.cause, FaultCause::kIllegalInstruction);
  EXPECT_GE(record.block, 0);
}

TYPED_TEST_P(KernelFaults, FaultsInARowDoNotWearTheCoreOut) {
  this->Open();
  TestStream stream = this->Stream(0);
  for (int i = 0; i < 1000; ++i) {
    stream.Kernel(this->image_, i % 2 == 0 ? kTrap : kRecurse, 1, Arguments{0});
  }
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 1000u);
}

TYPED_TEST_P(KernelFaults, ArgumentsOfManyEntriesArriveWhole) {
  this->Open();
  TestStream stream = this->Stream(0);
  std::vector<uint64_t> words(100);
  for (uint64_t i = 1; i < 100; ++i) words[i] = i;
  for (uint64_t i = 0; i < 500; ++i) {
    words[0] = this->Address(8192 + 8 * i);
    words[1] = i;
    stream.Kernel(this->image_, kSum, 1, Arguments(words));
  }
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  for (uint64_t i = 0; i < 500; ++i) ASSERT_EQ(this->Words(8192)[i], 4949 + i) << "at every place of the ring";
}

TYPED_TEST_P(KernelFaults, EveryLoadedImageIsACopyOfItsOwn) {
  this->Open();
  TestStream stream = this->Stream(0);
  for (int round = 0; round < 3; ++round) {
    const uint32_t first = LoadRawKernels(this->device());
    const uint32_t second = LoadRawKernels(this->device());
    for (int i = 0; i < 3; ++i) stream.Kernel(first, kCountCalls, 1, Arguments{this->Address(0)});
    stream.Kernel(second, kCountCalls, 1, Arguments{this->Address(8)});
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
    EXPECT_EQ(this->Words(0)[0], 3u);
    EXPECT_EQ(this->Words(0)[1], 1u);
    EXPECT_TRUE(this->device().UnloadImage(first).ok());
    EXPECT_TRUE(this->device().UnloadImage(second).ok());
    EXPECT_EQ(this->device().UnloadImage(second).code(), Code::kParamInvalid);
  }
  EXPECT_EQ(this->device().bar().header->counters.images.load(), 1u);
}

TYPED_TEST_P(KernelFaults, WhatIsNoImageIsRefused) {
  this->Open();
  const std::vector<std::byte> garbage(1000, std::byte{7});
  EXPECT_EQ(this->device().LoadImage(garbage, {"x"}, 0).code(), Code::kParamInvalid);
  EXPECT_EQ(this->device().LoadImage({}, {}, 0).code(), Code::kParamInvalid);
  EXPECT_EQ(this->device().LoadImage(ReadBytes(RAW_KERNELS), {"NoSuchKernel"}, 0).code(), Code::kParamInvalid);
}

TYPED_TEST_P(KernelFaults, EveryBlockRunsOnce) {
  this->Open();
  TestStream stream = this->Stream(0);
  stream.Kernel(this->image_, kMarkBlocks, 65535, Arguments{this->Address(1 << 20)});
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  for (uint64_t i = 0; i < 65535; ++i) ASSERT_EQ(this->Words(1 << 20)[i], i + 1);
}

TYPED_TEST_P(KernelFaults, FortyBlocksMeetOnTwoCores) {
  this->Open();
  TestStream stream = this->Stream(0);
  // The first launches teach the device that helpers pay.
  for (int launch = 0; launch < 20; ++launch) {
    stream.Fill(types::MemorySpace::kDevice, this->Address(0), 0, 4096);
    stream.Kernel(this->image_, kMeet, 40, Arguments{this->Address(0), 100});
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
    ASSERT_EQ(stream.failures(), 0u) << (this->Failures().empty() ? "" : this->Failures()[0].text);
    ASSERT_EQ(this->Words(0)[39], 100u);
    ASSERT_EQ(this->Words(0)[40], 0u) << "a block saw a mark of an earlier round";
  }
}

TYPED_TEST_P(KernelFaults, BlocksThatCannotMeetFailInsteadOfHanging) {
  const auto record = this->RunFaulty(kMeetWithoutTheFirst, {0}, 8);
  EXPECT_EQ(record.cause, FaultCause::kSyncAll);
  EXPECT_NE(std::string(record.text).find("7 blocks wait"), std::string::npos) << record.text;
}

TYPED_TEST_P(KernelFaults, MoreBlocksThanCoresCannotMeet) {
  this->Open();
  const auto record = this->RunFaulty(kMeet, {this->Address(0), 1}, 41);
  EXPECT_EQ(record.cause, FaultCause::kSyncAll);
  EXPECT_NE(std::string(record.text).find("40 cores"), std::string::npos) << record.text;
}

TYPED_TEST_P(KernelFaults, PrintedLinesArriveWholeAndInOrder) {
  this->Open();
  TestStream stream = this->Stream(0);
  constexpr uint64_t kLines = 20'000;  // several times the ring
  constexpr uint32_t kBlocks = 4;
  stream.Kernel(this->image_, kPrintLines, kBlocks, Arguments{kLines});
  ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone);
  this->device().DrainInterrupts();
  std::istringstream lines(this->opened_->sink.printed());
  std::vector<uint64_t> next(kBlocks);
  std::string line;
  while (std::getline(lines, line)) {
    uint32_t block = 0;
    unsigned long long number = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "block %u line %llu", &block, &number), 2) << line;
    ASSERT_EQ(number, next.at(block)++);
  }
  for (const uint64_t count : next) EXPECT_EQ(count, kLines);
}

REGISTER_TYPED_TEST_SUITE_P(KernelFaults, NullPointer, UnmappedDeviceMemory, HostPointer, Trap, DivideByZero,
                            StackOverflow, Abort, Exit, FirstBlockThatFailsIsNamedOnce, FaultsInARowDoNotWearTheCoreOut,
                            ArgumentsOfManyEntriesArriveWhole, EveryLoadedImageIsACopyOfItsOwn, WhatIsNoImageIsRefused,
                            EveryBlockRunsOnce, FortyBlocksMeetOnTwoCores, BlocksThatCannotMeetFailInsteadOfHanging,
                            MoreBlocksThanCoresCannotMeet, PrintedLinesArriveWholeAndInOrder);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelFaults);

// Kernels that do not end. Not for ThreadSanitizer, which delivers no signal to a loop without calls.
template <typename Backend>
class KernelHangs : public KernelFaults<Backend> {};
TYPED_TEST_SUITE_P(KernelHangs);

TYPED_TEST_P(KernelHangs, EndlessLoopIsStoppedAtItsTimeout) {
  this->Open();
  const int64_t start = base::NowNanoseconds();
  const auto record = this->RunFaulty(kAwaitWord, {this->Address(0)}, 1, 200'000);
  const int64_t elapsed_ms = (base::NowNanoseconds() - start) / 1'000'000;
  EXPECT_EQ(record.cause, FaultCause::kTimeout);
  EXPECT_GE(elapsed_ms, 195);
  EXPECT_LE(elapsed_ms, 300);
}

TYPED_TEST_P(KernelHangs, EndlessBlocksOnSeveralCoresAreAllStopped) {
  EXPECT_EQ(this->RunFaulty(kMeet, {this->opened_ ? 0 : kTestWindow, 1u << 30}, 40, 50'000).cause,
            FaultCause::kTimeout);
}

TYPED_TEST_P(KernelHangs, EndlessPrintingIsStopped) {
  EXPECT_EQ(this->RunFaulty(kPrintForever, {0}, 1, 50'000).cause, FaultCause::kTimeout);
}

TYPED_TEST_P(KernelHangs, OtherStreamsGoOnMeanwhile) {
  this->Open();
  TestStream hung = this->Stream(0);
  TestStream other = this->Stream(1);
  hung.Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)});
  for (int i = 0; i < 200; ++i) {
    other.Kernel(this->image_, kWrite, 1, Arguments{this->Address(4096)});
    ASSERT_EQ(other.AwaitAll(), WaitResult::kDone);
  }
  EXPECT_EQ(hung.done(), 0u);
  EXPECT_GE(this->device().bar().header->counters.hand_overs.load(), 1u);
  this->Words(0)[0] = 1;
  EXPECT_EQ(hung.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(hung.failures(), 0u);
}

TYPED_TEST_P(KernelHangs, MoreHungKernelsThanCores) {
  this->Open([](driver::DeviceOptions& options) { options.boot.ai_core_count = 8; });
  std::vector<TestStream> hung;
  for (uint32_t i = 0; i < 12; ++i) {
    hung.push_back(this->Stream(i));
    hung[i].Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)});
  }
  TestStream other = this->Stream(30);
  other.Fill(types::MemorySpace::kDevice, this->Address(4096), 1, 8);
  other.Record(70, 1);
  ASSERT_EQ(other.AwaitAll(), WaitResult::kDone) << "copies and events go on";
  // A kernel beyond the cores waits; aborting its stream takes it out.
  ASSERT_TRUE(this->device().AbortStream(11).ok());
  EXPECT_EQ(hung[11].AwaitAll(), WaitResult::kDone);
  this->Words(0)[0] = 1;
  for (TestStream& stream : hung) EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  other.Kernel(this->image_, kWrite, 1, Arguments{this->Address(4096)});
  EXPECT_EQ(other.AwaitAll(), WaitResult::kDone);
  EXPECT_TRUE(this->Failures().empty());
}

TYPED_TEST_P(KernelHangs, AbortStopsTheRunningKernel) {
  this->Open();
  TestStream hung = this->Stream(0);
  hung.Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)});
  hung.Kernel(this->image_, kWrite, 1, Arguments{this->Address(4096)});
  ASSERT_TRUE(this->device().AbortStream(0).ok());
  EXPECT_EQ(hung.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->Words(4096)[0], 0u) << "what was queued behind it is dropped";
  EXPECT_TRUE(this->Failures().empty());
  ASSERT_TRUE(this->device().RecoverStream(0).ok());
  hung.Kernel(this->image_, kWrite, 1, Arguments{this->Address(4096)});
  EXPECT_EQ(hung.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(this->Words(4096)[0], 1u);
}

TYPED_TEST_P(KernelHangs, TimeoutOfOneKernelNeverHitsTheNext) {
  this->Open();
  TestStream stream = this->Stream(0);
  for (int i = 0; i < 30; ++i) {
    stream.Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)}, 5'000);
    for (int next = 0; next < 50; ++next) stream.Kernel(this->image_, kWrite, 1, Arguments{this->Address(4096)});
    ASSERT_EQ(stream.AwaitAll(), WaitResult::kDone) << (this->device().lost() ? this->opened_->sink.AwaitLoss() : "");
    ASSERT_EQ(stream.failures(), static_cast<uint64_t>(i) + 1);
  }
}

TYPED_TEST_P(KernelHangs, InterruptsThatPiledUpAreSurvived) {
  if (TypeParam::kBackend == driver::Backend::kInline) GTEST_SKIP() << "the signals are sent from outside";
  this->Open();
  TestStream stream = this->Stream(0);
  stream.Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)});
  while (this->device().bar().header->counters.kernels.load() == 0) sched_yield();
  // As many as a watchdog would send to a core that the system does not let run for half a second.
  const pid_t process = this->device().process_id();
  kill(process, SIGSTOP);
  for (int i = 0; i < 500; ++i) kill(process, SIGRTMAX - 2);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    const int id = std::stoi(thread.path().filename().string());
    for (int i = 0; i < 200; ++i) syscall(SYS_tgkill, process, id, SIGRTMAX - 2);
  }
  kill(process, SIGCONT);
  this->Words(0)[0] = 1;
  EXPECT_EQ(stream.AwaitAll(), WaitResult::kDone);
  EXPECT_EQ(stream.failures(), 0u);
}

TYPED_TEST_P(KernelHangs, DeviceClosesWhileKernelsHang) {
  this->Open();
  for (uint32_t i = 0; i < 5; ++i) this->Stream(i).Kernel(this->image_, kAwaitWord, 1, Arguments{this->Address(0)});
  TestStream other = this->Stream(9);
  other.Nothing();
  ASSERT_EQ(other.AwaitAll(), WaitResult::kDone);
  this->opened_->device.reset();
  EXPECT_EQ(this->opened_->sink.losses(), 0);
}

REGISTER_TYPED_TEST_SUITE_P(KernelHangs, EndlessLoopIsStoppedAtItsTimeout, EndlessBlocksOnSeveralCoresAreAllStopped,
                            EndlessPrintingIsStopped, OtherStreamsGoOnMeanwhile, MoreHungKernelsThanCores,
                            AbortStopsTheRunningKernel, TimeoutOfOneKernelNeverHitsTheNext,
                            InterruptsThatPiledUpAreSurvived, DeviceClosesWhileKernelsHang);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelHangs);

}  // namespace forebay::testing
