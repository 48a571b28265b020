#include "memory/pool/step_recorder.h"

#include <algorithm>

namespace forebay::runtime {

uint32_t StepRecorder::IndexOf(uint32_t slot) {
  const auto at = std::find_if(streams_.begin(), streams_.end(), [&](const Stream& one) { return one.slot == slot; });
  if (at == streams_.end()) {
    streams_.push_back({slot, {}, {}});
    return static_cast<uint32_t>(streams_.size() - 1);
  }
  return static_cast<uint32_t>(at - streams_.begin());
}

uint32_t StepRecorder::SurelyPassed(Stream& stream) const {
  while (stream.passed < stream.freed.size() && order_->HasPassed(stream.freed[stream.passed].moment)) ++stream.passed;
  if (stream.passed == 0) return 0;
  // The device is never as far behind as twice what it is now, one hopes. When it is, the block goes elsewhere.
  const uint32_t behind = record_.position() - stream.freed[stream.passed - 1].position;
  return record_.position() - std::min(record_.position(), 2 * behind);
}

void StepRecorder::Look(uint32_t stream, bool opportunistic) {
  std::vector<std::size_t>& seen = streams_[stream].seen;
  seen.resize(streams_.size());
  for (uint32_t other = 0; other < streams_.size(); ++other) {
    const std::vector<Freed>& freed = streams_[other].freed;
    const std::size_t before = seen[other];
    while (seen[other] < freed.size() && order_->IsOrdered(streams_[stream].slot, freed[seen[other]].moment))
      ++seen[other];
    if (seen[other] > before) record_.SetKnown(stream, other, freed[seen[other] - 1].position + 1);
    if (opportunistic && other != stream) record_.SetKnown(stream, other, SurelyPassed(streams_[other]));
  }
}

void StepRecorder::Allocate(uint64_t address, uint64_t bytes, uint32_t slot, bool opportunistic) {
  const uint32_t stream = IndexOf(slot);
  Look(stream, opportunistic);
  live_[address] = record_.Allocate(bytes, stream);
  bytes_.push_back(bytes);
  constexpr uint64_t kPrime = 0x100000001B3;
  hash_ = ((hash_ ^ bytes) * kPrime ^ slot) * kPrime;
}

void StepRecorder::Free(uint64_t address, const StreamMoment& moment) {
  const auto at = live_.find(address);
  if (at == live_.end()) return;
  const uint32_t stream = IndexOf(moment.slot);
  streams_[stream].freed.push_back({moment, record_.position()});
  record_.Free(at->second, stream);
  live_.erase(at);
}

void StepRecorder::Clear() {
  record_.Clear();
  streams_.clear();
  live_.clear();
  bytes_.clear();
  hash_ = 0;
}

}  // namespace forebay::runtime
