// The slots of small blocks: free ones of all threads, and those that streams have released in their order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/spin_lock.h"
#include "memory/pool/address_index.h"
#include "memory/pool/ordering.h"
#include "memory/pool/reuse.h"
#include "memory/pool/size_classes.h"

namespace forebay::runtime {

// Released slots of one stream and class, the oldest first. Moments only grow. Allocates when it grows.
class ReleasedSlots {
 public:
  struct Entry {
    uint64_t address, entry;
  };
  bool IsEmpty() const noexcept { return count_ == 0; }
  uint32_t count() const noexcept { return count_; }
  const Entry& oldest() const noexcept { return ring_[first_ & (ring_.size() - 1)]; }
  const Entry& newest() const noexcept { return ring_[(first_ + count_ - 1) & (ring_.size() - 1)]; }
  const Entry& operator[](uint32_t index) const noexcept { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  void PushNewest(const Entry& entry);
  void PopOldest() noexcept { ++first_, --count_; }
  void PopNewest() noexcept { --count_; }

 private:
  std::vector<Entry> ring_;  // a power of two
  uint64_t first_ = 0;
  uint32_t count_ = 0;
};

// Thread safety: all functions may be called from any thread; there is a lock for each class.
class Spans {
 public:
  Spans(const Ordering& order, AddressIndex& addresses, const SizeClasses& classes)
      : order_(order), addresses_(addresses), classes_(classes) {}

  // A slot at an address. `word` is null when no span is there.
  struct Place {
    SlotWord* word = nullptr;
    uint64_t address = 0;  // of the slot
    uint32_t size_class = 0;
  };
  Place Find(uint64_t address) const noexcept;
  // Of the slot of that class which begins at the address.
  SlotWord* WordOf(uint64_t address, uint32_t size_class) const noexcept {
    return addresses_.SlotsOf(*addresses_.RegionOf(address), address) +
           classes_.SlotAt(size_class, address & (SizeClasses::kSpanBytes - 1));
  }

  // Up to `wanted` free slots, which are then cached. Returns how many.
  uint32_t TakeFree(uint32_t size_class, uint64_t* slots, uint32_t wanted);
  // Cached or live slots become free.
  void GiveFree(uint32_t size_class, const uint64_t* slots, uint32_t count);
  // The span at `address` is cut into slots of the class.
  void AddSpan(uint32_t size_class, uint64_t address, BlockIndex block);
  // Spans whose slots are all free are none any more: their blocks.
  void RemoveEmpty(std::vector<BlockIndex>& blocks);

  // A slot that `requester` released, or that another stream did and `requester` comes after; 0 when there is none.
  uint64_t TakeReleased(uint32_t size_class, uint32_t requester, const ReusePolicy& policy, ReuseKind* kind);
  // Any released slot; the requester must wait for the moment.
  uint64_t TakeAnyReleased(uint32_t size_class, StreamMoment* wait_for);
  void PutReleased(uint32_t size_class, uint64_t address, const StreamMoment& moment);
  // Released slots that all may use become free. False when there were none. With `opportunistic`, also those whose
  // moment has passed.
  bool Reclaim(uint32_t size_class, bool opportunistic);
  void AddPendingMoments(std::vector<StreamMoment>& moments);
  // Every lock, around a fork.
  void LockAll() NO_THREAD_SAFETY_ANALYSIS;
  void UnlockAll() NO_THREAD_SAFETY_ANALYSIS;
  uint64_t pending_bytes() const noexcept { return pending_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Stream {
    uint32_t slot = 0;
    ReleasedSlots released;
  };
  struct ClassState {
    base::SpinLock lock;
    uint32_t with_free GUARDED_BY(lock) = 0;  // number of the first span that has free slots, plus one
    std::vector<std::unique_ptr<Stream>> streams GUARDED_BY(lock);
    std::vector<uint32_t> stream_of_slot GUARDED_BY(lock);  // index in `streams`, plus one
    uint32_t turn GUARDED_BY(lock) = 0;
  };

  Stream* FindStream(ClassState& state, uint32_t slot) REQUIRES(state.lock);
  void LinkSpan(ClassState& state, uint32_t number) REQUIRES(state.lock);
  void UnlinkSpan(ClassState& state, uint32_t number) REQUIRES(state.lock);
  void GiveOne(ClassState& state, uint32_t size_class, uint64_t address) REQUIRES(state.lock);

  const Ordering& order_;
  AddressIndex& addresses_;
  const SizeClasses& classes_;
  std::atomic<uint64_t> pending_bytes_{0};
  std::array<ClassState, SizeClasses::kMost> states_;
};

inline Spans::Place Spans::Find(uint64_t address) const noexcept {
  AddressIndex::Region* region = addresses_.RegionOf(address);
  if (region == nullptr) return {};
  const uint32_t span = AddressIndex::SpanInRegion(address);
  const uint8_t of_class = region->span_class[span].load(std::memory_order_acquire);
  if (of_class == 0) return {};
  const uint32_t size_class = of_class - 1U;
  const uint64_t offset = address & (SizeClasses::kSpanBytes - 1);
  const uint32_t slot = classes_.SlotAt(size_class, offset);
  if (slot >= classes_[size_class].slots) return {};  // the rest at the end
  return {addresses_.SlotsOf(*region, address) + slot, address - offset + uint64_t{slot} * classes_[size_class].bytes,
          size_class};
}

}  // namespace forebay::runtime
