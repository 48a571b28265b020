// What a wait that runs out says: which stream waits for what, behind what, since when.
#include <atomic>
#include <filesystem>
#include <fstream>

#include "conformance/stream_fixture.h"
#include "forebay/runtime.h"
#include "forebay/task_queue.h"

namespace conformance {
namespace {

class WaitChain : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    ASSERT_OK(aclrtCreateStream(&other_));
  }
  void TearDown() override {
    EXPECT_TRUE(forebay::Runtime::Configure("submit_sites", "0").ok());
    EXPECT_TRUE(forebay::Runtime::Configure("submit_timeout", "0").ok());
    WithStream::TearDown();
  }
  static void KeepSites() { ASSERT_TRUE(forebay::Runtime::Configure("submit_sites", "16").ok()); }
  static std::string Name(aclrtStream stream) {
    int32_t id = -1;
    EXPECT_OK(aclrtStreamGetId(stream, &id));
    return "s" + std::to_string(id);
  }
  static std::string NameOf(aclrtEvent event) {
    uint32_t id = 0;
    EXPECT_OK(aclrtGetEventId(event, &id));
    return "event e" + std::to_string(id);
  }
  static aclrtEvent FlaggedEvent() {
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    return event;
  }
  // The stream waits for `one`, which the other records behind its wait for `two`, which the stream records.
  void MakeCycle(aclrtEvent* one, aclrtEvent* two) {
    *one = FlaggedEvent();
    *two = FlaggedEvent();
    ASSERT_OK(aclrtStreamWaitEvent(stream_, *one));
    ASSERT_OK(aclrtRecordEvent(*two, stream_));
    ASSERT_OK(aclrtStreamWaitEvent(other_, *two));
    ASSERT_OK(aclrtRecordEvent(*one, other_));
  }
  static std::string TimeOut(aclrtStream stream, int32_t timeout_ms = 20) {
    Messages();
    EXPECT_EQ(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, timeout_ms));
    return Messages();
  }

  aclrtStream other_ = nullptr;
};

std::atomic<bool> flag{false};
void SpinOnFlag(void*) {
  while (!flag.load()) std::this_thread::yield();
}
void SetFlag(void*) { flag.store(true); }

__attribute__((noinline)) void SubmitTheSpin(aclrtStream stream) {
  ASSERT_OK(aclrtLaunchHostFunc(stream, SpinOnFlag, nullptr));
}

TEST_F(WaitChain, A7NamesEventStreamAndFunction) {
  KeepSites();
  flag.store(false);
  SubmitTheSpin(stream_);
  const aclrtEvent event = FlaggedEvent();
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_, event));
  ASSERT_OK(aclrtLaunchHostFunc(other_, SetFlag, nullptr));
  const auto before = std::chrono::steady_clock::now();
  const std::string text = TimeOut(other_, 500);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, std::chrono::milliseconds(500));
  EXPECT_LT(took, std::chrono::seconds(5));
  ExpectIn(text, Name(other_) + " waits for " + NameOf(event));
  ExpectIn(text, ", to be recorded on " + Name(stream_));
  ExpectIn(text, " behind host function ");
  ExpectIn(text, "SpinOnFlag");
  ExpectIn(text, "wait_chain_test.cc:");
  ExpectIn(text, "SubmitTheSpin");
  // It began when the event was not yet made, so it has run for the 500 ms and hardly longer.
  const std::size_t running = text.find(", running for ");
  ASSERT_NE(std::string::npos, running) << text;
  EXPECT_GE(std::stol(text.substr(running + 14)), 499) << text;
  const std::string state = forebay::DumpState();
  ExpectIn(state, "    " + Name(other_) + " waits for " + NameOf(event));
  ExpectIn(state, ", to be recorded on " + Name(stream_));
  ExpectIn(state, "    " + Name(stream_) + " is at host function ");
  flag.store(true);
  EXPECT_OK(aclrtSynchronizeStream(other_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(WaitChain, IsKnownWithoutSitesToo) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  const aclrtEvent event = FlaggedEvent();
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_, event));
  const std::string text = TimeOut(other_);
  ExpectIn(text,
           Name(other_) + " waits for " + NameOf(event) + ", to be recorded on " + Name(stream_) + " behind host");
  EXPECT_EQ(std::string::npos, text.find("submitted at")) << text;
  ExpectIn(TimeOut(stream_), Name(stream_) + " is at host function ");
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 20));
  ExpectIn(Messages(), "the host waits for " + NameOf(event) + ", to be recorded on " + Name(stream_) + " behind host");
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(20));
  ExpectIn(Messages(), " behind host function ");
}

