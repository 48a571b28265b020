// A heap of device memory: small blocks in slots of spans, kept by threads; large ones in two-level bins, in the order
// of streams; pages from a source. All bookkeeping is in memory of the host.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/spin_lock.h"
#include "forebay/status.h"
#include "memory/pool/block_heap.h"
#include "memory/pool/ordering.h"
#include "memory/pool/page_source.h"
#include "memory/pool/reuse.h"
#include "memory/pool/spans.h"
#include "memory/pool/thread_cache.h"

namespace forebay::runtime {

struct HeapOptions {
  uint64_t alignment = 512;                  // of every block, a power of two from 64 up to the page of the source
  uint64_t large_unit = 0;                   // what large blocks are rounded to, if it is more
  uint64_t growth_bytes = 0;                 // a range obtained is at least this large
  uint64_t maximum_bytes = UINT64_MAX;       // reserved never exceeds it
  uint64_t release_threshold = UINT64_MAX;   // see ReleaseAboveThreshold
  uint64_t remap_bytes = uint64_t{2} << 20;  // requests from here on may be served by rearranging pages; 0: never
  uint32_t remap_slack_percent = 5;          // only when reserved would otherwise exceed the most used by more
  std::string advice = "Free memory that is no longer used";  // when there is none left
  // Called, without a lock, before the source is asked: may release blocks.
  std::function<void()> before_growth = nullptr;
  // Waits until a moment has passed; false when it takes too long. When a plan is made; and with remap_slack_percent 0,
  // before memory is obtained that rearranging what streams have yet to release would save.
  std::function<bool(const StreamMoment&)> wait = nullptr;
  bool follow_events = true, opportunistic = true, insert_waits = true;
  uint32_t cached_per_class = 128;                        // slots a thread keeps of a class, at most 128
  uint64_t cached_bytes_per_class = uint64_t{512} << 10;  // and bytes
};

struct HeapRequest {
  uint64_t bytes = 0;         // for the statistics
  uint64_t rounded_from = 0;  // room to keep, if it is more
  uint32_t stream = kNoStream;
};

struct HeapGrant {
  uint64_t address = 0;
  StreamMoment wait_for;  // slot != kNoStream: the requester's stream must first wait for this moment
};

enum class Freed : uint8_t { kOk, kNotABlock, kInterior, kAlreadyFree };

// Small enough to be returned in registers.
struct FreeResult {
  FreeResult(Freed freed, uint64_t address, uint64_t size) noexcept
      : block(address), bytes(size & ((uint64_t{1} << 56) - 1)), outcome(freed) {}

  uint64_t block;       // where the block at the address begins, unless kNotABlock
  uint64_t bytes : 56;  // its size
  Freed outcome : 8;
};
static_assert(sizeof(FreeResult) == 16);

struct BlockInfo {
  uint64_t address = 0;
  uint64_t requested = 0;  // live
  uint64_t rounded = 0;
  bool is_live = false;
  StreamMoment moment;  // free: when it may be used; kNoStream: by everybody now
};

struct HeapStatistics {
  struct Level {
    uint64_t now = 0, peak = 0;
  };
  Level requested;                                                      // what the live blocks were asked with
  Level used;                                                           // what they take
  Level active;                                                         // and the free memory that waits for streams
  Level reserved;                                                       // obtained from the source
  uint64_t blocks = 0;                                                  // live
  uint64_t free_bytes = 0, largest_free = 0;                            // of large blocks
  uint64_t upstream_calls = 0;                                          // of the source
  uint64_t reused_by_event = 0, reused_passed = 0, inserted_waits = 0;  // memory of other streams
  uint64_t rearrangements = 0;
  uint64_t most_steps = 0;  // blocks looked at by one operation
  uint64_t block_records = 0;
};

// Thread safety: all functions may be called from any thread. The source is called without a lock; the order of streams
// is asked under one, because it only loads.
class Heap final : private ThreadCacheOwner {
 public:
  Heap(PageSource& source, const Ordering& order, const HeapOptions& options);
  // Nobody uses it any more. What was obtained stays with the source.
  ~Heap();

