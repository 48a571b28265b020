// What a failure says: who, where, from where, what it follows from, and what was left behind.
#include <filesystem>
#include <fstream>

#include "conformance/stream_fixture.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime.h"
#include "forebay/stream.h"
#include "forebay/task_queue.h"

namespace conformance {
namespace {

class ErrorWords : public WithStream {
 protected:
  void TearDown() override {
    forebay::RemoveFaults();
    KeepSites(0);
    WithStream::TearDown();
  }
  static void KeepSites(int frames) {
    ASSERT_TRUE(forebay::Runtime::Configure("submit_sites", std::to_string(frames)).ok());
  }
  std::string Id() {
    int32_t id = -1;
    EXPECT_OK(aclrtStreamGetId(stream_, &id));
    return std::to_string(id);
  }
  __attribute__((noinline)) void LaunchTheThird() {
    ASSERT_OK(LaunchAddOne(stream_));
    std::atomic_signal_fence(std::memory_order_seq_cst);  // not the last call, so that the frame stays
  }
};

TEST_F(ErrorWords, FailureNamesStreamTaskKernelAndTheStackOfItsSubmit) {
  KeepSites(16);
  ASSERT_TRUE(forebay::InjectFaults("aicore_exception@stream=" + Id() + ",task=2").ok());
  for (int i = 0; i < 5; ++i) {
    if (i == 2) {
      LaunchTheThird();
    } else {
      EXPECT_OK(LaunchAddOne(stream_));
    }
  }
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(4U, FirstWord());
  const std::string text = Messages();
  EXPECT_EQ(0U, text.find("EZ2001: 507015 ")) << text;
  ExpectIn(text, "call aclrtSynchronizeStream, device 0, stream " + Id() + ", task 2, kernel add_one");
  // The stack, the outermost function first.
  const std::size_t trace = text.find("\n        TraceBack (most recent call last):\n");
  const std::size_t outer = text.find("TestBody() (error_words_test.cc:", trace);
  // Its line may be that of a function which is inlined there.
  const std::size_t inner = text.find("LaunchTheThird() (", trace);
  const std::size_t call = text.find("aclrtLaunchKernelWithHostArgs (", trace);
  ASSERT_NE(std::string::npos, call) << text;
  EXPECT_LT(trace, outer) << text;
  EXPECT_LT(outer, inner) << text;
  EXPECT_LT(inner, call) << text;
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "it was told once";
}

TEST_F(ErrorWords, SitesAreKeptOnlyWhenAskedFor) {
  KeepSites(1);
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  ExpectIn(Messages(), "TraceBack");
  KeepSites(0);
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  const std::string text = Messages();
  EXPECT_EQ(std::string::npos, text.find("TraceBack")) << text;
}

// Threads that have submitted before learn of it too, also those that use C++.
TEST_F(ErrorWords, SitesAreKeptOfEveryThreadAndInterface) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  const auto stream = reinterpret_cast<forebay::StreamHandle>(stream_);
  std::atomic<bool> submitted{false};
  std::atomic<bool> on{false};
  std::thread thread([&] {
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_TRUE(forebay::LaunchHostFunction(stream, [] {}).ok());
    submitted = true;
    while (!on) std::this_thread::yield();
    ASSERT_TRUE(forebay::LaunchHostFunction(stream, [] {}).ok());
  });
  while (!submitted) std::this_thread::yield();
  KeepSites(4);
  on = true;
  thread.join();
  const auto queue = forebay::TaskQueue::Of(stream);
  ASSERT_TRUE(queue.ok());
  const std::string text = queue->ToString();
  const std::string early = text.substr(text.find("task 1:"), text.find("task 2:") - text.find("task 1:"));
  EXPECT_EQ(std::string::npos, early.find("submitted at")) << text;
  ExpectIn(text.substr(text.find("task 2:")), "(submitted at ");
  ExpectIn(text.substr(text.find("task 2:")), "error_words_test.cc:");
}

TEST_F(ErrorWords, ManySitesAreBounded) {
  KeepSites(2);
  for (int i = 0; i < 20000; ++i) ASSERT_OK(LaunchAddOne(stream_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  // The number of the thread stays what callbacks are told.
  static uint32_t told = 0;
  const auto note = [](aclrtExceptionInfo* info) { told = aclrtGetThreadIdFromExceptionInfo(info); };
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(note));
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtExceptionInfoCallbackUnregister(note));
  EXPECT_EQ(static_cast<uint32_t>(gettid()), told);
}

TEST_F(ErrorWords, WhatFollowsFromAFailureNamesIt) {
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(aclrtRecordEvent(flagged_event_, stream_));
  aclrtContext own = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&own));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtStreamWaitEvent(other, flagged_event_));
  gate.Open();
  Messages();
  EXPECT_EQ(507006, aclrtSynchronizeStream(other));
  const std::string text = Messages();
  const std::size_t first = text.find("dependency failed: ");
  const std::size_t trace = text.find("\n        TraceBack (most recent call last):\n        caused by: 507015 ");
  ASSERT_NE(std::string::npos, trace) << text;
  EXPECT_LT(first, trace) << text;
  ExpectIn(text.substr(trace), "stream " + Id());
  ExpectIn(text.substr(trace), "kernel trap");
  ASSERT_OK(aclrtSetCurrentContext(own));
}

TEST_F(ErrorWords, TheNewestFailureComesFirstWithAllThatBelongsToIt) {
  KeepSites(4);
  ASSERT_OK(LaunchTrap(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  const std::string text = Messages();
  EXPECT_EQ(0U, text.find("EE1001: ")) << text;
  EXPECT_LT(text.find("\nEZ2001: "), text.find("TraceBack")) << text;
  EXPECT_EQ("", Messages());
}

TEST_F(ErrorWords, OtherThreadsHaveTheirOwn) {
  ASSERT_OK(LaunchTrap(stream_));
  InThread([this] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
    ExpectIn(Messages(), "EZ2001: 507015");
  });
  EXPECT_EQ("", Messages());
}

TEST(Leaks, ReportAtFinalizeCountsAndNamesTheSites) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / ("forebay_leaks_" + std::to_string(getpid()));
  setenv("ASCEND_PROCESS_LOG_PATH", directory.c_str(), 1);
  setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  for (int i = 0; i < 1000; ++i) {
    aclrtEvent event = nullptr;
    ASSERT_OK(i % 10 == 0 ? aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC) : aclrtCreateEvent(&event));
  }
  for (int i = 0; i < 3; ++i) {
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStream(&stream));
    if (i == 1) {
      ASSERT_OK(aclrtDestroyStream(stream));
    }
  }
  ASSERT_OK(aclFinalize());
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator(directory / "debug" / "plog")) {
    std::ifstream stream(file.path());
    for (std::string line; std::getline(stream, line);) text += line + "\n";
  }
  ExpectIn(text, "1000 events were not destroyed: 900 made at ");
  ExpectIn(text, ", 100 made at ");
  ExpectIn(text, "2 streams were not destroyed: 2 made at ");
  ExpectIn(text, "ReportAtFinalizeCountsAndNamesTheSites");
  ExpectIn(text, "(error_words_test.cc:");
  // With nothing left there is nothing to say.
  std::filesystem::remove_all(directory);
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclFinalize());
  EXPECT_FALSE(std::filesystem::exists(directory / "debug"));
  unsetenv("ASCEND_PROCESS_LOG_PATH");
  unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
  ASSERT_OK(aclInit(nullptr));
  ASSERT_OK(aclFinalize());
}

}  // namespace
}  // namespace conformance
