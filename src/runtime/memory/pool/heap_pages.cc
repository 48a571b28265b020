// Large blocks, and the pages below all of them.
#include <algorithm>
#include <string>

#include "memory/pool/heap.h"

#include "forebay/base/macros.h"

namespace forebay::runtime {
namespace {

uint64_t AlignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

}  // namespace

Result<HeapGrant> Heap::AllocateLarge(const HeapRequest& request, uint64_t bytes) {
  // Beyond every address, and the sums below cannot overflow.
  if (bytes >> AddressIndex::kAddressBits != 0) return NoMemory(bytes, {});
  const uint64_t rounded = AlignUp(bytes, std::max(options_.alignment, options_.large_unit));
  const BlockHeap::Want want{rounded, options_.alignment, request.stream};
  BlockHeap::Taken taken;
  if (Status failure = TakeBlock(want, &request, &taken); !failure.ok()) return failure;
  return HeapGrant{taken.address, taken.wait_for};
}

FreeResult Heap::FreeLarge(uint64_t address, const StreamMoment& moment) {
  base::SpinLockHolder hold(lock_);
  const BlockIndex index = blocks_.FindStart(address);
  if (index == kNoBlock || blocks_[index].state != BlockState::kLive) [[unlikely]] {
    const BlockIndex around = blocks_.FindContaining(address);
    if (around == kNoBlock || blocks_[around].state == BlockState::kSpan) return {Freed::kNotABlock, 0, 0};
    const HeapBlock& block = blocks_[around];
    return {block.state == BlockState::kLive ? Freed::kInterior : Freed::kAlreadyFree, block.address, block.bytes};
  }
  const uint64_t bytes = blocks_[index].bytes;
  requested_.Add(-static_cast<int64_t>(blocks_[index].requested));
  used_.Add(-static_cast<int64_t>(bytes));
  --live_;
  ++releases_;
  blocks_.Release(index, moment);
  return {Freed::kOk, address, bytes};
}

Status Heap::Reserve(uint64_t bytes) {
  bytes = AlignUp(bytes, page_bytes_);
  {
    base::SpinLockHolder hold(lock_);
    if (bytes > options_.maximum_bytes - std::min(options_.maximum_bytes, reserved_bytes())) {
      return Status(Code::kMemoryAllocation,
                    "the pool may not hold more than " + std::to_string(options_.maximum_bytes) + " bytes",
                    "Free memory that is no longer used, or give the pool a larger maximum");
    }
    ReserveBytes(bytes);
  }
  ASSIGN_OR_RETURN(const AddressRange obtained, Obtain(bytes, &bytes, 0));
  {
    base::SpinLockHolder hold(lock_);
    if (blocks_.AddRange(obtained)) return {};
    UnreserveBytes(bytes);
  }
  GiveBack(obtained);
  return LostRecords();
}

// A block from what there is, or from more memory. Without a request it becomes a span.
Status Heap::TakeBlock(const BlockHeap::Want& want, const HeapRequest* request, BlockHeap::Taken* taken) {
  for (bool may_release = options_.before_growth != nullptr, may_wait = true;;) {
    {
      base::SpinLockHolder hold(lock_);
      if (!blocks_.TakeOwn(want, taken)) [[unlikely]] {
        blocks_.TakeOther(want, reuse_policy(), taken);
        CountReuse(taken->kind);
      }
      if (taken->block != kNoBlock) [[likely]] {
        Finish(taken->block, request);
        return {};
      }
    }
    if (may_release) {
      may_release = false;
      options_.before_growth();
    } else if (may_wait && WaitToRearrange(want)) {
      may_wait = false;
    } else {
      break;
    }
  }
  Result<BlockHeap::Taken> grown = Grow(want, request);
  if (!grown.ok()) return NoMemory(want.bytes, grown.status());
  *taken = *grown;
  return {};
}

// Whether free memory that waited for streams can be used now.
bool Heap::WaitToRearrange(const BlockHeap::Want& want) {
  if (options_.wait == nullptr || options_.remap_slack_percent != 0) return false;
  {
    base::SpinLockHolder hold(lock_);
    if (blocks_.pending_bytes() == 0 || BytesToRearrange(want, AlignUp(want.bytes, page_bytes_)) == 0) return false;
  }
  for (const StreamMoment& moment : PendingMoments()) {
    if (!options_.wait(moment)) return false;
  }
  base::SpinLockHolder hold(lock_);
  blocks_.PromotePassed();
  return true;
}

// The address of the block, which is live from here on.
uint64_t Heap::Finish(BlockIndex index, const HeapRequest* request) {
  HeapBlock& block = blocks_[index];
  if (request == nullptr) {
    block.state = BlockState::kSpan;
    return block.address;
  }
  block.requested = std::max<uint64_t>(request->bytes, 1);
  FoldOwn();  // so that the peaks are those of large and small blocks together
  requested_.Add(static_cast<int64_t>(block.requested));
  used_.Add(static_cast<int64_t>(block.bytes));
  ++live_;
  NoteActive();
  return block.address;
}

Result<BlockHeap::Taken> Heap::Grow(const BlockHeap::Want& want, const HeapRequest* request) {
  BlockHeap::Growth growth;
  BlockHeap::Ranges from;
  uint32_t ranges = 0;
  uint64_t least = 0, wanted = 0, removed = 0;
  // A range begins at a page, which need not be aligned enough.
  const uint64_t lead = want.alignment > page_bytes_ ? want.alignment - page_bytes_ : 0;
  {
    base::SpinLockHolder hold(lock_);
    growth = blocks_.BeginGrowth(want);
    least = AlignUp(want.bytes + lead - growth.held_bytes, page_bytes_);
    if (const uint64_t bytes = BytesToRearrange(want, least); bytes != 0) {
      ranges = blocks_.RemovePages(page_bytes_, bytes, false, from);
      for (uint32_t i = 0; i < ranges; ++i) removed += from[i].bytes;
    }
    wanted = ranges != 0 ? least - removed : std::max(least, AlignUp(options_.growth_bytes, page_bytes_));
    const uint64_t left = BytesLeft();
    if (least - removed > left) {
      for (uint32_t i = 0; i < ranges; ++i) blocks_.AddRange(from[i]);
      blocks_.CancelGrowth(growth);
      return Full();
    }
    wanted = std::max(least - removed, std::min(wanted, left / page_bytes_ * page_bytes_));
    ReserveBytes(wanted);
  }
  if (ranges != 0) {
    upstream_calls_.fetch_add(1, std::memory_order_relaxed);
    Result<AddressRange> made = source_.Rearrange({from.data(), ranges}, wanted, growth.after);
    if (made.ok()) {
      rearrangements_.fetch_add(1, std::memory_order_relaxed);
      return FinishGrowth(growth, *made, wanted, want, request);
    }
    base::SpinLockHolder hold(lock_);
    if (made.code() == Code::kFeatureNotSupport) can_rearrange_ = false;
    for (uint32_t i = 0; i < ranges; ++i) blocks_.AddRange(from[i]);
    UnreserveBytes(wanted);
    wanted = least;
    if (wanted > BytesLeft()) {
      blocks_.CancelGrowth(growth);
      return made.status();
    }
    ReserveBytes(wanted);
  }
  Result<AddressRange> obtained = Obtain(least, &wanted, growth.after);
  if (!obtained.ok()) {
    base::SpinLockHolder hold(lock_);
    blocks_.CancelGrowth(growth);
    return obtained.status();
  }
  return FinishGrowth(growth, *obtained, wanted, want, request);
}

// `reserved` bytes are accounted for already. Of these, what is not obtained is not accounted for any more.
Result<AddressRange> Heap::Obtain(uint64_t least, uint64_t* reserved, uint64_t after) {
  upstream_calls_.fetch_add(1, std::memory_order_relaxed);
  Result<AddressRange> obtained = source_.Obtain(*reserved, after);
  if (!obtained.ok() && *reserved > least) {
    {
      base::SpinLockHolder hold(lock_);
      UnreserveBytes(*reserved - least);
    }
    *reserved = least;
    upstream_calls_.fetch_add(1, std::memory_order_relaxed);
    obtained = source_.Obtain(least, after);
  }
  if (!obtained.ok()) {
    base::SpinLockHolder hold(lock_);
    UnreserveBytes(*reserved);
  }
  return obtained;
}

Result<BlockHeap::Taken> Heap::FinishGrowth(const BlockHeap::Growth& growth, AddressRange obtained, uint64_t reserved,
                                            const BlockHeap::Want& want, const HeapRequest* request) {
  if (growth.held_bytes != 0 && obtained.address != growth.after) {
    // It cannot be one with what is held. What was obtained stays for others, and one whole range is obtained.
    uint64_t least = AlignUp(want.bytes, page_bytes_);
    bool is_added = false;
    {
      base::SpinLockHolder hold(lock_);
      blocks_.CancelGrowth(growth);
      is_added = blocks_.AddRange(obtained);
      if (!is_added) {
        UnreserveBytes(reserved);
      } else if (least > BytesLeft()) {
        return Full();
      } else {
        ReserveBytes(least);
      }
    }
    if (!is_added) {
      GiveBack(obtained);
      return LostRecords();
    }
    Result<AddressRange> whole = Obtain(least, &least, 0);
    if (!whole.ok()) return whole.status();
    return FinishGrowth({}, *whole, least, want, request);
  }
  BlockHeap::Taken taken;
  {
    base::SpinLockHolder hold(lock_);
    taken.block = blocks_.FinishGrowth(growth, obtained, want);
    if (taken.block != kNoBlock) {
      reserved_peak_ = std::max(reserved_peak_, reserved_bytes());
      taken.address = Finish(taken.block, request);
      return taken;
    }
    UnreserveBytes(reserved);
  }
  GiveBack(obtained);
  return LostRecords();
}

Status Heap::LostRecords() const {
  return {Code::kMemoryAllocation,
          "the host has no memory for the bookkeeping of a pool, or the addresses are beyond 48 bits",
          "free memory of the host"};
}

void Heap::GiveBack(const AddressRange& range) {
  upstream_calls_.fetch_add(1, std::memory_order_relaxed);
  source_.Return(range);
}

Status Heap::Full() const {
  return {Code::kMemoryAllocation,
          "the pool may not hold more than " + std::to_string(options_.maximum_bytes) + " bytes",
          "raise the maximum of the pool"};
}

uint64_t Heap::BytesLeft() const { return options_.maximum_bytes - std::min(options_.maximum_bytes, reserved_bytes()); }

// Before they are obtained, so that threads together stay within the maximum.
void Heap::ReserveBytes(uint64_t bytes) { reserved_.store(reserved_bytes() + bytes, std::memory_order_relaxed); }

void Heap::UnreserveBytes(uint64_t bytes) { reserved_.store(reserved_bytes() - bytes, std::memory_order_relaxed); }

// How many of `missing` bytes should come from pages that there are.
uint64_t Heap::BytesToRearrange(const BlockHeap::Want& want, uint64_t missing) const {
  if (!can_rearrange_ || options_.remap_bytes == 0 || want.bytes < options_.remap_bytes ||
      want.alignment != options_.alignment) {
    return 0;
  }
  const uint64_t used = static_cast<uint64_t>(std::max(used_.peak, used_.now + static_cast<int64_t>(want.bytes)));
  const uint64_t fair = std::min(AlignUp(used + used / 100 * options_.remap_slack_percent, page_bytes_),
                                 options_.maximum_bytes / page_bytes_ * page_bytes_);
  const uint64_t fresh = fair - std::min(fair, reserved_bytes());
  return missing - std::min(missing, fresh / page_bytes_ * page_bytes_);
}

Status Heap::NoMemory(uint64_t bytes, const Status& cause) {
  uint64_t free = 0, largest = 0;
  {
    base::SpinLockHolder hold(lock_);
    free = blocks_.free_bytes();
    largest = blocks_.largest_free();
  }
  // A device that is gone, say: memory is not what is lacking.
  if (!cause.ok() && cause.code() != Code::kMemoryAllocation) return cause;
  Error error;
  error.code = Code::kMemoryAllocation;
  error.message = std::to_string(bytes) + " bytes cannot be allocated: the pool holds " +
                  std::to_string(reserved_bytes()) + " bytes, " + std::to_string(free) +
                  " of them free, the largest piece " + std::to_string(largest);
  if (!cause.ok()) error.message += "; " + cause.error()->message;
  error.advice = !cause.ok() && !cause.error()->advice.empty() ? cause.error()->advice : options_.advice;
  return Status(std::move(error));
}

uint64_t Heap::Trim(uint64_t keep_bytes) {
  if (ThreadCache* cache = Cache()) EmptyCache(*cache);
  for (uint32_t size_class = 0; size_class < classes_.count(); ++size_class) {
    while (spans_.Reclaim(size_class, true)) {
    }
  }
  std::vector<BlockIndex> empty;
  spans_.RemoveEmpty(empty);
  uint64_t returned = 0;
  BlockHeap::Ranges ranges;
  for (bool is_first = true;; is_first = false) {
    uint32_t count = 0;
    {
      base::SpinLockHolder hold(lock_);
      if (is_first) {
        for (const BlockIndex index : empty) blocks_.Release(index, {});
        blocks_.PromotePassed();
      }
      const uint64_t reserved = reserved_bytes();
      if (reserved > keep_bytes) {
        count = blocks_.RemovePages(page_bytes_, AlignUp(reserved - keep_bytes, page_bytes_), true, ranges);
      }
      for (uint32_t i = 0; i < count; ++i) UnreserveBytes(ranges[i].bytes);
      if (count == 0 && reserved > keep_bytes) futile_at_ = releases_;
    }
    if (count == 0) return returned;
    for (uint32_t i = 0; i < count; ++i) {
      GiveBack(ranges[i]);
      returned += ranges[i].bytes;
    }
  }
}

void Heap::SetReleaseThreshold(uint64_t bytes) {
  release_threshold_.store(bytes, std::memory_order_relaxed);
  base::SpinLockHolder hold(lock_);
  ++releases_;
}

uint64_t Heap::ReleaseAboveThreshold() {
  const uint64_t threshold = release_threshold();
  if (reserved_bytes() <= threshold) return 0;
  {
    base::SpinLockHolder hold(lock_);
    FoldOwn();
    if (futile_at_ == releases_) return 0;
  }
  return Trim(threshold);
}

void Heap::CountReuse(ReuseKind kind) noexcept {
  if (kind == ReuseKind::kNone || kind == ReuseKind::kOwn) return;
  reuses_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
}

void Heap::FoldOwn() {
  const RecentCache& recent = recent_caches[number() % kRecentCaches];
  if (recent.owner == number() && recent.cache->HasChanged()) Fold(*recent.cache);
}

void Heap::Fold(ThreadCache& cache) {
  const auto fold = [](OwnedCount& count, OwnedCount& most, Count& total) {
    total.peak = std::max(total.peak, total.now + std::max(most.Get(), count.Get()));
    total.now += count.Get();
    count.Set(0);
    most.Set(0);
  };
  // What a thread released since is not seen elsewhere, and a synchronisation may give it back.
  if (cache.rounded.Get() < cache.most_rounded.Get()) ++releases_;
  fold(cache.requested, cache.most_requested, requested_);
  fold(cache.rounded, cache.most_rounded, used_);
}

void Heap::NoteActive() {
  const int64_t active = used_.now + static_cast<int64_t>(blocks_.pending_bytes() + spans_.pending_bytes());
  active_.now = active;
  active_.peak = std::max({active_.peak, active, used_.peak});
}

HeapStatistics Heap::statistics() {
  base::SpinLockHolder hold(lock_);
  Count requested = requested_, used = used_;
  int64_t live = live_;
  const auto add = [](const OwnedCount& count, const OwnedCount& most, Count& total) {
    total.peak = std::max(total.peak, total.now + std::max(most.Get(), count.Get()));
    total.now += count.Get();
  };
  for (const ThreadCache* cache : caches_) {
    add(cache->requested, cache->most_requested, requested);
    add(cache->rounded, cache->most_rounded, used);
    live += cache->LiveBlocks();
  }
  NoteActive();
  const auto level = [](const Count& count) {
    return HeapStatistics::Level{static_cast<uint64_t>(std::max<int64_t>(count.now, 0)),
                                 static_cast<uint64_t>(std::max<int64_t>(count.peak, 0))};
  };
  HeapStatistics result;
  result.requested = level(requested);
  result.used = level(used);
  const uint64_t pending = blocks_.pending_bytes() + spans_.pending_bytes();
  result.active = {result.used.now + pending, 0};
  result.active.peak = std::max({static_cast<uint64_t>(active_.peak), result.active.now, result.used.peak});
  result.blocks = static_cast<uint64_t>(std::max<int64_t>(live, 0));
  result.reserved = {reserved_bytes(), reserved_peak_};
  result.free_bytes = blocks_.free_bytes();
  result.largest_free = blocks_.largest_free();
  result.upstream_calls = upstream_calls_.load(std::memory_order_relaxed);
  result.reused_by_event = reuses_[static_cast<std::size_t>(ReuseKind::kEvent)].load(std::memory_order_relaxed);
  result.reused_passed = reuses_[static_cast<std::size_t>(ReuseKind::kPassed)].load(std::memory_order_relaxed);
  result.inserted_waits = reuses_[static_cast<std::size_t>(ReuseKind::kWait)].load(std::memory_order_relaxed);
  result.rearrangements = rearrangements_.load(std::memory_order_relaxed);
  result.most_steps = blocks_.most_steps();
  result.block_records = blocks_.block_count();
  return result;
}

void Heap::ResetPeak(HeapStatistics::Level HeapStatistics::* level) {
  base::SpinLockHolder hold(lock_);
  FoldOwn();
  NoteActive();
  const std::pair<HeapStatistics::Level HeapStatistics::*, Count*> counts[] = {
      {&HeapStatistics::requested, &requested_}, {&HeapStatistics::used, &used_}, {&HeapStatistics::active, &active_}};
  for (const auto& [name, count] : counts) {
    if (name == level) count->peak = count->now;
  }
  if (level == &HeapStatistics::reserved) reserved_peak_ = reserved_bytes();
}

void Heap::ResetPeaks() {
  base::SpinLockHolder hold(lock_);
  // The caches of other threads keep how far they rose above their last report, which is little.
  FoldOwn();
  requested_.peak = requested_.now;
  used_.peak = used_.now;
  NoteActive();
  active_.peak = active_.now;
  reserved_peak_ = reserved_bytes();
}

void Heap::ResetSteps() {
  base::SpinLockHolder hold(lock_);
  blocks_.ForgetMostSteps();
}

}  // namespace forebay::runtime
