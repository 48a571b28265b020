// Our heap as a pool that can be compared.
#pragma once

#include <cstdint>

#include "memory/pool/replayed_heap.h"
#include "pool.h"

namespace forebay::bench {

using ForebayOptions = runtime::ReplayOptions;

// As in the model of a framework, which looks at its events in the same way.
inline constexpr uint64_t kUsualLag = 200;

// What the comparisons of waste begin with: no waits are inserted, because the other pools insert none either.
inline ForebayOptions WithoutRemapping() {
  ForebayOptions options;
  options.heap.insert_waits = false;
  options.heap.remap_bytes = 0;
  return options;
}

inline ForebayOptions Planned(bool marks_steps) {
  ForebayOptions options;
  options.plan.enabled = true;
  options.marks_steps = marks_steps;
  options.heap.insert_waits = false;
  options.lag = kUsualLag;
  return options;
}

class ForebayPool final : public Pool {
 public:
  explicit ForebayPool(const ForebayOptions& options) : replayed_(options) {}

  uint64_t Allocate(uint64_t bytes, uint32_t stream) override { return replayed_.Allocate(bytes, stream); }
  bool Free(uint64_t address, uint32_t stream) override { return replayed_.Free(address, stream); }
  void Wait(uint32_t from, uint32_t to) override { replayed_.Wait(from, to); }
  void Synchronise(uint32_t stream) override { replayed_.Synchronise(stream); }
  void EndStep() override { replayed_.EndStep(); }
  uint64_t reserved() const override { return replayed_.source().reserved(); }
  uint64_t peak_reserved() const override { return replayed_.source().peak(); }
  uint64_t upstream_calls() const override { return replayed_.source().calls(); }

  runtime::ReplayedHeap& replayed() { return replayed_; }
  runtime::PlannedHeap& heap() { return replayed_.heap(); }

 private:
  runtime::ReplayedHeap replayed_;
};

}  // namespace forebay::bench
