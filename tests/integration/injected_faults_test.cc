// Faults on demand, on the whole stack: when they happen, how often, and what is left behind.
#include "forebay/fault_injection.h"

#include <set>
#include <thread>

#include "support/processes.h"
#include "support/runtime_fixture.h"

namespace forebay::testing {
namespace {

class InjectedFaults : public RuntimeTest {
 protected:
  void TearDown() override {
    RemoveFaults();
    RuntimeTest::TearDown();
  }
  static StreamHandle GoingOn() { return Must(CreateStream(kHighestPriority, FailurePolicy::kContinue)); }
  static std::string On(StreamHandle stream) { return "stream=" + std::to_string(Must(GetStreamId(stream))); }
  // Which of so many tasks failed.
  std::set<int> Failing(const std::string& faults, int tasks) {
    EXPECT_OK(InjectFaults(faults));
    const StreamHandle stream = GoingOn();
    std::set<int> failing;
    for (int i = 0; i < tasks; ++i) {
      EXPECT_OK(Launch(basic["nop"], stream, 1));
      if (!SynchronizeStream(stream).ok()) failing.insert(i);
    }
    EXPECT_OK(DestroyStream(stream));
    const std::vector<InjectedFault> listed = ListFaults();
    EXPECT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].text, faults);
    EXPECT_EQ(listed[0].matched, static_cast<uint64_t>(tasks));
    EXPECT_EQ(listed[0].happened, failing.size());
    RemoveFaults();
    return failing;
  }
};

TEST_F(InjectedFaults, TheSameSeedPicksTheSameTasks) {
  const std::set<int> first = Failing("aicore_exception@kernel=nop,p=0.2,seed=7", 200);
  EXPECT_GT(first.size(), 20U);
  EXPECT_LT(first.size(), 60U);
  EXPECT_EQ(Failing("aicore_exception@kernel=nop,p=0.2,seed=7", 200), first);
  EXPECT_NE(Failing("aicore_exception@kernel=nop,p=0.2,seed=8", 200), first);
  EXPECT_EQ(Failing("aicore_exception@kernel=nop,count=2", 10), (std::set<int>{0, 1}));
  EXPECT_EQ(Failing("aicore_exception@kernel=nop,nth=3", 10), (std::set<int>{2}));
  EXPECT_EQ(Failing("aicore_exception@kernel=nop,p=1,count=3", 10), (std::set<int>{0, 1, 2}));
}

TEST_F(InjectedFaults, TheSameSeedPicksTheSameUnderASchedule) {
  std::set<int> first;
  UnderSeeds(2, [&] {
    const std::set<int> failing = Failing("aicore_exception@kernel=nop,p=0.2,seed=7", 100);
    if (first.empty()) first = failing;
    EXPECT_EQ(failing, first);
  });
}

TEST_F(InjectedFaults, AChanceForTheDeviceComesWithEachTask) {
  ASSERT_OK(InjectFaults("overheat@p=0.1,seed=3"));
  const StreamHandle stream = GoingOn();
  uint64_t tasks = 0;
  while (tasks < 1000 && Launch(basic["nop"], stream, 1).ok() && SynchronizeStream(stream).ok()) ++tasks;
  EXPECT_GT(tasks, 0U);
  EXPECT_LT(tasks, 1000U);
  EXPECT_EQ(ListFaults()[0].matched, tasks + 1) << "tasks count, not time";
}

TEST_F(InjectedFaults, WhatHasHappenedDoesNotHappenAgainAfterAReset) {
  ASSERT_OK(InjectFaults("overheat@kernel=nop,nth=2"));
  const StreamHandle stream = Must(CreateStream());
  ASSERT_OK(Launch(basic["nop"], stream, 1));
  ASSERT_OK(SynchronizeStream(stream));
  Launch(basic["nop"], stream, 1).IgnoreError();
  EXPECT_EQ(SynchronizeStream(stream).code(), Code::kDriverInternal);
  Reopen();
  const StreamHandle again = Must(CreateStream());
  for (int i = 0; i < 10; ++i) ASSERT_OK(Launch(basic["nop"], again, 1));
  EXPECT_OK(SynchronizeStream(again));
  EXPECT_EQ(ListFaults()[0].happened, 1U) << "over both lives of the device";
}

