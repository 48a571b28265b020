// A heap that is used as a history says, over pages that are only counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "memory/pool/counting_source.h"
#include "memory/pool/planned_heap.h"
#include "memory/pool/stream_order.h"
#include "memory/pool/trace.h"

namespace forebay::runtime {

struct ReplayOptions {
  HeapOptions heap;
  PlanOptions plan = {.enabled = false};
  bool marks_steps = true;  // otherwise they are found
  uint64_t page_bytes = uint64_t{2} << 20;
  // How far the device is behind: a free has passed so many operations of the pool later. 0: the host never looks, and
  // only knows what it has waited for.
  uint64_t lag = 0;
};

class ReplayedHeap {
 public:
  explicit ReplayedHeap(const ReplayOptions& options)
      : source_(options.page_bytes),
        lag_(options.lag),
        marks_steps_(options.marks_steps),
        heap_(source_, order_, WithWait(options.heap), options.plan) {}

  // 0 when there is no memory.
  uint64_t Allocate(uint64_t bytes, uint32_t stream) {
    Advance();
    const Result<HeapGrant> grant = heap_.Allocate({bytes, bytes, stream});
    if (!grant.ok()) return 0;
    wait_for_ = grant->wait_for;
    if (wait_for_.slot != kNoStream) {
      order_.Snapshot(wait_for_, clock_);
      order_.NoteWait(stream, clock_);
    }
    return grant->address;
  }
  bool Free(uint64_t address, uint32_t stream) {
    if (stream == kNoStream) {
      Advance();
      return heap_.Free(address).outcome == Freed::kOk;
    }
    order_.TakePart(stream);
    if (Advance()) flying_.push_back({operations_ + lag_, stream, now_[stream] + 1});
    return heap_.Free(address, {stream, ++now_[stream]}).outcome == Freed::kOk;
  }
  void Wait(uint32_t from, uint32_t to) {
    order_.Snapshot({from, now_[from]}, clock_);
    order_.NoteWait(to, clock_);
  }
  void Synchronise(uint32_t stream) {
    passed_[stream] = now_[stream];
    order_.NoteSynchronised({stream, now_[stream]});
    heap_.ReleaseAboveThreshold();
    heap_.NoteHostWait();
  }
  void EndStep() {
    if (marks_steps_) heap_.MarkStep();
  }
  uint64_t lag() const { return lag_; }
  // What the last allocation was told to wait for.
  const StreamMoment& wait_for() const { return wait_for_; }
  PlannedHeap& heap() { return heap_; }
  CountingSource& source() { return source_; }
  const CountingSource& source() const { return source_; }

  // Called when the heap waits for a moment.
  std::function<void(const StreamMoment&)> on_wait;

 private:
  struct Flying {
    uint64_t until;
    uint32_t stream;
    uint64_t entry;
  };
  HeapOptions WithWait(HeapOptions options) {
    options.wait = [this](const StreamMoment& moment) {
      passed_[moment.slot] = std::max(passed_[moment.slot], moment.entry);
      order_.NoteSynchronised(moment);
      if (on_wait) on_wait(moment);
      return true;
    };
    return options;
  }
  // One more operation: what is old enough has passed. False without a lag.
  bool Advance() {
    if (lag_ == 0) return false;
    ++operations_;
    for (; !flying_.empty() && flying_.front().until <= operations_; flying_.pop_front()) {
      const Flying& done = flying_.front();
      passed_[done.stream] = std::max(passed_[done.stream], done.entry);
    }
    return true;
  }

  // Frees of each stream, and of these, how many have passed.
  std::vector<uint64_t> now_ = std::vector<uint64_t>(kMostTraceStreams);
  std::vector<uint64_t> passed_ = std::vector<uint64_t>(kMostTraceStreams);
  std::deque<Flying> flying_;
  uint64_t operations_ = 0;
  StreamMoment wait_for_;
  StreamClock clock_;
  CountingSource source_;
  const uint64_t lag_;
  const bool marks_steps_;
  StreamOrder order_{[this](uint32_t slot) { return passed_[slot]; }};
  PlannedHeap heap_;
};

}  // namespace forebay::runtime
