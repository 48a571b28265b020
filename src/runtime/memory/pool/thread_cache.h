// What a thread keeps of a heap: a few free slots of each class, taken and given without a lock, and its share of the
// statistics. A heap owns the caches of all threads; a thread that ends gives the slots back.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "memory/pool/size_classes.h"

namespace forebay::runtime {

// A number that one thread changes and others may read.
class OwnedCount {
 public:
  int64_t Get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void Set(int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct ThreadCache {
  static constexpr uint32_t kMostSlots = 128;

  struct Magazine {
    std::atomic<uint32_t> count{0};  // changed by the thread alone
    uint32_t limit = 0;
    std::array<uint64_t, kMostSlots> slots;

    uint32_t Count() const noexcept { return count.load(std::memory_order_relaxed); }
    void SetCount(uint32_t value) noexcept { count.store(value, std::memory_order_relaxed); }
  };

  // Since they were last added to the heap's own. `slots` counts those taken from the spans, less those given to them:
  // what is not in a magazine is live.
  alignas(64) OwnedCount requested, rounded, slots;
  OwnedCount most_requested, most_rounded;
  std::array<Magazine, SizeClasses::kMost> magazines;

  void CountAllocation(uint64_t requested_bytes, uint64_t rounded_bytes) noexcept {
    requested.Set(requested.Get() + static_cast<int64_t>(requested_bytes));
    rounded.Set(rounded.Get() + static_cast<int64_t>(rounded_bytes));
  }
  // A peak is noticed when it ends.
  void CountRelease(uint64_t requested_bytes, uint64_t rounded_bytes) noexcept {
    Lower(requested, most_requested, requested_bytes);
    Lower(rounded, most_rounded, rounded_bytes);
  }
  bool HasChanged() const noexcept { return (requested.Get() | most_requested.Get()) != 0; }
  int64_t LiveBlocks() const noexcept {
    int64_t live = slots.Get();
    for (const Magazine& magazine : magazines) live -= magazine.Count();
    return live;
  }

 private:
  static void Lower(OwnedCount& count, OwnedCount& most, uint64_t by) noexcept {
    const int64_t before = count.Get();
    if (before > most.Get()) most.Set(before);
    count.Set(before - static_cast<int64_t>(by));
  }
};

// Who owns thread caches.
class ThreadCacheOwner {
 public:
  ThreadCacheOwner(const ThreadCacheOwner&) = delete;
  ThreadCacheOwner& operator=(const ThreadCacheOwner&) = delete;

  // Its number, which no other ever has.
  uint64_t number() const noexcept { return number_; }

 protected:
  ThreadCacheOwner();
  ~ThreadCacheOwner();

  // From here on threads may have caches of it, until Leave.
  void Enter();
  void Leave() noexcept;
  // The calling thread's cache; null while the thread is ending. The caller keeps no lock.
  ThreadCache* Cache();

  virtual ThreadCache* MakeCache() = 0;
  // The thread of the cache ends.
  virtual void RetireCache(ThreadCache* cache) = 0;
  // Around fork: takes and drops every lock.
  virtual void LockForFork() = 0;
  virtual void UnlockAfterFork() = 0;

 private:
  friend struct ThreadCaches;
  ThreadCache* FindCache();

  const uint64_t number_;
};

struct RecentCache {
  uint64_t owner = 0;
  ThreadCache* cache = nullptr;
};
inline constexpr uint32_t kRecentCaches = 8;
// Initial-exec: an access is one instruction. Without a destructor: it may be read while a thread ends.
extern constinit thread_local RecentCache recent_caches[kRecentCaches] __attribute__((tls_model("initial-exec")));

inline ThreadCache* ThreadCacheOwner::Cache() {
  const RecentCache& recent = recent_caches[number_ % kRecentCaches];
  return recent.owner == number_ ? recent.cache : FindCache();
}

}  // namespace forebay::runtime
