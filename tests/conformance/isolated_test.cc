// What only a device in a process of its own can show: the process dies, and the program does not.
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "conformance/support.h"
#include "forebay/device.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

std::set<pid_t> Children() {
  std::set<pid_t> children;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child = 0; file >> child;) children.insert(child);
  }
  return children;
}

class LostDevice : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(aclInit(nullptr));
    ASSERT_OK(aclrtSetDevice(1));
    const std::set<pid_t> before = Children();
    ASSERT_OK(aclrtSetDevice(0));
    for (const pid_t child : Children()) {
      if (before.count(child) == 0) process_ = child;
    }
    ASSERT_GT(process_, 0);
  }
  void TearDown() override {
    aclFinalize();
    Messages();
    EXPECT_EQ(forebay::ResourceCounters(), forebay::Runtime::Counters());
  }

  pid_t process_ = -1;
};

TEST_F(LostDevice, IsWhatAllocationsThatNeedItName) {
  kill(process_, SIGKILL);
  void* memory = nullptr;
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtMalloc(&memory, std::size_t{512} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("evice 0")) << text;
  EXPECT_EQ(std::string::npos, text.find("Free memory")) << text;
  EXPECT_EQ(nullptr, memory);
  EXPECT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtMalloc(&memory, std::size_t{128} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
}

TEST_F(LostDevice, EndsWaitsAndRefusesWorkUntilItIsReset) {  // A20
  Words words(16);
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtCreateEvent(&event));
  struct {
    void* flag;
    uint32_t value;
  } wait{words.get(), 1};
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "wait_flag"), stream, wait));
  ASSERT_OK(aclrtRecordEvent(event, stream));
  std::thread waiter([&] {
    ASSERT_OK(aclrtSetDevice(0));
    EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(stream));
  });
  Pause(50);
  ASSERT_EQ(0, kill(process_, SIGKILL));
  waiter.join();
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeEvent(event));
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeDevice());
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtMemsetAsync(words.get(), 64, 0, 64, stream));
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtRecordEvent(event, nullptr));
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, status);
  auto made = Untouched<aclrtStream>();
  EXPECT_NE(ACL_SUCCESS, aclrtCreateStream(&made));
  EXPECT_TRUE(IsUntouched(made));
  // The other device goes on.
  EXPECT_OK(aclrtQueryDeviceStatus(1, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
  ASSERT_OK(aclrtSetDevice(1));
  EXPECT_OK(aclrtSynchronizeDevice());
  // A reset brings it back.
  EXPECT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
  Words again(16);
  EXPECT_OK(aclrtMemsetAsync(again.get(), 64, 1, 64, nullptr));
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(0x01010101U, again[15]);
}

TEST_F(LostDevice, CanBeCleanedUpAfter) {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  aclrtContext context = nullptr;
  void* memory = nullptr;
  void* pinned = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtCreateEvent(&event));
  ASSERT_OK(aclrtRecordEvent(event, stream));
  ASSERT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMallocHost(&pinned, 4096));
  const aclrtBinHandle binary = Load("basic_kernels");
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtSynchronizeStream(stream));
  ASSERT_EQ(0, kill(process_, SIGKILL));
  aclrtSynchronizeDevice();
  EXPECT_OK(aclrtDestroyEvent(event));
  EXPECT_OK(aclrtBinaryUnLoad(binary));
  EXPECT_OK(aclrtDestroyStream(stream));
  EXPECT_OK(aclrtDestroyContext(context));
  EXPECT_OK(aclrtFree(memory));
  EXPECT_OK(aclrtFreeHost(pinned));
}

TEST_F(LostDevice, IsNotLostWhenStacksRunOut) {
  Words words(64);
  struct {
    void* counters;
    uint32_t rounds;
  } arguments{words.get(), 1};
  const aclrtFuncHandle meet = Function(Load("basic_kernels"), "sync_blocks");
  const auto launch = [&] {
    return aclrtLaunchKernelWithHostArgs(meet, 40, nullptr, nullptr, &arguments, sizeof arguments, nullptr, 0);
  };
  rlimit before{};
  const rlimit little{1 << 20, RLIM_INFINITY};
  ASSERT_EQ(0, prlimit(process_, RLIMIT_AS, nullptr, &before));
  if (before.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "addresses are limited already";
  ASSERT_EQ(0, prlimit(process_, RLIMIT_AS, &little, nullptr));
  ASSERT_OK(launch());
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtSynchronizeStream(nullptr));
  EXPECT_NE(std::string::npos, Messages().find("stack of a block"));
  ASSERT_EQ(0, prlimit(process_, RLIMIT_AS, &before, nullptr));
  ASSERT_OK(launch());
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(LostDevice, IsToldOnceWithoutNumbersBeforeTheSynchroniseReturns) {
  static std::vector<uint32_t> told;
  static std::vector<aclError> inside;
  told.clear();
  const aclrtExceptionInfoCallback callback = [](aclrtExceptionInfo* info) {
    told = {aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
            aclrtGetThreadIdFromExceptionInfo(info), aclrtGetDeviceIdFromExceptionInfo(info),
            aclrtGetErrorCodeFromExceptionInfo(info)};
    void* address = nullptr;
    uint32_t bytes = 0;
    aclrtFuncHandle function = nullptr;
    inside.push_back(aclrtGetArgsFromExceptionInfo(info, &address, &bytes));
    inside.push_back(aclrtGetFuncHandleFromExceptionInfo(info, &function));
  };
  inside.clear();
  ASSERT_OK(aclrtExceptionInfoCallbackRegister(callback));
  aclrtErrorInfo info;
  EXPECT_OK(aclrtGetErrorVerbose(0, &info));
  EXPECT_EQ(ACL_RT_NO_ERROR, info.errorType);
  struct {
    void* flag;
    uint32_t value;
  } wait{nullptr, 1};
  Words words(16);
  wait.flag = words.get();
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "wait_flag"), nullptr, wait));
  ASSERT_EQ(0, kill(process_, SIGKILL));
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(std::vector<uint32_t>(5, 0xFFFFFFFF), told);
  EXPECT_CODE(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeDevice());
  EXPECT_EQ(std::vector<aclError>(2, ACL_ERROR_RT_PARAM_INVALID), inside) << "and just once";
  EXPECT_OK(aclrtGetErrorVerbose(0, &info));
  EXPECT_EQ(ACL_RT_ERROR_OTHERS, info.errorType);
  EXPECT_OK(aclrtExceptionInfoCallbackUnregister(callback));
}

}  // namespace
}  // namespace conformance
