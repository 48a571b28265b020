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
  base::MutexLock lock(mutex_);
  live_.insert_or_assign(allocation.address, allocation);
  if (allocation.host) return;
  ModuleUse& use = modules_[{allocation.device, allocation.module}];
  use.module = allocation.module;
  use.bytes += allocation.reserved;
  use.peak_bytes = std::max(use.peak_bytes, use.bytes);
}

std::optional<Allocation> AllocationTable::Remove(uint64_t address, bool host) {
  base::MutexLock lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.host != host) return std::nullopt;
  const Allocation allocation = found->second;
  live_.erase(found);
  CountOut(allocation);
  return allocation;
}

std::optional<Allocation> AllocationTable::Find(uint64_t address) {
  base::MutexLock lock(mutex_);
  auto found = live_.upper_bound(address);
  if (found == live_.begin()) return std::nullopt;
  --found;
  if (address - found->first >= found->second.bytes) return std::nullopt;
  return found->second;
}

void AllocationTable::RemoveAllOf(int32_t device) {
  base::MutexLock lock(mutex_);
  std::erase_if(live_, [&](const auto& entry) { return entry.second.device == device; });
  std::erase_if(modules_, [&](const auto& entry) { return entry.first.first == device; });
}

std::vector<ModuleUse> AllocationTable::UseByModule(int32_t device) {
  std::vector<ModuleUse> uses;
  {
    base::MutexLock lock(mutex_);
    for (auto it = modules_.lower_bound({device, 0}); it != modules_.end() && it->first.first == device; ++it)
      uses.push_back(it->second);
  }
  std::sort(uses.begin(), uses.end(), [](const ModuleUse& one, const ModuleUse& other) {
    return std::tie(one.bytes, other.module) > std::tie(other.bytes, one.module);
  });
  return uses;
}

std::string AllocationTable::DescribeHolders(int32_t device, uint64_t in_use) {
  SiteTally tally;
  uint64_t known = 0;
  {
    base::MutexLock lock(mutex_);
    for (const auto& [address, allocation] : live_) {
      if (allocation.host || allocation.device != device) continue;
      tally.Add(allocation.site, allocation.reserved);
      known += allocation.reserved;
    }
  }
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  for (const SiteTally::Holder& holder : tally.Top(kMostHolders))
    add(fmt::format("{} bytes in {} allocations made at {}", holder.bytes, holder.count, DescribeSite(holder.site)));
  if (tally.size() > kMostHolders) add(fmt::format("{} more callers hold the rest", tally.size() - kMostHolders));
  if (in_use > known) add(fmt::format("{} bytes in pools and tensors", in_use - known));
  return text;
}

void AllocationTable::CountOut(const Allocation& allocation) {
  if (allocation.host) return;
  const auto use = modules_.find({allocation.device, allocation.module});
  if (use != modules_.end()) use->second.bytes -= allocation.reserved;
}

}  // namespace forebay::runtime
