#include "memory/pool/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace forebay::runtime {
namespace {

// A step of random allocations and frees on some streams, with waits between them.
StepRecord RandomStep(uint32_t seed, uint32_t streams, uint32_t operations) {
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<uint32_t>(engine()); };
  StepRecord step;
  std::vector<uint32_t> live;
  for (uint32_t i = 0; i < operations; ++i) {
    const uint32_t stream = random() % streams;
    if (random() % 10 == 0) step.Wait(random() % streams, stream);
    if (random() % 100 == 0) step.Synchronise(stream);
    if (live.empty() || random() % 5 < 2 + (live.size() < 20)) {
      live.push_back(step.Allocate(512 * (1 + random() % 64), stream));
    } else {
      const std::size_t which = random() % live.size();
      step.Free(live[which], stream);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  return step;
}

bool Overlap(const Placement& placement, const StepRecord& step, uint32_t a, uint32_t b) {
  const auto& offsets = placement.offsets;
  return offsets[a] < offsets[b] + step.blocks()[b].bytes && offsets[b] < offsets[a] + step.blocks()[a].bytes;
}

// That no two share space unless one may follow the other, and that whoever takes space over says so.
void Check(const StepRecord& step, const Placement& placement) {
  const auto& blocks = step.blocks();
  ASSERT_EQ(placement.offsets.size(), blocks.size());
  uint64_t top = 0;
  for (uint32_t later = 0; later < blocks.size(); ++later) {
    top = std::max(top, placement.offsets[later] + blocks[later].bytes);
    // Everyone who is reached over predecessors of this step.
    std::vector<bool> reached(later);
    std::vector<uint32_t> left = {later};
    while (!left.empty()) {
      const uint32_t at = left.back();
      left.pop_back();
      for (const uint32_t before : placement.Predecessors(at)) {
        if (before >= at || reached[before]) continue;
        reached[before] = true;
        left.push_back(before);
      }
    }
    for (uint32_t earlier = 0; earlier < later; ++earlier) {
      if (!Overlap(placement, step, earlier, later)) continue;
      ASSERT_TRUE(step.MayFollow(blocks[later], later, blocks[earlier])) << earlier << " and " << later;
      ASSERT_TRUE(reached[earlier]) << earlier << " before " << later;
    }
  }
  EXPECT_EQ(placement.bytes, top);
  EXPECT_GE(placement.bytes, step.PeakBytes());
}

TEST(Placement, OfNothingIsEmpty) {
  const Placement placement = Place(StepRecord());
  EXPECT_EQ(placement.bytes, 0U);
  EXPECT_TRUE(placement.offsets.empty());
}

TEST(Placement, BlocksThatLiveOneAfterAnotherShareTheirSpace) {
  StepRecord step;
  for (int i = 0; i < 5; ++i) step.Free(step.Allocate(1024, 0), 0);
  const Placement placement = Place(step);
  EXPECT_EQ(placement.bytes, 1024U);
  EXPECT_EQ(placement.offsets, std::vector<uint64_t>(5, 0));
  EXPECT_EQ(placement.Predecessors(3)[0], 2U);
  ASSERT_EQ(placement.Predecessors(0).size(), 1U);
  EXPECT_EQ(placement.Predecessors(0)[0], 4U) << "of the step before";
}

TEST(Placement, OtherStreamsWaitForTheirTurn) {
  for (const bool ordered : {false, true}) {
    StepRecord step;
    step.Free(step.Allocate(1024, 0), 0);
    if (ordered) step.Wait(0, 1);
    step.Free(step.Allocate(1024, 1), 1);
    const Placement placement = Place(step);
    EXPECT_EQ(placement.bytes, ordered ? 1024U : 2048U);
    Check(step, placement);
  }
}

TEST(Placement, AnEventStandsForWhatItsStreamCameAfter) {
  StepRecord step;
  step.Free(step.Allocate(1024, 0), 0);
  step.Wait(0, 1);
  step.Wait(1, 2);
  step.Free(step.Allocate(1024, 2), 2);
  EXPECT_EQ(Place(step).bytes, 1024U);
}

TEST(Placement, WhatOutlivesTheStepKeepsItsSpace) {
  StepRecord step;
  step.Allocate(1024, 0);
  step.Free(step.Allocate(512, 0), 0);
  step.Allocate(1024, 0);
  const Placement placement = Place(step);
  EXPECT_EQ(placement.bytes, 2048U);
  Check(step, placement);
}

TEST(Placement, SurvivorsCanBeLeftOut) {
  StepRecord step;
  step.Allocate(1024, 0);
  step.Free(step.Allocate(512, 0), 0);
  step.LeaveOutSurvivors();
  const Placement placement = Place(step);
  EXPECT_EQ(placement.bytes, 512U);
  EXPECT_TRUE(placement.Predecessors(0).empty());
  EXPECT_EQ(placement.Predecessors(1).size(), 1U) << "itself, of the step before";
}

TEST(Placement, IsSafeAndNearTheLeast) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const uint32_t streams = 1 + seed % 4;
    const StepRecord step = RandomStep(seed, streams, 400);
    const Placement placement = Place(step, {2'000'000});
    Check(step, placement);
    const uint64_t percent = streams == 1 ? 115 : 400;
    EXPECT_LE(placement.bytes, step.PeakBytes() * percent / 100);
    EXPECT_EQ(Place(step, {2'000'000}).offsets, placement.offsets);
  }
}

TEST(Placement, EffortImprovesIt) {
  uint64_t without = 0;
  uint64_t with = 0;
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const StepRecord step = RandomStep(seed, 1, 400);
    without += Place(step, {0}).bytes;
    with += Place(step, {5'000'000}).bytes;
  }
  EXPECT_LT(with, without);
}

TEST(StepRecord, StartsAnewWhenCleared) {
  StepRecord step = RandomStep(7, 3, 100);
  step.Clear();
  EXPECT_EQ(step.PeakBytes(), 0U);
  step.Free(step.Allocate(1024, 2), 2);
  step.Allocate(1024, 1);
  EXPECT_EQ(step.PeakBytes(), 1024U);
  EXPECT_EQ(Place(step).bytes, 2048U);
}

}  // namespace
}  // namespace forebay::runtime
