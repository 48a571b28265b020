// Devices: selecting, counting uses, resetting, and what a reset leaves behind.
#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "conformance/support.h"
#include "forebay/device.h"
#include "forebay/runtime.h"

namespace conformance {
namespace {

class Device : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(aclInit(nullptr)); }
  void TearDown() override {
    aclFinalize();
    Messages();
  }
};

std::size_t EntriesOf(const char* directory) {
  std::size_t count = 0;
  if (DIR* open = opendir(directory)) {
    while (readdir(open) != nullptr) ++count;
    closedir(open);
  }
  return count;
}

std::size_t LinesOf(const char* path) {
  std::ifstream file(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

// ---- Selecting ----

TEST_F(Device, CountRefusesNull) {
  uint32_t count = 0;
  EXPECT_OK(aclrtGetDeviceCount(&count));
  EXPECT_EQ(8U, count);
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(nullptr));
}

TEST_F(Device, IdsOutOfRangeAreRefusedEverywhere) {
  for (const int32_t id : {-1, 8, 64, INT32_MAX, INT32_MIN}) {
    auto context = Untouched<aclrtContext>();
    auto status = Untouched<aclrtDeviceStatus>();
    auto active = Untouched<int32_t>();
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(id));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(id));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceForce(id));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&context, id));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtQueryDeviceStatus(id, &status));
    EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPrimaryCtxState(id, nullptr, &active));
    EXPECT_TRUE(IsUntouched(context) && IsUntouched(status) && IsUntouched(active));
  }
}

TEST_F(Device, FailureToSetKeepsThePreviousOne) {
  ASSERT_OK(aclrtSetDevice(1));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
  int32_t id = -1;
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(1, id);
}

TEST_F(Device, IsNotInheritedByThreads) {  // A2
  ASSERT_OK(aclrtSetDevice(1));
  aclrtContext context = nullptr;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  InThread([&] {
    auto id = Untouched<int32_t>();
    EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
    EXPECT_TRUE(IsUntouched(id));
    ASSERT_OK(aclrtSetCurrentContext(context));
    EXPECT_OK(aclrtGetDevice(&id));
    EXPECT_EQ(1, id);
    ASSERT_OK(aclrtSetDevice(0));
  });
  int32_t id = -1;
  EXPECT_OK(aclrtGetDevice(&id));
  EXPECT_EQ(1, id);
}

TEST_F(Device, GetRefusesNull) {
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDevice(nullptr));
}

TEST_F(Device, EveryCallThatNeedsOneSaysSo) {  // A1
  auto free_bytes = Untouched<std::size_t>();
  auto pointer = Untouched<void*>();
  auto number = Untouched<uint32_t>();
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &free_bytes));
  const std::string text = Messages();
  EXPECT_NE(std::string::npos, text.find("aclrtSetDevice")) << text;
  EXPECT_NE(std::string::npos, text.find("aclrtGetMemInfo")) << text;
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocAlign32(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost(&pointer, 64));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&pointer));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetCurrentDefaultStream(&pointer));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&pointer));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetStreamAvailableNum(&number));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL,
              aclrtBinaryLoadFromFile(KernelPath("basic_kernels").c_str(), nullptr, &pointer));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoadFromData("x", 1, nullptr, &pointer));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDeviceWithTimeout(1));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
  char a[4] = {};
  char b[4] = {};
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy(a, 4, b, 4, ACL_MEMCPY_HOST_TO_HOST));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemset(a, 4, 0, 4));
  EXPECT_TRUE(IsUntouched(free_bytes) && IsUntouched(pointer) && IsUntouched(number));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &free_bytes));
  EXPECT_OK(aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_OK(aclrtCreateStream(&pointer));
}

TEST_F(Device, QuestionsRefuseNullOutputs) {
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtQueryDeviceStatus(0, nullptr));
  int32_t priority = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(nullptr, &priority));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(&priority, nullptr));
  uint32_t flags = 0;
  int32_t active = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, &flags, &active));
}

TEST_F(Device, PrioritiesRunFrom0To7) {
  int32_t least = -1;
  int32_t greatest = -1;
  EXPECT_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(7, least);
  EXPECT_EQ(0, greatest);
}

