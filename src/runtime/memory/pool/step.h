// What one step of a program did with memory: each block, when it lived, and what its allocation came after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace forebay::runtime {

// Position of an operation that is not part of the step.
inline constexpr uint32_t kAfterStep = ~uint32_t{0};

struct StepBlock {
  uint64_t bytes = 0;
  uint32_t begin = 0;         // position of the allocation among the allocations and frees of the step
  uint32_t end = kAfterStep;  // position of the free
  uint32_t stream = 0;        // of the allocation, from 0
  uint32_t free_stream = 0;
};

// Records a step as a plan needs it. Streams are small numbers.
//
// An order between streams is a position: of what `other` freed, `stream` comes after all that has a lower one.
class StepRecord {
 public:
  // Returns the index of the block.
  uint32_t Allocate(uint64_t bytes, uint32_t stream);
  void Free(uint32_t block, uint32_t stream);
  // What `stream` does from here on comes after what `other` freed below `position`.
  void SetKnown(uint32_t stream, uint32_t other, uint32_t position);
  // `to` waits for all that `from` has done so far.
  void Wait(uint32_t from, uint32_t to);
  // The host waits for the stream, so that all streams come after it.
  void Synchronise(uint32_t stream);
  void Clear();
  // What is not freed within the step takes no room in a placement.
  void LeaveOutSurvivors();

  const std::vector<StepBlock>& blocks() const { return blocks_; }
  uint32_t position() const { return position_; }
  // Whether `later` may have the space of `earlier` at its allocation.
  bool MayFollow(const StepBlock& later, uint32_t later_index, const StepBlock& earlier) const {
    if (earlier.end >= later.begin) return false;
    return earlier.free_stream == later.stream || earlier.end < KnownAt(later_index, earlier.free_stream);
  }
  // The most bytes that are live at once: no placement needs less.
  uint64_t PeakBytes() const;

 private:
  uint32_t KnownAt(uint32_t block, uint32_t other) const {
    const std::size_t first = first_known_[block];
    return other < first_known_[block + 1] - first ? known_at_[first + other] : 0;
  }
  void Widen(uint32_t stream);

  std::vector<StepBlock> blocks_;
  std::vector<std::vector<uint32_t>> known_;  // known_[stream][other]: a position
  // A copy of the row of its stream for each block. Rows grow as streams appear; what is not there is 0.
  std::vector<uint32_t> known_at_;
  std::vector<std::size_t> first_known_ = {0};
  uint32_t position_ = 0;
};

}  // namespace forebay::runtime