// However unlucky: the second doorbell of a stream is heard.
TEST_F(InjectedFaults, EveryDoorbellIsLostAndNothingHangs) {
  const auto work = [&] {
    ASSERT_OK(InjectFaults("drop_doorbell"));
    const StreamHandle stream = Must(CreateStream()), other = Must(CreateStream());
    const EventHandle event = Must(CreateEvent());
    RuntimeTensor data = Words(std::vector<uint32_t>(1, 0));
    for (int i = 0; i < 5; ++i) {
      ASSERT_OK(Launch(basic["add_one"], other, 1, data.address(), uint32_t{1}));
      ASSERT_OK(RecordEvent(event, other));
      ASSERT_OK(StreamWaitEvent(stream, event));
      ASSERT_OK(LaunchHostFunction(stream, [] {}));
      ASSERT_OK(Launch(basic["add_one"], stream, 1, data.address(), uint32_t{1}));
      if (i % 2 == 0) {
        ASSERT_OK(SynchronizeStream(stream));
      } else {
        while (!Must(IsStreamIdle(stream))) std::this_thread::yield();
      }
    }
    EXPECT_EQ(Read(data)[0], 10U);
    EXPECT_GT(ListFaults()[0].happened, 0U);
    RemoveFaults();
  };
  work();
  UnderSeeds(2, work);
}

TEST_F(InjectedFaults, AKernelThatWaitsForACoreIsMetOnce) {
  Close();
  ASSERT_OK(Runtime::Configure("ai_cores", "1"));
  ASSERT_OK(Runtime::Configure("core_threads", "2"));
  Open();
  const StreamHandle hogging = Must(CreateStream()), waiting = Must(CreateStream()), free = Must(CreateStream());
  RuntimeTensor flag = Words(std::vector<uint32_t>(1, 0));
  ASSERT_OK(InjectFaults("slow@kernel=nop,factor=2"));
  ASSERT_OK(Launch(basic["wait_flag"], hogging, 1, flag.address(), uint32_t{1}));
  // That this runs shows that the first kernel has been left to its core.
  const EventHandle passed = Must(CreateEvent());
  ASSERT_OK(RecordEvent(passed, free));
  ASSERT_OK(SynchronizeEvent(passed));
  ASSERT_OK(Launch(basic["nop"], waiting, 1));
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(RecordEvent(passed, free));
    ASSERT_OK(SynchronizeEvent(passed));
  }
  const uint32_t go = 1;
  ASSERT_OK(Copy(flag.address(), &go, sizeof go));
  ASSERT_OK(SynchronizeStream(waiting));
  EXPECT_EQ(ListFaults()[0].matched, 1U);
  EXPECT_OK(SynchronizeStream(hogging));
  flag = RuntimeTensor();
  Close();
  ASSERT_OK(Runtime::Configure("ai_cores", "0"));
  ASSERT_OK(Runtime::Configure("core_threads", "0"));
}

TEST_F(InjectedFaults, TheEndOfASequenceStopsNothing) {
  const StreamHandle stream = Must(CreateStream(kHighestPriority, FailurePolicy::kStopStream));
  ASSERT_OK(InjectFaults("end_of_sequence@" + On(stream) + ",task=0"));
  RuntimeTensor data = Words(std::vector<uint32_t>(1, 0));
  for (int i = 0; i < 3; ++i) ASSERT_OK(Launch(basic["add_one"], stream, 1, data.address(), uint32_t{1}));
  EXPECT_EQ(SynchronizeStream(stream).code(), Code::kEndOfSequence);
  EXPECT_OK(Launch(basic["add_one"], stream, 1, data.address(), uint32_t{1}));
  EXPECT_OK(SynchronizeStream(stream)) << "told once";
  EXPECT_EQ(Read(data)[0], 3U);
}

TEST_F(InjectedFaults, AllThatIsAskedForAtOnceIsArmedOrNothing) {
  std::string many = "slow@task=0";
  for (int i = 1; i < 100; ++i) many += ";slow@task=" + std::to_string(i);
  const Status refused = InjectFaults(many);
  EXPECT_EQ(refused.code(), Code::kParamInvalid) << refused.ToString();
  EXPECT_NE(refused.ToString().find("64"), std::string::npos) << refused.ToString();
  EXPECT_TRUE(ListFaults().empty());
  EXPECT_OK(InjectFaults("aicore_exception@kernel=nop,nth=1")) << "and leaves room";
  const StreamHandle stream = GoingOn();
  ASSERT_OK(Launch(basic["nop"], stream, 1));
  EXPECT_EQ(SynchronizeStream(stream).code(), Code::kAicoreException);
}