TEST_F(WaitChain, CycleIsNamedAndWaitedForAllTheSame) {
  aclrtEvent one = nullptr, two = nullptr;
  ASSERT_NO_FATAL_FAILURE(MakeCycle(&one, &two));
  const auto before = std::chrono::steady_clock::now();
  const std::string text = TimeOut(other_, 100);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(100));
  ExpectIn(text, Name(other_) + " waits for " + NameOf(two) + ", to be recorded on " + Name(stream_) +
                     ", which waits for " + NameOf(one) + ", to be recorded on " + Name(other_) + ": a cycle");
  EXPECT_OK(aclrtStreamAbort(other_));
  EXPECT_OK(aclrtStreamAbort(stream_));
}

TEST_F(WaitChain, LongOnesEnd) {
  std::vector<aclrtStream> streams(40);
  aclrtEvent before = FlaggedEvent();
  for (aclrtStream& stream : streams) {
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(aclrtStreamWaitEvent(stream, before));
    before = FlaggedEvent();
    ASSERT_OK(aclrtRecordEvent(before, stream));
  }
  const std::string text = TimeOut(streams.back());
  ExpectIn(text, ", and so on");
  EXPECT_LT(text.size(), 10000U);
  for (aclrtStream stream : streams) EXPECT_OK(aclrtStreamAbort(stream));
}

TEST_F(WaitChain, WhatNobodyRecordsIsNamed) {
  const aclrtEvent event = FlaggedEvent();
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event));
  ExpectIn(TimeOut(stream_), Name(stream_) + " waits for " + NameOf(event) + ", which no stream is to record");
  EXPECT_OK(aclrtStreamAbort(stream_));

  aclrtNotify notify = nullptr;
  ASSERT_OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  uint32_t id = 0;
  ASSERT_OK(aclrtGetNotifyId(notify, &id));
  ASSERT_OK(aclrtWaitAndResetNotify(notify, stream_, 0));
  ExpectIn(TimeOut(stream_), " waits for notify n" + std::to_string(id) + " to be == 1 (it is 0), which no stream");
  Gate gate;
  ASSERT_OK(gate.Close(other_));
  ASSERT_OK(aclrtRecordNotify(notify, other_));
  ExpectIn(TimeOut(stream_), ", to be recorded on " + Name(other_) + " behind host function ");
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));

  ASSERT_OK(aclrtValueWait(memory_, 7, 1, stream_));
  ExpectIn(TimeOut(stream_), " to be == 7 (it is 0), which no stream is to write");
  ASSERT_OK(aclrtValueWrite(memory_, 7, 0, other_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(WaitChain, KernelThatRunsIsNamed) {
  NEEDS_STOPPABLE_KERNELS();
  ASSERT_OK(LaunchLoop(stream_));
  std::string text;
  do {
    text = TimeOut(stream_, 50);
  } while (text.find(" on core ") == std::string::npos);
  ExpectIn(text, Name(stream_) + " is at kernel loop_forever (1 blocks), running for ");
  EXPECT_OK(aclrtStreamAbort(stream_));
}

TEST_F(WaitChain, WaitThatTheDeviceEndsHasIt) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  const aclrtEvent event = FlaggedEvent();
  ASSERT_OK(aclrtRecordEvent(event, stream_));
  ASSERT_OK(aclrtStreamWaitEventWithTimeout(other_, event, 1));
  EXPECT_EQ(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(other_));
  ExpectIn(Messages(), Name(other_) + " waited for " + NameOf(event) + ", to be recorded on " + Name(stream_) +
                           " behind host function ");
}

TEST_F(WaitChain, CallbackWaitsForItsThread) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> id{0};
  std::thread thread([&] {
    id = pthread_self();
    while (!stop) std::this_thread::yield();
    ASSERT_OK(aclrtSetDevice(0));
    while (aclrtProcessReport(5000) != ACL_SUCCESS) continue;
  });
  while (id == 0) std::this_thread::yield();
  ASSERT_OK(aclrtSubscribeReport(id, stream_));
  ASSERT_OK(aclrtLaunchCallback(SetFlag, nullptr, ACL_CALLBACK_BLOCK, stream_));
  std::string text;
  do {
    text = TimeOut(stream_);
  } while (text.find("which has waited for aclrtProcessReport for ") == std::string::npos);
  ExpectIn(text, "callback conformance::(anonymous namespace)::SetFlag");
  stop = true;
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  thread.join();
}

