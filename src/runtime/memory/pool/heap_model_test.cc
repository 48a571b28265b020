// Random use of a heap by eight streams, against a model that knows who used each byte last.
#include <gtest/gtest.h>

#include <random>

#include "memory/pool/heap.h"
#include "memory/pool/heap_model.h"
#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

class HeapModelTest : public testing::TestWithParam<int> {};

TEST_P(HeapModelTest, NoBlockOverlapsAnotherOrIsReusedTooEarly) {
  const auto seed = static_cast<unsigned>(GetParam());
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  TestStreams streams;
  TestPages pages(seed % 3 == 0 ? 64 * kKiB : 2 * kMiB);
  pages.is_scattered = seed % 5 == 4;
  const bool opportunistic = seed % 2 == 0;
  HeapOptions options;
  options.opportunistic = opportunistic;
  options.insert_waits = seed % 4 < 2;
  options.remap_bytes = seed % 2 == 0 ? 64 * kKiB : 0;  // it takes what has passed, as opportunistic reuse does
  options.remap_slack_percent = 0;
  options.alignment = seed % 7 == 6 ? 64 : 512;
  options.maximum_bytes = seed % 6 == 5 ? 96 * kMiB : UINT64_MAX;
  Heap heap(pages, streams, options);
  HeapModel model(streams);
  struct Live {
    uint64_t address;
  };
  std::vector<Live> live;
  for (int step = 0; step < 20000; ++step) {
    const uint32_t what = below(100);
    if (what < 46) {
      const uint32_t stream = below(9) == 8 ? kNoStream : below(TestStreams::kCount);
      const uint64_t bytes =
          below(3) == 0 ? below(32 * kKiB) + 1 : uint64_t{below(1000) + 1} * (below(8) == 0 ? 9000 : 700);
      const Result<HeapGrant> grant = heap.Allocate({bytes, 0, stream});
      if (!grant.ok()) {
        ASSERT_EQ(grant.code(), Code::kMemoryAllocation);
        continue;
      }
      if (grant->wait_for.slot != kNoStream) {
        ASSERT_TRUE(options.insert_waits && stream != kNoStream);
        streams.Wait(stream, grant->wait_for);
      }
      const uint64_t rounded = heap.Find(grant->address)->rounded;
      ASSERT_GE(rounded, bytes);
      ASSERT_EQ(model.Allocate(grant->address, rounded, stream, opportunistic), "") << "step " << step;
      live.push_back({grant->address});
    } else if (what < 88) {
      if (live.empty() || (live.size() < 300 && what < 50)) continue;
      std::swap(live[below(static_cast<uint32_t>(live.size()))], live.back());
      const uint64_t address = live.back().address;
      live.pop_back();
      const uint32_t stream = below(10) == 9 ? kNoStream : below(TestStreams::kCount);
      const StreamMoment moment = stream == kNoStream ? StreamMoment() : streams.Submit(stream);
      ASSERT_EQ(heap.Free(address, moment).outcome, Freed::kOk);
      model.Free(address, moment);
      ASSERT_EQ(heap.Free(address, moment).outcome, Freed::kAlreadyFree);
    } else if (what < 94) {
      streams.Event(below(TestStreams::kCount), below(TestStreams::kCount));
    } else if (what < 97) {
      const uint32_t stream = below(TestStreams::kCount);
      streams.Advance(stream, (streams.submitted[stream] + streams.done[stream]) / 2);
    } else if (what < 99) {
      streams.Synchronise(below(TestStreams::kCount));
    } else if (opportunistic && below(10) == 0) {  // it takes what has passed, too
      heap.Trim(pages.reserved / 2);
    }
    ASSERT_EQ(pages.reserved, heap.reserved_bytes());
  }
  EXPECT_EQ(heap.statistics().blocks, live.size());
  EXPECT_LE(heap.statistics().most_steps, StepCount::kMost);
  for (const Live& each : live) ASSERT_EQ(heap.Free(each.address).outcome, Freed::kOk);
  for (uint32_t i = 0; i < TestStreams::kCount; ++i) streams.Synchronise(i);
  heap.Trim(0);
  EXPECT_EQ(pages.reserved, 0U);
  EXPECT_EQ(pages.broken, "");
  EXPECT_EQ(heap.statistics().free_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HeapModelTest, testing::Range(1, 25));

}  // namespace
}  // namespace forebay::runtime
