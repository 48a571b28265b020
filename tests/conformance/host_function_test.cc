// Host functions.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "conformance/support.h"

namespace conformance {
namespace {

class HostFunction : public WithDevice {};

TEST_F(HostFunction, RunsInOrderWithTheWorkOfItsStream) {
  static uint32_t seen;
  static void* memory;
  ASSERT_OK(aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
  void* pinned = nullptr;
  ASSERT_OK(aclrtMallocHost(&pinned, 4));
  seen = 0;
  ASSERT_OK(aclrtMemsetAsync(memory, 4, 7, 4, nullptr));
  ASSERT_OK(aclrtMemcpyAsync(pinned, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  ASSERT_OK(aclrtLaunchHostFunc(
      nullptr,
      [](void* source) {
        std::memcpy(&seen, source, 4);
        std::memset(source, 9, 4);
      },
      pinned));
  ASSERT_OK(aclrtMemcpyAsync(memory, 4, pinned, 4, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(0x07070707U, seen);
  uint32_t value = 0;
  ASSERT_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(0x09090909U, value);
}

TEST_F(HostFunction, NullIsRefused) {
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchHostFunc(nullptr, nullptr, nullptr));
  InThread([] { EXPECT_CODE(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchHostFunc(nullptr, [](void*) {}, nullptr)); });
}

TEST_F(HostFunction, ManyOfOneStreamRunInOrder) {
  static std::atomic<int> next;
  static std::atomic<bool> in_order;
  next = 0;
  in_order = true;
  static int numbers[1000];
  for (int i = 0; i < 1000; ++i) {
    numbers[i] = i;
    ASSERT_OK(aclrtLaunchHostFunc(
        nullptr, [](void* number) { in_order = in_order && next++ == *static_cast<int*>(number); }, &numbers[i]));
  }
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(in_order.load());
  EXPECT_EQ(1000, next.load());
}

TEST_F(HostFunction, RunsInAnotherThreadThanTheCallers) {
  static std::thread::id thread;
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, [](void*) { thread = std::this_thread::get_id(); }, nullptr));
  ASSERT_OK(aclrtSynchronizeDevice());
  EXPECT_NE(std::this_thread::get_id(), thread);
}

TEST_F(HostFunction, ThatBlocksHoldsUpItsOwnStreamOnly) {
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  Gate gate;
  ASSERT_OK(gate.Close(stream));
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, [](void*) {}, nullptr));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(nullptr, 20000));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(stream));
}

std::ptrdiff_t ThreadCount() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST_F(HostFunction, ThreadsEndWhenThereIsNothingToDo) {
  constexpr std::size_t kStreams = 40;
  std::vector<aclrtStream> streams(kStreams);
  std::list<Gate> gates;
  for (aclrtStream& stream : streams) {
    ASSERT_OK(aclrtCreateStream(&stream));
    ASSERT_OK(gates.emplace_back().Close(stream));
  }
  for (Gate& gate : gates) gate.WaitUntilReached();
  const std::ptrdiff_t blocked = ThreadCount();
  for (Gate& gate : gates) gate.Open();
  // They end some time after the last function; all but one.
  while (ThreadCount() > blocked - static_cast<std::ptrdiff_t>(kStreams) + 2) std::this_thread::yield();
  for (const aclrtStream stream : streams) {
    Gate gate;
    ASSERT_OK(gate.Close(stream));
    gate.WaitUntilReached();
    gate.Open();
    ASSERT_OK(aclrtDestroyStream(stream));
  }
}

TEST_F(HostFunction, WaitForItsOwnStreamIsRefused) {
  static aclError codes[3];
  static aclrtContext context;
  ASSERT_OK(aclrtGetCurrentContext(&context));
  ASSERT_OK(aclrtLaunchHostFunc(
      nullptr,
      [](void*) {
        codes[0] = aclrtSetCurrentContext(context);
        codes[1] = aclrtSynchronizeStream(nullptr);
        codes[2] = aclrtSynchronizeStreamWithTimeout(nullptr, 1000);
      },
      nullptr));
  EXPECT_OK(aclrtSynchronizeStreamWithTimeout(nullptr, 20000));
  EXPECT_EQ(ACL_SUCCESS, codes[0]);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, codes[1]);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, codes[2]);
}

TEST_F(HostFunction, RunsAfterAFailureUnlessTheContextStopped) {
  static std::atomic<int> runs;
  runs = 0;
  const aclrtFuncHandle trap = Function(Load("fault_kernels"), "trap");
  aclrtArgsHandle list = nullptr;
  ASSERT_OK(aclrtKernelArgsInit(trap, &list));
  ASSERT_OK(aclrtKernelArgsFinalize(list));
  const auto count = [](void*) { ++runs; };
  ASSERT_OK(aclrtLaunchKernelWithConfig(trap, 1, nullptr, nullptr, list, nullptr));
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, count, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(1, runs.load());
  aclrtStream stream = nullptr;
  ASSERT_OK(aclrtCreateStream(&stream));
  ASSERT_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  Gate gate;
  ASSERT_OK(gate.Close(stream));
  ASSERT_OK(aclrtLaunchKernelWithConfig(trap, 1, stream, nullptr, list, nullptr));
  ASSERT_OK(aclrtLaunchHostFunc(stream, count, nullptr));
  gate.Open();
  EXPECT_CODE(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
  EXPECT_EQ(1, runs.load());
}

TEST_F(HostFunction, DroppedByAnAbortDoesNotRun) {
  NEEDS_STOPPABLE_KERNELS();
  static std::atomic<int> runs;
  runs = 0;
  Words flag(1);
  struct {
    void* flag;
    uint32_t value;
  } wait{flag.get(), 1};
  ASSERT_OK(Launch(Function(Load("basic_kernels"), "wait_flag"), nullptr, wait));
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, [](void*) { ++runs; }, nullptr));
  ASSERT_OK(aclrtStreamAbort(nullptr));
  ASSERT_OK(aclrtLaunchHostFunc(nullptr, [](void*) { runs += 10; }, nullptr));
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(10, runs.load());
}

TEST_F(HostFunction, QueuedByManyThreads) {
  static std::atomic<int> runs;
  runs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      ASSERT_OK(aclrtSetDevice(0));
      for (int i = 0; i < 500; ++i) ASSERT_OK(aclrtLaunchHostFunc(nullptr, [](void*) { ++runs; }, nullptr));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(2000, runs.load());
}

}  // namespace
}  // namespace conformance
