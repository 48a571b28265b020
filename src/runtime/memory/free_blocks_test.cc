#include "memory/free_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace forebay::runtime {
namespace {

constexpr uint64_t kUnit = 512;

TEST(FreeBlocks, TakesTheSmallestThatFitsAndSplitsIt) {
  FreeBlocks blocks;
  blocks.AddRange(0x10000, 8 * kUnit);
  blocks.AddRange(0x20000, 3 * kUnit);
  const auto small = blocks.Take(2 * kUnit, 1000);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->address, 0x20000U);
  EXPECT_EQ(small->bytes, 2 * kUnit);
  EXPECT_EQ(small->requested, 1000U);
  EXPECT_EQ(blocks.Take(kUnit, 1)->address, 0x20000U + 2 * kUnit) << "the rest is used first";
  EXPECT_EQ(blocks.Take(kUnit, 1)->address, 0x10000U);
  EXPECT_EQ(blocks.free_bytes(), 7 * kUnit);
  EXPECT_EQ(blocks.largest_free(), 7 * kUnit);
}

TEST(FreeBlocks, NothingFitsWhenItIsTooLarge) {
  FreeBlocks blocks;
  EXPECT_FALSE(blocks.Take(kUnit, 1));
  blocks.AddRange(0x10000, kUnit);
  EXPECT_FALSE(blocks.Take(2 * kUnit, 1));
  EXPECT_EQ(blocks.live_count(), 0U);
}

TEST(FreeBlocks, NeighboursJoinWhateverTheOrder) {
  for (const auto& order : {std::vector<int>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    FreeBlocks blocks;
    blocks.AddRange(0x10000, 3 * kUnit);
    uint64_t addresses[3];
    for (uint64_t& address : addresses) address = blocks.Take(kUnit, 1)->address;
    for (const int i : order) EXPECT_TRUE(blocks.Give(addresses[i]));
    EXPECT_EQ(blocks.largest_free(), 3 * kUnit);
  }
}

TEST(FreeBlocks, RangesThatTouchStayApart) {
  FreeBlocks blocks;
  blocks.AddRange(0x10000, 2 * kUnit);
  blocks.AddRange(0x10000 + 2 * kUnit, 2 * kUnit);
  EXPECT_FALSE(blocks.Take(3 * kUnit, 1));
  const uint64_t first = blocks.Take(2 * kUnit, 1)->address, second = blocks.Take(2 * kUnit, 1)->address;
  EXPECT_TRUE(blocks.Give(second));
  EXPECT_TRUE(blocks.Give(first));
  EXPECT_EQ(blocks.largest_free(), 2 * kUnit);
  EXPECT_EQ(blocks.RemoveFreeRanges().size(), 2U);
}

TEST(FreeBlocks, OnlyTheStartOfALiveBlockIsGivenBackAndOnlyOnce) {
  FreeBlocks blocks;
  blocks.AddRange(0x10000, 4 * kUnit);
  const uint64_t address = blocks.Take(2 * kUnit, 1)->address;
  EXPECT_FALSE(blocks.Give(address + kUnit));
  EXPECT_FALSE(blocks.Give(address + 2 * kUnit));
  EXPECT_EQ(blocks.FindLive(address)->bytes, 2 * kUnit);
  EXPECT_TRUE(blocks.Give(address));
  EXPECT_FALSE(blocks.Give(address));
  EXPECT_EQ(blocks.FindLive(address), nullptr);
}

TEST(FreeBlocks, RemovesOnlyRangesWithoutLiveBlocks) {
  FreeBlocks blocks;
  blocks.AddRange(0x10000, 2 * kUnit);
  blocks.AddRange(0x20000, 4 * kUnit);
  const uint64_t address = blocks.Take(kUnit, 1)->address;
  const auto removed = blocks.RemoveFreeRanges();
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed[0].address, 0x20000U);
  EXPECT_EQ(removed[0].bytes, 4 * kUnit);
  EXPECT_EQ(blocks.free_bytes(), kUnit);
  EXPECT_TRUE(blocks.Give(address));
  EXPECT_EQ(blocks.RemoveFreeRanges().size(), 1U);
  EXPECT_EQ(blocks.free_bytes(), 0U);
}

