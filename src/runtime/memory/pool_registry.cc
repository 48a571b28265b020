#include "memory/pool_registry.h"

#include <algorithm>

#include "memory/memory_pool_impl.h"

namespace forebay::runtime {

void PoolRegistry::Open() {
  base::MutexLock lock(mutex_);
  open_ = true;
}

bool PoolRegistry::Add(const std::shared_ptr<MemoryPool>& pool) {
  base::MutexLock lock(mutex_);
  if (!open_) return false;
  std::erase_if(pools_, [](const auto& entry) { return entry.second.expired(); });
  pools_[PoolAddresses(*pool).address] = pool;
  return true;
}

std::shared_ptr<MemoryPool> PoolRegistry::At(uint64_t address) {
  base::MutexLock lock(mutex_);
  auto found = pools_.upper_bound(address);
  if (found == pools_.begin()) return nullptr;
  std::shared_ptr<MemoryPool> pool = (--found)->second.lock();
  return pool && address - found->first < PoolAddresses(*pool).bytes ? pool : nullptr;
}

void PoolRegistry::Abandon(const std::shared_ptr<MemoryPool>& pool) {
  {
    base::MutexLock lock(mutex_);
    if (!open_) return;
    if (std::find(abandoned_.begin(), abandoned_.end(), pool) == abandoned_.end()) abandoned_.push_back(pool);
  }
  DropIfAbandoned(pool);
}

void PoolRegistry::DropIfAbandoned(const std::shared_ptr<MemoryPool>& pool) {
  base::MutexLock lock(mutex_);
  if (abandoned_.empty()) return;
  const auto found = std::find(abandoned_.begin(), abandoned_.end(), pool);
  // The caller holds the pool, so that it does not end under the lock.
  if (found != abandoned_.end() && pool->statistics().live_blocks == 0) abandoned_.erase(found);
}

std::vector<std::shared_ptr<MemoryPool>> PoolRegistry::All() {
  std::vector<std::shared_ptr<MemoryPool>> all;
  base::MutexLock lock(mutex_);
  for (const auto& [address, weak] : pools_) {
    if (auto pool = weak.lock()) all.push_back(std::move(pool));
  }
  return all;
}

uint64_t PoolRegistry::Trim() {
  uint64_t bytes = 0;
  for (const auto& pool : All()) bytes += TrimPool(*pool, 0);
  return bytes;
}

void PoolRegistry::TellOfHostWait() {
  for (const auto& pool : All()) runtime::NoteHostWait(*pool);
}

void PoolRegistry::TellOfOrder(uint32_t from, uint32_t to) {
  for (const auto& pool : All()) runtime::NoteOrder(*pool, from, to);
}

void PoolRegistry::DetachAll() {
  {
    base::MutexLock lock(mutex_);
    open_ = false;
  }
  for (const auto& pool : All()) DetachPool(*pool);
  // Destroyed after the lock is.
  std::vector<std::shared_ptr<MemoryPool>> abandoned;
  base::MutexLock lock(mutex_);
  pools_.clear();
  abandoned.swap(abandoned_);
}

}  // namespace forebay::runtime
