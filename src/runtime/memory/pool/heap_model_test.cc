// Random use of a heap by eight streams, against a model that knows who used each byte last.
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "memory/pool/heap.h"
#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

// Who must have finished before a range may be used. Of what the host released, nobody.
class Model {
 public:
  explicit Model(const TestStreams& streams) : streams_(streams) {}

  // Empty, or what is wrong with the grant.
  std::string Allocate(uint64_t address, uint64_t bytes, uint32_t stream, bool may_have_passed) {
    const auto after = live_.lower_bound(address);
    if (after != live_.end() && after->first < address + bytes) return "overlaps the next block";
    if (after != live_.begin() && std::prev(after)->first + std::prev(after)->second > address) {
      return "overlaps the block before";
    }
    live_[address] = bytes;
    auto use = last_.upper_bound(address);
    if (use != last_.begin()) --use;
    for (; use != last_.end() && use->first < address + bytes; ++use) {
      if (use->first + use->second.bytes <= address) continue;
      if (streams_.IsOrdered(stream, use->second.moment)) continue;
      if (may_have_passed && streams_.HasPassed(use->second.moment)) continue;
      return "stream " + std::to_string(use->second.moment.slot) + " may still use it";
    }
    return {};
  }
  void Free(uint64_t address, const StreamMoment& moment) {
    const uint64_t bytes = live_[address], end = address + bytes;
    live_.erase(address);
    // Cuts the old uses out.
    auto use = last_.upper_bound(address);
    if (use != last_.begin()) --use;
    while (use != last_.end() && use->first < end) {
      const uint64_t begin = use->first, use_end = begin + use->second.bytes;
      const StreamMoment old = use->second.moment;
      if (use_end <= address) {
        ++use;
        continue;
      }
      use = last_.erase(use);
      if (begin < address) last_[begin] = {address - begin, old};
      if (use_end > end) use = std::next(last_.insert_or_assign(end, Use{use_end - end, old}).first);
    }
    last_[address] = {bytes, moment};
  }

 private:
  struct Use {
    uint64_t bytes;
    StreamMoment moment;
  };
  const TestStreams& streams_;
  std::map<uint64_t, uint64_t> live_;
  std::map<uint64_t, Use> last_;
};

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
  Model model(streams);
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
