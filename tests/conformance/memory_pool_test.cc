// Memory pools: who gets what a stream has released, and when.
#include "conformance/memory_pool_fixture.h"

namespace conformance {
namespace {

TEST_F(MemoryPoolTest, MemoryIsThereForWhatIsQueuedNext) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{32} << 10, 3 * kMiB}) {
    void* memory = Take(bytes, stream_);
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % 64);
    EXPECT_OK(aclrtMemsetAsync(memory, bytes, 0, bytes, stream_));
    EXPECT_OK(Launch(add_one_, stream_, DataAndCount{memory, 16}));
    uint32_t value = 0;
    EXPECT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(1u, value);
    EXPECT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  }
  EXPECT_EQ(0u, Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT));
}

TEST_F(MemoryPoolTest, TheSameStreamHasItAgainAtOnce) {
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  for (const std::size_t bytes : {std::size_t{512}, 4 * kMiB}) {
    void* first = Take(bytes, stream_);
    ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
    void* second = Take(bytes, stream_);
    EXPECT_EQ(first, second);
    ASSERT_OK(aclrtMemPoolFreeAsync(second, stream_));
  }
}

TEST_F(MemoryPoolTest, AnotherStreamDoesNotHaveItBeforeItIsSafe) {
  Allow(true, true, false);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  for (const std::size_t bytes : {std::size_t{512}, 4 * kMiB}) {
    void* first = Take(bytes, stream_);
    ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
    EXPECT_NE(first, Take(bytes, other_));
  }
}

TEST_F(MemoryPoolTest, AnEventMakesItSafe) {
  Allow(true, false, false);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  void* late = Take(kMiB, stream_);
  ASSERT_OK(aclrtMemPoolFreeAsync(late, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_, event_));
  EXPECT_EQ(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, AnEventThatIsRecordedAgainDoesNotCountForTheWaitBefore) {
  Allow(true, false, false);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_, event_));
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  EXPECT_NE(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, AWaitThatMayExpireOrdersNothing) {
  Allow(true, false, false);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEventWithTimeout(other_, event_, 60));
  EXPECT_NE(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, EventsAreNotFollowedWhenThePoolIsToldSo) {
  Allow(false, false, false);
  Gate gate;
  ASSERT_OK(gate.Close(stream_));
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtStreamWaitEvent(other_, event_));
  EXPECT_NE(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, AWaitOfTheHostMakesItSafe) {
  Allow(false, false, false);
  Threshold(UINT64_MAX);
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, AWaitForAnEventMakesItSafe) {
  Allow(false, false, false);
  void* first = Released(4 * kMiB);
  ASSERT_OK(aclrtRecordEvent(event_, stream_));
  ASSERT_OK(aclrtSynchronizeEvent(event_));
  EXPECT_EQ(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, WhatHappensToBeDoneIsTakenOnlyWhenAllowed) {
  for (const bool allowed : {false, true}) {
    Allow(false, allowed, false);
    void* first = Take(4 * kMiB, stream_);
    Gate gate;
    ASSERT_OK(aclrtMemsetAsync(first, 4, 1, 4, stream_));
    ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
    ASSERT_OK(gate.Close(stream_));
    gate.WaitUntilReached();
    void* second = Take(4 * kMiB, other_);
    EXPECT_EQ(allowed, first == second);
    ASSERT_OK(aclrtMemPoolFreeAsync(second, other_));
    gate.Open();
    ASSERT_OK(aclrtSynchronizeStream(stream_));
    ASSERT_OK(aclrtSynchronizeStream(other_));
  }
}

TEST_F(MemoryPoolTest, ThePoolMayMakeTheOtherStreamWait) {
  MakeWithRoomForOne();
  Allow(false, false, true);
  Gate gate;
  void* first = Take(4 * kMiB, stream_);
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(aclrtMemsetAsync(first, 4 * kMiB, 1, 4 * kMiB, stream_));
  ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
  void* second = Take(4 * kMiB, other_);
  EXPECT_EQ(first, second);
  ASSERT_OK(aclrtMemsetAsync(second, 4 * kMiB, 2, 4 * kMiB, other_));
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  ASSERT_OK(aclrtStreamQuery(other_, &status));
  EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
  gate.Open();
  ASSERT_OK(aclrtSynchronizeStream(other_));
  unsigned char byte = 0;
  ASSERT_OK(aclrtMemcpy(&byte, 1, second, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(2, byte);
}

TEST_F(MemoryPoolTest, AFailureOfTheOneStreamIsNoneOfTheOthers) {
  MakeWithRoomForOne();
  Allow(false, false, true);
  Gate gate;
  void* first = Take(4 * kMiB, stream_);
  ASSERT_OK(gate.Close(stream_));
  ASSERT_OK(LaunchTrap(stream_));
  ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
  EXPECT_EQ(first, Take(4 * kMiB, other_));
  gate.Open();
  EXPECT_OK(aclrtSynchronizeStream(other_));
  EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream_));
}

TEST_F(MemoryPoolTest, AStreamMayBeDestroyedWithReleasesUnderWay) {
  Allow(false, false, false);
  void* first = Take(4 * kMiB, other_);
  ASSERT_OK(aclrtMemPoolFreeAsync(first, other_));
  ASSERT_OK(aclrtDestroyStream(other_));
  EXPECT_EQ(first, Take(4 * kMiB, stream_));
}

TEST_F(MemoryPoolTest, AnAbortedStreamReleasesToo) {
  Allow(false, true, false);
  Gate gate;
  ASSERT_OK(gate.Close(other_));
  void* first = Take(4 * kMiB, other_);
  ASSERT_OK(aclrtMemPoolFreeAsync(first, other_));
  gate.WaitUntilReached();
  gate.Open();
  ASSERT_OK(aclrtStreamAbort(other_));
  EXPECT_EQ(first, Take(4 * kMiB, stream_));
}

TEST_F(MemoryPoolTest, AWaitOfTheHostGivesBackWhatExceedsTheThreshold) {
  const auto cycle = [&] {
    void* memory = Take(20 * kMiB, stream_);
    ASSERT_OK(aclrtMemPoolFreeAsync(memory, stream_));
    ASSERT_OK(aclrtSynchronizeStream(stream_));
  };
  cycle();
  EXPECT_EQ(0u, Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT));
  EXPECT_GE(Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 20 * kMiB);
  Threshold(UINT64_MAX);
  cycle();
  EXPECT_GE(Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 20 * kMiB);
  Threshold(8 * kMiB);
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(8 * kMiB, Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT));
}

