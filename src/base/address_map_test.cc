#include "forebay/base/address_map.h"

#include <gtest/gtest.h>

#include <random>

namespace forebay::base {
namespace {

using Piece = AddressMap::Piece;
using Pieces = std::vector<Piece>;

TEST(AddressMap, NeighboursOfBothSidesAreOnePiece) {
  AddressMap map;
  map.Add({100, 10, 0});
  map.Add({120, 10, 20});
  EXPECT_FALSE(map.Covers(100, 30));
  map.Add({110, 10, 10});
  EXPECT_EQ(map.Find(0, 1000), (Pieces{{100, 30, 0}}));
  EXPECT_TRUE(map.Covers(100, 30));
  EXPECT_TRUE(map.Covers(129, 1));
  EXPECT_FALSE(map.Covers(129, 2));
  EXPECT_FALSE(map.Covers(99, 2));
  map.Add({130, 10, 100});
  EXPECT_EQ(map.Find(125, 10), (Pieces{{125, 5, 25}, {130, 5, 100}})) << "of different offsets: two";
  EXPECT_TRUE(map.Covers(100, 40));
}

TEST(AddressMap, RemovingAPartLeavesTheRest) {
  AddressMap map;
  map.Add({0, 100, 1000});
  EXPECT_EQ(map.Remove(40, 20), (Pieces{{40, 20, 1040}}));
  EXPECT_EQ(map.Find(0, 100), (Pieces{{0, 40, 1000}, {60, 40, 1060}}));
  EXPECT_EQ(map.bytes(), 80u);
  EXPECT_EQ(map.Remove(30, 40), (Pieces{{30, 10, 1030}, {60, 10, 1060}}));
  map.Add({0, 100, 0});
  EXPECT_EQ(map.Find(0, 100), (Pieces{{0, 100, 0}})) << "in place of what was there";
  EXPECT_EQ(map.bytes(), 100u);
}

TEST(AddressMap, IsWhatAPlainArrayIs) {
  constexpr uint64_t kSize = 64;
  constexpr uint64_t kNone = ~uint64_t{0};
  std::mt19937 random(1);
  AddressMap map;
  std::vector<uint64_t> model(kSize, kNone);
  for (int round = 0; round < 20'000; ++round) {
    const uint64_t address = random() % kSize;
    const uint64_t bytes = 1 + random() % (kSize - address);
    if (random() % 2 == 0) {
      const uint64_t offset = random() % 3 == 0 ? address : random() % 1000;
      map.Add({address, bytes, offset});
      for (uint64_t i = 0; i < bytes; ++i) model[address + i] = offset + i;
    } else {
      map.Remove(address, bytes);
      std::fill_n(model.begin() + static_cast<int64_t>(address), bytes, kNone);
    }
    std::vector<uint64_t> seen(kSize, kNone);
    for (const Piece& piece : map.Find(0, kSize)) {
      for (uint64_t i = 0; i < piece.bytes; ++i) seen[piece.address + i] = piece.offset + i;
    }
    ASSERT_EQ(seen, model) << round;
    const uint64_t at = random() % kSize;
    const uint64_t count = 1 + random() % (kSize - at);
    const auto from = model.begin() + static_cast<int64_t>(at);
    ASSERT_EQ(map.Covers(at, count), std::count(from, from + static_cast<int64_t>(count), kNone) == 0);
    ASSERT_EQ(map.bytes(), kSize - static_cast<uint64_t>(std::count(model.begin(), model.end(), kNone)));
  }
}

}  // namespace
}  // namespace forebay::base
