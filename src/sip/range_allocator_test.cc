#include "range_allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace forebay::sip {
namespace {

// One byte per unit of memory: who owns it, 0 for nobody.
class Model {
 public:
  explicit Model(std::size_t units) : owner_(units, 0) {}
  std::optional<uint64_t> Allocate(uint64_t units, int owner) {
    for (std::size_t at = 0; at + units <= owner_.size(); ++at) {
      if (!Free(at, units)) continue;
      std::fill_n(owner_.begin() + static_cast<std::ptrdiff_t>(at), units, owner);
      return at;
    }
    return std::nullopt;
  }
  void Release(uint64_t at, uint64_t units) { std::fill_n(owner_.begin() + static_cast<std::ptrdiff_t>(at), units, 0); }
  bool Contains(uint64_t at, uint64_t units) const {
    for (uint64_t i = at; i < at + units; ++i) {
      if (i >= owner_.size() || owner_[i] == 0) return false;
    }
    return true;
  }
  uint64_t used() const {
    return static_cast<uint64_t>(owner_.size()) - static_cast<uint64_t>(std::count(owner_.begin(), owner_.end(), 0));
  }

 private:
  bool Free(std::size_t at, uint64_t units) const {
    for (std::size_t i = at; i < at + units; ++i) {
      if (owner_[i] != 0) return false;
    }
    return true;
  }
  std::vector<int> owner_;
};

TEST(RangeAllocator, AgreesWithANaiveModelOverRandomSequences) {
  constexpr uint64_t kBase = 1000;
  constexpr uint64_t kUnits = 64;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RangeAllocatorBase allocator(kBase, kUnits, 1);
    Model model(kUnits);
    std::vector<std::pair<uint64_t, uint64_t>> live;
    for (int step = 1; step <= 300; ++step) {
      if (live.empty() || random() % 5 < 3) {
        const uint64_t units = 1 + random() % 12;
        const auto got = allocator.Allocate(units);
        const auto expected = model.Allocate(units, step);
        ASSERT_EQ(got.has_value(), expected.has_value()) << "seed " << seed << " step " << step;
        if (!got) continue;
        ASSERT_EQ(*got, kBase + *expected) << "first fit";
        live.emplace_back(*got, units);
      } else {
        const std::size_t which = random() % live.size();
        ASSERT_TRUE(allocator.Free(live[which].first));
        ASSERT_FALSE(allocator.Free(live[which].first)) << "a second time";
        model.Release(live[which].first - kBase, live[which].second);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_EQ(allocator.in_use(), model.used());
      ASSERT_EQ(allocator.range_count(), live.size());
      const uint64_t at = random() % kUnits;
      const uint64_t units = 1 + random() % 8;
      ASSERT_EQ(allocator.Contains(kBase + at, units), model.Contains(at, units)) << at << "+" << units;
    }
    for (const auto& [at, units] : live) ASSERT_TRUE(allocator.Free(at));
    ASSERT_EQ(allocator.in_use(), 0u);
    ASSERT_TRUE(allocator.Allocate(kUnits).has_value()) << "all free pieces joined again";
  }
}

TEST(RangeAllocator, KnowsNothingOutsideItsInterval) {
  RangeAllocatorBase allocator(1000, 64, 1);
  ASSERT_TRUE(allocator.Allocate(64).has_value());
  EXPECT_FALSE(allocator.Contains(999, 1));
  EXPECT_FALSE(allocator.Contains(1064, 1));
  EXPECT_FALSE(allocator.Contains(1063, 2));
  EXPECT_FALSE(allocator.Contains(1000, ~uint64_t{0}));
  EXPECT_TRUE(allocator.Contains(1063, 1));
  EXPECT_FALSE(allocator.Free(1001));
}

TEST(RangeAllocator, PartsOfARangeAreFreedByThemselves) {
  RangeAllocatorBase ranges(1000, 100, 10);
  ASSERT_EQ(ranges.Allocate(100), 1000u);
  EXPECT_FALSE(ranges.FreePart(990, 10));
  EXPECT_FALSE(ranges.FreePart(1090, 20));
  EXPECT_FALSE(ranges.FreePart(1000, 0));
  EXPECT_TRUE(ranges.FreePart(1030, 20));
  EXPECT_FALSE(ranges.FreePart(1030, 20));
  EXPECT_EQ(ranges.in_use(), 80u);
  EXPECT_EQ(ranges.range_count(), 2u);
  EXPECT_EQ(ranges.Allocate(20), 1030u);
  EXPECT_TRUE(ranges.Contains(1000, 100));
  for (const uint64_t at : {1000u, 1030u, 1050u})
    EXPECT_TRUE(ranges.FreePart(at, at == 1000 ? 30 : at == 1030 ? 20 : 50));
  EXPECT_EQ(ranges.in_use(), 0u);
  EXPECT_EQ(ranges.Allocate(100), 1000u);
}

}  // namespace
}  // namespace forebay::sip
