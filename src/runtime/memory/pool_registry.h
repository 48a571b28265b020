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
  // What the host does when it has waited. Costs a load while no pool has a threshold.
  void ReleaseIdle() {
    if (thresholds_.load(std::memory_order_relaxed) != 0) ReleaseAboveThresholds();
  }
  void CountThreshold(int change) noexcept { thresholds_.fetch_add(change, std::memory_order_acq_rel); }
  // The device goes off: every pool gives all back, and none is added.
  void DetachAll() EXCLUDES(mutex_);

 private:
  std::vector<std::shared_ptr<MemoryPool>> All() EXCLUDES(mutex_);
  void ReleaseAboveThresholds() EXCLUDES(mutex_);

  std::atomic<int> thresholds_{0};  // pools that have one
  base::Mutex mutex_;
  bool open_ GUARDED_BY(mutex_) = false;
  std::map<uint64_t, std::weak_ptr<MemoryPool>> pools_ GUARDED_BY(mutex_);  // by first address
  std::vector<std::shared_ptr<MemoryPool>> abandoned_ GUARDED_BY(mutex_);
};

}  // namespace forebay::runtime