TEST_F(Device, StatusIsNormalWhetherSetOrNot) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_OK(aclrtQueryDeviceStatus(3, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
}

// ---- Counting uses ----

TEST_F(Device, LastResetEndsIt) {
  int32_t active = -1;
  ASSERT_OK(aclrtSetDevice(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_OK(aclrtGetPrimaryCtxState(0, nullptr, &active));
  EXPECT_EQ(1, active);
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_OK(aclrtGetPrimaryCtxState(0, nullptr, &active));
  EXPECT_EQ(0, active);
  int32_t id = 0;
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceForce(0));
}

TEST_F(Device, ForceEndsAllUsesAtOnce) {
  for (int i = 0; i < 3; ++i) ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_OK(aclrtResetDeviceForce(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceForce(0));
  EXPECT_OK(aclrtSetDevice(0));
}

TEST_F(Device, ResetWaitsForTheWork) {
  ASSERT_OK(aclrtSetDevice(0));
  static std::atomic<bool> ran;
  ran = false;
  const auto slow = [](void*) {
    Pause(50);
    ran = true;
  };
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, slow, nullptr));
  EXPECT_OK(aclrtResetDevice(0));
  EXPECT_TRUE(ran.load());
  ASSERT_OK(aclrtSetDevice(0));
  ran = false;
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, slow, nullptr));
  EXPECT_OK(aclrtResetDeviceForce(0));
  EXPECT_TRUE(ran.load());
}

TEST_F(Device, ResetEndsEverythingThatWasMadeOnIt) {
  ASSERT_OK(aclrtSetDevice(0));
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  void* pinned = nullptr;
  ASSERT_OK(aclrtCreateContext(&context, 0));
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtCreateEvent(&event));
  ASSERT_OK(aclrtRecordEvent(event, stream));
  ASSERT_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtMallocHost(&pinned, 1 << 20));
  const aclrtBinHandle binary = Load("basic_kernels");
  const aclrtFuncHandle function = Function(binary, "add_one");
  EXPECT_OK(aclrtResetDevice(0));
  int32_t id = 0;
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFreeHost(pinned));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent(event));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyContext(context));
  EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyStream(stream));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(stream));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinaryUnLoad(binary));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, Launch(function, nullptr, DataAndCount{memory, 1}));
}

TEST_F(Device, CopyWithMemoryOfADeviceThatWasResetIsRefused) {
  ASSERT_OK(aclrtSetDevice(0));
  void* memory = nullptr;
  ASSERT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_OK(aclrtResetDevice(0));
  ASSERT_OK(aclrtSetDevice(1));
  char host[64] = {};
  EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_NE(ACL_SUCCESS, aclrtMemset(memory, 64, 0, 64));
}

// ---- Again and again ----

TEST_F(Device, CyclesOfSetAndResetLeaveNothing) {
  const auto cycle = [](int i) {
    ASSERT_OK(aclrtSetDevice(0));
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* memory = nullptr;
    void* pinned = nullptr;
    ASSERT_OK(aclrtCreateContext(&context, 0));
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(aclrtCreateEvent(&event));
    ASSERT_OK(aclrtRecordEvent(event, stream));
    ASSERT_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_OK(aclrtMallocHost(&pinned, 1 << 20));
    ASSERT_OK(aclrtMemcpyAsync(memory, 1 << 20, pinned, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ASSERT_OK(Launch(Function(Load("basic_kernels"), "add_one"), stream, DataAndCount{memory, 16}));
    ASSERT_OK(aclrtLaunchHostFunc(stream, [](void*) {}, nullptr));
    if (i % 2 == 0) {
      ASSERT_OK(aclrtSynchronizeDevice());
    }
    ASSERT_OK(i % 3 == 0 ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));
  };
  const forebay::ResourceCounters counters = forebay::Runtime::Counters();
  for (int i = 0; i < 5; ++i) cycle(i);
  const std::size_t threads = EntriesOf("/proc/self/task");
  const std::size_t files = EntriesOf("/proc/self/fd");
  const std::size_t mappings = LinesOf("/proc/self/maps");
  for (int i = 0; i < 50; ++i) cycle(i);
  EXPECT_EQ(threads, EntriesOf("/proc/self/task"));
  EXPECT_EQ(files, EntriesOf("/proc/self/fd"));
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // which map memory of their own
  // The allocator of the host may take a few pieces.
  EXPECT_LE(LinesOf("/proc/self/maps"), mappings + 25);
#else
  static_cast<void>(mappings);
#endif
  EXPECT_EQ(counters, forebay::Runtime::Counters());
}

TEST_F(Device, SetAndResetByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        ASSERT_OK(aclrtSetDevice(t % 2));
        aclrtStream stream = nullptr;
        void* memory = nullptr;
        // The others' resets do not end it: uses are counted.
        ASSERT_OK(aclrtCreateStream(&stream));
        ASSERT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        ASSERT_OK(aclrtMemsetAsync(memory, 4096, 1, 4096, stream));
        ASSERT_OK(aclrtSynchronizeStream(stream));
        ASSERT_OK(aclrtFree(memory));
        ASSERT_OK(aclrtDestroyStream(stream));
        ASSERT_OK(aclrtResetDevice(t % 2));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Device, ForcedResetWhileOtherThreadsWorkEndsInCodes) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  for (int t = 0; t < 2; ++t) {
    workers.emplace_back([&] {
      while (!stop.load()) {
        if (aclrtSetDevice(0) != ACL_SUCCESS) continue;
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        void* memory = nullptr;
        for (int i = 0; i < 20; ++i) {
          aclrtCreateContext(&context, 0);
          aclrtCreateStream(&stream);
          aclrtCreateEvent(&event);
          aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
          aclrtMemsetAsync(memory, 4096, 1, 4096, stream);
          aclrtRecordEvent(event, stream);
          aclrtSynchronizeEvent(event);
          aclrtSynchronizeStream(stream);
          aclrtFree(memory);
          aclrtDestroyEvent(event);
          aclrtDestroyStream(stream);
          aclrtDestroyContext(context);
        }
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    Pause(20);
    aclrtResetDeviceForce(0);
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  aclrtResetDeviceForce(0);
  EXPECT_EQ(forebay::ResourceCounters(), forebay::Runtime::Counters());
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(Device, HostFunctionCannotEndWhatItRunsOn) {
  ASSERT_OK(aclrtSetDevice(0));
  static aclError codes[4];
  const auto end_everything = [](void*) {
    aclrtSetDevice(0);
    codes[0] = aclrtResetDeviceForce(0);
    codes[1] = aclrtSynchronizeDevice();
    codes[2] = aclFinalize();
    aclrtContext context = nullptr;
    aclrtGetCurrentContext(&context);
    codes[3] = aclrtResetDevice(7);
  };
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, end_everything, nullptr));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(nullptr, 20000));
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, codes[0]);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, codes[1]);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, codes[2]);
}