TEST_F(MemoryPoolTest, TrimmingKeepsWhatIsToBeKeptAndWhatIsUsed) {
  Threshold(UINT64_MAX);
  void* used = Take(2 * kMiB, stream_);
  void* memory = Take(30 * kMiB, stream_);
  ASSERT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  ASSERT_OK(aclrtSynchronizeStream(stream_));
  ASSERT_OK(aclrtMemPoolTrimTo(pool_, 10 * kMiB));
  EXPECT_EQ(10 * kMiB, Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT));
  ASSERT_OK(aclrtMemPoolTrimTo(pool_, 0));
  EXPECT_EQ(2 * kMiB, Get(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT));
  EXPECT_OK(aclrtMemset(used, 2 * kMiB, 1, 2 * kMiB));
}

TEST_F(MemoryPoolTest, TheMaximumHolds) {
  MakeWithRoomForOne();
  void* memory = Untouched<void*>();
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&memory, 5 * kMiB, pool_, stream_));
  EXPECT_TRUE(IsUntouched(memory));
  void* first = Take(3 * kMiB, stream_);
  EXPECT_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&memory, 3 * kMiB, pool_, stream_));
  ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
  EXPECT_EQ(first, Take(3 * kMiB, stream_));
}

// What a stream has still to release is waited for before there is said to be nothing.
TEST_F(MemoryPoolTest, AnAllocationWaitsForWhatIsAboutToBeReleased) {
  MakeWithRoomForOne();
  Allow(false, false, false);
  void* first = Take(4 * kMiB, stream_);
  ASSERT_OK(aclrtMemsetAsync(first, 4 * kMiB, 1, 4 * kMiB, stream_));
  ASSERT_OK(aclrtMemPoolFreeAsync(first, stream_));
  EXPECT_EQ(first, Take(4 * kMiB, other_));
}

TEST_F(MemoryPoolTest, FiguresAndSwitchesAreWhatTheyAreSetTo) {
  void* memory = Take(100, stream_);
  EXPECT_GE(Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 100u);
  EXPECT_LT(Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 4096u);
  ASSERT_OK(aclrtMemPoolFreeAsync(memory, stream_));
  EXPECT_EQ(0u, Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT));
  EXPECT_GE(Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 100u);
  uint64_t zero = 0;
  EXPECT_OK(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &zero));
  EXPECT_EQ(0u, Get(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH));
  for (const auto name : {ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC,
                          ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES}) {
    uint32_t value = 7;
    EXPECT_OK(aclrtMemPoolGetAttr(pool_, name, &value));
    EXPECT_EQ(1u, value);
    Switch(name, 0);
    EXPECT_OK(aclrtMemPoolGetAttr(pool_, name, &value));
    EXPECT_EQ(0u, value);
    value = 2;
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolSetAttr(pool_, name, &value));
  }
  EXPECT_EQ(0u, Get(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD));
  uint64_t one = 1;
  for (const auto name : {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH,
                          ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT}) {
    EXPECT_CODE(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolSetAttr(pool_, name, &one));
  }
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemPoolSetAttr(pool_, NoSuch<aclrtMemPoolAttr>(99), &one));
  EXPECT_CODE(ACL_ERROR_INVALID_PARAM, aclrtMemPoolGetAttr(pool_, NoSuch<aclrtMemPoolAttr>(0), &one));
}

// The traps: every address that is not what it should be.
TEST_F(MemoryPoolTest, AttributesOfTheAddressAreKnown) {
  void* memory = Take(3 * kMiB, stream_);
  void* base = nullptr;
  std::size_t bytes = 0;
  EXPECT_OK(aclrtMemGetAddressRange(static_cast<char*>(memory) + kMiB, &base, &bytes));
  EXPECT_EQ(memory, base);
  EXPECT_EQ(3 * kMiB, bytes);
  aclrtPtrAttributes attributes{};
  EXPECT_OK(aclrtPointerGetAttributes(memory, &attributes));
  EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, attributes.location.type);
}

}  // namespace
}  // namespace conformance
