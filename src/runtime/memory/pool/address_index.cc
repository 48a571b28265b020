#include "memory/pool/address_index.h"

#include <algorithm>
#include <bit>

#include "memory/pool/mapped_memory.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kRegions = std::size_t{1} << (AddressIndex::kAddressBits - AddressIndex::kRegionShift);

}  // namespace

AddressIndex::AddressIndex(uint64_t unit)
    : slots_shift_(static_cast<uint32_t>(std::countr_zero(std::max<uint64_t>(SizeClasses::kSpanBytes / unit, 1)))),
      directory_(static_cast<std::atomic<Region*>*>(MapBookkeeping(kRegions * sizeof(std::atomic<Region*>)))) {}

AddressIndex::~AddressIndex() {
  if (directory_ == nullptr) return;
  for (uint64_t number = lowest_; number <= highest_ && number < kRegions; ++number) {
    if (Region* region = directory_[number].load(std::memory_order_relaxed)) munmap(region, region_bytes());
  }
  munmap(directory_, kRegions * sizeof(std::atomic<Region*>));
}

bool AddressIndex::Cover(uint64_t address, uint64_t bytes) noexcept {
  if (directory_ == nullptr || bytes == 0 || address + bytes < address || (address + bytes) >> kAddressBits != 0) {
    return false;
  }
  for (uint64_t number = address >> kRegionShift; number <= (address + bytes - 1) >> kRegionShift; ++number) {
    if (directory_[number].load(std::memory_order_relaxed) != nullptr) continue;
    void* memory = MapBookkeeping(region_bytes());
    if (memory == nullptr) return false;
    // Release: who finds the region sees its zeroes.
    directory_[number].store(static_cast<Region*>(memory), std::memory_order_release);
    lowest_ = std::min(lowest_, number);
    highest_ = std::max(highest_, number);
  }
  return true;
}

bool AddressIndex::LastUsedChunk(uint64_t address, uint64_t* chunk) const noexcept {
  if (lowest_ > highest_ || address >> kRegionShift < lowest_) return false;
  uint64_t number = address >> kRegionShift;
  uint32_t last = ChunkInRegion(address);
  if (number > highest_) number = highest_, last = kChunksOfRegion - 1;
  for (;; --number, last = kChunksOfRegion - 1) {
    if (const Region* region = directory_[number].load(std::memory_order_relaxed)) {
      uint64_t mask = ~uint64_t{0} >> (63 - last % 64);
      for (uint32_t word = last / 64 + 1; word-- > 0; mask = ~uint64_t{0}) {
        const uint64_t bits = region->used_chunks[word] & mask;
        if (bits == 0) continue;
        *chunk = (number << kRegionShift) +
                 (uint64_t{word * 64 + 63 - static_cast<uint32_t>(std::countl_zero(bits))} << kChunkShift);
        return true;
      }
    }
    if (number == lowest_) return false;
  }
}

bool AddressIndex::NextUsedChunk(uint64_t address, uint64_t* chunk) const noexcept {
  uint64_t number = address >> kRegionShift;
  uint32_t first = ChunkInRegion(address);
  if (number < lowest_) number = lowest_, first = 0;
  for (; number <= highest_ && number < kRegions; ++number, first = 0) {
    const Region* region = directory_[number].load(std::memory_order_relaxed);
    if (region == nullptr) continue;
    uint64_t mask = ~uint64_t{0} << first % 64;
    for (uint32_t word = first / 64; word < kChunksOfRegion / 64; ++word, mask = ~uint64_t{0}) {
      const uint64_t bits = region->used_chunks[word] & mask;
      if (bits == 0) continue;
      *chunk = (number << kRegionShift) +
               (uint64_t{word * 64 + static_cast<uint32_t>(std::countr_zero(bits))} << kChunkShift);
      return true;
    }
  }
  return false;
}

}  // namespace forebay::runtime
