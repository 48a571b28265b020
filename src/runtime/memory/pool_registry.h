// The pools of one device, by their addresses.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "forebay/base/mutex.h"
#include "forebay/memory_pool.h"

namespace forebay::runtime {

// Thread safety: all functions may be called from any thread.
class PoolRegistry {
 public:
  // Takes pools from now on, until DetachAll.
  void Open() EXCLUDES(mutex_);
  // False when the device is off.
  bool Add(const std::shared_ptr<MemoryPool>& pool) EXCLUDES(mutex_);
  // The pool whose addresses hold this one; null when none does.
  std::shared_ptr<MemoryPool> At(uint64_t address) EXCLUDES(mutex_);
  // Nobody has the pool's handle any more: it lives until its last block has been released.
  void Abandon(const std::shared_ptr<MemoryPool>& pool) EXCLUDES(mutex_);
  void DropIfAbandoned(const std::shared_ptr<MemoryPool>& pool) EXCLUDES(mutex_);
  // Free memory of all pools goes back. How many bytes did.
  uint64_t Trim() EXCLUDES(mutex_);
  // The host has waited for a stream: pools give back what exceeds their thresholds, and look for steps. Costs a load
  // while there are only the device's own pools.
  void NoteHostWait() {
    if (listeners_.load(std::memory_order_relaxed) != 0) TellOfHostWait();
  }
  // Pools that want to hear of the waits of the host.
  void CountListener(int change) noexcept { listeners_.fetch_add(change, std::memory_order_acq_rel); }
  // Of StreamOrder, for pools that note their history. `from` kNoStream: the host has waited for `to`.
  void NoteOrder(uint32_t from, uint32_t to) {
    if (histories_.load(std::memory_order_relaxed) != 0) TellOfOrder(from, to);
  }
  void CountHistory(int change) noexcept { histories_.fetch_add(change, std::memory_order_acq_rel); }
  // The device goes off: every pool gives all back, and none is added.
  void DetachAll() EXCLUDES(mutex_);

 private:
  std::vector<std::shared_ptr<MemoryPool>> All() EXCLUDES(mutex_);
  void TellOfHostWait() EXCLUDES(mutex_);
  void TellOfOrder(uint32_t from, uint32_t to) EXCLUDES(mutex_);

  std::atomic<int> listeners_{0}, histories_{0};
  base::Mutex mutex_;
  bool open_ GUARDED_BY(mutex_) = false;
  // Ranges of addresses that were looked for, by where they begin: found again without asking every pool.
  struct Range {
    uint64_t bytes;
    std::weak_ptr<MemoryPool> pool;
  };
  std::map<uint64_t, Range> ranges_ GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<MemoryPool>> pools_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<MemoryPool>> abandoned_ GUARDED_BY(mutex_);
};

}  // namespace forebay::runtime
