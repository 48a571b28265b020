// Devices that fail and are used again, over and over.
#include <filesystem>
#include <fstream>

#include "conformance/support.h"
#include "forebay/device.h"
#include "forebay/fault_injection.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

constexpr std::size_t kBytes = 1 << 20;

struct Kind {
  const char* name;
  aclError code;
};
// Every kind of fault of a device as a whole.
constexpr Kind kKinds[] = {
    {"memory_uce", 507053}, {"ecc", 507054},         {"suspect_memory", 507055}, {"suspect_remote", 507057},
    {"link_error", 507056}, {"l3_port", 507914},     {"overheat", 507899},       {"power", 507899},
    {"link_lost", 507901},  {"device_lost", 507010}, {"heartbeat_lost", 507010}, {"hung_scheduler", 507010},
};

// What a process holds of the system.
struct Footprint {
  static Footprint Now() {
    Footprint now;
    now.descriptors = Entries("/proc/self/fd");
    now.threads = Entries("/proc/self/task");
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      ++now.mappings;
      if (line.find('/') != std::string::npos) ++now.files;
    }
    std::ifstream("/proc/self/statm") >> now.pages >> now.pages;
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    for (int child = 0; children >> child;) ++now.children;
    return now;
  }
  std::size_t descriptors = 0, threads = 0, mappings = 0, files = 0, children = 0, pages = 0;

 private:
  static std::size_t Entries(const char* directory) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
  }
};

// A stream and memory on the calling thread's device, and what they are used for.
class User {
 public:
  User() {
    EXPECT_OK(aclrtCreateStream(&stream_));
    EXPECT_OK(aclrtMalloc(&memory_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  aclrtStream stream() const { return stream_; }
  void* memory() const { return memory_; }
  void ExpectWorks(int value) {
    EXPECT_OK(aclrtMemsetAsync(memory_, kBytes, value, kBytes, stream_));
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    unsigned char last = 0;
    EXPECT_OK(aclrtMemcpy(&last, 1, static_cast<char*>(memory_) + kBytes - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(value, last);
  }

 private:
  aclrtStream stream_ = nullptr;
  void* memory_ = nullptr;
};

class Recovery : public testing::Test {
 protected:
  void SetUp() override {
    const InitFile file(R"({"forebay": {"device_memory": 256, "pinned_memory": 64}})");
    ASSERT_OK(aclInit(file.path()));
  }
  void TearDown() override {
    forebay::RemoveFaults();
    aclFinalize();
    Messages();
    EXPECT_EQ(forebay::ResourceCounters(), forebay::Runtime::Counters());
  }
  static void AwaitFailure() {
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
    while (status == ACL_RT_DEVICE_STATUS_NORMAL) ASSERT_OK(aclrtQueryDeviceStatus(0, &status));
    EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, status);
  }
  static std::size_t FreeMemory() {
    std::size_t free = 0, total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }
};

// Each fault in turn, in a device that works; a repair where there is one; a reset; full use again. Another device
// works all the while.
TEST_F(Recovery, FiftyTimesWithoutGrowth) {
  ASSERT_OK(aclrtSetDevice(1));
  aclrtContext other_device = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&other_device));
  User other;
  Footprint before;
  std::size_t free_memory = 0;
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    const Kind& kind = kKinds[static_cast<std::size_t>(round) % std::size(kKinds)];
    SCOPED_TRACE(kind.name);
    ASSERT_OK(aclrtSetDevice(0));
    if (round == 0) free_memory = FreeMemory();
    EXPECT_EQ(free_memory, FreeMemory());
    User user;
    user.ExpectWorks(round);
    Gate gate;
    ASSERT_OK(gate.Close(user.stream()));
    ASSERT_OK(aclrtMemsetAsync(user.memory(), kBytes, 0, kBytes, user.stream()));
    ASSERT_TRUE(forebay::InjectFaults(std::string(kind.name) + "@device=0").ok());
    AwaitFailure();
    gate.Open();
    EXPECT_EQ(kind.code, aclrtSynchronizeStream(user.stream()));
    ASSERT_OK(aclrtSetCurrentContext(other_device));
    other.ExpectWorks(round + 100);
    ASSERT_OK(aclrtSetDevice(0));
    aclrtErrorInfo info{};
    ASSERT_OK(aclrtGetErrorVerbose(0, &info));
    EXPECT_NE(ACL_RT_NO_ERROR, info.errorType);
    if (info.tryRepair != 0) {
      EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
      EXPECT_OK(aclrtRepairError(0, &info));
      user.ExpectWorks(round);
    }
    forebay::RemoveFaults();
    ASSERT_OK(aclrtResetDeviceForce(0));
    Messages();
    if (round == 12) before = Footprint::Now();
  }
  const Footprint after = Footprint::Now();
  EXPECT_EQ(before.descriptors, after.descriptors);
  EXPECT_EQ(before.threads, after.threads);
  EXPECT_EQ(before.children, after.children);
  EXPECT_EQ(before.files, after.files) << "mappings of files, also those that have no name";
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  // The sanitizers map memory of their own for each thread that there is at the same time.
  EXPECT_LE(after.mappings, before.mappings + 4) << "the heap of the process may move";
  EXPECT_LE(after.pages, before.pages + 512) << "two MiB; the sanitizers keep more";
#endif
}

// A page is replaced, and nothing else.
TEST_F(Recovery, MemoryIsRepairedWhereItIsBad) {
  ASSERT_OK(aclrtSetDevice(0));
  User user;
  char* memory = nullptr;
  constexpr std::size_t kPage = 2 << 20;
  ASSERT_OK(aclrtMalloc(reinterpret_cast<void**>(&memory), 3 * kPage, ACL_MEM_MALLOC_HUGE_ONLY));
  ASSERT_OK(aclrtMemset(memory, 3 * kPage, 7, 3 * kPage));
  ASSERT_TRUE(
      forebay::InjectFaults("memory_uce@address=" + std::to_string(reinterpret_cast<uintptr_t>(memory + kPage))).ok());
  AwaitFailure();
  EXPECT_OK(aclrtDeviceTaskAbort(0, 0));
  aclrtMemUceInfo range[2] = {};
  std::size_t count = 0;
  ASSERT_OK(aclrtGetMemUceInfo(0, range, 2, &count));
  ASSERT_EQ(1U, count);
  ASSERT_TRUE(forebay::InjectFaults("request_error@device=0,count=1").ok());
  EXPECT_CODE(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtMemUceRepair(0, range, 1)) << "the driver refuses";
  EXPECT_CODE(ACL_ERROR_RT_DEVICE_MEM_ERROR, aclrtSynchronizeStream(user.stream())) << "nothing has changed";
  EXPECT_OK(aclrtMemUceRepair(0, range, 1));
  user.ExpectWorks(1);
  const std::ptrdiff_t at = static_cast<char*>(range[0].addr) - memory;
  const auto byte_at = [&](std::ptrdiff_t offset) {
    unsigned char byte = 0xFF;
    EXPECT_OK(aclrtMemcpy(&byte, 1, memory + offset, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return byte;
  };
  EXPECT_EQ(0, byte_at(static_cast<std::ptrdiff_t>(kPage))) << "lost";
  EXPECT_EQ(7, byte_at(at - 1)) << "what lies around it is as it was";
  EXPECT_EQ(7, byte_at(at + static_cast<std::ptrdiff_t>(range[0].len)));
}

}  // namespace
}  // namespace conformance
