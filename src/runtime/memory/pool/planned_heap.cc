#include "memory/pool/planned_heap.h"

#include <algorithm>
#include <bit>

namespace forebay::runtime {
namespace {

// Percent of a step that must have been in the one before, for a plan; and all of it after so many steps that did
// something else than their plan.
constexpr uint32_t kAlike = 90;
constexpr uint32_t kMostDisappointments = 4;
// Blocks of a step that may go elsewhere before the plan is given up, beyond as many as find their places.
constexpr uint32_t kMostMisses = 64;
// What the heap below may keep for blocks that are not planned.
constexpr uint64_t kRoomForOthers = uint64_t{8} << 20;

}  // namespace

PlannedHeap::PlannedHeap(PageSource& source, const Ordering& order, const HeapOptions& options, const PlanOptions& plan)
    : order_(order),
      plan_options_(plan),
      wait_(options.wait),
      alignment_(std::bit_ceil(std::clamp<uint64_t>(options.alignment, 64, source.page_bytes()))),
      heap_(source, order, options),
      recorder_(order) {}

PlannedHeap::~PlannedHeap() = default;

// ---- Blocks ----

Result<HeapGrant> PlannedHeap::Allocate(const HeapRequest& request) {
  const uint64_t wanted = std::max(request.bytes, request.rounded_from);
  if (!IsPlanned(wanted) || wanted > UINT64_MAX - alignment_) return heap_.Allocate(request);
  const uint64_t bytes = (wanted + alignment_ - 1) & ~(alignment_ - 1);
  bool given_up = false;
  {
    base::SpinLockHolder hold(lock_);
    if (!marks_steps_.load(std::memory_order_relaxed)) finder_.Note(bytes, request.stream);
    profile_.Note(bytes, request.stream);
    if (arena_ != nullptr) {
      if (const auto address = arena_->Allocate(bytes, request, order_, heap_.reuse_policy().opportunistic)) {
        ++counts_.planned;
        Record(*address, bytes, request.stream);
        return HeapGrant{*address, {}};
      }
      given_up = arena_->misses() > arena_->hits() + kMostMisses;
      if (given_up) {
        Retire();
        finder_.Forget();
      }
    }
  }
  if (given_up) GiveBackRetired();
  return AllocateBelow(request, bytes);
}

void PlannedHeap::Record(uint64_t address, uint64_t bytes, uint32_t stream) {
  if (!recording_.load(std::memory_order_relaxed)) return;
  recorder_.Allocate(address, bytes, stream, heap_.reuse_policy().opportunistic);
  if (recorder_.record().blocks().size() <= plan_options_.most_blocks) return;
  recording_.store(false, std::memory_order_relaxed);
  recorder_.Clear();
}

Result<HeapGrant> PlannedHeap::AllocateBelow(const HeapRequest& request, uint64_t bytes) {
  Result<HeapGrant> grant = heap_.Allocate(request);
  if (!grant.ok()) {
    // A plan is worth less than an allocation.
    {
      base::SpinLockHolder hold(lock_);
      if (arena_ != nullptr && arena_->IsIdle(order_)) Retire();
    }
    if (GiveBackRetired()) grant = heap_.Allocate(request);
  }
  if (!grant.ok() || !recording_.load(std::memory_order_relaxed)) return grant;
  base::SpinLockHolder hold(lock_);
  Record(grant->address, bytes, request.stream);
  return grant;
}

Arena* PlannedHeap::ArenaOf(uint64_t address) {
  if (arena_ != nullptr && arena_->Contains(address)) return arena_.get();
  for (const auto& arena : retired_) {
    if (arena->Contains(address)) return arena.get();
  }
  return nullptr;
}

FreeResult PlannedHeap::Free(uint64_t address, const StreamMoment& moment) {
  const bool may_be_planned =
      address >= lowest_.load(std::memory_order_relaxed) && address < highest_.load(std::memory_order_relaxed);
  if (!may_be_planned && !recording_.load(std::memory_order_relaxed)) return heap_.Free(address, moment);
  {
    base::SpinLockHolder hold(lock_);
    if (Arena* arena = ArenaOf(address)) {
      const FreeResult result = arena->Free(address, moment);
      if (result.outcome == Freed::kOk) recorder_.Free(address, moment);
      return result;
    }
    // Before the heap knows: whoever gets the address next is recorded after this.
    recorder_.Free(address, moment);
  }
  return heap_.Free(address, moment);
}

std::optional<BlockInfo> PlannedHeap::Find(uint64_t address) {
  {
    base::SpinLockHolder hold(lock_);
    if (const Arena* arena = ArenaOf(address)) return arena->Find(address);
  }
  return heap_.Find(address);
}

std::vector<BlockInfo> PlannedHeap::Blocks() {
  std::vector<BlockInfo> blocks;
  const std::vector<BlockInfo> below = heap_.Blocks();
  base::SpinLockHolder hold(lock_);
  for (const BlockInfo& block : below) {
    if (const Arena* arena = ArenaOf(block.address)) {
      arena->AppendBlocks(&blocks);
    } else {
      blocks.push_back(block);
    }
  }
  return blocks;
}

HeapStatistics PlannedHeap::statistics() {
  HeapStatistics statistics = heap_.statistics();
  base::SpinLockHolder hold(lock_);
  const auto count = [&](const Arena& arena) {
    statistics.requested.now += arena.live_requested() - arena.bytes();
    statistics.used.now += arena.live_bytes() - arena.bytes();
    statistics.active.now += arena.live_bytes() - arena.bytes();
    statistics.blocks += arena.live_blocks() - 1;
  };
  if (arena_ != nullptr) count(*arena_);
  for (const auto& arena : retired_) count(*arena);
  return statistics;
}

PlanStatistics PlannedHeap::plan_statistics() {
  base::SpinLockHolder hold(lock_);
  PlanStatistics statistics = counts_;
  statistics.arena_bytes = arena_ == nullptr ? 0 : arena_->bytes();
  return statistics;
}

// ---- Memory of plans ----

void PlannedHeap::NoteArenas() {
  uint64_t lowest = UINT64_MAX;
  uint64_t highest = 0;
  const auto include = [&](const Arena& arena) {
    lowest = std::min(lowest, arena.address());
    highest = std::max(highest, arena.address() + arena.bytes());
  };
  if (arena_ != nullptr) include(*arena_);
  for (const auto& arena : retired_) include(*arena);
  lowest_.store(lowest, std::memory_order_relaxed);
  highest_.store(highest, std::memory_order_relaxed);
}

void PlannedHeap::Retire() {
  if (arena_ != nullptr) retired_.push_back(std::move(arena_));
}

bool PlannedHeap::GiveBackRetired() {
  std::vector<std::unique_ptr<Arena>> idle;
  {
    base::SpinLockHolder hold(lock_);
    const auto first_idle =
        std::partition(retired_.begin(), retired_.end(), [&](const auto& arena) { return !arena->IsIdle(order_); });
    std::move(first_idle, retired_.end(), std::back_inserter(idle));
    retired_.erase(first_idle, retired_.end());
    if (!idle.empty()) NoteArenas();
  }
  for (const auto& arena : idle) heap_.Free(arena->address());
  return !idle.empty();
}

uint64_t PlannedHeap::Trim(uint64_t keep_bytes) {
  GiveBackRetired();
  uint64_t trimmed = heap_.Trim(keep_bytes);
  if (heap_.reserved_bytes() <= keep_bytes) return trimmed;
  {
    base::SpinLockHolder hold(lock_);
    if (arena_ == nullptr || !arena_->IsIdle(order_)) return trimmed;
    Retire();
  }
  if (GiveBackRetired()) trimmed += heap_.Trim(keep_bytes);
  return trimmed;
}

uint64_t PlannedHeap::ReleaseAboveThreshold() {
  return heap_.reserved_bytes() <= heap_.release_threshold() ? 0 : Trim(heap_.release_threshold());
}

// 0 when there is no memory for it.
uint64_t PlannedHeap::ObtainArena(uint64_t bytes) {
  if (wait_ != nullptr) {
    for (const StreamMoment& moment : heap_.PendingMoments()) wait_(moment);
  }
  GiveBackRetired();
  // The pages under what the step left free become the arena, so that no more is reserved than before.
  const HeapStatistics before = heap_.statistics();
  if (before.largest_free < bytes) heap_.Trim(before.reserved.now - std::min(before.reserved.now, bytes));
  const Result<HeapGrant> grant = heap_.Allocate({bytes, bytes, kNoStream});
  return grant.ok() ? grant->address : 0;
}

// ---- Steps ----

void PlannedHeap::MarkStep() {
  marks_steps_.store(true, std::memory_order_relaxed);
  if (plan_options_.enabled) EndStep(false);
}

void PlannedHeap::NoteHostWait() {
  if (!plan_options_.enabled || marks_steps_.load(std::memory_order_relaxed)) return;
  bool ends = false;
  {
    base::SpinLockHolder hold(lock_);
    ends = finder_.EndSegment();
  }
  if (ends) EndStep(true);
}

void PlannedHeap::EndStep(bool is_found) {
  bool make_plan = false;
  {
    base::SpinLockHolder hold(lock_);
    if (planning_) return;  // another thread, about a step before
    const bool complete = arena_ != nullptr && arena_->IsComplete();
    if (arena_ != nullptr) ++(complete ? counts_.complete_steps : counts_.other_steps);
    disappointments_ = complete || counts_.plans == 0 ? 0 : disappointments_ + 1;
    const bool alike = is_found || profile_.PercentIn(last_profile_) >= kAlike;
    std::swap(profile_, last_profile_);
    profile_.Clear();
    const bool was_recording = recording_.load(std::memory_order_relaxed);
    if (complete) {
      recording_.store(false, std::memory_order_relaxed);
    } else if (was_recording) {
      const std::size_t blocks = recorder_.record().blocks().size();
      const bool repeats = recorder_.hash() == last_hash_;
      last_hash_ = recorder_.hash();
      make_plan = blocks > 0 && (repeats || (alike && disappointments_ <= kMostDisappointments));
    } else {
      recording_.store(true, std::memory_order_relaxed);
    }
    if (!make_plan) recorder_.Clear();
    planning_ = make_plan;
    if (arena_ != nullptr) arena_->BeginStep();
  }
  if (make_plan) MakePlan();
  GiveBackRetired();
}

void PlannedHeap::MakePlan() {
  StepRecorder recorder(order_);
  {
    base::SpinLockHolder hold(lock_);
    std::swap(recorder, recorder_);
    recording_.store(false, std::memory_order_relaxed);
    Retire();
  }
  GiveBackRetired();
  StepRecord& record = recorder.record();
  uint64_t survivors = 0;
  for (const StepBlock& block : record.blocks()) survivors += block.end == kAfterStep ? block.bytes : 0;
  record.LeaveOutSurvivors();
  Placement placement = Place(record, {plan_options_.effort});
  std::unique_ptr<Arena> arena;
  // What would be given back at the next synchronisation is no place for a plan.
  if (const uint64_t bytes = placement.bytes; bytes > 0 && bytes <= heap_.release_threshold()) {
    arena = std::make_unique<Arena>(recorder, std::move(placement));
    arena->set_address(ObtainArena(bytes));
  }
  if (arena != nullptr && arena->address() != 0) {
    // What the steps before needed, and the next one will not.
    heap_.Trim(heap_.statistics().used.now + survivors + std::min(kRoomForOthers, arena->bytes() / 256));
  }
  base::SpinLockHolder hold(lock_);
  planning_ = false;
  recording_.store(true, std::memory_order_relaxed);
  if (arena == nullptr || arena->address() == 0) return;
  ++counts_.plans;
  arena->BeginStep();
  arena_ = std::move(arena);
  NoteArenas();
}

}  // namespace forebay::runtime
