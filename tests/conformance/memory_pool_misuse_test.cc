// Memory pools: what is refused, and what ends while others use it.
#include <atomic>
#include <thread>

#include "conformance/memory_pool_fixture.h"

namespace conformance {
namespace {

using MemoryPoolMisuse = MemoryPoolTest;

TEST_F(MemoryPoolMisuse, BadPropertiesAreRefused) {
  aclrtMemPool pool = Untouched<aclrtMemPool>();
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemPoolCreate(nullptr, nullptr));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemPoolCreate(&pool, nullptr));
  const auto refuse = [&](aclError code, auto change) {
    aclrtMemPoolProps properties = PoolProperties();
    change(properties);
    EXPECT_CODE(code, aclrtMemPoolCreate(&pool, &properties));
    EXPECT_TRUE(IsUntouched(pool));
  };
  refuse(ACL_ERROR_RT_PARAM_INVALID, [](auto& p) { p.allocType = NoSuch<aclrtMemAllocationType>(9); });
  refuse(ACL_ERROR_RT_PARAM_INVALID, [](auto& p) { p.handleType = NoSuch<aclrtMemHandleType>(9); });
  refuse(ACL_ERROR_RT_PARAM_INVALID, [](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_HOST; });
  refuse(ACL_ERROR_RT_PARAM_INVALID, [](auto& p) { p.reserved[31] = 1; });
  refuse(ACL_ERROR_RT_INVALID_DEVICEID, [](auto& p) { p.location.id = 99; });
}

TEST_F(MemoryPoolMisuse, OnlyWhatWasTakenIsReleasedAndOnlyOnce) {
  void* small = Take(1000, stream_);
  void* memory = Take(3 * kMiB, stream_);
  int here = 0;
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemPoolFreeAsync(nullptr, stream_));
  for (void* wrong :
       {static_cast<void*>(&here), memory_, pinned_, static_cast<void*>(static_cast<char*>(memory) + kMiB),
        static_cast<void*>(static_cast<char*>(small) + 1), static_cast<void*>(static_cast<char*>(memory) + 3 * kMiB)}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(wrong, stream_));
  }
  Messages();
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(memory));
  EXPECT_NE(std::string::npos, Messages().find("aclrtMemPoolFreeAsync"));
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_FREE, aclrtFree(small));
  ASSERT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(memory, stream_));
  ASSERT_OK(aclrtMemPoolFreeAsync(small, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(small, stream_));
}

TEST_F(MemoryPoolMisuse, SizesThatCannotBeAreRefused) {
  void* memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolMallocAsync(&memory, 0, pool_, stream_));
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 2 * kMiB, SIZE_MAX / 2 + 1}) {
    EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&memory, bytes, pool_, stream_));
  }
  EXPECT_TRUE(IsUntouched(memory));
}

TEST_F(MemoryPoolMisuse, WhatADestroyedPoolGaveStaysUntilItIsReleased) {
  void* memory = Take(3 * kMiB, stream_);
  ASSERT_OK(aclrtMemPoolDestroy(pool_));
  EXPECT_OK(aclrtMemset(memory, 3 * kMiB, 1, 3 * kMiB));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemPoolMallocAsync(&memory, 1, pool_, stream_));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemPoolDestroy(pool_));
  EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(memory, stream_));
}

TEST_F(MemoryPoolMisuse, WhatIsTakenWhileAnotherThreadDestroysThePoolIsThere) {
  for (int round = 0; round < 50; ++round) {
    aclrtMemPool pool = MakePool();
    std::atomic<bool> begun{false};
    std::vector<void*> blocks;
    std::thread taker([&] {
      ASSERT_OK(aclrtSetDevice(0));
      void* block = nullptr;
      while (aclrtMemPoolMallocAsync(&block, 64, pool, nullptr) == ACL_SUCCESS) {
        blocks.push_back(block);
        begun = true;
      }
      begun = true;
    });
    while (!begun) std::this_thread::yield();
    ASSERT_OK(aclrtMemPoolDestroy(pool));
    taker.join();
    for (void* block : blocks) {
      EXPECT_OK(aclrtMemset(block, 64, 1, 64));
      EXPECT_OK(aclrtMemPoolFreeAsync(block, nullptr));
    }
  }
}

TEST_F(MemoryPoolMisuse, OfTwoThreadsThatReleaseABlockOneDoes) {
  for (int round = 0; round < 500; ++round) {
    void* block = Take(1000, stream_);
    std::atomic<int> ready{0}, released{0};
    const auto release = [&] {
      EXPECT_OK(aclrtSetDevice(0));
      ++ready;
      while (ready < 2) std::this_thread::yield();
      const aclError code = aclrtMemPoolFreeAsync(block, nullptr);
      EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID) << code;
      released += code == ACL_SUCCESS ? 1 : 0;
    };
    std::thread other(release);
    release();
    other.join();
    EXPECT_EQ(1, released);
  }
}

TEST_F(MemoryPoolMisuse, AStreamOfAnotherDeviceIsRefused) {
  aclrtMemPoolProps properties = PoolProperties();
  properties.location.id = 1;
  aclrtMemPool pool = nullptr;
  ASSERT_OK(aclrtSetDevice(1));
  ASSERT_OK(aclrtMemPoolCreate(&pool, &properties));
  void* there = nullptr;
  ASSERT_OK(aclrtMemPoolMallocAsync(&there, 64, pool, nullptr));
  ASSERT_OK(aclrtSetDevice(0));
  void* memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemPoolMallocAsync(&memory, 64, pool, stream_));
  EXPECT_TRUE(IsUntouched(memory));
  EXPECT_CODE(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemPoolFreeAsync(there, stream_));
}

TEST_F(MemoryPoolMisuse, AResetTakesPoolsWithIt) {
  void* memory = Take(3 * kMiB, stream_);
  ASSERT_OK(aclrtResetDeviceForce(0));
  ASSERT_OK(aclrtSetDevice(0));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemPoolTrimTo(pool_, 0));
  EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(memory, nullptr));
  EXPECT_CODE(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemPoolDestroy(pool_));
}

}  // namespace
}  // namespace conformance
