// What users report of tasks and devices that fail, scenario by scenario.
#include <chrono>

#include "conformance/stream_fixture.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

int32_t Id(aclrtStream stream) {
  int32_t id = -1;
  EXPECT_OK(aclrtStreamGetId(stream, &id));
  return id;
}

class WithFaults : public WithStream {
 protected:
  void TearDown() override {
    forebay::RemoveFaults();
    EXPECT_TRUE(forebay::Runtime::Configure("submit_sites", "0").ok());
    WithStream::TearDown();
  }
  static void Inject(const std::string& text) {
    const forebay::Status injected = forebay::InjectFaults(text);
    ASSERT_TRUE(injected.ok()) << injected.ToString();
  }
};

// ---- A4 ----

class A4 : public WithFaults {
 protected:
  __attribute__((noinline)) aclError LaunchTheThird() {
    const aclError code = LaunchAddOne(stream_);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // not the last call, so that the frame stays
    return code;
  }
};

TEST_F(A4, FailureOfOneTaskIsReportedOnceWithItsPlaceAndTheOthersRun) {
  ASSERT_TRUE(forebay::Runtime::Configure("submit_sites", "16").ok());
  Inject("aicore_exception@stream=" + std::to_string(Id(stream_)) + ",task=2");
  for (int i = 0; i < 5; ++i) EXPECT_OK(i == 2 ? LaunchTheThird() : LaunchAddOne(stream_));
  EXPECT_EQ(507015, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(4U, FirstWord()) << "those before and behind it did run";
  EXPECT_EQ(507015, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(507015, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(507015, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  const std::string text = Messages();
  ExpectIn(text, "stream " + std::to_string(Id(stream_)) + ", task 2, kernel add_one");
  // The line may be that of a function which is inlined there.
  ExpectIn(text, "LaunchTheThird() (");
  ExpectIn(text, "TestBody() (failure_scenarios_test.cc:");
  EXPECT_OK(aclrtSynchronizeStream(stream_)) << "it was told once";
}

// ---- A5 ----

using A5 = WithFaults;

TEST_F(A5, FirstFailureStopsEveryStreamOfTheContextForGood) {
  aclrtStream other = nullptr;
  ASSERT_OK(aclrtCreateStream(&other));
  ASSERT_OK(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  Inject("aicpu_exception@stream=" + std::to_string(Id(stream_)) + ",nth=1");
  // Both streams are held until all is queued; the other one goes on when the first has failed.
  Gate gate;
  Gate other_gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(other_gate.Close(other));
  for (int i = 0; i < 4; ++i) ASSERT_OK(LaunchAddOne(stream_));
  for (int i = 0; i < 3; ++i) ASSERT_OK(LaunchAddOne(other));
  other_gate.WaitUntilReached();
  gate.Open();
  EXPECT_CODE(507018, aclrtSynchronizeStream(stream_));
  other_gate.Open();
  EXPECT_CODE(507018, aclrtSynchronizeStream(other)) << "stopped with the context";
  EXPECT_EQ(0U, FirstWord()) << "no later task ran, on either stream";
  for (const aclrtStream stream : {stream_, other}) {
    EXPECT_CODE(507018, LaunchAddOne(stream));
    EXPECT_CODE(507018, aclrtMemsetAsync(memory_, 64, 1, 64, stream));
    EXPECT_CODE(507018, aclrtLaunchHostFunc(stream, [](void*) {}, nullptr));
  }
  EXPECT_NE(ACL_SUCCESS, aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  EXPECT_NE(ACL_SUCCESS, aclrtSetStreamFailureMode(stream_, ACL_CONTINUE_ON_FAILURE));
  EXPECT_CODE(507018, aclrtSynchronizeStream(stream_)) << "it stays";
  EXPECT_EQ(0U, FirstWord());
}

// ---- A20: the loss of a device ----

struct Loss {
  const char* kind;
  aclError code;
};

class A20 : public testing::TestWithParam<Loss> {
 protected:
  static constexpr std::size_t kBytes = 1 << 20;

  void SetUp() override {
    // How much memory devices have else depends on what is free.
    const InitFile file(R"({"forebay": {"device_memory": 256, "pinned_memory": 64}})");
    ASSERT_OK(aclInit(file.path()));
    // The devices are set once, so that what they hold for themselves is there.
    for (const int32_t id : {1, 0}) ASSERT_OK(aclrtSetDevice(id));
    before_ = forebay::Runtime::Counters();
    free_ = FreeMemory();
  }
  void TearDown() override {
    forebay::RemoveFaults();
    EXPECT_OK(aclFinalize());
    Messages();
    EXPECT_EQ(forebay::ResourceCounters(), forebay::Runtime::Counters());
  }
  static std::size_t FreeMemory() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }
  static aclrtDeviceStatus StatusOf(int32_t id) {
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
    EXPECT_OK(aclrtQueryDeviceStatus(id, &status));
    return status;
  }
  // Three streams with copies, memset, kernel, host function, and events between them. The first stream waits for an
  // event that nobody records, and so the others wait for it.
  void Submit() {
    for (aclrtStream& stream : streams_) ASSERT_OK(aclrtCreateStream(&stream));
    for (aclrtEvent& event : events_) ASSERT_OK(aclrtCreateEvent(&event));
    ASSERT_OK(aclrtMalloc(&memory_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtMallocHost(&pinned_, kBytes));
    ASSERT_OK(aclrtMemsetAsync(memory_, kBytes, 0, kBytes, streams_[0]));
    ASSERT_OK(Launch(Function(Load("basic_kernels"), "add_one"), streams_[0], DataAndCount{memory_, 1}));
    ASSERT_OK(aclrtLaunchHostFunc(streams_[0], [](void*) {}, nullptr));
    ASSERT_OK(aclrtCreateEventWithFlag(&never_, ACL_EVENT_SYNC));
    ASSERT_OK(aclrtStreamWaitEvent(streams_[0], never_));
    ASSERT_OK(aclrtRecordEvent(events_[0], streams_[0]));
    ASSERT_OK(aclrtStreamWaitEvent(streams_[1], events_[0]));
    ASSERT_OK(aclrtMemcpyAsync(pinned_, kBytes, memory_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, streams_[1]));
    ASSERT_OK(aclrtRecordEvent(events_[1], streams_[1]));
    ASSERT_OK(aclrtStreamWaitEvent(streams_[2], events_[1]));
    ASSERT_OK(aclrtMemcpyAsync(memory_, kBytes, pinned_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, streams_[2]));
  }

  forebay::ResourceCounters before_;
  std::size_t free_ = 0;
  aclrtEvent never_ = nullptr;
  aclrtStream streams_[3] = {};
  aclrtEvent events_[2] = {};
  void* memory_ = nullptr;
  void* pinned_ = nullptr;
};

TEST_P(A20, LossEndsWaitsAndStaysUntilTheResetThatGivesAllBack) {
  const aclError code = GetParam().code;
  Submit();
  std::vector<std::thread> waiters;
  std::atomic<std::size_t> ready{0};
  const auto wait = [&](auto synchronize) {
    waiters.emplace_back([&, synchronize] {
      ASSERT_OK(aclrtSetDevice(0));
      ++ready;
      EXPECT_CODE(code, synchronize());
    });
  };
  for (const aclrtStream stream : streams_) wait([stream] { return aclrtSynchronizeStream(stream); });
  for (const aclrtEvent event : events_) wait([event] { return aclrtSynchronizeEvent(event); });
  wait([] { return aclrtSynchronizeDevice(); });
  while (ready != waiters.size()) std::this_thread::yield();
  const forebay::Status injected = forebay::InjectFaults(std::string(GetParam().kind) + "@device=0");
  ASSERT_TRUE(injected.ok()) << injected.ToString();
  for (std::thread& waiter : waiters) waiter.join();
  // It stays failed.
  for (int round = 0; round < 2; ++round) {
    EXPECT_CODE(code, aclrtSynchronizeStream(streams_[0]));
    EXPECT_CODE(code, aclrtSynchronizeDevice());
    EXPECT_CODE(code, aclrtMemsetAsync(memory_, kBytes, 0, kBytes, streams_[1]));
    EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, StatusOf(0));
  }
  // The other device works.
  ASSERT_OK(aclrtSetDevice(1));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, StatusOf(1));
  {
    Words words(16);
    EXPECT_OK(aclrtMemsetAsync(words.get(), 64, 1, 64, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(0x01010101U, words[15]);
  }
  forebay::RemoveFaults();
  EXPECT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, StatusOf(0));
  EXPECT_EQ(free_, FreeMemory());
  EXPECT_EQ(before_, forebay::Runtime::Counters());
  Words again(16);
  EXPECT_OK(aclrtMemsetAsync(again.get(), 64, 2, 64, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(0x02020202U, again[15]);
}

INSTANTIATE_TEST_SUITE_P(Loss, A20,
                         testing::Values(Loss{"device_lost", 507010}, Loss{"heartbeat_lost", 507010},
                                         Loss{"link_lost", 507901}),
                         [](const auto& loss) { return std::string(loss.param.kind); });

}  // namespace
}  // namespace conformance
