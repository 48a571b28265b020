#include "memory/pool/heap.h"

#include <gtest/gtest.h>

#include <optional>

#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

class HeapTest : public testing::Test {
 protected:
  HeapTest() { Make({}); }
  ~HeapTest() override { EXPECT_EQ(pages.broken, ""); }
  void Make(const HeapOptions& options) {
    heap.reset();
    heap.emplace(pages, streams, options);
  }
  uint64_t Allocate(uint64_t bytes, uint32_t stream = kNoStream) {
    const Result<HeapGrant> grant = heap->Allocate({bytes, 0, stream});
    if (!grant.ok()) {
      EXPECT_EQ(grant.code(), Code::kMemoryAllocation);
      return 0;
    }
    if (grant->wait_for.slot != kNoStream) streams.Wait(stream, grant->wait_for);
    return grant->address;
  }
  Freed Free(uint64_t address) { return heap->Free(address).outcome; }

  TestStreams streams;
  TestPages pages;
  std::optional<Heap> heap;
};

constexpr uint64_t kSizes[] = {1, 511, 512, 513, 4096, 32 * kKiB, 32 * kKiB + 1, kMiB, 3 * kMiB + 5};

TEST_F(HeapTest, BlocksAreAlignedApartAndLargeEnough) {
  std::map<uint64_t, uint64_t> blocks;
  for (int round = 0; round < 50; ++round) {
    for (const uint64_t bytes : kSizes) {
      const uint64_t address = Allocate(bytes);
      ASSERT_NE(address, 0U);
      EXPECT_EQ(address % 512, 0U);
      const auto after = blocks.emplace(address, bytes).first;
      EXPECT_TRUE(after == blocks.begin() || std::prev(after)->first + std::prev(after)->second <= address);
      EXPECT_TRUE(std::next(after) == blocks.end() || address + bytes <= std::next(after)->first);
    }
  }
  for (const auto& [address, bytes] : blocks) EXPECT_EQ(heap->Free(address).outcome, Freed::kOk) << bytes;
  EXPECT_EQ(heap->statistics().blocks, 0U);
}

TEST_F(HeapTest, WrongPointersAreToldApart) {
  for (const uint64_t bytes : {uint64_t{1000}, 20 * kKiB, 3 * kMiB}) {
    const uint64_t address = Allocate(bytes), guard = Allocate(bytes);
    EXPECT_EQ(Free(address + 1), Freed::kInterior);
    const FreeResult interior = heap->Free(address + 512);
    EXPECT_EQ(interior.outcome, Freed::kInterior);
    EXPECT_EQ(interior.block, address);
    EXPECT_GE(interior.bytes, bytes);
    EXPECT_EQ(Free(address), Freed::kOk);
    EXPECT_EQ(Free(address), Freed::kAlreadyFree);
    EXPECT_EQ(Free(address + 1), Freed::kAlreadyFree);
    EXPECT_EQ(Free(guard), Freed::kOk);
  }
  int on_host = 0;
  EXPECT_EQ(Free(reinterpret_cast<uint64_t>(&on_host)), Freed::kNotABlock);
  EXPECT_EQ(Free(0), Freed::kNotABlock);
  EXPECT_EQ(Free(~uint64_t{0}), Freed::kNotABlock);
  Heap other(pages, streams, {});
  const uint64_t foreign = other.Allocate({kMiB})->address, small = other.Allocate({64})->address;
  EXPECT_EQ(Free(foreign), Freed::kNotABlock);
  EXPECT_EQ(Free(small), Freed::kNotABlock);
}

TEST_F(HeapTest, OnePastTheEndIsNotTheBlock) {
  Make({.growth_bytes = 0});
  const uint64_t address = Allocate(2 * kMiB);
  EXPECT_EQ(Free(address + 2 * kMiB), Freed::kNotABlock);
  EXPECT_EQ(Free(address), Freed::kOk);
}

TEST_F(HeapTest, SecondFreeIsDetectedAfterNeighboursJoined) {
  const uint64_t first = Allocate(kMiB), second = Allocate(kMiB);
  EXPECT_EQ(Free(first), Freed::kOk);
  EXPECT_EQ(Free(second), Freed::kOk);
  EXPECT_EQ(Free(second), Freed::kAlreadyFree);
  EXPECT_EQ(Free(first), Freed::kAlreadyFree);
  const uint64_t stream_freed = Allocate(1000, 1);
  EXPECT_EQ(heap->Free(stream_freed, streams.Submit(1)).outcome, Freed::kOk);
  EXPECT_EQ(Free(stream_freed), Freed::kAlreadyFree);
}

