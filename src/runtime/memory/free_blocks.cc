#include "memory/free_blocks.h"

namespace forebay::runtime {

void FreeBlocks::InsertFree(uint64_t address, uint64_t bytes) {
  free_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
  free_bytes_ += bytes;
}

void FreeBlocks::EraseFree(std::map<uint64_t, uint64_t>::iterator block) {
  free_bytes_ -= block->second;
  by_size_.erase({block->second, block->first});
  free_.erase(block);
}

void FreeBlocks::AddRange(uint64_t address, uint64_t bytes) {
  ranges_.emplace(address, bytes);
  InsertFree(address, bytes);
}

std::optional<Block> FreeBlocks::Take(uint64_t bytes, uint64_t requested) {
  const auto fit = by_size_.lower_bound({bytes, 0});
  if (fit == by_size_.end()) return std::nullopt;
  const auto [found_bytes, address] = *fit;
  EraseFree(free_.find(address));
  if (found_bytes > bytes) InsertFree(address + bytes, found_bytes - bytes);
  const Block block{address, bytes, requested};
  live_.emplace(address, block);
  return block;
}

std::optional<Block> FreeBlocks::Give(uint64_t address) {
  const auto live = live_.find(address);
  if (live == live_.end()) return std::nullopt;
  const Block block = live->second;
  live_.erase(live);
  uint64_t begin = block.address;
  uint64_t bytes = block.bytes;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && begin + bytes == next->first && !StartsRange(next->first)) {
    bytes += next->second;
    const auto joined = next++;
    EraseFree(joined);
  }
  if (next != free_.begin() && !StartsRange(begin)) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      begin = previous->first;
      bytes += previous->second;
      EraseFree(previous);
    }
  }
  InsertFree(begin, bytes);
  return block;
}

const Block* FreeBlocks::FindLive(uint64_t address) const {
  const auto live = live_.find(address);
  return live == live_.end() ? nullptr : &live->second;
}

std::vector<Block> FreeBlocks::RemoveFreeRanges() {
  std::vector<Block> removed;
  for (auto range = ranges_.begin(); range != ranges_.end();) {
    const auto block = free_.find(range->first);
    if (block == free_.end() || block->second != range->second) {
      ++range;
      continue;
    }
    removed.push_back({range->first, range->second, 0});
    EraseFree(block);
    range = ranges_.erase(range);
  }
  return removed;
}

}  // namespace forebay::runtime