TEST_F(WaitChain, SubmitThatFindsNoRoomHasIt) {
  ASSERT_TRUE(forebay::Runtime::Configure("submit_timeout", "50").ok());
  const aclrtEvent event = FlaggedEvent();
  ASSERT_OK(aclrtStreamWaitEvent(stream_, event));
  aclError code = ACL_SUCCESS;
  for (int i = 0; i < 100000 && code == ACL_SUCCESS; ++i) code = aclrtRecordEvent(event_, stream_);
  EXPECT_EQ(ACL_ERROR_RT_STREAM_TASK_FULL, code);
  const std::string text = Messages();
  ExpectIn(text, "EE1019");
  ExpectIn(text, "no room for 50 ms; " + Name(stream_) + " waits for " + NameOf(event) + ", which no stream");
  ASSERT_OK(aclrtRecordEvent(event, other_));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

// Streams that wait for each other, each with a full queue behind its wait, and a submit that waits for room.
TEST_F(WaitChain, SubmitThatWaitsLongSaysSoOnceAndGoesOnWaiting) {
  const auto directory = std::filesystem::path(testing::TempDir()) / ("forebay_waits_" + std::to_string(getpid()));
  setenv("ASCEND_PROCESS_LOG_PATH", directory.c_str(), 1);
  setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
  // The settings of the log are read by aclInit.
  ASSERT_OK(aclFinalize());
  ASSERT_NO_FATAL_FAILURE(SetUp());
  ASSERT_TRUE(forebay::Runtime::Configure("submit_warning", "20").ok());
  const auto warnings = [&] {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(directory / "debug" / "plog", none)) {
      std::ifstream lines(file.path());
      for (std::string line; std::getline(lines, line);) {
        if (line.find("a submit has waited") != std::string::npos) found.push_back(line);
      }
    }
    return found;
  };
  aclrtEvent one = nullptr, two = nullptr;
  ASSERT_NO_FATAL_FAILURE(MakeCycle(&one, &two));
  std::atomic<bool> submitted{false};
  std::thread submitter([&] {
    ASSERT_OK(aclrtSetDevice(0));
    for (int i = 0; i < 2100; ++i) {
      ASSERT_OK(LaunchAddOne(stream_));
    }
    submitted = true;
  });
  while (warnings().empty()) std::this_thread::yield();
  Pause(100);  // in which it would have said so some times more
  EXPECT_FALSE(submitted) << "it waits on";
  ASSERT_EQ(1U, warnings().size());
  const std::string text = warnings()[0];
  ExpectIn(text, "[WARNING] RUNTIME(");
  ExpectIn(text, "a submit has waited for 20 ms for room in the task queue of stream " + Name(stream_).substr(1) +
                     " of device 0, and goes on waiting; " + Name(stream_) + " waits for " + NameOf(one));
  ExpectIn(text, ": a cycle");
  ASSERT_OK(aclrtStreamAbort(other_));
  ASSERT_OK(aclrtRecordEvent(one, other_));
  submitter.join();
  // What was aborted fails who waits for it, once; the stream goes on.
  EXPECT_EQ(507006, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(2100U, FirstWord());
  EXPECT_EQ(1U, warnings().size());
  EXPECT_TRUE(forebay::Runtime::Configure("submit_warning", "10000").ok());
  unsetenv("ASCEND_PROCESS_LOG_PATH");
  unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
  std::filesystem::remove_all(directory);
}

TEST_F(WaitChain, TextsStandWhileStreamsRun) {
  std::atomic<bool> stop{false};
  std::thread looker([&] {
    ASSERT_OK(aclrtSetDevice(0));
    while (!stop) {
      aclrtSynchronizeDeviceWithTimeout(1);
      Messages();
    }
  });
  for (int i = 0; i < 200; ++i) {
    aclrtStream stream = nullptr;
    aclrtEvent event = FlaggedEvent();
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(aclrtStreamWaitEvent(stream_, event));
    ASSERT_OK(aclrtLaunchHostFunc(stream, SetFlag, nullptr));
    ASSERT_OK(aclrtRecordEvent(event, stream));
    ASSERT_OK(aclrtDestroyEvent(event));
    ASSERT_OK(aclrtDestroyStream(stream));
  }
  stop = true;
  looker.join();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
}

TEST_F(WaitChain, QueueShowsFunctionsAndSites) {
  KeepSites();
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtLaunchHostFunc(stream_, SetFlag, nullptr));
  const auto queue = forebay::TaskQueue::Of(reinterpret_cast<forebay::StreamHandle>(stream_));
  ASSERT_TRUE(queue.ok());
  ExpectIn(queue->ToString(), "host function conformance::(anonymous namespace)::SetFlag");
  ExpectIn(queue->ToString(), "_Test::TestBody() (wait_chain_test.cc:");
}

}  // namespace
}  // namespace conformance
