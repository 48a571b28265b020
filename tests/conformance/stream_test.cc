// Streams: making, waiting, destroying with work pending.
#include <atomic>
#include <chrono>

#include "conformance/stream_fixture.h"

namespace conformance {
namespace {

using Clock = std::chrono::steady_clock;

int64_t MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

class Stream : public WithStream {};

// ---- Creating ----

TEST_F(Stream, CreateRefusesNull) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateStream(nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(nullptr, 0, 0));
}

TEST_F(Stream, CreateWithoutContextLeavesTheHandle) {
  InThread([] {
    auto stream = Untouched<aclrtStream>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream));
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamWithConfig(&stream, 0, 0));
    EXPECT_TRUE(IsUntouched(stream));
  });
}

TEST_F(Stream, CreateRefusesFlagsThatExcludeEachOther) {
  auto stream = Untouched<aclrtStream>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID,
              aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY));
  EXPECT_TRUE(IsUntouched(stream));
}

TEST_F(Stream, PrioritiesBeyondTheLowestCountAsTheLowest) {
  for (const auto& [asked, given] :
       std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {7, 7}, {8, 7}, {UINT32_MAX, 7}}) {
    aclrtStream stream = nullptr;
    ASSERT_OK(aclrtCreateStreamWithConfig(&stream, asked, 0));
    uint32_t priority = 99;
    EXPECT_OK(aclrtStreamGetPriority(stream, &priority));
    EXPECT_EQ(given, priority);
  }
}

TEST_F(Stream, KeepsItsFlags) {
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
  uint32_t flags = 0;
  EXPECT_OK(aclrtStreamGetFlags(stream, &flags));
  EXPECT_EQ(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, flags);
}

TEST_F(Stream, IdsOfLiveStreamsDiffer) {
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  int32_t first = -1;
  int32_t second = -1;
  int32_t of_default = -1;
  EXPECT_OK(aclrtStreamGetId(stream_, &first));
  EXPECT_OK(aclrtStreamGetId(other, &second));
  EXPECT_OK(aclrtStreamGetId(nullptr, &of_default));
  EXPECT_NE(first, second);
  EXPECT_NE(first, of_default);
}

TEST_F(Stream, QuestionsRefuseNullOutputs) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamGetId(stream_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtStreamGetPriority(stream_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtStreamGetFlags(stream_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery(stream_, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAvailableNum(nullptr));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetThreadLastTaskId(nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtCtxGetCurrentDefaultStream(nullptr));
}

TEST_F(Stream, AvailableNumberFallsWithEachAndRisesAgain) {
  uint32_t before = 0;
  uint32_t with_one = 0;
  uint32_t after = 0;
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtGetStreamAvailableNum(&before));
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtGetStreamAvailableNum(&with_one));
  ASSERT_OK(aclrtDestroyStream(stream));
  ASSERT_OK(aclrtGetStreamAvailableNum(&after));
  EXPECT_EQ(before, with_one + 1);
  EXPECT_EQ(before, after);
}

TEST_F(Stream, AllOfThePartCanBeMadeAndNoMore) {
  uint32_t left = 0;
  ASSERT_OK(aclrtGetStreamAvailableNum(&left));
  // 1984 in all: the default one and that of the fixture exist.
  EXPECT_EQ(1982U, left);
  std::vector<aclrtStream> streams(left);
  for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
  auto one_more = Untouched<aclrtStream>();
  EXPECT_CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, aclrtCreateStream(&one_more));
  EXPECT_CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, aclrtCreateStreamWithConfig(&one_more, 0, 0));
  EXPECT_CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, aclrtCreateContext(&one_more, 0));
  EXPECT_TRUE(IsUntouched(one_more));
  ASSERT_OK(aclrtDestroyStream(streams.back()));
  EXPECT_OK(aclrtCreateStream(&streams.back()));
}

