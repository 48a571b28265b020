// The free blocks of one owner by size: lists of blocks of nearly the same size, found through two levels of bitmaps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "memory/pool/address_index.h"
#include "memory/pool/mapped_memory.h"
#include "memory/pool/ordering.h"

namespace forebay::runtime {

enum class BlockState : uint8_t { kUnused, kFree, kHeld, kLive, kSpan };

// One line of the processor's cache. Outside the memory it describes.
struct alignas(64) HeapBlock {
  uint64_t address;
  uint64_t bytes;
  uint64_t requested;         // live
  StreamMoment moment;        // free: when it may be used; live: what its requester comes after
  BlockIndex previous, next;  // those that touch it
  BlockIndex bin_previous, bin_next;
  BlockIndex next_of_chunk;
  uint16_t requester;  // live: the stream, or kNoRequester
  BlockState state;
};
inline constexpr uint16_t kNoRequester = UINT16_MAX;
static_assert(sizeof(HeapBlock) == 64);

using HeapBlocks = MappedArray<HeapBlock>;

// How many blocks one operation looks at, which bounds it whatever the heap looks like.
class StepCount {
 public:
  static constexpr uint32_t kMost = 64;

  void Begin() noexcept {
    most_ = most();
    steps_ = 0;
  }
  bool IsOver() const noexcept { return steps_ >= kMost; }
  void Add() noexcept { ++steps_; }
  uint32_t most() const noexcept { return steps_ > most_ ? steps_ : most_; }
  void ForgetMost() noexcept { most_ = steps_ = 0; }

 private:
  uint32_t steps_ = 0;
  uint32_t most_ = 0;
};

class FreeBins {
 public:
  FreeBins() noexcept {
    for (auto& row : head_) row.fill(kNoBlock);
  }

  bool IsEmpty() const noexcept { return levels_ == 0; }
  uint64_t bytes() const noexcept { return bytes_; }

  void Insert(HeapBlocks& blocks, BlockIndex index, uint32_t unit_shift) noexcept {
    HeapBlock& block = blocks[index];
    const Place place = PlaceOf(block.bytes >> unit_shift);
    BlockIndex& head = head_[place.level][place.part];
    if (head == kNoBlock) {
      block.bin_previous = block.bin_next = index;
      levels_ |= uint64_t{1} << place.level;
      parts_[place.level] |= uint32_t{1} << place.part;
    } else {
      block.bin_next = head;
      block.bin_previous = blocks[head].bin_previous;
      blocks[block.bin_previous].bin_next = index;
      blocks[head].bin_previous = index;
    }
    head = index;
    bytes_ += block.bytes;
  }

  void Remove(HeapBlocks& blocks, BlockIndex index, uint32_t unit_shift) noexcept {
    HeapBlock& block = blocks[index];
    const Place place = PlaceOf(block.bytes >> unit_shift);
    BlockIndex& head = head_[place.level][place.part];
    if (block.bin_next == index) {
      head = kNoBlock;
      parts_[place.level] &= ~(uint32_t{1} << place.part);
      if (parts_[place.level] == 0) levels_ &= ~(uint64_t{1} << place.level);
    } else {
      blocks[block.bin_previous].bin_next = block.bin_next;
      blocks[block.bin_next].bin_previous = block.bin_previous;
      if (head == index) head = block.bin_next;
    }
    bytes_ -= block.bytes;
  }

  // The smallest of at most `looks` blocks of the first lists that hold one that `fits` (which sees to the size too).
  // Looks into at most `lists` lists.
  template <typename Fits>
  BlockIndex Find(const HeapBlocks& blocks, uint64_t bytes, uint32_t unit_shift, uint32_t looks, uint32_t lists,
                  StepCount& steps, const Fits& fits) const noexcept {
    Place place = PlaceOf(bytes >> unit_shift);
    BlockIndex best = kNoBlock;
    for (uint32_t list = 0; list < lists && Advance(place); ++list) {
      const BlockIndex head = head_[place.level][place.part];
      BlockIndex index = head;
      for (uint32_t look = 0; look < looks && !steps.IsOver(); ++look) {
        steps.Add();
        const HeapBlock& block = blocks[index];
        if (fits(block) && (best == kNoBlock || block.bytes < blocks[best].bytes)) {
          best = index;
          if (block.bytes == bytes) return best;
        }
        index = block.bin_next;
        if (index == head) break;
      }
      if (best != kNoBlock || steps.IsOver()) return best;
      ++place.part;
    }
    return best;
  }

  // Calls `visit` with the blocks from the largest list down until it returns false. `visit` may not change the bins.
  template <typename Visit>
  void VisitLargestFirst(const HeapBlocks& blocks, const Visit& visit) const {
    for (uint64_t levels = levels_; levels != 0;) {
      const uint32_t level = 63 - static_cast<uint32_t>(std::countl_zero(levels));
      levels &= ~(uint64_t{1} << level);
      for (uint32_t parts = parts_[level]; parts != 0;) {
        const uint32_t part = 31 - static_cast<uint32_t>(std::countl_zero(parts));
        parts &= ~(uint32_t{1} << part);
        const BlockIndex head = head_[level][part];
        BlockIndex index = head;
        do {
          const BlockIndex next = blocks[index].bin_next;
          if (!visit(index)) return;
          index = next;
        } while (index != head);
      }
    }
  }

 private:
  static constexpr uint32_t kPartBits = 5, kLevels = 44;
  struct Place {
    uint32_t level, part;
  };

  static Place PlaceOf(uint64_t units) noexcept {
    if (units < (1U << kPartBits)) return {0, static_cast<uint32_t>(units)};
    const uint32_t high = 63 - static_cast<uint32_t>(std::countl_zero(units));
    return {high - kPartBits + 1, static_cast<uint32_t>(units >> (high - kPartBits)) & ((1U << kPartBits) - 1)};
  }

  // To the first list at or after `place` that is not empty.
  bool Advance(Place& place) const noexcept {
    const uint32_t parts = place.part < 32 ? parts_[place.level] & (~uint32_t{0} << place.part) : 0;
    if (parts != 0) {
      place.part = static_cast<uint32_t>(std::countr_zero(parts));
      return true;
    }
    const uint64_t levels = levels_ & (~uint64_t{0} << place.level) & ~(uint64_t{1} << place.level);
    if (levels == 0) return false;
    place.level = static_cast<uint32_t>(std::countr_zero(levels));
    place.part = static_cast<uint32_t>(std::countr_zero(parts_[place.level]));
    return true;
  }

  uint64_t levels_ = 0;
  uint64_t bytes_ = 0;
  std::array<uint32_t, kLevels> parts_ = {};
  std::array<std::array<BlockIndex, 1U << kPartBits>, kLevels> head_;
};

}  // namespace forebay::runtime
