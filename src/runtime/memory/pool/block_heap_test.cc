#include "memory/pool/block_heap.h"

#include <gtest/gtest.h>

#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kBase = uint64_t{1} << 40, kUnit = 512;

class BlockHeapTest : public testing::Test {
 protected:
  uint64_t Take(uint64_t bytes, uint32_t stream = kNoStream, uint64_t alignment = kUnit) {
    BlockHeap::Taken got;
    const BlockHeap::Want want{bytes, alignment, stream};
    if (!heap.TakeOwn(want, &got)) heap.TakeOther(want, policy, &got);
    return got.address;
  }
  void Release(uint64_t address, const StreamMoment& moment = {}) { heap.Release(heap.FindStart(address), moment); }

  TestStreams streams;
  AddressIndex addresses{kUnit};
  BlockHeap heap{streams, addresses, 9};
  ReusePolicy policy;
};

TEST_F(BlockHeapTest, TakesTheBestFitAndTheFrontierLast) {
  ASSERT_TRUE(heap.AddRange({kBase, 64 * kMiB}));
  const uint64_t first = Take(4 * kMiB), second = Take(kMiB), third = Take(2 * kMiB), fourth = Take(kMiB);
  ASSERT_EQ(fourth, kBase + 7 * kMiB);
  Release(first);
  Release(third);
  EXPECT_EQ(Take(kMiB + kMiB / 2), third);
  EXPECT_EQ(Take(3 * kMiB), first);
  EXPECT_EQ(Take(kMiB / 2), third + kMiB + kMiB / 2);
  EXPECT_EQ(Take(8 * kMiB), fourth + kMiB) << "nothing else fits";
  EXPECT_EQ(heap.free_bytes(), kMiB + 48 * kMiB);
  EXPECT_EQ(second, kBase + 4 * kMiB);
}

