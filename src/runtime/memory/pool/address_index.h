// Finds what lies at an address: the blocks by the chunk they begin in, the slots of spans without a lock.
//
// A region describes 4 GiB of addresses in memory of the host that is committed as it is touched. A chunk is as
// large as a span, and has the first of a short list of blocks; a slot has two bytes.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/pool/size_classes.h"

namespace forebay::runtime {

using BlockIndex = uint32_t;
inline constexpr BlockIndex kNoBlock = ~BlockIndex{0};

// One slot of a span. Live: twice what was requested, less one. Otherwise one of these:
using SlotWord = std::atomic<uint16_t>;
inline constexpr uint16_t kSlotFree = 0;
inline constexpr uint16_t kSlotCached = 2;    // in the cache of a thread
inline constexpr uint16_t kSlotReleased = 4;  // a stream has yet to reach the moment of its release

inline uint16_t LiveSlot(uint64_t requested) noexcept {
  return static_cast<uint16_t>(requested == 0 ? 1 : requested * 2 - 1);
}
inline bool IsLiveSlot(uint16_t word) noexcept { return (word & 1U) != 0; }
inline uint64_t RequestedOfSlot(uint16_t word) noexcept { return word / 2U + 1U; }

struct SpanRecord {
  BlockIndex block = kNoBlock;
  uint32_t previous = 0, next = 0;  // numbers of spans, plus one, in the list of those with free slots
  uint16_t free_slots = 0;
  uint16_t first_free = 0;  // no slot below is free
};

class AddressIndex {
 public:
  static constexpr uint32_t kRegionShift = 32, kChunkShift = 18, kSpanShift = 18, kAddressBits = 48;
  static constexpr uint32_t kChunksOfRegion = 1U << (kRegionShift - kChunkShift);
  static constexpr uint32_t kSpansOfRegion = 1U << (kRegionShift - kSpanShift);
  static_assert(SizeClasses::kSpanBytes == uint64_t{1} << kSpanShift);

  struct Region {
    std::atomic<uint8_t> span_class[kSpansOfRegion];  // plus one; 0: no span
    SpanRecord spans[kSpansOfRegion];
    uint64_t used_chunks[kChunksOfRegion / 64];  // one bit each: a block begins there
    uint32_t first_block[kChunksOfRegion];       // plus one; 0: none
    SlotWord slots[1];                           // as many as fit
  };

  // `unit` as for SizeClasses.
  explicit AddressIndex(uint64_t unit);
  ~AddressIndex();
  AddressIndex(const AddressIndex&) = delete;
  AddressIndex& operator=(const AddressIndex&) = delete;

  // Makes what describes these addresses. False when the host has no memory left, or they are beyond kAddressBits.
  bool Cover(uint64_t address, uint64_t bytes) noexcept;
  Region* RegionOf(uint64_t address) const noexcept {
    if (address >> kAddressBits != 0) return nullptr;
    return directory_[address >> kRegionShift].load(std::memory_order_acquire);
  }
  // The first word of the slots of the span that `address` lies in.
  SlotWord* SlotsOf(Region& region, uint64_t address) const noexcept {
    return region.slots + (std::size_t{SpanInRegion(address)} << slots_shift_);
  }
  static uint32_t SpanInRegion(uint64_t address) noexcept {
    return static_cast<uint32_t>(address >> kSpanShift) & (kSpansOfRegion - 1);
  }
  static uint32_t ChunkInRegion(uint64_t address) noexcept {
    return static_cast<uint32_t>(address >> kChunkShift) & (kChunksOfRegion - 1);
  }
  SpanRecord& Span(uint32_t number) const noexcept {
    const uint64_t address = uint64_t{number} << kSpanShift;
    return RegionOf(address)->spans[SpanInRegion(address)];
  }
  // The chunk with the highest address at or below that of `address` that a block begins in: the address of the chunk.
  // False when there is none. Slow.
  bool LastUsedChunk(uint64_t address, uint64_t* chunk) const noexcept;
  // The first one at or above.
  bool NextUsedChunk(uint64_t address, uint64_t* chunk) const noexcept;

 private:
  std::size_t region_bytes() const noexcept {
    return sizeof(Region) + (std::size_t{kSpansOfRegion} << slots_shift_) * sizeof(SlotWord);
  }

  const uint32_t slots_shift_;  // of the number of slots that a span may have
  std::atomic<Region*>* directory_;
  uint64_t lowest_ = ~uint64_t{0}, highest_ = 0;  // regions there are
};

}  // namespace forebay::runtime
