#include "memory/pool/step.h"

#include <algorithm>

namespace forebay::runtime {

void StepRecord::Widen(uint32_t stream) {
  if (stream < known_.size()) return;
  known_.resize(stream + 1);
  for (std::vector<uint32_t>& row : known_) row.resize(known_.size());
}

uint32_t StepRecord::Allocate(uint64_t bytes, uint32_t stream) {
  Widen(stream);
  blocks_.push_back({bytes, position_++, kAfterStep, stream, stream});
  // With one stream there is nothing to know.
  if (known_.size() > 1) known_at_.insert(known_at_.end(), known_[stream].begin(), known_[stream].end());
  first_known_.push_back(known_at_.size());
  return static_cast<uint32_t>(blocks_.size() - 1);
}

void StepRecord::Free(uint32_t block, uint32_t stream) {
  Widen(stream);
  blocks_[block].end = position_++;
  blocks_[block].free_stream = stream;
}

void StepRecord::SetKnown(uint32_t stream, uint32_t other, uint32_t position) {
  Widen(std::max(stream, other));
  known_[stream][other] = std::max(known_[stream][other], position);
}

void StepRecord::Wait(uint32_t from, uint32_t to) {
  Widen(std::max(from, to));
  if (from == to) return;
  for (std::size_t other = 0; other < known_.size(); ++other)
    known_[to][other] = std::max(known_[to][other], known_[from][other]);
  known_[to][from] = position_;
}

void StepRecord::Synchronise(uint32_t stream) {
  Widen(stream);
  for (std::vector<uint32_t>& row : known_) {
    row[stream] = position_;
    for (std::size_t other = 0; other < known_.size(); ++other)
      row[other] = std::max(row[other], known_[stream][other]);
  }
}

void StepRecord::Clear() {
  blocks_.clear();
  known_at_.clear();
  first_known_.assign(1, 0);
  position_ = 0;
  for (std::vector<uint32_t>& row : known_) std::fill(row.begin(), row.end(), 0);
}

void StepRecord::LeaveOutSurvivors() {
  for (StepBlock& block : blocks_) {
    if (block.end == kAfterStep) block.bytes = 0;
  }
}

uint64_t StepRecord::PeakBytes() const {
  std::vector<int64_t> changes(std::size_t{position_} + 1);
  for (const StepBlock& block : blocks_) {
    changes[block.begin] += static_cast<int64_t>(block.bytes);
    if (block.end != kAfterStep) changes[block.end] -= static_cast<int64_t>(block.bytes);
  }
  int64_t live = 0;
  int64_t peak = 0;
  for (const int64_t change : changes) peak = std::max(peak, live += change);
  return static_cast<uint64_t>(peak);
}

}  // namespace forebay::runtime
