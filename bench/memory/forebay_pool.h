// Our heap over pages that are counted, as a pool that can be compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "counting_source.h"
#include "memory/pool/planned_heap.h"
#include "memory/pool/stream_order.h"
#include "pool.h"

namespace forebay::bench {

struct ForebayOptions {
  runtime::HeapOptions heap;
  runtime::PlanOptions plan = {.enabled = false};
  bool marks_steps = true;  // otherwise they are found
  uint64_t page_bytes = 2 * kMiB;
  // How far the device is behind: a free has passed so many operations of the pool later. 0: the host never looks, and
  // only knows what it has waited for.
  uint64_t lag = 0;
};

// As in the model of a framework, which looks at its events in the same way.
inline constexpr uint64_t kUsualLag = 200;

inline ForebayOptions Planned(bool marks_steps) {
  ForebayOptions options;
  options.plan.enabled = true;
  options.marks_steps = marks_steps;
  options.heap.insert_waits = false;
  options.lag = kUsualLag;
  return options;
}

// What the comparisons of waste begin with: no waits are inserted, because the other pools insert none either.
inline ForebayOptions WithoutRemapping() {
  ForebayOptions options;
  options.heap.insert_waits = false;
  options.heap.remap_bytes = 0;
  return options;
}

class ForebayPool final : public Pool {
 public:
  explicit ForebayPool(const ForebayOptions& options)
      : source_(options.page_bytes),
        lag_(options.lag),
        marks_steps_(options.marks_steps),
        heap_(source_, order_, options.heap, WithWait(options.plan)) {}

  uint64_t Allocate(uint64_t bytes, uint32_t stream) override {
    Advance();
    const Result<runtime::HeapGrant> grant = heap_.Allocate({bytes, bytes, stream});
    if (!grant.ok()) return 0;
    wait_for_ = grant->wait_for;
    if (wait_for_.slot != runtime::kNoStream) {
      order_.Snapshot(wait_for_, clock_);
      order_.NoteWait(stream, clock_);
    }
    return grant->address;
  }
  bool Free(uint64_t address, uint32_t stream) override {
    order_.TakePart(stream);
    if (Advance()) flying_.push_back({operations_ + lag_, stream, now_[stream] + 1});
    return heap_.Free(address, {stream, ++now_[stream]}).outcome == runtime::Freed::kOk;
  }
  void Wait(uint32_t from, uint32_t to) override {
    order_.Snapshot({from, now_[from]}, clock_);
    order_.NoteWait(to, clock_);
  }
  void Synchronise(uint32_t stream) override {
    passed_[stream] = now_[stream];
    order_.NoteSynchronised({stream, now_[stream]});
    heap_.ReleaseAboveThreshold();
    heap_.NoteHostWait();
  }
  void EndStep() override {
    if (marks_steps_) heap_.MarkStep();
  }
  uint64_t reserved() const override { return source_.reserved(); }
  uint64_t peak_reserved() const override { return source_.peak(); }
  uint64_t upstream_calls() const override { return source_.calls(); }

  uint64_t lag() const { return lag_; }
  // What the last allocation was told to wait for.
  const runtime::StreamMoment& wait_for() const { return wait_for_; }
  runtime::PlannedHeap& heap() { return heap_; }
  CountingSource& source() { return source_; }

  // Called when the host waits for a moment, to make a plan.
  std::function<void(const runtime::StreamMoment&)> on_wait;

 private:
  struct Flying {
    uint64_t until;
    uint32_t stream;
    uint64_t entry;
  };
  runtime::PlanOptions WithWait(runtime::PlanOptions plan) {
    plan.wait = [this](const runtime::StreamMoment& moment) {
      passed_[moment.slot] = std::max(passed_[moment.slot], moment.entry);
      order_.NoteSynchronised(moment);
      if (on_wait) on_wait(moment);
    };
    return plan;
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
  std::vector<uint64_t> now_ = std::vector<uint64_t>(runtime::kMostTraceStreams);
  std::vector<uint64_t> passed_ = std::vector<uint64_t>(runtime::kMostTraceStreams);
  std::deque<Flying> flying_;
  uint64_t operations_ = 0;
  runtime::StreamMoment wait_for_;
  runtime::StreamClock clock_;
  CountingSource source_;
  const uint64_t lag_;
  const bool marks_steps_;
  runtime::StreamOrder order_{[this](uint32_t slot) { return passed_[slot]; }};
  runtime::PlannedHeap heap_;
};

}  // namespace forebay::bench