TEST_F(BlockHeapTest, NeighboursJoinWhateverTheOrder) {
  ASSERT_TRUE(heap.AddRange({kBase, 3 * kMiB}));
  for (const auto& order : {std::array{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    std::array<uint64_t, 3> blocks;
    for (uint64_t& block : blocks) block = Take(kMiB);
    for (const int i : order) Release(blocks[static_cast<std::size_t>(i)]);
    EXPECT_EQ(heap.largest_free(), 3 * kMiB);
    EXPECT_EQ(heap.block_count(), 1U);
  }
}

TEST_F(BlockHeapTest, NeighboursOfDifferentStreamsServeWhoComesAfterBoth) {
  policy = {true, false, false};
  ASSERT_TRUE(heap.AddRange({kBase, 4 * kMiB}));
  uint64_t blocks[4];
  for (uint64_t& block : blocks) block = Take(kMiB, 0);
  Release(blocks[1], streams.Submit(0));
  Release(blocks[2], streams.Submit(1));
  EXPECT_EQ(Take(2 * kMiB, 0), 0U);
  EXPECT_EQ(Take(2 * kMiB, 2), 0U);
  streams.Event(1, 0);
  EXPECT_EQ(Take(kMiB + kMiB / 2, 0), blocks[1]);
  EXPECT_EQ(Take(kMiB / 2, 2), 0U) << "the rest still belongs to the other stream";
  EXPECT_EQ(Take(kMiB / 2, 1), blocks[2] + kMiB / 2);
}

TEST_F(BlockHeapTest, SmallReleasesDoNotTakeLargeBlocksFromEverybody) {
  policy = {false, false, false};
  ASSERT_TRUE(heap.AddRange({kBase, 32 * kMiB}));
  const uint64_t large = Take(16 * kMiB), small = Take(kMiB, 1);
  ASSERT_NE(Take(15 * kMiB), 0U);
  Release(large);
  Release(small, streams.Submit(1));
  EXPECT_EQ(Take(16 * kMiB, 2), large);
  Release(large);
  EXPECT_EQ(Take(17 * kMiB, 1), large) << "its own stream gets both";
}

TEST_F(BlockHeapTest, WhatAStreamCameAfterWhenItGotABlockJoinsIt) {
  policy = {true, false, false};
  ASSERT_TRUE(heap.AddRange({kBase, 10 * kMiB}));
  const uint64_t first = Take(10 * kMiB, 0);
  Release(first, streams.Submit(0));
  streams.Event(0, 1);
  ASSERT_EQ(Take(8 * kMiB, 1), first);
  Release(first, streams.Submit(1));
  EXPECT_EQ(heap.block_count(), 1U) << "the rest, of stream 0, is not waited for any more";
  EXPECT_EQ(Take(8 * kMiB, 0), 0U);
  ASSERT_EQ(Take(8 * kMiB, 1), first);
  streams.Event(1, 2);
  Release(first, streams.Submit(2));
  EXPECT_EQ(heap.block_count(), 2U) << "another stream released it, which may not come after the rest";
}

TEST_F(BlockHeapTest, AlignedBlocksLeaveTheirLeadFree) {
  ASSERT_TRUE(heap.AddRange({kBase, 4 * kMiB}));
  ASSERT_EQ(Take(kUnit), kBase);
  EXPECT_EQ(Take(256 * kKiB, kNoStream, 256 * kKiB), kBase + 256 * kKiB);
  EXPECT_EQ(Take(255 * kKiB), kBase + kUnit);
}

TEST_F(BlockHeapTest, GrowsInPlaceWithAllUsableBlocksAtTheEnd) {
  policy = {true, false, false};
  ASSERT_TRUE(heap.AddRange({kBase, 8 * kMiB}));
  const uint64_t first = Take(6 * kMiB, 0);
  Release(first, streams.Submit(0));
  const BlockHeap::Want want{12 * kMiB, kUnit, 0};
  ASSERT_EQ(Take(12 * kMiB, 0), 0U);
  const BlockHeap::Growth growth = heap.BeginGrowth(want);
  EXPECT_EQ(growth.after, kBase + 8 * kMiB);
  EXPECT_EQ(growth.held_bytes, 8 * kMiB);
  EXPECT_EQ(Take(kMiB, 0), 0U) << "held";
  const BlockIndex block = heap.FinishGrowth(growth, {growth.after, 6 * kMiB}, want);
  ASSERT_NE(block, kNoBlock);
  EXPECT_EQ(heap[block].address, kBase);
  EXPECT_EQ(heap.free_bytes(), 2 * kMiB);
}

TEST_F(BlockHeapTest, CancelledGrowthChangesNothing) {
  ASSERT_TRUE(heap.AddRange({kBase, 8 * kMiB}));
  heap.CancelGrowth(heap.BeginGrowth({12 * kMiB, kUnit, 0}));
  EXPECT_EQ(heap.free_bytes(), 8 * kMiB);
  EXPECT_EQ(Take(8 * kMiB, 0), kBase);
}

// Another thread grows at the same time, and its memory comes to lie behind what is held.
TEST_F(BlockHeapTest, CancelledGrowthJoinsWhatBecameFreeMeanwhile) {
  ASSERT_TRUE(heap.AddRange({kBase, 8 * kMiB}));
  const BlockHeap::Growth growth = heap.BeginGrowth({12 * kMiB, kUnit, 0});
  ASSERT_EQ(growth.held_bytes, 8 * kMiB);
  ASSERT_TRUE(heap.AddRange({growth.after, 8 * kMiB}));
  heap.CancelGrowth(growth);
  EXPECT_EQ(heap.block_count(), 1U);
  EXPECT_EQ(Take(16 * kMiB, 0), kBase);
}

TEST_F(BlockHeapTest, RemovesWholePagesOfPassedBlocksOnly) {
  constexpr uint64_t kPage = 2 * kMiB;
  ASSERT_TRUE(heap.AddRange({kBase, 16 * kMiB}));
  const uint64_t first = Take(5 * kMiB, 0), second = Take(6 * kMiB, 1);
  ASSERT_NE(Take(5 * kMiB, 2), 0U);
  Release(first, streams.Submit(0));
  Release(second, streams.Submit(1));
  BlockHeap::Ranges ranges;
  EXPECT_EQ(heap.RemovePages(kPage, 100 * kMiB, false, ranges), 0U);
  streams.Synchronise(1);
  ASSERT_EQ(heap.RemovePages(kPage, 100 * kMiB, false, ranges), 1U);
  EXPECT_EQ(ranges[0].address, kBase + 6 * kMiB);
  EXPECT_EQ(ranges[0].bytes, 4 * kMiB);
  EXPECT_EQ(heap.free_bytes(), 5 * kMiB + 2 * kMiB);
  EXPECT_EQ(heap.FindContaining(kBase + 7 * kMiB), kNoBlock);
  EXPECT_EQ(heap[heap.FindContaining(kBase + 10 * kMiB + 5)].bytes, kMiB);
}

TEST_F(BlockHeapTest, FindsTheBlockAroundAnAddress) {
  ASSERT_TRUE(heap.AddRange({kBase, uint64_t{20} << 30}));
  const uint64_t large = Take(uint64_t{9} << 30), small = Take(kUnit);
  EXPECT_EQ(heap[heap.FindContaining(large + (uint64_t{8} << 30) + 3)].address, large);
  EXPECT_EQ(heap[heap.FindContaining(small + 511)].address, small);
  EXPECT_EQ(heap.FindContaining(kBase - 1), kNoBlock);
  EXPECT_EQ(heap.FindContaining(kBase + (uint64_t{20} << 30)), kNoBlock);
  EXPECT_EQ(heap.FindContaining(~uint64_t{0}), kNoBlock);
  EXPECT_EQ(heap.FindStart(small + 1), kNoBlock);
  EXPECT_EQ(heap.All().size(), 3U);
}

}  // namespace
}  // namespace forebay::runtime
