// Configuration, Status, time, futexes, threads, descriptors and mappings.
#include <gtest/gtest.h>

#include <cstdlib>

#include "forebay/base/clock.h"
#include "forebay/base/configuration.h"
#include "forebay/base/futex.h"
#include "forebay/base/soc_profile.h"
#include "forebay/base/spin_lock.h"
#include "forebay/base/thread.h"
#include "forebay/base/unique_fd.h"

namespace forebay::base {
namespace {

TEST(Configuration, EveryDefaultIsAcceptedAsAValue) {
  for (const ParameterRow& row : ParameterTable()) {
    Configuration configuration;
    const Status status = configuration.Set(row.name, row.default_value, "the test");
    EXPECT_TRUE(status.ok()) << row.name << ": " << status.ToString();
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_FALSE(row.unit.empty());
  }
}

TEST(Configuration, BadValuesNameTheParameterTheValueAndTheSource) {
  for (const ParameterRow& row : ParameterTable()) {
    if (row.unit == "text") continue;
    for (const char* value : {"", "abc", "1x", "-2", "99999999999", "99999999999999999999999", "0x10", " 1"}) {
      Configuration configuration;
      const Status status = configuration.Set(row.name, value, "FOREBAY_TEST");
      ASSERT_EQ(status.code(), Code::kInvalidParam) << row.name << "=" << value;
      const std::string text = status.ToString();
      EXPECT_NE(text.find(row.name), std::string::npos) << text;
      EXPECT_NE(text.find(std::string("\"") + value + "\""), std::string::npos) << text;
      EXPECT_NE(text.find("FOREBAY_TEST"), std::string::npos) << text;
    }
  }
}

TEST(Configuration, RangesEndWhereTheTableSays) {
  Configuration configuration;
  EXPECT_TRUE(configuration.Set("devices", "64", "").ok());
  EXPECT_FALSE(configuration.Set("devices", "65", "").ok());
  EXPECT_FALSE(configuration.Set("devices", "0", "").ok());
  EXPECT_EQ(configuration.devices, 64) << "a refused value changes nothing";
}

TEST(Configuration, UnknownParameterIsAnErrorThatNamesIt) {
  Configuration configuration;
  const Status status = configuration.Set("no_such_thing", "1", "the file");
  EXPECT_EQ(status.code(), Code::kInvalidParam);
  EXPECT_NE(status.ToString().find("no_such_thing"), std::string::npos);
}

TEST(Configuration, QueueDepthIsAPowerOfTwo) {
  Configuration configuration;
  EXPECT_TRUE(configuration.Set("queue_depth", "256", "").ok());
  EXPECT_FALSE(configuration.Set("queue_depth", "100", "").ok());
  EXPECT_EQ(configuration.queue_depth, 256);
}

TEST(Configuration, TextOfAChoiceIsOneOfThem) {
  Configuration configuration;
  EXPECT_TRUE(configuration.Set("device_mode", "inline", "").ok());
  for (const char* value : {"", "inlin", "inline|null", "|", "Process"}) {
    EXPECT_FALSE(configuration.Set("device_mode", value, "").ok()) << value;
  }
  EXPECT_EQ(configuration.device_mode, "inline");
}

TEST(Configuration, ScheduleTakesASeedOrNothing) {
  Configuration configuration;
  uint64_t seed = 0;
  EXPECT_FALSE(configuration.ScheduleSeed(&seed));
  EXPECT_TRUE(configuration.Set("schedule", "seed:42", "").ok());
  EXPECT_TRUE(configuration.ScheduleSeed(&seed));
  EXPECT_EQ(seed, 42u);
  for (const char* value : {"seed", "seed:", "seed:x", "seed:1 ", "42", "seed:-1"}) {
    EXPECT_FALSE(configuration.Set("schedule", value, "").ok()) << value;
  }
}

TEST(Configuration, UnknownPartIsRefusedWithTheNamesOfAll) {
  Configuration configuration;
  const std::string text = configuration.Set("soc", "Ascend910B9", "FOREBAY_SOC").ToString();
  EXPECT_NE(text.find("Ascend910B9"), std::string::npos) << text;
  for (const SocProfile& profile : SocProfiles()) {
    EXPECT_NE(text.find(profile.name), std::string::npos) << text;
    EXPECT_TRUE(configuration.Set("soc", profile.name, "a test").ok());
  }
}

TEST(SocProfiles, AreFoundByTheirWholeNameOnly) {
  for (const SocProfile& profile : SocProfiles()) EXPECT_EQ(FindSocProfile(profile.name), &profile);
  for (const char* name : {"", "Ascend910B", "ascend910b3", "Ascend910B3 "}) EXPECT_EQ(FindSocProfile(name), nullptr);
}

TEST(SocProfiles, FeaturesNameThePartsThatHaveThem) {
  EXPECT_EQ(SocNamesWith(SocFeature::kSimt), "Ascend950PR_9599, Ascend950DT_9582");
  EXPECT_TRUE(FindSocProfile("Ascend910B3")->Has(SocFeature::kGraphCapture));
  EXPECT_FALSE(FindSocProfile("Ascend310P3")->Has(SocFeature::kGraphCapture));
}

TEST(Configuration, EnvironmentIsAppliedAndItsErrorsNameTheVariable) {
  setenv("FOREBAY_DEVICES", "3", 1);
  setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
  setenv("ASCEND_RT_VISIBLE_DEVICES", "1,2", 1);
  Configuration configuration;
  EXPECT_TRUE(configuration.ApplyEnvironment().ok());
  EXPECT_EQ(configuration.devices, 3);
  EXPECT_EQ(configuration.launch_blocking, 1);
  EXPECT_EQ(configuration.visible_devices, "1,2");
  setenv("FOREBAY_DEVICES", "many", 1);
  EXPECT_NE(configuration.ApplyEnvironment().ToString().find("FOREBAY_DEVICES"), std::string::npos);
  unsetenv("FOREBAY_DEVICES");
  unsetenv("ASCEND_LAUNCH_BLOCKING");
  unsetenv("ASCEND_RT_VISIBLE_DEVICES");
}

TEST(Configuration, UnknownNamesAreRefusedWithTheNearestThatExists) {
  Configuration configuration;
  const auto expect = [](const Status& status, const char* wrong, const char* right) {
    const std::string text = status.ToString();
    EXPECT_EQ(status.code(), Code::kInvalidParam) << text;
    for (const char* name : {wrong, right}) EXPECT_NE(text.find(name), std::string::npos) << text;
  };
  for (const auto& [wrong, right] :
       {std::pair{"FOREBAY_QUEUE_DEPHT", "FOREBAY_QUEUE_DEPTH"}, std::pair{"FOREBAY_DEVICE", "FOREBAY_DEVICES"},
        std::pair{"FOREBAY_", "FOREBAY_SOC"}}) {
    setenv(wrong, "", 1);
    expect(configuration.ApplyEnvironment(), wrong, right);
    unsetenv(wrong);
  }
  setenv("FOREBAYQUEUE", "", 1);
  EXPECT_TRUE(configuration.ApplyEnvironment().ok());
  unsetenv("FOREBAYQUEUE");
  expect(configuration.Set("queue-depth", "64", "a test"), "queue-depth", "queue_depth");
}

TEST(Status, SuccessSaysOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().ToString(), "ok");
  EXPECT_TRUE(Status(Code::kSuccess, "ignored").ok());
}

TEST(Status, TextTellsTheWholeStory) {
  Error cause;
  cause.code = Code::kAicoreException;
  cause.message = "the kernel trapped";
  cause.kernel = "add";
  cause.block = 3;
  Error error;
  error.code = Code::kDependencyFailed;
  error.message = "an event failed";
  error.advice = "Recover the stream";
  error.device = 1;
  error.stream = 2;
  error.task = 77;
  error.cause = std::make_shared<const Error>(cause);
  const std::string text = Status(error).WithCall("aclrtSynchronizeStream").ToString();
  for (const char* part : {"an event failed", "call aclrtSynchronizeStream", "device 1", "stream 2", "task 77",
                           "Recover the stream", "caused by", "the kernel trapped", "kernel add", "block 3"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Status, FirstCallIsKept) {
  const Status status = Status(Code::kInternal, "x").WithCall("first").WithCall("second");
  EXPECT_EQ(status.error()->call, "first");
}

TEST(Result, SuccessWithoutAValueIsAnInternalError) { EXPECT_EQ(Result<int>(Status()).code(), Code::kInternal); }

TEST(Codes, EveryNameIsKnownAndUnknownNumbersAreSaidToBe) {
  EXPECT_EQ(CodeName(Code::kLostHeartbeat), "ACL_ERROR_RT_LOST_HEARTBEAT");
  EXPECT_EQ(CodeName(static_cast<Code>(-5)), "unknown code");
}

TEST(Futex, ReturnsAtOnceWhenTheWordDiffers) {
  std::atomic<uint32_t> word{1};
  EXPECT_TRUE(FutexWait(word, 0));
}

TEST(Futex, TimesOut) {
  std::atomic<uint32_t> word{0};
  EXPECT_FALSE(FutexWait(word, 0, 1'000'000));
  EXPECT_FALSE(FutexWait(word, 0, 0));
}

TEST(Futex, LowHalfIsWokenThroughA64BitCounter) {
  std::atomic<uint64_t> counter{0};
  Thread waker("waker", [&] {
    counter.store(1);
    FutexWakeAll(LowHalf(counter));
  });
  while (counter.load() == 0) FutexWait(LowHalf(counter), 0);
}

TEST(Deadline, NeverAndPastAndFuture) {
  EXPECT_EQ(Deadline().RemainingNanoseconds(), -1);
  EXPECT_FALSE(Deadline().Passed());
  EXPECT_TRUE(Deadline::AfterNanoseconds(0).Passed());
  EXPECT_EQ(Deadline::AfterNanoseconds(0).RemainingNanoseconds(), 0);
  const auto future = Deadline::AfterNanoseconds(3'600'000'000'000);
  EXPECT_FALSE(future.Passed());
  EXPECT_GT(future.RemainingNanoseconds(), 3'000'000'000'000);
}

TEST(Deadline, LongestDurationIsNotThePast) { EXPECT_FALSE(Deadline::AfterNanoseconds(INT64_MAX).Passed()); }

TEST(SpinLock, ExcludesOtherThreads) {
  SpinLock lock;
  int count = 0;
  std::vector<Thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back("adder", [&] {
      for (int n = 0; n < 10'000; ++n) {
        SpinLockHolder holder(lock);
        ++count;
      }
    });
  }
  for (auto& thread : threads) thread.Join();
  EXPECT_EQ(count, 30'000);
}

TEST(Thread, BlocksTheSignalsOfTheApplication) {
  Thread("looker", [] {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_TRUE(sigismember(&blocked, SIGINT));
    EXPECT_TRUE(sigismember(&blocked, SIGCHLD));
    EXPECT_FALSE(sigismember(&blocked, SIGSEGV));
  }).Join();
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGINT)) << "the caller's mask is as before";
}

TEST(Mapping, TwoViewsOfAFileShowTheSameBytes) {
  auto file = CreateMemoryFile("test", 8192);
  ASSERT_TRUE(file.ok());
  auto first = Mapping::OfFile(file->get(), 0, 8192, PROT_READ | PROT_WRITE);
  auto second = Mapping::OfFile(file->get(), 4096, 4096, PROT_READ);
  ASSERT_TRUE(first.ok() && second.ok());
  first->data()[4096] = std::byte{7};
  EXPECT_EQ(second->data()[0], std::byte{7});
}

TEST(Mapping, ReservingWhatIsInUseFails) {
  auto first = Mapping::Reserve(1 << 20);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(Mapping::Reserve(1 << 20, first->data()).ok());
}

}  // namespace
}  // namespace forebay::base
