// A heap that learns the steps of a program: once a step was recorded, the next one that does the same gets each block
// at a place that was chosen in advance, without a search and with hardly any waste. What differs goes to the heap
// below.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/spin_lock.h"
#include "memory/pool/arena.h"
#include "memory/pool/heap.h"
#include "memory/pool/step_finder.h"
#include "memory/pool/step_profile.h"
#include "memory/pool/step_recorder.h"

namespace forebay::runtime {

// A plan is made of the memory of the step, which HeapOptions::wait waits for. Without that function it takes
// additional memory for a while.
struct PlanOptions {
  bool enabled = true;
  uint64_t least_bytes = uint64_t{32} << 10;  // smaller blocks are not planned
  uint32_t most_blocks = 20'000;              // of a step; longer ones are not planned
  uint64_t effort = 30'000'000;               // see PlacementEffort
};

struct PlanStatistics {
  uint64_t plans = 0;           // made so far
  uint64_t arena_bytes = 0;     // of the plan in use; 0: none
  uint64_t planned = 0;         // blocks that were given a place
  uint64_t complete_steps = 0;  // that did what their plan said, to the end
  uint64_t other_steps = 0;
};

// Thread safety: all functions may be called from any thread. The heap is called without a lock.
class PlannedHeap {
 public:
  PlannedHeap(PageSource& source, const Ordering& order, const HeapOptions& options, const PlanOptions& plan);
  ~PlannedHeap();

  // The functions of Heap, for all blocks.
  Result<HeapGrant> Allocate(const HeapRequest& request) EXCLUDES(lock_);
  FreeResult Free(uint64_t address) { return Free(address, StreamMoment()); }
  FreeResult Free(uint64_t address, const StreamMoment& moment) EXCLUDES(lock_);
  std::optional<BlockInfo> Find(uint64_t address) EXCLUDES(lock_);
  // Gives up the plan too, when that is needed and nobody uses it.
  uint64_t Trim(uint64_t keep_bytes) EXCLUDES(lock_);
  uint64_t ReleaseAboveThreshold();
  std::vector<StreamMoment> PendingMoments() { return heap_.PendingMoments(); }
  // Peaks are bounds while there is a plan: all of its memory counts as used in them.
  HeapStatistics statistics() EXCLUDES(lock_);
  std::vector<BlockInfo> Blocks() EXCLUDES(lock_);

  // A step of the program ends; the next one is recorded, or served by the plan. Plans are made here, which takes some
  // 100 ms then; the device goes on meanwhile.
  void MarkStep() EXCLUDES(lock_);
  // The host has waited for a stream. Steps of programs that never mark them are found here.
  void NoteHostWait() EXCLUDES(lock_);

  PlanStatistics plan_statistics() EXCLUDES(lock_);
  Heap& heap() { return heap_; }

 private:
  bool IsPlanned(uint64_t bytes) const { return plan_options_.enabled && bytes >= plan_options_.least_bytes; }
  void Record(uint64_t address, uint64_t bytes, uint32_t stream) REQUIRES(lock_);
  Result<HeapGrant> AllocateBelow(const HeapRequest& request, uint64_t bytes) EXCLUDES(lock_);
  void EndStep(bool is_found) EXCLUDES(lock_);
  // Takes the record and makes a plan of it, which is in use afterwards.
  void MakePlan() EXCLUDES(lock_);
  uint64_t ObtainArena(uint64_t bytes) EXCLUDES(lock_);
  void Retire() REQUIRES(lock_);
  // Gives arenas back that nobody uses any more. Returns whether there were any.
  bool GiveBackRetired() EXCLUDES(lock_);
  Arena* ArenaOf(uint64_t address) REQUIRES(lock_);
  void NoteArenas() REQUIRES(lock_);

  const Ordering& order_;
  const PlanOptions plan_options_;
  const std::function<bool(const StreamMoment&)> wait_;
  const uint64_t alignment_;
  Heap heap_;
  std::atomic<bool> marks_steps_{false};
  std::atomic<bool> recording_{false};  // changed under lock_
  // Every arena lies between them.
  std::atomic<uint64_t> lowest_{UINT64_MAX}, highest_{0};

  base::SpinLock lock_;
  std::unique_ptr<Arena> arena_ GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Arena>> retired_ GUARDED_BY(lock_);
  StepRecorder recorder_ GUARDED_BY(lock_);
  StepFinder finder_ GUARDED_BY(lock_);
  PlanStatistics counts_ GUARDED_BY(lock_);
  bool planning_ GUARDED_BY(lock_) = false;
  uint64_t last_hash_ GUARDED_BY(lock_) = 0;
  uint32_t disappointments_ GUARDED_BY(lock_) = 0;  // steps since the last one that did what its plan said
  StepProfile profile_ GUARDED_BY(lock_), last_profile_ GUARDED_BY(lock_);
};

}  // namespace forebay::runtime