TEST_F(HeapTest, AbsurdSizesAreRefused) {
  for (const uint64_t bytes :
       {~uint64_t{0}, ~uint64_t{0} - 31, ~uint64_t{0} - 2 * kMiB, uint64_t{1} << 63, uint64_t{1} << 48}) {
    EXPECT_EQ(Allocate(bytes), 0U) << bytes;
    EXPECT_EQ(heap->Allocate({1, bytes, 2}).code(), Code::kMemoryAllocation);
  }
  EXPECT_EQ(pages.calls, 0U);
  EXPECT_NE(Allocate(0), 0U);
}

TEST_F(HeapTest, MaximumHoldsAndTheFailureNamesTheNumbers) {
  Make({.growth_bytes = 64 * kMiB, .maximum_bytes = 10 * kMiB});
  const uint64_t first = Allocate(7 * kMiB);
  ASSERT_NE(first, 0U);
  EXPECT_EQ(pages.reserved, 10 * kMiB);
  const Result<HeapGrant> failed = heap->Allocate({4 * kMiB});
  ASSERT_FALSE(failed.ok());
  const std::string text = failed.status().ToString();
  for (const char* number : {"4194304", "10485760", "3145728"}) EXPECT_NE(text.find(number), std::string::npos) << text;
  EXPECT_EQ(heap->statistics().free_bytes, 3 * kMiB);
  EXPECT_NE(Allocate(3 * kMiB - 1024), 0U);
  const uint64_t small = Allocate(100);
  EXPECT_NE(small, 0U) << "no span fits, but the block does";
  EXPECT_NE(Allocate(512), 0U);
  EXPECT_EQ(Allocate(1), 0U);
  EXPECT_EQ(Free(small), Freed::kOk);
  EXPECT_EQ(Free(small), Freed::kAlreadyFree);
  EXPECT_EQ(Free(first), Freed::kOk);
}

TEST_F(HeapTest, StatisticsAreExact) {
  const uint64_t small = Allocate(1000), large = Allocate(kMiB + 1);
  HeapStatistics statistics = heap->statistics();
  EXPECT_EQ(statistics.requested.now, 1000 + kMiB + 1);
  EXPECT_EQ(statistics.used.now, 1024 + kMiB + 512);
  EXPECT_EQ(statistics.blocks, 2U);
  EXPECT_EQ(statistics.reserved.now, pages.reserved);
  EXPECT_EQ(heap->Free(large, streams.Submit(1)).outcome, Freed::kOk);
  statistics = heap->statistics();
  EXPECT_EQ(statistics.requested.now, 1000U);
  EXPECT_EQ(statistics.used.now, 1024U);
  EXPECT_EQ(statistics.used.peak, 1024 + kMiB + 512);
  EXPECT_GE(statistics.active.now, 1024 + kMiB + 512) << "a stream may still use it";
  heap->ResetPeaks();
  EXPECT_EQ(heap->statistics().used.peak, 1024U);
  EXPECT_EQ(Free(small), Freed::kOk);
  EXPECT_EQ(heap->statistics().used.now, 0U);
  EXPECT_EQ(heap->statistics().used.peak, 1024U);
}

TEST_F(HeapTest, WhatIsRefusedIsNoPeak) {
  pages.refuse_from = 1;
  Make({.growth_bytes = ~uint64_t{0} / 2, .maximum_bytes = 64 * kMiB});
  EXPECT_NE(Allocate(kMiB), 0U);
  EXPECT_EQ(heap->statistics().reserved.peak, 64 * kMiB);
  Make({});
  EXPECT_EQ(Allocate(128 * kMiB), 0U);
  EXPECT_EQ(heap->statistics().reserved.peak, 0U);
}

