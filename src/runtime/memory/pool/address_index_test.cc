#include "memory/pool/address_index.h"

#include <gtest/gtest.h>

namespace forebay::runtime {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

void Mark(AddressIndex& index, uint64_t address) {
  const uint32_t chunk = AddressIndex::ChunkInRegion(address);
  index.RegionOf(address)->used_chunks[chunk / 64] |= uint64_t{1} << chunk % 64;
}

TEST(AddressIndex, CoversWhatItIsToldAndNoMore) {
  AddressIndex index(512);
  EXPECT_EQ(index.RegionOf(8 * kGiB), nullptr);
  EXPECT_TRUE(index.Cover(7 * kGiB, 2 * kGiB));
  EXPECT_NE(index.RegionOf(7 * kGiB), nullptr);
  EXPECT_NE(index.RegionOf(8 * kGiB), nullptr);
  EXPECT_EQ(index.RegionOf(12 * kGiB), nullptr);
  EXPECT_EQ(index.RegionOf(~uint64_t{0}), nullptr);
  EXPECT_FALSE(index.Cover(~uint64_t{0} - 4096, 8192));
  EXPECT_FALSE(index.Cover(uint64_t{1} << 48, 4096));
}

TEST(AddressIndex, FindsTheNearestChunkAcrossRegions) {
  AddressIndex index(512);
  uint64_t chunk = 0;
  EXPECT_FALSE(index.LastUsedChunk(8 * kGiB, &chunk));
  EXPECT_FALSE(index.NextUsedChunk(0, &chunk));
  ASSERT_TRUE(index.Cover(4 * kGiB, kGiB) && index.Cover(40 * kGiB, kGiB));
  Mark(index, 4 * kGiB + 0x80000);
  Mark(index, 40 * kGiB);
  ASSERT_TRUE(index.LastUsedChunk(39 * kGiB, &chunk));
  EXPECT_EQ(chunk, 4 * kGiB + 0x80000);
  ASSERT_TRUE(index.LastUsedChunk(4 * kGiB + 0xbffff, &chunk));
  EXPECT_EQ(chunk, 4 * kGiB + 0x80000);
  EXPECT_FALSE(index.LastUsedChunk(4 * kGiB + 0x7ffff, &chunk));
  ASSERT_TRUE(index.LastUsedChunk(100 * kGiB, &chunk));
  EXPECT_EQ(chunk, 40 * kGiB);
  ASSERT_TRUE(index.NextUsedChunk(4 * kGiB + 0xc0000, &chunk));
  EXPECT_EQ(chunk, 40 * kGiB);
  EXPECT_FALSE(index.NextUsedChunk(40 * kGiB + 0x40000, &chunk));
}

}  // namespace
}  // namespace forebay::runtime
