#include "memory/pool/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "memory/pool/mapped_memory.h"

namespace forebay::runtime {
namespace {

HeapOptions Checked(HeapOptions options, const PageSource& source) {
  options.alignment = std::bit_ceil(std::clamp(options.alignment, SizeClasses::kLeastUnit, source.page_bytes()));
  options.growth_bytes = std::min(options.growth_bytes, uint64_t{1} << (AddressIndex::kAddressBits - 1));
  options.cached_per_class = std::clamp(options.cached_per_class, 2U, ThreadCache::kMostSlots);
  return options;
}

}  // namespace

Heap::Heap(PageSource& source, const Ordering& order, const HeapOptions& options)
    : source_(source),
      order_(order),
      options_(Checked(options, source)),
      page_bytes_(source.page_bytes()),
      classes_(options_.alignment),
      addresses_(options_.alignment),
      spans_(order, addresses_, classes_),
      follow_events_(options.follow_events),
      opportunistic_(options.opportunistic),
      insert_waits_(options.insert_waits),
      release_threshold_(options.release_threshold),
      blocks_(order, addresses_, classes_.unit_shift()) {
  Enter();
}

Heap::~Heap() {
  Leave();
  for (ThreadCache* cache : caches_) munmap(cache, sizeof(ThreadCache));
}

void Heap::SetReusePolicy(const ReusePolicy& policy) noexcept {
  follow_events_.store(policy.follow_events, std::memory_order_relaxed);
  opportunistic_.store(policy.opportunistic, std::memory_order_relaxed);
  insert_waits_.store(policy.insert_waits, std::memory_order_relaxed);
}

ReusePolicy Heap::reuse_policy() const noexcept {
  return {follow_events_.load(std::memory_order_relaxed), opportunistic_.load(std::memory_order_relaxed),
          insert_waits_.load(std::memory_order_relaxed)};
}

Result<HeapGrant> Heap::AllocateSlowly(const HeapRequest& request, uint64_t bytes) {
  return bytes <= classes_.largest() ? AllocateSmall(request, bytes) : AllocateLarge(request, bytes);
}

Result<HeapGrant> Heap::AllocateSmall(const HeapRequest& request, uint64_t bytes) {
  const uint32_t size_class = classes_.ClassOf(bytes);
  ThreadCache* cache = Cache();
  HeapGrant grant;
  int64_t from_spans = 0;
  if (request.stream != kNoStream) {
    ReuseKind kind = ReuseKind::kNone;
    grant.address = spans_.TakeReleased(size_class, request.stream, reuse_policy(), &kind);
    from_spans = grant.address != 0 ? 1 : 0;
    CountReuse(kind);
  }
  if (grant.address == 0) {
    Status failure;
    grant.address = TakeSlot(cache, size_class, &failure);
    // A wait costs more than a slot.
    if (grant.address == 0 && request.stream != kNoStream && reuse_policy().insert_waits) {
      grant.address = spans_.TakeAnyReleased(size_class, &grant.wait_for);
      from_spans = 1;
      CountReuse(ReuseKind::kWait);
    }
    // Where no span fits, a few bytes may.
    if (grant.address == 0) return AllocateLarge(request, bytes);
  }
  WordOf(grant.address, size_class).store(LiveSlot(request.bytes), std::memory_order_relaxed);
  if (cache != nullptr) {
    cache->CountAllocation(std::max<uint64_t>(request.bytes, 1), classes_[size_class].bytes);
    cache->slots.Set(cache->slots.Get() + from_spans);
  } else {
    base::SpinLockHolder hold(lock_);
    requested_.Add(static_cast<int64_t>(std::max<uint64_t>(request.bytes, 1)));
    used_.Add(classes_[size_class].bytes);
    ++live_;
  }
  return grant;
}

uint64_t Heap::TakeSlot(ThreadCache* cache, uint32_t size_class, Status* failure) {
  uint64_t slot = 0;
  if (cache == nullptr) return FillFrom(size_class, &slot, 1, failure) == 0 ? 0 : slot;
  ThreadCache::Magazine& magazine = cache->magazines[size_class];
  uint32_t count = magazine.Count();
  if (count == 0) {
    SetLimit(magazine, size_class);
    count = FillFrom(size_class, magazine.slots.data(), magazine.limit / 2, failure);
    if (count == 0) return 0;
    std::reverse(magazine.slots.begin(), magazine.slots.begin() + count);  // low addresses first
    cache->slots.Set(cache->slots.Get() + count);
    base::SpinLockHolder hold(lock_);
    Fold(*cache);
  }
  magazine.SetCount(count - 1);
  return magazine.slots[count - 1];
}

// Free slots, made if need be. 0 and the failure when there is no memory.
uint32_t Heap::FillFrom(uint32_t size_class, uint64_t* slots, uint32_t wanted, Status* failure) {
  for (;;) {
    if (const uint32_t count = spans_.TakeFree(size_class, slots, wanted); count != 0) return count;
    if (spans_.Reclaim(size_class, opportunistic_.load(std::memory_order_relaxed))) continue;
    *failure = MakeSpan(size_class);
    if (!failure->ok()) return 0;
  }
}

Status Heap::MakeSpan(uint32_t size_class) {
  const BlockHeap::Want want{SizeClasses::kSpanBytes, SizeClasses::kSpanBytes, kNoStream};
  BlockHeap::Taken taken;
  if (Status failure = TakeBlock(want, nullptr, &taken); !failure.ok()) return failure;
  spans_.AddSpan(size_class, taken.address, taken.block);
  return {};
}

FreeResult Heap::FreeSlowly(uint64_t address, const StreamMoment& moment) {
  const Spans::Place place = spans_.Find(address);
  return place.word != nullptr ? FreeSlot(place, address, moment) : FreeLarge(address, moment);
}

FreeResult Heap::FreeSlot(const Spans::Place& place, uint64_t address, const StreamMoment& moment) {
  const uint64_t bytes = classes_[place.size_class].bytes;
  const uint16_t word = place.word->load(std::memory_order_relaxed);
  if (!IsLiveSlot(word)) return {Freed::kAlreadyFree, place.address, bytes};
  if (place.address != address) return {Freed::kInterior, place.address, bytes};
  if (moment.slot != kNoStream) {
    // One of two threads that release the same slot. Without a stream this would cost too much for what it finds.
    uint16_t live = word;
    if (!place.word->compare_exchange_strong(live, kSlotReleased, std::memory_order_relaxed))
      return {Freed::kAlreadyFree, place.address, bytes};
  }
  const bool is_everybodys = moment.slot == kNoStream || order_.IsOrdered(kNoStream, moment);
  ThreadCache* cache = Cache();
  if (cache == nullptr) {
    base::SpinLockHolder hold(lock_);
    requested_.Add(-static_cast<int64_t>(RequestedOfSlot(word)));
    used_.Add(-static_cast<int64_t>(bytes));
    --live_;
  } else {
    cache->CountRelease(RequestedOfSlot(word), bytes);
    if (is_everybodys) {
      place.word->store(kSlotCached, std::memory_order_relaxed);
      ThreadCache::Magazine& magazine = cache->magazines[place.size_class];
      MakeRoom(*cache, place.size_class);
      magazine.slots[magazine.Count()] = address;
      magazine.SetCount(magazine.Count() + 1);
      return {Freed::kOk, address, bytes};
    }
    cache->slots.Set(cache->slots.Get() - 1);
  }
  if (is_everybodys) {
    spans_.GiveFree(place.size_class, &address, 1);
  } else {
    place.word->store(kSlotReleased, std::memory_order_relaxed);
    spans_.PutReleased(place.size_class, address, moment);
  }
  return {Freed::kOk, address, bytes};
}

// The older half goes back for all threads.
void Heap::MakeRoom(ThreadCache& cache, uint32_t size_class) {
  ThreadCache::Magazine& magazine = cache.magazines[size_class];
  SetLimit(magazine, size_class);
  const uint32_t count = magazine.Count(), kept = magazine.limit / 2;
  if (count < magazine.limit) return;
  spans_.GiveFree(size_class, magazine.slots.data(), count - kept);
  std::copy(magazine.slots.begin() + (count - kept), magazine.slots.begin() + count, magazine.slots.begin());
  magazine.SetCount(kept);
  cache.slots.Set(cache.slots.Get() - (count - kept));
  base::SpinLockHolder hold(lock_);
  Fold(cache);
  ++releases_;
}

void Heap::SetLimit(ThreadCache::Magazine& magazine, uint32_t size_class) const {
  const uint64_t by_bytes = options_.cached_bytes_per_class / classes_[size_class].bytes;
  magazine.limit = static_cast<uint32_t>(std::clamp<uint64_t>(by_bytes, 2, options_.cached_per_class));
}

std::optional<BlockInfo> Heap::Find(uint64_t address) {
  if (const Spans::Place place = spans_.Find(address); place.word != nullptr) {
    const uint16_t word = place.word->load(std::memory_order_relaxed);
    return BlockInfo{place.address,
                     IsLiveSlot(word) ? RequestedOfSlot(word) : 0,
                     classes_[place.size_class].bytes,
                     IsLiveSlot(word),
                     {}};
  }
  base::SpinLockHolder hold(lock_);
  const BlockIndex index = blocks_.FindContaining(address);
  if (index == kNoBlock || blocks_[index].state == BlockState::kSpan) return std::nullopt;
  const HeapBlock& block = blocks_[index];
  return BlockInfo{block.address, block.requested, block.bytes, block.state == BlockState::kLive, block.moment};
}

std::vector<BlockInfo> Heap::Blocks() {
  std::vector<BlockInfo> found;
  base::SpinLockHolder hold(lock_);
  for (const BlockIndex index : blocks_.All()) {
    const HeapBlock& block = blocks_[index];
    if (block.state != BlockState::kSpan) {
      found.push_back({block.address, block.requested, block.bytes, block.state == BlockState::kLive, block.moment});
      continue;
    }
    for (uint64_t address = block.address; address < block.address + block.bytes;) {
      const Spans::Place place = spans_.Find(address);
      if (place.word == nullptr) break;
      const uint64_t bytes = classes_[place.size_class].bytes;
      const uint16_t word = place.word->load(std::memory_order_relaxed);
      found.push_back({address, IsLiveSlot(word) ? RequestedOfSlot(word) : 0, bytes, IsLiveSlot(word), {}});
      address += bytes;
    }
  }
  return found;
}

std::vector<StreamMoment> Heap::PendingMoments() {
  std::vector<StreamMoment> moments;
  {
    base::SpinLockHolder hold(lock_);
    moments = blocks_.PendingMoments();
  }
  spans_.AddPendingMoments(moments);
  std::sort(moments.begin(), moments.end(), [](const StreamMoment& a, const StreamMoment& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.entry > b.entry;
  });
  const auto end = std::unique(moments.begin(), moments.end(),
                               [](const StreamMoment& a, const StreamMoment& b) { return a.slot == b.slot; });
  moments.erase(end, moments.end());
  return moments;
}

ThreadCache* Heap::MakeCache() {
  base::SpinLockHolder hold(lock_);
  if (!spare_caches_.empty()) {
    ThreadCache* cache = spare_caches_.back();
    spare_caches_.pop_back();
    return cache;
  }
  void* memory = MapBookkeeping(sizeof(ThreadCache));
  if (memory == nullptr) return nullptr;
  caches_.push_back(::new (memory) ThreadCache);
  return caches_.back();
}

void Heap::EmptyCache(ThreadCache& cache) {
  for (uint32_t size_class = 0; size_class < classes_.count(); ++size_class) {
    ThreadCache::Magazine& magazine = cache.magazines[size_class];
    const uint32_t count = magazine.Count();
    if (count == 0) continue;
    spans_.GiveFree(size_class, magazine.slots.data(), count);
    magazine.SetCount(0);
    cache.slots.Set(cache.slots.Get() - count);
  }
  base::SpinLockHolder hold(lock_);
  Fold(cache);
  ++releases_;
}

void Heap::RetireCache(ThreadCache* cache) {
  EmptyCache(*cache);
  base::SpinLockHolder hold(lock_);
  spare_caches_.push_back(cache);
}

void Heap::LockForFork() {
  lock_.Lock();
  spans_.LockAll();
}

void Heap::UnlockAfterFork() {
  spans_.UnlockAll();
  lock_.Unlock();
}

}  // namespace forebay::runtime
