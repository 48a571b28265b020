// The lists a hardware scheduler keeps its streams on. Indexes instead of pointers, no allocation after construction.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "forebay/types/bar.h"

namespace forebay::device {

inline constexpr uint32_t kNoStream = ~0u;

// First-in first-out lists, one per priority, of streams that can run now. A stream is on at most one.
class ReadyLists {
 public:
  explicit ReadyLists(uint32_t stream_count) : next_(stream_count, kNoStream) {
    first_.fill(kNoStream);
    last_.fill(kNoStream);
  }
  bool empty() const noexcept { return levels_ == 0; }
  uint32_t size() const noexcept { return size_; }
  void PushBack(uint32_t level, uint32_t stream) noexcept {
    next_[stream] = kNoStream;
    if (first_[level] == kNoStream) {
      first_[level] = stream;
    } else {
      next_[last_[level]] = stream;
    }
    last_[level] = stream;
    levels_ |= 1u << level;
    ++size_;
  }
  uint32_t HighestLevel() const noexcept { return static_cast<uint32_t>(std::countr_zero(levels_)); }
  // One bit for each level that has streams.
  uint32_t levels() const noexcept { return levels_; }
  uint32_t PopFront(uint32_t level) noexcept {
    const uint32_t stream = first_[level];
    first_[level] = next_[stream];
    if (first_[level] == kNoStream) {
      last_[level] = kNoStream;
      levels_ &= ~(1u << level);
    }
    --size_;
    return stream;
  }
  // Takes the n-th stream over all levels, highest first. For the scheduler that picks by seed.
  uint32_t PopNth(uint32_t n) noexcept {
    for (uint32_t level = 0; level < types::kPriorityLevels; ++level) {
      uint32_t previous = kNoStream;
      for (uint32_t stream = first_[level]; stream != kNoStream; previous = stream, stream = next_[stream]) {
        if (n-- != 0) continue;
        if (previous == kNoStream) return PopFront(level);
        next_[previous] = next_[stream];
        if (last_[level] == stream) last_[level] = previous;
        --size_;
        return stream;
      }
    }
    return kNoStream;
  }

 private:
  std::array<uint32_t, types::kPriorityLevels> first_;
  std::array<uint32_t, types::kPriorityLevels> last_;
  std::vector<uint32_t> next_;
  uint32_t levels_ = 0;
  uint32_t size_ = 0;
};

// A set of streams with constant-time insert and remove, and iteration over a dense array.
class StreamSet {
 public:
  explicit StreamSet(uint32_t stream_count) : position_(stream_count, kNoStream) { members_.reserve(stream_count); }
  void Insert(uint32_t stream) {
    position_[stream] = static_cast<uint32_t>(members_.size());
    members_.push_back(stream);
  }
  void RemoveAt(std::size_t index) noexcept {
    position_[members_[index]] = kNoStream;
    members_[index] = members_.back();
    members_.pop_back();
    if (index < members_.size()) position_[members_[index]] = static_cast<uint32_t>(index);
  }
  void Remove(uint32_t stream) noexcept { RemoveAt(position_[stream]); }
  bool empty() const noexcept { return members_.empty(); }
  std::size_t size() const noexcept { return members_.size(); }
  uint32_t operator[](std::size_t index) const noexcept { return members_[index]; }

 private:
  std::vector<uint32_t> members_;
  std::vector<uint32_t> position_;
};

}  // namespace forebay::device