TEST_F(HeapTest, FindKnowsBlocksByAnyOfTheirBytes) {
  const uint64_t small = Allocate(1000), large = Allocate(3 * kMiB);
  EXPECT_EQ(heap->Find(small + 1023)->address, small);
  EXPECT_EQ(heap->Find(small)->requested, 1000U);
  EXPECT_EQ(heap->Find(large + 2 * kMiB)->address, large);
  EXPECT_TRUE(heap->Find(large)->is_live);
  EXPECT_EQ(heap->Free(large, streams.Submit(3)).outcome, Freed::kOk);
  EXPECT_FALSE(heap->Find(large)->is_live);
  EXPECT_EQ(heap->Find(large)->moment.slot, 3U);
  EXPECT_FALSE(heap->Find(64));
}

TEST_F(HeapTest, OrderOfReuseBetweenStreams) {
  Make({.remap_bytes = 0, .opportunistic = false, .insert_waits = false});
  const uint64_t block = Allocate(4 * kMiB, 0);
  EXPECT_EQ(heap->Free(block, streams.Submit(0)).outcome, Freed::kOk);
  EXPECT_NE(Allocate(4 * kMiB, 1), block);
  streams.Event(0, 1);
  EXPECT_EQ(Allocate(4 * kMiB, 1), block);
  EXPECT_EQ(heap->Free(block, streams.Submit(1)).outcome, Freed::kOk);
  streams.done[1] = 1;
  EXPECT_NE(Allocate(4 * kMiB, 2), block);
  heap->SetReusePolicy({true, true, false});
  EXPECT_EQ(Allocate(4 * kMiB, 2), block);
  EXPECT_EQ(heap->Free(block, streams.Submit(2)).outcome, Freed::kOk);
  EXPECT_NE(Allocate(4 * kMiB), block) << "the host cannot be made to wait";
  heap->SetReusePolicy({true, true, true});
  const Result<HeapGrant> grant = heap->Allocate({4 * kMiB, 0, 3});
  ASSERT_TRUE(grant.ok());
  EXPECT_EQ(grant->address, block);
  EXPECT_EQ(grant->wait_for.slot, 2U);
  EXPECT_EQ(grant->wait_for.entry, 1U);
  const HeapStatistics statistics = heap->statistics();
  EXPECT_EQ(statistics.reused_by_event, 1U);
  EXPECT_EQ(statistics.reused_passed, 1U);
  EXPECT_EQ(statistics.inserted_waits, 1U);
}

TEST_F(HeapTest, SmallBlocksOfStreamsAreReusedInOrder) {
  heap->SetReusePolicy({true, false, false});
  const uint64_t block = Allocate(1000, 0);
  EXPECT_EQ(heap->Free(block, streams.Submit(0)).outcome, Freed::kOk);
  EXPECT_NE(Allocate(1000, 1), block);
  EXPECT_NE(Allocate(1000), block);
  EXPECT_EQ(Allocate(1000, 0), block);
  EXPECT_EQ(heap->Free(block, streams.Submit(0)).outcome, Freed::kOk);
  streams.Event(0, 1);
  EXPECT_EQ(Allocate(1000, 1), block);
}

TEST_F(HeapTest, PendingMomentsAreTheNewestOfEachStream) {
  const uint64_t small = Allocate(1000, 0), large = Allocate(kMiB, 0), other = Allocate(kMiB, 1);
  EXPECT_TRUE(heap->PendingMoments().empty());
  heap->Free(large, streams.Submit(0));
  heap->Free(small, streams.Submit(0));
  heap->Free(other, streams.Submit(1));
  const std::vector<StreamMoment> moments = heap->PendingMoments();
  ASSERT_EQ(moments.size(), 2U);
  EXPECT_EQ(moments[0].slot, 0U);
  EXPECT_EQ(moments[0].entry, 2U);
  EXPECT_EQ(moments[1].entry, 1U);
}

TEST_F(HeapTest, TrimReturnsEverythingWhoseMomentHasPassed) {
  std::vector<uint64_t> blocks;
  for (int i = 0; i < 600; ++i) blocks.push_back(Allocate(kSizes[static_cast<std::size_t>(i) % 9], 1));
  for (const uint64_t block : blocks) EXPECT_EQ(heap->Free(block, streams.Submit(1)).outcome, Freed::kOk);
  heap->Trim(0);
  const uint64_t before = pages.reserved;
  EXPECT_GT(before, 100 * kMiB);
  streams.done[1] = streams.submitted[1];
  EXPECT_EQ(heap->Trim(50 * kMiB), before - 50 * kMiB);
  EXPECT_EQ(pages.reserved, 50 * kMiB);
  heap->Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
  EXPECT_EQ(heap->reserved_bytes(), 0U);
  EXPECT_TRUE(heap->Blocks().empty());
  EXPECT_NE(Allocate(kMiB), 0U);
}