TEST_F(Stream, DefaultStreamCannotBeDestroyed) {
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCtxGetCurrentDefaultStream(&stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStreamForce(stream));
  EXPECT_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Stream, OfAnotherDeviceStaysUsableThere) {  // A3
  ASSERT_OK(aclrtSetDevice(1));
  char host[64] = {};
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemcpyAsync(memory_, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(stream_));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtMemcpyAsync(memory_, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_OK(aclrtDestroyStream(stream_));
}

// ---- Destroying with work pending ----

TEST_F(Stream, DestroyWaitsForTheWork) {  // A10
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  std::atomic<bool> returned{false};
  std::thread destroyer([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtDestroyStream(stream_));
    returned = true;
  });
  gate.WaitUntilReached();
  Pause(50);
  EXPECT_FALSE(returned.load());
  gate.Open();
  destroyer.join();
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(Stream, DestroyForceDropsWhatIsQueuedAndSaysSo) {  // A10
  NEEDS_STOPPABLE_KERNELS();
  Words flag(1);
  struct {
    void* flag;
    uint32_t value;
  } wait{flag.get(), 1};
  ASSERT_OK(Launch(Function(basic_, "wait_flag"), stream_, wait));
  for (int i = 0; i < 5; ++i) ASSERT_OK(LaunchAddOne(stream_));
  Messages();
  const auto start = Clock::now();
  EXPECT_EQ(ACL_SUCCESS, aclrtDestroyStreamForce(stream_));
  EXPECT_LT(MillisecondsSince(start), 5000);
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("with 6 unfinished tasks, which are dropped")) << text;
  EXPECT_EQ(0U, FirstWord());
}

// ---- Waiting ----

TEST_F(Stream, TimeoutLeavesTheWorkGoingOn) {  // A6
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchAddOne(stream_));
  const auto start = Clock::now();
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream_, 100));
  EXPECT_GE(MillisecondsSince(start), 100);
  EXPECT_LT(MillisecondsSince(start), 2000);
  EXPECT_CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(50));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(1U, FirstWord());
}

TEST_F(Stream, BadTimeoutsAreRefused) {
  for (const int32_t timeout : {0, -2, INT32_MIN}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream_, timeout));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(timeout));
  }
  for (const int32_t timeout : {-1, 1, INT32_MAX}) {
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream_, timeout));
    EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(timeout));
  }
}

TEST_F(Stream, QueryTellsWhetherItIsIdle) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_OK(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  EXPECT_OK(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
}

TEST_F(Stream, QueryNeverCallsAFailedStreamComplete) {
  for (int round = 0; round < 50; ++round) {
    ASSERT_OK(LaunchTrap(stream_));
    aclError code = ACL_SUCCESS;
    auto status = Untouched<aclrtStreamStatus>();
    do {
      status = Untouched<aclrtStreamStatus>();
      code = aclrtStreamQuery(stream_, &status);
    } while (code == ACL_SUCCESS && status == ACL_STREAM_STATUS_NOT_READY);
    ASSERT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, code) << round;
    EXPECT_TRUE(IsUntouched(status));
    ASSERT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  }
}

TEST_F(Stream, SynchronizeDeviceCoversEveryStreamOfTheContext) {
  std::vector<aclrtStream> streams(4);
  for (aclrtStream& stream : streams) {
    ASSERT_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 10; ++i) ASSERT_OK(LaunchAddOne(stream));
    ASSERT_OK(aclrtSynchronizeStream(stream));
  }
  ASSERT_OK(LaunchTrap(streams[2]));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeDevice());
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(40U, FirstWord());
}

TEST_F(Stream, QueueThatIsFullMakesTheCallerWait) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  std::atomic<int> submitted{0};
  std::thread submitter([&] {
    ASSERT_OK(aclrtSetDevice(0));
    for (int i = 0; i < 5000; ++i) {
      ASSERT_OK(LaunchAddOne(stream_));
      ++submitted;
    }
  });
  gate.WaitUntilReached();
  for (int last = -1; last != submitted.load();) {
    last = submitted.load();
    Pause(100);
  }
  EXPECT_LT(submitted.load(), 5000);
  gate.Open();
  submitter.join();
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(5000U, FirstWord());
}

TEST_F(Stream, LastTaskIdIsPerThreadAndCountsUp) {
  InThread([&] {
    ASSERT_OK(aclrtSetDevice(0));
    auto task = Untouched<uint32_t>();
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetThreadLastTaskId(&task));
    EXPECT_TRUE(IsUntouched(task));
    ASSERT_OK(LaunchAddOne(nullptr));
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetThreadLastTaskId(&task)) << "the default stream is not one it made";
    uint32_t first = 0;
    uint32_t second = 0;
    ASSERT_OK(LaunchAddOne(stream_));
    EXPECT_OK(aclrtGetThreadLastTaskId(&first));
    ASSERT_OK(LaunchAddOne(stream_));
    EXPECT_OK(aclrtGetThreadLastTaskId(&second));
    EXPECT_EQ((first + 1) & 0xFFFF, second);
  });
  ASSERT_OK(aclrtSynchronizeDevice());
}

}  // namespace
}  // namespace conformance