TEST_F(InjectedFaults, FaultsComeAndGoWhileTasksRun) {
  std::atomic<bool> stop{false};
  std::thread arming([&] {
    while (!stop.load()) {
      EXPECT_OK(InjectFaults("slow@factor=3,p=0.5;drop_doorbell@p=0.3;slow@kernel=none"));
      ListFaults();
      RemoveFaults();
    }
  });
  const StreamHandle stream = Must(CreateStream()), other = Must(CreateStream());
  RuntimeTensor data = Words(std::vector<uint32_t>(1, 0)), more = Words(std::vector<uint32_t>(1, 0));
  for (int i = 0; i < 300; ++i) {
    EXPECT_OK(Launch(basic["add_one"], stream, 1, data.address(), uint32_t{1}));
    EXPECT_OK(Launch(basic["add_one"], other, 1, more.address(), uint32_t{1}));
    if (i % 10 == 0) {
      EXPECT_OK(SynchronizeStream(stream));
    }
  }
  EXPECT_OK(SynchronizeStream(stream));
  EXPECT_OK(SynchronizeStream(other));
  stop.store(true);
  arming.join();
  EXPECT_EQ(Read(data)[0], 300U);
  EXPECT_EQ(Read(more)[0], 300U);
}

TEST_F(InjectedFaults, FiftyFailuresOfADeviceLeaveNothingBehind) {
  constexpr const char* kKinds[] = {"overheat", "memory_uce", "device_lost", "power", "link_lost", "ecc"};
  std::size_t descriptors = 0, threads = 0;
  for (int round = 0; round < 50; ++round) {
    const char* kind = kKinds[static_cast<std::size_t>(round) % std::size(kKinds)];
    const StreamHandle stream = Must(CreateStream());
    {
      RuntimeTensor data = Words(std::vector<uint32_t>(8, 0));
      ASSERT_OK(InjectFaults(std::string(kind) + "@kernel=add_one"));
      LaunchOperator({basic["add_one"], {}, {data}, {uint32_t{8}}, 1, {}, [] {}}, stream).IgnoreError();
      EXPECT_FALSE(SynchronizeStream(stream).ok()) << kind;
      EXPECT_EQ(Must(GetStreamState(stream)), StreamState::kLost) << kind;
    }
    RemoveFaults();
    Reopen();
    ASSERT_OK(LaunchOperator({basic["nop"], {}, {}, {}, 1, {}, {}}));
    ASSERT_OK(SynchronizeDevice());
    if (round == 6) descriptors = OpenDescriptors(), threads = RunningThreads();
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_EQ(RunningThreads(), threads);
}

// With and without armed faults, which have waits look again from time to time.
TEST_F(InjectedFaults, ADeviceThatIsStoppedIsMissed) {
  if (IsInline()) GTEST_SKIP() << "there is no process";
  Close();
  ASSERT_OK(Runtime::Configure("heartbeat", "100"));
  ASSERT_OK(Runtime::Configure("request_timeout", "200"));
  for (const char* faults : {"", "drop_doorbell;slow@kernel=none;aicore_exception@kernel=none"}) {
    SCOPED_TRACE(faults);
    Open();
    if (*faults != '\0') {
      ASSERT_OK(InjectFaults(faults));
    }
    const StreamHandle stream = Must(CreateStream());
    RuntimeTensor flag = Words(std::vector<uint32_t>(1, 0));
    // It cannot end before the signal has stopped the last thread.
    ASSERT_OK(Launch(basic["wait_flag"], stream, 1, flag.address(), uint32_t{1}));
    ASSERT_EQ(kill(DeviceProcesses().at(0), SIGSTOP), 0);
    EXPECT_EQ(SynchronizeStream(stream, 20'000).code(), Code::kLostHeartbeat);
    EXPECT_EQ(SynchronizeStream(stream).code(), Code::kLostHeartbeat) << "it stays";
    flag = RuntimeTensor();
    Close();
    RemoveFaults();
  }
  ASSERT_OK(Runtime::Configure("heartbeat", "2000"));
  ASSERT_OK(Runtime::Configure("request_timeout", "10000"));
}

// In a process of its own, because the environment is read once.
TEST(InjectedFaultsDeathTest, TheEnvironmentArmsThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ASSERT_EQ(setenv("FOREBAY_INJECT", "aicore_exception@kernel=nop,nth=2", 1), 0);
  EXPECT_EXIT(
      {
        EXPECT_OK(SetDevice(0));
        const Kernels basic("basic_kernels");
        const StreamHandle stream = Must(CreateStream());
        EXPECT_OK(Launch(basic["nop"], stream, 1));
        EXPECT_OK(SynchronizeStream(stream));
        EXPECT_OK(Launch(basic["nop"], stream, 1));
        const Code code = SynchronizeStream(stream).code();
        ResetDevice(0).IgnoreError();
        _exit(code == Code::kAicoreException && !::testing::Test::HasFailure() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  ASSERT_EQ(setenv("FOREBAY_INJECT", "aicore_exception@kernel=nop,nth=second", 1), 0);
  EXPECT_EXIT(
      {
        const Status refused = SetDevice(0);
        std::fprintf(stderr, "%s\n", refused.ToString().c_str());
        _exit(refused.ok() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "nth has the value \"second\"");
  unsetenv("FOREBAY_INJECT");
}

}  // namespace
}  // namespace forebay::testing