TEST_F(HeapTest, SynchronisationReturnsWhatIsAboveTheThreshold) {
  const uint64_t keep = Allocate(4 * kMiB), block = Allocate(8 * kMiB, 1);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 0U);
  heap->SetReleaseThreshold(12 * kMiB);
  heap->Free(block, streams.Submit(1));
  streams.Synchronise(1);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 0U) << "exactly at it";
  heap->SetReleaseThreshold(12 * kMiB - 1);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 2 * kMiB);
  heap->SetReleaseThreshold(0);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 6 * kMiB);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 0U);
  const uint64_t calls = pages.calls;
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 0U);
  EXPECT_EQ(pages.calls, calls);
  EXPECT_EQ(Free(keep), Freed::kOk);
  EXPECT_EQ(heap->ReleaseAboveThreshold(), 4 * kMiB);
}

TEST_F(HeapTest, WithoutSlackTheHostWaitsRatherThanTakingMore) {
  for (const uint32_t slack : {0U, 5U}) {
    int waits = 0;
    const auto wait = [&](const StreamMoment& moment) {
      ++waits;
      streams.Synchronise(moment.slot);
      return true;
    };
    pages.reserved = 0;
    Make({.remap_slack_percent = slack, .wait = wait, .insert_waits = false});
    std::vector<uint64_t> blocks;
    for (int i = 0; i < 16; ++i) blocks.push_back(Allocate(4 * kMiB, 0));
    for (std::size_t i = 0; i < 16; i += 2) heap->Free(blocks[i], streams.Submit(0));
    EXPECT_NE(Allocate(20 * kMiB, 1), 0U);
    EXPECT_EQ(waits, slack == 0 ? 1 : 0);
    EXPECT_EQ(pages.reserved, (slack == 0 ? 64 : 84) * kMiB);
  }
}

TEST_F(HeapTest, PagesAreRearrangedRatherThanObtained) {
  Make({.remap_slack_percent = 0});
  std::vector<uint64_t> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(Allocate(4 * kMiB, 0));
  for (std::size_t i = 0; i < 16; i += 2) heap->Free(blocks[i], streams.Submit(0));
  streams.Synchronise(0);
  const uint64_t large = Allocate(20 * kMiB, 1);
  EXPECT_NE(large, 0U);
  EXPECT_EQ(pages.reserved, 64 * kMiB);
  EXPECT_EQ(heap->statistics().rearrangements, 1U);
  EXPECT_EQ(heap->Find(large + 19 * kMiB)->address, large);
  for (std::size_t i = 1; i < 16; i += 2) EXPECT_EQ(Free(blocks[i]), Freed::kOk);
  EXPECT_EQ(Free(large), Freed::kOk);
  heap->Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
}

TEST_F(HeapTest, PagesOfMomentsThatHaveNotPassedStay) {
  Make({.remap_slack_percent = 0, .insert_waits = false});
  const uint64_t first = Allocate(4 * kMiB, 0), guard = Allocate(4 * kMiB, 0);
  heap->Free(first, streams.Submit(0));
  EXPECT_NE(Allocate(8 * kMiB, 1), 0U);
  EXPECT_EQ(heap->statistics().rearrangements, 0U);
  EXPECT_EQ(pages.reserved, 16 * kMiB);
  EXPECT_EQ(Free(guard), Freed::kOk);
}

TEST_F(HeapTest, FixedPagesAreObtainedInstead) {
  pages.can_rearrange = false;
  Make({.remap_slack_percent = 0});
  std::vector<uint64_t> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(Allocate(4 * kMiB));
  for (std::size_t i = 0; i < 8; i += 2) Free(blocks[i]);
  EXPECT_NE(Allocate(8 * kMiB), 0U);
  EXPECT_EQ(pages.reserved, 40 * kMiB);
  EXPECT_EQ(heap->statistics().free_bytes, 16 * kMiB);
  EXPECT_NE(Allocate(4 * kMiB), 0U);
  EXPECT_EQ(pages.reserved, 40 * kMiB);
}

