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
  std::erase_if(pools_, [](const auto& known) { return known.expired(); });
  std::erase_if(ranges_, [](const auto& range) { return range.second.pool.expired(); });
  pools_.push_back(pool);
  return true;
}

std::shared_ptr<MemoryPool> PoolRegistry::At(uint64_t address) {
  {
    base::MutexLock lock(mutex_);
    const auto after = ranges_.upper_bound(address);
    if (after != ranges_.begin()) {
      const auto& [first, range] = *std::prev(after);
      std::shared_ptr<MemoryPool> pool = address - first < range.bytes ? range.pool.lock() : nullptr;
      // The addresses of a pool that is gone may be another's by now.
      if (pool) return pool;
    }
  }
  for (std::shared_ptr<MemoryPool>& pool : All()) {
    const std::optional<AddressRange> range = AddressesAround(*pool, address);
    if (!range) continue;
    base::MutexLock lock(mutex_);
    if (open_) ranges_.insert_or_assign(range->address, Range{range->bytes, pool});
    return std::move(pool);
  }
  return nullptr;
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
  for (const auto& known : pools_) {
    if (auto pool = known.lock()) all.push_back(std::move(pool));
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
  ranges_.clear();
  abandoned.swap(abandoned_);
}

}  // namespace forebay::runtime
