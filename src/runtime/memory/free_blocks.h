// The bookkeeping of a pool: which parts of its ranges are free. Best fit, split, coalesce. Knows nothing of devices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace forebay::runtime {

struct Block {
  uint64_t address = 0;
  uint64_t bytes = 0;      // rounded up
  uint64_t requested = 0;  // as asked for
};

// Not thread-safe. O(log n) in the number of blocks.
class FreeBlocks {
 public:
  // Adds a range to carve from. Ranges that touch each other stay apart, so that each can be given back whole.
  void AddRange(uint64_t address, uint64_t bytes);
  // The smallest free block of at least `bytes`; what is left over stays free.
  std::optional<Block> Take(uint64_t bytes, uint64_t requested);
  // Gives a block back and joins it with its free neighbours. Empty when no live block starts there.
  std::optional<Block> Give(uint64_t address);
  const Block* FindLive(uint64_t address) const;
  // Takes out the ranges that hold no live block.
  std::vector<Block> RemoveFreeRanges();

  uint64_t free_bytes() const noexcept { return free_bytes_; }
  uint64_t largest_free() const noexcept { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }
  std::size_t live_count() const noexcept { return live_.size(); }

 private:
  void InsertFree(uint64_t address, uint64_t bytes);
  void EraseFree(std::map<uint64_t, uint64_t>::iterator block);
  bool StartsRange(uint64_t address) const { return ranges_.count(address) != 0; }

  std::map<uint64_t, uint64_t> ranges_;              // address -> bytes
  std::map<uint64_t, uint64_t> free_;                // address -> bytes
  std::set<std::pair<uint64_t, uint64_t>> by_size_;  // bytes, address
  std::map<uint64_t, Block> live_;
  uint64_t free_bytes_ = 0;
};

}  // namespace forebay::runtime
