// Records what a step does with memory, and which of its frees each allocation came after.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memory/pool/ordering.h"
#include "memory/pool/step.h"

namespace forebay::runtime {

class StepRecorder {
 public:
  explicit StepRecorder(const Ordering& order) : order_(&order) {}

  // `opportunistic`: what has passed long ago counts as known.
  void Allocate(uint64_t address, uint64_t bytes, uint32_t slot, bool opportunistic);
  // Of a block of an earlier step: nothing.
  void Free(uint64_t address, const StreamMoment& moment);
  void Clear();

  StepRecord& record() { return record_; }
  // The queue that a stream of the record stands for, or kNoStream.
  uint32_t SlotOf(uint32_t stream) const { return streams_[stream].slot; }
  // Of a block, even when the record leaves it out.
  uint64_t BytesOf(uint32_t block) const { return bytes_[block]; }
  // Of what was allocated, in order: equal steps have equal ones.
  uint64_t hash() const { return hash_; }

 private:
  struct Freed {
    StreamMoment moment;
    uint32_t position;
  };
  struct Stream {
    uint32_t slot;
    std::vector<Freed> freed;
    // Of the frees of each other stream, how many this one comes after. Entries of a stream only grow, so that these
    // are the first ones.
    std::vector<std::size_t> seen;
    std::size_t passed = 0;  // frees that the device has come to
  };
  uint32_t IndexOf(uint32_t slot);
  void Look(uint32_t stream, bool opportunistic);
  // The first position of which it is not sure that what was freed before it will have passed.
  uint32_t SurelyPassed(Stream& stream) const;

  const Ordering* order_;
  StepRecord record_;
  std::vector<Stream> streams_;
  std::vector<uint64_t> bytes_;
  uint64_t hash_ = 0;
  std::unordered_map<uint64_t, uint32_t> live_;  // address -> block
};

}  // namespace forebay::runtime
