#include "memory/allocation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "device/call_sites.h"
#include "forebay/base/never_destroyed.h"

namespace forebay::runtime {
namespace {

constexpr std::size_t kMostHolders = 5;

}  // namespace

AllocationTable& AllocationTable::Get() {
  static base::NeverDestroyed<AllocationTable> table;
  return *table;
}

void AllocationTable::Add(const Allocation& allocation) {
  if (allocation.same_address) {
    base::MutexLock lock(mutex_);
    same_address_.insert_or_assign(allocation.address, allocation);
  }
  {
    Part& part = PartOf(allocation.address);
    base::SpinLockHolder hold(part.lock);
    part.live.Insert(allocation.address, allocation);
  }
  CountIn(allocation);
}

std::optional<Allocation> AllocationTable::Remove(uint64_t address, bool host) {
  Allocation removed;
  {
    Part& part = PartOf(address);
    base::SpinLockHolder hold(part.lock);
    const Allocation* found = part.live.Find(address);
    if (found == nullptr || found->host != host) return std::nullopt;
    removed = *found;
    part.live.Erase(address);
  }
  if (removed.same_address) {
    base::MutexLock lock(mutex_);
    same_address_.erase(address);
  }
  CountOut(removed);
  return removed;
}

std::optional<Allocation> AllocationTable::Find(uint64_t address) {
  Part& part = PartOf(address);
  base::SpinLockHolder hold(part.lock);
  const Allocation* found = part.live.Find(address);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

std::optional<Allocation> AllocationTable::FindSameAddress(uint64_t address) {
  base::MutexLock lock(mutex_);
  auto found = same_address_.upper_bound(address);
  if (found == same_address_.begin()) return std::nullopt;
  --found;
  if (address - found->first >= found->second.bytes) return std::nullopt;
  return found->second;
}

void AllocationTable::RemoveAllOf(int32_t device) {
  {
    base::MutexLock lock(mutex_);
    std::erase_if(same_address_, [&](const auto& entry) { return entry.second.device == device; });
  }
  for (Part& part : parts_) {
    base::SpinLockHolder hold(part.lock);
    part.live.EraseIf([&](const Allocation& allocation) { return allocation.device == device; });
  }
  base::SpinLockHolder hold(modules_lock_);
  modules_.EraseIf([&](const ModuleUse& use) { return use.device == device; });
}

std::vector<ModuleUse> AllocationTable::UseByModule(int32_t device) {
  std::vector<ModuleUse> uses;
  {
    base::SpinLockHolder hold(modules_lock_);
    modules_.ForEach([&](uint64_t, const ModuleUse& use) {
      if (use.device == device) uses.push_back(use);
    });
  }
  std::sort(uses.begin(), uses.end(), [](const ModuleUse& one, const ModuleUse& other) {
    return std::tie(one.bytes, other.module) > std::tie(other.bytes, one.module);
  });
  return uses;
}

std::vector<Allocation> AllocationTable::AllOf(int32_t device) {
  std::vector<Allocation> all;
  for (Part& part : parts_) {
    base::SpinLockHolder hold(part.lock);
    part.live.ForEach([&](uint64_t, const Allocation& allocation) {
      if (allocation.device == device) all.push_back(allocation);
    });
  }
  return all;
}

std::string AllocationTable::DescribeHolders(int32_t device, uint64_t in_use) {
  SiteTally tally;
  uint64_t known = 0;
  for (const Allocation& allocation : AllOf(device)) {
    if (allocation.host) continue;
    tally.Add(allocation.site, allocation.reserved);
    known += allocation.reserved;
  }
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  for (const SiteTally::Holder& holder : tally.Top(kMostHolders))
    add(fmt::format("{} bytes in {} allocations made at {}", holder.bytes, holder.count, DescribeSite(holder.site)));
  if (tally.size() > kMostHolders) add(fmt::format("{} more callers hold the rest", tally.size() - kMostHolders));
  if (in_use > known) add(fmt::format("{} bytes in pools and tensors", in_use - known));
  return text;
}

void AllocationTable::CountIn(const Allocation& allocation) {
  if (allocation.host) return;
  const uint64_t key = ModuleKey(allocation);
  base::SpinLockHolder hold(modules_lock_);
  ModuleUse* use = modules_.Find(key);
  if (use == nullptr) {
    modules_.Insert(key, {allocation.device, allocation.module, 0, 0});
    use = modules_.Find(key);
  }
  use->bytes += allocation.reserved;
  use->peak_bytes = std::max(use->peak_bytes, use->bytes);
}

void AllocationTable::CountOut(const Allocation& allocation) {
  if (allocation.host) return;
  base::SpinLockHolder hold(modules_lock_);
  if (ModuleUse* use = modules_.Find(ModuleKey(allocation))) use->bytes -= allocation.reserved;
}

}  // namespace forebay::runtime
