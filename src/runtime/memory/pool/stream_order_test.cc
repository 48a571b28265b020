// What streams come after, by events and by waits of the host.
#include "memory/pool/stream_order.h"

#include <gtest/gtest.h>

#include <map>

#include "forebay/base/thread.h"

namespace forebay::runtime {
namespace {

class StreamOrderTest : public ::testing::Test {
 protected:
  StreamOrderTest() {
    for (uint32_t slot = 0; slot < 4; ++slot) order.TakePart(slot);
  }
  // `to` waits for an event that is recorded on `from` behind `entry`.
  void Edge(uint32_t from, uint64_t entry, uint32_t to) {
    StreamClock clock;
    order.Snapshot({from, entry}, clock);
    order.NoteWait(to, clock);
  }
  std::map<uint32_t, uint64_t> done;
  StreamOrder order{[this](uint32_t slot) { return done[slot]; }};
};

TEST_F(StreamOrderTest, AStreamComesAfterItself) {
  EXPECT_TRUE(order.IsOrdered(1, {1, 100}));
  EXPECT_FALSE(order.IsOrdered(2, {1, 100}));
  EXPECT_FALSE(order.IsOrdered(kNoStream, {1, 100}));
}

TEST_F(StreamOrderTest, WhatTheHostReleasesIsOrderedForAll) {
  EXPECT_TRUE(order.IsOrdered(2, {}));
  EXPECT_TRUE(order.IsOrdered(kNoStream, {}));
  EXPECT_TRUE(order.HasPassed({}));
}

TEST_F(StreamOrderTest, AnEventOrdersWhatCameBeforeItsRecord) {
  Edge(0, 10, 1);
  EXPECT_TRUE(order.IsOrdered(1, {0, 10}));
  EXPECT_FALSE(order.IsOrdered(1, {0, 11}));
  EXPECT_FALSE(order.IsOrdered(0, {1, 1}));
  EXPECT_FALSE(order.IsOrdered(kNoStream, {0, 10}));
}

TEST_F(StreamOrderTest, EventsOrderThroughStreamsInBetween) {
  Edge(0, 10, 1);
  Edge(1, 5, 2);
  EXPECT_TRUE(order.IsOrdered(2, {0, 10}));
  EXPECT_TRUE(order.IsOrdered(2, {1, 5}));
}

TEST_F(StreamOrderTest, AnEventStandsForItsRecordAndNotForWhatComesLater) {
  StreamClock clock;
  order.Snapshot({1, 5}, clock);
  Edge(0, 10, 1);  // stream 1 learns of it behind the record
  order.NoteWait(2, clock);
  EXPECT_TRUE(order.IsOrdered(2, {1, 5}));
  EXPECT_FALSE(order.IsOrdered(2, {0, 10}));
}

TEST_F(StreamOrderTest, AWaitOfTheHostOrdersForAll) {
  order.NoteSynchronised({0, 10});
  for (const uint32_t requester : {1u, 2u, kNoStream}) {
    EXPECT_TRUE(order.IsOrdered(requester, {0, 10}));
    EXPECT_FALSE(order.IsOrdered(requester, {0, 11}));
  }
  order.NoteSynchronised({0, 4});  // an older wait takes nothing back
  EXPECT_TRUE(order.IsOrdered(1, {0, 10}));
}

TEST_F(StreamOrderTest, HavingPassedIsNoOrder) {
  done[0] = 10;
  EXPECT_TRUE(order.HasPassed({0, 10}));
  EXPECT_FALSE(order.HasPassed({0, 11}));
  EXPECT_FALSE(order.IsOrdered(1, {0, 10}));
}

TEST_F(StreamOrderTest, DroppedWaitsOrderNothing) {
  Edge(0, 10, 1);
  Edge(1, 5, 2);
  const uint64_t epoch = order.epoch();
  order.ForgetWaits();
  EXPECT_NE(order.epoch(), epoch);
  EXPECT_FALSE(order.IsOrdered(1, {0, 10}));
  EXPECT_FALSE(order.IsOrdered(2, {0, 10})) << "who counts on stream 1";
  Edge(0, 12, 1);
  EXPECT_TRUE(order.IsOrdered(1, {0, 12}));
}

TEST_F(StreamOrderTest, WhoReleasesNothingCostsNothing) {
  StreamClock clock;
  order.Snapshot({9, 100}, clock);
  EXPECT_TRUE(clock.empty());
  order.NoteWait(1, clock);
  EXPECT_FALSE(order.IsOrdered(1, {9, 100}));
}

TEST_F(StreamOrderTest, ForgetsOrderRatherThanInventIt) {
  // One more stream than a row remembers.
  for (uint32_t slot = 0; slot <= StreamOrder::kMostKnown + 1; ++slot) {
    order.TakePart(slot);
    if (slot != 1) Edge(slot, 100 + slot, 1);
  }
  EXPECT_FALSE(order.IsOrdered(1, {0, 100}));
  EXPECT_TRUE(order.IsOrdered(1, {StreamOrder::kMostKnown + 1, 100 + StreamOrder::kMostKnown + 1}));
  for (uint32_t slot = 0; slot <= StreamOrder::kMostKnown + 1; ++slot) {
    if (slot != 1) {
      EXPECT_FALSE(order.IsOrdered(1, {slot, 101 + slot})) << slot;
    }
  }
}

TEST_F(StreamOrderTest, AResetForgetsEverything) {
  Edge(0, 10, 1);
  order.NoteSynchronised({2, 7});
  order.Reset();
  EXPECT_FALSE(order.IsUsed());
  EXPECT_FALSE(order.IsOrdered(1, {0, 10}));
  EXPECT_FALSE(order.IsOrdered(1, {2, 7}));
}

// A reader never takes the entry of one stream for that of another while a row changes.
TEST_F(StreamOrderTest, ReadersSeeNoMomentThatNobodyMade) {
  constexpr uint32_t kStreams = 3 * StreamOrder::kMostKnown;
  for (uint32_t slot = 0; slot < kStreams; ++slot) order.TakePart(slot);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  base::Thread reader("reader", [&] {
    for (uint32_t slot = 2; !stop.load(std::memory_order_relaxed); slot = slot + 1 < kStreams ? slot + 1 : 2) {
      if (order.IsOrdered(1, {slot, slot * 1'000'000u + 1'000})) ++wrong;  // entries of a slot stay below this
    }
  });
  for (uint32_t turn = 1; turn < 300; ++turn) {
    for (uint32_t slot = 2; slot < kStreams; ++slot) Edge(slot, slot * 1'000'000u + turn, 1);
  }
  stop = true;
  reader.Join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace forebay::runtime
