// What users report of resources that run out, scenario by scenario.
#include <filesystem>
#include <fstream>

#include "conformance/configuration_fixture.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// ---- A9 ----

class A9 : public WithFiles {
 protected:
  void SetUp() override {
    WithFiles::SetUp();
    setenv("ASCEND_PROCESS_LOG_PATH", directory_.c_str(), 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
    ASSERT_OK(aclInit(nullptr));
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtCreateStream(&stream_));
  }
  void TearDown() override {
    unsetenv("ASCEND_PROCESS_LOG_PATH");
    unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
    // The settings of the log are read by aclInit.
    aclFinalize();
    EXPECT_OK(aclInit(nullptr));
    WithFiles::TearDown();
  }
  std::string LogText() const {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(directory_ / "debug" / "plog")) {
      std::ifstream stream(file.path());
      for (std::string line; std::getline(stream, line);) text += line + "\n";
    }
    return text;
  }
  static std::size_t ResidentBytes() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

  aclrtStream stream_ = nullptr;
};

TEST_F(A9, EventsThatAreDestroyedUseNothingUp) {
  const auto use = [this] {
    for (int i = 0; i < 50'000; ++i) {
      aclrtEvent event = nullptr;
      ASSERT_OK(aclrtCreateEvent(&event));
      ASSERT_OK(aclrtRecordEvent(event, stream_));
      ASSERT_OK(aclrtDestroyEvent(event));
    }
    ASSERT_OK(aclrtSynchronizeStream(stream_));
  };
  const forebay::ResourceCounters before = forebay::Runtime::Counters();
  use();
  // Registers of events that were pending when they were destroyed come back when they are needed.
  [[maybe_unused]] const std::size_t resident = ResidentBytes();
  const forebay::ResourceCounters between = forebay::Runtime::Counters();
  use();
  const forebay::ResourceCounters after = forebay::Runtime::Counters();
  EXPECT_LE(between.events, before.events + 4096);
  EXPECT_LE(after.events, before.events + 4096);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LE(ResidentBytes(), resident + kMiB);
#endif
  ASSERT_OK(aclFinalize());
  EXPECT_EQ(std::string::npos, LogText().find("events were not destroyed"));
}

TEST_F(A9, EventsThatAreLeakedEndInACodeAndInTheReport) {
  constexpr std::size_t kWanted = 100'000;
  std::size_t made = 0;
  aclError code = ACL_SUCCESS;
  while (code == ACL_SUCCESS && made < kWanted) {
    auto event = Untouched<aclrtEvent>();
    code = aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC);
    if (code == ACL_SUCCESS) {
      ++made;
    } else {
      EXPECT_TRUE(IsUntouched(event));
    }
  }
  EXPECT_CODE(ACL_ERROR_RT_NO_EVENT_RESOURCE, code);
  EXPECT_EQ(65536U, made) << "as many as the part has";
  // The device works without.
  EXPECT_OK(aclrtLaunchHostFunc(stream_, [](void*) {}, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclFinalize());
  const std::string text = LogText();
  ExpectIn(text, "65536 events were not destroyed: 65536 made at ");
  ExpectIn(text, "EventsThatAreLeakedEndInACodeAndInTheReport");
  ExpectIn(text, "(resource_scenarios_test.cc:");
}

TEST_F(A9, TheLimitIsTheConfiguredOne) {
  ASSERT_OK(aclFinalize());
  ASSERT_OK(aclInit(Write(R"({"forebay": {"events": 1000}})").c_str()));
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtCreateStream(&stream_));
  // An event needs something of the device only once it is recorded.
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  std::vector<aclrtEvent> events(1001);
  for (aclrtEvent& event : events) ASSERT_OK(aclrtCreateEvent(&event));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_OK(aclrtRecordEvent(events[i], stream_));
  EXPECT_CODE(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtRecordEvent(events[1000], stream_));
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtDestroyEvent(events[0]));
  EXPECT_OK(aclrtRecordEvent(events[1000], stream_));
  ASSERT_OK(aclFinalize());
  ExpectIn(LogText(), "1000 events were not destroyed: 1000 made at ");
}

// ---- A16 ----

class A16 : public WithFiles {
 protected:
  struct Info {
    std::size_t free = 0;
    std::size_t total = 0;
  };
  void SetUp() override {
    WithFiles::SetUp();
    ASSERT_OK(aclInit(Write(R"({"forebay": {"device_memory": 64, "initial_pool": 2}})").c_str()));
    ASSERT_OK(aclrtSetDevice(0));
    ASSERT_OK(aclrtCreateStream(&stream_));
    for (void*& block : large_) ASSERT_OK(aclrtMallocAlign32(&block, 8 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
    for (void*& block : small_) ASSERT_OK(aclrtMallocAlign32(&block, kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
    Messages();
  }
  static Info GetInfo() {
    Info info;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total));
    return info;
  }
  void ExpectRefused(std::size_t bytes) {
    const Info before = GetInfo();
    auto memory = Untouched<void*>();
    EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocAlign32(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsUntouched(memory));
    EXPECT_EQ(before.free, GetInfo().free);
    const std::string text = Messages();
    ExpectIn(text, std::to_string(bytes) + " bytes were asked of device 0, which has " + std::to_string(before.free) +
                       " of " + std::to_string(64 * kMiB) + " bytes free");
    // Who holds the most comes first.
    const std::size_t first = text.find("In use: " + std::to_string(24 * kMiB) +
                                        " bytes in 3 allocations made at conformance_resource_scenarios_test+0x");
    const std::size_t second = text.find("; " + std::to_string(16 * kMiB) +
                                         " bytes in 16 allocations made at conformance_resource_scenarios_test+0x");
    EXPECT_NE(std::string::npos, second) << text;
    EXPECT_LT(first, second) << text;
  }

  aclrtStream stream_ = nullptr;
  std::vector<void*> large_ = std::vector<void*>(3);
  std::vector<void*> small_ = std::vector<void*>(16);
};

TEST_F(A16, TooMuchIsRefusedInWordsAndChangesNothing) {
  EXPECT_EQ(64 * kMiB, GetInfo().total);
  EXPECT_LE(GetInfo().free, 24 * kMiB) << "40 MiB are in use";
  ExpectRefused(65 * kMiB);
  ExpectRefused(30 * kMiB);
  for (const std::size_t i : {1U, 2U}) ASSERT_OK(aclrtFree(large_[i]));
  void* memory = nullptr;
  EXPECT_OK(aclrtMallocAlign32(&memory, 30 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtMemset(memory, 30 * kMiB, 7, 30 * kMiB));
}

TEST_F(A16, NoLaterFailureOfAStreamIsTakenForIt) {
  ExpectRefused(65 * kMiB);
  EXPECT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_OK(aclrtSynchronizeDevice());
  ASSERT_OK(Launch(Function(Load("fault_kernels"), "read_address"), stream_, static_cast<void*>(nullptr)));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  const std::string text = Messages();
  ExpectIn(text, "507015");
  EXPECT_EQ(std::string::npos, text.find("207001")) << text;
}

}  // namespace
}  // namespace conformance