  // kMemoryAllocation, with what was asked and what is held.
  Result<HeapGrant> Allocate(const HeapRequest& request);
  // Obtains memory ahead of the first need for it.
  Status Reserve(uint64_t bytes) EXCLUDES(lock_);
  // For everybody at once: the host knows that nobody uses the block.
  FreeResult Free(uint64_t address) { return Free(address, StreamMoment()); }
  // For the stream of the moment at once, for others when they come after it.
  FreeResult Free(uint64_t address, const StreamMoment& moment);
  // The block that contains the address. Slow, but no walk over the blocks.
  std::optional<BlockInfo> Find(uint64_t address);
  // Returns pages of free blocks whose moments have passed until `keep_bytes` are reserved. Returns how many bytes.
  uint64_t Trim(uint64_t keep_bytes);
  // What a synchronisation calls: Trim to the threshold. Only compares numbers when there is nothing to do.
  uint64_t ReleaseAboveThreshold();
  // For each stream that free memory waits for, the newest of its moments.
  std::vector<StreamMoment> PendingMoments();

  HeapStatistics statistics();
  void ResetPeaks();
  void ResetPeak(HeapStatistics::Level HeapStatistics::* level) EXCLUDES(lock_);
  void ResetSteps();
  // Live and free, in the order of addresses; slots of spans one by one.
  std::vector<BlockInfo> Blocks();
  template <typename Visit>
  void ForEachBlock(const Visit& visit) {
    for (const BlockInfo& block : Blocks()) visit(block);
  }

  void SetReusePolicy(const ReusePolicy& policy) noexcept;
  ReusePolicy reuse_policy() const noexcept;
  void SetReleaseThreshold(uint64_t bytes) EXCLUDES(lock_);
  uint64_t release_threshold() const noexcept { return release_threshold_.load(std::memory_order_relaxed); }
  uint64_t reserved_bytes() const noexcept { return reserved_.load(std::memory_order_relaxed); }

 private:
  struct Count {
    int64_t now = 0, peak = 0;
    void Add(int64_t by) noexcept {
      now += by;
      if (now > peak) peak = now;
    }
  };

  Result<HeapGrant> AllocateSlowly(const HeapRequest& request, uint64_t bytes);
  Result<HeapGrant> AllocateSmall(const HeapRequest& request, uint64_t bytes);
  Result<HeapGrant> AllocateLarge(const HeapRequest& request, uint64_t bytes);
  FreeResult FreeSlowly(uint64_t address, const StreamMoment& moment);
  SlotWord& WordOf(uint64_t address, uint32_t size_class) const noexcept {
    return addresses_.SlotsOf(*addresses_.RegionOf(address),
                              address)[classes_.SlotAt(size_class, address & (SizeClasses::kSpanBytes - 1))];
  }
  FreeResult FreeSlot(const Spans::Place& place, uint64_t address, const StreamMoment& moment);
  FreeResult FreeLarge(uint64_t address, const StreamMoment& moment) EXCLUDES(lock_);
  void MakeRoom(ThreadCache& cache, uint32_t size_class);
  void SetLimit(ThreadCache::Magazine& magazine, uint32_t size_class) const;
  uint64_t TakeSlot(ThreadCache* cache, uint32_t size_class, Status* failure);
  uint32_t FillFrom(uint32_t size_class, uint64_t* slots, uint32_t wanted, Status* failure);
  Status MakeSpan(uint32_t size_class) EXCLUDES(lock_);

  Status TakeBlock(const BlockHeap::Want& want, const HeapRequest* request, BlockHeap::Taken* taken) EXCLUDES(lock_);
  Result<BlockHeap::Taken> Grow(const BlockHeap::Want& want, const HeapRequest* request) EXCLUDES(lock_);
  Result<AddressRange> Obtain(uint64_t least, uint64_t* reserved, uint64_t after) EXCLUDES(lock_);
  Result<BlockHeap::Taken> FinishGrowth(const BlockHeap::Growth& growth, AddressRange obtained, uint64_t reserved,
                                        const BlockHeap::Want& want, const HeapRequest* request) EXCLUDES(lock_);
  uint64_t Finish(BlockIndex index, const HeapRequest* request) REQUIRES(lock_);
  void GiveBack(const AddressRange& range) EXCLUDES(lock_);
  Status Full() const;
  uint64_t BytesLeft() const REQUIRES(lock_);
  void ReserveBytes(uint64_t bytes) REQUIRES(lock_);
  void UnreserveBytes(uint64_t bytes) REQUIRES(lock_);
  bool WaitToRearrange(const BlockHeap::Want& want) EXCLUDES(lock_);
  uint64_t BytesToRearrange(const BlockHeap::Want& want, uint64_t missing) const REQUIRES(lock_);
  Status NoMemory(uint64_t bytes, const Status& cause) EXCLUDES(lock_);
  Status LostRecords() const;
  void CountReuse(ReuseKind kind) noexcept;