// The same, unit by unit: 0 is no memory, 1 free, more than that the number of a live block.
class Naive {
 public:
  void AddRange(uint64_t first, uint64_t units) {
    starts_.push_back(first);
    for (uint64_t i = 0; i < units; ++i) cells_[first + i] = 1;
  }
  // The smallest run of free units that is large enough.
  uint64_t SmallestFit(uint64_t units) const {
    uint64_t best = ~uint64_t{0};
    for (const auto& [first, length] : FreeRuns()) {
      if (length >= units) best = std::min(best, length);
    }
    return best;
  }
  uint64_t RunAt(uint64_t first) const {
    const auto runs = FreeRuns();
    const auto run = runs.find(first);
    return run == runs.end() ? 0 : run->second;
  }
  void Mark(uint64_t first, uint64_t units, int value) {
    for (uint64_t i = 0; i < units; ++i) cells_[first + i] = value;
  }
  bool IsFree(uint64_t first, uint64_t units) const {
    for (uint64_t i = 0; i < units; ++i) {
      const auto cell = cells_.find(first + i);
      if (cell == cells_.end() || cell->second != 1) return false;
    }
    return true;
  }
  void Remove(uint64_t first, uint64_t units) {
    for (uint64_t i = 0; i < units; ++i) cells_.erase(first + i);
    std::erase(starts_, first);
  }
  uint64_t FreeUnits() const {
    return static_cast<uint64_t>(
        std::count_if(cells_.begin(), cells_.end(), [](const auto& cell) { return cell.second == 1; }));
  }
  std::map<uint64_t, uint64_t> FreeRuns() const {
    std::map<uint64_t, uint64_t> runs;
    uint64_t begin = 0, end = 0;
    for (const auto& [at, value] : cells_) {
      if (value != 1) continue;
      const bool starts_range = std::find(starts_.begin(), starts_.end(), at) != starts_.end();
      if (runs.empty() || at != end || starts_range) begin = at;
      end = at + 1;
      runs[begin] = end - begin;
    }
    return runs;
  }

 private:
  std::map<uint64_t, int> cells_;
  std::vector<uint64_t> starts_;
};

TEST(FreeBlocks, BehavesAsANaiveModelDoes) {
  for (uint32_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    FreeBlocks blocks;
    Naive naive;
    std::map<uint64_t, uint64_t> live;
    uint64_t next_range = 16;
    for (int step = 0; step < 300; ++step) {
      const auto choice = random() % 100;
      if (choice < 3) {
        const uint64_t units = 1 + random() % 40;
        next_range += random() % 2 * 7;  // every other one touches the last
        blocks.AddRange(next_range * kUnit, units * kUnit);
        naive.AddRange(next_range, units);
        next_range += units;
      } else if (choice < 55) {
        const uint64_t units = 1 + random() % 12;
        const uint64_t expected = naive.SmallestFit(units);
        const auto taken = blocks.Take(units * kUnit, units);
        ASSERT_EQ(taken.has_value(), expected != ~uint64_t{0});
        if (!taken) continue;
        ASSERT_EQ(taken->bytes, units * kUnit);
        const uint64_t first = taken->address / kUnit;
        ASSERT_TRUE(naive.IsFree(first, units)) << "no two live blocks overlap";
        ASSERT_EQ(naive.RunAt(first), expected) << "it begins the smallest free block that fits";
        naive.Mark(first, units, 2);
        live[first] = units;
      } else if (choice < 98) {
        if (live.empty()) continue;
        auto block = live.begin();
        std::advance(block, random() % live.size());
        ASSERT_TRUE(blocks.Give(block->first * kUnit));
        naive.Mark(block->first, block->second, 1);
        live.erase(block);
      } else {
        for (const Block& range : blocks.RemoveFreeRanges()) {
          ASSERT_TRUE(naive.IsFree(range.address / kUnit, range.bytes / kUnit));
          naive.Remove(range.address / kUnit, range.bytes / kUnit);
        }
      }
      ASSERT_EQ(blocks.live_count(), live.size());
      ASSERT_EQ(blocks.free_bytes(), naive.FreeUnits() * kUnit);
      const auto runs = naive.FreeRuns();
      uint64_t largest = 0;
      for (const auto& [first, length] : runs) largest = std::max(largest, length);
      ASSERT_EQ(blocks.largest_free(), largest * kUnit) << "all neighbours are joined";
    }
  }
}

}  // namespace
}  // namespace forebay::runtime