TEST_F(HeapTest, RangesThatCannotBeOneServeAll) {
  pages.is_scattered = true;
  Make({});
  const uint64_t first = Allocate(3 * kMiB);
  EXPECT_NE(Allocate(6 * kMiB), 0U) << "what was left of the first range could not grow";
  EXPECT_EQ(Free(first), Freed::kOk);
  EXPECT_EQ(heap->statistics().free_bytes, pages.reserved - 6 * kMiB);
}

TEST_F(HeapTest, RefusalsOfTheSourceChangeNothing) {
  for (uint64_t refuse_from = 0; refuse_from < 40; ++refuse_from) {
    TestPages some;
    some.refuse_from = refuse_from;
    some.is_scattered = refuse_from % 2 == 0;
    Heap one(some, streams, {.growth_bytes = 4 * kMiB, .remap_slack_percent = 0});
    std::vector<uint64_t> blocks;
    int failures = 0;
    for (uint64_t i = 0; i < 120; ++i) {
      const Result<HeapGrant> grant = one.Allocate({kSizes[i % 9] * (i % 5 + 1)});
      if (grant.ok()) {
        blocks.push_back(grant->address);
      } else {
        ++failures;
        EXPECT_EQ(grant.code(), Code::kMemoryAllocation);
      }
      if (i % 3 == 2 && !blocks.empty()) {
        EXPECT_EQ(one.Free(blocks[blocks.size() / 2]).outcome, Freed::kOk);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2));
      }
      ASSERT_EQ(one.reserved_bytes(), some.reserved) << refuse_from;
    }
    EXPECT_TRUE(failures > 0 || refuse_from > 4);
    for (const uint64_t block : blocks) EXPECT_EQ(one.Free(block).outcome, Freed::kOk);
    some.refuse_from = ~uint64_t{0};
    one.Trim(0);
    EXPECT_EQ(some.reserved, 0U) << refuse_from;
    EXPECT_EQ(some.broken, "");
  }
}

TEST_F(HeapTest, StepsAreBoundedHoweverManyBlocksThereAre) {
  std::vector<uint64_t> blocks;
  for (uint32_t i = 0; i < 40000; ++i) blocks.push_back(Allocate(40 * kKiB + i % 97 * 512, i % 8));
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const auto stream = static_cast<uint32_t>(i / 2 % 8);
    heap->Free(blocks[i], streams.Submit(stream));
    if (i % 1000 == 0) streams.Event(stream, (stream + 1) % 8);
  }
  heap->ResetSteps();
  for (uint32_t i = 0; i < 4000; ++i) {
    const uint64_t block = Allocate(30 * kKiB + i % 301 * 1024, i % 8);
    if (i % 3 == 0) heap->Free(block, streams.Submit(i % 8));
    if (i % 500 == 0) streams.Synchronise(i / 500 % 8);
  }
  EXPECT_LE(heap->statistics().most_steps, StepCount::kMost);
  EXPECT_GT(heap->statistics().most_steps, 8U);
}

TEST_F(HeapTest, SnapshotCoversEverythingReserved) {
  for (const uint64_t bytes : kSizes) Allocate(bytes);
  const uint64_t freed = Allocate(kMiB, 2);
  heap->Free(freed, streams.Submit(2));
  uint64_t covered = 0, end = 0, live = 0;
  heap->ForEachBlock([&](const BlockInfo& block) {
    EXPECT_GE(block.address, end);
    end = block.address + block.rounded;
    covered += block.rounded;
    live += block.is_live ? block.rounded : 0;
  });
  EXPECT_EQ(live, heap->statistics().used.now);
  EXPECT_LE(covered, pages.reserved);
  EXPECT_GT(covered, pages.reserved - 2 * kMiB) << "only the ends of spans are in no block";
}

TEST_F(HeapTest, SteadyStateCallsNoSource) {
  const auto step = [&] {
    std::vector<uint64_t> blocks;
    for (const uint64_t bytes : kSizes) {
      for (uint32_t i = 0; i < 8; ++i) blocks.push_back(Allocate(bytes * (i + 1), i % 4));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) heap->Free(blocks[i], streams.Submit(i % 4));
    for (uint32_t i = 0; i < 4; ++i) streams.Synchronise(i);
  };
  for (int i = 0; i < 3; ++i) step();
  const uint64_t calls = pages.calls;
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(pages.calls, calls);
}

}  // namespace
}  // namespace forebay::runtime