  void Fold(ThreadCache& cache) REQUIRES(lock_);
  void FoldOwn() REQUIRES(lock_);
  void NoteActive() REQUIRES(lock_);
  void EmptyCache(ThreadCache& cache);
  ThreadCache* MakeCache() override;
  void RetireCache(ThreadCache* cache) override;
  void LockForFork() override NO_THREAD_SAFETY_ANALYSIS;
  void UnlockAfterFork() override NO_THREAD_SAFETY_ANALYSIS;

  PageSource& source_;
  const Ordering& order_;
  const HeapOptions options_;
  const uint64_t page_bytes_;
  const SizeClasses classes_;
  AddressIndex addresses_;
  Spans spans_;
  std::atomic<bool> follow_events_, opportunistic_, insert_waits_;
  std::atomic<uint64_t> release_threshold_;
  std::atomic<uint64_t> reserved_{0};  // changed under lock_
  std::atomic<uint64_t> upstream_calls_{0}, rearrangements_{0};
  std::array<std::atomic<uint64_t>, 5> reuses_ = {};  // by ReuseKind

  base::SpinLock lock_;
  BlockHeap blocks_ GUARDED_BY(lock_);
  Count requested_ GUARDED_BY(lock_), used_ GUARDED_BY(lock_), active_ GUARDED_BY(lock_);
  int64_t live_ GUARDED_BY(lock_) = 0;
  uint64_t reserved_peak_ GUARDED_BY(lock_) = 0;
  bool can_rearrange_ GUARDED_BY(lock_) = true;
  uint64_t releases_ GUARDED_BY(lock_) = 0;              // changes whenever something may have become free
  uint64_t futile_at_ GUARDED_BY(lock_) = ~uint64_t{0};  // releases_ when nothing more could be given back
  std::vector<ThreadCache*> caches_ GUARDED_BY(lock_);
  std::vector<ThreadCache*> spare_caches_ GUARDED_BY(lock_);
};

// The fast paths: a slot from or to the cache of the thread.
inline Result<HeapGrant> Heap::Allocate(const HeapRequest& request) {
  const uint64_t bytes = std::max({request.bytes, request.rounded_from, uint64_t{1}});
  if (bytes <= classes_.largest() && request.stream == kNoStream) [[likely]] {
    const uint32_t size_class = classes_.ClassOf(bytes);
    if (ThreadCache* cache = Cache(); cache != nullptr) [[likely]] {
      ThreadCache::Magazine& magazine = cache->magazines[size_class];
      if (const uint32_t count = magazine.Count(); count != 0) [[likely]] {
        const uint64_t address = magazine.slots[count - 1];
        magazine.SetCount(count - 1);
        // Whoever else asks for the state has been handed the address, which orders the two.
        WordOf(address, size_class).store(LiveSlot(request.bytes), std::memory_order_relaxed);
        cache->CountAllocation(std::max<uint64_t>(request.bytes, 1), classes_[size_class].bytes);
        return HeapGrant{address, {}};
      }
    }
  }
  return AllocateSlowly(request, bytes);
}

inline FreeResult Heap::Free(uint64_t address, const StreamMoment& moment) {
  AddressIndex::Region* region = addresses_.RegionOf(address);
  if (region == nullptr || moment.slot != kNoStream) [[unlikely]]
    return FreeSlowly(address, moment);
  const uint8_t of_class = region->span_class[AddressIndex::SpanInRegion(address)].load(std::memory_order_acquire);
  ThreadCache* cache = Cache();
  if (of_class == 0 || cache == nullptr) [[unlikely]]
    return FreeSlowly(address, moment);
  const uint32_t size_class = of_class - 1U;
  const uint64_t bytes = classes_[size_class].bytes, offset = address & (SizeClasses::kSpanBytes - 1);
  const uint32_t slot = classes_.SlotAt(size_class, offset);
  SlotWord& word = addresses_.SlotsOf(*region, address)[slot];
  const uint16_t state = word.load(std::memory_order_relaxed);
  ThreadCache::Magazine& magazine = cache->magazines[size_class];
  const uint32_t count = magazine.Count();
  if (!IsLiveSlot(state) || slot * bytes != offset || count >= magazine.limit) [[unlikely]] {
    return FreeSlowly(address, moment);
  }
  word.store(kSlotCached, std::memory_order_relaxed);
  cache->CountRelease(RequestedOfSlot(state), bytes);
  magazine.slots[count] = address;
  magazine.SetCount(count + 1);
  return {Freed::kOk, address, bytes};
}

}  // namespace forebay::runtime
