// Finds the steps of a program that does not mark them: what it allocates between the waits of the host repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace forebay::runtime {

class StepFinder {
 public:
  void Note(uint64_t bytes, uint32_t stream) noexcept {
    constexpr uint64_t kPrime = 0x100000001B3;
    hash_ = (hash_ ^ bytes) * kPrime;
    hash_ = (hash_ ^ stream) * kPrime;
    ++count_;
  }

  // The host has waited. True when a step ends here.
  bool EndSegment() {
    if (count_ == 0) return false;
    if (segments_.size() == 2 * kMostSegments) segments_.erase(segments_.begin());
    segments_.push_back(hash_);
    hash_ = 0;
    count_ = 0;
    if (period_ == 0) {
      period_ = Period();
      since_ = 0;
      return period_ != 0;
    }
    if (++since_ < period_) return false;
    since_ = 0;
    return true;
  }

  // Steps are to be found anew.
  void Forget() {
    period_ = 0;
    segments_.clear();
  }

 private:
  static constexpr std::size_t kMostSegments = 64;  // of a step

  // The least number of segments that were the same twice.
  std::size_t Period() const {
    for (std::size_t period = 1; 2 * period <= segments_.size(); ++period) {
      bool repeats = true;
      for (std::size_t i = segments_.size() - period; i < segments_.size() && repeats; ++i)
        repeats = segments_[i] == segments_[i - period];
      if (repeats) return period;
    }
    return 0;
  }

  std::vector<uint64_t> segments_;
  uint64_t hash_ = 0;
  uint64_t count_ = 0;
  std::size_t period_ = 0;
  std::size_t since_ = 0;
};

}  // namespace forebay::runtime
