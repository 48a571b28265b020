#include "memory/pool/spans.h"

#include <gtest/gtest.h>

#include <set>

#include "memory/pool/heap_test_support.h"

namespace forebay::runtime {
namespace {

constexpr uint64_t kSpan = uint64_t{1} << 40;

class SpansTest : public testing::Test {
 protected:
  SpansTest() {
    EXPECT_TRUE(addresses.Cover(kSpan, kMiB));
    spans.AddSpan(kClass, kSpan, 7);
  }
  static constexpr uint32_t kClass = 2;  // 1536 bytes

  TestStreams streams;
  SizeClasses classes{512};
  AddressIndex addresses{512};
  Spans spans{streams, addresses, classes};
  std::array<uint64_t, 256> slots;
};

TEST_F(SpansTest, HandsOutEverySlotOnceFromTheLowest) {
  ASSERT_EQ(spans.TakeFree(kClass, slots.data(), 100), 100U);
  EXPECT_EQ(slots[0], kSpan);
  EXPECT_EQ(slots[99], kSpan + 99 * 1536);
  ASSERT_EQ(spans.TakeFree(kClass, slots.data() + 100, 100), 70U);
  EXPECT_EQ(spans.TakeFree(kClass, slots.data() + 170, 1), 0U);
  EXPECT_EQ(std::set<uint64_t>(slots.begin(), slots.begin() + 170).size(), 170U);
  const uint64_t some[] = {slots[40], slots[3]};
  spans.GiveFree(kClass, some, 2);
  ASSERT_EQ(spans.TakeFree(kClass, slots.data(), 5), 2U);
  EXPECT_EQ(slots[0], some[1]);
  EXPECT_EQ(slots[1], some[0]);
}

TEST_F(SpansTest, KnowsSlotsFromOtherAddresses) {
  EXPECT_EQ(spans.Find(kSpan + 1535).address, kSpan);
  EXPECT_EQ(spans.Find(kSpan + 1536).address, kSpan + 1536);
  EXPECT_EQ(spans.Find(kSpan + 170 * 1536).word, nullptr) << "the rest of the span";
  EXPECT_EQ(spans.Find(kSpan - 1).word, nullptr);
  EXPECT_EQ(spans.Find(kSpan + 256 * kKiB).word, nullptr);
  EXPECT_EQ(spans.Find(~uint64_t{0}).word, nullptr);
}

TEST_F(SpansTest, GivesUpEmptySpansOnly) {
  std::vector<BlockIndex> blocks;
  ASSERT_EQ(spans.TakeFree(kClass, slots.data(), 1), 1U);
  spans.RemoveEmpty(blocks);
  EXPECT_TRUE(blocks.empty());
  spans.GiveFree(kClass, slots.data(), 1);
  spans.RemoveEmpty(blocks);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0], 7U);
  EXPECT_EQ(spans.TakeFree(kClass, slots.data(), 1), 0U);
  EXPECT_EQ(spans.Find(kSpan).word, nullptr);
}

TEST_F(SpansTest, ReleasedSlotsServeTheirStreamAtOnceAndOthersInOrder) {
  ASSERT_EQ(spans.TakeFree(kClass, slots.data(), 3), 3U);
  for (int i = 0; i < 3; ++i) spans.PutReleased(kClass, slots[static_cast<std::size_t>(i)], streams.Submit(1));
  EXPECT_EQ(spans.pending_bytes(), 3 * 1536U);
  ReuseKind kind;
  const ReusePolicy strict{true, false, false};
  EXPECT_EQ(spans.TakeReleased(kClass, 2, strict, &kind), 0U);
  EXPECT_EQ(spans.TakeReleased(kClass, 1, strict, &kind), slots[2]) << "its own: the newest";
  streams.Wait(2, {1, 1});
  EXPECT_EQ(spans.TakeReleased(kClass, 2, strict, &kind), slots[0]) << "of others: the oldest";
  EXPECT_EQ(kind, ReuseKind::kEvent);
  EXPECT_EQ(spans.TakeReleased(kClass, 2, strict, &kind), 0U);
  EXPECT_FALSE(spans.Reclaim(kClass, true));
  streams.done[1] = 2;
  EXPECT_FALSE(spans.Reclaim(kClass, false));
  EXPECT_TRUE(spans.Reclaim(kClass, true));
  EXPECT_EQ(spans.pending_bytes(), 0U);
}

}  // namespace
}  // namespace forebay::runtime