// ---- Two at once ----

TEST_F(Device, TwoWorkAtOnce) {
  std::vector<std::thread> threads;
  for (int32_t id : {0, 1}) {
    threads.emplace_back([id] {
      ASSERT_OK(aclrtSetDevice(id));
      const aclrtFuncHandle add_one = Function(Load("basic_kernels"), "add_one");
      Words words(256);
      std::vector<aclrtStream> streams(4);
      for (aclrtStream& stream : streams) ASSERT_OK(aclrtCreateStream(&stream));
      for (int i = 0; i < 100; ++i) {
        for (std::size_t s = 0; s < streams.size(); ++s) {
          ASSERT_OK(Launch(add_one, streams[s], DataAndCount{static_cast<char*>(words.get()) + s * 256, 64}));
        }
      }
      ASSERT_OK(aclrtSynchronizeDevice());
      for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(100U, words[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Device, ResetOfOneLeavesTheOtherAlone) {
  ASSERT_OK(aclrtSetDevice(0));
  Words words(4);
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtResetDevice(1));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_OK(aclrtMemsetAsync(words.get(), 16, 1, 16, stream));
  EXPECT_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(0x01010101U, words[3]);
}

TEST_F(Device, KernelOfAnotherDeviceIsRefused) {
  ASSERT_OK(aclrtSetDevice(0));
  const aclrtFuncHandle add_one = Function(Load("basic_kernels"), "add_one");
  ASSERT_OK(aclrtSetDevice(1));
  Words words(1);
  EXPECT_CODE(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, Launch(add_one, nullptr, DataAndCount{words.get(), 1}));
}

TEST_F(Device, MemoryIsCopiedBetweenTwo) {
  ASSERT_OK(aclrtSetDevice(0));
  Words from(1024);
  ASSERT_OK(aclrtMemset(from.get(), 4096, 7, 4096));
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtDeviceEnablePeerAccess(0, 0));
  Words to(1024);
  EXPECT_OK(aclrtMemcpy(to.get(), 4096, from.get(), 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_EQ(0x07070707U, to[1023]);
}

TEST_F(Device, PinnedMemoryServesAnotherDeviceToo) {
  ASSERT_OK(aclrtSetDevice(0));
  void* pinned = nullptr;
  ASSERT_OK(aclrtMallocHost(&pinned, 4096));
  std::memset(pinned, 9, 4096);
  ASSERT_OK(aclrtSetDevice(1));
  Words to(1024);
  EXPECT_OK(aclrtMemcpyAsync(to.get(), 4096, pinned, 4096, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(0x09090909U, to[1023]);
  std::memset(pinned, 0, 4096);
  EXPECT_OK(aclrtMemcpyAsync(pinned, 4096, to.get(), 4096, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  EXPECT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(9, static_cast<char*>(pinned)[4095]);
  EXPECT_OK(aclrtFreeHost(pinned));
}

TEST_F(Device, ThreadsThatEndWithOneLeaveNothing) {
  for (int i = 0; i < 200; ++i) {
    InThread([] { ASSERT_OK(aclrtSetDevice(0)); });
  }
  aclrtContext context = nullptr;
  InThread([&] { ASSERT_OK(aclrtCreateContext(&context, 0)); });
  EXPECT_OK(aclrtSetCurrentContext(context));
  EXPECT_OK(aclrtSynchronizeDevice());
  EXPECT_OK(aclrtDestroyContext(context));
}

}  // namespace
}  // namespace conformance
